// What a scan answers and what it leaves behind, whichever way it came: online, handed in later, out, undone or repeated.
import { randomUUID } from "node:crypto";
import { gateAccessRemoved } from "contract/gate";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { entrances, type GateWorld, openGateWorld, type Phone, type Sold } from "./gate-world.ts";

let db: TestDatabase;
let gate: GateWorld;
let phone: Phone;
beforeAll(async () => {
  db = await cloneDatabase();
  gate = await openGateWorld(db);
  phone = await gate.phone("North");
});
afterAll(() => db?.close());

const statusOf = async ({ order }: Sold) =>
  (await gate.sql("select status from public.orders where id = $1", order))[0]!.status;
const settings = (changes: string) => gate.sql(`update public.gate_settings set ${changes}`);
const standing = async (code: string) =>
  gate.sql(
    `select id from public.admissions where coalesce(ticket_id, permit_id) = $1
      and conflicts_with is null and undone_at is null and left_at is null`,
    code,
  );
const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000;

describe("what a phone says of itself", () => {
  const say = (pending: unknown, now: unknown) =>
    gate.call(phone.user, "gate_scan", [phone.id, "[]", pending, now]);

  it.each([
    ["a time far beyond", "9223372036854775807", "p_device_now must be a time in milliseconds."],
    ["a time far before", "-1e300", "p_device_now must be a time in milliseconds."],
    ["no number", "NaN", "p_device_now must be a time in milliseconds."],
    ["the last millisecond a phone knows", "8640000000000000", undefined],
    ["a clock that was never set", 0, undefined],
  ])("is refused clearly or taken: %s", async (_what, now, message) => {
    if (message === undefined) await expect(say(0, now)).resolves.toMatchObject({ results: [] });
    else await expect(say(0, now)).rejects.toMatchObject({ code: "22023", message });
  });

  it("is refused clearly: more scans waiting than can be", async () => {
    const refusal = { code: "22023", message: "p_pending must be a number of scans." };
    await expect(say("99999999999999999999", null)).rejects.toMatchObject(refusal);
    await expect(say(-1, null)).resolves.toMatchObject({ results: [] });
  });
});

