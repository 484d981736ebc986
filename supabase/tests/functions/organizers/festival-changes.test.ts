// The festival is moved or cancelled: the effect of one call on pages, mails, sale and money.
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import type { Executor } from "../../../../server/src/postgres/executor.ts";
import { pay, place, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";
import { untilWaitingOn } from "../../../../server/testing/waiting.ts";

const { world, shop } = await openShop();
const admin = await world.newUser();
await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);
await world.sql("update public.shop_settings set max_orders_per_address = 1000");

const service = world.db.database.asService("two connections meet");
const untilWaiting = untilWaitingOn(service);
const transaction = <T>(user: string, work: (tx: Executor) => Promise<T>) =>
  world.db.database.transaction({ claims: { role: "authenticated", sub: user }, headers: {} }, work);
const as = async (user: string, text: string, ...values: unknown[]) =>
  (await transaction(user, (tx) => tx.query(text, values))).rows[0]?.answer;
const outcome = (ending: Promise<unknown>): Promise<string> =>
  ending.then(
    () => "done",
    (error: Error) => error.message,
  );

const [first] = await world.sql<{ content: Record<string, unknown> }>(
  "select content from public.festival_sections where id = 'facts'",
);
beforeEach(async () => {
  await world.sql("update public.festival_sections set content = $1 where id = 'facts'", first!.content);
  await world.sql("update public.shop_settings set on_sale = true");
  await world.sql("delete from public.festival_changes");
  await world.sql(
    "delete from public.refund_runs where not exists (select from public.refunds r where r.run_id = refund_runs.id)",
  );
  world.mails.length = 0;
});

interface Change {
  id?: string;
  facts: object;
  refunds?: string;
  askUntil?: string | null;
  on?: Executor;
}
async function announce({
  id = randomUUID(),
  facts,
  refunds = "none",
  askUntil = null,
  on,
}: Change): Promise<string> {
  const [{ version, content }] = (await world.sql<{ version: number; content: object }>(
    "select version, content from public.festival_sections where id = 'facts'",
  )) as [{ version: number; content: object }];
  const values = [id, version, { ...content, notice: "Read your mail.", ...facts }, refunds, askUntil];
  const text = "select public.announce_festival_change($1, $2, $3, $4, $5, 'A change', 'Read this.')";
  await (on ? on.query(text, values) : transaction(admin, (tx) => tx.query(text, values)));
  return id;
}
const moved = { status: "moved", starts_at: "2025-07-04T11:00", ends_at: "2025-07-04T22:00" };
const cancelled = { status: "cancelled" };
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

async function bought(quantity = 1) {
  const user = await world.newUser();
  const placed = await place(world, user, cartOf([shop.general, quantity]));
  await pay(world, placed);
  await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
  return { user, orderId: placed.orderId };
}
const ask = (user: string, orderId: string) =>
  as(user, "select public.request_refund($1) as answer", orderId) as Promise<{ refunded_cents: number }>;
const offers = (user: string) => as(user, "select public.get_refund_offers() as answer") as Promise<object>;

