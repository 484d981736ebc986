// The state that all parts of the engine share: lists, queue, clock and keys, the snapshot that the screens read, and how it
// changes when the server is reached, lost, or removes access.
import type { GateAccessRemoved, GateOpened } from "contract/gate";
import { createClock, type GateClock } from "../rules/clock.ts";
import type { Books } from "../rules/decide.ts";
import { createVerify, type Verify } from "../rules/entry-code.ts";
import { FIRST_PAGE_SIZE } from "../rules/hand-in.ts";
import { type GateCalls, Refused } from "./calls.ts";
import { type CodeList, createCodeList } from "./code-list.ts";
import { createScanQueue, type ScanQueue } from "./scan-queue.ts";
import { firstSnapshot, type GateSnapshot } from "./snapshot.ts";
import type { GateStore } from "./store.ts";

export interface GateDevice {
  readonly store: GateStore;
  readonly calls: GateCalls;
  readonly codes: CodeList;
  readonly queue: ScanQueue;
  readonly deviceNow: () => number;
  readonly listeners: Set<() => void>;
  clock: GateClock;
  keys: readonly Verify[];
  snapshot: GateSnapshot;
  /** Whose lists, scans and notices it holds, also after a reload; undefined once they have signed out. */
  userId: string | undefined;
  /** Counts how often it was signed out or its access removed. */
  visit: number;
  /** By the page's monotonic clock, which no one can set. */
  openedAt: number;
  /** Settles when the visit's last opening has succeeded or failed. */
  opening: Promise<void>;
  /** How many scans are sent at once: what the network carried last time. */
  pageSize: number;
  /** The phone's new name, until the server has received it. */
  givenName: string | undefined;
  /** Its last name, kept even after signing out. */
  lastName: string | undefined;
  /** Calls the server now. */
  beatNow: () => Promise<void>;
}

export function createGateDevice(store: GateStore, calls: GateCalls, deviceNow: () => number): GateDevice {
  return {
    store,
    calls,
    codes: createCodeList(),
    queue: createScanQueue(),
    deviceNow,
    listeners: new Set(),
    clock: createClock(deviceNow),
    keys: [],
    snapshot: firstSnapshot,
    userId: undefined,
    visit: 0,
    openedAt: Number.NEGATIVE_INFINITY,
    opening: Promise.resolve(),
    pageSize: FIRST_PAGE_SIZE,
    givenName: undefined,
    lastName: undefined,
    beatNow: () => Promise.resolve(),
  };
}

export function change(device: GateDevice, next: Partial<GateSnapshot>): void {
  device.snapshot = {
    ...device.snapshot,
    ...next,
    pending: device.queue.size(),
    listed: device.codes.size(),
    clockOffset: device.clock.offset(),
    storage: device.store.state(),
  };
  for (const listener of device.listeners) listener();
}

export function booksOf({ codes, snapshot: { opened } }: GateDevice): Books {
  return {
    row: codes.get,
    ofOrder: codes.ofOrder,
    types: opened?.types ?? [],
    entrances: opened?.entrances ?? [],
    entranceId: opened?.device.entrance_id ?? null,
    settings: opened?.settings ?? { doors_open_at: null, doors_close_at: null, reentry: false },
  };
}

export async function useOpened(device: GateDevice, opened: GateOpened): Promise<void> {
  const { visit } = device;
  // The newest key first, because most codes are signed with it.
  const keys = await Promise.all(opened.keys.toReversed().map(({ jwk }) => createVerify(jwk)));
  if (device.visit !== visit) return;
  device.keys = keys;
  const entrance = entranceOf(opened);
  change(device, { opened, entrance, removedFor: undefined, phase: entrance ? "ready" : "choose" });
}

export const entranceOf = ({ entrances, device }: GateOpened) =>
  entrances.find(({ id }) => id === device.entrance_id);

/** Makes a call, and learns the server's time from the response. */
export async function heard<Answer extends { now: number }>(
  device: GateDevice,
  asking: () => Promise<Answer>,
): Promise<Answer> {
  const sentAt = device.deviceNow();
  const answer = await asking();
  device.clock.learn(answer.now, sentAt);
  return answer;
}

export function reached(device: GateDevice): void {
  const { offlineSince, trouble } = device.snapshot;
  if (offlineSince === undefined && trouble === undefined) return;
  void device.store.save({ offlineSince: undefined });
  change(device, { offlineSince: undefined, trouble: undefined });
}

export function lost(device: GateDevice, error: unknown): void {
  const trouble = error instanceof Refused ? error.message : undefined;
  const since = device.snapshot.offlineSince;
  if (since !== undefined && trouble === device.snapshot.trouble) return;
  const offlineSince = since ?? device.clock.now();
  void device.store.save({ offlineSince });
  change(device, { offlineSince, trouble });
}

export async function removed(device: GateDevice, why: GateAccessRemoved): Promise<void> {
  const first = device.snapshot.opened === undefined && device.snapshot.phase !== "removed";
  await forget(device, {
    phase: first && why === "role_removed" ? "no_role" : "removed",
    removedFor: why,
    offlineSince: undefined,
    trouble: undefined,
  });
}

/** What was asked before is not kept, and nobody waits for it. */
export function endVisit(device: GateDevice): void {
  device.visit += 1;
  device.opening = Promise.resolve();
}

/** Drops names, lists and conflicts, and keeps the queue. */
export async function forget(device: GateDevice, next: Partial<GateSnapshot>): Promise<void> {
  endVisit(device);
  device.codes.clear();
  device.keys = [];
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
