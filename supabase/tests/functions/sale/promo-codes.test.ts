// Promo codes through the calls a buyer makes: what an order costs with one, how often it is used, what a refund returns.
import { randomUUID } from "node:crypto";
import { cartLimits, maxLengths } from "contract/limits";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { cartOf, type CatalogItem } from "../../../../shop/testing/cart.ts";
import { letHoldRunOut, pay, place, type Placed, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();

let admin: string;
beforeAll(async () => {
  admin = await world.newUser();
  await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);
});
afterEach(() => world.sql("delete from public.rate_limits"));

interface Terms {
  amount_off?: number;
  percent_off?: number;
  ticket_type_ids?: string[];
  max_uses?: number;
  max_uses_per_buyer?: number;
  is_paused?: boolean;
  opens_at?: string;
  closes_at?: string;
}
let codes = 0;
async function newCode(terms: Terms): Promise<string> {
  const [row] = await world.sql<{ code: string }>(
    `insert into public.promo_codes (code, amount_off, percent_off, ticket_type_ids, max_uses, max_uses_per_buyer, is_paused,
        opens_at, closes_at)
      select $1, p.amount_off, p.percent_off, coalesce(p.ticket_type_ids, '{}'), p.max_uses, p.max_uses_per_buyer,
        coalesce(p.is_paused, false), p.opens_at, p.closes_at
      from jsonb_populate_record(null::public.promo_codes, $2) as p returning code`,
    `code-${(codes += 1)}`,
    JSON.stringify(terms),
  );
  return row!.code;
}
const uses = async (code: string) =>
  (await world.sql("select held, used from public.promo_codes where code = $1", code))[0];

type Lines = readonly (readonly [CatalogItem, number])[];
const cartWith = (promoCode: string, off: number, ...lines: Lines) => {
  const cart = cartOf(...lines);
  return { ...cart, promoCode, totalAmount: Math.round((cart.totalAmount - off) * 100) / 100 };
};
const order = (user: string, body: object) => world.call("create-payment-intent", { as: user, body });
const refused = (reason: string, message: string) => ({
  status: 409,
  body: { error: { code: "promo_code_refused", message, details: { reason } } },
});

async function bought(code: string, off: number, ...lines: Lines) {
  const user = await world.newUser();
  const placed = await place(world, user, cartWith(code, off, ...lines));
  await pay(world, placed);
  const answer = await process(user, placed);
  expect(answer).toMatchObject({ status: 200, body: { status: "confirmed" } });
  return { user, placed };
}
const process = (user: string, { paymentIntentId }: Placed) =>
  world.call("process-payment", { as: user, body: { paymentIntentId } });
const ticketsOf = async ({ orderId }: Placed) =>
  (
    await world.sql<{ id: string }>(
      "select id from public.tickets where order_id = $1 order by order_item_id, position",
      orderId,
    )
  ).map(({ id }) => id);
const takeBack = async ({ orderId }: Placed, tickets: readonly string[] | null) =>
  (await world.sql("select public.take_back($1, $2, null) as taken", orderId, tickets))[0]!.taken;

const askFor = (code: string, ...lines: Lines) => ({
  code,
  items: lines.map(([{ id }, quantity]) => ({ id, quantity })),
});

/** Quotes a cart as the browser does. */
async function quote(as: string, code: string, ...lines: Lines) {
  const answer = await world.call("quote-promo-code", { as, body: askFor(code, ...lines) });
  expect(answer.status).toBe(200);
  return answer.body as { ok: boolean; discount_cents: number; code: string; message: string };
}

