// A phone without a network decides by its own rules, the server by those in SQL. Both are given every combination of codes, doors,
// entrances and settings, and must answer the same, except where INTENDED says otherwise.
import type { GateScan } from "contract/gate";
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { decide, type Verdict } from "../../../site/src/features/gate/rules/decide.ts";
import { entrances, minutesAgo, openGate, type Phone } from "./world.ts";

const { db, gate, phone } = await openGate();

const { types } = await phone.open("North");
const typeNamed = (name: string) => types.find((type) => type.name.startsWith(name))!.id;
const [side] = await gate.sql<{ closed: string; balcony: string }>(
  `with made as (insert into public.gate_entrances (name, admits, ticket_type_ids, is_open)
      values ('Back Gate', 'both', null, false), ('Balcony', 'both', array[$1::uuid], true) returning id, is_open)
    select (select id from made where not is_open) as closed, (select id from made where is_open) as balcony`,
  typeNamed("VIP"),
);

/** What may be true of a code's row. A permit stays with the buyer, so it is never passed on. */
const STATES = {
  new: undefined,
  in: undefined,
  left: undefined,
  "checked in without a scan": "checked_in_at = now() - interval '1 hour'",
  void: "issue_number = 2, voided_at = now(), qr_code_data = null, qr_code_url = null",
  reissued: "issue_number = 2",
  "passed on": "issue_number = 2, transferred_issue = 2",
};

/** What the code that is scanned may say; null: somebody found by search. */
const ISSUES = [1, 2, 3, null];

const DOORS = {
  always: "doors_open_at = null, doors_close_at = null",
  "not yet": "doors_open_at = now() + interval '1 hour', doors_close_at = null",
  "no longer": "doors_open_at = null, doors_close_at = now() - interval '1 hour'",
};

const ENTRANCES = { ...entrances, ...side!, none: null };

/** Where the phone decides otherwise: its list may be older than a code that we signed, and does not say how somebody came in. */
const INTENDED = {
  "a higher number than the list's":
    "as the number of the list, without the name and the parking of its holder",
  "a code that is not in the list": "as a new one of its type, and lets it out",
  "checked in without a scan": "lets them out, although there is no admission that could end",
};

interface Code {
  readonly id: string;
  readonly typeId: string;
  readonly state: keyof typeof STATES | "unlisted";
}
const codes: Code[] = [];
for (const [state, change] of Object.entries(STATES) as [keyof typeof STATES, string | undefined][]) {
  const { tickets, permits } = await gate.sell({ general: 1, preferred: 1 });
  const { tickets: vip, permits: included } = await gate.sell({ vip: 1 });
  for (const id of [...tickets, ...vip, ...permits, ...included]) {
    const isPermit = permits.includes(id) || included.includes(id);
    if (state === "passed on" && isPermit) continue;
    if (state === "in" || state === "left")
      await phone.scan({ code_id: id, decided: "admitted", at: minutesAgo(60) });
    if (state === "left") await phone.scan({ code_id: id, action: "out", at: minutesAgo(30) });
    if (change) await gate.sql(`update public.entry_codes set ${change} where id = $1`, id);
    const [row] = await gate.sql<{ product_id: string }>(
      "select product_id from public.entry_codes where id = $1",
      id,
    );
    codes.push({ id, typeId: row!.product_id, state });
  }
}
for (const typeId of new Set(codes.map((code) => code.typeId)))
  codes.push({ id: randomUUID(), typeId, state: "unlisted" });

const settings = [true, false].flatMap((reentry) =>
  Object.keys(DOORS).flatMap((doors) =>
    ["planned", "cancelled"].flatMap((status) =>
      Object.keys(ENTRANCES).map((entrance) => ({ reentry, doors, status, entrance })),
    ),
  ),
);

describe("the phone and the server decide the same", () => {
  it.each(settings)("with re-entry $reentry, doors open $doors, $status, at $entrance", async (given) => {
    const { reentry, doors, status, entrance } = given;
    await gate.settings(`reentry = ${reentry}, ${DOORS[doors as keyof typeof DOORS]}`);
    await gate.sql("update public.festival set status = $1", status);
    const entranceId = ENTRANCES[entrance as keyof typeof ENTRANCES];
    await gate.sql("update public.gate_devices set entrance_id = $1 where id = $2", entranceId, phone.id);
    const list = await phone.list();
    const rows = new Map(list.rows.map((row) => [row.id, row]));
    const books = {
      row: (id: string) => rows.get(id),
      ofOrder: (order: string) => list.rows.filter((row) => row.order === order),
      ...{ types, entrances: list.entrances!, settings: list.settings!, entranceId },
    };
    for (const action of ["in", "out"] as const) {
      const now = Date.now();
      const answers = new Map<number | null, Map<string, Verdict>>();
      for (const issue of ISSUES) answers.set(issue, await undecided(phone, action, issue));
      for (const issueNumber of ISSUES)
        for (const { id, typeId, state } of codes) {
          const own = decide({ action, codeId: id, issueNumber, typeId }, books, now);
          const answer = answers.get(issueNumber)!.get(id)!;
          const said = `${state}, ${action}, issue ${issueNumber}`;
          const listed = rows.get(id)?.issue_number;
          if (listed === undefined) {
            expect(answer, said).toMatchObject({ result: "unknown", detail: "not_in_books" });
            const fresh = codes.find((code) => code.state === "new" && code.typeId === typeId)!;
            const sold = essence(answers.get(1)!.get(fresh.id)!);
            const expected = action === "out" ? { result: "let_out", person: undefined } : sold;
            expect({ ...essence(own), person: null }, INTENDED["a code that is not in the list"]).toEqual({
              ...sold,
              ...expected,
              person: null,
            });
          } else if (state === "checked in without a scan" && action === "out") {
            expect(answer.result, said).toBe("not_inside");
            expect(own.result, INTENDED[state]).toBe("let_out");
          } else if ((issueNumber ?? 0) > listed) {
            if (action === "in") expect(answer.result, said).toBe(state === "void" ? "void" : "old_code");
            const same = essence(answers.get(listed)!.get(id)!);
            const person = same.person && { ...same.person, name: "", includes_parking: false };
            expect(essence(own), INTENDED["a higher number than the list's"]).toEqual({ ...same, person });
          } else expect(essence(own), said).toEqual(essence(answer));
        }
    }
  });
});

/** The server's answer to a scan of each code; what they changed is rolled back. */
async function undecided(
  { id, user }: Phone,
  action: GateScan["action"],
  issue_number: number | null,
): Promise<Map<string, Verdict>> {
  const answers = new Map<string, Verdict>();
  const scans = codes.map(({ id: code_id }) => ({
    ...{ id: randomUUID(), code_id, issue_number, action, at: Date.now(), decided: null },
    by: "camera",
  }));
  const claims = { role: "authenticated", sub: user };
  await db.database
    .transaction({ claims, headers: {} }, async (tx) => {
      const { rows } = await tx.query("select public.gate_scan($1, $2) as answer", [
        id,
        JSON.stringify(scans),
      ]);
      const { results } = rows[0]!.answer as { results: Verdict[] };
      for (const [index, { id }] of codes.entries()) answers.set(id, results[index]!);
      throw new Undone();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
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
