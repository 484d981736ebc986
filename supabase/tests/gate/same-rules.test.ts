// A phone without a network decides by its own rules, the server by those in SQL. Both are given every combination of codes, doors,
// entrances and settings, and must answer the same.
import type { GateScan } from "contract/gate";
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { decide, type Verdict } from "../../../site/src/features/gate/rules/decide.ts";
import { entrances, minutesAgo, openGate, type Phone } from "./world.ts";

const { db, gate, phone } = await openGate();

/** The codes of each state, with the issue number that is scanned; null for a person found by search. */
const codes: { id: string; issueNumber: number | null; state: string }[] = [];

const STATES = ["new", "in", "left", "void", "reissued", "passed on"];
const CHANGES: Record<string, string> = {
  void: "issue_number = 2, voided_at = now(), qr_code_data = null, qr_code_url = null",
  reissued: "issue_number = 2",
  "passed on": "issue_number = 2, transferred_issue = 2",
};
for (const state of STATES) {
  const { tickets, permits } = await gate.sell({ general: 1, preferred: 1 });
  const { tickets: vip } = await gate.sell({ vip: 1 });
  for (const id of [...tickets, ...vip, ...permits]) {
    if (state === "passed on" && permits.includes(id)) continue; // it stays with the buyer
    if (state === "in" || state === "left") await phone.scan({ code_id: id, at: minutesAgo(60) });
    if (state === "left") await phone.scan({ code_id: id, action: "out", at: minutesAgo(30) });
    if (state in CHANGES) await gate.sql(`update public.entry_codes set ${CHANGES[state]} where id = $1`, id);
    for (const issueNumber of [1, 2, null]) codes.push({ id, issueNumber, state });
  }
}
// As `undecided` asks for them.
codes.sort((one, other) => (one.issueNumber ?? 3) - (other.issueNumber ?? 3));
await gate.sql("update public.gate_entrances set is_open = false where id = $1", entrances.express);

const DOORS = {
  always: "doors_open_at = null, doors_close_at = null",
  "not yet": "doors_open_at = now() + interval '1 hour', doors_close_at = null",
  "no longer": "doors_open_at = null, doors_close_at = now() - interval '1 hour'",
};

const settings = [true, false].flatMap((reentry) =>
  Object.keys(DOORS).flatMap((doors) =>
    ["planned", "cancelled"].flatMap((status) =>
      Object.keys(entrances).map((entrance) => ({ reentry, doors, status, entrance })),
    ),
  ),
);

describe("the phone and the server decide the same", () => {
  it.each(settings)("with re-entry $reentry, doors open $doors, $status, at $entrance", async (given) => {
    const { reentry, doors, status, entrance } = given;
    await gate.settings(`reentry = ${reentry}, ${DOORS[doors as keyof typeof DOORS]}`);
    await gate.sql("update public.festival set status = $1", status);
    const entranceId = entrances[entrance as keyof typeof entrances];
    const { types } = await phone.open("North", entranceId);
    const list = await phone.list();
    const rows = new Map(list.rows.map((row) => [row.id, row]));
    const books = {
      row: (id: string) => rows.get(id),
      ofOrder: (order: string) => list.rows.filter((row) => row.order === order),
      ...{ types, entrances: list.entrances!, settings: list.settings!, entranceId },
    };
    for (const action of ["in", "out"] as const) {
      const now = Date.now();
      for (const [index, answer] of (await undecided(phone, action)).entries()) {
        const { id, issueNumber, state } = codes[index]!;
        // The server's books have every number; a phone takes a higher one for newer than its list.
        if ((issueNumber ?? 0) > rows.get(id)!.issue_number) continue;
        const own = decide({ action, codeId: id, issueNumber, typeId: "" }, books, now);
        expect(essence(own), `${state}, ${action}, issue ${issueNumber}`).toEqual(essence(answer));
      }
    }
  });
});

/** The server's answers, each to its scan alone: what they changed is rolled back. */
async function undecided({ id, user }: Phone, action: GateScan["action"]): Promise<Verdict[]> {
  const answers: Verdict[] = [];
  for (const issue of [1, 2, null]) {
    const scans = codes
      .filter(({ issueNumber }) => issueNumber === issue)
      .map(({ id: code_id }) => ({
        ...{ id: randomUUID(), code_id, issue_number: issue, action, at: Date.now(), decided: null },
        by: "camera",
      }));
    const claims = { role: "authenticated", sub: user };
    await db.database
      .transaction({ claims, headers: {} }, async (tx) => {
        const { rows } = await tx.query("select public.gate_scan($1, $2) as answer", [
          id,
          JSON.stringify(scans),
        ]);
        answers.push(...(rows[0]!.answer as { results: Verdict[] }).results);
        throw new Undone();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Undone)) throw error;
      });
  }
  return answers;
}

class Undone extends Error {}

/** What a gate shows of a verdict. */
const essence = ({ result, detail, person, first, opens_at, closes_at, entrances: others }: Verdict) => ({
  result,
  detail: detail ?? null,
  person,
  since: first?.at ?? null,
  doors: [opens_at ?? null, closes_at ?? null],
  others: others?.toSorted() ?? null,
});
