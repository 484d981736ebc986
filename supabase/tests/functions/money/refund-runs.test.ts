// Refunds of many orders: stopped, resumed, refused by the provider, cut off in the middle, and exact at the end.
import { beforeAll, describe, expect, it } from "vitest";
import { faultsInBooks } from "../../../../tests/simulator/books.ts";
import { faultsAtProvider } from "../../../../tests/promise/provider-books.ts";
import { cartOf, type CatalogItem } from "../../../../shop/testing/cart.ts";
import { pay, place, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";
import { openWorld } from "../../../../shop/testing/world.ts";

const { world, shop } = await openShop();
const admin = await world.newUser();
await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);

const as = async (user: string, text: string, ...values: unknown[]) =>
  (
    await world.db.database.transaction({ claims: { role: "authenticated", sub: user }, headers: {} }, (tx) =>
      tx.query(text, values),
    )
  ).rows;
interface Progress {
  id: string;
  state: string;
  orders_found: number;
  orders_refunded: number;
  orders_skipped: number;
  cents_refunded: number;
  returned: number;
  returned_cents: number;
  under_way: number;
  refused: number;
  refused_cents: number;
  problems: { order_id: string; message: string; refused: boolean; cents: number | null }[];
}
const preview = async (filter: object) =>
  (await as(admin, "select public.preview_refund_run($1) as answer", JSON.stringify(filter)))[0]!.answer as {
    orders: number;
    cents: number;
    disputed: number;
    inside: number;
    rows: { id: string; cents: number; items: string; is_disputed: boolean }[];
  };
async function start(filter: object): Promise<string> {
  const { orders, cents } = await preview(filter);
  const [row] = await as(
    admin,
    "select public.start_refund_run(gen_random_uuid(), $1, 'event_cancelled', 'Storm', $2, $3) as id",
    JSON.stringify(filter),
    orders,
    cents,
  );
  return row!.id;
}
const steer = (id: string, action: string) => as(admin, "select public.steer_refund_run($1, $2)", id, action);
const progress = async (id: string) =>
  (await as(admin, "select public.get_refund_run($1) as answer", id))[0]!.answer as Progress;
const advance = (times: number) =>
  world.sql("select public.advance_refund_run() from generate_series(1, $1)", times);
const drain = () => world.call("drain-outbox", { as: "service", query: "?lane=money" });

async function bought(...lines: readonly (readonly [CatalogItem, number])[]) {
  const user = await world.newUser();
  const placed = await place(world, user, cartOf(...lines));
  await pay(world, placed);
  await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
  return placed;
}
let asked = 0;
/** Makes the provider refuse every other refund, whichever process requests it. */
const refuseHalf = ({ sandbox }: typeof world) =>
  sandbox.injectFault({
    kind: "declined",
    code: "charge_disputed",
    message: "Charge has been charged back; cannot issue a refund.",
    matches: (request) =>
      request.method === "POST" && new URL(request.url).pathname === "/v1/refunds" && asked++ % 2 === 0,
  });
async function expectExact() {
  await drain();
  // Mails stay in the outbox: nobody reads them here.
  const faults = await faultsInBooks((text) => world.sql(text), true);
  expect(faults.filter((fault) => !fault.startsWith("work left undone"))).toEqual([]);
  expect(await faultsAtProvider((text) => world.sql(text))).toEqual([]);
}

