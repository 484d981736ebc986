// Whether something is for sale, and how stock is edited during the sale: SQL's rules, on every path.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { saleState } from "contract/shop/sale";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { openOffice, type Office } from "./office.ts";

const general: string = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001";
const vip: string = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1002";
const parking = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e2001";
const preferred = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e2002";
const cents: Record<string, number> = { [general]: 4500, [vip]: 15_000, [parking]: 2500, [preferred]: 6000 };

let db: TestDatabase;
let office: Office;
let buyer: string;
beforeEach(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
  buyer = crypto.randomUUID();
  await office.sql("insert into auth.users (id, email) values ($1, 'cleo@people.test')", buyer);
});
afterEach(() => db.close());

interface Answer {
  ok: boolean;
  order_id?: string;
  code?: string;
  message?: string;
  details?: unknown;
}

function cartOf(ids: readonly string[], key: string = crypto.randomUUID()) {
  const tickets = ids.filter((id) => [general, vip].includes(id));
  return {
    user_id: buyer,
    idempotency_key: key,
    request_hash: "hash",
    items: ids.map((id) => ({ id, type: tickets.includes(id) ? "ticket" : "parking", quantity: 1 })),
    attendees: tickets.map(() => ({ name: "Cleo", email: "cleo@people.test" })),
    buyer: { name: "Cleo", email: "cleo@people.test", phone: "713-555-0100" },
    total_cents: ids.reduce((sum, id) => sum + cents[id]!, 0),
  };
}

async function reserve(carts: readonly object[]): Promise<Answer[]> {
  const [row] = await office.sql<{ answers: Answer[] }>(
    "select public.reserve_orders($1::jsonb) as answers",
    JSON.stringify(carts),
  );
  return row!.answers;
}

const order = async (ids: readonly string[], key?: string): Promise<Answer> =>
  (await reserve([cartOf(ids, key)]))[0]!;
const outcome = async (...ids: string[]) => {
  const answer = await order(ids);
  return answer.ok ? "held" : answer.message;
};
const admin = (statement: string, ...values: unknown[]) => office.as("admin", statement, values);
const refusal = (statement: string, ...values: unknown[]) =>
  admin(statement, ...values).then(
    () => "done",
    (error: Error) => error.message,
  );

const PAST = "sale_closes_at = now() - interval '1 second'";
const FUTURE = "sale_opens_at = timestamptz '2999-07-01 10:00 America/Chicago'";

describe("the shop", () => {
  it.each([
    ["on_sale = false", "paused", "Sales are paused."],
    [FUTURE, "upcoming", "Sales open on July 1, 2999, 10:00 AM Central Time."],
    [PAST, "ended", "Sales have ended."],
    [`${PAST}, on_sale = false`, "ended", "Sales have ended."],
  ])("with %s takes no order, until it sells again", async (change, state, message) => {
    const before = await order([general], "a key of before");
    await admin(`update public.shop_settings set ${change}`);
    expect(await order([general])).toEqual({ ok: false, code: "sales_closed", message, details: { state } });
    // A buyer with a hold may pay for it: the same key finds the order.
    expect(await order([general], "a key of before")).toMatchObject({ ok: true, order_id: before.order_id });
    await admin(
      "update public.shop_settings set on_sale = true, sale_opens_at = null, sale_closes_at = null",
    );
    expect(await outcome(general)).toBe("held");
  });

  it("is not closed by the festival's date, and is open within its window", async () => {
    expect(await outcome(general)).toBe("held");
    await admin(
      "update public.shop_settings set sale_opens_at = now() - interval '1 day', sale_closes_at = now() + interval '1 day'",
    );
    expect(await outcome(general)).toBe("held");
  });

  it("has a window that ends after it begins, with audited changes", async () => {
    expect(await refusal(`update public.shop_settings set ${FUTURE}, ${PAST}`)).toBe(
      "Sales must close after they open.",
    );
    await admin("update public.shop_settings set on_sale = false");
    const [entry] = await office.sql(
      "select admin_user_id, new_values -> 'on_sale' as on_sale from public.audit_logs where table_name = 'shop_settings' order by created_at desc limit 1",
    );
    expect(entry).toEqual({ admin_user_id: office.admin, on_sale: false });
  });

  it("shows its state to everybody, and nothing else of the settings", async () => {
    const [row] = await office.as("anon", "select public.get_sale() as sale");
    expect(row!.sale).toEqual({
      now: expect.any(String),
      festival_status: "planned",
      on_sale: true,
      sale_opens_at: null,
      sale_closes_at: null,
      vip_includes_parking: true,
      vip_parking_left: 1500,
      fee: null,
    });
  });

  it("tells everybody the fee and whether prices are shown with it, which they are unless an administrator says otherwise", async () => {
    const fee = () => office.as("anon", "select public.get_sale() -> 'fee' as fee").then(([row]) => row!.fee);
    await admin("update public.shop_settings set fee_per_ticket = 1.5");
    expect(await fee()).toEqual({
      name: "Service fee",
      percent: 0,
      per_ticket: 1.5,
      per_order: 0,
      is_refunded: true,
      in_prices: true,
    });
    expect(await refusal("update public.shop_settings set fee_in_prices = null")).toMatch("not-null");
    await admin("update public.shop_settings set fee_in_prices = false");
    expect(await fee()).toMatchObject({ in_prices: false });
  });
});