describe("a scan online", () => {
  it("lets a ticket in once, and says then where and when that was", async () => {
    const sold = await gate.sell({ vip: 1 }, ["Ana Reyes"]);
    const [first] = await phone.scan({ code_id: sold.tickets[0]! });
    expect(first).toMatchObject({
      result: "admitted",
      person: {
        kind: "ticket",
        name: "Ana Reyes",
        type: "VIP",
        is_vip: true,
        includes_parking: true,
        order: sold.order.slice(0, 8),
        code: sold.tickets[0]!.slice(0, 8),
      },
    });
    const other = await gate.phone("South", entrances.express);
    const [second] = await other.scan({ code_id: sold.tickets[0]! });
    expect(second).toMatchObject({
      result: "already_in",
      first: { entrance: "Main Entrance", device: "North", at: expect.any(Number) },
      person: { name: "Ana Reyes" },
    });
  });

  it("lets a bought and an included parking permit in, and keeps the plate", async () => {
    const lot = await gate.phone("Lot", entrances.parking);
    const { permits } = await gate.sell({ vip: 1, preferred: 1 });
    expect(permits).toHaveLength(2);
    const results = await lot.scan({ code_id: permits[0]!, plate: "tx-420 " }, { code_id: permits[1]! });
    expect(results.map(({ result }) => result)).toEqual(["admitted", "admitted"]);
    expect(await gate.sql("select plate from public.parking_permits where id = $1", permits[0])).toEqual([
      { plate: "TX-420" },
    ]);
  });

  it("refuses what is refunded, reissued, unknown, at the wrong entrance or before the doors open", async () => {
    const refunded = await gate.sell({ general: 1 });
    await gate.sql("select public.take_back($1, null, null)", refunded.order);
    const reissued = await gate.sell({ general: 1 });
    await gate.sql("update public.tickets set issue_number = 2 where order_id = $1", reissued.order);
    const plain = await gate.sell({ general: 1 });
    const express = await gate.phone("Express", entrances.express);
    expect(await phone.scan({ code_id: refunded.tickets[0]! })).toMatchObject([{ result: "void" }]);
    expect(await phone.scan({ code_id: reissued.tickets[0]!, issue_number: 1 })).toMatchObject([
      { result: "old_code" },
    ]);
    expect(await phone.scan({ code_id: randomUUID() })).toMatchObject([
      { result: "unknown", detail: "not_in_books" },
    ]);
    expect(await express.scan({ code_id: plain.tickets[0]! })).toMatchObject([
      { result: "wrong_entrance", entrances: ["Main Entrance"] },
    ]);
    await settings("doors_open_at = now() + interval '1 hour'");
    expect(await phone.scan({ code_id: plain.tickets[0]! })).toMatchObject([
      { result: "not_today", opens_at: expect.any(Number) },
    ]);
    await settings("doors_open_at = null");
    expect(await phone.scan({ code_id: plain.tickets[0]! })).toMatchObject([{ result: "admitted" }]);
  });

  it("lets no ticket into the parking and no vehicle in at the door, and VIP alone through the express lane", async () => {
    const { tickets, permits } = await gate.sell({ vip: 1, general: 1 });
    const lot = await gate.phone(undefined, entrances.parking);
    const express = await gate.phone(undefined, entrances.express);
    const at = async (on: Phone, code: string) => (await on.scan({ code_id: code }))[0]!;
    const [vip, general] = tickets as [string, string];
    for (const ticket of [vip, general])
      expect(await at(lot, ticket)).toMatchObject({ result: "wrong_entrance" });
    for (const door of [phone, express])
      expect(await at(door, permits[0]!)).toMatchObject({
        result: "wrong_entrance",
        entrances: ["Parking"],
      });
    expect(await at(express, general)).toMatchObject({ result: "wrong_entrance" });
    expect(await at(express, vip)).toMatchObject({ result: "admitted" });
    expect(await at(lot, permits[0]!)).toMatchObject({
      result: "admitted",
      person: { kind: "parking", plate: null },
    });
  });

  it("refuses once the doors are closed, and writes down who came in before they opened", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    await settings("doors_open_at = now() - interval '2 hours', doors_close_at = now() - interval '1 hour'");
    expect(await phone.scan({ code_id: tickets[0]! })).toMatchObject([
      { result: "not_today", closes_at: expect.any(Number) },
    ]);
    expect(
      await phone.scan(
        { code_id: tickets[0]!, decided: "admitted", at: minutesAgo(150) },
        { code_id: tickets[1]!, decided: "admitted", at: minutesAgo(90) },
      ),
    ).toMatchObject([{ result: "admitted", despite: "not_today" }, { result: "admitted" }]);
    await settings("doors_open_at = null, doors_close_at = null");
  });

  it("says that an entrance is closed, and admits the types an entrance is for", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    const side =
      "insert into public.gate_entrances (name, admits, ticket_type_ids, is_open) values ($1, 'tickets', $2, $3) returning id";
    const [closed] = await gate.sql(side, "Back Gate", null, true);
    const [vipOnly] = await gate.sql(side, "Balcony", ["0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1002"], true);
    const back = await gate.phone(undefined, closed!.id);
    const { upto } = await back.list();
    await gate.sql("update public.gate_entrances set is_open = false where id = $1", closed!.id);
    const { entrances: told } = await back.list(upto);
    expect(
      told!.find(({ id }) => id === closed!.id),
      "before its next scan",
    ).toMatchObject({ is_open: false });
    expect(await back.scan({ code_id: tickets[0]! })).toMatchObject([{ result: "closed" }]);
    const balcony = await gate.phone(undefined, vipOnly!.id);
    expect(await balcony.scan({ code_id: tickets[0]! })).toMatchObject([
      { result: "wrong_entrance", entrances: ["Main Entrance"] },
    ]);
    await back.scan({ code_id: tickets[0]!, decided: "admitted" });
    const { despite } = await gate.board();
    expect(despite.find(({ code_id }) => code_id === tickets[0])).toMatchObject({ reason: "closed" });
  });

  it("says of one VIP ticket an order that parking is included", async () => {
    const { order, tickets } = await gate.sell({ vip: 3 });
    const including = async () => {
      const people = await phone.search(order);
      return people.filter(({ includes_parking }) => includes_parking).map(({ id }) => id);
    };
    const [lowest, next] = tickets.toSorted() as [string, string];
    expect(await including()).toEqual([lowest]);
    await gate.sql("select public.take_back($1, array[$2::uuid], null)", order, lowest);
    expect(await including()).toEqual([next]);
  });

  it("lets somebody in whom a search found, whatever their issue number is", async () => {
    const sold = await gate.sell({ general: 1 }, ["Zydeco Zimmerman"]);
    await gate.sql("update public.tickets set issue_number = 7 where order_id = $1", sold.order);
    const [ticket] = sold.tickets;
    const numbers = [ticket!.slice(0, 8), ticket!.slice(-6), sold.order.slice(0, 8), sold.order.slice(-6)];
    for (const text of ["zydeco", ...numbers, ...numbers.map((number) => ` #${number.toUpperCase()}`)]) {
      expect(
        (await phone.search(text)).map(({ id }) => id),
        text,
      ).toContain(ticket);
    }
    expect(await phone.search("z")).toEqual([]);
    expect(await phone.scan({ code_id: ticket!, issue_number: null, by: "search" })).toMatchObject([
      { result: "admitted" },
    ]);
    const [found] = await phone.search("Zydeco");
    expect(found).toMatchObject({ admitted_at: expect.any(Number), entrance_id: entrances.main });
  });

  it("finds by mail, plate and the buyer's name, whose own name it is first, and no middle of a word", async () => {
    const { tickets, permits } = await gate.sell({ general: 2, preferred: 1 }, [
      "Quentin Broussard",
      "Xavier Thibodeaux",
    ]);
    const ids = async (text: string) => (await phone.search(text)).map(({ id }) => id);
    await gate.sql("update public.parking_permits set plate = 'BAYOU 77' where id = $1", permits[0]);
    expect(await ids("thibo")).toEqual([tickets[1], expect.any(String), expect.any(String)]);
    expect((await ids("quentin brou")).slice(0, 2).toSorted()).toEqual([tickets[0], permits[0]].toSorted());
    expect(await ids("ibodeaux")).toEqual([]);
    await gate.sql(
      "update public.orders set buyer_email = 'one.mail@buyers.test' where id = (select order_id from public.tickets where id = $1)",
      tickets[0],
    );
    expect((await ids("one.mail@buyers.test")).toSorted(), "the whole order").toEqual(
      [...tickets, ...permits].toSorted(),
    );
    expect(await ids("bayou 7")).toEqual(permits);
    expect(await ids("BAYOU%")).toEqual([]);
    expect(await ids(permits[0]!)).toEqual(permits);
    await gate.sql("select public.roll_up()");
    expect(await ids("thibo")).toHaveLength(3);
  });

  it.each([
    ["Zoë Nguyễn", ["Zoe nguyen", "nguyen zoë", "ngu zoe"]],
    ["Marcus Okonkwo-Bell", ["okonkwo marcus", "okonkwobell", "bell okonkwo", "marc okonkwo-bell"]],
    ["Đặng Łukasz O’Brien", ["dang", "lukasz obrien", "o'brien đang"]],
  ])("finds %s however the name is typed", async (name, texts) => {
    const { tickets } = await gate.sell({ general: 1 }, [name]);
    for (const text of texts) {
      expect(
        (await phone.search(text)).map(({ id }) => id),
        text,
      ).toEqual(tickets);
    }
  });

  it("lists permits alone at a parking entrance, and says what a scan there would answer", async () => {
    const { tickets, permits, order } = await gate.sell({ vip: 1, preferred: 1 }, ["Petra Parker"]);
    const lot = await gate.phone(undefined, entrances.parking);
    const found = async (on: Phone) =>
      Object.fromEntries((await on.search(order)).map(({ id, would, is_in }) => [id, { would, is_in }]));
    const may = { would: "admitted", is_in: false };
    expect(await found(lot)).toEqual({ [permits[0]!]: may, [permits[1]!]: may });
    const elsewhere = { would: "wrong_entrance", is_in: false };
    expect(await found(phone)).toEqual({
      [tickets[0]!]: may,
      [permits[0]!]: elsewhere,
      [permits[1]!]: elsewhere,
    });
    await phone.scan({ code_id: tickets[0]! });
    expect((await found(phone))[tickets[0]!]).toEqual({ would: "already_in", is_in: true });
    await gate.sql("update public.gate_entrances set is_open = false where id = $1", entrances.parking);
    expect(await found(lot)).toMatchObject({ [permits[0]!]: { would: "closed" } });
    await gate.sql("update public.gate_entrances set is_open = true where id = $1", entrances.parking);
    await gate.sql("select public.take_back($1, null, null)", order);
    expect(await found(lot)).toMatchObject({ [permits[0]!]: { would: "void" } });
  });

  it("answers each scan, though others in the same call make no sense", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    const [row] = await gate.sql<{ answer: { results: unknown[] } }>("select 1 as answer");
    expect(row).toBeDefined();
    const nonsense = [
      17,
      { id: "no id", action: "in" },
      { id: randomUUID(), action: "dance", code_id: tickets[0] },
      { id: randomUUID(), action: "in", code_id: "no code", issue_number: "x", at: "y", decided: null },
      { id: randomUUID(), action: "in", code_id: tickets[0], issue_number: 1, at: 1, decided: null },
    ];
    const answer = (await gate.call(phone.user, "gate_scan", [phone.id, JSON.stringify(nonsense)])) as {
      results: { result: string }[];
    };
    expect(answer.results.map(({ result }) => result)).toEqual([
      "unknown",
      "unknown",
      "unknown",
      "unknown",
      "admitted",
    ]);
  });

  it("keeps the other scans when one cannot be written, and leaves that one to be sent again", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    await gate.sql(
      `create function public.break_one() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`,
    );
    await gate.sql(
      `create trigger break_one before insert on public.admissions for each row when (new.ticket_id = '${tickets[0]}') execute function public.break_one()`,
    );
    const results = await phone.scan({ code_id: tickets[0]! }, { code_id: tickets[1]! });
    await gate.sql("drop function public.break_one() cascade");
    expect(results).toMatchObject([{ result: "admitted", person: { code: tickets[1]!.slice(0, 8) } }]);
    expect(
      await gate.sql(
        "select new_values ->> 'error' as error from public.audit_logs where action_type = 'ERROR_GATE_SCAN'",
      ),
    ).toEqual([{ error: "broken" }]);
    expect(await phone.scan({ code_id: tickets[0]! })).toMatchObject([{ result: "admitted" }]);
  });

  it(
    "answers several hundred that cannot be recorded, keeps them in the audit log, and lets in those behind them",
    { timeout: 60_000 },
    async () => {
      const { tickets } = await gate.sell({ general: 2 });
      await gate.sql(
        `create function public.break_all() returns trigger language plpgsql as $$ begin raise exception 'all broken' using errcode = '23514'; end $$`,
      );
      await gate.sql(
        `create trigger break_all before insert on public.admissions for each row when (new.ticket_id = '${tickets[0]}') execute function public.break_all()`,
      );
      const scan = (code: string) => ({
        id: randomUUID(),
        code_id: code,
        decided: "admitted" as const,
        at: minutesAgo(30),
      });
      const bad = Array.from({ length: 300 }, () => scan(tickets[0]!));
      const good = scan(tickets[1]!);
      const answers = new Map<string, unknown>();
      // A call ends when its time is up; the phone sends the rest again, from the front.
      for (let calls = 0; calls < 10 && answers.size < 301; calls++) {
        const queue = [...bad, good].filter(({ id }) => !answers.has(id));
        for (const answer of await phone.scan(...queue)) answers.set(answer.id, answer);
      }
      await gate.sql("drop function public.break_all() cascade");
      expect(answers.get(good.id)).toMatchObject({ result: "admitted" });
      for (const { id } of bad)
        expect(answers.get(id)).toMatchObject({ result: "unknown", detail: "not_recorded" });
      const [kept] = await gate.sql(
        `select count(distinct new_values #>> '{scan,id}')::int as scans from public.audit_logs
        where action_type = 'ERROR_GATE_SCAN' and new_values ->> 'error' = 'all broken' and new_values #>> '{scan,code_id}' = $1`,
        tickets[0],
      );
      expect(kept).toEqual({ scans: 300 });
    },
  );

  it("sends a scan again that only a lock kept out", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    await gate.sql(
      `create function public.lock_out() returns trigger language plpgsql as $$ begin raise exception 'locked' using errcode = '55P03'; end $$`,
    );
    await gate.sql(
      "create trigger lock_out before insert on public.admissions for each row execute function public.lock_out()",
    );
    const scan = { id: randomUUID(), code_id: tickets[0]!, decided: "admitted" as const };
    const locked = await phone.scan(scan);
    await gate.sql("drop function public.lock_out() cascade");
    expect(locked).toEqual([]);
    expect(await phone.scan(scan)).toMatchObject([{ result: "admitted" }]);
  });

  it("admits nobody under the id of another code's scan, or of another phone's", async () => {
    const { tickets } = await gate.sell({ general: 3 });
    const south = await gate.phone();
    const [id, twice] = [randomUUID(), randomUUID()];
    expect(await phone.scan({ id, code_id: tickets[0]! })).toMatchObject([{ result: "admitted" }]);
    const malformed = [{ result: "unknown", detail: "malformed" }];
    for (const decided of [null, "admitted"] as const) {
      expect(await phone.scan({ id, code_id: tickets[1]!, decided })).toMatchObject(malformed);
      expect(await south.scan({ id, code_id: tickets[0]!, decided })).toMatchObject(malformed);
    }
    const refused = { id, code_id: tickets[0]!, action: "refused", decided: "void" } as const;
    expect(await south.scan(refused)).toMatchObject(malformed);
    expect(await standing(tickets[0]!)).toEqual([{ id }]);
    expect(
      await phone.scan({ id: twice, code_id: tickets[1]! }, { id: twice, code_id: tickets[2]! }),
    ).toMatchObject([{ result: "admitted" }, malformed[0]]);
    expect(await standing(tickets[2]!)).toEqual([]);
  });

  it("refuses more than a thousand scans at once", async () => {
    const scans = JSON.stringify(Array.from({ length: 1001 }, () => ({})));
    await expect(gate.call(phone.user, "gate_scan", [phone.id, scans])).rejects.toMatchObject({
      code: "22023",
    });
  });
});

