// The beat, every few seconds: opens the device, sends waiting scans, fetches changes. The gate is online exactly when this
// succeeds.
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
  const { visit } = device;
  const opening = device.opening.then(() => (device.visit === visit ? openNow(device, choice) : undefined));
  device.opening = opening.catch(() => {});
  return opening;
}

async function openNow(device: GateDevice, choice: Choice): Promise<void> {
  const { store, calls, queue, clock, visit } = device;
  const named = device.givenName === undefined ? choice : { name: device.givenName, ...choice };
  const ask = (name?: { name: string }) =>
    heard(device, () => calls.open({ ...name, ...named, pending: queue.size() }));
  const opened = await ask().catch((error: unknown) => {
    const isOthers = error instanceof AccessRemoved && error.why === "unknown_device";
    if (!isOthers || device.visit !== visit) throw error;
    store.newDevice(); // the previous user of this phone has not signed out
    return ask(device.lastName === undefined ? undefined : { name: device.lastName });
  });
  if (device.visit !== visit) return;
  device.openedAt = performance.now();
  device.givenName = undefined;
  // Saved before it is shown, so that a phone that reports it is ready also opens without a network.
  await store.save({ opened, clockOffset: clock.offset(), name: opened.device.name });
  if (device.visit !== visit) return;
  await useOpened(device, opened);
  device.lastName = opened.device.name;
}

async function fetchList(device: GateDevice): Promise<void> {
  const { store, calls, codes, queue, clock, visit } = device;
  for (let more = true; more;) {
    const asked = codes.beginPage();
    const page = await heard(device, () => calls.list(codes.upto));
    if (device.visit !== visit) return;
    const fresh = codes.takePage(page, asked, queue.codes());
    ({ more } = page);
    const listAt = clock.now();
    const { entrances, settings } = page;
    const listed = entrances && settings ? { entrances, settings } : {};
    const saved = { upto: page.upto, listAt, clockOffset: clock.offset() };
    await store.putRows(fresh, saved, { reset: page.reset, listed });
    if (device.visit !== visit) return;
    // A closed entrance is known before the next scan. Read only now: an entrance may have been chosen meanwhile.
    const opened = device.snapshot.opened && { ...device.snapshot.opened, ...listed };
    change(device, { opened, entrance: opened && entranceOf(opened), listAt });
  }
}

async function beat(device: GateDevice): Promise<void> {
  const { openedAt, snapshot, visit } = device;
  const isOver = () => device.visit !== visit;
  try {
    const due = performance.now() - openedAt > OPEN_AGAIN_MS;
    if (due || snapshot.offlineSince !== undefined || !snapshot.opened) await open(device);
    if (isOver()) return;
    reached(device);
    await handIn(device);
    if (isOver()) return;
    await fetchList(device);
    reached(device);
  } catch (error) {
    if (isOver()) return;
    if (error instanceof AccessRemoved && error.why === "unknown_device")
      device.openedAt = Number.NEGATIVE_INFINITY;
    else if (error instanceof AccessRemoved) {
      await removed(device, error.why);
      // The server takes what a revoked phone holds from an administrator, and from nobody else.
      if (error.why === "device_revoked") await handIn(device).catch(() => {});
      await device.calls.waiting(device.queue.size()).catch(() => {});
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
   * network. Nobody waits for a run of a former visit, which may hang for half a minute.
   */
  now: () => Promise<void>;
  /** Stops, and resolves once the run under way has ended. */
  ended: () => Promise<void>;
}

export function createBeats(device: GateDevice, hasSession: () => boolean): Beats {
  let running = false;
  let beating: { readonly visit: number; readonly run: Promise<void> } | undefined;
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
    const { visit } = device;
    isDue = beating?.visit === visit;
    if (beating && isDue) return beating.run;
    const run = (hasSession() ? beat(device) : Promise.resolve()).finally(() => {
      if (beating?.run !== run) return;
      beating = undefined;
      if (isDue) void now();
      else schedule();
    });
    beating = { visit, run };
    return run;
  }

  const onNetwork = () => void now();
  function stop() {
    running = false;
    clearTimeout(timer);
    removeEventListener("online", onNetwork);
  }
  return {
    now,
    start() {
      running = true;
      addEventListener("online", onNetwork);
    },
    stop,
    async ended() {
      stop();
      await beating?.run;
    },
  };
}