it("is open, paused, upcoming or ended by the same rule in SQL and on the page", async () => {
  const moments = [null, "2025-06-01T10:00:00+00:00", "2999-06-01T10:00:00+00:00"];
  for (const on_sale of [true, false]) {
    for (const sale_opens_at of moments) {
      for (const sale_closes_at of moments) {
        const [row] = await office.sql(
          "select public.sale_state($1, $2, $3) as state",
          on_sale,
          sale_opens_at,
          sale_closes_at,
        );
        const said = saleState({ on_sale, sale_opens_at, sale_closes_at }, Date.now());
        expect([said, on_sale, sale_opens_at, sale_closes_at]).toEqual([
          row!.state,
          on_sale,
          sale_opens_at,
          sale_closes_at,
        ]);
      }
    }
  }
});

it("decides one cart of each buyer in a batch, and is busy with their others", async () => {
  const key = "a key of one of them";
  const [first, again, other] = await reserve([
    cartOf([general], key),
    cartOf([general], key),
    cartOf([general]),
  ]);
  expect(first).toMatchObject({ ok: true, replayed: false });
  expect([again!.code, other!.code]).toEqual(["concurrent_request", "concurrent_request"]);
  expect(await office.sql("select from public.orders where user_id = $1", buyer)).toHaveLength(1);
  expect(await order([general], key)).toEqual({ ...first, replayed: true });
});