describe("an order", () => {
  it("is completed when everybody is in, though a vehicle is not", async () => {
    const sold = await gate.sell({ vip: 2, preferred: 1 });
    await phone.scan({ code_id: sold.tickets[0]! });
    expect(await statusOf(sold)).toBe("confirmed");
    await phone.scan({ code_id: sold.tickets[1]! });
    expect(await statusOf(sold)).toBe("completed");
    await phone.scan({ code_id: sold.tickets[1]!, action: "undo", reason: "wrong person" });
    expect(await statusOf(sold)).toBe("confirmed");
  });

  it("is completed when all are in, whichever door each came through", async () => {
    const sold = await gate.sell({ general: 3 });
    await phone.scan({ code_id: sold.tickets[0]! });
    await phone.scan({ code_id: sold.tickets[1]!, decided: "admitted", at: minutesAgo(5) });
    expect(await statusOf(sold)).toBe("confirmed");
    await gate.sql("update public.tickets set checked_in_at = now() where id = $1", sold.tickets[2]);
    expect(await statusOf(sold)).toBe("completed");
    expect(await phone.scan({ code_id: sold.tickets[2]! })).toMatchObject([
      { result: "already_in", first: { device: null } },
    ]);
  });

  it("is completed when those left after a refund are in", async () => {
    const sold = await gate.sell({ general: 2 });
    await phone.scan({ code_id: sold.tickets[0]! });
    await gate.sql("select public.take_back($1, $2, null)", sold.order, [sold.tickets[1]]);
    expect(await statusOf(sold)).toBe("completed");
  });

  it("voids the permits of refunded parking, and of VIP that is given back", async () => {
    const sold = await gate.sell({ vip: 1, general: 1, preferred: 1 });
    await gate.sql("select public.take_back($1, $2, null)", sold.order, [sold.tickets[0]]);
    const permits = await gate.sql<{ included: boolean; is_void: boolean; issue_number: number }>(
      `select i.included, p.voided_at is not null as is_void, p.issue_number from public.parking_permits p
        join public.order_items i on i.id = p.order_item_id where p.order_id = $1 order by i.included`,
      sold.order,
    );
    expect(permits).toEqual([
      { included: false, is_void: false, issue_number: 1 },
      { included: true, is_void: true, issue_number: 2 },
    ]);
    await gate.sql("select public.take_back($1, null, null)", sold.order);
    expect(
      await gate.sql(
        "select from public.parking_permits where order_id = $1 and voided_at is null",
        sold.order,
      ),
    ).toEqual([]);
  });
});

