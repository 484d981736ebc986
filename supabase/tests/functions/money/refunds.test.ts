// What a refund changes: codes, stock, parking, limits, mails and money, seen through the calls that people
// make.
import { verifyTicketToken } from "contract/tickets/ticket-token";
import { beforeEach, describe, expect, it } from "vitest";
import { cartOf, type CatalogueItem } from "../../../../shop/testing/cart.ts";
import { pay, place, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();
const admin = await world.newUser();
await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);
beforeEach(() => {
  world.mails.length = 0;
});

const drain = () => world.call("drain-outbox", { as: "service" });
/** The same drain may send mails of earlier orders, in any order. */
const refundMailOf = (orderId: string) =>
  world.mails.find(({ subject }) => subject === `Your refund for order ${orderId.slice(0, 8)}`)!;
const as = async (user: string, text: string, ...values: unknown[]) =>
  (
    await world.db.database.transaction({ claims: { role: "authenticated", sub: user }, headers: {} }, (tx) =>
      tx.query(text, values),
    )
  ).rows;
const refund = (orderId: string, what: { tickets?: string[]; parking?: string[] } = {}) =>
  as(
    admin,
    "select public.refund_order($1, $2, $3) as answer",
    orderId,
    what.tickets ?? null,
    what.parking ?? null,
  ).then(([row]) => row!.answer as { refunded_cents: number });

async function bought(...lines: readonly (readonly [CatalogueItem, number])[]) {
  const user = await world.newUser();
  const placed = await place(world, user, cartOf(...lines));
  const { latest_charge } = await pay(world, placed);
  await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
  const rows = await world.sql<{ id: string; name: string }>(
    `select t.id, i.name from public.tickets t join public.order_items i on i.id = t.order_item_id
     where t.order_id = $1 order by i.position, t.position`,
    placed.orderId,
  );
  const parking = await world.sql<{ id: string; included: boolean }>(
    "select id, included from public.order_items where order_id = $1 and kind = 'parking' order by position",
    placed.orderId,
  );
  return {
    user,
    orderId: placed.orderId,
    tickets: rows.map(({ id }) => id),
    parking,
    givenBack: async () => (await world.stripe.charges.retrieve(String(latest_charge))).amount_refunded,
  };
}

const stock = () =>
  world.sql(`select name, current_inventory, held, sold from public.ticket_types
    union all select type_name, current_inventory, held, sold from public.parking_passes order by 1`);
const generate = (user: string, ticketId: string) =>
  world.call("generate-qr-code", { as: user, body: { ticketId } });

