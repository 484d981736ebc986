// Creates or edits a promo code. Each error is at its field, whoever found it. What was typed stays.
import { useState } from "react";
import { maxLengths } from "contract/limits";
import { useUnsaved } from "#lib/browser/unsaved.ts";
import { count } from "#lib/format.ts";
import { toast } from "#ui/overlays/toast.ts";
import { Button } from "#ui/basics/button.tsx";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input, Select } from "#ui/forms/input.tsx";
import { MomentInput } from "#ui/forms/moment-input.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { useAttempt } from "#ui/forms/use-attempt.ts";
import { type Problems, useProblems } from "#ui/forms/use-problems.ts";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import {
  draftOf,
  fieldOfColumn,
  fieldsOf,
  problemsOf,
  randomCode,
  type Draft,
  type PromoCode,
} from "./model.ts";
import { savePromoCode, useRefreshCodes, type useTicketTypeNames } from "./queries.ts";

interface PromoCodeDialogProps {
  /** Undefined for a new one. */
  row: PromoCode | undefined;
  types: ReturnType<typeof useTicketTypeNames>;
  onClose: () => void;
}

export function PromoCodeDialog({ row, types, onClose }: PromoCodeDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(row));
  const unsaved = JSON.stringify(draft) !== JSON.stringify(draftOf(row));
  useUnsaved(unsaved);
  const { attempt, busy, problem, column, setProblem } = useAttempt();
  const { problems, check } = useProblems(problemsOf(draft), { problem, column }, fieldOfColumn);
  const refresh = useRefreshCodes();
  const set = (change: Partial<Draft>) => {
    setDraft({ ...draft, ...change });
    setProblem(undefined);
  };

  async function save() {
    if (!check()) return;
    await attempt(async () => {
      const fields = fieldsOf(draft, row);
      await savePromoCode(fields, row);
      toast.success(row ? "Promo code saved" : "Promo code created", fields.code.toUpperCase());
      await refresh();
    }, onClose);
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      unsaved={unsaved}
      title={row ? `Edit ${row.code}` : "New promo code"}
    >
      <DialogForm
        submit={row ? "Save" : "Create"}
        busy={busy}
        problem={problems.form}
        onSubmit={() => void save()}
        onCancel={onClose}
      >
        <WhatFields draft={draft} set={set} problems={problems} />
        <TypeFields draft={draft} set={set} types={types} />
        <LimitFields draft={draft} set={set} problems={problems} />
      </DialogForm>
    </Dialog>
  );
}

interface PartProps {
  draft: Draft;
  problems: Problems<keyof Draft>;
  set: (change: Partial<Draft>) => void;
}

function WhatFields({ draft, set, problems }: PartProps) {
  return (
    <>
      <div className="flex items-start gap-2">
        <Field
          label="Code"
          limit={maxLengths.promoCode}
          required
          className="flex-1"
          hint="3 to 40 letters, digits, hyphens and underscores. Not case-sensitive."
          error={problems.code}
        >
          <Input
            dense
            autoComplete="off"
            className="uppercase"
            value={draft.code}
            onChange={(event) => set({ code: event.target.value })}
          />
        </Field>
        <Button
          variant="secondary"
          size="small"
          className="mt-7.5"
          onClick={() => set({ code: randomCode() })}
        >
          Generate
        </Button>
      </div>
      <ValueFields draft={draft} set={set} problems={problems} />
      <Field label="Note" limit={maxLengths.promoNote} hint="For organizers. Buyers don't see it.">
        <Input dense value={draft.note} onChange={(event) => set({ note: event.target.value })} />
      </Field>
    </>
  );
}

function ValueFields({ draft, set, problems }: PartProps) {
  return (
    <div className="grid grid-cols-2 gap-4">
      <Field label="Discount type">
        <Select
          dense
          value={draft.kind}
          onChange={(event) => set({ kind: event.target.value === "amount" ? "amount" : "percent" })}
        >
          <option value="percent">Percent</option>
          <option value="amount">Dollars</option>
        </Select>
      </Field>
      <Field
        label={draft.kind === "amount" ? "Dollars off an order" : "Percent off"}
        required
        error={problems.value}
      >
        <Input
          dense
          inputMode="decimal"
          value={draft.value}
          onChange={(event) => set({ value: event.target.value })}
        />
      </Field>
    </div>
  );
}

function TypeFields({
  draft,
  set,
  types,
}: Omit<PartProps, "problems"> & Pick<PromoCodeDialogProps, "types">) {
  return (
    <fieldset>
      <legend className="font-semibold">Tickets it applies to</legend>
      <p className="text-sm text-ink-soft">
        {types.data || draft.types.length === 0
          ? "Choose none to apply it to all."
          : `It applies to ${count(draft.types.length, "type")}.`}{" "}
        Only tickets are discounted.
      </p>
      <ReadNote read={types} what="ticket types" />
      <div className="mt-2 grid gap-2 sm:grid-cols-2">
        {Array.from(types.data ?? [], ([id, name]) => (
          <Checkbox
            key={id}
            label={<span className="wrap-anywhere">{name}</span>}
            checked={draft.types.includes(id)}
            onChange={({ target }) =>
              set({
                types: target.checked ? [...draft.types, id] : draft.types.filter((other) => other !== id),
              })
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

function LimitFields({ draft, set, problems }: PartProps) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Maximum orders" hint="Leave blank for no limit." error={problems.maxUses}>
          <Input
            dense
            inputMode="numeric"
            value={draft.maxUses}
            onChange={(event) => set({ maxUses: event.target.value })}
          />
        </Field>
        <Field label="Maximum per buyer" hint="Leave blank for no limit." error={problems.perBuyer}>
          <Input
            dense
            inputMode="numeric"
            value={draft.perBuyer}
            onChange={(event) => set({ perBuyer: event.target.value })}
          />
        </Field>
        <Field label="Begins" hint="Central Time. Leave blank to start right away.">
          <MomentInput value={draft.opens} onValue={(opens) => set({ opens })} />
        </Field>
        <Field label="Ends" hint="Central Time. Leave blank for no end." error={problems.closes}>
          <MomentInput value={draft.closes} onValue={(closes) => set({ closes })} />
        </Field>
      </div>
    </>
  );
}