describe("a scan handed in later", () => {
  it("is written down as it happened, and a second admission is a conflict with both places and times", async () => {
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

  it("is listed by when it was, whichever phone handed in first", async () => {
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

  it("says what the server would have refused it for, and lets nobody out again", async () => {
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

  it("never lies in the future, however wrong the device's clock is", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: Date.now() + 5 * 3600_000 });
    const [row] = await gate.sql(
      "select admitted_at <= received_at as possible, is_offline from public.admissions where ticket_id = $1",
      tickets[0],
    );
    expect(row).toEqual({ possible: true, is_offline: true });
  });

  it("keeps its place in time when the device's clock is hours behind, and its order when it is hours ahead", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: minutesAgo(6 * 60) });
    await settings("reentry = true");
    const ahead = Date.now() + 6 * 3600_000;
    const results = await phone.scan(
      { code_id: tickets[1]!, decided: "admitted", at: ahead },
      { code_id: tickets[1]!, action: "out", decided: "let_out", at: ahead + 1 },
      { code_id: tickets[1]!, decided: "admitted", at: ahead + 2 },
    );
    await settings("reentry = false");
    expect(results.map(({ result, conflict }) => [result, conflict])).toEqual([
      ["admitted", undefined],
      ["let_out", undefined],
      ["admitted", undefined],
    ]);
    const [row] = await gate.sql(
      `select bool_and(admitted_at <= received_at and coalesce(left_at, now()) >= admitted_at) as in_order,
        min(public.gate_ms(admitted_at)) filter (where ticket_id = $2) between $3::bigint and $3::bigint + 60000 as kept
        from public.admissions where ticket_id = any ($1)`,
      tickets,
      tickets[0],
      minutesAgo(6 * 60) - 30_000,
    );
    expect(row).toEqual({ in_order: true, kept: true });
  });

  it("never lies before its ticket was sold or its phone was opened", async () => {
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
        from public.admissions a join public.tickets t on t.id = a.ticket_id join public.gate_devices d on d.id = a.device_id
        where t.id = any ($1) order by t.id = $2 desc`,
      tickets,
      tickets[0],
    );
    expect(times).toEqual([
      { as_sold: true, as_opened: false, both: true },
      { as_sold: false, as_opened: true, both: true },
    ]);
  });

  it("goes in with a thousand others of one code", { timeout: 60_000 }, async () => {
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
    expect(await standing(tickets[0]!)).toEqual([{ id: scans[0]!.id }]);
    await gate.sql(
      "delete from public.admissions where ticket_id = $1 and conflicts_with is not null",
      tickets[0],
    );
  });

  it("is answered as far as a call goes, in order, and the phone goes on with the rest", async () => {
    await settings("reentry = true");
    const { tickets } = await gate.sell({ general: 1 });
    let queue = Array.from({ length: 100 }, (_, index) => ({
      id: randomUUID(),
      code_id: tickets[0]!,
      ...(index % 2 === 0
        ? { action: "in" as const, decided: "admitted" as const }
        : { action: "out" as const, decided: "let_out" as const }),
      at: minutesAgo(40) + index,
    }));
    const answers = [];
    for (let calls = 0; queue.length > 0 && calls < 3; calls++) {
      const results = await phone.scan(...queue);
      expect(results.map(({ id }) => id)).toEqual(queue.slice(0, 40).map(({ id }) => id));
      answers.push(...results.map(({ result, conflict }) => (conflict ? "conflict" : result)));
      queue = queue.slice(results.length);
    }
    await settings("reentry = false");
    expect(answers).toEqual(Array.from({ length: 50 }, () => ["admitted", "let_out"]).flat());
  });

  it("changes nothing the second time, whatever it was", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    await settings("reentry = true");
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
        `select (select json_agg(a order by id) from public.admissions a where ticket_id = any ($1)) as admissions,
          (select json_agg(r order by id) from public.gate_refusals r where ticket_id = any ($1)) as refusals,
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
    await settings("reentry = false");
  });

  it("is an admission though the server's refusal of it came too late, and none though its admission did", async () => {
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
    expect(await standing(tickets[1]!)).toEqual([]);
    expect(await phone.scan({ code_id: tickets[1]! })).toMatchObject([{ result: "admitted" }]);
  });
});

