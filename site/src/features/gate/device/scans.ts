// One scan at a time: asks the server while it responds, otherwise decides from the list, and queues what the server has not
// received.
import { gateLimits, type GatePerson, type GateScan } from "contract/gate";
import type { ReadClaims } from "contract/tickets/claims";
import { asDecided, rowAfter } from "../rules/after-scan.ts";
import { type BookRow, decide, type Look, rowOfCode, type Verdict } from "../rules/decide.ts";
import { festivalNow } from "#lib/festival/content.ts";
import { isOurs, readEntryCode } from "../rules/entry-code.ts";
import type { Readings } from "../rules/keyboard-code.ts";
import { AccessRemoved } from "./calls.ts";
import { change, type Session } from "./gate-device.ts";
import { remember } from "./recent.ts";
import { ask, booksOf, keep, lost, removed } from "./session.ts";
import type { ScannedBy, Shown, Undoable } from "./snapshot.ts";

/** Without a response after this time, the device decides alone. */
const ANSWER_WITHIN_MS = 1200;

export interface HowScanned {
  readonly by: ScannedBy;
  readonly action: "in" | "out";
  readonly plate?: string;
}

export async function scanCode(session: Session, text: string, how: HowScanned): Promise<Shown> {
  const { by, action, plate } = how;
  const from = performance.now();
  const code = await readCode(session, text);
  performance.measure("gate: verify", { start: from }); // npm run bench, P11
  if ("refusal" in code) {
    const scan = makeScan(session, { code_id: null, issue_number: null, action: "refused", by });
    await enqueue(session, { ...scan, decided: "unknown", reason: code.refusal });
    const verdict: Verdict = { result: "unknown", detail: code.refusal };
    const shown = { id: scan.id, codeId: undefined, verdict, at: scan.at, alone: true };
    remember(session, shown);
    return shown;
  }
  const { ticketId: codeId, issueNumber } = code.claims;
  const event = eventOf(session);
  const scan = makeScan(session, { code_id: codeId, issue_number: issueNumber, event, action, by }, plate);
  const type = typeOf(session, code.claims);
  const look = { action, codeId, issueNumber, typeId: type?.id ?? "" };
  // Sold after the list was made: add it to the list, so that its holder counts as in.
  return settle(session, scan, byList(session, look), { unlisted: rowOfCode(look, type?.kind) });
}

/** The festival's code as the list last said it: the page may have been made before it was changed. */
const eventOf = ({ device: { snapshot } }: Session) =>
  snapshot.opened?.settings.facts?.code ?? festivalNow().code;

const readCode = (session: Session, text: string) => readEntryCode(text, session.keys, eventOf(session));

/** The type that a code names; undefined when this device does not know it yet. */
const typeOf = (session: Session, { typeMark }: ReadClaims) =>
  booksOf(session).types.find(({ id }) => id.endsWith(typeMark));

/** The reading of what a scanner typed that is one of our codes. Two old ones have their shape where layouts swap only letters. */
export async function bestReading(session: Session, readings: Readings): Promise<string> {
  const ours = readings.filter(isOurs);
  if (ours.length > 1) for (const text of ours) if ("claims" in (await readCode(session, text))) return text;
  return ours[0] ?? readings[0];
}

/** The vehicle that the list would admit for this code, before anything is recorded. */
export async function vehicleToAdmit(session: Session, text: string): Promise<GatePerson | undefined> {
  const code = await readCode(session, text);
  if ("refusal" in code) return undefined;
  const { ticketId: codeId, issueNumber } = code.claims;
  const type = typeOf(session, code.claims);
  const look = { action: "in", codeId, issueNumber, typeId: type?.id ?? "" } as const;
  const { result, person } = byList(session, look)();
  return result === "admitted" && type?.is_vehicle && person ? person : undefined;
}

/** Whether codes of this type admit a vehicle. */
export const isVehicle = (session: Session, typeId: string): boolean =>
  booksOf(session).types.some(({ id, is_vehicle }) => id === typeId && is_vehicle);

export function admitRow(
  session: Session,
  row: BookRow,
  action: "in" | "out",
  plate?: string,
): Promise<Shown> {
  const scan = makeScan(session, { code_id: row.id, issue_number: null, action, by: "search" }, plate);
  if (!session.codes.get(row.id)) session.codes.keep(row);
  const look = { action, codeId: row.id, issueNumber: null, typeId: row.type_id };
  return settle(session, scan, byList(session, look));
}

