import { beforeEach, describe, expect, it } from "vitest";
import { codesIn } from "../../../shop/testing/paper.ts";
import { cartOf } from "../../../shop/testing/cart.ts";
import { letHoldRunOut, pay, place, statusOf } from "../../../shop/testing/carts.ts";
import { openShop } from "../../../shop/testing/open-shop.ts";
import { workKinds } from "../../functions/drain-outbox/work.ts";

const { world, shop } = await openShop();
beforeEach(() => {
  world.mails.length = 0;
});

const drain = () => world.call("drain-outbox", { as: "service" });
const open = () => world.sql("select kind, attempts, last_error from public.outbox where done_at is null");
const dueNow = () => world.sql("update public.outbox set next_attempt_at = now() where done_at is null");

async function confirmed(cart = cartOf([shop.vip, 2])) {
  const user = await world.newUser();
  const placed = await place(world, user, cart);
  await pay(world, placed);
  await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
  return { user, ...placed };
}

describe("the kinds of work", () => {
  it("are those with a lane in SQL", async () => {
    const [lane] = await world.sql(
      "select pg_get_expr(adbin, adrelid) as rule from pg_attrdef where adrelid = 'public.outbox'::regclass and adnum = 3",
    );
    const kinds = [...lane!.rule.matchAll(/'(\w+)'/g)].map(([, kind]: string[]) => kind!);
    expect(kinds.filter((kind) => !["money", "mail", "bulk"].includes(kind)).toSorted()).toEqual(
      workKinds.toSorted(),
    );
  });
});

describe("money and mail", () => {
  it("do not wait for each other", async () => {
    await world.sql("update public.outbox set done_at = now() where done_at is null");
    const { orderId } = await confirmed(cartOf([shop.general, 1]));
    let answerMail = () => {};
    world.holdMail(new Promise<void>((answer) => (answerMail = answer)));
    const mails = world.call("drain-outbox", { as: "service", query: "?lane=mail" });
    await world.sql(
      "select public.queue_refund(payment_intent_id, order_id, 1, 'test') from public.payments where order_id = $1",
      orderId,
    );
    const money = await world.call("drain-outbox", { as: "service", query: "?lane=money" });
    expect(money.body).toEqual({ done: 1, failed: 0 });
    expect(await world.sql("select status from public.refunds where order_id = $1", orderId)).toEqual([
      { status: "succeeded" },
    ]);
    expect(world.mails).toEqual([]);
    answerMail();
    world.holdMail(undefined);
    expect((await mails).body.failed).toBe(0);
    expect(world.mails.length).toBeGreaterThan(0);
    // The refund's mail may remain for the next test's drain.
    await drain();
  });
});

describe("a mail server that does not answer", () => {
  it("keeps no other mail from being recorded", async () => {
    await world.sql("update public.outbox set done_at = now() where done_at is null");
    let answerMail = () => {};
    world.holdMail(new Promise<void>((answer) => (answerMail = answer)), "guest2@people.test");
    await confirmed(cartOf([shop.vip, 2]));
    const drained = drain();
    await expect.poll(open).toEqual([expect.objectContaining({ kind: "attendee_mail" })]);
    answerMail();
    world.holdMail(undefined);
    expect((await drained).body).toMatchObject({ failed: 0 });
    expect(await open()).toEqual([]);
  });
});