describe("undo", () => {
  it("asks whose mistake it was, promotes who was second, and is written to the audit log", async () => {
    const { tickets } = await gate.sell({ general: 1 }, ["Undone Ulla"]);
    const south = await gate.phone("Undoer");
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: minutesAgo(9) });
    await south.scan({ code_id: tickets[0]!, decided: "admitted", at: minutesAgo(8) });
    await phone.scan({ code_id: tickets[0]!, action: "undo", reason: "scanned the neighbour" });
    const [row] = await gate.sql(
      `select d.name, a.conflicts_with, a.admitted_at = t.checked_in_at as is_the_first from public.admissions a
        join public.gate_devices d on d.id = a.device_id join public.tickets t on t.id = a.ticket_id
        where a.ticket_id = $1 and a.undone_at is null`,
      tickets[0],
    );
    expect(row).toEqual({ name: "Undoer", conflicts_with: null, is_the_first: true });
    const [logged] = await gate.sql(
      "select admin_user_id, new_values from public.audit_logs where table_name = 'admissions' order by created_at desc limit 1",
    );
    expect(logged).toMatchObject({
      admin_user_id: phone.user,
      new_values: { undone: "scanned the neighbour", device: "North", name: "Undone Ulla" },
    });
    expect(await south.scan({ code_id: tickets[0]!, action: "undo", reason: "x" })).toMatchObject([
      { result: "undone" },
    ]);
    expect(await south.scan({ code_id: tickets[0]!, action: "undo", reason: "x" })).toMatchObject([
      { result: "not_inside" },
    ]);
  });
});

describe("undoing what is named", () => {
  const back = (on: Phone, code: string, undoes: string | null | undefined) =>
    on.scan({ code_id: code, action: "undo", undoes: undoes!, reason: "mistaken" });
  const isIn = async (code: string) => (await standing(code)).length === 1;

  it('takes back another phone\'s let-in: of a search, of "already in", of the list of recent scans', async () => {
    const { tickets } = await gate.sell({ general: 3 }, ["Found", "Refused", "Listed"]);
    const other = await gate.phone("Corrector");
    await phone.scan(...tickets.map((code_id) => ({ code_id })));
    const [found] = await other.search(tickets[0]!);
    const [refused] = await other.scan({ code_id: tickets[1]! });
    const recent = (await other.recent()).find(({ code_id }) => code_id === tickets[2]);
    expect(recent).toMatchObject({ action: "in", device: "North", is_own: false, is_undone: false });
    expect(recent!.person.name).toBe("Listed");
    const named = [found!.admission_id, refused!.first!.id, recent!.id];
    for (const [index, undoes] of named.entries()) {
      expect(await back(other, tickets[index]!, undoes)).toMatchObject([{ result: "undone" }]);
      expect(await isIn(tickets[index]!)).toBe(false);
    }
    const after = (await other.recent()).filter(({ code_id }) => tickets.includes(code_id));
    expect(after.map(({ is_undone }) => is_undone)).toEqual([true, true, true]);
  });

  it("takes back the one that was named, not the phone's own, and nothing of another code", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    const [ticket, neighbour] = tickets as [string, string];
    const other = await gate.phone("Second opinion");
    const first = randomUUID();
    await phone.scan({ id: first, code_id: ticket, decided: "admitted", at: minutesAgo(5) });
    await other.scan({ code_id: ticket, decided: "admitted", at: minutesAgo(4) });
    expect(await back(other, neighbour, first)).toMatchObject([{ result: "not_inside" }]);
    await back(other, ticket, first);
    const [row] = await gate.sql(
      "select device_name from public.admissions where ticket_id = $1 and undone_at is null",
      ticket,
    );
    expect(row).toEqual({ device_name: "Second opinion" });
  });

  it("brings back in who was scanned out by mistake, once, unless they came in again", async () => {
    await settings("reentry = true");
    const { tickets } = await gate.sell({ general: 1 });
    const [code_id] = tickets as [string];
    const out = randomUUID();
    await phone.scan({ code_id }, { code_id, id: out, action: "out" });
    expect(await isIn(code_id)).toBe(false);
    const other = await gate.phone("Way back");
    const listed = (await other.recent()).find(({ id }) => id === out);
    expect(listed).toMatchObject({ action: "out", code_id, device: "North", entrance: "Main Entrance" });
    expect((await other.search(code_id))[0]).toMatchObject({ is_in: false, out_id: out });
    const undo = { id: randomUUID(), code_id, action: "undo", undoes: out, reason: "wrong row" } as const;
    expect(await other.scan(undo)).toMatchObject([{ result: "undone" }]);
    expect(await isIn(code_id)).toBe(true);
    expect(await other.scan(undo), "handed in again").toMatchObject([{ result: "undone" }]);
    expect(await isIn(code_id)).toBe(true);
    const log = await gate.sql(
      "select admin_user_id, new_values from public.audit_logs where new_values ->> 'ticket_id' = $1",
      code_id,
    );
    expect(log).toMatchObject([
      { admin_user_id: other.user, new_values: { undone: "wrong row", is_out: false, device: "Way back" } },
    ]);
    const again = randomUUID();
    await phone.scan({ code_id, id: again, action: "out" }, { code_id });
    expect(await back(phone, code_id, again)).toMatchObject([{ result: "already_in" }]);
    expect(await isIn(code_id)).toBe(true);
    await settings("reentry = false");
  });
});

