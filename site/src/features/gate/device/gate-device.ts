// The state that all parts of the engine share: what stays with the device (queue, clock, name, snapshot), and the session of the
// signed-in user, which holds what must not outlive them (lists, keys).
import type { GateAccessRemoved } from "contract/gate";
import { createClock, type GateClock } from "../rules/clock.ts";
import type { Verify } from "../rules/entry-code.ts";
import { FIRST_PAGE_SIZE } from "../rules/waiting-scans.ts";
import { AccessRemoved, type GateCalls } from "./calls.ts";
import { type CodeList, createCodeList } from "./code-list.ts";
import { createScanQueue, type ScanQueue } from "./scan-queue.ts";
import { firstSnapshot, type GateSnapshot } from "./snapshot.ts";
import type { GateStore } from "./store.ts";

export interface GateDevice {
  readonly store: GateStore;
  readonly calls: GateCalls;
  readonly queue: ScanQueue;
  readonly deviceNow: () => number;
  readonly listeners: Set<() => void>;
  session: Session;
  clock: GateClock;
  snapshot: GateSnapshot;
  /** Whose lists, scans and notices it holds, also after a reload; undefined once they have signed out. */
  userId: string | undefined;
  /** How many scans are sent at once: what the network carried last time. */
  pageSize: number;
  /** The device's new name, until the server has received it. */
  givenName: string | undefined;
  /** Its last name, kept even after signing out. */
  lastName: string | undefined;
  /** Calls the server now. */
  beatNow: () => Promise<void>;
}

/** From one sign-out, or removal of access, to the next. What runs for it goes through session.ts, and so stops with it. */
export interface Session {
  readonly device: GateDevice;
  /** Aborted once it has ended, with an AccessRemoved that says why. */
  readonly signal: AbortSignal;
  readonly end: (why: GateAccessRemoved) => void;
  readonly codes: CodeList;
  keys: readonly Verify[];
  /** By the page's monotonic clock, which no one can set. */
  openedAt: number;
  /** Settles when the last opening has succeeded or failed. */
  opening: Promise<void>;
}

export function createGateDevice(store: GateStore, calls: GateCalls, deviceNow: () => number): GateDevice {
  const device: Omit<GateDevice, "session"> = {
    store,
    calls,
    queue: createScanQueue(),
    deviceNow,
    listeners: new Set(),
    clock: createClock(deviceNow),
    snapshot: firstSnapshot,
    userId: undefined,
    pageSize: FIRST_PAGE_SIZE,
    givenName: undefined,
    lastName: undefined,
    beatNow: () => Promise.resolve(),
  };
  return Object.assign(device, { session: createSession(device as GateDevice) });
}

function createSession(device: GateDevice): Session {
  const ending = new AbortController();
  const codes = createCodeList();
  return {
    device,
    signal: ending.signal,
    end(why) {
      ending.abort(new AccessRemoved(why));
      codes.clear();
    },
    codes,
    keys: [],
    openedAt: Number.NEGATIVE_INFINITY,
    opening: Promise.resolve(),
  };
}

export function change(device: GateDevice, next: Partial<GateSnapshot>): void {
  device.snapshot = {
    ...device.snapshot,
    ...next,
    pending: device.queue.size(),
    listed: device.session.codes.size(),
    clockOffset: device.clock.offset(),
    storage: device.store.state(),
  };
  for (const listener of device.listeners) listener();
}

export function endSession(device: GateDevice, why: GateAccessRemoved = "session_ended"): void {
  device.session.end(why);
  device.session = createSession(device);
}

/** Ends the session, drops its names, lists and conflicts, and keeps the queue. */
export async function forget(
  device: GateDevice,
  next: Partial<GateSnapshot>,
  why?: GateAccessRemoved,
): Promise<void> {
  endSession(device, why);
  change(device, {
    ...next,
    opened: undefined,
    entrance: undefined,
    notices: [],
    recent: [],
    listAt: undefined,
  });
  await device.store.wipe();
}
