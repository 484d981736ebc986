// What is sold is one table: its kinds are rows, and the specification's tables are views of it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compare } from "../../server/testing/conformance/compare.ts";
import { openSides, type Exchange, type Sides } from "../../server/testing/conformance/sides.ts";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { faultsInBooks } from "../../tests/simulator/books.ts";
import { openOffice, type Office } from "./office.ts";

const general = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001";
const parking = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e2001";
const pitch = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3001";
const phone = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e4009";

describe("a new kind of product, added as rows", () => {
  let db: TestDatabase;
  let office: Office;
  const buyer = crypto.randomUUID();
  beforeAll(async () => {
    db = await cloneDatabase();
    office = await openOffice(db);
    await office.sql("insert into auth.users (id, email) values ($1, 'cleo@people.test')", buyer);
    await office.sql(`insert into public.product_kinds
        (kind, position, label, plural, title, admits, needs_attendee, has_code, one_per_order)
      values ('camping', 3, 'camping pitch', 'camping pitches', 'Camping', 'tent', false, true, true)`);
    await office.sql(
      `insert into public.products (id, kind, name, price, current_inventory, total_inventory)
        values ($1, 'camping', 'VIP general pitch', 80, 2, 2)`,
      pitch,
    );
    await office.as("gate", "select public.gate_open($1, 'Camp', null)", [phone]);
  });
  afterAll(() => db?.close());

  const stock = async () =>
    (
      await office.sql(
        "select current_inventory as left, held, sold, is_vip or is_general as is_special from public.products where id = $1",
        pitch,
      )
    )[0];
  async function order(
    items: readonly { type: string; id: string; quantity: number }[],
    cents: number,
  ): Promise<{ ok: boolean; order_id?: string; message?: string }> {
    const cart = {
      ...{ user_id: buyer, idempotency_key: crypto.randomUUID(), request_hash: "hash", items },
      attendees: [{ name: "Cleo", email: "cleo@people.test" }],
      buyer: { name: "Cleo", email: "cleo@people.test", phone: "713-555-0100" },
      total_cents: cents,
    };
    const [row] = await office.sql<{ answer: { ok: boolean; order_id?: string; message?: string } }>(
      "select public.reserve_orders($1::jsonb) -> 0 as answer",
      JSON.stringify([cart]),
    );
    return row!.answer;
  }
  const codesOf = (orderId: unknown) =>
    office.sql(
      `select kind, attendee_name as attendee, issue_number as issue, voided_at is not null as is_void
        from public.entry_codes where order_id = $1 order by kind`,
      orderId,
    );
  const codeOf = async (orderId: unknown) =>
    (
      await office.sql<{ id: string }>(
        "select id from public.entry_codes where order_id = $1 and kind = 'camping'",
        orderId,
      )
    )[0]?.id;
  async function scan(code: string): Promise<unknown> {
    const scans = [{ id: crypto.randomUUID(), code_id: code, issue_number: 1, action: "in", decided: null }];
    const [row] = await office.as<{ answer: unknown }>(
      "gate",
      "select public.gate_scan($1, $2) -> 'results' -> 0 as answer",
      [phone, JSON.stringify(scans)],
    );
    return row!.answer;
  }
  const ticket = { type: "ticket", id: general, quantity: 1 };
  const camping = { type: "camping", id: pitch, quantity: 1 };
  const pass = { type: "parking", id: parking, quantity: 1 };

  it.each([
    [
      "more than one of it",
      [ticket, { ...camping, quantity: 2 }],
      20_500,
      "An order can include only one camping pitch.",
    ],
    ["it twice", [ticket, camping, camping], 20_500, "An order can include only one camping pitch."],
    ["it alone", [camping], 8000, "Choose at least one ticket."],
    [
      "it as another kind",
      [ticket, { ...camping, type: "parking" }],
      12_500,
      "One of the items is no longer for sale.",
    ],
    ["it at another price", [ticket, camping], 12_000, "The price has changed: the total is now $125.00."],
  ])("is refused in a cart with %s", async (_, items, cents, message) => {
    expect(await order(items, cents)).toMatchObject({ ok: false, message });
    expect(await stock()).toEqual({ left: 2, held: 0, sold: 0, is_special: false });
  });

  it("is held, sold, refunded and counted by the functions that sell tickets and parking", async () => {
    const { order_id } = await order([ticket, camping, pass], 15_000);
    expect(await stock()).toMatchObject({ left: 1, held: 1, sold: 0 });
    await office.sql("select public.confirm_order($1, 'pi_camping', 15000)", order_id);
    expect(await stock()).toMatchObject({ left: 1, held: 0, sold: 1 });
    expect(
      await office.sql(
        "select kind, name from public.order_items where order_id = $1 order by position",
        order_id,
      ),
    ).toEqual([
      { kind: "ticket", name: "General Admission" },
      { kind: "camping", name: "VIP general pitch" },
      { kind: "parking", name: "General Parking" },
    ]);
    expect(await codesOf(order_id)).toEqual([
      { kind: "camping", attendee: null, issue: 1, is_void: false },
      { kind: "parking", attendee: null, issue: 1, is_void: false },
      { kind: "ticket", attendee: "Cleo", issue: 1, is_void: false },
    ]);
    const [plot] = await office.as("finance", "select public.get_sales_plot() -> 'items' as items");
    expect(plot!.items).toContainEqual({ id: pitch, name: "VIP general pitch", is_ticket: false });

    const [item] = await office.sql(
      "select id from public.order_items where order_id = $1 and kind = 'camping'",
      order_id,
    );
    await office.as("admin", "select public.refund_order($1, '{}', array[$2]::uuid[])", [order_id, item!.id]);
    expect(await stock()).toMatchObject({ left: 2, held: 0, sold: 0 });
    expect((await codesOf(order_id))[0]).toEqual({
      kind: "camping",
      attendee: null,
      issue: 2,
      is_void: true,
    });
    expect(await scan((await codeOf(order_id))!)).toMatchObject({ result: "void" });
    expect(
      await office.sql("select amount::float from public.refunds where order_id = $1", order_id),
    ).toEqual([{ amount: 80 }]);
  });

  it("is listed by the gate, let in once, found by search, and exported to its holder", async () => {
    const { order_id } = await order([ticket, camping], 12_500);
    await office.sql("select public.confirm_order($1, 'pi_scanned', 12500)", order_id);
    const code = (await codeOf(order_id))!;
    const [list] = await office.as<{ rows: unknown[][] }>(
      "gate",
      "select public.gate_list($1) -> 'rows' as rows",
      [phone],
    );
    const row = list!.rows.find(([id]) => id === code);
    expect(row?.slice(0, 5)).toEqual([code, "camping", pitch, 1, 0]);
    const person = { kind: "camping", name: "Cleo", type: "VIP general pitch", plate: null };
    expect(await scan(code)).toMatchObject({ result: "admitted", person });
    expect(await scan(code)).toMatchObject({ result: "already_in", person });
    const [found] = await office.as<{ people: { id: string; would: string }[] }>(
      "gate",
      "select public.gate_search($1, 'cleo') -> 'people' as people",
      [phone],
    );
    expect(found!.people).toContainEqual(expect.objectContaining({ id: code, would: "already_in" }));
    await office.sql("update public.entry_codes set user_id = $2 where id = $1", code, office.buyer);
    const [mine] = await office.as<{ data: Record<string, { id: string }[]> }>(
      "buyer",
      "select public.export_my_data() as data",
    );
    expect(mine!.data["camping"]).toEqual([
      expect.objectContaining({ id: code, kind: "camping", is_checked_in: true }),
    ]);
    expect(mine!.data["parking"]!.map(({ id }) => id)).not.toContain(code);
    // The order is complete with its tickets: what else it has may stay outside.
    expect(await office.sql("select status from public.orders where id = $1", order_id)).toEqual([
      { status: "confirmed" },
    ]);
    await office.as("admin", "select public.refund_order($1, null, null)", [order_id]);
    expect(await stock()).toMatchObject({ left: 2, held: 0, sold: 0 });
  });

  it("is sold at the door, with a code, and listed by its till and by the gate's board", async () => {
    await office.as("admin", "select public.open_till(0)");
    const items = JSON.stringify([{ ...camping, quantity: 2 }]);
    await office.as("admin", "select public.sell_at_door(gen_random_uuid(), $1, 'cash', 16000)", [items]);
    expect(await stock()).toMatchObject({ left: 0, held: 0, sold: 2 });
    const [till] = await office.as<{ items: { type: string; id: string; available: number }[] }>(
      "admin",
      "select public.get_till() -> 'items' as items",
    );
    expect(till!.items.at(-1)).toMatchObject({ type: "camping", id: pitch, available: 0 });
    const [board] = await office.as<{ types: { id: string }[] }>(
      "admin",
      "select public.gate_board() -> 'types' as types",
    );
    expect(board!.types.map(({ id }) => id)).toContain(pitch);
    expect(
      await office.sql(
        "select count(*)::integer as codes from public.entry_codes where kind = 'camping' and voided_at is null",
      ),
    ).toEqual([{ codes: 2 }]);
  });

  it("waits for its turn and its time, as everything does", async () => {
    await office.as("admin", "select public.edit_inventory($1, $2, 5, 5, p_sure => true)", [
      pitch,
      JSON.stringify({ on_sale: false }),
    ]);
    expect(await stock()).toMatchObject({ left: 5 });
    expect(await order([ticket, camping], 12_500)).toMatchObject({
      message: "VIP general pitch is not on sale at the moment.",
    });
  });

  it("has its sale's end moved with the festival, as all that is sold, and says so before", async () => {
    const endOf = async () =>
      (
        await office.sql<{ hours: number }>(
          `select (extract(epoch from sale_closes_at - starts_at) / 3600)::integer as hours
            from public.products, public.festival where id = $1`,
          pitch,
        )
      )[0]!.hours;
    await office.sql(
      "update public.products set sale_closes_at = starts_at + interval '1 hour' from public.festival where products.id = $1",
      pitch,
    );
    const [preview] = await office.as<{ ends: unknown[] }>(
      "admin",
      "select public.preview_festival_change() -> 'sale_ends' as ends",
    );
    expect(preview!.ends).toContainEqual(expect.objectContaining({ name: "VIP general pitch", moves: true }));
    await office.sql(
      "update public.festival set starts_at = starts_at + interval '7 days', ends_at = ends_at + interval '7 days'",
    );
    expect(await endOf()).toBe(1);
  });

  it("keeps the books of stock and sales", async () => {
    const faults = await faultsInBooks((text) => office.sql(text), false);
    expect(faults.filter((fault) => /stock|held|sold|sales/.test(fault))).toEqual([]);
  });
});

