// The board of the gate counts what was scanned.
import { describe, expect, it } from "vitest";
import { entrances, minutesAgo, openGate } from "./world.ts";

const { gate, phone } = await openGate();

describe("the board", () => {
  it("of a large festival is counted by one screen for all, and again after twenty times as long as it took", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    const [was] = await gate.sql("select pg_get_functiondef('public.is_large_gate()'::regprocedure) as text");
    await gate.sql(
      "create or replace function public.is_large_gate() returns boolean language sql stable set search_path = '' as 'select true'",
    );
    const before = await gate.board();
    await gate.sql("update public.gate_counts_cache set took = '1 hour'");
    await phone.scan({ code_id: tickets[0]! });
    expect((await gate.board()).totals).toEqual(before.totals);
    await gate.sql(
      "update public.gate_counts_cache set took = '1 second', counted_at = now() - interval '21 seconds'",
    );
    const after = await gate.board();
    await gate.sql(was!.text as string);
    expect(after.totals.admitted).toBe(before.totals.admitted + 1);
    expect((await gate.board()).totals).toEqual(after.totals);
  });

  it("counts each code once, and adds up", async () => {
    const { tickets, permits } = await gate.sell({ vip: 2, general: 4, preferred: 1 });
    const lot = await gate.phone(undefined, entrances.parking);
    await lot.scan({ code_id: permits[0]! }, { code_id: tickets[0]! }, { code_id: permits[1]! });
    await phone.scan(
      ...tickets
        .slice(0, 4)
        .map((code_id) => ({ code_id, at: minutesAgo(90), decided: "admitted" as const })),
    );
    const south = await gate.phone();
    await south.scan({ code_id: tickets[0]!, decided: "admitted" }, { code_id: tickets[1]! });
    await phone.scan({ code_id: tickets[2]!, action: "undo", reason: "mistaken" });
    await gate.settings("reentry = true");
    await phone.scan({ code_id: tickets[3]!, action: "out" });
    await gate.settings("reentry = false");
    const { totals, types, entrances: doors, inflow, refused } = await gate.board();
    const sum = (numbers: number[]) => numbers.reduce((one, next) => one + next, 0);
    const [books] = await gate.sql(
      `select count(distinct code_id)::int as admitted, count(*) filter (where conflicts_with is not null)::int as conflicts,
        count(*) filter (where conflicts_with is null and left_at is null)::int as inside from public.admissions where undone_at is null`,
    );
    expect(totals).toMatchObject(books!);
    expect(totals).toMatchObject({ conflicts: 1 });
    expect(sum(types.map(({ admitted }) => admitted))).toBe(totals.admitted);
    for (const { valid, to_come } of types) expect(to_come).toBeLessThanOrEqual(valid);
    expect(sum(refused.map(({ count }) => count))).toBe(totals.refused);
    const [lately] = await gate.sql(
      `select count(*)::int as ever, (count(*) filter (where admitted_at >= date_trunc('minute', now()) - interval '59 minutes'))::int as admitted
        from public.admissions where undone_at is null and entrance_id is not null`,
    );
    expect(sum(doors.map(({ admitted }) => admitted))).toBe(lately!.ever);
    expect(
      sum(inflow.filter(({ entrance_id }) => entrance_id !== null).map(({ admitted }) => admitted)),
    ).toBe(lately!.admitted);
  });
});
