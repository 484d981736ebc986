// The accountant's report compared with the provider's own books, to the cent: what both know, what only one knows, and what
// differs.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { faultsInBooks } from "../../../../tests/simulator/books.ts";
import { cartOf, type CatalogItem } from "../../../../shop/testing/cart.ts";
import { place } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();

let admin: string;
let finance: string;
beforeAll(async () => {
  admin = await newPerson("admin");
  finance = await newPerson("finance");
});
async function newPerson(role: string): Promise<string> {
  const id = await world.newUser();
  await world.sql("insert into public.user_roles (user_id, role) values ($1, $2)", id, role);
  return id;
}
const as = async (user: string, call: string, ...values: unknown[]): Promise<any> =>
  (
    await world.db.database.transaction({ claims: { role: "authenticated", sub: user }, headers: {} }, (tx) =>
      tx.query<{ answer: unknown }>(`select public.${call} as answer`, values),
    )
  ).rows[0]!.answer;
const drain = () => world.call("drain-outbox", { as: "service", query: "?lane=money" });
const fetchBooks = () => world.call("fetch-provider-books", { as: "service" });
const report = async (from: string | null = null, to: string | null = null) => ({
  ...(await as(finance, "get_account_report($1, $2)", from, to)),
  items: await as(finance, "get_account_items($1, $2)", from, to),
  ...(await as(finance, "compare_accounts($1, $2)", from, to)),
});
const openLines = async (): Promise<any[]> =>
  (await as(finance, "list_account_lines(null, null, 'open')")).rows;
const entryOf = ({ entries }: any, entry: string) => entries.find((one: any) => one.entry === entry);
/** The sum over everything the provider has booked, from its own tables. */
const providersNet = async () =>
  Number(
    (
      await world.sql(
        "select coalesce(sum((body ->> 'net')::bigint), 0) as net from payments_sandbox.objects where kind = 'balance_transaction'",
      )
    )[0]!.net,
  );

async function bought(
  total: number,
  lines: readonly (readonly [CatalogItem, number])[],
  more: { promoCode?: string; card?: string } = {},
) {
  const user = await world.newUser();
  const { card = "pm_card_visa", ...cart } = more;
  const placed = await place(world, user, { ...cartOf(...lines), ...cart, totalAmount: total });
  await world.stripe.paymentIntents.confirm(placed.paymentIntentId, {
    payment_method: card,
    return_url: "http://shop.test/dashboard",
  });
  await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
  const tickets = await world.sql<{ id: string }>(
    "select id from public.tickets where order_id = $1 order by position",
    placed.orderId,
  );
  return { ...placed, tickets: tickets.map(({ id }) => id) };
}
const setFee = (perTicket: number, isRefunded: boolean) =>
  world.sql(
    "update public.shop_settings set fee_name = 'City tax', fee_per_ticket = $1, fee_is_refunded = $2",
    perTicket,
    isRefunded,
  );
const disputed = async (paymentIntentId: string) => {
  const { data } = await world.stripe.disputes.list({ payment_intent: paymentIntentId });
  await world.webhook("charge.dispute.created", data[0]!);
  return data[0]!;
};
const DISPUTE_CARD = { card: "pm_card_createDisputeProductNotReceived" };

