// A new entrance, or what an existing one admits. The database checks the bounds and words the error.
import { useState } from "react";
import { gateLimits } from "contract/gate";
import { useUnsaved } from "#lib/browser/unsaved.ts";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input, Select } from "#ui/forms/input.tsx";
import type { Problems } from "#ui/forms/use-problems.ts";
import type { Entrance } from "./model.ts";
import { addEntrance, changeEntrance, useGateAct, type EntranceFields } from "./queries.ts";

interface EntranceDialogProps {
  /** Undefined for a new one. */
  entrance: Entrance | undefined;
  /** Ticket types it may be limited to. */
  types: readonly { id: string; name: string }[];
  onClose: () => void;
}

const blank: EntranceFields = { name: "", admits: "tickets", ticket_type_ids: null, is_express: false };

const choices = [
  ["tickets", "Tickets"],
  ["parking", "Parking"],
  ["both", "Tickets and parking"],
] as const;

const nameField = { label: "Name", limit: gateLimits.entranceName, hint: "The name gate crew use." };

export function EntranceDialog({ entrance, types, onClose }: EntranceDialogProps) {
  const { mutate, isPending } = useGateAct();
  const before = entrance ? fieldsOf(entrance) : blank;
  const [draft, setDraft] = useState(before);
  const unsaved = JSON.stringify(draft) !== JSON.stringify(before);
  useUnsaved(unsaved);
  const [refusal, setRefusal] = useState<Problems<"name">>({});
  const change = (changes: Partial<EntranceFields>) => {
    setDraft({ ...draft, ...changes });
    setRefusal({});
  };

  function save() {
    const after = cleared(draft);
    if (!after.name) return setRefusal({ name: "An entrance needs a name." });
    setRefusal({});
    const act = entrance ? changeEntrance(entrance.id, before, after) : addEntrance(after);
    mutate(act, { onSuccess: onClose, onError: (error) => setRefusal(refusalOf(error)) });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      unsaved={unsaved}
      title={entrance ? `Edit ${entrance.name}` : "New entrance"}
    >
      <DialogForm
        submit={entrance ? "Save" : "Add"}
        busy={isPending}
        problem={refusal.form}
        onSubmit={save}
        onCancel={onClose}
      >
        <Field {...nameField} required error={refusal.name}>
          <Input dense value={draft.name} onChange={({ target }) => change({ name: target.value })} />
        </Field>
        <Field label="Admits">
          <Select
            dense
            value={draft.admits}
            onChange={({ target }) =>
              change({ admits: choices.find(([value]) => value === target.value)?.[0] ?? "tickets" })
            }
          >
            {choices.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        {draft.admits !== "parking" && <TicketFields draft={draft} types={types} onChange={change} />}
      </DialogForm>
    </Dialog>
  );
}

interface TicketFieldsProps {
  draft: EntranceFields;
  types: EntranceDialogProps["types"];
  onChange: (changes: Partial<EntranceFields>) => void;
}

/** Which tickets it admits. */
function TicketFields({ draft, types, onChange }: TicketFieldsProps) {
  const chosen = draft.ticket_type_ids ?? [];
  return (
    <>
      <Checkbox
        label="Express lane"
        checked={draft.is_express}
        onChange={({ target }) => onChange({ is_express: target.checked })}
      />
      <fieldset>
        <legend className="font-semibold">Only these ticket types</legend>
        <p className="mt-0.5 mb-2 text-sm text-ink-soft">
          If none are checked: all types, or all VIP types for an express lane.
        </p>
        <div className="grid gap-2 sm:grid-cols-2">
          {types.map(({ id, name }) => (
            <Checkbox
              key={id}
              label={<span className="wrap-anywhere">{name}</span>}
              checked={chosen.includes(id)}
              onChange={({ target }) =>
                onChange({
                  ticket_type_ids: target.checked ? [...chosen, id] : chosen.filter((other) => other !== id),
                })
              }
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}

function fieldsOf({ name, admits, ticket_type_ids, is_express }: Entrance): EntranceFields {
  return { name, admits, ticket_type_ids, is_express };
}

/** What is stored: parking alone has no ticket types, and no express lane. */
function cleared(draft: EntranceFields): EntranceFields {
  const parkingOnly = draft.admits === "parking";
  const chosen = draft.ticket_type_ids ?? [];
  return {
    ...draft,
    name: draft.name.trim(),
    ticket_type_ids: parkingOnly || chosen.length === 0 ? null : chosen,
    is_express: draft.is_express && !parkingOnly,
  };
}

const refusalOf = ({ message, cause }: Error): Problems<"name"> =>
  /gate_entrances_one_name/.test((cause as Error).message)
    ? { name: "Another entrance already has this name." }
    : { form: message };
