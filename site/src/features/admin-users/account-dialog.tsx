// Helps a user with their sign-in, or blocks them: explains the effect, asks for a reason, and does it.
import { doorLimits } from "contract/door";
import { useState } from "react";
import { useSession } from "#lib/session/session.tsx";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Select } from "#ui/forms/input.tsx";
import { RadioCards } from "#ui/forms/radio-cards.tsx";
import { ReasonField } from "#ui/forms/reason-field.tsx";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import {
  type BlockLength,
  blockLengths,
  blockText,
  type HelpKind,
  helps,
  helpsFor,
  isBlockLength,
  useHelp,
} from "./account-help.ts";
import type { User } from "./model.ts";

/** Not shown for the administrator's own account, which has its own page. */
export function AccountButton({ user }: { user: User }) {
  const [open, setOpen] = useState(false);
  if (useSession().user?.id === user.id) return null;
  return (
    <>
      <Button
        size="small"
        variant="secondary"
        aria-label={`Sign-in for ${user.email}`}
        onClick={() => setOpen(true)}
      >
        Sign-In
      </Button>
      {open && <AccountDialog user={user} onClose={() => setOpen(false)} />}
    </>
  );
}

export function BlockedBadge({ until }: { until: string }) {
  return <Badge tone="danger">{blockText(until)}</Badge>;
}

function AccountDialog({ user, onClose }: { user: User; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Sign-In"
      description={
        <>
          <EmailText className="font-semibold">{user.email}</EmailText>{" "}
          {user.blocked_until && <BlockedBadge until={user.blocked_until} />}
        </>
      }
    >
      <HelpForm user={user} onClose={onClose} />
    </Dialog>
  );
}

function HelpForm({ user, onClose }: { user: User; onClose: () => void }) {
  const help = useHelp();
  const offered = helpsFor(user);
  const [chosen, setChosen] = useState<HelpKind>();
  const [length, setLength] = useState<BlockLength>("week");
  const [reason, setReason] = useState("");
  const [missing, setMissing] = useState(false);
  // Another administrator may have been faster.
  const kind = offered.find((one) => one === chosen) ?? offered[0]!;

  function submit() {
    setMissing(!reason.trim());
    if (reason.trim()) help.mutate({ user, kind, reason, length }, { onSuccess: onClose });
  }

  return (
    <DialogForm
      submit={helps[kind].label}
      busy={help.isPending}
      problem={help.error?.message}
      onSubmit={submit}
      onCancel={onClose}
    >
      <RadioCards
        legend="Action"
        className="[&>div]:grid-cols-1"
        name="help"
        value={kind}
        onChange={({ target }) => setChosen(offered.find((one) => one === target.value))}
        options={offered.map((one) => ({
          value: one,
          label: helps[one].label,
          description: helps[one].means,
        }))}
      />
      {kind === "block" && <LengthField length={length} onLength={setLength} />}
      <ReasonField
        value={reason}
        onChange={setReason}
        hint="Saved in the audit log. They don't see it."
        limit={doorLimits.reason}
        problem={missing && !reason.trim() ? "Enter a reason." : undefined}
      />
    </DialogForm>
  );
}

interface LengthFieldProps {
  length: BlockLength;
  onLength: (length: BlockLength) => void;
}

function LengthField({ length, onLength }: LengthFieldProps) {
  return (
    <Field label="For how long" required>
      <Select
        dense
        value={length}
        onChange={({ target }) => isBlockLength(target.value) && onLength(target.value)}
      >
        {Object.entries(blockLengths).map(([value, { label }]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    </Field>
  );
}
