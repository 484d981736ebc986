// The list of codes that phones store.
import { randomUUID } from "node:crypto";
import type { GateScan } from "contract/gate";
import { describe, expect, it } from "vitest";
import { cloneDatabase } from "../../../server/testing/database.ts";
import { entrances, openGate, openGateWorld, type Phone } from "./world.ts";

const { db, gate, phone } = await openGate();

describe("the list", () => {
  /** A change is listed once all older transactions have ended, including those of other tests' databases in this cluster. */
  async function settle(): Promise<void> {
    const [next] = await gate.sql("select pg_snapshot_xmax(pg_current_snapshot())::text as xid");
    const over = "select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as over";
    await expect.poll(() => gate.sql(over, next!.xid)).toEqual([{ over: true }]);
  }

  const whole = async (on: Phone, limit?: number) => {
    const rows = new Map<string, unknown>();
    await settle();
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
    await gate.sell({ vip: 3, general: 8, preferred: 1 });
    const [{ codes }] = (await gate.sql("select count(*)::int as codes from public.entry_codes")) as [
      { codes: number },
    ];
    expect((await whole(phone)).rows.size).toBe(codes);
    expect((await whole(phone, 7)).rows.size).toBe(codes);
  });

  it("then reports what was sold, admitted, let out, refunded or undone since, and nothing else", async () => {
    let { upto } = await whole(phone);
    const changes = async () => {
      await settle();
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
    await gate.settings("reentry = true");
    await phone.scan({ code_id: id! }, { code_id: id!, action: "out" });
    expect(await changes()).toEqual([[id, false, false]]);
    await gate.settings("reentry = false");
    await gate.sql("select public.take_back($1, null, null)", sold.order);
    expect(await changes()).toEqual([[id, true, expect.any(Boolean)]]);
    expect(await changes()).toEqual([]);
  });

  it("has since when people who went out had been in, which holds whether or not re-entry is on", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    await gate.settings("reentry = true");
    await phone.scan({ code_id: tickets[0]! }, { code_id: tickets[0]!, action: "out" });
    const { rows, upto } = await whole(phone);
    const outside = { admitted_at: null, last_in_at: expect.any(Number), entrance_id: entrances.main };
    expect(rows.get(tickets[0]!)).toMatchObject(outside);
    await gate.settings("reentry = false");
    await settle();
    expect(await phone.list(upto)).toMatchObject({ rows: [], settings: { reentry: false } });
    expect((await whole(phone)).rows.get(tickets[0]!)).toMatchObject(outside);
  });

  it("names the scan that last let somebody in or out by the start of its id", async () => {
    const { tickets, permits } = await gate.sell({ general: 1, preferred: 1 });
    await gate.settings("reentry = true");
    const lastScan = async (code: string) =>
      ((await whole(phone)).rows.get(code) as { last_scan: string | null }).last_scan;
    const parking = await gate.phone("Lot", entrances.parking);
    for (const [code, at] of [
      [tickets[0]!, phone],
      [permits.at(-1)!, parking],
    ] as const) {
      const scan = async (rest: Partial<GateScan>) => {
        const id = randomUUID();
        await at.scan({ id, code_id: code, ...rest });
        return id.slice(0, 8);
      };
      expect(await lastScan(code)).toBeNull();
      const way = await scan({ action: "in" });
      expect(await lastScan(code)).toBe(way);
      await scan({ action: "in" });
      expect(await lastScan(code), "after a refusal").toBe(way);
      const out = await scan({ action: "out" });
      expect(await lastScan(code)).toBe(out);
      await scan({ action: "undo", reason: "x" });
      expect(await lastScan(code)).toBeNull();
    }
    await gate.settings("reentry = false");
  });

  it("says which permits came with VIP", async () => {
    const { permits } = await gate.sell({ vip: 1, preferred: 1 });
    const { rows } = await whole(phone);
    const included = permits.map((id) => rows.get(id) as { type_id: string; is_included: boolean });
    const preferred = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e2002";
    expect(included.map(({ type_id, is_included }) => [type_id === preferred, is_included])).toEqual(
      expect.arrayContaining([
        [true, false],
        [false, true],
      ]),
    );
  });

  it("shows a permit under the new name and address of its buyer", async () => {
    const { order, permits } = await gate.sell({ general: 1, preferred: 1 });
    const { upto } = await whole(phone);
    await gate.call(gate.admin, "change_buyer", [order, "Bernadette Boudreaux", "bb@people.test"]);
    await settle();
    expect((await phone.list(upto)).rows).toMatchObject([
      { id: permits[0], name: "Bernadette Boudreaux", email: "bb@people.test" },
    ]);
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
    await settle();
    const after = await phone.list(during.upto);
    const ids = [...during.rows, ...after.rows].map(({ id }) => id);
    expect(ids).toContain(tickets[0]);
  });

  it("starts afresh when the database is another one", async () => {
    const { upto } = await whole(phone);
    expect((await phone.list(upto.replace(/^\d+/, "1"))).reset).toBe(true);
    expect((await phone.list(upto.replace(/\.\d+\./, ".9000000000000000000."))).reset).toBe(true);
    expect((await phone.list("nonsense")).reset).toBe(true);
  });

  it("starts afresh when a dump was restored, though the cluster keeps running", async () => {
    const { upto } = await whole(phone);
    const twin = await cloneDatabase();
    try {
      const there = await (await openGateWorld(twin)).phone("North");
      expect((await there.list(upto)).reset, "into a new database").toBe(true);
    } finally {
      await twin.close();
    }
    const before = (await whole(phone)).upto;
    expect((await phone.list(before)).reset).toBe(false);
    await gate.sql("cluster public.entry_codes using entry_codes_pkey"); // new files, as pg_restore --clean makes them
    expect((await phone.list(before)).reset, "over the old codes").toBe(true);
  });

  it("has what a restored dump brought from far ahead, and what happens to it", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    await gate.sql("alter table public.entry_codes disable trigger entry_codes_mark_changed");
    await gate.sql("update public.tickets set changed_xid = '9000000000' where id = any ($1)", tickets);
    await gate.sql("alter table public.entry_codes enable trigger entry_codes_mark_changed");
    const { rows, upto } = await whole(phone, 7);
    expect([...rows.keys()]).toEqual(expect.arrayContaining([...tickets]));
    await phone.scan({ code_id: tickets[0]! });
    await settle();
    expect((await phone.list(upto)).rows.map(({ id }) => id)).toEqual([tickets[0]]);
  });
});
