// Scans that phones decided offline and hand in later.
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { entrances, minutesAgo, openGate } from "./world.ts";

const { gate, phone } = await openGate();

describe("a scan handed in later", () => {
  it("is recorded as it happened, and a second admission is a conflict with both places and times", async () => {
    const { tickets } = await gate.sell({ general: 1 }, ["Lena Fontaine"]);
    const south = await gate.phone("South lane", entrances.main);
    const first = minutesAgo(50);
    const second = minutesAgo(10);
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: first });
    const [answer] = await south.scan({ code_id: tickets[0]!, decided: "admitted", at: second });
    expect(answer).toMatchObject({
      result: "admitted",
      conflict: true,
      first: { device: "North", at: first },
    });
    const { conflicts } = await gate.board();
    expect(conflicts[0]).toMatchObject({
      code_id: tickets[0],
      name: "Lena Fontaine",
      first: { device: "North", at: first, entrance: "Main Entrance" },
      second: { device: "South lane", at: second, entrance: "Main Entrance" },
    });
  });

  it("is listed by its time, whichever phone handed in first", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    const early = await gate.phone("Early");
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: minutesAgo(4) });
    const at = minutesAgo(5);
    const [answer] = await early.scan({ code_id: tickets[0]!, decided: "admitted", at });
    expect(answer).toMatchObject({ conflict: true, at, first: { device: "North" } });
    const listed = (await gate.board()).conflicts.find(({ code_id }) => code_id === tickets[0])!;
    expect([listed.first.device, listed.second.device]).toEqual(["Early", "North"]);
    const [ticket] = await gate.sql("select checked_in_at from public.tickets where id = $1", tickets[0]);
    expect((ticket!.checked_in_at as Date).getTime(), "in since then").toBe(at);
  });

  it("reports why the server would have refused it, and lets nobody out again", async () => {
    const sold = await gate.sell({ general: 2 });
    const before = minutesAgo(5);
    await gate.sql("select public.take_back($1, $2, null)", sold.order, [sold.tickets[0]]);
    expect(
      await phone.scan(
        { code_id: sold.tickets[0]!, decided: "admitted", at: before },
        { code_id: sold.tickets[1]!, decided: "admitted", issue_number: 9 },
      ),
    ).toMatchObject([
      { result: "admitted", despite: "void" },
      { result: "admitted", despite: "old_code" },
    ]);
    const { despite } = await gate.board();
    expect(despite.map(({ code_id, reason }) => [code_id, reason])).toEqual(
      expect.arrayContaining([
        [sold.tickets[0], "void"],
        [sold.tickets[1], "old_code"],
      ]),
    );
  });

  it("is never dated in the future, however wrong the device's clock is", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: Date.now() + 5 * 3600_000 });
    const [row] = await gate.sql(
      "select admitted_at <= received_at as possible, is_offline from public.admissions where code_id = $1",
      tickets[0],
    );
    expect(row).toEqual({ possible: true, is_offline: true });
  });

  it("keeps its place in time when the device's clock is hours behind, and its order when it is hours ahead", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: minutesAgo(6 * 60) });
    await gate.settings("reentry = true");
    const ahead = Date.now() + 6 * 3600_000;
    const results = await phone.scan(
      { code_id: tickets[1]!, decided: "admitted", at: ahead },
      { code_id: tickets[1]!, action: "out", decided: "let_out", at: ahead + 1 },
      { code_id: tickets[1]!, decided: "admitted", at: ahead + 2 },
    );
    await gate.settings("reentry = false");
    expect(results.map(({ result, conflict }) => [result, conflict])).toEqual([
      ["admitted", undefined],
      ["let_out", undefined],
      ["admitted", undefined],
    ]);
    const [row] = await gate.sql(
      `select bool_and(admitted_at <= received_at and coalesce(left_at, now()) >= admitted_at) as in_order,
        min(public.epoch_ms(admitted_at)) filter (where code_id = $2) between $3::bigint and $3::bigint + 60000 as kept
        from public.admissions where code_id = any ($1)`,
      tickets,
      tickets[0],
      minutesAgo(6 * 60) - 30_000,
    );
    expect(row).toEqual({ in_order: true, kept: true });
  });

  it("is never dated before its ticket was sold or its phone was opened", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    const fresh = gate.phoneOf(await gate.newUser("gate"));
    await fresh.open("Fresh");
    await gate.sql(
      "update public.tickets set created_at = now() - interval '20 minutes' where id = $1",
      tickets[0],
    );
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: 0 });
    await fresh.scan({ code_id: tickets[1]!, decided: "admitted", at: 0 });
    const times = await gate.sql(
      `select a.admitted_at = t.created_at as as_sold, a.admitted_at = d.created_at as as_opened, t.checked_in_at = a.admitted_at as both
        from public.admissions a join public.tickets t on t.id = a.code_id join public.gate_devices d on d.id = a.device_id
        where t.id = any ($1) order by t.id = $2 desc`,
      tickets,
      tickets[0],
    );
    expect(times).toEqual([
      { as_sold: true, as_opened: false, both: true },
      { as_sold: false, as_opened: true, both: true },
    ]);
  });

  it("is recorded with a thousand others of one code", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    const scans = Array.from({ length: 1000 }, (_, index) => ({
      id: randomUUID(),
      code_id: tickets[0]!,
      decided: "admitted" as const,
      at: minutesAgo(40) + index,
    }));
    const [first, ...others] = await phone.scan(...scans);
    expect(first).toMatchObject({ id: scans[0]!.id, result: "admitted" });
    expect(first).not.toHaveProperty("conflict");
    expect(others).toHaveLength(999);
    const conflict = { result: "admitted", conflict: true, first: { device: "North", at: scans[0]!.at } };
    for (const other of others) expect(other).toMatchObject(conflict);
    expect(await gate.standing(tickets[0]!)).toEqual([{ id: scans[0]!.id }]);
    await gate.sql(
      "delete from public.admissions where code_id = $1 and conflicts_with is not null",
      tickets[0],
    );
  });

  it("is answered in order, though somebody went in and out fifty times", async () => {
    await gate.settings("reentry = true");
    const { tickets } = await gate.sell({ general: 1 });
    const queue = Array.from({ length: 100 }, (_, index) => ({
      id: randomUUID(),
      code_id: tickets[0]!,
      ...(index % 2 === 0
        ? { action: "in" as const, decided: "admitted" as const }
        : { action: "out" as const, decided: "let_out" as const }),
      at: minutesAgo(40) + index,
    }));
    const answers = await phone.scan(...queue);
    await gate.settings("reentry = false");
    expect(answers.map(({ id }) => id)).toEqual(queue.map(({ id }) => id));
    expect(answers.map(({ result, conflict }) => (conflict ? "conflict" : result))).toEqual(
      Array.from({ length: 50 }, () => ["admitted", "let_out"]).flat(),
    );
  });

  it("changes nothing the second time, whatever it was", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    await gate.settings("reentry = true");
    const scans = [
      { id: randomUUID(), code_id: tickets[0]!, decided: "admitted" as const },
      { id: randomUUID(), code_id: tickets[0]!, action: "out" as const, decided: "let_out" as const },
      { id: randomUUID(), code_id: tickets[0]!, decided: "admitted" as const },
      { id: randomUUID(), code_id: tickets[1]!, decided: "admitted" as const },
      {
        id: randomUUID(),
        code_id: tickets[1]!,
        action: "undo" as const,
        decided: "undone" as const,
        reason: "mistake",
      },
      { id: randomUUID(), code_id: tickets[1]!, action: "refused" as const, decided: "void" as const },
    ];
    const state = () =>
      gate.sql(
        `select (select json_agg(a order by id) from public.admissions a where code_id = any ($1)) as admissions,
          (select json_agg(r order by id) from public.gate_refusals r where code_id = any ($1)) as refusals,
          (select json_agg(json_build_array(id, checked_in_at) order by id) from public.tickets where id = any ($1)) as tickets`,
        tickets,
      );
    const results = await phone.scan(...scans);
    expect(results.map(({ result }) => result)).toEqual([
      "admitted",
      "let_out",
      "admitted",
      "admitted",
      "undone",
      "void",
    ]);
    const once = await state();
    const again = await phone.scan(...scans, ...scans);
    expect(again.slice(0, 6).map(({ result }) => result)).toEqual(results.map(({ result }) => result));
    expect(await state()).toEqual(once);
    await gate.settings("reentry = false");
  });

  it("takes back or lets out nobody who was admitted after it", async () => {
    await gate.settings("reentry = true");
    const { tickets } = await gate.sell({ general: 2 });
    const south = await gate.phone("Still offline");
    const online = await gate.phone("Online");
    for (const [index, late] of [
      { action: "undo", decided: "undone" } as const,
      { action: "out", decided: "let_out" } as const,
    ].entries()) {
      const code_id = tickets[index]!;
      const [mistaken, valid] = [randomUUID(), randomUUID()];
      await phone.scan({ id: mistaken, code_id, decided: "admitted", at: minutesAgo(20) });
      await online.scan({ code_id, action: "undo", undoes: mistaken, reason: "x" }, { id: valid, code_id });
      expect(await south.scan({ code_id, ...late, at: minutesAgo(10) })).toMatchObject([
        { result: "not_inside" },
      ]);
      expect(await gate.standing(code_id)).toEqual([{ id: valid }]);
    }
    await gate.settings("reentry = false");
  });

  it("takes back or lets out somebody admitted a moment ago, though its phone's clock is behind", async () => {
    await gate.settings("reentry = true");
    const { tickets } = await gate.sell({ general: 2 });
    const south = await gate.phone("Slow clock");
    await phone.scan({ code_id: tickets[0]! }, { code_id: tickets[1]! });
    const at = Date.now() - 3000;
    expect(
      await south.scan(
        { code_id: tickets[0]!, action: "undo", decided: "undone", at },
        { code_id: tickets[1]!, action: "out", decided: "let_out", at },
      ),
    ).toMatchObject([{ result: "undone" }, { result: "let_out" }]);
    await phone.scan({ code_id: tickets[0]! }, { code_id: tickets[1]! });
    const own = minutesAgo(60);
    expect(
      await phone.scan(
        { code_id: tickets[0]!, action: "undo", decided: "undone", at: own },
        { code_id: tickets[1]!, action: "out", decided: "let_out", at: own },
      ),
      "its own, whatever its clock says: its queue is in order",
    ).toMatchObject([{ result: "undone" }, { result: "let_out" }]);
    await gate.settings("reentry = false");
  });

  it("is a second admission if it came before the way out, whichever was handed in first", async () => {
    await gate.settings("reentry = true");
    const { tickets } = await gate.sell({ general: 1 });
    const [code_id] = tickets as [string];
    const exit = await gate.phone("Exit");
    const south = await gate.phone("South");
    const valid = randomUUID();
    await phone.scan({ code_id, decided: "admitted", at: minutesAgo(30) });
    await exit.scan({ code_id, action: "out", decided: "let_out", at: minutesAgo(10) });
    expect(await south.scan({ code_id, decided: "admitted", at: minutesAgo(20) })).toMatchObject([
      { result: "admitted", conflict: true, first: { device: "North" } },
    ]);
    expect(await gate.standing(code_id)).toEqual([]);
    const answers = await south.scan(
      { code_id, decided: "admitted", at: minutesAgo(15) },
      { id: valid, code_id, decided: "admitted", at: minutesAgo(5) },
    );
    expect(answers.map(({ conflict, first }) => [conflict, first?.device])).toEqual([
      [true, "North"],
      [undefined, undefined],
    ]);
    expect(await gate.standing(code_id)).toEqual([{ id: valid }]);
    expect(await phone.scan({ code_id })).toMatchObject([{ result: "already_in" }]);
    await gate.settings("reentry = false");
  });

  it("is a valid way in again, though its clock is behind the exit's", async () => {
    await gate.settings("reentry = true");
    const { tickets } = await gate.sell({ general: 2 });
    const back = await gate.phone("Way back in");
    const ids = tickets.map(() => randomUUID());
    for (const [index, on] of [back, phone].entries()) {
      const code_id = tickets[index]!;
      await phone.scan({ code_id, decided: "admitted", at: minutesAgo(30) });
      await phone.scan({ code_id, action: "out", decided: "let_out", at: minutesAgo(10) });
      // Another phone's may be some seconds behind; its own queue is in order.
      const at = minutesAgo(10) - (on === phone ? 600_000 : 3000);
      const [answer] = await on.scan({ id: ids[index]!, code_id, decided: "admitted", at });
      expect(answer).not.toHaveProperty("conflict");
      expect(await gate.standing(code_id)).toEqual([{ id: ids[index] }]);
    }
    await gate.settings("reentry = false");
  });

  it("is an admission if the server's refusal came too late, and not one if the server's admission did", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    const express = await gate.phone("Late", entrances.express);
    const late = randomUUID();
    expect(await express.scan({ id: late, code_id: tickets[0]! })).toMatchObject([
      { result: "wrong_entrance" },
    ]);
    expect(await express.scan({ id: late, code_id: tickets[0]!, decided: "admitted" })).toMatchObject([
      { result: "admitted", despite: "wrong_entrance" },
    ]);
    expect(await gate.sql("select from public.gate_refusals where id = $1", late)).toEqual([]);
    const early = randomUUID();
    await phone.scan({ id: early, code_id: tickets[1]! });
    await phone.scan({ id: early, code_id: tickets[1]!, action: "refused", decided: "already_in" });
    expect(await gate.standing(tickets[1]!)).toEqual([]);
    expect(await phone.scan({ code_id: tickets[1]! })).toMatchObject([{ result: "admitted" }]);
  });
});