describe("the report of a whole sale", () => {
  it("matches the provider's books to the cent", async () => {
    await bought(90, [[shop.general, 2]]);
    // A promo code: a tenth off three times 45.
    await world.sql("insert into public.promo_codes (code, percent_off) values ('TENTH', 10)");
    await bought(121.5, [[shop.general, 3]], { promoCode: "TENTH" });
    // A fee that is returned with its ticket, and one that is kept.
    await setFee(1.5, true);
    const withFee = await bought(93, [[shop.general, 2]]);
    await as(
      finance,
      "refund_order($1, array[$2::uuid], null, 'goodwill')",
      withFee.orderId,
      withFee.tickets[0],
    );
    await setFee(2, false);
    const keepsFee = await bought(47, [[shop.general, 1]]);
    await as(finance, "refund_order($1)", keepsFee.orderId);
    await setFee(0, true);
    const partly = await bought(150, [[shop.vip, 1]]);
    await as(finance, "refund_amount(gen_random_uuid(), $1, 1234, 'goodwill')", partly.orderId);
    // A payment that bought nothing: the second one for an order.
    const late = await bought(45, [[shop.general, 1]]);
    const second = await world.stripe.paymentIntents.create({
      amount: 4500,
      currency: "usd",
      confirm: true,
      payment_method: "pm_card_visa",
      metadata: { order_id: late.orderId },
    });
    await world.webhook("payment_intent.succeeded", second);
    // Disputes: one open, one won, one lost.
    await disputed((await bought(45, [[shop.general, 1]], DISPUTE_CARD)).paymentIntentId);
    const won = await disputed((await bought(90, [[shop.general, 2]], DISPUTE_CARD)).paymentIntentId);
    const evidence = { uncategorized_text: "winning_evidence" };
    await world.webhook("charge.dispute.closed", await world.stripe.disputes.update(won.id, { evidence }));
    const lost = await disputed((await bought(150, [[shop.vip, 1]], DISPUTE_CARD)).paymentIntentId);
    await world.webhook("charge.dispute.closed", await world.stripe.disputes.close(lost.id));
    // Door sales for cash and by card, one of them voided, and two comps.
    await as(admin, "open_till(50)");
    const sell = async (method: string) =>
      as(
        admin,
        "sell_at_door($1, $2, $3, $4)",
        randomUUID(),
        JSON.stringify([{ type: "ticket", id: shop.general.id, quantity: 2 }]),
        method,
        9000,
      );
    await sell("cash");
    const voided = await sell("card");
    await as(admin, "void_door_sale($1, 'wrong type')", voided.order_id);
    const guests = JSON.stringify([
      { name: "Ana", email: "ana@people.test" },
      { name: "Ben", email: "ben@people.test" },
    ]);
    await as(admin, "issue_comps($1, 'Press', $2, $3)", randomUUID(), shop.general.id, guests);
    await drain();
    await world.stripe.payouts.create({ amount: 10_000, currency: "usd" });

    const fetched = await fetchBooks();
    expect(fetched).toMatchObject({ status: 200, body: { complete: true } });
    const told = await report();
    expect(told.states).toEqual({ matched: { count: expect.any(Number), difference: 0 } });
    expect(await openLines()).toEqual([]);

    const { online, payments } = told;
    expect(online).toEqual({
      orders: 9,
      items_cents: 9000 + 13_500 + 9000 + 4500 + 15_000 + 4500 + 4500 + 9000 + 15_000,
      discount_cents: 1350,
      fee_cents: 300 + 200,
      total_cents: 9000 + 12_150 + 9300 + 4700 + 15_000 + 4500 + 4500 + 9000 + 15_000,
    });
    expect(payments).toEqual({
      count: 10,
      cents: online.total_cents + 4500,
      extra_count: 1,
      extra_cents: 4500,
      extra_kept_cents: 0,
    });
    expect(online.items_cents - online.discount_cents + online.fee_cents).toBe(online.total_cents);
    expect(told.fees).toEqual([{ name: "City tax", orders: 2, cents: 500 }]);
    expect(told.promo_codes).toEqual([{ code: "TENTH", orders: 1, cents: 1350 }]);
    expect(told.door).toEqual({
      sales: 2,
      voids: 1,
      cash_cents: 9000,
      card_cents: 9000,
      cash_back_cents: 0,
      card_back_cents: 9000,
    });
    expect(told.comps).toEqual({ orders: 2, tickets: 2 });
    expect(told.refunds).toEqual([
      { reason: "goodwill", count: 2, cents: 4650 + 1234, fee_cents: 150 },
      { reason: "paid_twice", count: 1, cents: 4500, fee_cents: 0 },
      { reason: "requested_by_admin", count: 1, cents: 4500, fee_cents: 0 },
    ]);
    expect(entryOf(told, "payment")).toMatchObject({ our_cents: payments.cents, difference: 0 });
    expect(entryOf(told, "refund")).toMatchObject({ our_cents: -(4650 + 1234 + 4500 + 4500), difference: 0 });
    expect(entryOf(told, "dispute")).toMatchObject({ our_cents: -(4500 + 9000 + 15_000), our_count: 3 });
    expect(entryOf(told, "dispute_reversed")).toMatchObject({ provider_cents: 9000, our_count: 1 });

    // The provider's own figures: its fees, its payout, and the final balance of the account.
    expect(told.provider.net_cents).toBe(await providersNet());
    const [held] = (await world.stripe.balance.retrieve()).available;
    expect(told.provider.net_cents).toBe(held!.amount);
    const ours = told.entries.reduce((sum: number, entry: any) => sum + entry.our_cents, 0);
    const fees = told.provider.categories.reduce((sum: number, one: any) => sum + one.fee_cents, 0);
    expect(ours - fees - 10_000).toBe(told.provider.net_cents);

    const byItems = told.items.filter((item: any) => item.channel === "online");
    expect(byItems.reduce((sum: number, item: any) => sum + item.cents, 0)).toBe(online.items_cents);
    expect(told.items.filter((item: any) => item.channel === "comp")).toEqual([
      expect.objectContaining({ units: 2, cents: 0 }),
    ]);
    expect(await faultsInBooks((text) => world.sql(text), false)).toEqual([]);
  });

  it("covers the chosen days in Houston", async () => {
    const whole = await report();
    // Two days if it has become midnight in Houston meanwhile.
    const [{ first, last }] = (await world.sql(`select public.festival_day(min(created_at))::text as first,
      public.festival_day(now())::text as last from public.orders`)) as [{ first: string; last: string }];
    expect(await report(first, last)).toEqual({ ...whole, from: first, to: last });
    const before = await report("2020-01-01", "2020-01-31");
    expect(before).toMatchObject({ items: [], entries: [], states: {}, payments: { cents: 0 } });
    await expect(report("2020-02-01", "2020-01-31")).rejects.toThrow("end date is before the start date");
  });

  it("plots the same revenue by day and by hour", async () => {
    const plot = await as(finance, "get_sales_plot()");
    const sum = (rows: any[]) => rows.reduce((total, row) => total + row.cents - row.returned_cents, 0);
    const [{ cents }] = (await world.sql(
      "select (sum(revenue) * 100)::integer as cents from public.sales_totals()",
    )) as [{ cents: number }];
    expect(sum(plot.days)).toBe(cents);
    const days = [...new Set<string>(plot.days.map(({ day }: { day: string }) => day))];
    const plots = await Promise.all(days.map((day) => as(finance, "get_sales_plot($1)", day)));
    expect(sum(plots.flatMap(({ hours }) => hours))).toBe(cents);
    const comps = plot.days.filter((row: any) => row.channel === "comp");
    expect(comps).toMatchObject([{ sold: 2, cents: 0 }]);
    expect((await as(finance, "get_sales_plot('2020-01-01')")).hours).toEqual([]);
  });
});

