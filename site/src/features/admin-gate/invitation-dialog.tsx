// Creates an invitation and shows its link once. The database keeps only its hash.
import { useQueryClient } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useRef, useState } from "react";
import { gateLimits, type GateInvitation } from "contract/gate";
import { Button } from "#ui/basics/button.tsx";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input, Select } from "#ui/forms/input.tsx";
import { useAttempt } from "#ui/forms/use-attempt.ts";
import { type Problems, useProblems } from "#ui/forms/use-problems.ts";
import { toast } from "#ui/overlays/toast.ts";
import { centralDay, invitationLink, untilText } from "./model.ts";
import { createInvitation } from "./queries.ts";
import { QrSquare } from "#ui/figures/qr-square.tsx";

interface InvitationDialogProps {
  entrances: readonly { id: string; name: string }[];
  now: number;
  onClose: () => void;
}

interface Draft {
  label: string;
  /** Empty: each device chooses. */
  entranceId: string;
  day: string;
  phones: string;
}

export function InvitationDialog({ entrances, now, onClose }: InvitationDialogProps) {
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<Draft>({
    label: "",
    entranceId: "",
    day: centralDay(now),
    phones: "1",
  });
  const { attempt, busy, problem, column, setProblem } = useAttempt();
  const { problems, check } = useProblems(problemsOf(draft), { problem, column });
  const [made, setMade] = useState<GateInvitation>();

  async function create() {
    if (!check()) return;
    const { label, entranceId, day, phones } = draft;
    await attempt(async () => {
      setMade(
        await createInvitation({
          label: label.trim(),
          entranceId: entranceId || null,
          day,
          phones: Number(phones),
        }),
      );
      void queryClient.invalidateQueries({ queryKey: ["gate-board"] });
    });
  }

  if (made)
    return <MadeInvitation now={now} invitation={made} label={draft.label.trim()} onClose={onClose} />;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Invite for a day"
      description="The link lets phones scan until the day ends. They see only the gate app."
    >
      <DialogForm
        submit="Create Link"
        busy={busy}
        problem={problems.form}
        onSubmit={() => void create()}
        onCancel={onClose}
      >
        <InvitationFields
          {...{ draft, problems, entrances, now }}
          onChange={(next) => {
            setDraft(next);
            setProblem(undefined);
          }}
        />
      </DialogForm>
    </Dialog>
  );
}

function problemsOf({ label, day, phones }: Draft): Problems<keyof Draft> {
  const isCount = /^\d+$/.test(phones) && Number(phones) >= 1 && Number(phones) <= gateLimits.phones;
  return {
    ...(!label.trim() && { label: "Enter who the invitation is for." }),
    ...(!day && { day: "Choose a day." }),
    ...(!isCount && { phones: `An invitation can be for 1 to ${gateLimits.phones} phones.` }),
  };
}

interface InvitationFieldsProps extends Omit<InvitationDialogProps, "onClose"> {
  draft: Draft;
  problems: Problems<keyof Draft>;
  onChange: (draft: Draft) => void;
}

function InvitationFields({ draft, problems, entrances, now, onChange }: InvitationFieldsProps) {
  return (
    <>
      <Field
        label="For"
        limit={gateLimits.invitationLabel}
        required
        hint="A person or crew, for your reference."
        error={problems.label}
      >
        <Input
          dense
          value={draft.label}
          onChange={({ target }) => onChange({ ...draft, label: target.value })}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Entrance" hint="Its phones then only work there.">
          <Select
            dense
            value={draft.entranceId}
            onChange={({ target }) => onChange({ ...draft, entranceId: target.value })}
          >
            <option value="">Chosen on the phone</option>
            {entrances.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Phones" required hint="How many can use the link." error={problems.phones}>
          <Input
            dense
            type="number"
            inputMode="numeric"
            min={1}
            max={gateLimits.phones}
            value={draft.phones}
            onChange={({ target }) => onChange({ ...draft, phones: target.value })}
          />
        </Field>
        <Field label="Day" required hint="Until midnight Central Time." error={problems.day}>
          <Input
            dense
            type="date"
            min={centralDay(now)}
            value={draft.day}
            onChange={({ target }) => onChange({ ...draft, day: target.value })}
          />
        </Field>
      </div>
    </>
  );
}

interface MadeInvitationProps {
  invitation: GateInvitation;
  now: number;
  label: string;
  onClose: () => void;
}

function MadeInvitation({ invitation: { token, expires_at }, now, label, onClose }: MadeInvitationProps) {
  const link = invitationLink(location.origin, token);
  const field = useRef<HTMLInputElement>(null);
  async function copy() {
    try {
      await navigator.clipboard.writeText(link);
      toast.success("Link copied");
    } catch {
      // Without permission or over plain HTTP: select the link, so that a key press copies it.
      field.current?.select();
      toast.show("The link is selected", "Press Ctrl+C, or ⌘C, to copy it.");
    }
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Invitation “${label}”`}
      description={`Valid until ${untilText(expires_at, now)}, Central Time. The link is shown only once: scan it with the phone or copy it.`}
      actions={
        <Button size="small" variant="secondary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <QrSquare text={link} label={`QR code of the invitation ${label}`} />
      <div className="mt-4 flex flex-wrap items-end gap-3">
        <Field label="Link" className="flex-1 basis-64">
          <Input ref={field} dense readOnly value={link} onFocus={({ target }) => target.select()} />
        </Field>
        <Button size="small" className="min-h-10" onClick={() => void copy()}>
          <Copy aria-hidden="true" className="size-4" strokeWidth={2.5} />
          Copy Link
        </Button>
      </div>
    </Dialog>
  );
}