export function undoScan(session: Session, what: Undoable, reason: string): Promise<Shown> {
  const { codeId: code_id, undoes, person, since } = what;
  const made = makeScan(session, { code_id, issue_number: null, action: "undo", by: "search" });
  const scan: GateScan = {
    ...made,
    reason: reason.trim().slice(0, gateLimits.undoReason),
    ...(undoes ? { undoes } : {}),
  };
  return settle(session, scan, () => ({ result: "undone", ...(person ? { person } : {}) }), { since });
}

/** `own`: the row to decide by, instead of the list's. */
const byList = (session: Session, look: Look) => (own?: BookRow) => {
  const books = booksOf(session);
  return decide(look, own ? { ...books, row: () => own } : books, session.device.clock.now());
};

function makeScan(
  { device: { clock, snapshot } }: Session,
  rest: Pick<GateScan, "code_id" | "issue_number" | "event" | "action" | "by">,
  plate?: string,
): GateScan {
  const entrance_id = snapshot.opened?.device.entrance_id;
  return {
    id: crypto.randomUUID(),
    at: clock.now(),
    decided: null,
    ...rest,
    ...(plate ? { plate } : {}),
    ...(entrance_id ? { entrance_id } : {}),
  };
}

async function settle(
  session: Session,
  scan: GateScan,
  alone: (own?: BookRow) => Verdict,
  { since, unlisted }: { since?: number | undefined; unlisted?: BookRow } = {},
): Promise<Shown> {
  const answer = await answerOf(session, scan);
  // The list is gone with the sign-in, so it can decide nothing.
  session.signal.throwIfAborted();
  const { removedFor } = session.device.snapshot;
  if (removedFor) throw new AccessRemoved(removedFor);
  const listed = session.codes.get(scan.code_id!);
  const before = listed && rowBefore(listed, scan);
  const verdict = answer ?? withPlate(alone(before), scan);
  const wasIn = before?.admitted_at ?? undefined;
  mark(session, scan, verdict, { since, unlisted });
  if (!answer) await enqueue(session, asDecided(scan, verdict), since);
  const shown: Shown = {
    id: scan.id,
    codeId: scan.code_id!,
    verdict,
    at: scan.at,
    alone: !answer,
    ...(verdict.result === "let_out" ? { since: wasIn ?? scan.at } : {}),
  };
  remember(session, shown, scan.undoes);
  return shown;
}

/** The list may bring the effect of this very scan before its answer, which then does not come in time. */
function rowBefore(row: BookRow, { id, action }: GateScan): BookRow {
  if (row.last_scan !== id.slice(0, 8)) return row;
  return action === "out"
    ? { ...row, admitted_at: row.last_in_at ?? null }
    : { ...row, admitted_at: null, last_in_at: null };
}

/** Adds the plate that was just given, as the server's response would. */
function withPlate(verdict: Verdict, { plate }: GateScan): Verdict {
  const { result, person } = verdict;
  return plate && person && result === "admitted" ? { ...verdict, person: { ...person, plate } } : verdict;
}

/**
 * The server's verdict, or undefined when it does not come in time. Not requested for a code whose scans are still queued
 * here.
 */
async function answerOf(session: Session, scan: GateScan): Promise<Verdict | undefined> {
  const { device } = session;
  const { calls, queue, snapshot, deviceNow } = device;
  if (snapshot.offlineSince !== undefined || snapshot.phase !== "ready") return undefined;
  if (queue.hasCode(scan.code_id)) return undefined;
  try {
    const { results } = await ask(session, () =>
      calls.scan([scan], queue.size(), deviceNow(), ANSWER_WITHIN_MS),
    );
    return results.find(({ id }) => id === scan.id);
  } catch (error) {
    if (error instanceof AccessRemoved && error.why !== "unknown_device") await removed(session, error.why);
    else lost(session, error);
    void device.beatNow();
    return undefined;
  }
}

async function enqueue({ device }: Session, scan: GateScan, since?: number): Promise<void> {
  await device.store.enqueue(device.queue.add(scan, since));
  change(device, {});
  if (device.snapshot.offlineSince === undefined) void device.beatNow();
}

function mark(
  session: Session,
  scan: GateScan,
  verdict: Verdict,
  { since, unlisted }: { since: number | undefined; unlisted: BookRow | undefined },
): void {
  const row = session.codes.get(scan.code_id!) ?? unlisted;
  const here = {
    at: scan.at,
    entranceId: scan.entrance_id ?? null,
    device: session.device.snapshot.opened?.device.name ?? null,
  };
  const next = row && rowAfter(row, verdict, here, since);
  if (!next) return;
  session.codes.change(next);
  void keep(session, (store) => store.putRows([next], {}));
}