describe("200 orders, half of which the provider refuses", () => {
  const all: Awaited<ReturnType<typeof bought>>[] = [];
  beforeAll(async () => {
    for (let n = 0; n < 50; n++) {
      const four = [[shop.general, 1] as const, [shop.general, 2] as const, [shop.vip, 1] as const];
      all.push(
        ...(await Promise.all([
          bought(four[0]!),
          bought(four[1]!),
          bought(four[2]!, [shop.preferred, 1]),
          bought(four[0]!, [shop.parking, 1]),
        ])),
      );
    }
  }, 120_000);

  it(
    "are refunded once each through a stop, the end of a process and a retry",
    { timeout: 120_000 },
    async () => {
      const { orders, cents } = await preview({});
      expect([orders, cents]).toEqual([200, 50 * (4500 + 9000 + 21_000 + 7000)]);
      const id = await start({});
      refuseHalf(world);
      await drain();
      const first = await progress(id);
      expect(first.orders_refunded).toBeGreaterThan(0);
      expect(first.orders_refunded).toBeLessThan(200);

      await steer(id, "stop");
      await drain();
      expect((await progress(id)).orders_refunded).toBe(first.orders_refunded);
      await expect(steer(id, "retry")).rejects.toThrow("The run is stopped now.");
      await steer(id, "resume");

      // A killed process leaves work claimed; the transaction of an order is either done or not.
      await advance(20);
      await world.sql("select public.claim_outbox(10, 'money')");
      await expect(
        world.db.database.asService("the test is cut off").transaction(async (tx) => {
          await tx.query("select public.advance_refund_run()");
          throw new Error("killed");
        }),
      ).rejects.toThrow("killed");
      const other = await openWorld({ beside: world });
      refuseHalf(other);
      await Promise.all([drain(), other.call("drain-outbox", { as: "service", query: "?lane=money" })]);
      await other.functions.close();
      for (let n = 0; n < 5; n++) await drain();
      // The lease of the claimed work expires.
      await world.sql("update public.outbox set next_attempt_at = now() where done_at is null");
      await drain();

      const refused = await progress(id);
      expect(refused).toMatchObject({ state: "done", orders_refunded: 200, orders_skipped: 0, under_way: 0 });
      expect(refused.cents_refunded).toBe(cents);
      expect(refused.refused).toBe(100);
      expect(refused.returned + refused.refused).toBe(200);
      expect(refused.problems).toHaveLength(refused.refused);
      expect(refused.problems[0]).toMatchObject({
        refused: true,
        message: "Charge has been charged back; cannot issue a refund.",
      });

      world.sandbox.clearFaults();
      await steer(id, "retry");
      for (let n = 0; n < 3; n++) await drain();
      expect(await progress(id)).toMatchObject({
        state: "done",
        refused: 0,
        returned: 200,
        returned_cents: cents,
        problems: [],
      });
      await expectExact();
      expect(await preview({})).toEqual({ orders: 0, cents: 0, disputed: 0, inside: 0, rows: [] });
      const audit = await world.sql(
        "select action_type, new_values ->> 'state' as state from public.audit_logs where table_name = 'refund_runs' and record_id = $1 order by created_at",
        id,
      );
      expect(audit.map(({ state }) => state)).toEqual([
        "running",
        "stopped",
        "running",
        "done",
        "running",
        "running",
        "done",
      ]);
    },
  );
});

describe("an order that fails other than by a refusal", () => {
  it("blocks no other money, and is skipped after five tries", async () => {
    const [other, broken] = [await bought([shop.general, 1]), await bought([shop.general, 1])];
    const alone = await bought([shop.vip, 1]);
    const id = await start({ item_id: shop.general.id });
    await world.sql(`create function public.break_one_order() returns trigger language plpgsql as $$ begin
        raise exception 'a fault of ours' using errcode = 'XX000'; end $$`);
    await world.sql(`create trigger break_one_order before insert on public.refunds for each row
        when (new.order_id = '${broken.orderId}') execute function public.break_one_order()`);
    await as(admin, "select public.refund_amount(gen_random_uuid(), $1, 100, 'goodwill')", alone.orderId);
    expect(await drain()).toEqual({ status: 200, body: { done: 1, failed: 0 } });
    for (let n = 0; n < 5; n++) await drain();
    expect(await progress(id)).toMatchObject({ state: "done", orders_refunded: 1, orders_skipped: 1 });
    expect((await progress(id)).problems).toMatchObject([
      { order_id: broken.orderId, message: expect.stringContaining("a fault of ours") },
    ]);
    expect(await statusOf(world, other.orderId)).toBe("cancelled");
    await world.sql("drop trigger break_one_order on public.refunds");
    await start({ order_ids: [broken.orderId, alone.orderId] });
    await drain();
  });
});

