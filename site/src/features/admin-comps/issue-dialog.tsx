// Giving tickets away: to one guest, or to a list that is pasted, with every line looked at before anything is issued.
import { doorLimits } from "contract/door";
import { maxLengths } from "contract/schemas";
import { useState } from "react";
import { count } from "#lib/format.ts";
import { toast } from "#ui/overlays/toast.ts";
import { DialogButtons } from "#ui/overlays/dialog-buttons.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { Field, FieldError } from "#ui/forms/field.tsx";
import { Input, Select, Textarea } from "#ui/forms/input.tsx";
import { Tabs } from "#ui/page/tabs.tsx";
import { GuestPreview } from "./guest-preview.tsx";
import { listProblem, readGuests } from "./model.ts";
import { issueComps, useReadAgain, useTicketTypes } from "./queries.ts";

const blank = { typeId: "", reason: "", name: "", email: "", list: "" };
type Typed = typeof blank;

export function IssueDialog({ onClose }: { onClose: () => void }) {
  const { data: types } = useTicketTypes();
  const readAgain = useReadAgain();
  const [typed, setTyped] = useState(blank);
  const [pasting, setPasting] = useState(false);
  const [tried, setTried] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  // Until it is issued: a second press, or a retry after a lost answer, issues nothing twice.
  const [key, setKey] = useState(() => crypto.randomUUID());

  const type = types?.find(({ id }) => id === typed.typeId);
  const lines = readGuests(pasting ? typed.list : [typed.name, typed.email].filter(Boolean).join(", "));
  const wrong = !type
    ? "Choose a ticket type."
    : !typed.reason.trim()
      ? "Say why: the reason stays with the tickets."
      : listProblem(lines);
  const control = (field: keyof Typed) => ({
    value: typed[field],
    onChange: ({ target }: { target: { value: string } }) => {
      setTyped({ ...typed, [field]: target.value });
      setProblem(undefined);
      // Another list is another issue.
      setKey(crypto.randomUUID());
    },
  });

  async function issue() {
    setTried(true);
    if (wrong) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const guests = lines.flatMap(({ guest }) => guest ?? []);
      await issueComps({ key, reason: typed.reason, typeId: typed.typeId, guests });
      toast.success(`${count(guests.length, "comp")} issued`, "The codes are on their way by mail.");
      await readAgain();
      onClose();
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setBusy(false);
    }
  }

  const shown = problem ?? (tried ? wrong : undefined);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !busy && onClose()}
      title="Issue comps"
      description="Each guest gets a free ticket by mail. It takes stock, and counts apart from what is sold."
    >
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void issue();
        }}
      >
        <Field label="Ticket type" required hint={type && `${count(type.current_inventory, "ticket")} left.`}>
          <Select dense {...control("typeId")}>
            <option value="">Choose a type</option>
            {types?.map(({ id, name, is_hidden }) => (
              <option key={id} value={id}>
                {name}
                {is_hidden ? " (hidden)" : ""}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Reason" required hint="Press, crew, a prize: for the audit log, not for the guest.">
          <Input dense maxLength={doorLimits.reason} {...control("reason")} />
        </Field>
        <Tabs
          label="How many guests"
          value={pasting ? "list" : "one"}
          onValueChange={(value) => setPasting(value === "list")}
          tabs={[
            {
              value: "one",
              label: "One guest",
              content: (
                <div className="grid gap-4">
                  <Field label="Name" required>
                    <Input dense maxLength={maxLengths.name} {...control("name")} />
                  </Field>
                  <Field label="Email" required>
                    <Input dense type="email" maxLength={maxLengths.email} {...control("email")} />
                  </Field>
                </div>
              ),
            },
            {
              value: "list",
              label: "A list",
              content: (
                <div className="grid gap-3">
                  <Field
                    label="Guests"
                    required
                    hint={`One a line: name, email. At most ${doorLimits.guests}; a spreadsheet's two columns can be pasted.`}
                  >
                    <Textarea rows={6} placeholder="Ana Reyes, ana@example.com" {...control("list")} />
                  </Field>
                  <GuestPreview lines={lines} />
                </div>
              ),
            },
          ]}
        />
        {shown && <FieldError>{shown}</FieldError>}
        <DialogButtons
          submit={lines.length > 1 ? `Issue ${count(lines.length, "Comp")}` : "Issue"}
          busy={busy}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