describe("an administrator's check-in", () => {
  const audited = async (admission: string) =>
    gate.sql(
      "select action_type, new_values from public.audit_logs where record_id = $1 order by created_at, action_type",
      admission,
    );

  it("lets in without a phone whatever the doors say, and is taken back, both with a reason", async () => {
    const sold = await gate.sell({ vip: 1 }, ["Cora Carried"]);
    await settings("doors_open_at = now() + interval '1 hour'");
    const checkIn = (code: string, reason = "phone died") =>
      gate.call(gate.admin, "check_in_code", [code, reason]) as Promise<string>;
    await expect(checkIn(sold.tickets[0]!, " ")).rejects.toMatchObject({
      code: "22023",
      message: "Say why.",
    });
    const made = await checkIn(sold.tickets[0]!);
    await checkIn(sold.permits[0]!);
    await settings("doors_open_at = null");
    expect(await statusOf(sold)).toBe("completed");
    expect(await phone.scan({ code_id: sold.tickets[0]! })).toMatchObject([
      { result: "already_in", first: { id: made, device: "Back office", entrance: null } },
    ]);
    await expect(checkIn(sold.tickets[0]!)).rejects.toMatchObject({ message: "It is in already." });
    await gate.call(gate.admin, "undo_admission", [made, "it was her sister"]);
    expect(await statusOf(sold)).toBe("confirmed");
    expect(await audited(made)).toMatchObject([
      { action_type: "CREATE", new_values: { reason: "phone died", name: "Cora Carried" } },
      { action_type: "UPDATE", new_values: { undone: "it was her sister", device: "Back office" } },
    ]);
    await expect(gate.call(gate.admin, "undo_admission", [made, "twice"])).rejects.toMatchObject({
      message: "It was taken back already.",
    });
    expect(await phone.scan({ code_id: sold.tickets[0]! })).toMatchObject([{ result: "admitted" }]);
  });

  it("is refused for refunded tickets, and to everybody else", async () => {
    const { order, tickets } = await gate.sell({ general: 1 });
    await expect(gate.call(phone.user, "check_in_code", [tickets[0], "x"])).rejects.toMatchObject({
      code: "42501",
    });
    await expect(gate.call(phone.user, "undo_admission", [randomUUID(), "x"])).rejects.toMatchObject({
      code: "42501",
    });
    await gate.sql("select public.take_back($1, null, null)", order);
    await expect(gate.call(gate.admin, "check_in_code", [tickets[0], "x"])).rejects.toMatchObject({
      message: "It was refunded and admits nobody.",
    });
  });
});

describe("re-entry", () => {
  beforeEach(() => settings("reentry = true"));

  it("lets who went out in again, and is refused once it is off", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    const scan = async (action: "in" | "out") =>
      (await phone.scan({ code_id: tickets[0]!, action }))[0]!.result;
    expect(await scan("out")).toBe("not_inside");
    expect([
      await scan("in"),
      await scan("in"),
      await scan("out"),
      await scan("out"),
      await scan("in"),
    ]).toEqual(["admitted", "already_in", "let_out", "not_inside", "admitted"]);
    await scan("out");
    await settings("reentry = false");
    expect(await scan("in")).toBe("already_in");
  });

  it("ends a conflict once the way out between both is handed in", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    const exit = await gate.phone("Exit");
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: minutesAgo(30) });
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: minutesAgo(10) });
    expect(
      await gate.sql(
        "select from public.admissions where ticket_id = $1 and conflicts_with is not null",
        tickets[0],
      ),
    ).toHaveLength(1);
    await exit.scan({ code_id: tickets[0]!, action: "out", decided: "let_out", at: minutesAgo(20) });
    expect(
      await gate.sql(
        "select from public.admissions where ticket_id = $1 and conflicts_with is not null",
        tickets[0],
      ),
    ).toEqual([]);
    expect(await standing(tickets[0]!)).toHaveLength(1);
    await settings("reentry = false");
  });
});