describe("a batch with a place of the waitlist", () => {
  let next: string;
  /** Two units are the buyer's place, and so many more are free. */
  async function offerPlace(): Promise<void> {
    const leave = (units: number) =>
      office.sql("update public.products set current_inventory = $2 where id = $1", general, units);
    next = crypto.randomUUID();
    await office.sql("insert into auth.users (id, email) values ($1, 'dana@people.test')", next);
    await leave(0);
    await office.sql(
      "insert into public.waitlist_entries (ticket_type_id, user_id, quantity) values ($1, $2, 2)",
      general,
      buyer,
    );
    await leave(2);
    await office.sql("select public.offer_places()");
    await leave(2);
  }
  const two = () => {
    const cart = cartOf([general]);
    return {
      ...{ ...cart, items: [{ type: "ticket", id: general, quantity: 2 }], total_cents: 9000 },
      attendees: [...cart.attendees, { name: "Dana", email: "dana@people.test" }],
    };
  };
  const theirs = () => ({ ...two(), user_id: next });
  const oks = (answers: Answer[]) => answers.map(({ ok, message }) => message ?? ok);
  const stock = () =>
    office.sql("select current_inventory as left, offered from public.products where id = $1", general);

  it("leaves to the others what is free beside the place", async () => {
    await offerPlace();
    expect(oks(await reserve([two(), theirs()]))).toEqual([true, true]);
    expect(await stock()).toEqual([{ left: 0, offered: 0 }]);
  });

  it("leaves it to them too when the buyer orders again", async () => {
    await offerPlace();
    expect(oks(await reserve([two()]))).toEqual([true]);
    expect(oks(await reserve([two(), theirs()]))).toEqual([true, true]);
    expect(await stock()).toEqual([{ left: 0, offered: 0 }]);
  });

  it("leaves its buyer the stock of a hold that a cart before theirs replaces", async () => {
    await offerPlace();
    expect(oks(await reserve([theirs()]))).toEqual([true]);
    const four = {
      ...{ ...two(), items: [{ type: "ticket", id: general, quantity: 4 }], total_cents: 18_000 },
      attendees: [...two().attendees, ...two().attendees],
    };
    expect(oks(await reserve([{ ...cartOf([vip]), user_id: next }, four]))).toEqual([true, true]);
    expect(await stock()).toEqual([{ left: 0, offered: 0 }]);
  });

  it("leaves them no more than that", async () => {
    await offerPlace();
    const last = { ...cartOf([general]), user_id: crypto.randomUUID() };
    await office.sql("insert into auth.users (id) values ($1)", last.user_id);
    expect(oks(await reserve([theirs(), two(), last]))).toEqual([
      true,
      true,
      "General Admission is sold out.",
    ]);
    expect(await stock()).toEqual([{ left: 0, offered: 0 }]);
  });
});

describe("a hold that a batch replaces", () => {
  const other = crypto.randomUUID();
  beforeEach(() => office.sql("insert into auth.users (id, email) values ($1, 'bo@people.test')", other));
  const lastOne = (id: string) =>
    office.sql("update public.products set current_inventory = 1 where id = $1", id);
  const held = async (id: string) =>
    (await office.sql<{ held: number }>("select held from public.products where id = $1", id))[0]!.held;
  const messages = (answers: readonly Answer[]) => answers.map(({ ok, message }) => (ok ? "held" : message));

  it("leaves its stock to the next cart, unless its buyer takes it again", async () => {
    await lastOne(general);
    const before = await held(general);
    expect(await outcome(general)).toBe("held");
    const others = { ...cartOf([general]), user_id: other };
    const soldOut = "General Admission is sold out.";
    expect(messages(await reserve([cartOf([general]), others]))).toEqual(["held", soldOut]);
    expect(messages(await reserve([others, cartOf([vip])]))).toEqual([soldOut, "held"]);
    expect(await outcome(general)).toBe("held");
    expect(messages(await reserve([cartOf([vip]), others]))).toEqual(["held", "held"]);
    expect([await held(general), await held(vip)]).toEqual([before + 1, 1]);
  });

  it("leaves the use of its promo code to the next cart", async () => {
    await office.sql("insert into public.promo_codes (code, percent_off, max_uses) values ('HALF', 50, 1)");
    const half = { ...cartOf([general]), promo_code: "half", total_cents: 2250 };
    expect(messages(await reserve([half]))).toEqual(["held"]);
    const others = { ...half, user_id: other };
    expect(messages(await reserve([others, cartOf([general])]))).toEqual([
      "This code has been used up.",
      "held",
    ]);
    expect(messages(await reserve([{ ...half, idempotency_key: "another key" }]))).toEqual(["held"]);
    const next = { ...others, idempotency_key: "yet another key" };
    expect(messages(await reserve([cartOf([general]), next]))).toEqual(["held", "held"]);
    expect(await office.sql("select held from public.promo_codes where code = 'HALF'")).toEqual([
      { held: 1 },
    ]);
  });

  it("leaves its stock to the next cart, with a promo code too", async () => {
    await lastOne(general);
    await office.sql("insert into public.promo_codes (code, percent_off, max_uses) values ('HALF', 50, 1)");
    const half = { ...cartOf([general]), promo_code: "half", total_cents: 2250 };
    expect(messages(await reserve([half]))).toEqual(["held"]);
    const others = { ...cartOf([general]), user_id: other };
    expect(messages(await reserve([cartOf([vip]), others]))).toEqual(["held", "held"]);
  });

  it("keeps its place of the waitlist for its buyer", async () => {
    await lastOne(general);
    await office.sql(
      `insert into public.waitlist_entries (ticket_type_id, user_id, quantity, state, offered, offer_expires_at)
       values ($1, $2, 1, 'offered', 1, now() + interval '1 hour')`,
      general,
      buyer,
    );
    expect(await outcome(general)).toBe("held");
    const others = { ...cartOf([general]), user_id: other };
    expect(messages(await reserve([cartOf([vip]), others]))).toEqual([
      "held",
      "General Admission is sold out.",
    ]);
    expect(await outcome(general)).toBe("held");
  });
});