describe("a mismatch", () => {
  it("shows a charge that only the provider has", async () => {
    const stranger = await world.stripe.paymentIntents.create({
      amount: 777,
      currency: "usd",
      confirm: true,
      payment_method: "pm_card_visa",
      description: "Another shop",
    });
    await fetchBooks();
    expect(await openLines()).toMatchObject([
      {
        state: "only_provider",
        about_id: stranger.id,
        our_cents: null,
        provider_cents: 777,
        difference: 777,
      },
    ]);
    expect((await report()).states.only_provider).toEqual({ count: 1, difference: 777 });
  });

  it("shows a payment that only we have, once the fetched books are newer", async () => {
    const { orderId } = await bought(45, [[shop.general, 1]]);
    await fetchBooks();
    await world.sql(
      "insert into public.payments (payment_intent_id, order_id, amount, status, succeeded_at) values ('pi_planted', $1, 12.34, 'succeeded', now())",
      orderId,
    );
    const planted = async () => (await openLines()).find(({ about_id: id }) => id === "pi_planted");
    expect(await planted()).toMatchObject({ state: "waiting", difference: -1234 });
    await world.sql(
      "update public.payments set succeeded_at = now() - interval '1 day' where payment_intent_id = 'pi_planted'",
    );
    expect(await planted()).toMatchObject({ state: "only_ours", our_cents: 1234, provider_cents: null });
    await world.sql("delete from public.payments where payment_intent_id = 'pi_planted'");
  });

  it("shows amounts that differ, to the cent", async () => {
    const { orderId, paymentIntentId } = await bought(45, [[shop.general, 1]]);
    await fetchBooks();
    await world.sql(
      "update public.payments set amount = 44.99 where payment_intent_id = $1",
      paymentIntentId,
    );
    expect((await openLines()).find(({ order_id: id }) => id === orderId)).toMatchObject({
      state: "differs",
      our_cents: 4499,
      provider_cents: 4500,
      difference: 1,
      buyer_full_name: "Bun B. Buyer",
    });
    await world.sql("update public.payments set amount = 45 where payment_intent_id = $1", paymentIntentId);
  });
});

