import { Plus } from "lucide-react";
import { attendeeSchema } from "contract/schemas";
import { useState } from "react";
import { formatMoment } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input, Select } from "#ui/forms/input.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { DialogForm } from "#ui/overlays/dialog-form.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { roleNames } from "./model.ts";
import {
  type StaffInvitation,
  type StaffRole,
  staffRoles,
  useInvite,
  useRevoke,
  useSendAgain,
  useStaffInvitations,
} from "./staff-invitations.ts";

/** Staff invitations that are still open. */
export function InvitationsPanel() {
  const invitations = useStaffInvitations();
  const [inviting, setInviting] = useState(false);
  return (
    <Panel
      title="Staff Invitations"
      className="mt-4"
      aside={
        <Button size="small" variant="secondary" onClick={() => setInviting(true)}>
          <Plus aria-hidden="true" className="size-4" strokeWidth={3} />
          Invite Staff
        </Button>
      }
    >
      <ReadNote read={invitations} what="open invitations" />
      {invitations.data && (
        <DataTable
          caption="Pending staff invitations"
          rows={invitations.data}
          rowKey={({ id }) => id}
          empty="No pending invitations. Invite staff by email."
          columns={columns}
        />
      )}
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Panel>
  );
}

const columns: readonly Column<StaffInvitation>[] = [
  {
    key: "email",
    header: "Email",
    cell: ({ email }) => <EmailText className="font-semibold">{email}</EmailText>,
  },
  { key: "role", phone: "corner", header: "Role", cell: ({ role }) => roleNames[role] },
  { key: "until", header: "Expires", cell: ({ expires_at }) => formatMoment(expires_at) },
  {
    key: "actions",
    phone: "end",
    header: "Actions",
    cell: (invitation) => <Actions invitation={invitation} />,
  },
];

function Actions({ invitation }: { invitation: StaffInvitation }) {
  const again = useSendAgain();
  const revoke = useRevoke();
  const [asking, setAsking] = useState(false);
  const busy = again.isPending || revoke.isPending;
  return (
    <div className="flex flex-wrap gap-2 max-sm:justify-end">
      <Button
        size="small"
        variant="secondary"
        busy={again.isPending}
        disabled={revoke.isPending}
        aria-label={`Send Again: invitation for ${invitation.email}`}
        onClick={() => again.mutate(invitation)}
      >
        Send Again
      </Button>
      <Button
        size="small"
        variant="danger"
        disabled={busy}
        aria-label={`Revoke the invitation for ${invitation.email}`}
        onClick={() => setAsking(true)}
      >
        Revoke
      </Button>
      <AlertDialog
        open={asking}
        onOpenChange={setAsking}
        title="Revoke This Invitation?"
        confirmLabel="Revoke"
        cancelLabel="Keep"
        destructive
        onConfirm={() => revoke.mutate(invitation)}
      >
        The email to {invitation.email} no longer gives them the role. You can invite them again.
      </AlertDialog>
    </div>
  );
}

function InviteDialog({ onClose }: { onClose: () => void }) {
  const invite = useInvite();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<StaffRole>("gate");
  const [tried, setTried] = useState(false);
  const checked = attendeeSchema.shape.email.safeParse(email.trim());
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Invite staff">
      <DialogForm
        submit="Send Invitation"
        busy={invite.isPending}
        problem={invite.error?.message}
        onSubmit={() => {
          setTried(true);
          if (checked.success) invite.mutate({ email: checked.data, role }, { onSuccess: onClose });
        }}
        onCancel={onClose}
      >
        <Field label="Email" required error={tried ? checked.error?.issues[0]?.message : undefined}>
          <Input
            type="email"
            autoComplete="off"
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        </Field>
        <Field label="Role" hint="They get it once they choose a password.">
          <Select value={role} onChange={({ target }) => setRole(roleOf(target.value))}>
            {staffRoles.map((one) => (
              <option key={one} value={one}>
                {roleNames[one]}
              </option>
            ))}
          </Select>
        </Field>
      </DialogForm>
    </Dialog>
  );
}

const roleOf = (value: string): StaffRole => staffRoles.find((one) => one === value) ?? "gate";
