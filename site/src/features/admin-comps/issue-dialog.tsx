// Issues comps, to one guest or to a pasted list. Every line is shown for review before anything is issued.
import { doorLimits } from "contract/door";
import { maxLengths } from "contract/limits";
import { count } from "#lib/format.ts";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input, Select, Textarea } from "#ui/forms/input.tsx";
import { AS_CHOSEN, ReadNote } from "#ui/forms/read-note.tsx";
import { Tabs } from "#ui/page/tabs.tsx";
import { GuestPreview } from "./guest-preview.tsx";
import { type GuestLine, listProblem } from "./guest-list.ts";
import type { TicketType } from "./queries.ts";
import { type Control, useIssue } from "./use-issue.ts";

export function IssueDialog({ userId, onClose }: { userId: string; onClose: () => void }) {
  const asked = useIssue(userId, onClose);
  const { unsaved, types, type, lines, control, pasting, setPasting, issue, busy, problems } = asked;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !busy && onClose()}
      unsaved={unsaved && !busy}
      title="Issue comps"
      description="Each guest gets a free ticket by email. Comps use stock but don't count as sales."
    >
      <DialogForm
        submit={issueLabel(lines)}
        busy={busy}
        problem={problems.form}
        onSubmit={() => void issue()}
        onCancel={onClose}
      >
        <TypeField {...{ types, type, control }} error={problems.typeId} />
        <Field
          label="Reason"
          limit={doorLimits.reason}
          required
          hint="For example, press, crew or a prize. Saved in the audit log; the guest doesn't see it."
          error={problems.reason}
        >
          <Input dense {...control("reason")} />
        </Field>
        <Guests {...{ control, lines, pasting, problems }} onPasting={setPasting} />
      </DialogForm>
    </Dialog>
  );
}

const typeHint = ({ current_inventory: left, included_parking: parking }: TicketType) =>
  `${count(left, "ticket")} left.${parking ? ` Each guest also gets ${parking}, which also uses stock.` : ""}`;

interface TypeFieldProps extends Pick<ReturnType<typeof useIssue>, "types" | "type" | "control"> {
  error: string | undefined;
}

function TypeField({ types, type, control, error }: TypeFieldProps) {
  const typeId = control("typeId").value;
  return (
    <Field label="Ticket type" required hint={type && typeHint(type)} error={error}>
      <Select dense {...control("typeId")}>
        <option value="">Choose a type</option>
        {!types.data && typeId !== "" && <option value={typeId}>{AS_CHOSEN}</option>}
        {types.data?.map(({ id, name, is_hidden }) => (
          <option key={id} value={id}>
            {name}
            {is_hidden ? " (hidden)" : ""}
          </option>
        ))}
      </Select>
      <ReadNote read={types} what="ticket types" />
    </Field>
  );
}

const issueLabel = (lines: GuestsProps["lines"]) =>
  lines.length > 1 && listProblem(lines) === undefined ? `Issue ${count(lines.length, "Comp")}` : "Issue";

interface GuestsProps {
  control: Control;
  problems: ReturnType<typeof useIssue>["problems"];
  lines: readonly GuestLine[];
  pasting: boolean;
  onPasting: (pasting: boolean) => void;
}

function Guests({ control, problems, lines, pasting, onPasting }: GuestsProps) {
  return (
    <Tabs
      label="How many guests"
      value={pasting ? "list" : "one"}
      onValueChange={(value) => onPasting(value === "list")}
      tabs={[
        {
          value: "one",
          label: "One guest",
          content: (
            <div className="grid gap-4">
              <Field label="Name" limit={maxLengths.name} required error={problems.name}>
                <Input dense {...control("name")} />
              </Field>
              <Field label="Email" limit={maxLengths.email} required error={problems.email}>
                <Input dense type="email" {...control("email")} />
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
                hint={`One per line: name, email. Up to ${doorLimits.guests}. You can paste spreadsheet columns, or recipients copied from an email.`}
                error={problems.list}
              >
                <Textarea rows={6} placeholder="Ana Reyes, ana@example.com" {...control("list")} />
              </Field>
              <GuestPreview lines={lines} />
            </div>
          ),
        },
      ]}
    />
  );
}