describe("a refund of a run", () => {
  const requests = (request: Request) =>
    request.method === "POST" && new URL(request.url).pathname === "/v1/refunds";

  it("that ran out of attempts is a problem until a retry, and nothing is under way", async () => {
    const { orderId } = await bought([shop.general, 1]);
    const id = await start({ order_ids: [orderId] });
    await advance(1);
    await world.sql("update public.outbox set attempts = 13 where kind = 'refund' and done_at is null");
    world.sandbox.injectFault({ kind: "refused", status: 503, matches: requests });
    await drain();
    world.sandbox.clearFaults();
    expect(await progress(id)).toMatchObject({
      state: "done",
      under_way: 0,
      refused: 1,
      refused_cents: 4500,
      problems: [
        { order_id: orderId, refused: true, cents: 4500, message: expect.stringContaining("unknown") },
      ],
    });
    await steer(id, "retry");
    for (let n = 0; n < 2; n++) await drain();
    expect(await progress(id)).toMatchObject({ state: "done", returned: 1, refused: 0, problems: [] });
    await expectExact();
  });

  it("that was refused is none once its money went back in another way", async () => {
    const { orderId, paymentIntentId } = await bought([shop.general, 1]);
    const id = await start({ order_ids: [orderId] });
    const message = "Charge has been charged back; cannot issue a refund.";
    world.sandbox.injectFault({ kind: "declined", code: "charge_disputed", message, matches: requests });
    await drain();
    world.sandbox.clearFaults();
    expect(await progress(id)).toMatchObject({ refused: 1, refused_cents: 4500, problems: [{ message }] });
    const elsewhere = await world.stripe.refunds.create({ payment_intent: paymentIntentId });
    expect((await world.webhook("refund.created", elsewhere)).status).toBe(200);
    expect(await progress(id)).toMatchObject({ refused: 0, refused_cents: 0, problems: [] });
    await expectExact();
  });
});

describe("a selection of orders", () => {
  it("counts nothing for an order whose payment a bank took while a refund was in progress", async () => {
    const { orderId } = await bought([shop.general, 2]);
    const [refund] = await world.sql(
      `insert into public.refunds (payment_intent_id, order_id, amount, status, reason)
       select payment_intent_id, order_id, amount + 20, 'pending', 'test' from public.payments where order_id = $1 returning id`,
      orderId,
    );
    expect(await preview({ order_ids: [orderId] })).toMatchObject({
      orders: 1,
      cents: 0,
      rows: [{ cents: 0 }],
    });
    await world.sql("delete from public.refunds where id = $1", refund!.id);
    await start({ order_ids: [orderId] });
    await drain();
  });

  it("says how many of its payments are in an open dispute", async () => {
    const orders = [await bought([shop.general, 1]), await bought([shop.general, 1])];
    const filter = { order_ids: orders.map(({ orderId }) => orderId) };
    const note = (status: string) =>
      world.sql(
        "select public.note_dispute('dp_run', $1, 4500, 'usd', 'fraudulent', $2, now() + interval '7 days', now(), now())",
        orders[0]!.paymentIntentId,
        status,
      );
    expect(await preview(filter)).toMatchObject({ orders: 2, disputed: 0 });
    await note("needs_response");
    const found = await preview(filter);
    expect(found).toMatchObject({ orders: 2, disputed: 1 });
    expect(found.rows.filter((row) => row.is_disputed).map(({ id }) => id)).toEqual([orders[0]!.orderId]);
    const [change] = await as(admin, "select public.preview_festival_change() as answer");
    expect(change!.answer).toMatchObject({ disputed: 1 });
    await note("won");
    expect(await preview(filter)).toMatchObject({ orders: 2, disputed: 0 });
    await start(filter);
    await drain();
  });

  it("is by item, state, day or hand, and is shown before it starts", async () => {
    const vip = await bought([shop.vip, 1]);
    const general = await bought([shop.general, 1]);
    await world.sql(
      "update public.orders set created_at = created_at - interval '10 days' where id = $1",
      general.orderId,
    );
    const found = async (filter: object) => (await preview(filter)).rows.map(({ id }) => id);
    expect(await found({})).toEqual([vip.orderId, general.orderId]);
    expect(await found({ item_id: shop.vip.id })).toEqual([vip.orderId]);
    expect(await found({ order_ids: [general.orderId] })).toEqual([general.orderId]);
    expect(await found({ status: "completed" })).toEqual([]);
    const [{ day }] = (await world.sql(
      "select public.festival_day(created_at)::text as day from public.orders where id = $1",
      vip.orderId,
    )) as [{ day: string }];
    expect(await found({ placed_from: day })).toEqual([vip.orderId]);
    expect(await found({ placed_to: day })).toHaveLength(2);
    await expect(preview({ color: "red" })).rejects.toThrow("not valid");
    await expect(start({ status: "completed" })).rejects.toThrow("No paid order matches");

    const seen = await preview({ item_id: shop.vip.id });
    const late = await bought([shop.vip, 1]);
    await expect(
      as(
        admin,
        "select public.start_refund_run(gen_random_uuid(), $1, 'goodwill', null, $2, $3)",
        JSON.stringify({ item_id: shop.vip.id }),
        seen.orders,
        seen.cents,
      ),
    ).rejects.toThrow("The selection is now 2 orders and $300.00.");
    const id = await start({ item_id: shop.vip.id });
    const newer = await bought([shop.vip, 1]);
    await drain();
    expect(await progress(id)).toMatchObject({ orders_refunded: 2, cents_refunded: 30_000 });
    expect(await statusOf(world, late.orderId)).toBe("cancelled");
    expect(await statusOf(world, newer.orderId), "placed after the start").toBe("confirmed");
    await expectExact();
  });

  it("is started once by a double click, by two windows, and by a repeat after a lost answer", async () => {
    const { orderId } = await bought([shop.general, 1]);
    const filter = JSON.stringify({ order_ids: [orderId] });
    const begin = (id: string) =>
      as(admin, "select public.start_refund_run($1, $2, 'goodwill', null, 1, 4500) as id", id, filter);
    const id = crypto.randomUUID();
    expect(await Promise.all([begin(id), begin(id)])).toEqual([[{ id }], [{ id }]]);
    await expect(begin(crypto.randomUUID()), "another window").rejects.toThrow("in progress");
    await drain();
    expect(await begin(id), "a repeat once it is done").toEqual([{ id }]);
    const runs = await world.sql("select orders_refunded from public.refund_runs where filter = $1", filter);
    expect(runs).toEqual([{ orders_refunded: 1 }]);
    await expectExact();
  });

  it("leaves out what was refunded meanwhile, in part or in full", async () => {
    const [whole, part] = [await bought([shop.general, 1]), await bought([shop.general, 2])];
    const id = await start({ order_ids: [whole.orderId, part.orderId] });
    await as(admin, "select public.refund_order($1)", whole.orderId);
    await as(admin, "select public.refund_amount(gen_random_uuid(), $1, 1000, 'goodwill')", part.orderId);
    await drain();
    expect(await progress(id)).toMatchObject({ state: "done", orders_refunded: 1, cents_refunded: 8000 });
    await expectExact();
  });
});

