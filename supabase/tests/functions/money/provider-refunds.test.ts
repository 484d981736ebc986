// Refunds made at the provider, which we learn about afterwards.
import { beforeEach, describe, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { books, pay, place, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();
beforeEach(() => {
  world.mails.length = 0;
});

const revenue = async () =>
  (
    await world.sql<{ sum: number }>(
      "select coalesce(sum(revenue), 0)::float as sum from public.sales_totals()",
    )
  )[0]!.sum;

async function sold() {
  const before = await revenue();
  const user = await world.newUser();
  const placed = await place(world, user, cartOf([shop.general, 2]));
  const intent = await pay(world, placed);
  await world.webhook("payment_intent.succeeded", intent);
  await world.call("drain-outbox", { as: "service" });
  world.mails.length = 0;
  const tickets = () =>
    world.sql<{ valid: boolean }>(
      "select voided_at is null as valid from public.tickets where order_id = $1",
      placed.orderId,
    );
  return { ...placed, intent, before, tickets };
}
let number = 0;
const refundOf = (intent: string, amount: number, status = "succeeded") => ({
  id: `re_elsewhere_${++number}`,
  object: "refund",
  payment_intent: intent,
  amount,
  status,
  metadata: {},
});
const alerts = async () => {
  await world.call("drain-outbox", { as: "service" });
  return world.mails.filter(({ to }) => to === "organizers@shop.test").map(({ subject }) => subject);
};
const voidMails = () =>
  world.mails
    .filter(({ subject }) => subject.includes("no longer valid"))
    .map(({ to }) => to)
    .toSorted();
const paymentStatus = async (order: string) =>
  (await world.sql("select status from public.payments where order_id = $1", order))[0]!.status;

describe("a refund made in the provider's back office", () => {
  it("in full ends the order, voids its tickets and returns the stock, once", async () => {
    const { orderId, paymentIntentId, tickets, before } = await sold();
    const refund = refundOf(paymentIntentId, 9000);
    for (const type of ["refund.created", "refund.updated", "refund.updated"]) {
      expect((await world.webhook(type, refund)).status).toBe(200);
    }
    expect(await statusOf(world, orderId)).toBe("cancelled");
    expect(await tickets()).toEqual([{ valid: false }, { valid: false }]);
    expect(await paymentStatus(orderId)).toBe("refunded");
    const refunds = await world.sql(
      "select amount::float, status, reason, provider_refund_id, jsonb_array_length(items) as lines from public.refunds where order_id = $1",
      orderId,
    );
    expect(refunds).toEqual([
      {
        amount: 90,
        status: "succeeded",
        reason: "refunded_at_provider",
        provider_refund_id: refund.id,
        lines: 1,
      },
    ]);
    const [stock] = await world.sql(
      "select sold, held from public.ticket_types where id = $1",
      shop.general.id,
    );
    expect(stock).toEqual({ sold: 0, held: 0 });
    expect(await revenue()).toBe(before);
    expect(await alerts()).toEqual([expect.stringContaining("refunded at the provider")]);
    expect(voidMails()).toEqual(["buyer@people.test", "guest2@people.test"]);
    const textTo = (address: string) => world.mails.find(({ to }) => to === address)!.text;
    expect(textTo("buyer@people.test")).toContain("that you bought are no longer valid");
    expect(textTo("buyer@people.test")).not.toContain("Ask Bun B. Buyer");
    expect(textTo("guest2@people.test")).toContain("that Bun B. Buyer bought you is no longer valid");
    const audit = await world.sql(
      "select action_type from public.audit_logs where record_id = $1 and action_type like '%PROVIDER'",
      orderId,
    );
    expect(audit).toEqual([{ action_type: "UPDATE_REFUNDED_AT_PROVIDER" }]);
  });

  it("in part is recorded, and leaves the tickets to the organizer", async () => {
    const { orderId, paymentIntentId, tickets } = await sold();
    await world.webhook("refund.created", refundOf(paymentIntentId, 1000));
    expect([await statusOf(world, orderId), await paymentStatus(orderId)]).toEqual([
      "confirmed",
      "partially_refunded",
    ]);
    expect(await tickets()).toEqual([{ valid: true }, { valid: true }]);
    await world.webhook("refund.created", refundOf(paymentIntentId, 8000));
    expect([await statusOf(world, orderId), await paymentStatus(orderId)]).toEqual(["cancelled", "refunded"]);
  });

  it("in part leaves no more than the rest to refund", async () => {
    const { orderId, paymentIntentId } = await sold();
    await world.webhook("refund.created", refundOf(paymentIntentId, 5000));
    const [ticket] = await world.sql("select id from public.tickets where order_id = $1 limit 1", orderId);
    const [share] = await world.sql(
      "select public.take_back($1, array[$2::uuid], null) ->> 'refunded_cents' as cents",
      orderId,
      ticket!.id,
    );
    expect(share!.cents, "half of what is left").toBe("2000");
    await world.sql("select public.take_back($1, null, null)", orderId);
    const refunds = await world.sql(
      "select sum(amount)::float as sum from public.refunds where order_id = $1",
      orderId,
    );
    expect(refunds).toEqual([{ sum: 90 }]);
  });

  it("that is pending or fails voids no ticket", async () => {
    const { orderId, paymentIntentId } = await sold();
    const refund = refundOf(paymentIntentId, 9000, "pending");
    await world.webhook("refund.created", refund);
    expect([await statusOf(world, orderId), await paymentStatus(orderId)]).toEqual([
      "confirmed",
      "refund_pending",
    ]);
    await world.webhook("refund.failed", { ...refund, status: "failed" });
    expect([await statusOf(world, orderId), await paymentStatus(orderId)]).toEqual([
      "confirmed",
      "succeeded",
    ]);
  });

  it("is recorded under an id that the books have lost, for example after restoring an older backup", async () => {
    const { orderId, paymentIntentId } = await sold();
    const refund = { ...refundOf(paymentIntentId, 9000), metadata: { refund_id: crypto.randomUUID() } };
    for (let times = 0; times < 2; times++) {
      expect((await world.webhook("refund.updated", refund)).status).toBe(200);
    }
    expect([await statusOf(world, orderId), await paymentStatus(orderId)]).toEqual(["cancelled", "refunded"]);
    expect(await alerts()).toEqual([expect.stringContaining("refunded at the provider")]);
  });

  it("that is reported before its payment first settles that payment, and then returns it", async () => {
    const placed = await place(world, await world.newUser(), cartOf([shop.general, 2]));
    const intent = await pay(world, placed);
    const refund = refundOf(placed.paymentIntentId, 9000);
    for (let times = 0; times < 2; times++) {
      expect((await world.webhook("refund.created", refund)).status).toBe(200);
      await world.webhook("payment_intent.succeeded", intent);
    }
    expect(await statusOf(world, placed.orderId)).toBe("cancelled");
    expect((await alerts()).filter((subject) => !subject.startsWith("A payment was refunded at"))).toEqual(
      [],
    );
    expect(await paymentStatus(placed.orderId)).toBe("refunded");
  });
});

describe("an event about a payment that no order here knows", () => {
  /** The books of the shop; an alert's mail does not count. */
  const kept = async () => ({ ...(await books(world)), outbox: null });
  const audited = (intent: string) =>
    world.sql(
      "select action_type, table_name, new_values ->> 'provider_id' as about from public.audit_logs where record_id = $1",
      intent,
    );

  it.each([
    { made: "by hand", intent: "pi_foreign", metadata: {} },
    { made: "by another shop", intent: "pi_foreign_shop", metadata: { refund_id: crypto.randomUUID() } },
  ])(
    "is a refund made $made: the organizers are notified once, and no book changes",
    async ({ intent, metadata }) => {
      const refund = { ...refundOf(intent, 100), metadata };
      const before = await kept();
      for (const status of ["pending", "succeeded", "succeeded"]) {
        expect((await world.webhook("refund.updated", { ...refund, status })).status).toBe(200);
      }
      expect(await alerts()).toEqual([
        `A payment was refunded that this shop does not know (${refund.payment_intent})`,
      ]);
      expect(world.mails[0]!.text).toContain("/admin/money/accounts");
      expect(await audited(refund.payment_intent)).toEqual([
        { action_type: "CRITICAL_UNKNOWN_REFUND", table_name: "payments", about: refund.id },
      ]);
      expect(await kept()).toEqual(before);
    },
  );

  it("is a dispute: the organizers are notified once, and no book changes", async () => {
    const dispute = {
      id: "dp_foreign",
      object: "dispute",
      payment_intent: "pi_foreign_dispute",
      amount: 9000,
    };
    const before = await kept();
    for (const [type, status] of [
      ["created", "needs_response"],
      ["updated", "under_review"],
      ["closed", "lost"],
    ]) {
      expect((await world.webhook(`charge.dispute.${type}`, { ...dispute, status })).status).toBe(200);
    }
    expect(await alerts()).toEqual([
      "A payment is disputed that this shop does not know (pi_foreign_dispute)",
    ]);
    expect(await audited("pi_foreign_dispute")).toEqual([
      { action_type: "CRITICAL_UNKNOWN_DISPUTE", table_name: "payments", about: "dp_foreign" },
    ]);
    expect(await kept()).toEqual(before);
  });

  it("is a refund that failed: no money moved, and nobody is notified", async () => {
    await world.webhook("refund.failed", refundOf("pi_foreign_failed", 100, "failed"));
    expect(await alerts()).toEqual([]);
    expect(await audited("pi_foreign_failed")).toEqual([]);
  });
});

describe("a refund event that arrives late, twice or out of order", () => {
  const refundsOf = (order: string) =>
    world.sql("select status, succeeded_at is null as unpaid from public.refunds where order_id = $1", order);
  const failures = async (order: string) =>
    (
      await world.sql(
        "select from public.audit_logs where action_type = 'ERROR_REFUND_FAILED' and record_id = $1",
        order,
      )
    ).length;

  it("undoes a refund that the buyer's bank returned, and raises one alert", async () => {
    const { orderId, paymentIntentId } = await sold();
    const refund = refundOf(paymentIntentId, 9000);
    await world.webhook("refund.created", refund);
    expect(await paymentStatus(orderId)).toBe("refunded");
    for (const type of ["refund.failed", "refund.updated"]) {
      await world.webhook(type, { ...refund, status: "failed" });
    }
    expect(await refundsOf(orderId)).toEqual([{ status: "failed", unpaid: true }]);
    expect(await paymentStatus(orderId)).toBe("succeeded");
    expect(await failures(orderId)).toBe(1);
  });

  it.each(["pending", "succeeded"])(
    "keeps a failed refund failed when a late event says %s",
    async (late) => {
      const { orderId, paymentIntentId } = await sold();
      const refund = refundOf(paymentIntentId, 1000, "pending");
      await world.webhook("refund.created", refund);
      await world.webhook("refund.failed", { ...refund, status: "failed" });
      await world.webhook("refund.updated", { ...refund, status: late });
      expect(await refundsOf(orderId)).toEqual([{ status: "failed", unpaid: true }]);
      expect(await paymentStatus(orderId)).toBe("succeeded");
    },
  );

  it("settles a refund whose failure came first", async () => {
    const { orderId, paymentIntentId } = await sold();
    const refund = refundOf(paymentIntentId, 1000, "pending");
    await world.webhook("refund.failed", { ...refund, status: "failed" });
    await world.webhook("refund.created", refund);
    expect(await refundsOf(orderId)).toEqual([{ status: "failed", unpaid: true }]);
    expect(await paymentStatus(orderId)).toBe("succeeded");
    expect((await alerts()).filter((subject) => subject.includes("refunded at the provider"))).toEqual([]);
  });
});

describe("a dispute", () => {
  const disputeOf = (intent: string, status: string) => ({
    id: `dp_${intent}`,
    object: "dispute",
    payment_intent: intent,
    amount: 9000,
    status,
  });

  it("raises an alert when it is opened, and ends the order when it is lost", async () => {
    const { orderId, paymentIntentId, tickets } = await sold();
    for (let times = 0; times < 2; times++) {
      await world.webhook("charge.dispute.created", disputeOf(paymentIntentId, "needs_response"));
    }
    expect(await alerts()).toEqual([expect.stringContaining("is disputed")]);
    expect(voidMails()).toEqual([]);
    expect(await statusOf(world, orderId)).toBe("confirmed");
    // The buyer hears of it, too, although none of the tickets bears their address.
    await world.sql(
      "update public.tickets set attendee_email = 'guest2@people.test' where order_id = $1",
      orderId,
    );
    await world.webhook("charge.dispute.closed", disputeOf(paymentIntentId, "lost"));
    expect(await statusOf(world, orderId)).toBe("cancelled");
    expect(await tickets()).toEqual([{ valid: false }, { valid: false }]);
    expect(await alerts()).toHaveLength(2);
    expect(voidMails()).toEqual(["buyer@people.test", "guest2@people.test"]);
    const critical = await world.sql(
      "select action_type from public.audit_logs where record_id = $1 and action_type like 'CRITICAL%' order by 1",
      orderId,
    );
    expect(critical.map((row) => row.action_type)).toEqual([
      "CRITICAL_DISPUTE_LOST",
      "CRITICAL_DISPUTE_OPENED",
    ]);
  });

  it("that takes the full amount while a refund is in progress ends the order, and the provider refuses the refund", async () => {
    const { orderId, paymentIntentId, tickets } = await sold();
    await world.sql(
      "select public.take_back($1, array(select id from public.tickets where order_id = $1 limit 1), '{}')",
      orderId,
    );
    const dispute = disputeOf(paymentIntentId, "lost");
    expect((await world.webhook("charge.dispute.closed", dispute)).status).toBe(200);
    expect(await statusOf(world, orderId)).toBe("cancelled");
    expect(await tickets()).toEqual([{ valid: false }, { valid: false }]);
  });

  it("that is lost before its payment was confirmed here applies once it is, when the provider repeats the event", async () => {
    const placed = await place(world, await world.newUser(), cartOf([shop.general, 2]));
    const dispute = disputeOf(placed.paymentIntentId, "lost");
    await world.webhook("payment_intent.payment_failed", {
      id: placed.paymentIntentId,
      object: "payment_intent",
      status: "requires_payment_method",
      metadata: { order_id: placed.orderId },
    });
    expect((await world.webhook("charge.dispute.closed", dispute)).status).toBe(500);
    expect(await paymentStatus(placed.orderId)).toBe("failed");
    await pay(world, placed);
    expect((await world.webhook("charge.dispute.closed", dispute)).status).toBe(200);
    expect(await statusOf(world, placed.orderId)).toBe("cancelled");
    expect(await paymentStatus(placed.orderId)).toBe("refunded");
  });

  it("is listed with its deadline, and the organizers are notified once when that is near", async () => {
    const { paymentIntentId } = await sold();
    const day = 86_400;
    const now = Math.floor(Date.now() / 1000);
    const dispute = (status: string, due: number) => ({
      ...disputeOf(paymentIntentId, status),
      currency: "usd",
      reason: "product_not_received",
      created: now,
      evidence_details: { due_by: now + due },
    });
    const listed = () =>
      world.sql(
        "select status, reason, is_open from public.disputes where payment_intent_id = $1",
        paymentIntentId,
      );
    const dueAlerts = async () => (await alerts()).filter((subject) => subject.includes("is due")).length;
    await world.webhook("charge.dispute.created", dispute("needs_response", 9 * day));
    await world.sql("select public.alert_due_disputes()");
    expect(await dueAlerts()).toBe(0);
    await world.webhook("charge.dispute.updated", dispute("needs_response", 2 * day));
    for (let times = 0; times < 2; times++) await world.call("reconcile-payments", { as: "service" });
    expect(await dueAlerts()).toBe(1);
    await world.webhook("charge.dispute.updated", dispute("under_review", 2 * day), now + 10);
    await world.webhook("charge.dispute.updated", dispute("needs_response", 9 * day), now + 5);
    expect(await listed(), "older news").toEqual([
      { status: "under_review", reason: "product_not_received", is_open: true },
    ]);
    await world.webhook("charge.dispute.closed", dispute("won", 2 * day), now + 20);
    await world.webhook("charge.dispute.updated", dispute("needs_response", 2 * day), now + 20);
    expect(await listed(), "late news").toEqual([
      { status: "won", reason: "product_not_received", is_open: false },
    ]);
  });

  it.each([
    ["updated", "warning_under_review"],
    ["closed", "warning_closed"],
  ] as const)(
    "that is %s as %s and then becomes a chargeback raises both alerts again, once",
    async (type, status) => {
      const { paymentIntentId } = await sold();
      const now = Math.floor(Date.now() / 1000);
      const dispute = (state: string, days: number) => ({
        ...disputeOf(paymentIntentId, state),
        evidence_details: { due_by: now + days * 86_400 },
      });
      const news = async (type: string, object: object, at: number) => {
        expect((await world.webhook(`charge.dispute.${type}`, object, now + at)).status).toBe(200);
        await world.call("reconcile-payments", { as: "service" });
      };
      const both = [expect.stringContaining("is due"), expect.stringContaining("is disputed")];
      await news("created", dispute("warning_needs_response", 1), 0);
      expect((await alerts()).toSorted()).toEqual(both);
      await news(type, dispute(status, 1), 1);
      world.mails.length = 0;
      for (let times = 0; times < 2; times++) await news("updated", dispute("needs_response", 2), 2);
      expect((await alerts()).toSorted()).toEqual(both);
      const listed = "select status, is_open from public.disputes where payment_intent_id = $1";
      expect(await world.sql(listed, paymentIntentId)).toEqual([{ status: "needs_response", is_open: true }]);
    },
  );

  it.each(["warning_closed", "prevented"])(
    "that closed as %s raises no alert, even when its opening is reported late",
    async (status) => {
      const { orderId, paymentIntentId } = await sold();
      await world.webhook("charge.dispute.closed", disputeOf(paymentIntentId, status));
      await world.webhook("charge.dispute.created", disputeOf(paymentIntentId, "warning_needs_response"));
      expect(await alerts()).toEqual([]);
      const critical = "select from public.audit_logs where record_id = $1 and action_type like 'CRITICAL%'";
      expect(await world.sql(critical, orderId)).toEqual([]);
      const listed = "select status from public.disputes where payment_intent_id = $1";
      expect(await world.sql(listed, paymentIntentId)).toEqual([{ status }]);
    },
  );

  it("that is won changes nothing", async () => {
    const { orderId, paymentIntentId } = await sold();
    await world.webhook("charge.dispute.closed", disputeOf(paymentIntentId, "won"));
    expect([await statusOf(world, orderId), await paymentStatus(orderId)]).toEqual([
      "confirmed",
      "succeeded",
    ]);
    expect(await alerts()).toEqual([expect.stringContaining("was won")]);
  });
});

describe("money that was returned in another currency than the payment's", () => {
  const disputeOf = (intent: string) => ({
    id: `dp_${intent}`,
    object: "dispute",
    payment_intent: intent,
    amount: 9000,
    status: "lost",
  });
  it.each([
    { what: "a refund", type: "refund.created", newsOf: (intent: string) => refundOf(intent, 9000) },
    { what: "a lost dispute", type: "charge.dispute.closed", newsOf: disputeOf },
  ])("by $what raises an alert, and changes neither books nor tickets", async ({ type, newsOf }) => {
    const { orderId, paymentIntentId, tickets } = await sold();
    const earned = await revenue();
    const news = newsOf(paymentIntentId);
    for (let times = 0; times < 2; times++) {
      expect((await world.webhook(type, { ...news, currency: "jpy" })).status).toBe(200);
    }
    expect([await statusOf(world, orderId), await paymentStatus(orderId)]).toEqual([
      "confirmed",
      "succeeded",
    ]);
    expect(await tickets()).toEqual([{ valid: true }, { valid: true }]);
    expect(await revenue()).toBe(earned);
    expect(await alerts()).toEqual([`Money went back in another currency (${orderId.slice(0, 8)})`]);
    // The same event in the payment's own currency counts.
    await world.webhook(type, { ...news, currency: "usd" });
    expect(await paymentStatus(orderId)).toBe("refunded");
  });
});

describe("a webhook", () => {
  it("from the future is refused", async () => {
    const payload = JSON.stringify({
      id: "evt_1",
      object: "event",
      type: "customer.created",
      data: { object: {} },
    });
    const signedAt = (timestamp: number) =>
      world.stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: "whsec_test", timestamp });
    const now = Math.floor(Date.now() / 1000);
    for (const [timestamp, status] of [
      [now + 60, 200],
      [now + 86_400, 400],
      [now - 86_400, 400],
    ] as const) {
      const headers = { "stripe-signature": await signedAt(timestamp) };
      expect((await world.call("stripe-webhook", { body: payload, headers })).status).toBe(status);
    }
  });

  it.each([null, 1, {}, { id: "evt_4", type: "payment_intent.succeeded" }])(
    "of %j is refused",
    async (event) => {
      const payload = JSON.stringify(event);
      const signature = await world.stripe.webhooks.generateTestHeaderStringAsync({
        payload,
        secret: "whsec_test",
      });
      const headers = { "stripe-signature": signature };
      expect((await world.call("stripe-webhook", { body: payload, headers })).status).toBe(400);
    },
  );

  it("that is old is told from one with a wrong signature", async () => {
    const payload = JSON.stringify({
      id: "evt_3",
      object: "event",
      type: "customer.created",
      data: { object: {} },
    });
    const messageOf = async (secret: string) => {
      const timestamp = Math.floor(Date.now() / 1000) - 86_400;
      const signature = await world.stripe.webhooks.generateTestHeaderStringAsync({
        payload,
        secret,
        timestamp,
      });
      const { body } = await world.call("stripe-webhook", {
        body: payload,
        headers: { "stripe-signature": signature },
      });
      return JSON.stringify(body);
    };
    expect(await messageOf("whsec_test")).toContain("more than five minutes ago");
    expect(await messageOf("whsec_other")).toContain("does not belong to this body");
  });

  it.each([
    ["a space before it", (time: string) => `t= ${time}`],
    ["the current time before it", (time: string) => `t=${Math.floor(Date.now() / 1000)},t=${time}`],
    ["an empty time after it", (time: string) => `t=${time},t`],
    ["letters after it", (time: string) => `t=${time}s`],
  ])("is refused for a future time written with %s", async (_how, written) => {
    const payload = JSON.stringify({
      id: "evt_2",
      object: "event",
      type: "customer.created",
      data: { object: {} },
    });
    const timestamp = 4_102_444_800;
    const signed = await world.stripe.webhooks.generateTestHeaderStringAsync({
      payload,
      secret: "whsec_test",
      timestamp,
    });
    const headers = { "stripe-signature": signed.replace(/^t=\d+/, written(String(timestamp))) };
    expect((await world.call("stripe-webhook", { body: payload, headers })).status).toBe(400);
  });

  it("about a charge in another currency confirms nothing, though its amount fits", async () => {
    const placed = await place(world, await world.newUser(), cartOf([shop.general, 2]));
    const charge = {
      id: "ch_foreign",
      object: "charge",
      amount: 9000,
      amount_captured: 9000,
      currency: "eur",
      paid: true,
      payment_intent: placed.paymentIntentId,
      metadata: { order_id: placed.orderId },
      status: "succeeded",
    };
    for (const type of ["charge.succeeded", "charge.captured", "charge.updated"]) {
      expect((await world.webhook(type, charge)).status).toBe(200);
    }
    expect(await statusOf(world, placed.orderId)).toBe("pending");
  });

  it("about a payment in another currency confirms nothing", async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([shop.general, 1]));
    const intent = { ...(await pay(world, placed)), currency: "jpy" };
    expect((await world.webhook("payment_intent.succeeded", intent)).status).toBe(200);
    expect(await statusOf(world, placed.orderId)).toBe("pending");
  });
});