describe("ticket types and parking passes through the API", () => {
  let sides: Sides;
  beforeAll(async () => {
    sides = await openSides();
  });
  afterAll(() => sides?.close());

  const full = { prefer: "return=representation" };
  const merge = { prefer: "return=representation,resolution=merge-duplicates" };
  const ignore = { prefer: "return=representation,resolution=ignore-duplicates" };
  const lot = { id: pitch, type_name: "Lot C", price: 10, current_inventory: 5, total_inventory: 5 };
  const passColumns = "id,type_name,is_general,price,current_inventory,version";
  const write = (method: string, path: string, body: unknown, headers: Record<string, string>): Exchange => ({
    ...{ method, path, body, headers, as: "service" },
  });

  it.each<[string, Exchange, number | undefined]>([
    [
      "columns",
      { path: `/ticket_types?order=price&select=id,name,is_vip,description,price,on_sale,waiting,version` },
      3,
    ],
    ["columns of passes", { path: `/parking_passes?order=price&select=${passColumns}` }, 2],
    [
      "a filter and an order",
      { path: "/parking_passes?type_name=like.*Parking&is_general=is.true&order=type_name.desc&select=id" },
      1,
    ],
    ["a column that is not there", { path: `/parking_passes?select=kind` }, undefined],
    ["tickets with their type", { path: "/tickets?select=id,ticket_types(name,is_vip)", as: "service" }, 0],
    [
      "entry codes with what they are",
      {
        path: "/entry_codes?select=id,products(name),product_kinds(position),order_items(position)",
        as: "service",
      },
      0,
    ],
    [
      "orders with their codes and admissions",
      { path: "/orders?select=id,codes:order_codes(id,admissions(id))", as: "service" },
      undefined,
    ],
    [
      "types with their tickets",
      { path: "/ticket_types?select=name,tickets(id)&order=name", as: "service" },
      3,
    ],
    [
      "items with either",
      { path: "/order_items?select=id,ticket_types(name),parking_passes(type_name)", as: "service" },
      0,
    ],
    ["an insert", write("POST", `/parking_passes?select=${passColumns}`, lot, full), 1],
    [
      "an insert of a ticket type",
      write(
        "POST",
        `/ticket_types?select=name,is_vip,version`,
        { name: "VIP Plus", price: 9, current_inventory: 1, total_inventory: 1 },
        full,
      ),
      1,
    ],
    [
      "an update",
      write(
        "PATCH",
        `/parking_passes?id=eq.${pitch}&select=${passColumns}`,
        { price: 12, type_name: "Lot D" },
        full,
      ),
      1,
    ],
    [
      "a ticket type's id among passes",
      write("PATCH", `/parking_passes?id=eq.${general}&select=id`, { price: 12 }, full),
      0,
    ],
    ["an upsert", write("POST", `/parking_passes?select=${passColumns}`, { ...lot, price: 14 }, merge), 1],
    [
      "an upsert that ignores",
      write("POST", `/parking_passes?select=${passColumns}`, { ...lot, price: 16 }, ignore),
      0,
    ],
    [
      "a put",
      write("PUT", `/parking_passes?id=eq.${pitch}&select=id,price`, { ...lot, price: 18 }, full),
      undefined,
    ],
    [
      "a broken bound",
      write("PATCH", `/parking_passes?id=eq.${pitch}`, { current_inventory: 50 }, full),
      undefined,
    ],
    [
      "a generated column",
      write("PATCH", `/parking_passes?id=eq.${pitch}`, { is_general: true }, full),
      undefined,
    ],
    [
      "a visitor's write",
      { ...write("PATCH", "/parking_passes?id=not.is.null", { price: 1 }, full), as: "anon" },
      undefined,
    ],
    [
      "a buyer's write",
      { ...write("PATCH", "/ticket_types?id=not.is.null&select=id", { price: 1 }, full), as: "alice" },
      0,
    ],
    [
      "a buyer's insert",
      {
        ...write(
          "POST",
          "/parking_passes",
          { type_name: "Mine", price: 1, current_inventory: 1, total_inventory: 1 },
          {},
        ),
        as: "alice",
      },
      undefined,
    ],
    ["a delete", write("DELETE", `/parking_passes?id=eq.${pitch}&select=id`, undefined, full), 1],
  ])("answer as PostgREST does: %s", async (_, exchange, rows) => {
    const { ours, postgrest } = await compare(sides, exchange);
    expect(ours).toEqual(postgrest);
    if (rows !== undefined) expect(ours.body).toHaveLength(rows);
  });
});