describe("an order with a promo code", () => {
  it.each([
    ["a share, rounded to the cent", { percent_off: 15 }, 20.25],
    ["an amount, once", { amount_off: 10.01 }, 10.01],
    ["no more than its tickets cost", { amount_off: 500 }, 135],
  ])("costs less by %s, and parking the same", async (_what, terms, off) => {
    const code = await newCode(terms);
    const user = await world.newUser();
    const lines = [
      [shop.general, 3],
      [shop.parking, 1],
    ] as const;
    expect(await quote(user, ` ${code.toLowerCase()} `, ...lines)).toEqual({
      ok: true,
      code,
      discount_cents: Math.round(off * 100),
    });
    const placed = await place(world, user, cartWith(code.toLowerCase(), off, ...lines));
    const intent = await world.stripe.paymentIntents.retrieve(placed.paymentIntentId);
    expect(intent.amount).toBe(16_000 - Math.round(off * 100));
    const [row] = await world.sql(
      `select total_amount::float, discount_amount::float, promo_code, (select json_agg(discount order by position)
        from public.order_items where order_id = orders.id) as discounts from public.orders where id = $1`,
      placed.orderId,
    );
    expect(row).toEqual({
      total_amount: 160 - off,
      discount_amount: off,
      promo_code: code,
      discounts: [off, 0],
    });
  });

  it("applies it only to its ticket types, and refuses it for a cart without them", async () => {
    const code = await newCode({ percent_off: 50, ticket_type_ids: [shop.vip.id] });
    const user = await world.newUser();
    expect(await order(user, cartWith(code, 0, [shop.general, 1]))).toMatchObject(
      refused("not_applicable", "This code does not apply to the tickets in your cart."),
    );
    expect(await quote(user, code, [shop.general, 1], [shop.vip, 1])).toMatchObject({ discount_cents: 7500 });
    await place(world, user, cartWith(code, 75, [shop.general, 1], [shop.vip, 1]));
  });

  it("is not placed at another total, and another code under a used key counts as another cart", async () => {
    const code = await newCode({ amount_off: 5 });
    const user = await world.newUser();
    expect(await order(user, cartWith(code, 6, [shop.general, 1]))).toMatchObject({
      status: 409,
      body: { error: { code: "price_changed", details: { total_cents: 4000 } } },
    });
    await place(world, user, cartOf([shop.general, 1]), "one-key-for-two");
    const headers = { "idempotency-key": "one-key-for-two" };
    const body = cartWith(code, 5, [shop.general, 1]);
    expect(await world.call("create-payment-intent", { as: user, body, headers })).toMatchObject({
      body: { error: { code: "idempotency_conflict" } },
    });
    expect(await uses(code)).toEqual({ held: 0, used: 0 });
  });

  it.each([
    ["paused", "update public.promo_codes set is_paused = true where code = $1"],
    ["over", "update public.promo_codes set closes_at = now() where code = $1"],
    ["worth something else", "update public.promo_codes set percent_off = 10 where code = $1"],
    ["called something else", "update public.promo_codes set code = code || '-2' where code = $1"],
    [
      "for hidden tickets",
      "update public.ticket_types set is_hidden = true from public.promo_codes where promo_codes.code = $1",
    ],
    [
      "for tickets at another price",
      "update public.ticket_types set price = price + 1 from public.promo_codes where promo_codes.code = $1",
    ],
  ])("keeps its discount while it is held, though the code is %s since", async (_what, edit) => {
    const code = await newCode({ percent_off: 25 });
    const user = await world.newUser();
    const placed = await place(world, user, cartWith(code, 60, [shop.general, 2], [shop.vip, 1]));
    const before = await world.sql("select id, price, is_hidden from public.ticket_types");
    await world.sql(edit, code);
    try {
      const again = () => quote(user, code.toLowerCase(), [shop.vip, 1], [shop.general, 2]);
      expect(await again()).toEqual({ ok: true, code, discount_cents: 6000 });
      const stranger = await quote(await world.newUser(), code, [shop.vip, 1], [shop.general, 2]);
      expect(stranger, "nobody else").not.toMatchObject({ discount_cents: 6000 });
      const fewer = await quote(user, code, [shop.vip, 1], [shop.general, 1]);
      expect(fewer, "no other cart").not.toMatchObject({ discount_cents: 6000 });
      for (let guess = 0; guess < 10; guess++) await quote(user, `guess-${guess}`, [shop.general, 1]);
      expect(await again(), "after wrong codes").toEqual({ ok: true, code, discount_cents: 6000 });
      await letHoldRunOut(world, placed.orderId);
      expect(await again()).toMatchObject({ ok: false, code: "rate_limited" });
    } finally {
      for (const { id, price, is_hidden: isHidden } of before) {
        await world.sql(
          "update public.ticket_types set price = $2, is_hidden = $3 where id = $1",
          id,
          price,
          isHidden,
        );
      }
    }
  });

  it("keeps its discount for the same cart, however its quantity is written", async () => {
    const code = await newCode({ percent_off: 25 });
    const user = await world.newUser();
    await place(world, user, cartWith(code, 22.5, [shop.general, 2]));
    await world.sql("update public.promo_codes set is_paused = true where code = $1", code);
    const [quoted] = await world.sql(
      "select public.quote_promo_code($1, '192.0.2.78', $2, $3::jsonb) as terms",
      user,
      code,
      `[{"id": "${shop.general.id}", "quantity": 2.0}]`,
    );
    expect(quoted).toEqual({ terms: { ok: true, code, discount_cents: 2250 } });
  });

  it("is refused in the same words for a code that is unknown, paused, expired or not yet valid", async () => {
    const user = await world.newUser();
    const unknown = await order(user, cartWith("nobodys-code", 0, [shop.general, 1]));
    expect(unknown).toMatchObject(refused("invalid", "This code is not valid."));
    for (const terms of [
      { is_paused: true },
      { closes_at: "2025-01-01" },
      { opens_at: "2999-01-01" },
    ] satisfies Terms[]) {
      const code = await newCode({ percent_off: 10, ...terms });
      expect(await order(user, cartWith(code, 0, [shop.general, 1]))).toEqual(unknown);
    }
  });
});