describe("a moved festival", () => {
  it("is published, mailed to buyers and guests, and returns money on request", async () => {
    const one = await bought(2);
    const other = await bought();
    expect(await offers(one.user)).toEqual({});
    const id = await announce({ facts: moved, refunds: "on_request", askUntil: tomorrow() });
    expect(await world.sql("select status, starts_at from public.festival")).toMatchObject([
      { status: "moved", starts_at: new Date("2025-07-04T16:00:00Z") },
    ]);
    expect(await world.sql("select on_sale from public.shop_settings")).toEqual([{ on_sale: true }]);
    const emails = await world.sql(
      "select email from public.message_recipients where message_id = $1 order by 1",
      id,
    );
    expect(emails).toEqual([{ email: "buyer@people.test" }, { email: "guest2@people.test" }]);
    await world.call("drain-outbox", { as: "service", query: "?lane=bulk" });
    expect(world.mails[0]).toMatchObject({
      subject: "A change",
      text: expect.stringContaining("July 4, 2025"),
    });
    for (const part of [
      "The new date: July 4, 2025, 11:00 AM to 10:00 PM",
      "You can get your money back until",
      "/my-tickets",
      "/festival.ics",
      "calendar.google.com",
    ]) {
      expect(world.mails[0]!.text, part).toContain(part);
    }
    expect(world.mails[1]).toMatchObject({
      to: "guest2@people.test",
      text: expect.stringContaining("The person who bought your ticket can get the money back until"),
    });
    expect(world.mails[1]!.text).not.toContain("Refund Order");

    expect(await offers(one.user)).toMatchObject({
      [one.orderId]: { cents: shop.general.price * 200, passed_on: [] },
    });
    await expect(ask(other.user, one.orderId), "another's order").rejects.toMatchObject({ code: "PT404" });
    expect(await ask(one.user, one.orderId)).toMatchObject({ refunded_cents: shop.general.price * 200 });
    await expect(ask(one.user, one.orderId), "twice").rejects.toMatchObject({ code: "23514" });
    expect(await statusOf(world, one.orderId)).toBe("cancelled");
    expect(await statusOf(world, other.orderId)).toBe("confirmed");
    const late = await bought();
    await expect(ask(late.user, late.orderId), "bought after the change").rejects.toMatchObject({
      code: "23514",
    });
  });

  it("states in the offer who holds a transferred ticket, and what a fee leaves to refund", async () => {
    await world.sql(
      "update public.festival set starts_at = now() + interval '60 days', ends_at = now() + interval '61 days'",
    );
    const { user, orderId } = await bought(2);
    const offer = (name: string) =>
      as(
        user,
        `select public.offer_transfer(array(select id from public.tickets where order_id = $1 and user_id = auth.uid()
          and id not in (select ticket_id from public.ticket_transfers where state = 'offered') limit 1), $2, $3) as answer`,
        orderId,
        name,
        `${name}@people.test`,
      );
    await world.sql(
      "select public.arm_transfer($1, 'grace'), public.accept_transfer('grace')",
      await offer("Grace"),
    );
    await offer("Mary");
    await world.sql(
      "update public.orders set fee_amount = 1, fee_is_refunded = false, total_amount = total_amount + 1 where id = $1",
      orderId,
    );
    await world.sql("update public.payments set amount = amount + 1 where order_id = $1", orderId);
    await announce({ facts: moved, refunds: "on_request", askUntil: tomorrow() });
    expect(await offers(user)).toMatchObject({
      [orderId]: {
        cents: shop.general.price * 200,
        passed_on: [{ ticket: "General Admission", to: "Grace" }],
      },
    });
    // A bank took the full amount while a refund of it was in progress.
    await world.sql(
      `insert into public.refunds (payment_intent_id, order_id, amount, reason)
       select payment_intent_id, order_id, amount, 'dispute_lost' from public.payments, generate_series(1, 2) where order_id = $1`,
      orderId,
    );
    expect(await offers(user)).toMatchObject({ [orderId]: { cents: 0 } });
  });

  it.each([
    ["moved", moved],
    ["cancelled", cancelled],
  ])("returns money to whoever was let in before it was %s, as the email says", async (_status, facts) => {
    const one = await bought();
    await world.sql("update public.tickets set checked_in_at = now() where order_id = $1", one.orderId);
    expect(await statusOf(world, one.orderId)).toBe("completed");
    const { let_in } = (await as(admin, "select public.preview_festival_change() as answer")) as {
      let_in: number;
    };
    expect(let_in).toBeGreaterThan(0);
    await announce({ facts, refunds: "on_request", askUntil: tomorrow() });
    await world.call("drain-outbox", { as: "service", query: "?lane=bulk" });
    const own = world.mails.filter(({ to }) => to === "buyer@people.test");
    expect(own.at(-1)!.text).toContain("You can get your money back until");
    expect(await offers(one.user)).toMatchObject({ [one.orderId]: { cents: shop.general.price * 100 } });
    expect(await ask(one.user, one.orderId)).toMatchObject({ refunded_cents: shop.general.price * 100 });
    expect(await statusOf(world, one.orderId)).toBe("cancelled");
  });

  it("moves the ends of sales on its days with it, at the same hour, and leaves earlier ones", async () => {
    const ends = (table: string, at: string) =>
      world.sql(
        `update public.${table} set sale_closes_at = $1::timestamp at time zone 'America/Chicago'`,
        at,
      );
    await ends("shop_settings", "2025-06-27 21:00");
    await ends("ticket_types", "2025-06-20 12:00");
    const preview = await as(admin, "select public.preview_festival_change() as answer");
    expect((preview as { sale_ends: unknown[] }).sale_ends).toEqual(
      expect.arrayContaining([
        { name: null, closes_at: "2025-06-28T02:00:00+00:00", moves: true },
        { name: "General Admission", closes_at: "2025-06-20T17:00:00+00:00", moves: false },
      ]),
    );
    await announce({ facts: { ...moved, starts_at: "2025-12-06T11:00", ends_at: "2025-12-06T22:00" } });
    await world.call("drain-outbox", { as: "service", query: "?lane=bulk" });
    const [closes] = await world.sql(
      `select (select sale_closes_at from public.shop_settings) as shop, (select sale_closes_at from public.ticket_types limit 1) as type`,
    );
    expect(closes).toEqual({
      shop: new Date("2025-12-07T03:00:00Z"),
      type: new Date("2025-06-20T17:00:00Z"),
    });
    for (const table of ["shop_settings", "ticket_types"])
      await world.sql(`update public.${table} set sale_closes_at = null`);
  });

  it("returns nothing to a person who was let in after it, or asks too late", async () => {
    const seen = await bought();
    const slow = await bought();
    const id = await announce({ facts: moved, refunds: "on_request", askUntil: tomorrow() });
    await world.sql("update public.tickets set checked_in_at = now() where order_id = $1", seen.orderId);
    await expect(ask(seen.user, seen.orderId)).rejects.toMatchObject({ code: "23514" });
    await world.sql("update public.festival_changes set ask_until = now() where id = $1", id);
    await expect(ask(slow.user, slow.orderId)).rejects.toMatchObject({ code: "23514" });
    expect(await offers(slow.user)).toEqual({});
  });
});

