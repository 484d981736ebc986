// Refunds whose end the provider reported, but no webhook brought: the reconcile job asks for it.
import { describe, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { books, pay, place, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();

async function sold() {
  const placed = await place(world, await world.newUser(), cartOf([shop.general, 2]));
  await world.webhook("payment_intent.succeeded", await pay(world, placed));
  const tickets = () =>
    world.sql<{ valid: boolean }>(
      "select voided_at is null as valid from public.tickets where order_id = $1",
      placed.orderId,
    );
  return { ...placed, tickets };
}
const paymentStatus = async (order: string) =>
  (await world.sql("select status from public.payments where order_id = $1", order))[0]!.status;

describe("a refund whose end no webhook reported", () => {
  const pendingFor = async (refund: { id: string }, hours: number) => {
    await world.sql("alter table public.refunds disable trigger refunds_touch");
    await world.sql(
      "update public.refunds set updated_at = now() - make_interval(hours => $2) where provider_refund_id = $1",
      refund.id,
      hours,
    );
    await world.sql("alter table public.refunds enable trigger refunds_touch");
  };
  const statusOfRefund = async (refund: { id: string }) =>
    (await world.sql("select status from public.refunds where provider_refund_id = $1", refund.id))[0]!
      .status;
  const asked = async (refund: { id: string }) =>
    (
      await world.sql(
        "select status, updated_at > now() - interval '1 minute' as is_last from public.refunds where provider_refund_id = $1",
        refund.id,
      )
    )[0];
  const reconcile = () => world.call("reconcile-payments", { as: "service" });

  it("is asked for after an hour, and then ends as the provider says", async () => {
    const { orderId, paymentIntentId } = await sold();
    const refund = await world.stripe.refunds.create({ payment_intent: paymentIntentId, amount: 1000 });
    await world.webhook("refund.created", { ...refund, status: "pending" });
    expect([await statusOfRefund(refund), await paymentStatus(orderId)]).toEqual([
      "pending",
      "refund_pending",
    ]);
    await reconcile();
    expect(await statusOfRefund(refund)).toBe("pending");
    await pendingFor(refund, 2);
    await reconcile();
    expect(await statusOfRefund(refund)).toBe("succeeded");
    expect(await paymentStatus(orderId)).toBe("partially_refunded");
  });

  it("ends the order when it returned the whole payment, as its webhook would have", async () => {
    const stock = async () =>
      (
        await world.sql(
          "select current_inventory, sold, held from public.ticket_types where id = $1",
          shop.general.id,
        )
      )[0];
    const unsold = await stock();
    const { orderId, paymentIntentId, tickets } = await sold();
    const refund = await world.stripe.refunds.create({ payment_intent: paymentIntentId, amount: 9000 });
    await world.webhook("refund.created", { ...refund, status: "pending" });
    expect([await statusOf(world, orderId), await tickets()]).toEqual([
      "confirmed",
      [{ valid: true }, { valid: true }],
    ]);
    await pendingFor(refund, 2);
    await reconcile();
    expect(await statusOfRefund(refund)).toBe("succeeded");
    expect([await statusOf(world, orderId), await paymentStatus(orderId)]).toEqual(["cancelled", "refunded"]);
    expect(await tickets()).toEqual([{ valid: false }, { valid: false }]);
    expect(await stock()).toEqual(unsold);
    const ended = await books(world);
    await world.webhook("refund.updated", refund);
    expect(await books(world)).toEqual(ended);
  });

  it("waits behind the others when it is still pending there", async () => {
    const { paymentIntentId } = await sold();
    const refund = await world.stripe.refunds.create({ payment_intent: paymentIntentId, amount: 1000 });
    await world.webhook("refund.created", { ...refund, status: "pending" });
    await world.sql(
      'update payments_sandbox.objects set body = body || \'{"status": "pending"}\' where id = $1',
      refund.id,
    );
    await pendingFor(refund, 2);
    await reconcile();
    expect(await asked(refund)).toEqual({ status: "pending", is_last: true });
  });

  it("waits behind the others while the provider does not know it", async () => {
    const { paymentIntentId } = await sold();
    const refund = {
      id: "re_unknown",
      object: "refund",
      payment_intent: paymentIntentId,
      amount: 1000,
      status: "pending",
      metadata: {},
    };
    await world.webhook("refund.created", refund);
    await pendingFor(refund, 2);
    await reconcile();
    expect(await asked(refund)).toEqual({ status: "pending", is_last: true });
  });
});
