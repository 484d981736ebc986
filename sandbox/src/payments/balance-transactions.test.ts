// The account's books, read with the official SDK: they list every change of the balance once, and the balance
// is their sum.
import type Stripe from "stripe";
import { expect, test } from "vitest";
import { until, useSandbox } from "../../testing/sandbox.ts";

const { shop, running } = await useSandbox();

const paid = (amount: number, payment_method = "pm_card_visa") =>
  running.stripe.paymentIntents.create({ amount, currency: "usd", confirm: true, payment_method });
const transactionsOf = async (source: string) =>
  (await running.stripe.balanceTransactions.list({ source })).data;
const balance = async () => (await running.stripe.balance.retrieve()).available[0]?.amount ?? 0;
const disputeOf = async (intent: Stripe.PaymentIntent) =>
  (await running.stripe.disputes.list({ payment_intent: intent.id })).data[0]!;

test("books a charge with its fee, and a refund without one", async () => {
  const before = await balance();
  const intent = await paid(9000);
  const charge = await running.stripe.charges.retrieve(String(intent.latest_charge), {
    expand: ["balance_transaction"],
  });
  expect(charge.balance_transaction).toMatchObject({
    amount: 9000,
    fee: 291,
    net: 8709,
    type: "charge",
    reporting_category: "charge",
    source: charge.id,
    fee_details: [{ amount: 291, type: "stripe_fee" }],
  });
  const refund = await running.stripe.refunds.create({ payment_intent: intent.id, amount: 1234 });
  const [given] = await transactionsOf(refund.id);
  expect(given).toMatchObject({
    id: refund.balance_transaction,
    amount: -1234,
    fee: 0,
    net: -1234,
    type: "refund",
  });
  expect(await balance()).toBe(before + 8709 - 1234);
  const declined = paid(9000, "pm_card_chargeDeclined");
  await expect(declined).rejects.toMatchObject({ code: "card_declined" });
  expect(await balance(), "nothing was taken").toBe(before + 8709 - 1234);
});

test("pages through all of them, newest first, with their sources", async () => {
  const seen: Stripe.BalanceTransaction[] = [];
  for await (const one of running.stripe.balanceTransactions.list({ limit: 1, expand: ["data.source"] })) {
    seen.push(one);
  }
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  expect(seen.map(({ type }) => type)).toEqual(["refund", "charge"]);
  expect(seen[1]!.source).toMatchObject({ object: "charge", payment_intent: expect.stringMatching(/^pi_/) });
  expect(seen.reduce((sum, { net }) => sum + net, 0)).toBe(await balance());
  const later = await running.stripe.balanceTransactions.list({ created: { gte: seen[0]!.created + 60 } });
  expect(later.data).toEqual([]);
});

test("takes a disputed payment with a fee, and returns it when the evidence wins", async () => {
  const before = await balance();
  const intent = await paid(5000, "pm_card_createDisputeProductNotReceived");
  const dispute = await disputeOf(intent);
  expect(dispute).toMatchObject({ status: "needs_response", amount: 5000, reason: "product_not_received" });
  expect((await transactionsOf(dispute.id)).map(({ amount, fee }) => [amount, fee])).toEqual([[-5000, 1500]]);
  expect(await balance()).toBe(before + 5000 - 175 - 5000 - 1500);
  await expect(running.stripe.refunds.create({ payment_intent: intent.id })).rejects.toMatchObject({
    code: "charge_disputed",
  });
  const opened = await until(() => shop.events.find(({ type }) => type === "charge.dispute.created"));
  expect(opened.data.object).toMatchObject({ id: dispute.id });

  const won = await running.stripe.disputes.update(dispute.id, {
    evidence: { uncategorized_text: "winning_evidence" },
  });
  expect(won.status).toBe("won");
  expect(
    won.balance_transactions.map(({ reporting_category: category, amount }) => [category, amount]),
  ).toEqual([
    ["dispute", -5000],
    ["dispute_reversal", 5000],
  ]);
  expect(await balance()).toBe(before + 5000 - 175 - 1500);
  await until(() => shop.events.find(({ type }) => type === "charge.dispute.closed"));
  await expect(running.stripe.disputes.close(dispute.id)).rejects.toMatchObject({
    code: "dispute_already_closed",
  });
  await running.stripe.refunds.create({ payment_intent: intent.id });
});

test("keeps the money of a dispute that is lost or accepted", async () => {
  const dispute = await disputeOf(await paid(700, "pm_card_createDisputeProductNotReceived"));
  const unread = await running.stripe.disputes.update(dispute.id, {
    evidence: { uncategorized_text: "mail" },
  });
  expect(unread.status).toBe("needs_response");
  expect((await running.stripe.disputes.close(dispute.id)).status).toBe("lost");
  expect(await transactionsOf(dispute.id)).toHaveLength(1);
});

test("pays out what there is, and no more", async () => {
  const held = await balance();
  const payout = await running.stripe.payouts.create({ amount: held - 1, currency: "usd" });
  expect(await transactionsOf(payout.id)).toMatchObject([{ type: "payout", amount: 1 - held, fee: 0 }]);
  expect(await balance()).toBe(1);
  await expect(running.stripe.payouts.create({ amount: 2, currency: "usd" })).rejects.toMatchObject({
    code: "balance_insufficient",
  });
  await expect(running.stripe.balanceTransactions.retrieve("txn_none")).rejects.toMatchObject({
    code: "resource_missing",
  });
});