describe("the list", () => {
  const whole = async (on: Phone, limit?: number) => {
    const rows = new Map<string, unknown>();
    let page = await on.list(undefined, limit);
    expect(page.reset).toBe(true);
    for (;;) {
      for (const row of page.rows) rows.set(row.id, row);
      if (!page.more) return { rows, upto: page.upto };
      page = await on.list(page.upto, limit);
      expect(page.reset).toBe(false);
    }
  };

  it("has every ticket and permit, in pages of any size", async () => {
    await gate.sell({ vip: 3, preferred: 1 });
    const [{ codes }] = (await gate.sql(
      "select (select count(*) from public.tickets)::int + (select count(*) from public.parking_permits)::int as codes",
    )) as [{ codes: number }];
    expect((await whole(phone)).rows.size).toBe(codes);
    expect((await whole(phone, 7)).rows.size).toBe(codes);
  });

  it("says afterwards what was sold, admitted, let out, refunded or undone since, and nothing else", async () => {
    let { upto } = await whole(phone);
    const changes = async () => {
      const page = await phone.list(upto);
      upto = page.upto;
      return page.rows.map(({ id, is_void, admitted_at }) => [id, is_void, admitted_at !== null]);
    };
    expect(await changes()).toEqual([]);
    const sold = await gate.sell({ general: 1 });
    const [id] = sold.tickets;
    expect(await changes()).toEqual([[id, false, false]]);
    await phone.scan({ code_id: id! });
    expect(await changes()).toEqual([[id, false, true]]);
    await phone.scan({ code_id: id!, action: "undo", reason: "x" });
    expect(await changes()).toEqual([[id, false, false]]);
    await settings("reentry = true");
    await phone.scan({ code_id: id! }, { code_id: id!, action: "out" });
    expect(await changes()).toEqual([[id, false, false]]);
    await settings("reentry = false");
    await gate.sql("select public.take_back($1, null, null)", sold.order);
    expect(await changes()).toEqual([[id, true, expect.any(Boolean)]]);
    expect(await changes()).toEqual([]);
  });

  it("misses no change of a transaction that was under way when it was read", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    const { upto } = await whole(phone);
    const service = db.database.asService("a slow sale");
    const during = await service.transaction(async (tx) => {
      await tx.query("update public.tickets set attendee_name = 'Slow' where id = $1", [tickets[0]]);
      await gate.sell({ general: 1 });
      return phone.list(upto);
    });
    const after = await phone.list(during.upto);
    const ids = [...during.rows, ...after.rows].map(({ id }) => id);
    expect(ids).toContain(tickets[0]);
  });

  it("starts anew when the database is another one", async () => {
    const { upto } = await whole(phone);
    expect((await phone.list(upto.replace(/^\d+/, "1"))).reset).toBe(true);
    expect((await phone.list(upto.replace(/\.\d+\./, ".9000000000000000000."))).reset).toBe(true);
    expect((await phone.list("nonsense")).reset).toBe(true);
  });
});

describe("devices", () => {
  const removed = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: { code?: string; detail?: string; hint?: string }) =>
        gateAccessRemoved({ code: error.code, details: error.detail, hint: error.hint }),
    );

  it("with one name are told apart, until the first is put away", async () => {
    const first = await gate.phone("Tower");
    const second = gate.phoneOf(await gate.newUser("gate"));
    expect((await second.open("tower ")).device).toMatchObject({ name: "tower 2", renamed: true });
    await gate.call(first.user, "gate_leave", [first.id]);
    expect((await second.open("Tower")).device).toMatchObject({ name: "Tower", renamed: false });
  });

  it("need a role, and are their opener's alone", async () => {
    const buyer = gate.phoneOf(await gate.newUser());
    expect(await removed(buyer.open("x"))).toBe("role_removed");
    const ended = gate.phoneOf(await gate.newUser("gate"));
    await ended.open("x");
    await gate.sql("update public.user_roles set expires_at = now() where user_id = $1", ended.user);
    expect(await removed(ended.list())).toBe("role_removed");
    const thief = gate.phoneOf(await gate.newUser("gate"), phone.id);
    expect(await removed(thief.scan({}))).toBe("unknown_device");
    expect(await removed(thief.open("Mine"))).toBe("unknown_device");
    expect((await phone.open()).device.name).toBe("North");
  });

  it("keep in each scan the name they had then", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    const renamed = await gate.phone("Old name");
    await renamed.scan({ code_id: tickets[0]! });
    await renamed.open("New name");
    await renamed.scan({ code_id: tickets[1]! }, { code_id: tickets[0]! });
    const names = (await renamed.recent()).map(({ device }) => device);
    expect(names.filter((name) => name?.endsWith("name"))).toEqual(["New name", "Old name"]);
    const { last_refused } = await gate.board();
    expect(last_refused[0]).toMatchObject({ reason: "already_in", device: "New name" });
  });

  it("say on the board at once why they may scan no more", async () => {
    const lost = async ({ id }: Phone) =>
      (await gate.board()).devices.find((device) => device.id === id)!.lost;
    const worker = await gate.phone("Worker");
    expect(await lost(worker)).toBeNull();
    await gate.call(gate.admin, "revoke_gate_device", [worker.id]);
    expect(await lost(worker)).toBe("device_revoked");
    await gate.call(gate.admin, "restore_gate_device", [worker.id]);
    await gate.sql("delete from public.user_roles where user_id = $1", worker.user);
    expect(await lost(worker)).toBe("role_removed");
    expect(await removed(worker.list())).toBe("role_removed");
  });

  it("change hands once their user has signed out, or may no longer work at the gate", async () => {
    const shared = await gate.phone("Shared");
    const next = gate.phoneOf(await gate.newUser("gate"), shared.id);
    expect(await removed(next.open())).toBe("unknown_device");
    await gate.call(shared.user, "gate_leave", [shared.id]);
    expect((await next.open()).device.name).toBe("Shared");
    await gate.sql("update public.user_roles set expires_at = now() where user_id = $1", next.user);
    const last = gate.phoneOf(await gate.newUser("gate"), shared.id);
    expect((await last.open()).device.name).toBe("Shared");
    expect((await gate.phoneOf(gate.admin, shared.id).open()).device.name).toBe("Shared");
  });

  it("that are revoked may do nothing, under no other id either, until they are restored", async () => {
    const user = await gate.newUser("gate");
    const session = randomUUID();
    await gate.sql("insert into auth.sessions (id, user_id) values ($1, $2)", session, user);
    const lost = gate.phoneOf(user, undefined, session);
    await lost.open("Lost");
    const alsoLost = gate.phoneOf(user, undefined, session);
    await alsoLost.open("Also lost");
    await gate.call(gate.admin, "revoke_gate_device", [lost.id]);
    expect(await removed(alsoLost.scan({}))).toBe("device_revoked");
    expect(await removed(alsoLost.list())).toBe("device_revoked");
    expect(await removed(alsoLost.search("ana"))).toBe("device_revoked");
    expect(await removed(lost.scan({}))).toBe("device_revoked");
    expect(await removed(lost.list())).toBe("device_revoked");
    expect(await removed(lost.search("ana"))).toBe("device_revoked");
    expect(await removed(lost.open())).toBe("device_revoked");
    expect(await removed(gate.phoneOf(user, undefined, session).open("Another"))).toBe("device_revoked");
    const { tickets } = await gate.sell({ general: 1 });
    const byAdmin = gate.phoneOf(gate.admin, lost.id);
    expect((await byAdmin.open()).device.is_revoked).toBe(true);
    expect(await byAdmin.scan({ code_id: tickets[0]!, decided: "admitted" })).toMatchObject([
      { result: "admitted" },
    ]);
    await gate.call(gate.admin, "restore_gate_device", [lost.id]);
    expect((await lost.open()).device).toMatchObject({ name: "Lost", is_revoked: false });
    expect((await alsoLost.list()).reset).toBe(true);
    const log = await gate.sql(
      "select new_values ->> 'revoked' as revoked from public.audit_logs where record_id = $1 order by created_at",
      lost.id,
    );
    expect(log).toEqual([{ revoked: "true" }, { revoked: "false" }]);
  });
});