describe("the order mail", () => {
  it("brings the buyer every ticket with its code, and other attendees their own", async () => {
    const cart = cartOf([shop.vip, 2]);
    cart.attendees[1]!.name = '<b>Lil\' "Keke"</b>';
    const { orderId } = await confirmed(cart);
    expect(await drain()).toMatchObject({ status: 200, body: { failed: 0 } });
    expect(await open()).toEqual([]);

    const toBuyer = world.mails.find(({ to }) => to === "buyer@people.test")!;
    expect(toBuyer.subject).toContain("Your tickets");
    // Two tickets and a parking permit.
    expect(toBuyer.attachments).toHaveLength(3);
    for (const { cid } of toBuyer.attachments!) expect(toBuyer.html).toContain(`src="cid:${cid}"`);
    const mailed = await Promise.all(toBuyer.attachments!.map(({ content }) => codesIn(content)));
    const issued = await world.sql<{ code: string }>(
      "select qr_code_data as code from public.entry_codes where order_id = $1",
      orderId,
    );
    expect(mailed.flat().toSorted()).toEqual(issued.map(({ code }) => code).toSorted());
    expect(toBuyer.html).toContain("http://shop.test/my-tickets");
    expect(toBuyer.html).toContain("&lt;b&gt;Lil");
    expect(toBuyer.html).not.toContain("<b>Lil");
    expect(toBuyer.html).not.toMatch(/src="http/);
    expect(toBuyer.text).toContain('<b>Lil\' "Keke"</b>');
    expect(toBuyer.text).toContain("$300.00");
    expect(toBuyer.text).toContain("Included");

    const toGuest = world.mails.find(({ to }) => to === "guest2@people.test")!;
    expect(toGuest.attachments).toHaveLength(1);
    // The buyer's name is free text: in a subject, it would let anybody send anything to anybody.
    expect(toGuest.subject).toMatch(/^Your ticket for /);
    expect(toGuest.text).not.toContain("$");
    expect(toGuest.text).not.toContain("Guest 1");
    expect(world.mails).toHaveLength(2);
  });

  it("shows the same code as the site", async () => {
    const { user, orderId } = await confirmed(cartOf([shop.general, 1]));
    await drain();
    const [ticket] = await world.sql(
      "select id, qr_code_url from public.tickets where order_id = $1",
      orderId,
    );
    const { body } = await world.call("generate-qr-code", { as: user, body: { ticketId: ticket!.id } });
    expect(body.qrCodeUrl).toBe(ticket!.qr_code_url);
  });

  it("is retried while mail cannot be sent", async () => {
    await confirmed(cartOf([shop.general, 1]));
    world.breakMail(new Error("mailbox unavailable"));
    expect(await drain()).toMatchObject({ body: { done: 0, failed: 1 } });
    world.breakMail(undefined);
    expect(await open()).toEqual([{ kind: "order_mail", attempts: 1, last_error: "mailbox unavailable" }]);
    expect(await drain()).toMatchObject({ body: { done: 0, failed: 0 } });
    await dueNow();
    expect(await drain()).toMatchObject({ body: { done: 1, failed: 0 } });
    expect(world.mails).toHaveLength(1);
  });

  it("is not sent twice when two processes drain at once", async () => {
    await confirmed(cartOf([shop.general, 1]));
    await Promise.all([drain(), drain(), drain()]);
    expect(world.mails).toHaveLength(1);
  });
});

describe("work queued behind slow mails", () => {
  it("is claimed when its turn comes, so that no lease expires before", async () => {
    await world.sql("update public.outbox set done_at = now() where done_at is null");
    await world.sql(
      `insert into public.outbox (kind, payload, dedupe_key)
       select 'second_steps_mail', jsonb_build_object('email', 'fan' || n || '@people.test'), 'slow:' || n
       from generate_series(1, 12) as n`,
    );
    let answerMail = () => {};
    world.holdMail(new Promise<void>((answer) => (answerMail = answer)));
    const draining = world.call("drain-outbox", { as: "service", query: "?lane=mail" });
    const claimed = async () =>
      (await world.sql("select from public.outbox where dedupe_key like 'slow:%' and attempts > 0")).length;
    await expect.poll(claimed).toBe(4);
    answerMail();
    world.holdMail(undefined);
    expect((await draining).body).toEqual({ done: 12, failed: 0 });
    expect(world.mails).toHaveLength(12);
  });
});

describe("money", () => {
  it("is returned at once when a late payment finds nothing left, and buyer and organizers are notified", async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([shop.general, 1]));
    // The buyer pays at the provider at the moment the hold is cancelled here.
    await letHoldRunOut(world, placed.orderId);
    await world.sql("select public.expire_holds(array[$1::uuid])", placed.orderId);
    await world.sql("update public.ticket_types set current_inventory = 0 where id = $1", shop.general.id);
    const intent = await pay(world, placed);
    const claim = () =>
      world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const refused = { status: 200, body: { success: false, status: "refund_queued", reason: "sold_out" } };
    expect(await claim()).toMatchObject(refused);
    expect(await claim(), "asked again").toMatchObject(refused);

    expect(await drain()).toMatchObject({ body: { failed: 0 } });
    expect(await statusOf(world, placed.orderId)).toBe("cancelled");
    const charge = await world.stripe.charges.retrieve(String(intent.latest_charge));
    expect(charge).toMatchObject({ refunded: true, amount_refunded: 4500 });
    expect(await world.sql("select status from public.refunds where order_id = $1", placed.orderId)).toEqual([
      { status: "succeeded" },
    ]);
    expect(await world.sql("select status from public.payments where order_id = $1", placed.orderId)).toEqual(
      [{ status: "refunded" }],
    );
    expect(world.mails.map(({ to, subject }) => [to, subject]).sort()).toEqual([
      ["buyer@people.test", `Your refund for order ${placed.orderId.slice(0, 8)}`],
      ["organizers@shop.test", `A paid order could not be fulfilled (${placed.orderId.slice(0, 8)})`],
    ]);
    await world.sql("update public.ticket_types set current_inventory = 100 where id = $1", shop.general.id);
  });

  it("is refunded once although the provider's answer was lost", async () => {
    const { orderId, paymentIntentId } = await confirmed(cartOf([shop.general, 1]));
    await world.sql("select public.queue_refund($1, $2, 4500, 'requested')", paymentIntentId, orderId);
    world.sandbox.injectFault({
      kind: "answer_lost",
      matches: (request) => request.url.endsWith("/refunds"),
    });
    await drain();
    world.sandbox.clearFaults();
    expect(await open()).toMatchObject([{ kind: "refund", attempts: 1 }]);
    await dueNow();
    await drain();
    expect(await open()).toEqual([]);
    const { data } = await world.stripe.refunds.list({ payment_intent: paymentIntentId });
    expect(data).toHaveLength(1);
    expect(
      await world.sql("select status, provider_refund_id from public.refunds where order_id = $1", orderId),
    ).toEqual([{ status: "succeeded", provider_refund_id: data[0]!.id }]);
  });

  it("cannot pay for an order whose cart was changed", async () => {
    const user = await world.newUser();
    const old = await place(world, user, cartOf([shop.general, 1]));
    await place(world, user, cartOf([shop.general, 2]));
    expect(await statusOf(world, old.orderId)).toBe("cancelled");
    await drain();
    expect(await world.stripe.paymentIntents.retrieve(old.paymentIntentId)).toMatchObject({
      status: "canceled",
    });
  });

  it("buys the tickets after all when the old cart is paid at the same moment", async () => {
    const user = await world.newUser();
    const old = await place(world, user, cartOf([shop.general, 1]));
    await pay(world, old);
    await place(world, user, cartOf([shop.general, 2]));
    await drain();
    expect(await statusOf(world, old.orderId)).toBe("confirmed");
  });
});

