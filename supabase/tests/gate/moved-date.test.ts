// The date moves after the doors opened: a new day, for people who were let in, for phones and for the doors.
import { beforeEach, describe, expect, it } from "vitest";
import { minutesAgo, openGate, type Phone } from "./world.ts";

const { gate, phone } = await openGate();

const day = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toLocaleDateString("en-CA", { timeZone: "America/Chicago" });
async function publish(date: string) {
  const facts = { starts_at: `${date}T00:01`, ends_at: `${date}T23:59` };
  await gate.sql(
    "update public.festival_sections set content = content || $1 where id = 'facts'",
    JSON.stringify(facts),
  );
}
/** The code's row among what changed since. A change is listed once all older transactions have ended. */
const listed = (own: Phone, since: string, code: string) => async () =>
  (await own.list(since)).rows.find(({ id }) => id === code);
const doors = async () => (await gate.sql("select * from public.gate_settings"))[0]!;
const orders = async (...sold: readonly { order: string }[]) =>
  Promise.all(sold.map(({ order }) => gate.statusOf({ order, tickets: [], permits: [] })));

beforeEach(async () => {
  await gate.settings("doors_open_at = null, doors_close_at = null, counts_from = null");
  await publish(day(0));
  await gate.settings("doors_open_at = null, doors_close_at = null, counts_from = null");
});

describe("a date that moves after the doors opened", () => {
  it("lets people in again, keeps what was scanned, and tells the phones", async () => {
    const sold = await gate.sell({ general: 1, preferred: 1 }, ["Rain Guest"]);
    const [ticket, permit] = [sold.tickets[0]!, sold.permits[0]!];
    await phone.scan({ code_id: ticket });
    await gate.call(gate.admin, "check_in_code", [permit, "No phone at hand"]);
    const before = await phone.list();
    expect(await orders(sold)).toEqual(["completed"]);
    const { totals } = await gate.board();
    expect(totals.inside).toBeGreaterThanOrEqual(2);

    await publish(day(7));
    expect(await orders(sold)).toEqual(["confirmed"]);
    expect((await gate.board()).totals).toMatchObject({ admitted: 0, inside: 0, undone: totals.undone + 2 });
    for (const id of [ticket, permit])
      await expect
        .poll(listed(phone, before.upto, id))
        .toMatchObject({ admitted_at: null, last_in_at: null });
    expect(await gate.sql("select undo_reason from public.admissions where code_id = $1", ticket)).toEqual([
      { undo_reason: expect.stringMatching(/^The festival was moved to \w+ \d+, \d{4}$/) },
    ]);

    await gate.settings("doors_open_at = null");
    expect(await phone.scan({ code_id: ticket })).toMatchObject([{ result: "admitted" }]);
  });

  it("opens doors without times with the new day, and moves those that have times", async () => {
    const sold = await gate.sell({ general: 2 });
    await phone.scan({ code_id: sold.tickets[0]! });
    await publish(day(7));
    const [midnight] = await gate.sql("select $1::timestamp at time zone 'America/Chicago' as at", day(7));
    expect(await doors()).toMatchObject({ doors_open_at: midnight!.at, counts_from: midnight!.at });
    expect(await phone.scan({ code_id: sold.tickets[1]! })).toMatchObject([{ result: "not_today" }]);

    await publish(day(8));
    const moved = (await doors()).doors_open_at as Date;
    expect(moved.toLocaleDateString("en-CA", { timeZone: "America/Chicago" })).toBe(day(8));
  });

  it("does not count scans of the old day that a phone reports later", async () => {
    const late = await gate.phone("Late in the rain");
    const { tickets, order } = await gate.sell({ general: 2 });
    const [rain, both] = tickets as [string, string];
    const before = await late.list();
    await publish(day(7));
    const scans = [
      { code_id: rain, decided: "admitted", at: minutesAgo(9) },
      { code_id: both, decided: "admitted", at: minutesAgo(8) },
      { code_id: both, decided: "admitted", at: minutesAgo(7) },
    ] as const;
    const answers = await late.scan(...scans);
    expect(answers.map(({ result, despite, conflict }) => [result, despite, conflict])).toEqual(
      scans.map(() => ["admitted", undefined, undefined]),
    );
    expect((await gate.standing(rain)).length + (await gate.standing(both)).length).toBe(0);
    expect(await orders({ order })).toEqual(["confirmed"]);
    // The phone learns that nobody is in.
    await expect.poll(listed(late, before.upto, rain)).toMatchObject({ admitted_at: null });
    await gate.settings("doors_open_at = null");
    expect(await late.scan({ code_id: rain }, { code_id: both })).toMatchObject([
      { result: "admitted" },
      { result: "admitted" },
    ]);
    expect((await gate.board()).totals).toMatchObject({ inside: 2, conflicts: 0 });
  });

  it("counts from when an administrator opens the doors earlier", async () => {
    const sold = await gate.sell({ general: 1 });
    await publish(day(7));
    await gate.settings("doors_open_at = now() - interval '1 hour'");
    await phone.scan({ code_id: sold.tickets[0]!, decided: "admitted", at: minutesAgo(5) });
    expect(await gate.standing(sold.tickets[0]!)).toHaveLength(1);
  });

  it("keeps who was let in today when it is corrected to today", async () => {
    await publish(day(3));
    await gate.settings("doors_open_at = null, counts_from = null");
    const sold = await gate.sell({ general: 1 });
    await phone.scan({ code_id: sold.tickets[0]! });
    await publish(day(0));
    expect(await gate.standing(sold.tickets[0]!)).toHaveLength(1);
  });

  it("leaves the doors of a gate that was only tried, before the festival or long after another", async () => {
    for (const tried of [2, -9]) {
      await publish(day(tried));
      await gate.sql(
        "update public.admissions set undone_at = now(), undo_reason = 'tried' where undone_at is null",
      );
      await gate.sql("update public.tickets set checked_in_at = null");
      await gate.settings("doors_open_at = null, counts_from = null");
      await publish(day(7));
      expect(await doors(), String(tried)).toMatchObject({ doors_open_at: null, counts_from: null });
    }
  });
});