describe("a refunded ticket", () => {
  it("has no code, no picture and no mail, and its old code is void", async () => {
    const { user, orderId, tickets } = await bought([shop.general, 2]);
    const [void_, valid] = tickets as [string, string];
    const url = (await generate(user, void_)).body.qrCodeUrl;
    const [before] = await world.sql("select * from public.tickets where id = $1", void_);
    expect((await world.fetchStored(url)).status).toBe(200);

    expect(await refund(orderId, { tickets: [void_] })).toEqual({ refunded_cents: 4500 });
    expect(await drain()).toMatchObject({ body: { failed: 0 } });
    const [after] = await world.sql("select * from public.tickets where id = $1", void_);
    expect(after).toMatchObject({ issue_number: 2, qr_code_data: null, qr_code_url: null });
    expect(after!.voided_at).not.toBeNull();
    const claims = await verifyTicketToken(before!.qr_code_data, world.publicKey);
    expect(claims!.issueNumber).toBeLessThan(after!.issue_number);
    expect((await world.fetchStored(url)).status).toBeGreaterThanOrEqual(400);
    expect(await world.sql("select id from storage.objects where name like $1", `${void_}/%`)).toEqual([]);

    expect(await generate(user, void_)).toMatchObject({
      status: 409,
      body: { error: { code: "ticket_refunded" } },
    });
    expect(await generate(user, valid)).toMatchObject({ body: { success: true } });
    await expect(
      world.sql("update public.tickets set checked_in_at = now() + interval '1 s' where id = $1", void_),
    ).rejects.toThrow("entry_codes_void_stays_out");
  });

  it("is left out of the order mail, which shows what was refunded", async () => {
    const { orderId, tickets } = await bought([shop.general, 2], [shop.preferred, 1]);
    await refund(orderId, { tickets: [tickets[1]!] });
    await drain();
    const guests = world.mails.filter(({ to }) => to === "guest2@people.test");
    expect(guests.map(({ subject }) => subject)).toEqual([expect.stringContaining("no longer valid")]);
    const refunded = refundMailOf(orderId);
    expect(refunded.text).toContain("1 x General Admission");
    expect(refunded.text).toContain("$45.00");

    world.mails.length = 0;
    await as(admin, "select public.resend_order_mail($1)", orderId);
    await drain();
    expect(world.mails).toHaveLength(1);
    // One ticket and its parking permit.
    expect(world.mails[0]!.attachments).toHaveLength(2);
    expect(world.mails[0]!.text).toContain("2 x General Admission (1 refunded)");
    expect(world.mails[0]!.text).toContain("-$45.00");
    expect(world.mails[0]!.text).toContain("Total after refunds");
  });

  it("does not count towards the buyer's limit", async () => {
    const { user, orderId, tickets } = await bought([shop.general, 20]);
    const more = () => world.call("create-payment-intent", { as: user, body: cartOf([shop.general, 2]) });
    await refund(orderId, { tickets: tickets.slice(0, 1) });
    expect(await more()).toMatchObject({ status: 409, body: { error: { code: "too_many_units" } } });
    await refund(orderId, { tickets: tickets.slice(1, 2) });
    const [row] = await as(user, "select public.get_ticket_allowance() as answer");
    expect(row!.answer).toMatchObject({ bought: 18, remaining: 2 });
    expect(await more()).toMatchObject({ status: 200 });
  });

  it("is not expected at the gate", async () => {
    const { orderId, tickets } = await bought([shop.general, 3]);
    const [in_, out, last] = tickets as [string, string, string];
    const scan = (id: string) =>
      world.sql("update public.tickets set checked_in_at = now() where id = $1", id);
    await scan(in_);
    await refund(orderId, { tickets: [out] });
    expect(await statusOf(world, orderId)).toBe("confirmed");
    await refund(orderId, { tickets: [last] });
    expect(await statusOf(world, orderId)).toBe("completed");
  });

  it("cannot be refunded twice, nor one of another order", async () => {
    const [one, other] = [await bought([shop.general, 2]), await bought([shop.general, 1])];
    await refund(one.orderId, { tickets: [one.tickets[0]!] });
    for (const tickets of [[one.tickets[0]!], one.tickets, [other.tickets[0]!], []]) {
      await expect(refund(one.orderId, { tickets })).rejects.toThrow("that are not refunded yet");
    }
  });
});

describe("attendees whose tickets became void", () => {
  const voidMails = () =>
    world.mails
      .filter(({ subject }) => subject.includes("no longer valid"))
      .map(({ to, subject }) => [to, subject]);

  it("are notified once each, of what they lost and not of money", async () => {
    const { orderId, tickets } = await bought([shop.general, 4]);
    await world.sql(
      "update public.tickets set attendee_email = 'Guest2@people.test' where id = any ($1)",
      tickets.slice(2, 3),
    );
    await drain();
    world.mails.length = 0;
    await refund(orderId, { tickets: tickets.slice(0, 3) });
    await drain();
    await drain();
    expect(voidMails()).toEqual([["guest2@people.test", expect.stringContaining("Your tickets for")]]);
    const { html, text } = world.mails.find(({ to }) => to === "guest2@people.test")!;
    for (const id of tickets.slice(1, 3)) {
      expect(text).toContain(`Ticket ${id.slice(0, 8)}`);
      expect(html).toContain(`Ticket ${id.slice(0, 8)}`);
    }
    for (const id of [tickets[0]!, tickets[3]!]) expect(text).not.toContain(id.slice(0, 8));
    expect(text).not.toContain("$");

    world.mails.length = 0;
    await refund(orderId);
    await drain();
    expect(voidMails()).toEqual([["guest4@people.test", expect.stringContaining("is no longer valid")]]);
  });

  it("are notified with the refund or not at all", async () => {
    const { orderId } = await bought([shop.general, 2]);
    const written = () =>
      world.sql(
        "select payload ->> 'email' as email from public.outbox where kind = 'void_mail' and payload ->> 'order_id' = $1",
        orderId,
      );
    await expect(
      world.db.database.asService("the test takes back and gives up").transaction(async (tx) => {
        await tx.query("select public.take_back($1, null, null)", [orderId]);
        throw new Error("given up");
      }),
    ).rejects.toThrow("given up");
    expect(await written()).toEqual([]);
    await refund(orderId);
    expect(await written()).toEqual([{ email: "guest2@people.test" }]);
  });
});