describe("one ticket type or parking pass", () => {
  it.each([
    ["on_sale = false", "General Admission is not on sale at the moment."],
    [FUTURE, "General Admission goes on sale on July 1, 2999, 10:00 AM Central Time."],
    [PAST, "The sale of General Admission has ended."],
    ["is_hidden = true", "One of the items is no longer for sale."],
  ])("with %s is not sold, and others are", async (change, message) => {
    await admin(`update public.ticket_types set ${change} where id = $1`, general);
    expect(await outcome(vip, general)).toBe(message);
    expect(await outcome(vip)).toBe("held");
    await admin(`update public.parking_passes set ${change} where id = $1`, preferred);
    expect(await outcome(vip, preferred)).toBe(message.replace("General Admission", "Preferred Parking"));
  });

  it("stays stopped when stock returns to it", async () => {
    const held = await order([general]);
    await admin("update public.ticket_types set on_sale = false where id = $1", general);
    await office.sql("select public.cancel_pending_orders(array[$1]::uuid[], 'hold_expired')", held.order_id);
    await admin("select public.refund_order($1)", office.order);
    expect(await outcome(general)).toBe("General Admission is not on sale at the moment.");
  });

  it("is audited when its sale changes and when it is created", async () => {
    await admin("update public.parking_passes set is_hidden = true where id = $1", preferred);
    await admin(
      "insert into public.ticket_types (name, price, current_inventory, total_inventory) values ('Late Entry', 15, 10, 10)",
    );
    const entries = await office.sql(
      "select action_type, table_name from public.audit_logs where admin_user_id = $1 order by created_at desc limit 2",
      office.admin,
    );
    expect(entries).toEqual([
      { action_type: "CREATE", table_name: "products" },
      { action_type: "UPDATE", table_name: "products" },
    ]);
  });
});

describe("VIP's parking", () => {
  const noneLeft = "update public.parking_passes set current_inventory = 0 where is_general";

  it("stops VIP while there is none, reports it, and resumes when there is some", async () => {
    await admin(noneLeft);
    expect(await order([vip])).toMatchObject({
      code: "insufficient_stock",
      message: "The parking included with VIP is sold out.",
      details: { items: [{ id: parking, available: 0, requested: 1 }] },
    });
    expect(await outcome(general)).toBe("held");
    await admin("update public.parking_passes set current_inventory = 1 where is_general");
    expect(await outcome(vip)).toBe("held");
    expect((await office.sql("select public.get_sale() ->> 'vip_parking_left' as left"))[0]).toEqual({
      left: "0",
    });
  });

  it("is claimed even though parking itself is stopped or hidden", async () => {
    await admin("update public.parking_passes set on_sale = false, is_hidden = true where is_general");
    const held = await order([vip]);
    const items = await office.sql(
      "select name, unit_price::float from public.order_items where order_id = $1 order by position",
      held.order_id,
    );
    expect(items).toEqual([
      { name: "VIP", unit_price: 150 },
      { name: "General Parking", unit_price: 0 },
    ]);
  });

  it("is not claimed when VIP includes none; a paid pass can then be bought", async () => {
    await admin(noneLeft);
    await admin("update public.shop_settings set vip_includes_parking = false");
    const held = await order([vip]);
    expect(held.ok).toBe(true);
    expect(
      await office.sql("select name from public.order_items where order_id = $1", held.order_id),
    ).toEqual([{ name: "VIP" }]);
    await admin("update public.parking_passes set current_inventory = 1 where is_general");
    expect(await outcome(vip, parking)).toBe("held");
    expect((await office.sql("select public.get_sale() ->> 'vip_parking_left' as left"))[0]).toEqual({
      left: null,
    });
  });
});

