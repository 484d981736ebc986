import { Plus } from "lucide-react";
import { useState } from "react";
import type { GateBoard } from "contract/gate";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { Badge, type BadgeTone } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { InvitationDialog } from "./invitation-dialog.tsx";
import { invitationState, untilText } from "./model.ts";
import { revokeInvitation, useGateAct } from "./queries.ts";

type Invitation = GateBoard["invitations"][number];

const states: Record<ReturnType<typeof invitationState>, readonly [string, BadgeTone]> = {
  good: ["Active", "success"],
  ended: ["Ended", "default"],
  revoked: ["Revoked", "danger"],
};

/** Links that turn phones into gate devices for one day, without an account. */
export function InvitationsPanel({ board: { invitations, entrances, now } }: { board: GateBoard }) {
  const { press, isPending } = useGateAct();
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Invitation>();
  const actions: Column<Invitation> = {
    key: "action",
    phone: "end",
    header: "Action",
    cell: (invitation) =>
      invitationState(invitation, now) === "good" && (
        <Button
          size="small"
          variant="danger"
          disabled={isPending}
          aria-label={`Revoke the invitation ${invitation.label}`}
          onClick={() => setRevoking(invitation)}
        >
          Revoke
        </Button>
      ),
  };
  return (
    <Panel
      title="Invitations"
      aside={
        <Button size="small" variant="secondary" onClick={() => setCreating(true)}>
          <Plus aria-hidden="true" className="size-4" strokeWidth={3} />
          Invite for a Day
        </Button>
      }
    >
      <DataTable
        caption="Gate invitations"
        rows={invitations}
        rowKey={({ id }) => id}
        empty="No invitations yet. A link lets a phone scan for one day."
        columns={[...columnsOf(entrances, now), actions]}
      />
      {creating && <InvitationDialog entrances={entrances} now={now} onClose={() => setCreating(false)} />}
      <AlertDialog
        open={revoking !== undefined}
        onOpenChange={(open) => !open && setRevoking(undefined)}
        title={`Revoke the invitation “${revoking?.label ?? ""}”?`}
        confirmLabel="Revoke the invitation"
        cancelLabel="Keep it"
        destructive
        onConfirm={() => revoking && press(revokeInvitation(revoking))}
      >
        The link stops working, and every phone that used it stops scanning. This cannot be undone, but you
        can invite again.
      </AlertDialog>
    </Panel>
  );
}

const columnsOf = (entrances: GateBoard["entrances"], now: number): readonly Column<Invitation>[] => [
  {
    key: "label",
    header: "For",
    cell: ({ label, entrance_id }) => (
      <div className="wrap-anywhere sm:min-w-28">
        <span className="font-semibold">{label}</span>
        <span className="block text-sm text-ink-soft">
          {entrances.find(({ id }) => id === entrance_id)?.name ?? "Any entrance"}
        </span>
      </div>
    ),
  },
  {
    key: "until",
    header: "Valid until",
    cell: ({ expires_at }) => (
      <time dateTime={new Date(expires_at).toISOString()} className="tabular-nums">
        {untilText(expires_at, now)}
      </time>
    ),
  },
  {
    key: "devices",
    header: "Phones",
    numeric: true,
    cell: ({ devices, phones }) => `${devices} of ${phones}`,
  },
  {
    key: "state",
    phone: "corner",
    header: "Status",
    cell: (invitation) => {
      const [name, tone] = states[invitationState(invitation, now)];
      return <Badge tone={tone}>{name}</Badge>;
    },
  },
];