describe("the whole order", () => {
  it("ends with its last ticket, and its parking is refunded with it", async () => {
    const before = await stock();
    const { orderId, tickets, givenBack } = await bought([shop.general, 2], [shop.preferred, 1]);
    await refund(orderId, { tickets: [tickets[0]!] });
    expect(await statusOf(world, orderId)).toBe("confirmed");
    expect(await refund(orderId, { tickets: [tickets[1]!] })).toEqual({ refunded_cents: 10_500 });
    expect(
      await world.sql("select status, cancel_reason, ticket_count from public.orders where id = $1", orderId),
    ).toEqual([{ status: "cancelled", cancel_reason: "refunded", ticket_count: 0 }]);
    expect(await stock()).toEqual(before);
    await drain();
    expect(await givenBack()).toBe(15_000);
    await expect(as(admin, "select public.resend_order_mail($1)", orderId)).rejects.toThrow(
      "Only a paid order",
    );
    await expect(refund(orderId)).rejects.toThrow("Only a paid order");
  });

  it("refunds what is left of it", async () => {
    const { orderId, tickets, parking, givenBack } = await bought([shop.general, 2], [shop.parking, 1]);
    await refund(orderId, { tickets: [tickets[0]!], parking: [parking[0]!.id] });
    expect(await refund(orderId)).toEqual({ refunded_cents: 4500 });
    await drain();
    expect(await givenBack()).toBe(11_500);
    const rows = await world.sql("select items, amount from public.refunds where order_id = $1", orderId);
    const items = rows.flatMap(({ items }) => items as { name: string; quantity: number }[]);
    expect(items.map(({ name, quantity }) => `${quantity} ${name}`).sort()).toEqual([
      "1 General Admission",
      "1 General Admission",
      "1 General Parking",
    ]);
    expect(rows.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(115);
  });
});

describe("parking", () => {
  it("included with VIP goes back on sale with the last VIP ticket", async () => {
    const before = await stock();
    const { orderId, tickets } = await bought([shop.vip, 2], [shop.general, 1]);
    const withParking = (await stock()).find(({ name }) => name === "General Parking")!;
    await refund(orderId, { tickets: [tickets[0]!] });
    expect((await stock()).find(({ name }) => name === "General Parking")).toEqual(withParking);
    expect(await refund(orderId, { tickets: [tickets[1]!] })).toEqual({ refunded_cents: 15_000 });
    expect((await stock()).filter(({ name }) => name !== "General Admission")).toEqual(
      before.filter(({ name }) => name !== "General Admission"),
    );
    expect(await statusOf(world, orderId)).toBe("confirmed");
  });

  it("included with VIP stays while a ticket bought as VIP does, whatever its type is called since", async () => {
    const { orderId, tickets } = await bought([shop.vip, 2]);
    const general = async () => (await stock()).find(({ name }) => name === "General Parking")!;
    const withParking = await general();
    const call = (name: string) =>
      world.sql("update public.ticket_types set name = $1 where id = $2", name, shop.vip.id);
    await call("Purple Room");
    try {
      await refund(orderId, { tickets: [tickets[0]!] });
      expect(await general()).toEqual(withParking);
    } finally {
      await call(shop.vip.name);
    }
    await refund(orderId);
    expect(await general()).not.toEqual(withParking);
  });

  it("that was bought can be refunded separately, once; included parking cannot", async () => {
    const before = await stock();
    const { orderId, parking, givenBack } = await bought([shop.vip, 1], [shop.preferred, 1]);
    const paid = parking.find(({ included }) => !included)!;
    const free = parking.find(({ included }) => included)!;
    expect(await refund(orderId, { parking: [paid.id] })).toEqual({ refunded_cents: 6000 });
    for (const id of [paid.id, free.id]) {
      await expect(refund(orderId, { parking: [id] })).rejects.toThrow("that are not refunded yet");
    }
    const name = "Preferred Parking";
    expect((await stock()).find((row) => row.name === name)).toEqual(before.find((row) => row.name === name));
    expect(await statusOf(world, orderId)).toBe("confirmed");
    await drain();
    expect(await givenBack()).toBe(6000);
    const mail = refundMailOf(orderId);
    expect(mail.text).toContain("Preferred Parking");
    expect(mail.text).not.toContain("codes");
    expect(await world.sql("select status from public.payments where order_id = $1", orderId)).toEqual([
      { status: "partially_refunded" },
    ]);
  });
});

it("shows how much the provider has actually refunded", async () => {
  const { orderId, tickets } = await bought([shop.general, 2]);
  await refund(orderId, { tickets: [tickets[0]!] });
  await refund(orderId, { tickets: [tickets[1]!] });
  const refunds = await world.sql<{ id: string }>(
    "select id from public.refunds where order_id = $1",
    orderId,
  );
  const payment = async () =>
    (await world.sql("select status from public.payments where order_id = $1", orderId))[0]!.status;
  const mark = (index: number, status: string) =>
    world.sql("select public.mark_refund($1, null, $2)", refunds[index]!.id, status);
  await mark(0, "succeeded");
  expect(await payment()).toBe("refund_pending");
  await mark(1, "failed");
  expect(await payment()).toBe("partially_refunded");
  expect(
    await world.sql(
      "select count(succeeded_at)::integer as told from public.refunds where order_id = $1",
      orderId,
    ),
  ).toEqual([{ told: 1 }]);
});

it("is asked for in full view of an open dispute: the list of orders marks it until it has ended", async () => {
  const { orderId } = await bought([shop.general, 1]);
  const note = (status: string) =>
    world.sql(
      `select public.note_dispute('dp_listed', payment_intent_id, 4500, 'usd', 'fraudulent', $2, now() + interval '7 days', now(), now())
       from public.payments where order_id = $1`,
      orderId,
      status,
    );
  const isMarked = async () => {
    const [row] = (await as(admin, "select public.get_recent_orders(100) as page")) as {
      page: { orders: { id: string; is_disputed: boolean }[] };
    }[];
    return row!.page.orders.find(({ id }) => id === orderId)!.is_disputed;
  };
  expect(await isMarked()).toBe(false);
  await note("needs_response");
  expect(await isMarked()).toBe(true);
  await note("won");
  expect(await isMarked()).toBe(false);
});

describe("a refund that is stuck", () => {
  const refundsOf = (orderId: string) =>
    world.sql<{ id: string; status: string; amount: number }>(
      "select id, status, amount::float as amount from public.refunds where order_id = $1 order by created_at, retry_of nulls first",
      orderId,
    );
  const retry = (id: string) => as(admin, "select public.retry_refund($1)", id);

  it("is retried once after the provider refused it, and not twice", async () => {
    const order = await bought([shop.general, 2]);
    await refund(order.orderId, { tickets: [order.tickets[0]!] });
    const [refused] = await refundsOf(order.orderId);
    await world.sql("delete from public.outbox where dedupe_key = 'refund:' || $1", refused!.id);
    await expect(retry(refused!.id)).rejects.toThrow("This refund is still in progress.");
    await world.sql("select public.mark_refund($1, null, 'failed')", refused!.id);
    await retry(refused!.id);
    await expect(retry(refused!.id)).rejects.toThrow("This money has already been refunded.");
    await drain();
    expect(await order.givenBack()).toBe(4500);
    expect((await refundsOf(order.orderId)).map(({ status }) => status)).toEqual(["failed", "succeeded"]);
    await expect(retry(refused!.id)).rejects.toThrow("This money has already been refunded.");
  });

  it("is mailed to the buyer only once the provider has accepted it", async () => {
    const order = await bought([shop.general, 1]);
    await refund(order.orderId);
    const [refused] = await refundsOf(order.orderId);
    const refuse = async (id: string) => {
      await world.sql("update public.outbox set done_at = now() where dedupe_key = 'refund:' || $1", id);
      await world.sql("select public.mark_refund($1, null, 'failed')", id);
    };
    world.mails.length = 0;
    await refuse(refused!.id);
    await drain();
    const toBuyer = () => world.mails.filter(({ to }) => to === "buyer@people.test");
    expect(
      toBuyer().map(({ subject }) => subject),
      "the ticket is void already",
    ).toEqual([expect.stringMatching(/^Your ticket for .* is no longer valid$/)]);
    expect(refundMailOf(order.orderId)).toBeUndefined();
    await retry(refused!.id);
    const [, again] = await refundsOf(order.orderId);
    await refuse(again!.id);
    await drain();
    expect(toBuyer(), "said once").toHaveLength(1);
    await retry(again!.id);
    await drain();
    expect(refundMailOf(order.orderId)).toBeDefined();
    expect(toBuyer()).toHaveLength(2);
  });

  it("that the bank returns after its mail is not followed by another about the void ticket", async () => {
    const order = await bought([shop.general, 1]);
    await refund(order.orderId);
    await drain();
    expect(refundMailOf(order.orderId)).toBeDefined();
    const [accepted] = await refundsOf(order.orderId);
    world.mails.length = 0;
    await world.sql("select public.mark_refund($1, null, 'failed')", accepted!.id);
    await drain();
    expect(world.mails.filter(({ to }) => to === "buyer@people.test")).toEqual([]);
  });

  it("because the provider never answered leaves its buyer knowing that the ticket is void", async () => {
    const order = await bought([shop.general, 1]);
    await refund(order.orderId);
    const [unanswered] = await refundsOf(order.orderId);
    world.sandbox.injectFault({
      kind: "refused",
      status: 503,
      matches: (request) => request.url.endsWith("/refunds"),
    });
    world.mails.length = 0;
    const toBuyer = () =>
      world.mails.filter(({ to }) => to === "buyer@people.test").map(({ subject }) => subject);
    const tryAgain = async (attempts: number) => {
      await world.sql(
        "update public.outbox set attempts = $2, next_attempt_at = now() where dedupe_key = 'refund:' || $1",
        unanswered!.id,
        attempts,
      );
      await drain();
    };
    await tryAgain(12);
    expect(toBuyer(), "it may still be accepted").toEqual([]);
    await tryAgain(13);
    const isVoid = expect.stringMatching(/^Your ticket for .* is no longer valid$/);
    expect(toBuyer()).toEqual([isVoid]);

    world.sandbox.clearFaults();
    await retry(unanswered!.id);
    await drain();
    expect(toBuyer()).toEqual([isVoid, refundMailOf(order.orderId).subject]);
    expect(await order.givenBack()).toBe(4500);
  });

  it("of a payment that bought nothing stays in view: it is handled only by someone who knows what is owed", async () => {
    const unfulfilled = async () => {
      const user = await world.newUser();
      const placed = await place(world, user, cartOf([shop.general, 1]));
      await pay(world, placed);
      await world.sql("select public.confirm_order($1, $2, 100)", placed.orderId, placed.paymentIntentId);
      return placed.orderId;
    };
    const refuse = () =>
      world.sandbox.injectFault({
        kind: "declined",
        code: "charge_disputed",
        message: "Charge ch_1a_2b has been charged back.",
        times: 1,
        matches: (request) => request.method === "POST" && new URL(request.url).pathname === "/v1/refunds",
      });
    const handle = (id: string, ...args: unknown[]) =>
      as(
        admin,
        `select public.acknowledge_order($1${args.map((_, n) => `, $${n + 2}`).join("")})`,
        id,
        ...args,
      );
    const inView = async () => {
      const [row] = await as(admin, "select public.get_recent_orders(100, 0, 'attention') as page");
      const { orders } = row!.page as { orders: { id: string; owed_cents: number }[] };
      return orders.map(({ id, owed_cents }) => [id, owed_cents]);
    };
    const kept = async () =>
      (await as(admin, "select public.get_account_report(null, null) as r"))[0]!.r.payments;

    const orderId = await unfulfilled();
    refuse();
    world.mails.length = 0;
    await drain();
    const [alert] = world.mails.filter(({ subject }) =>
      subject.startsWith("A paid order could not be fulfilled"),
    );
    expect(alert!.text, "nothing has gone out to the buyer").not.toContain("has been notified");
    expect(world.mails.filter(({ to }) => to === "buyer@people.test")).toEqual([]);
    expect(await inView()).toEqual([[orderId, 100]]);
    expect(await kept()).toMatchObject({ extra_count: 1, extra_cents: 100, extra_kept_cents: 100 });
    expect(
      await world.sql("select failure_message from public.refunds where order_id = $1", orderId),
    ).toEqual([{ failure_message: "Charge ch_1a_2b has been charged back." }]);
    await expect(handle(orderId)).rejects.toThrow("The buyer is still owed $1.00. Check the order again.");
    await handle(orderId, true, 100);
    expect(await inView()).toEqual([]);
    await handle(orderId, false);
    expect(await inView()).toEqual([[orderId, 100]]);
    expect(
      await world.sql(
        "select new_values from public.audit_logs where record_id = $1 and new_values ? 'acknowledged' order by created_at",
        orderId,
      ),
    ).toEqual([{ new_values: { acknowledged: true, owed: 1 } }, { new_values: { acknowledged: false } }]);
    await retry((await refundsOf(orderId))[0]!.id);
    await drain();
    expect(await inView()).toEqual([[orderId, 0]]);
    expect(await kept()).toMatchObject({ extra_cents: 100, extra_kept_cents: 0 });
    await handle(orderId);
    expect(await inView()).toEqual([]);

    const early = await unfulfilled();
    await handle(early);
    expect(await inView(), "its refund is under way").toEqual([]);
    refuse();
    await drain();
    expect(await inView(), "and has failed").toEqual([[early, 100]]);

    const unanswered = await unfulfilled();
    await handle(unanswered);
    world.sandbox.injectFault({
      kind: "refused",
      status: 503,
      matches: (request) => request.url.endsWith("/refunds"),
    });
    await world.sql(
      "update public.outbox set attempts = 13 where dedupe_key = 'refund:' || $1",
      (await refundsOf(unanswered))[0]!.id,
    );
    await drain();
    world.sandbox.clearFaults();
    expect(await inView(), "and ran out of attempts").toEqual([
      [unanswered, 100],
      [early, 100],
    ]);
  });

  it("for parking, alone or with its tickets, says to the buyer that the parking pass is void too", async () => {
    const refuse = async (orderId: string) => {
      const [refused] = await refundsOf(orderId);
      await world.sql("delete from public.outbox where dedupe_key = 'refund:' || $1", refused!.id);
      await world.sql("select public.mark_refund($1, null, 'failed')", refused!.id);
      world.mails.length = 0;
      await drain();
      return world.mails.filter(
        ({ to, subject }) => to === "buyer@people.test" && subject.includes("no longer valid"),
      );
    };
    const order = await bought([shop.general, 1], [shop.preferred, 1]);
    const [permit] = await world.sql(
      "select id from public.parking_permits where order_id = $1",
      order.orderId,
    );
    await refund(order.orderId, { parking: [order.parking[0]!.id] });
    const alone = await refuse(order.orderId);
    expect(alone.map(({ to, subject }) => [to, subject])).toEqual([
      ["buyer@people.test", expect.stringMatching(/^Your parking pass for .* is no longer valid$/)],
    ]);
    expect(alone[0]!.text).toContain("Preferred Parking, One vehicle");
    expect(alone[0]!.text).toContain(`Parking pass ${String(permit!.id).slice(0, 8)}`);

    const whole = await bought([shop.general, 2], [shop.preferred, 1]);
    await refund(whole.orderId);
    const both = await refuse(whole.orderId);
    expect(both.map(({ to, subject }) => [to, subject])).toEqual([
      [
        "buyer@people.test",
        expect.stringMatching(/^Your tickets and parking pass for .* are no longer valid$/),
      ],
    ]);
  });

  it("that succeeds during its retry is not paid twice, and nothing deadlocks", async () => {
    const order = await bought([shop.general, 2]);
    await refund(order.orderId, { tickets: [order.tickets[0]!] });
    const [given] = await refundsOf(order.orderId);
    await world.sql("delete from public.outbox where dedupe_key = 'refund:' || $1", given!.id);
    await world.sql("select public.mark_refund($1, null, 'failed')", given!.id);
    const other = world.db.database.asService("somebody holds the order, as a refund does");
    let retried: Promise<unknown> | undefined;
    await other.transaction(async (tx) => {
      await tx.query("select from public.orders where id = $1 for update", [order.orderId]);
      retried = retry(given!.id);
      retried.catch(() => {});
      await expect
        .poll(() =>
          world.sql(
            `select from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock' and query like '%retry_refund%'`,
          ),
        )
        .toHaveLength(1);
      await tx.query(
        "update public.payments set status = status where payment_intent_id = (select payment_intent_id from public.refunds where id = $1)",
        [given!.id],
      );
      await tx.query("update public.refunds set status = 'succeeded', succeeded_at = now() where id = $1", [
        given!.id,
      ]);
    });
    await expect(retried).rejects.toThrow("This money has already been refunded.");
    expect((await refundsOf(order.orderId)).map(({ status }) => status)).toEqual(["succeeded"]);
  });

  it("is retried after its last attempt failed", async () => {
    const order = await bought([shop.general, 1]);
    await refund(order.orderId);
    const [given] = await refundsOf(order.orderId);
    await world.sql(
      "update public.outbox set dead_at = now(), attempts = 14 where dedupe_key = 'refund:' || $1",
      given!.id,
    );
    await drain();
    expect(await order.givenBack()).toBe(0);
    await retry(given!.id);
    await drain();
    expect(await order.givenBack()).toBe(4500);
    expect((await refundsOf(order.orderId)).map(({ status }) => status)).toEqual(["succeeded"]);
  });

  it("is not paid again by a repeat after the provider has forgotten its key", async () => {
    const order = await bought([shop.general, 2]);
    await refund(order.orderId, { tickets: [order.tickets[0]!] });
    const [given] = await refundsOf(order.orderId);
    world.sandbox.injectFault({ kind: "reply_lost", matches: (request) => request.url.endsWith("/refunds") });
    await drain();
    world.sandbox.clearFaults();
    expect(await order.givenBack()).toBe(4500);
    await world.sql("delete from payments_sandbox.idempotency_keys");
    await world.sql(
      "update public.refunds set created_at = now() - interval '25 hours' where id = $1",
      given!.id,
    );
    await world.sql("update public.outbox set next_attempt_at = now() where done_at is null");
    await drain();
    expect(await order.givenBack()).toBe(4500);
    expect((await refundsOf(order.orderId)).map(({ status }) => status)).toEqual(["succeeded"]);
  });

  it("is paid once although the provider repeats a failure of its own under its key", async () => {
    const order = await bought([shop.general, 2]);
    await refund(order.orderId, { tickets: [order.tickets[0]!] });
    world.sandbox.injectFault({
      kind: "kept",
      times: 1,
      matches: (request) => request.method === "POST" && request.url.endsWith("/refunds"),
    });
    for (let times = 0; times < 2; times++) {
      await drain();
      expect(await order.givenBack()).toBe(times * 4500);
      await world.sql("update public.outbox set next_attempt_at = now() where done_at is null");
    }
    expect((await refundsOf(order.orderId)).map(({ status }) => status)).toEqual(["succeeded"]);
  });

  it("is retried by administrators only, and never for more than was paid", async () => {
    const order = await bought([shop.general, 1]);
    await refund(order.orderId);
    const [first] = await refundsOf(order.orderId);
    await world.sql("select public.mark_refund($1, null, 'failed')", first!.id);
    await expect(as(order.user, "select public.retry_refund($1)", first!.id)).rejects.toThrow();
    await world.sql(
      `insert into public.refunds (payment_intent_id, order_id, amount, reason, status, succeeded_at)
       select payment_intent_id, order_id, 1, 'made elsewhere', 'succeeded', now() from public.refunds where id = $1`,
      first!.id,
    );
    await expect(retry(first!.id)).rejects.toThrow("This money has already been refunded.");
  });
});