describe("a code's limit", () => {
  it("holds in a hundred carts at once: ten get it, the others are told so and may continue without it", async () => {
    const code = await newCode({ amount_off: 5, max_uses: 10 });
    const users = await Promise.all(Array.from({ length: 100 }, () => world.newUser()));
    const answers = await Promise.all(users.map((user) => order(user, cartWith(code, 5, [shop.general, 1]))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const left = answers.flatMap((answer, index) => (answer.status === 200 ? [] : [{ answer, index }]));
    for (const { answer } of left) {
      expect(answer).toMatchObject(refused("used_up", "This code has been used up."));
    }
    expect(await uses(code)).toEqual({ held: 10, used: 0 });
    await place(world, users[left[0]!.index]!, cartOf([shop.general, 1]));
  });

  it("is kept by a buyer who holds a use, and free again once they leave, change their cart or let it expire", async () => {
    const code = await newCode({ percent_off: 10, max_uses: 1 });
    const [user, other] = [await world.newUser(), await world.newUser()];
    const first = await place(world, user, cartWith(code, 4.5, [shop.general, 1]));
    expect(await order(other, cartWith(code, 4.5, [shop.general, 1]))).toMatchObject({ status: 409 });
    // The same buyer's next cart replaces the hold.
    const second = await place(world, user, cartWith(code, 9, [shop.general, 2]));
    expect(await statusOf(world, first.orderId)).toBe("cancelled");
    expect(await uses(code)).toEqual({ held: 1, used: 0 });
    await place(world, user, cartOf([shop.general, 2]));
    expect(await uses(code)).toEqual({ held: 0, used: 0 });
    expect(await statusOf(world, second.orderId)).toBe("cancelled");
    const third = await place(world, other, cartWith(code, 4.5, [shop.general, 1]));
    await letHoldRunOut(world, third.orderId);
    await world.call("expire-holds", { as: "service" });
    expect(await uses(code)).toEqual({ held: 0, used: 0 });
  });

  it("counts each buyer's own orders only", async () => {
    const code = await newCode({ amount_off: 1, max_uses_per_buyer: 1 });
    const { user, placed } = await bought(code, 1, [shop.general, 1]);
    expect(await order(user, cartWith(code, 1, [shop.general, 1]))).toMatchObject(
      refused("used_by_you", "You have already used this code as often as allowed."),
    );
    await bought(code, 1, [shop.general, 1]);
    expect(await uses(code)).toEqual({ held: 0, used: 2 });
    await takeBack(placed, null);
    expect(await uses(code)).toEqual({ held: 0, used: 1 });
    await place(world, user, cartWith(code, 1, [shop.general, 1]));
  });

  it("counts the orders of a former account with the same address, until their names go", async () => {
    const code = await newCode({ amount_off: 1, max_uses_per_buyer: 1 });
    const { user } = await bought(code, 1, [shop.general, 1]);
    await world.sql("delete from auth.users where id = $1", user);
    const again = await world.newUser();
    await world.sql("update auth.users set email = $2 where id = $1", again, `${user}@people.test`);
    const cart = cartWith(code, 1, [shop.general, 1]);
    const usedByYou = refused("used_by_you", "You have already used this code as often as allowed.");
    expect(await order(again, cart)).toMatchObject(usedByYou);
    const stored = JSON.stringify(await world.sql("select * from public.former_buyers"));
    expect(stored).not.toContain(user);
    await world.sql("update public.orders set names_until = now() - interval '1 day' where user_id is null");
    await world.sql("select public.forget_deleted_buyers()");
    expect(await world.sql("select from public.former_buyers")).toEqual([]);
    expect((await order(again, cart)).status).toBe(200);
  });

  it("is not bypassed by a late payment: if the code was used up meanwhile, the money is returned", async () => {
    const code = await newCode({ amount_off: 5, max_uses: 1 });
    const user = await world.newUser();
    const late = await place(world, user, cartWith(code, 5, [shop.general, 1]));
    await world.sql("select public.cancel_pending_orders(array[$1::uuid], 'hold_expired')", late.orderId);
    await bought(code, 5, [shop.general, 1]);
    await pay(world, late);
    expect(await process(user, late)).toMatchObject({
      body: { success: false, status: "refund_queued", reason: "promo_used_up" },
    });
    expect(await uses(code)).toEqual({ held: 0, used: 1 });
  });

  it("lets a late payment use the code again while uses are left, even if it was paused since", async () => {
    const code = await newCode({ amount_off: 5, max_uses: 1 });
    const user = await world.newUser();
    const late = await place(world, user, cartWith(code, 5, [shop.general, 1]));
    await world.sql("select public.cancel_pending_orders(array[$1::uuid], 'hold_expired')", late.orderId);
    await world.sql("update public.promo_codes set is_paused = true where code = $1", code);
    await pay(world, late);
    expect(await process(user, late)).toMatchObject({ body: { status: "confirmed" } });
    expect(await uses(code)).toEqual({ held: 0, used: 1 });
  });
});

describe("wrong codes", () => {
  it("are refused by a buyer's every door once ten were tried", async () => {
    const user = await world.newUser();
    const wrong = askFor("nobodys-code", [shop.general, 1]);
    for (let guess = 0; guess < 10; guess++) {
      expect(await world.call("quote-promo-code", { as: user, body: wrong })).toMatchObject({
        status: 200,
        body: { ok: false, code: "promo_code_refused" },
      });
    }
    expect(await quote(user, "nobodys-code", [shop.general, 1])).toMatchObject({ code: "rate_limited" });
    expect(await order(user, cartWith("nobodys-code", 0, [shop.general, 1]))).toMatchObject({ status: 429 });
  });

  // The API can refuse an answer after the function ran, which would undo the count.
  it("cannot be tried in a buyer's own call to the database", async () => {
    const user = await world.newUser();
    const asked = world.db.database.transaction({ claims: { role: "authenticated", sub: user } }, (tx) =>
      tx.query("select public.quote_promo_code($1, '192.0.2.77', 'nobodys-code', '[]')", [user]),
    );
    await expect(asked).rejects.toMatchObject({ code: "42501" });
  });

  it("are not judged for somebody who is not signed in, nor for what is no cart", async () => {
    const body = askFor("nobodys-code", [shop.general, 1]);
    expect(await world.call("quote-promo-code", { body })).toMatchObject({ status: 401 });
    const as = await world.newUser();
    const itemsOf = (items: number, quantity: number) =>
      Array.from({ length: items }, () => ({ id: randomUUID(), quantity }));
    const { items, units } = cartLimits;
    for (const [change, status] of [
      [{ code: "n".repeat(maxLengths.promoCode) }, 200],
      [{ code: "n".repeat(maxLengths.promoCode + 1) }, 400],
      [{ code: " " }, 400],
      [{ items: itemsOf(items, units) }, 200],
      [{ items: itemsOf(items + 1, 1) }, 400],
      [{ items: itemsOf(1, units + 1) }, 400],
      [{ items: itemsOf(1, 1.5) }, 400],
      [{ items: [{ id: "x", quantity: 1 }] }, 400],
    ] as const) {
      const answer = await world.call("quote-promo-code", { as, body: { ...body, ...change } });
      expect(answer, JSON.stringify(change)).toMatchObject({ status });
    }
  });

  it("are limited for an account, in quotes and orders alike, and then right ones are refused as well", async () => {
    const right = await newCode({ amount_off: 5 });
    const user = await world.newUser();
    for (let guess = 0; guess < 5; guess++) {
      expect(await quote(user, `guess-${guess}`, [shop.general, 1])).toMatchObject({ ok: false });
      expect(await order(user, cartWith(`guess-${guess}`, 0, [shop.general, 1]))).toMatchObject({
        status: 409,
      });
    }
    expect(await quote(user, right, [shop.general, 1])).toMatchObject({ ok: false, code: "rate_limited" });
    expect(await order(user, cartWith(right, 5, [shop.general, 1]))).toMatchObject({ status: 429 });
    // Nobody else is limited, and the cart can be ordered without a code.
    expect(await quote(await world.newUser(), right, [shop.general, 1])).toMatchObject({ ok: true });
    expect(await order(user, cartOf([shop.general, 1]))).toMatchObject({ status: 200 });
  });

  it("are limited for an address, whatever the account, in quotes and orders alike", async () => {
    const right = await newCode({ amount_off: 5 });
    const ip = "192.0.2.99";
    const wrong = cartWith("wrong", 0, [shop.general, 1]);
    const asked = askFor("wrong", [shop.general, 1]);
    const users = await Promise.all(Array.from({ length: 50 }, () => world.newUser()));
    await Promise.all(
      users.map((as, n) =>
        n % 2
          ? world.call("create-payment-intent", { as, body: wrong, ip })
          : world.call("quote-promo-code", { as, body: asked, ip }),
      ),
    );
    const body = cartWith(right, 5, [shop.general, 1]);
    const from = async (ip: string) =>
      (await world.call("create-payment-intent", { as: await world.newUser(), body, ip })).status;
    expect([await from("192.0.2.99"), await from("192.0.2.98")]).toEqual([429, 200]);
  });
});

describe("a refund", () => {
  it("returns what was paid for each ticket, to the cent, and never more", async () => {
    const code = await newCode({ amount_off: 10 });
    const { placed } = await bought(code, 10, [shop.general, 3], [shop.vip, 1]);
    const items = await world.sql(
      "select id, unit_price::float, quantity, discount::float from public.order_items where order_id = $1 order by position",
      placed.orderId,
    );
    expect(items.reduce((sum, { discount }) => sum + discount * 100, 0)).toBeCloseTo(1000);
    let back = 0;
    const tickets = await world.sql<{ id: string; order_item_id: string }>(
      "select id, order_item_id from public.tickets where order_id = $1 order by order_item_id, position",
      placed.orderId,
    );
    const given = new Map<string, number>();
    for (const { id, order_item_id: itemId } of tickets.slice(0, -1)) {
      const { quantity, unit_price: price, discount } = items.find((row) => row.id === itemId)!;
      const before = given.get(itemId) ?? 0;
      const paid = (units: number) =>
        Math.floor((Math.round((quantity * price - discount) * 100) * units) / quantity);
      const { refunded_cents: cents } = await takeBack(placed, [id]);
      expect(cents, "its share, and each cent once").toBe(
        paid(quantity - before) - paid(quantity - before - 1),
      );
      given.set(itemId, before + 1);
      back += cents;
      const [totals] = await world.sql("select sum(revenue)::float as revenue from public.sales_totals()");
      expect(Number.isFinite(totals!.revenue)).toBe(true);
    }
    const { refunded_cents: last } = await takeBack(placed, [tickets.at(-1)!.id]);
    expect(back + last).toBe(28_500 - 1000);
    expect(await uses(code)).toEqual({ held: 0, used: 0 });
    await world.functions.invoke("drain-outbox");
    const intent = await world.stripe.charges.list({ payment_intent: placed.paymentIntentId });
    expect(intent.data[0]?.amount_refunded).toBe(27_500);
  });

  it("with the mails and the revenue shows what was paid", async () => {
    const revenue = async () =>
      Number((await world.sql("select sum(revenue) as sum from public.sales_totals()"))[0]!.sum);
    const before = await revenue();
    await world.functions.invoke("drain-outbox");
    world.mails.length = 0;
    const code = await newCode({ amount_off: 10 });
    const { placed } = await bought(code, 10, [shop.general, 3]);
    expect((await revenue()) - before).toBeCloseTo(125);
    await takeBack(placed, (await ticketsOf(placed)).slice(0, 1));
    expect((await revenue()) - before).toBeCloseTo(125 - 41.67);
    await world.functions.invoke("drain-outbox");
    const text = (subject: string) => world.mails.find((mail) => mail.subject.startsWith(subject))!.text;
    expect(text("Your tickets")).toContain(`Promo code ${code}: -$10.00`);
    expect(text("Your tickets")).toContain("Total after refunds: $83.33");
    expect(text("Your refund")).toContain("1 x General Admission: $41.67");
  });
});

describe("an order that a code makes free", () => {
  it("is held, confirmed without the payment provider by its buyer only, and mailed", async () => {
    const code = await newCode({ percent_off: 100, max_uses: 1 });
    const [user, stranger] = [await world.newUser(), await world.newUser()];
    world.sandbox.injectFault({ kind: "refused", status: 503 });
    const placed = await place(world, user, cartWith(code, 150, [shop.vip, 1]));
    expect(placed).toMatchObject({ clientSecret: null, paymentIntentId: null, totalAmount: 0 });
    expect(await statusOf(world, placed.orderId)).toBe("pending");
    const confirm = (as: string) => world.call("process-payment", { as, body: { orderId: placed.orderId } });
    expect(await confirm(stranger)).toMatchObject({ status: 404 });
    const both = await Promise.all([confirm(user), confirm(user)]);
    expect(both.map(({ body }) => body.status).toSorted()).toEqual(["already_confirmed", "confirmed"]);
    expect(await statusOf(world, placed.orderId)).toBe("confirmed");
    expect(await ticketsOf(placed)).toHaveLength(1);
    expect(await uses(code)).toEqual({ held: 0, used: 1 });
    world.mails.length = 0;
    await world.functions.invoke("drain-outbox");
    world.sandbox.clearFaults();
    const mail = world.mails.find(({ subject }) => subject.includes(placed.orderId.slice(0, 8)))!;
    expect(mail.text).toContain("There is nothing to pay");
    expect(mail.text).toContain("Total paid: $0.00");

    await takeBack(placed, null);
    expect(await statusOf(world, placed.orderId)).toBe("cancelled");
    expect(await uses(code)).toEqual({ held: 0, used: 0 });
    await world.functions.invoke("drain-outbox");
    expect(world.mails.filter(({ subject }) => subject.includes("no longer valid"))).toHaveLength(1);
    expect(await world.sql("select id from public.refunds where order_id = $1", placed.orderId)).toEqual([]);
  });

  it("cannot allow one buyer more orders than all buyers together", async () => {
    const limits = { percent_off: 10, max_uses: 2 };
    await expect(newCode({ ...limits, max_uses_per_buyer: 3 })).rejects.toMatchObject({
      message: "Maximum per buyer can't exceed 2, the maximum for all buyers combined.",
      detail: "max_uses_per_buyer",
    });
    const code = await newCode({ ...limits, max_uses_per_buyer: 2 });
    await expect(
      world.sql("update public.promo_codes set max_uses = 1 where code = $1", code),
    ).rejects.toMatchObject({ detail: "max_uses_per_buyer" });
  });

  it("has limits that the organizer reads as text, at their field", async () => {
    await expect(newCode({ percent_off: 10, max_uses_per_buyer: 5000 })).rejects.toMatchObject({
      message: "Maximum per buyer must be from 1 to 1,000.",
      detail: "max_uses_per_buyer",
    });
    await expect(newCode({ percent_off: 10, max_uses: 2_000_000 })).rejects.toMatchObject({
      message: "The limit must be from 1 to 1,000,000.",
      detail: "max_uses",
    });
  });

  it("also covers an order whose remaining total is too small to charge", async () => {
    const code = await newCode({ amount_off: 44.75 });
    const user = await world.newUser();
    expect(await quote(user, code, [shop.general, 1])).toMatchObject({ discount_cents: 4500 });
    await place(world, user, cartWith(code, 45, [shop.general, 1]));
    expect(await quote(user, code, [shop.general, 2])).toMatchObject({ discount_cents: 4475 });
  });

  it("ends with its hold, without asking the provider, and can no longer be confirmed", async () => {
    const code = await newCode({ percent_off: 100 });
    const user = await world.newUser();
    const placed = await place(world, user, cartWith(code, 45, [shop.general, 1]));
    await letHoldRunOut(world, placed.orderId);
    world.sandbox.injectFault({ kind: "refused", status: 503 });
    expect(await world.call("expire-holds", { as: "service" })).toMatchObject({ body: { expired: 1 } });
    world.sandbox.clearFaults();
    expect(
      await world.call("process-payment", { as: user, body: { orderId: placed.orderId } }),
    ).toMatchObject({
      status: 409,
      body: { error: { code: "order_cancelled" } },
    });
    expect(await uses(code)).toEqual({ held: 0, used: 0 });
  });

  it("cannot be used to skip paying for another order", async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([shop.general, 1]));
    expect(
      await world.call("process-payment", { as: user, body: { orderId: placed.orderId } }),
    ).toMatchObject({
      status: 409,
      body: { error: { code: "payment_not_completed" } },
    });
    expect(await statusOf(world, placed.orderId)).toBe("pending");
  });
});