describe("the board", () => {
  it("of a large festival is counted by one screen for all, and again after twenty times as long as it took", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    const [was] = await gate.sql("select pg_get_functiondef('public.is_large_gate()'::regprocedure) as text");
    await gate.sql(
      "create or replace function public.is_large_gate() returns boolean language sql stable set search_path = '' as 'select true'",
    );
    const before = await gate.board();
    await gate.sql("update public.gate_counted set took = '1 hour'");
    await phone.scan({ code_id: tickets[0]! });
    expect((await gate.board()).totals).toEqual(before.totals);
    await gate.sql(
      "update public.gate_counted set took = '1 second', counted_at = now() - interval '21 seconds'",
    );
    const after = await gate.board();
    await gate.sql(was!.text as string);
    expect(after.totals.admitted).toBe(before.totals.admitted + 1);
    expect((await gate.board()).totals).toEqual(after.totals);
  });

  it("counts each code once, and adds up", async () => {
    const { totals, types, entrances: doors, inflow, refused } = await gate.board();
    const sum = (numbers: number[]) => numbers.reduce((one, next) => one + next, 0);
    const [books] = await gate.sql(
      `select count(distinct coalesce(ticket_id, permit_id))::int as admitted, count(*) filter (where conflicts_with is not null)::int as conflicts,
        count(*) filter (where conflicts_with is null and left_at is null)::int as inside from public.admissions where undone_at is null`,
    );
    expect(totals).toMatchObject(books!);
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

describe("invitations", () => {
  const create = async (day = "2099-01-01") =>
    (await gate.call(gate.admin, "create_gate_invitation", ["Volunteers", entrances.express, day])) as {
      id: string;
      token: string;
    };
  const tomorrow = async () =>
    (await gate.sql("select (public.festival_day(now()) + 1)::text as day"))[0]!.day as string;
  const find = async (token: string) =>
    (await gate.sql("select public.find_gate_invitation($1) as found", token))[0]!.found;

  it("end with their day in Houston, are kept as hashes, and are refused for other days", async () => {
    const made = await create(await tomorrow());
    const [row] = await gate.sql(
      `select to_char(expires_at at time zone 'America/Chicago', 'HH24:MI') as time, encode(token_hash, 'hex') as hash,
        public.festival_day(expires_at)::text as day, (public.festival_day(now()) + 2)::text as expected
        from public.gate_invitations where id = $1`,
      made.id,
    );
    expect(row).toMatchObject({ time: "00:00", day: row!.expected });
    expect(row!.hash).not.toContain(made.token);
    expect(await find(made.token)).toEqual({ id: made.id, entrance_id: entrances.express, is_full: false });
    await expect(
      gate.call(gate.admin, "create_gate_invitation", ["Crew", null, await tomorrow(), 0]),
    ).rejects.toMatchObject({ message: "An invitation is for 1 to 200 phones." });
    await expect(create("2001-01-01")).rejects.toMatchObject({ code: "22023" });
    await expect(create()).rejects.toMatchObject({ code: "22023" });
  });

  it("give a device account the gate until then, and take it away at once when they are revoked", async () => {
    const made = await create(await tomorrow());
    const user = randomUUID();
    await gate.sql("insert into auth.users (id, email) values ($1, $2)", user, `gate-${user}@gate.invalid`);
    expect(await gate.sql("select public.join_gate_invitation($1, $2) as joined", made.id, user)).toEqual([
      { joined: true },
    ]);
    const invited = gate.phoneOf(user);
    const bound = { entrance_id: entrances.express, is_bound: true };
    expect((await invited.open("Volunteer")).device).toMatchObject(bound);
    expect((await invited.open(undefined, entrances.main)).device, "it cannot choose").toMatchObject(bound);
    const { tickets } = await gate.sell({ general: 1 });
    expect(await invited.scan({ code_id: tickets[0]!, entrance_id: entrances.main })).toMatchObject([
      { result: "wrong_entrance" },
    ]);
    const lost = async () => (await gate.board()).devices.find(({ id }) => id === invited.id)!.lost;
    expect(await lost()).toBeNull();
    const listed = (await gate.call(gate.admin, "list_users", [`gate-${user}`])) as { rows: unknown[] };
    expect(listed.rows).toEqual([]);
    await gate.call(gate.admin, "revoke_gate_invitation", [made.id]);
    const revoked = { code: "42501", detail: "gate_access_removed", hint: "invitation_revoked" };
    await expect(invited.list()).rejects.toMatchObject(revoked);
    expect(await lost()).toBe("invitation_revoked");
    expect(await find(made.token)).toBeNull();
    expect(
      await gate.sql("select public.join_gate_invitation($1, $2) as joined", made.id, randomUUID()),
    ).toEqual([{ joined: false }]);
    await gate.sql(
      "update public.user_roles set expires_at = now() - interval '2 days' where user_id = $1",
      user,
    );
    await gate.sql("select public.clean_up()");
    expect(await gate.sql("select from auth.users where id = $1", user)).toEqual([]);
  });
});