describe("fetching the books", () => {
  it("resumes where it was cut off, keeps each transaction once, and misses none", async () => {
    await world.sql("truncate public.provider_transactions");
    await world.sql("update public.provider_books set complete_to = null");
    await Promise.all(Array.from({ length: 2 }, () => bought(45, [[shop.general, 1]])));
    // As if a call had stopped after the newest three.
    const newest = await world.stripe.balanceTransactions.list({ limit: 3 });
    const rows = newest.data.map(({ id }) => ({
      id,
      category: "charge",
      about_id: id,
      cents: 0,
      fee_cents: 0,
      currency: "usd",
      status: "pending",
      created_at: new Date().toISOString(),
    }));
    await world.sql("select public.keep_provider_transactions($1)", JSON.stringify(rows));
    await world.sql(
      "update public.provider_books set began_at = now(), created_from = 'epoch', after_id = $1, kept = 3",
      rows[2]!.id,
    );
    const { body } = await fetchBooks();
    const [at] = await world.sql(
      "select count(*)::integer as all from payments_sandbox.objects where kind = 'balance_transaction'",
    );
    expect(body).toEqual({ complete: true, kept: at!.all });
    const [kept] = await world.sql(
      "select count(*)::integer as all, count(distinct id)::integer as once from public.provider_transactions",
    );
    expect(kept).toEqual({ all: at!.all, once: at!.all });
    expect((await fetchBooks()).body.complete, "again").toBe(true);
  });

  it("starts over when the provider does not know where it stopped", async () => {
    await world.sql(
      "update public.provider_books set began_at = now(), created_from = 'epoch', after_id = 'txn_gone'",
    );
    expect((await fetchBooks()).status).toBe(502);
    expect((await fetchBooks()).body.complete).toBe(true);
  });

  it("changes nothing while the provider cannot be reached", async () => {
    const before = await world.sql("select * from public.provider_books");
    world.sandbox.injectFault({
      kind: "refused",
      status: 503,
      matches: ({ url }) => url.includes("balance"),
    });
    expect((await fetchBooks()).status).toBe(502);
    world.sandbox.clearFaults();
    expect(await world.sql("select * from public.provider_books")).toEqual(before);
  });

  it("is for finance and administrators, whom the audit log names", async () => {
    const call = async (user: string) => {
      const session = await newSession(user);
      return (await world.call("fetch-provider-books", { as: user, session })).status;
    };
    expect((await world.call("fetch-provider-books")).status).toBe(401);
    expect(await call(await world.newUser())).toBe(403);
    expect(await call(await newPerson("gate"))).toBe(403);
    expect(await call(finance)).toBe(200);
    const entries = await world.sql(
      "select action_type, admin_user_id from public.audit_logs where table_name = 'provider_books'",
    );
    expect(entries).toEqual([{ action_type: "UPDATE", admin_user_id: finance }]);
  });
});

async function newSession(user: string): Promise<string> {
  const [session] = await world.sql<{ id: string }>(
    "insert into auth.sessions (id, user_id, created_at, updated_at) values (gen_random_uuid(), $1, now(), now()) returning id",
    user,
  );
  return session!.id;
}