describe("a cancelled festival", () => {
  it("stops the sale and returns everybody's money in a refund run", async () => {
    const { orderId } = await bought();
    const id = await announce({ facts: cancelled, refunds: "everybody" });
    expect(await announce({ id, facts: cancelled, refunds: "everybody" }), "sent again").toBe(id);
    for (const edited of [{ facts: moved, refunds: "everybody" }, { facts: cancelled }])
      await expect(announce({ id, ...edited }), "changed after a lost answer").rejects.toMatchObject({
        code: "PT409",
        message: expect.stringContaining("with different text"),
      });
    expect(await world.sql("select on_sale from public.shop_settings")).toEqual([{ on_sale: false }]);
    const [change] = await world.sql<{ refund_run_id: string }>(
      "select refund_run_id from public.festival_changes",
    );
    while ((await world.sql("select public.advance_refund_run() as on"))[0]!.on);
    expect(await statusOf(world, orderId)).toBe("cancelled");
    expect(
      await world.sql("select state, reason from public.refund_runs where id = $1", change!.refund_run_id),
    ).toEqual([{ state: "done", reason: "event_cancelled" }]);
  });
});

it("informs each recipient of their refund: payers, attendees they bought for, and guests who paid nothing", async () => {
  await bought(2);
  await as(
    admin,
    `select public.issue_comps(gen_random_uuid(), 'Press', $1, '[{"name": "Ida", "email": "ida@people.test"}]') as answer`,
    shop.general.id,
  );
  expect(await as(admin, "select public.preview_festival_change() as answer")).toMatchObject({
    comps: 1,
    door_orders: 0,
    door_cents: 0,
    code_is_fixed: true,
  });
  const id = await announce({ facts: cancelled, refunds: "everybody" });
  expect(
    await world.sql("select email, paid from public.message_recipients where message_id = $1", id),
  ).toEqual(
    expect.arrayContaining([
      { email: "buyer@people.test", paid: "online" },
      { email: "guest2@people.test", paid: null },
      { email: "ida@people.test", paid: "nothing" },
    ]),
  );
  while ((await world.sql("select public.advance_refund_run() as on"))[0]!.on);
  await world.call("drain-outbox", { as: "service", query: "?lane=bulk" });
  const sentences = [
    "Your money goes back to the card you paid with",
    "The money goes back to the person who bought your ticket",
    "Your ticket was free, so there is nothing to refund",
  ];
  const said = (email: string) => {
    const mails = world.mails.filter(({ to, subject }) => to === email && subject === "A change");
    const texts = mails.map(({ text }) => text.replace(/\s+/g, " ")).join();
    return sentences.filter((sentence) => texts.includes(sentence));
  };
  expect(["buyer", "guest2", "ida"].map((name) => said(`${name}@people.test`))).toEqual(
    sentences.map((sentence) => [sentence]),
  );
});