describe("an edit during a running sale", () => {
  const edit = async (id: string, more: string) =>
    Object.values((await admin(`select public.edit_inventory('${id}', ${more})`))[0] ?? {})[0];
  const stock = async (id = general) =>
    (
      await office.sql(
        "select current_inventory as available, total_inventory as total, held, sold from public.ticket_types where id = $1",
        id,
      )
    )[0] as { available: number; total: number; held: number; sold: number };

  it("adds to the current stock, whatever was ordered since the editor looked", async () => {
    const seen = await stock();
    const version = (await office.sql("select version from public.ticket_types where id = $1", general))[0]!
      .version;
    expect((await order([general])).ok).toBe(true);
    expect(
      await edit(general, `p_add_available => 100, p_add_total => 100, p_version => ${version}`),
    ).toEqual({ outcome: "saved" });
    expect(await stock()).toEqual({
      available: seen.available - 1 + 100,
      total: seen.total + 100,
      held: seen.held + 1,
      sold: seen.sold,
    });
  });

  it("loses nothing when edits and orders are concurrent", async () => {
    const seen = await stock();
    const orders = Array.from({ length: 4 }, () => order([general]));
    const edits = Array.from({ length: 8 }, () => edit(general, "p_add_available => 10, p_add_total => 10"));
    await Promise.all([...orders, ...edits]);
    // A buyer has one hold: each order replaced the previous one.
    expect(await stock()).toEqual({
      available: seen.available - 1 + 80,
      total: seen.total + 80,
      held: seen.held + 1,
      sold: seen.sold,
    });
  });

  it.each([
    ["p_add_available => -5000", "Available cannot be below 0: 3998 are available, and this removes 5000."],
    ["p_add_available => 1", "Available can be at most 3998: total minus sold and held."],
    ["p_add_total => 1000000, p_sure => true", "Total can be at most 1,000,000."],
    ["p_add_total => -3999", "Total must be at least 2: that many are sold or held."],
    [`'{"price": -1}'`, "Price must be at least $0.00."],
    [`'{"price": 0.01}'`, "Price must be $0.00 (free) or at least $0.50, the minimum card charge."],
    [`'{"price": 0.49}'`, "Price must be $0.00 (free) or at least $0.50, the minimum card charge."],
    [`'{"price": 100000}'`, "Price can be at most $99,999.99."],
    [
      `'{"sale_opens_at": "2025-06-02T10:00:00Z", "sale_closes_at": "2025-06-01T10:00:00Z"}'`,
      "Sales must close after they open.",
    ],
  ])("%s: %s", async (change, message) => {
    expect(await stock()).toMatchObject({ available: 3998 });
    expect(await refusal(`select public.edit_inventory('${general}', ${change})`)).toBe(message);
  });

  it("takes a price of nothing, and each bound", async () => {
    for (const price of [0, 0.5, 99_999.99]) {
      expect(await edit(general, `'{"price": ${price}}'`)).toEqual({ outcome: "saved" });
      const [row] = await office.sql("select price from public.ticket_types where id = $1", general);
      expect(Number(row!.price)).toBe(price);
    }
  });

  it("refuses the second of two editors, and one whose row is gone", async () => {
    const first = `'{"price": 46}', p_version => 1`;
    expect(await edit(general, first)).toEqual({ outcome: "saved" });
    expect(await edit(general, first)).toEqual({ outcome: "conflict" });
    expect(await edit(crypto.randomUUID(), first)).toEqual({ outcome: "conflict" });
  });

  it("asks before a renaming that changes what is included", async () => {
    const name = (text: string, sure = false) => `'${JSON.stringify({ name: text })}', p_sure => ${sure}`;
    const flags = async () =>
      (
        await office.sql(
          "select name, is_vip as flag from public.ticket_types union all select type_name, is_general from public.parking_passes",
        )
      )
        .filter(({ flag }) => flag)
        .map((row) => row.name)
        .sort();
    expect(await flags()).toEqual(["General Parking", "VIP"]);
    expect(await edit(vip, name("Super VIP"))).toEqual({ outcome: "saved" });
    expect(await edit(vip, name("Gold"))).toEqual({
      outcome: "asks",
      question: 'Orders with "Gold" will no longer include general parking: its name has no "VIP" in it.',
    });
    expect(await edit(general, name("Vip for all"))).toEqual({
      outcome: "asks",
      question: 'Each order with "Vip for all" will take a general parking pass and include it at no charge.',
    });
    expect(await edit(parking, name("Lot A"))).toMatchObject({ outcome: "asks" });
    expect(await flags()).toEqual(["General Parking", "Super VIP"]);
    expect(await edit(parking, name("Lot A", true))).toEqual({ outcome: "saved" });
    expect(await flags()).toEqual(["Super VIP"]);
  });

  it("asks before an addition that more than doubles the total", async () => {
    const { total } = await stock();
    const more = (units: number, sure = false) =>
      edit(general, `p_add_available => ${units}, p_add_total => ${units}, p_sure => ${sure}`);
    expect(await more(total + 1)).toEqual({
      outcome: "asks",
      question: 'The total of "General Admission" goes from 4,000 to 8,001.',
    });
    expect((await stock()).total).toBe(total);
    expect(await more(total + 1, true)).toEqual({ outcome: "saved" });
    expect(await more(total)).toEqual({ outcome: "saved" });
  });

  it("refuses two visible items with one name, whatever the case", async () => {
    const taken = 'A ticket type named "general admission" already exists.';
    const rename = (name: string) =>
      `select public.edit_inventory('${vip}', '{"name": "${name}"}', p_sure => true)`;
    expect(await refusal(rename(" general admission "))).toBe(taken);
    const add = (hidden: boolean) =>
      refusal(
        `insert into public.ticket_types (name, price, current_inventory, total_inventory, is_hidden) values ('general admission', 1, 1, 1, ${hidden})`,
      );
    expect(await add(false)).toBe(taken);
    expect(await add(true)).toBe("done");
    expect(await refusal("update public.ticket_types set is_hidden = false where is_hidden")).toBe(taken);
    expect(
      await refusal(
        "update public.parking_passes set type_name = 'GENERAL PARKING' where id = $1",
        preferred,
      ),
    ).toBe('A parking pass named "GENERAL PARKING" already exists.');
  });

  it("leaves one general parking pass", async () => {
    expect(
      await refusal("update public.parking_passes set type_name = 'GENERAL lot' where id = $1", preferred),
    ).toBe('A general parking pass already exists: only one name may contain "general".');
  });

  it("may still be a plain update by id", async () => {
    expect(
      await refusal(
        "update public.ticket_types set name = 'VIP Deck', price = 155, current_inventory = 400, total_inventory = 500 where id = $1",
        vip,
      ),
    ).toBe("done");
    expect(await stock(vip)).toEqual({ available: 400, total: 500, held: 0, sold: 0 });
  });
});
