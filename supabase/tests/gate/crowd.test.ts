// Many phones at once: one code admits once, and after an hour offline every second admission is shown and the totals are exact.
import { randomUUID } from "node:crypto";
import type { GateScan } from "contract/gate";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../../server/testing/database.ts";
import { type GateWorld, openGateWorld, type Phone } from "./world.ts";

let db: TestDatabase;
let gate: GateWorld;
beforeEach(async () => {
  db = await cloneDatabase();
  gate = await openGateWorld(db);
});
afterEach(() => db.close());

it("admits one of a hundred concurrent scans of one code", async () => {
  const { tickets } = await gate.sell({ general: 1 });
  const phones = await Promise.all(Array.from({ length: 10 }, () => gate.phone()));
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => phones[index % 10]!.scan({ code_id: tickets[0]! })),
  );
  const results = answers.flat().map(({ result }) => result);
  expect(results.filter((result) => result === "admitted")).toHaveLength(1);
  expect(results.filter((result) => result === "already_in")).toHaveLength(99);
});

const CODES = 12;
const HOUR = 3_600_000;

/** The people a phone let in during an hour offline: a code, and when. */
const hourOffline = fc.array(fc.record({ code: fc.nat(CODES - 1), minute: fc.nat(59) }), { maxLength: 15 });

/** Phones hand in their queues in parts, some of them twice, all at once. */
async function handIn(phone: Phone, queue: Partial<GateScan>[], part: number): Promise<void> {
  for (let from = 0; from < queue.length; from += part) {
    const scans = queue.slice(from, from + part);
    const answers = await phone.scan(...scans);
    expect(answers).toHaveLength(scans.length);
    for (const { result } of answers) expect(result).toBe("admitted");
    if (from === 0) await phone.scan(...scans);
  }
}

it.each([2, 10])(
  "shows every conflict of %i phones after an hour offline, and counts exactly",
  { timeout: 120_000 },
  async (count) => {
    const phones = await Promise.all(Array.from({ length: count }, () => gate.phone()));
    await fc.assert(
      fc.asyncProperty(
        fc.array(hourOffline, { minLength: count, maxLength: count }),
        fc.integer({ min: 1, max: 7 }),
        async (hours, part) => {
          const { tickets } = await gate.sell({ general: CODES });
          const before = await gate.board();
          const start = Date.now() - HOUR;
          const queues = hours.map((hour) =>
            hour
              .toSorted((a, b) => a.minute - b.minute)
              .map(({ code, minute }) => ({
                id: randomUUID(),
                code_id: tickets[code]!,
                at: start + minute * 60_000,
                decided: "admitted" as const,
              })),
          );
          await Promise.all(phones.map((phone, index) => handIn(phone, queues[index]!, part)));

          const all = queues.flatMap((queue, phone) =>
            queue.map((scan) => ({ ...scan, phone: phones[phone]!.id })),
          );
          const codes = new Set(all.map(({ code_id }) => code_id));
          const { totals } = await gate.board();
          expect(totals.admitted - before.totals.admitted).toBe(codes.size);
          expect(totals.inside - before.totals.inside).toBe(codes.size);
          expect(totals.conflicts - before.totals.conflicts).toBe(all.length - codes.size);
          const written = await gate.sql<{
            id: string;
            at: string;
            phone: string;
            code_id: string;
            first: string | null;
          }>(
            `select id, public.epoch_ms(admitted_at)::text as at, device_id as phone, code_id, conflicts_with as first
              from public.admissions where code_id = any ($1)`,
            tickets,
          );
          // Each has its own place and time, and every conflict is with the valid admission.
          expect(
            written.map(({ id, at, phone, code_id }) => [id, Number(at), phone, code_id]).toSorted(),
          ).toEqual(all.map(({ id, at, phone, code_id }) => [id, at, phone, code_id]).toSorted());
          const standing = new Map(
            written.filter(({ first }) => first === null).map(({ id, code_id }) => [code_id, id]),
          );
          expect(standing.size).toBe(codes.size);
          for (const { code_id, id, first } of written) {
            if (standing.get(code_id) !== id) expect(first).toBe(standing.get(code_id));
          }
          const [{ waiting }] = (await gate.sql(
            "select count(*)::int as waiting from public.tickets where id = any ($1) and checked_in_at is null",
            tickets,
          )) as [{ waiting: number }];
          expect(waiting).toBe(CODES - codes.size);
        },
      ),
      { numRuns: count === 2 ? 25 : 10 },
    );
  },
);