it("an email is forgotten with its address 30 days after it was sent or given up; a refund waits for somebody to retry it", async () => {
  await world.sql("delete from public.outbox");
  const rows = [
    ["sent", "second_steps_mail", 31, null],
    ["sent lately", "second_steps_mail", 29, null],
    ["given up", "second_steps_mail", null, 31],
    ["given up lately", "second_steps_mail", null, 29],
    ["refund", "refund", null, 31],
    ["waiting", "second_steps_mail", null, null],
  ];
  for (const row of rows) {
    await world.sql(
      `insert into public.outbox (dedupe_key, kind, payload, done_at, dead_at, next_attempt_at)
       values ($1, $2, '{}', now() - make_interval(days => $3), now() - make_interval(days => $4), now() + interval '1 hour')`,
      ...row,
    );
  }
  await world.call("clean-up", { as: "service" });
  const kept = await world.sql("select dedupe_key from public.outbox");
  expect(kept.map(({ dedupe_key }) => dedupe_key).toSorted()).toEqual([
    "given up lately",
    "refund",
    "sent lately",
    "waiting",
  ]);
  await world.sql("delete from public.outbox");
});

describe("a kind of work", () => {
  const write = (kind: string) =>
    world.sql(`insert into public.outbox (kind, payload, dedupe_key) values ($1, '{}', $1)`, kind);

  it("without a lane cannot be written", async () => {
    await expect(write("tea")).rejects.toMatchObject({ code: "23502" });
  });

  it("that SQL can write has code to handle it", async () => {
    await world.sql("delete from public.outbox");
    const kinds = await world.sql(
      `select kind[1] as kind from pg_attrdef, regexp_matches(pg_get_expr(adbin, adrelid), $$'([a-z_]+)'::text$$, 'g') as kind
       where adrelid = 'public.outbox'::regclass and pg_get_expr(adbin, adrelid) like '%CASE%'
         and kind[1] not in ('money', 'mail', 'bulk')`,
    );
    expect(kinds.length).toBeGreaterThan(9);
    for (const { kind } of kinds) await write(kind);
    expect(await drain()).toMatchObject({ body: { done: 0, failed: kinds.length } });
    expect(
      await world.sql("select kind from public.outbox where last_error like 'nobody does work of kind%'"),
    ).toEqual([]);
    await world.sql("delete from public.outbox");
  });

  it("that this version does not know fails by name and does not block the rest", async () => {
    await drain();
    world.mails.length = 0;
    await world.sql("alter table public.outbox alter column lane set expression as ('mail')");
    await write("tea");
    await write("order_mail");
    await confirmed(cartOf([shop.general, 1]));
    expect(await drain()).toMatchObject({ body: { failed: 2 } });
    expect(world.mails).toHaveLength(1);
    const [tea, broken] = await world.sql(
      "select last_error from public.outbox where dedupe_key in ('tea', 'order_mail') order by id",
    );
    expect(tea!.last_error).toContain("tea");
    expect(broken!.last_error).toContain("order_id");
  });
});

it("an unknown lane is refused", async () => {
  const answer = await world.call("drain-outbox", { as: "service", query: "?lane=mails" });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
});

describe("the jobs", () => {
  it("send the mail of an order without a request", async () => {
    world.functions.startJobs();
    await confirmed(cartOf([shop.general, 1]));
    await expect.poll(() => world.mails.map(({ to }) => to)).toContain("buyer@people.test");
    await world.functions.close();
  });

  it("are for the service only", async () => {
    const user = await world.newUser();
    for (const name of ["drain-outbox", "expire-holds", "reconcile-payments"]) {
      for (const as of [undefined, user]) {
        const answer = await world.call(name, as === undefined ? {} : { as });
        expect(answer).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
      }
    }
  });
});
