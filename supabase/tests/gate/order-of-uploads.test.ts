// Phones that are offline hand in their scans whenever they can. In whatever order that happens, somebody who came and went, and was
// never in twice, is no conflict, and is inside or not as they are.
import { randomUUID } from "node:crypto";
import type { GateScan } from "contract/gate";
import fc from "fast-check";
import { expect, it } from "vitest";
import { minutesAgo, openGate } from "./world.ts";

const { gate, phone } = await openGate();
const phones = [phone, await gate.phone("South"), await gate.phone("West")];
await gate.settings("reentry = true");

const conflicts = async (code: string) =>
  (
    await gate.sql(
      "select from public.admissions where code_id = $1 and conflicts_with is not null and undone_at is null",
      code,
    )
  ).length;

it("ends the conflict of the phone that hands in its way in and out last", async () => {
  const { tickets } = await gate.sell({ general: 1 });
  const [code_id] = tickets as [string];
  const [first, second] = phones as [typeof phone, typeof phone];
  await second.scan({ code_id, decided: "admitted", at: minutesAgo(10) });
  const answers = await first.scan(
    { code_id, decided: "admitted", at: minutesAgo(40) },
    { code_id, action: "out", decided: "let_out", at: minutesAgo(25) },
  );
  expect(answers.map(({ result }) => result)).toEqual(["admitted", "let_out"]);
  expect(await conflicts(code_id)).toBe(0);
  expect(await gate.standing(code_id)).toHaveLength(1);
});

it("keeps the conflict of two who were in at once, though both have left", async () => {
  const { tickets } = await gate.sell({ general: 1 });
  const [code_id] = tickets as [string];
  const visit = (from: number, to: number): Partial<GateScan>[] => [
    { code_id, decided: "admitted", at: minutesAgo(from) },
    { code_id, action: "out", decided: "let_out", at: minutesAgo(to) },
  ];
  await phones[1]!.scan(...visit(30, 10));
  await phones[0]!.scan(...visit(40, 20));
  expect(await conflicts(code_id)).toBe(1);
  expect(await gate.standing(code_id)).toEqual([]);
});

it("ends a phone's own conflict rather than the back office's admission", async () => {
  const { tickets } = await gate.sell({ general: 1 });
  const [code_id] = tickets as [string];
  await gate.call(gate.admin, "check_in_code", [code_id, "phone died"]);
  await gate.sql(
    "update public.admissions set admitted_at = now() - interval '1 hour' where code_id = $1",
    code_id,
  );
  const out = (at: number) => ({ code_id, action: "out", decided: "let_out", at }) as const;
  await phones[2]!.scan({ code_id, decided: "admitted", at: minutesAgo(20) });
  await phones[1]!.scan(out(minutesAgo(10)));
  await phones[0]!.scan({ code_id, decided: "admitted", at: minutesAgo(50) }, out(minutesAgo(40)));
  const [ended] = await gate.sql<{ device_id: string }>(
    "select device_id from public.admissions where code_id = $1 and left_at < now() - interval '30 minutes'",
    code_id,
  );
  expect(ended?.device_id).toBe(phones[0]!.id);
});

/** One who comes and goes: each visit by the phone that lets them in and out, and whether they are still in. */
const story = fc.record({
  visits: fc.array(fc.nat(phones.length - 1), { minLength: 1, maxLength: 5 }),
  isIn: fc.boolean(),
  /** Which phone hands in its next scan, again and again. */
  turns: fc.array(fc.nat(phones.length - 1), { minLength: 10, maxLength: 40 }),
});

it("finds no conflict and the right person inside, in whatever order the phones hand in", async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ visits, isIn, turns }) => {
      const { tickets } = await gate.sell({ general: 1 });
      const [code_id] = tickets as [string];
      const queues: Partial<GateScan>[][] = phones.map(() => []);
      for (const [index, by] of visits.entries()) {
        const at = minutesAgo(100 - 10 * index);
        queues[by]!.push({ id: randomUUID(), code_id, decided: "admitted", at });
        if (index < visits.length - 1 || !isIn)
          queues[by]!.push({
            id: randomUUID(),
            code_id,
            action: "out",
            decided: "let_out",
            at: at + 300_000,
          });
      }
      for (const by of [...turns, ...phones.keys()].flatMap((one, index) =>
        index < turns.length ? [one] : Array.from({ length: 10 }, () => one),
      )) {
        const scan = queues[by]!.shift();
        if (scan) await phones[by]!.scan(scan);
      }
      expect(await conflicts(code_id)).toBe(0);
      expect(await gate.standing(code_id)).toHaveLength(isIn ? 1 : 0);
    }),
    { numRuns: 60 },
  );
});