describe("an order that was not shown", () => {
  const tag = (orderId: string, name: string) =>
    as(admin, "select public.tag_order($1, $2, true)", orderId, name);
  const older = async () => {
    const placed = await bought([shop.general, 1]);
    await world.sql(
      "update public.orders set created_at = created_at - interval '1 day' where id = $1",
      placed.orderId,
    );
    return placed;
  };

  it("and has been tagged since is not refunded by a retry", async () => {
    const [shown, later] = [await bought([shop.general, 1]), await older()];
    await tag(shown.orderId, "storm");
    const id = await start({ tag: "storm" });
    asked = 0;
    refuseHalf(world);
    await drain();
    world.sandbox.clearFaults();
    expect(await progress(id)).toMatchObject({ state: "done", orders_refunded: 1, refused: 1 });
    await tag(later.orderId, "storm");
    await steer(id, "retry");
    for (let n = 0; n < 2; n++) await drain();
    expect(await progress(id)).toMatchObject({ state: "done", orders_refunded: 1, returned: 1, refused: 0 });
    expect(await statusOf(world, later.orderId)).toBe("confirmed");
    await start({ tag: "storm" });
    await drain();
    expect(await statusOf(world, later.orderId), "once it was shown").toBe("cancelled");
    await expectExact();
  });

  it("and has been tagged since is not refunded by a run that is resumed", async () => {
    const [shown, later] = [await bought([shop.general, 1]), await older()];
    await tag(shown.orderId, "rain");
    const id = await start({ tag: "rain" });
    await steer(id, "stop");
    await tag(later.orderId, "rain");
    await steer(id, "resume");
    await drain();
    expect(await progress(id)).toMatchObject({ state: "done", orders_refunded: 1, orders_skipped: 0 });
    expect(await statusOf(world, later.orderId)).toBe("confirmed");
  });

  it("and matches again since, after the run has ended, is not refunded by a retry", async () => {
    const inside = await older();
    const [ticket] = await world.sql("select id from public.tickets where order_id = $1", inside.orderId);
    const [admitted] = await as(
      admin,
      "select public.check_in_code($1, 'Phone was flat') as admission",
      ticket!.id,
    );
    expect(await statusOf(world, inside.orderId)).toBe("completed");
    await bought([shop.general, 1]);
    const id = await start({ status: "confirmed" });
    await drain();
    const { orders_refunded } = await progress(id);
    await as(admin, "select public.undo_admission($1, 'Scanned by mistake')", admitted!.admission);
    expect(await statusOf(world, inside.orderId)).toBe("confirmed");
    await steer(id, "retry");
    await drain();
    expect(await progress(id)).toMatchObject({ state: "done", orders_refunded });
    expect(await statusOf(world, inside.orderId)).toBe("confirmed");
  });

  it("because it was paid after the start is not refunded", async () => {
    await bought([shop.vip, 1]);
    const user = await world.newUser();
    const pending = await place(world, user, cartOf([shop.vip, 1]));
    const id = await start({ item_id: shop.vip.id });
    await pay(world, pending);
    await world.call("process-payment", {
      as: user,
      body: { paymentIntentId: pending.paymentIntentId },
    });
    await drain();
    expect(await progress(id)).toMatchObject({ state: "done", orders_refunded: 1 });
    expect(await statusOf(world, pending.orderId)).toBe("confirmed");
  });
});