describe("with orders on hold when it is cancelled", () => {
  const told = async (payment: string) => {
    await world.call("drain-outbox", { as: "service" });
    const [refund] = await world.sql(
      "select reason, status from public.refunds where payment_intent_id = $1",
      payment,
    );
    expect(refund).toEqual({ reason: "festival_cancelled", status: "succeeded" });
    return world.mails.filter(({ text }) => text.includes("had been canceled when your payment")).length;
  };

  it("returns a payment that arrives afterwards, and notifies the buyer", async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([shop.general, 2]));
    await announce({ facts: cancelled });
    await pay(world, placed);
    const body = { paymentIntentId: placed.paymentIntentId };
    const answer = await world.call("process-payment", { as: user, body });
    expect(answer.body).toMatchObject({ status: "refund_queued", reason: "festival_cancelled" });
    expect(await world.call("process-payment", { as: user, body }), "again").toEqual(answer);
    expect(await statusOf(world, placed.orderId)).toBe("cancelled");
    expect(
      await world.sql("select from public.tickets where order_id = $1", placed.orderId),
      "no ticket",
    ).toEqual([]);
    expect(await told(placed.paymentIntentId)).toBe(1);
  });

  it("ends the offered places of the waitlist at once, and those in an order", async () => {
    const [waiting, buying] = [await world.newUser(), await world.newUser()];
    const leave = (units: number) =>
      world.sql(
        "update public.ticket_types set current_inventory = $2, total_inventory = $2 + sold + held where id = $1",
        shop.general.id,
        units,
      );
    const places = () =>
      world.sql(
        "select state, offered from public.waitlist_entries where user_id = any ($1) order by number",
        [waiting, buying],
      );
    await leave(0);
    for (const user of [waiting, buying])
      await as(user, "select public.join_waitlist($1, 1)", shop.general.id);
    await leave(2);
    await world.call("expire-holds", { as: "service" });
    await place(world, buying, cartOf([shop.general, 1]));
    expect(await places()).toEqual([
      { state: "offered", offered: 1 },
      { state: "claimed", offered: 1 },
    ]);
    await announce({ facts: cancelled });
    await world.call("expire-holds", { as: "service" });
    expect(await places()).toEqual([
      { state: "expired", offered: 0 },
      { state: "expired", offered: 0 },
    ]);
    expect(
      await world.sql(
        "select current_inventory as available, held from public.ticket_types where id = $1",
        shop.general.id,
      ),
    ).toEqual([{ available: 2, held: 0 }]);
    await leave(1000); // for the other tests
  });

  it("ends the holds at once: unpaid ones are cancelled, paid ones refunded", async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([shop.general, 1]));
    const payer = await world.newUser();
    const paid = await place(world, payer, cartOf([shop.general, 1]));
    await pay(world, paid);
    await announce({ facts: cancelled });
    await world.call("expire-holds", { as: "service" });
    expect(await statusOf(world, placed.orderId)).toBe("cancelled");
    expect(await statusOf(world, paid.orderId)).toBe("cancelled");
    expect(await told(paid.paymentIntentId)).toBe(1);
    expect(await world.sql("select held from public.ticket_types where id = $1", shop.general.id)).toEqual([
      { held: 0 },
    ]);
  });

  it("refuses a new cart because it is cancelled, and stays closed", async () => {
    await announce({ facts: cancelled });
    const answer = await world.call("create-payment-intent", {
      as: await world.newUser(),
      body: cartOf([shop.general, 1]),
    });
    expect(answer).toMatchObject({
      status: 409,
      body: { error: { code: "sales_closed", message: "The festival is canceled. No tickets are sold." } },
    });
    await expect(world.sql("update public.shop_settings set on_sale = true")).rejects.toThrow(
      "The festival is canceled. Sales cannot reopen.",
    );
  });

  describe("by one administrator while another resumes a paused sale", () => {
    const change = "update public.festival set status = 'cancelled'";
    const resume = "update public.shop_settings set on_sale = true";
    beforeEach(() => world.sql("update public.shop_settings set on_sale = false"));

    const staysClosed = async () => {
      expect(await world.sql("select on_sale, status from public.shop_settings, public.festival")).toEqual([
        { on_sale: false, status: "cancelled" },
      ]);
      const answer = await world.call("create-payment-intent", {
        as: await world.newUser(),
        body: cartOf([shop.general, 1]),
      });
      expect(answer).toMatchObject({ status: 409, body: { error: { code: "sales_closed" } } });
    };

    it("refuses to resume it, as the cancellation came first", async () => {
      const [resumed] = await service.transaction(async (tx) => {
        await tx.query(change);
        const resuming = outcome(world.sql(resume));
        await untilWaiting(1);
        await tx.query("select from public.shop_settings for update nowait"); // which a cancellation may want
        return [resuming];
      });
      expect(await resumed).toBe("The festival is canceled. Sales cannot reopen.");
      await staysClosed();
    });

    it("stops what was resumed first", async () => {
      const [ended] = await service.transaction(async (tx) => {
        await tx.query(resume);
        const cancelling = outcome(world.sql(change));
        await untilWaiting(1);
        return [cancelling];
      });
      expect(await ended).toBe("done");
      await staysClosed();
    });
  });

  it("is announced while another administrator publishes the same facts", async () => {
    const [facts] = await world.sql<{ version: number; content: object }>(
      `select version, content || '{"status": "cancelled", "notice": "Read your mail."}' as content
        from public.festival_sections where id = 'facts'`,
    );
    const [published] = await transaction(admin, async (tx) => {
      await tx.query("select pg_advisory_xact_lock(hashtextextended('festival change', 0))");
      const publishing = outcome(
        as(admin, "select public.publish_festival_section('facts', $1, $2)", facts!.version, facts!.content),
      );
      await untilWaiting(1);
      await announce({ facts: cancelled, on: tx });
      return [publishing];
    });
    expect(await published).toBe("Someone else changed this section after you opened it.");
    expect(await world.sql("select status from public.festival")).toEqual([{ status: "cancelled" }]);
  });

  it("confirms holds when the festival is only moved", async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([shop.general, 1]));
    await announce({ facts: moved });
    await pay(world, placed);
    const answer = await world.call("process-payment", {
      as: user,
      body: { paymentIntentId: placed.paymentIntentId },
    });
    expect(answer.body).toMatchObject({ status: "confirmed" });
  });

  it.each([
    ["a place on the waitlist", (user: string) => ["join_waitlist", user, shop.general.id, 1]],
    [
      "an offer of a ticket",
      (user: string) => ["offer_transfer", user, [crypto.randomUUID()], "Eve", "e@people.test"],
    ],
  ])("refuses %s", async (_what, call) => {
    await announce({ facts: cancelled });
    const [name, user, ...values] = call(await world.newUser()) as [string, string, ...unknown[]];
    const args = values.map((_value, n) => `$${n + 1}`).join(", ");
    await expect(as(user, `select public.${name}(${args}) as answer`, ...values)).rejects.toThrow(
      "The festival is canceled. No tickets are sold, given away or transferred.",
    );
  });
});

