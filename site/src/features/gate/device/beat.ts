// The beat, every few seconds: opens the device, sends waiting scans, fetches changes. The gate is online exactly when this
// succeeds.
import type { GateList, GateOpened } from "contract/gate";
import { AccessRemoved, SecondStepNeeded } from "./calls.ts";
import {
  change,
  entranceOf,
  type GateDevice,
  heard,
  lost,
  reached,
  removed,
  useOpened,
} from "./gate-device.ts";
import { handIn } from "./hand-in.ts";
import { hasBegun } from "./snapshot.ts";

const BEAT_MS = 3000;
const BEAT_CLOSED_MS = 10_000;
const OPEN_AGAIN_MS = 30_000;

interface Choice {
  readonly name?: string;
  readonly entranceId?: string;
}

/** One at a time, so that an older response never overwrites the name and the entrance that were just chosen. */
export function open(device: GateDevice, choice: Choice = {}): Promise<void> {
  const opening = device.opening.then(() => openNow(device, choice));
  device.opening = opening.catch(() => {});
  return opening;
}

async function openNow(device: GateDevice, choice: Choice): Promise<void> {
  const { store, calls, queue, clock } = device;
  const named = device.givenName === undefined ? choice : { name: device.givenName, ...choice };
  const ask = (name?: { name: string }) =>
    heard(device, () => calls.open({ ...name, ...named, pending: queue.size() }));
  const opened = await ask().catch((error: unknown) => {
    if (!(error instanceof AccessRemoved) || error.why !== "unknown_device") throw error;
    store.newDevice(); // the previous user of this phone has not signed out
    return ask(device.lastName === undefined ? undefined : { name: device.lastName });
  });
  device.openedAt = performance.now();
  device.givenName = undefined;
  // Saved before it is shown, so that a phone that reports it is ready also opens without a network.
  await store.save({ opened, clockOffset: clock.offset(), name: opened.device.name });
  await useOpened(device, opened);
  device.lastName = opened.device.name;
}

async function fetchList(device: GateDevice): Promise<void> {
  const { store, calls, codes, queue, clock } = device;
  for (let more = true; more;) {
    const asked = codes.beginPage();
    const page = await heard(device, () => calls.list(codes.upto));
    if (!device.snapshot.opened) return; // signed out meanwhile: keep no names
    const fresh = codes.takePage(page, asked, queue.codes());
    ({ more } = page);
    const listAt = clock.now();
    // Not the snapshot's: an entrance that was just chosen is saved before it is shown.
    const opened = asListed(store.opened(), page);
    const saved = { opened, upto: page.upto, listAt, clockOffset: clock.offset() };
    await store.putRows(fresh, saved, page.reset);
    // Read only now: keep an entrance that was chosen while the rows were being written.
    const shown = asListed(device.snapshot.opened, page);
    if (!shown) return;
    change(device, { opened: shown, entrance: entranceOf(shown), listAt });
  }
}

/** With the entrances and settings that came with the list, so that a closed entrance is known before the next scan. */
function asListed(opened: GateOpened | undefined, { entrances, settings }: GateList): GateOpened | undefined {
  return opened && entrances && settings ? { ...opened, entrances, settings } : opened;
}

async function beat(device: GateDevice): Promise<void> {
  const { openedAt, snapshot } = device;
  try {
    const due = performance.now() - openedAt > OPEN_AGAIN_MS;
    if (due || snapshot.offlineSince !== undefined || !snapshot.opened) await open(device);
    reached(device);
    await handIn(device);
    await fetchList(device);
    reached(device);
  } catch (error) {
    if (error instanceof AccessRemoved && error.why === "unknown_device")
      device.openedAt = Number.NEGATIVE_INFINITY;
    else if (error instanceof AccessRemoved) {
      await removed(device, error.why);
      // The server takes what a revoked phone holds from an administrator, and from nobody else.
      if (error.why === "device_revoked") await handIn(device).catch(() => {});
    }
    // A phone in use keeps its lists, and its status line shows what is refused.
    else if (error instanceof SecondStepNeeded && !device.snapshot.opened)
      change(device, { phase: "second_step", offlineSince: undefined, trouble: undefined });
    else lost(device, error);
  }
}

export interface Beats {
  start: () => void;
  stop: () => void;
  /**
   * One run at a time. A call during a run schedules another one right after it, because the first may have begun without a
   * network.
   */
  now: () => Promise<void>;
}

export function createBeats(device: GateDevice, hasSession: () => boolean): Beats {
  let running = false;
  let beating: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;

  function schedule() {
    const { phase } = device.snapshot;
    const pause = phase === "removed" || phase === "no_role" ? BEAT_CLOSED_MS : BEAT_MS;
    clearTimeout(timer);
    if (running) timer = setTimeout(() => void now(), pause * (0.8 + Math.random() * 0.4));
  }

  function now(): Promise<void> {
    clearTimeout(timer);
    if (!running || !hasBegun(device.snapshot)) return Promise.resolve();
    isDue = beating !== undefined;
    beating ??= (hasSession() ? beat(device) : Promise.resolve()).finally(() => {
      beating = undefined;
      if (isDue) void now();
      else schedule();
    });
    return beating;
  }

  const onNetwork = () => void now();
  return {
    now,
    start() {
      running = true;
      addEventListener("online", onNetwork);
    },
    stop() {
      running = false;
      clearTimeout(timer);
      removeEventListener("online", onNetwork);
    },
  };
}
