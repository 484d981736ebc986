// What a session does with the server, the screens and the stored data. Once it has ended, its calls reject, and it shows and stores
// nothing more: callers need not check after each await.
import type { GateAccessRemoved, GateOpened } from "contract/gate";
import type { Books } from "../rules/decide.ts";
import { createVerify } from "../rules/entry-code.ts";
import { Refused } from "./calls.ts";
import { change, forget, type GateDevice, type Session } from "./gate-device.ts";
import type { GateSnapshot } from "./snapshot.ts";
import type { GateStore } from "./store.ts";

/** The result of `run`, unless the session ends first; what runs by then continues. */
export async function untilEnded<Result>({ signal }: Session, run: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(signal.reason);
  signal.addEventListener("abort", end);
  return Promise.race([run(), ended.promise]).finally(() => signal.removeEventListener("abort", end));
}

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

export const ask = <Answer extends { now: number }>(
  session: Session,
  asking: () => Promise<Answer>,
): Promise<Answer> => untilEnded(session, () => heard(session.device, asking));

export const show = ({ device, signal }: Session, next: Partial<GateSnapshot>): void =>
  change(device, signal.aborted ? {} : next);

export async function keep(
  { device, signal }: Session,
  write: (store: GateStore) => Promise<void>,
): Promise<void> {
  if (!signal.aborted) await write(device.store);
}

export function booksOf({ codes, device: { snapshot } }: Session): Books {
  const { opened } = snapshot;
  return {
    row: codes.get,
    ofOrder: codes.ofOrder,
    types: opened?.types ?? [],
    entrances: opened?.entrances ?? [],
    entranceId: opened?.device.entrance_id ?? null,
    settings: opened?.settings ?? { doors_open_at: null, doors_close_at: null, reentry: false },
  };
}

export async function useOpened(session: Session, opened: GateOpened): Promise<void> {
  // The newest key first, because most codes are signed with it.
  session.keys = await Promise.all(opened.keys.toReversed().map(({ jwk }) => createVerify(jwk)));
  const entrance = entranceOf(opened);
  show(session, { opened, entrance, removedFor: undefined, phase: entrance ? "ready" : "choose" });
}

export const entranceOf = ({ entrances, device }: GateOpened) =>
  entrances.find(({ id }) => id === device.entrance_id);

export function reached(session: Session): void {
  const { offlineSince, refusal } = session.device.snapshot;
  if (offlineSince === undefined && refusal === undefined) return;
  void keep(session, (store) => store.save({ offlineSince: undefined }));
  show(session, { offlineSince: undefined, refusal: undefined });
}

export function lost(session: Session, error: unknown): void {
  const { snapshot, clock } = session.device;
  const refusal = error instanceof Refused ? error.message : undefined;
  const since = snapshot.offlineSince;
  if (since !== undefined && refusal === snapshot.refusal) return;
  const offlineSince = since ?? clock.now();
  void keep(session, (store) => store.save({ offlineSince }));
  show(session, { offlineSince, refusal });
}

export async function removed({ device, signal }: Session, why: GateAccessRemoved): Promise<void> {
  if (signal.aborted) return;
  const first = device.snapshot.opened === undefined && device.snapshot.phase !== "removed";
  const phase = first && why === "role_removed" ? "no_role" : "removed";
  await forget(device, { phase, removedFor: why, offlineSince: undefined, refusal: undefined }, why);
}