it("covers what was paid while its transaction had begun but was still waiting", async () => {
  const late = await world.db.database.asService("the test opens a run").transaction(async (tx) => {
    await tx.query("select now()");
    const { orderId } = await bought([shop.parking, 1], [shop.general, 1]);
    await tx.query("select public.open_refund_run('{}', 'event_cancelled')");
    return orderId;
  });
  for (let n = 0; n < 5; n++) await drain();
  expect(await statusOf(world, late)).toBe("cancelled");
});

it("says how many of its guests were let in, and counts no ticket that is void by then", async () => {
  const [one, other] = [await bought([shop.general, 3]), await bought([shop.general, 1])];
  const tickets = await world.sql("select id from public.tickets where order_id = $1", one.orderId);
  const inside = async () => [
    (await preview({ order_ids: [one.orderId] })).inside,
    (await preview({ order_ids: [other.orderId] })).inside,
  ];
  for (const { id } of tickets.slice(0, 2)) {
    await as(admin, "select public.check_in_code($1, 'Phone was flat')", id);
  }
  expect(await inside()).toEqual([2, 0]);
  await as(admin, "select public.refund_order($1, array[$2::uuid])", one.orderId, tickets[0]!.id);
  expect(await inside()).toEqual([1, 0]);
});

it("reads only the next refund when it retries one of many", async () => {
  const { orderId } = await bought([shop.general, 1]);
  const id = await start({ order_ids: [orderId] });
  await drain();
  await world.sql(
    `with paid as (
       insert into public.payments (payment_intent_id, order_id, amount, status, succeeded_at)
         select 'pi_many_' || n, $1, 1, 'succeeded', now() from generate_series(1, 300) as n returning payment_intent_id
     )
     insert into public.refunds (payment_intent_id, order_id, amount, reason, status, run_id)
       select payment_intent_id, $1, 1, 'test', 'failed', $2 from paid`,
    orderId,
    id,
  );
  expect(await progress(id)).toMatchObject({ refused: 300, refused_cents: 30_000 });
  await steer(id, "retry");
  await advance(150);
  const read = await world.db.database.asService("the test counts reads").transaction(async (tx) => {
    const reads = async () =>
      (
        await tx.query<{ rows: number }>(
          "select idx_tup_fetch::int as rows from pg_stat_xact_user_tables where relname = 'refunds'",
        )
      ).rows[0]!.rows;
    const before = await reads();
    await tx.query("select public.advance_refund_run()");
    return (await reads()) - before;
  });
  expect(read).toBeLessThan(50);
  expect(await progress(id)).toMatchObject({ refused: 149, under_way: 151 });
});
