// Refunds that the provider refuses or that never get through: what is owed, retried and said.
import { describe, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { pay, place } from "../../../../shop/testing/carts.ts";
import { openRefunds } from "./refund-desk.ts";

const { world, shop, admin, drain, refundMailOf, as, refund, bought } = await openRefunds();

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
      "select id from public.entry_codes where kind = 'parking' and order_id = $1",
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
    world.sandbox.injectFault({
      kind: "answer_lost",
      matches: (request) => request.url.endsWith("/refunds"),
    });
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
