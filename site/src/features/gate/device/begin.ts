// Starts with the data stored on the device. While that cannot be read, the gate stays closed and says so. Reading continues by
// itself, can be retried, or can be skipped. New scans are then numbered after the unreadable ones.
import { logError } from "#lib/browser/error-log.ts";
import { rowAfter } from "../rules/after-scan.ts";
import { createClock } from "../rules/clock.ts";
import { rowOfCode } from "../rules/decide.ts";
import { change, type GateDevice, type Session } from "./gate-device.ts";
import { useOpened } from "./session.ts";
import { hasBegun } from "./snapshot.ts";
import type { Kept } from "./store.ts";
import { within } from "./within.ts";

/** No one watches an opening page for longer than this. */
const PATIENCE_MS = 5000;

/** False when the device's storage has not been read by then. The gate still opens as soon as it is. */
export async function begin(device: GateDevice): Promise<boolean> {
  const reading = device.store.load().then(
    (kept) => {
      if (kept) void goOn(device, kept);
      return true;
    },
    (error: unknown) => {
      logError("read what the gate kept", error);
      return false;
    },
  );
  if (await within(PATIENCE_MS, reading)) return true;
  if (device.snapshot.phase === "starting") change(device, { phase: "unreadable" });
  return false;
}

/** Starts without the unreadable data. */
export function beginWithout(device: GateDevice): void {
  const kept = device.store.goWithout();
  if (kept) void goOn(device, kept);
}

async function goOn(device: GateDevice, { rows, queue, notices, saved, lastSeq }: Kept): Promise<void> {
  const { session } = device;
  for (const row of rows) session.codes.keep(row);
  session.codes.upto = saved.upto;
  device.queue.load(queue, lastSeq);
  device.lastName = saved.name;
  device.userId = saved.userId;
  device.clock = createClock(device.deviceNow, saved.clockOffset);
  replay(session, saved);
  const { opened, recent = [], listAt, offlineSince } = saved;
  change(device, { notices, recent, listAt, offlineSince });
  // Allow calls only now, because their responses are newer.
  if (opened)
    await useOpened(session, opened).catch((error: unknown) => logError("go on at the gate", error));
  if (!hasBegun(device.snapshot)) change(device, { phase: "opening" });
  void device.beatNow();
}

/** People this device let in or out but has not sent yet. Scans that did not fit into the database left no mark in its list. */
function replay({ codes, device: { queue } }: Session, { opened, recent }: Kept["saved"]): void {
  for (const { scan, since } of queue.entries()) {
    if (scan.code_id === null || scan.decided === null) continue;
    const code = { codeId: scan.code_id, issueNumber: scan.issue_number, typeId: "" };
    const row = codes.get(scan.code_id) ?? rowOfCode(code, undefined);
    const here = {
      at: scan.at,
      entranceId: scan.entrance_id ?? null,
      device: opened?.device.name ?? null,
    };
    // An earlier version queued it without the time.
    const cameIn = since ?? recent?.find(({ id }) => id === scan.undoes)?.since;
    const next = rowAfter(row, { result: scan.decided }, here, cameIn);
    if (next) codes.keep(next);
  }
}