it("lets nobody accept an earlier offer, and its link says so", async () => {
  await world.sql(
    "update public.festival set starts_at = now() + interval '60 days', ends_at = now() + interval '61 days'",
  );
  const { user, orderId } = await bought();
  const offer = await as(
    user,
    "select public.offer_transfer(array(select id from public.tickets where order_id = $1), 'Ida', 'ida@people.test') as answer",
    orderId,
  );
  await world.sql("select public.arm_transfer($1, 'ida')", offer);
  await world.sql("update public.festival set status = 'cancelled'");
  for (const action of ["look", "accept"]) {
    const { body } = await world.call("ticket-transfer", { body: { token: "ida", action } });
    expect(body, action).toMatchObject({ state: "closed", because: "cancelled" });
  }
  expect(await world.sql("select user_id from public.tickets where order_id = $1", orderId)).toEqual([
    { user_id: user },
  ]);
});

describe("an invalid change", () => {
  it.each([
    ["without a new date", { facts: { status: "moved" } }, "22023"],
    ["that changes nothing", { facts: { status: "planned" } }, "22023"],
    ["with a day that ends before it starts", { facts: { ...moved, ends_at: "2025-07-04T10:00" } }, "23514"],
    ["without a last day to ask", { facts: moved, refunds: "on_request" }, "22023"],
    ["with an unknown choice", { facts: moved, refunds: "half" }, "22023"],
  ])("%s changes nothing", async (_what, change, code) => {
    await expect(announce(change)).rejects.toMatchObject({ code });
    expect(await world.sql("select status from public.festival")).toEqual([{ status: "planned" }]);
    expect(await world.sql("select from public.festival_changes")).toEqual([]);
  });

  it("is refused on facts that somebody else has changed", async () => {
    await expect(
      as(
        admin,
        "select public.announce_festival_change(gen_random_uuid(), 0, $1, 'none', null, 'a', 'b')",
        first!.content,
      ),
    ).rejects.toMatchObject({ code: "22023" });
    await expect(
      as(admin, "select public.announce_festival_change(gen_random_uuid(), 0, $1, 'none', null, 'a', 'b')", {
        ...first!.content,
        ...moved,
      }),
    ).rejects.toMatchObject({ code: "PT409" });
  });
});
