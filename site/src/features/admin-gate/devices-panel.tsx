import { useState } from "react";
import type { GateBoard } from "contract/gate";
import { count } from "#lib/format.ts";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { agoText, clockText, knownPending, lostNames, QUIET_AFTER_MS, timeOf } from "./model.ts";
import { restoreDevice, revokeDevice, useGateAct } from "./queries.ts";

type Device = GateBoard["devices"][number];

/** The devices that scan: where each is, when it last reported, and how many scans it has not sent yet. */
export function DevicesPanel({ board: { devices, entrances, now } }: { board: GateBoard }) {
  const { press, isPending } = useGateAct();
  const [revoking, setRevoking] = useState<Device>();
  const waiting = devices.reduce((sum, { pending }) => sum + pending, 0);
  const actions: Column<Device> = {
    key: "action",
    phone: "end",
    header: "Action",
    cell: (device) => (
      <DeviceAction
        device={device}
        disabled={isPending}
        onRevoke={() => setRevoking(device)}
        onRestore={() => press(restoreDevice(device))}
      />
    ),
  };
  return (
    <Panel
      title="Devices"
      aside={waiting > 0 && <Badge tone="warning">{count(waiting, "scan")} to sync</Badge>}
    >
      <DataTable
        caption="Gate devices"
        rows={devices.toSorted((one, other) => Number(one.lost !== null) - Number(other.lost !== null))}
        rowKey={({ id }) => id}
        phoneRows={6}
        empty="No phones have opened the gate app yet."
        columns={[...columnsOf(entrances, now), actions]}
        below={(device) => device.lost !== null && device.pending > 0 && <LeftBehind {...device} />}
      />
      <AlertDialog
        open={revoking !== undefined}
        onOpenChange={(open) => !open && setRevoking(undefined)}
        title={`Revoke ${revoking?.name ?? "this device"}?`}
        confirmLabel="Revoke the device"
        cancelLabel="Keep it scanning"
        destructive
        onConfirm={() => revoking && press(revokeDevice(revoking))}
      >
        It stops scanning at its next request and deletes its guest lists.{" "}
        {revoking && revoking.pending > 0
          ? `${count(revoking.pending, "scan")} it hasn't synced stay on it. `
          : "Scans it hasn't synced stay on it. "}
        You can restore it.
      </AlertDialog>
    </Panel>
  );
}

const columnsOf = (entrances: GateBoard["entrances"], now: number): readonly Column<Device>[] => [
  {
    key: "device",
    header: "Device",
    cell: ({ name, user, invitation }) => (
      <div className="wrap-anywhere sm:min-w-28">
        <span className="font-semibold">{name}</span>
        <span className="block text-sm text-ink-soft">{invitation ? `Invited: ${invitation}` : user}</span>
      </div>
    ),
  },
  {
    key: "entrance",
    phone: "plain",
    header: "Entrance",
    cell: ({ entrance_id }) => entrances.find(({ id }) => id === entrance_id)?.name ?? "Not chosen yet",
  },
  {
    key: "heard",
    header: "Last seen",
    cell: ({ last_seen_at, clock_offset_ms }) => (
      <>
        <time dateTime={new Date(last_seen_at).toISOString()} className="tabular-nums sm:whitespace-nowrap">
          {agoText(now - last_seen_at)}
        </time>
        {clockText(clock_offset_ms) && (
          <span className="block text-sm font-semibold text-candy-deep">{clockText(clock_offset_ms)}</span>
        )}
      </>
    ),
  },
  {
    key: "pending",
    header: "To sync",
    numeric: true,
    cell: (device) => <ToSync device={device} now={now} />,
  },
  {
    key: "admitted",
    header: "Let in",
    numeric: true,
    cell: ({ admitted }) => admitted.toLocaleString("en-US"),
  },
  {
    key: "state",
    phone: "corner",
    header: "Status",
    cell: (device) => <DeviceState device={device} now={now} />,
  },
];

interface DeviceActionProps {
  device: Device;
  disabled: boolean;
  onRevoke: () => void;
  onRestore: () => void;
}

function DeviceAction({ device, disabled, onRevoke, onRestore }: DeviceActionProps) {
  if (device.lost === null) {
    return (
      <Button
        size="small"
        variant="danger"
        disabled={disabled}
        aria-label={`Revoke ${device.name}`}
        onClick={onRevoke}
      >
        Revoke
      </Button>
    );
  }
  // An invitation cannot be restored. A role is granted again under Users.
  if (device.lost !== "device_revoked" || device.revoked_at === null) return null;
  return (
    <Button
      size="small"
      variant="secondary"
      disabled={disabled}
      aria-label={`Restore ${device.name}`}
      onClick={onRestore}
    >
      Restore
    </Button>
  );
}

function ToSync({ device, now }: { device: Device; now: number }) {
  const known = knownPending(device, now);
  if (known !== undefined) {
    return <span className={classNames(known > 0 && "font-bold")}>{known.toLocaleString("en-US")}</span>;
  }
  return (
    <>
      Unknown since {timeOf(device.last_seen_at, now)}
      <span className="block text-sm text-ink-soft">{device.pending.toLocaleString("en-US")} then</span>
    </>
  );
}

/** The scans that a device without access never sent. */
function LeftBehind({ pending, lost, revoked_at }: Device) {
  const them = pending === 1 ? "it" : "them";
  return (
    <p className="text-sm">
      {count(pending, "scan is waiting", "scans are waiting")} on this device.{" "}
      {lost === "device_revoked" && revoked_at !== null
        ? `Restore it, and it syncs ${them} by itself. Without that, an administrator who signs in on it syncs what was scanned before it was revoked.`
        : `An administrator can sync ${them} by signing in on it.`}
    </p>
  );
}

function DeviceState({ device: { lost, revoked_at, last_seen_at }, now }: { device: Device; now: number }) {
  if (lost !== null) {
    return (
      <>
        <Badge tone="danger">Access removed</Badge>
        <span className="mt-1 block text-sm text-ink-soft">
          {lostNames[lost]}
          {lost === "device_revoked" && revoked_at !== null && `, ${timeOf(revoked_at, now)}`}
        </span>
      </>
    );
  }
  if (now - last_seen_at > QUIET_AFTER_MS) return <Badge tone="warning">Inactive</Badge>;
  return <Badge tone="success">Online</Badge>;
}
