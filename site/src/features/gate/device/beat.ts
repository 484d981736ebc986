// The beat, every few seconds: opens the device, sends waiting scans, fetches changes. The gate is online exactly when this
// succeeds.
import { AccessRemoved, SecondStepNeeded } from "./calls.ts";
import type { GateDevice, Session } from "./gate-device.ts";
import { handIn } from "./hand-in.ts";
import { ask, entranceOf, keep, lost, reached, removed, show, untilEnded, useOpened } from "./session.ts";
import { hasBegun } from "./snapshot.ts";

const BEAT_MS = 3000;
const BEAT_CLOSED_MS = 10_000;
const OPEN_AGAIN_MS = 30_000;

interface Choice {
  readonly name?: string;
  readonly entranceId?: string;
}

/** One at a time, so that an older response never overwrites the name and the entrance that were just chosen. */
export function open(session: Session, choice: Choice = {}): Promise<void> {
  const opening = session.opening.then(() => openNow(session, choice));
  session.opening = opening.catch(() => {});
  return opening;
}

async function openNow(session: Session, choice: Choice): Promise<void> {
  const { device } = session;
  const { store, calls, queue, clock } = device;
  const named = device.givenName === undefined ? choice : { name: device.givenName, ...choice };
  const askAs = (name?: { name: string }) =>
    ask(session, () => calls.open({ ...name, ...named, pending: queue.size() }));
  const opened = await askAs().catch((error: unknown) => {
    if (!(error instanceof AccessRemoved && error.why === "unknown_device")) throw error;
    store.newDevice(); // the previous user of this device has not signed out
    return askAs(device.lastName === undefined ? undefined : { name: device.lastName });
  });
  session.openedAt = performance.now();
  device.givenName = undefined;
  // Saved before it is shown, so that a device that reports it is ready also opens without a network.
  const saved = { opened, clockOffset: clock.offset(), name: opened.device.name };
  await keep(session, (to) => to.save(saved));
  await useOpened(session, opened);
  device.lastName = opened.device.name;
}

async function fetchList(session: Session): Promise<void> {
  const { device, codes } = session;
  for (let more = true; more;) {
    const asked = codes.beginPage();
    const page = await ask(session, () => device.calls.list(codes.upto));
    const fresh = codes.takePage(page, asked, device.queue.codes());
    ({ more } = page);
    const listAt = device.clock.now();
    const { entrances, settings } = page;
    const listed = entrances && settings ? { entrances, settings } : {};
    const saved = { upto: page.upto, listAt, clockOffset: device.clock.offset() };
    await keep(session, (to) => to.putRows(fresh, saved, { reset: page.reset, listed }));
    // A closed entrance is known before the next scan. Read only now: an entrance may have been chosen meanwhile.
    const opened = device.snapshot.opened && { ...device.snapshot.opened, ...listed };
    show(session, { opened, entrance: opened && entranceOf(opened), listAt });
  }
}

async function beat(session: Session): Promise<void> {
  const { device, openedAt } = session;
  try {
    const due = performance.now() - openedAt > OPEN_AGAIN_MS;
    if (due || device.snapshot.offlineSince !== undefined || !device.snapshot.opened) await open(session);
    reached(session);
    await untilEnded(session, () => handIn(session));
    await fetchList(session);
    reached(session);
  } catch (error) {
    if (session.signal.aborted) return;
    if (error instanceof AccessRemoved && error.why === "unknown_device")
      session.openedAt = Number.NEGATIVE_INFINITY;
    else if (error instanceof AccessRemoved) {
      await removed(session, error.why);
      await reportWaiting(device.session, error.why === "device_revoked").catch(() => {});
    }
    // A device in use keeps its lists, and its status line shows what is refused.
    else if (error instanceof SecondStepNeeded && !device.snapshot.opened)
      show(session, { phase: "second_step", offlineSince: undefined, refusal: undefined });
    else lost(session, error);
  }
}

/** The server takes what a revoked device holds from an administrator, and from nobody else. */
const reportWaiting = (session: Session, isRevoked: boolean): Promise<void> =>
  untilEnded(session, async () => {
    if (isRevoked) await handIn(session).catch(() => {});
    await session.device.calls.waiting(session.device.queue.size());
  });

export interface Beats {
  start: () => void;
  stop: () => void;
  /**
   * One run at a time. A call during a run schedules another one right after it, because the first may have begun without a
   * network.
   */
  now: () => Promise<void>;
  /** Stops, and resolves once the run under way has ended. */
  ended: () => Promise<void>;
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
    beating ??= (hasSession() ? beat(device.session) : Promise.resolve()).finally(() => {
      beating = undefined;
      if (isDue) void now();
      else schedule();
    });
    return beating;
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
      await beating;
    },
  };
}
