// What is held for a buyer in checkout is released at once when they leave it, and only then.
import type { Page } from "@playwright/test";
import { arriveAtPayment, serviceClient, type CartEntry } from "../../support/shop/arrival.ts";
import { CARDS, payByCard } from "../../support/shop/buyer.ts";
import { ARRIVING, hold } from "../../support/page/faults.ts";
import { expect } from "../../support/fixtures.ts";
import { test } from "../../support/shop/own-items.ts";

/** Two tickets of this test's own type. */
const holding = test.extend<{ pair: CartEntry }>({
  pair: async ({ makeTicketType }, use) => {
    const item = await makeTicketType({ called: "Lawn", price: 30, available: 2 });
    await use({ ...item, type: "ticket", quantity: 2 });
  },
});

const stock = async ({ id }: CartEntry) => {
  const { data } = await serviceClient()
    .from("ticket_types")
    .select("current_inventory, held, sold")
    .eq("id", id)
    .single();
  return data as { current_inventory: number; held: number; sold: number };
};
const untouched = { current_inventory: 2, held: 0, sold: 0 };
const held = { current_inventory: 0, held: 2, sold: 0 };
const form = (page: Page) => page.getByRole("form", { name: "Payment" });
const toTickets = (page: Page) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Tickets", exact: true }).click();

holding(
  "a reload and the way back to the details keep the hold; leaving for another page and emptying the cart in another tab give it back",
  async ({ page, account, pair, context }) => {
    await arriveAtPayment(page, account, [pair]);
    await form(page).waitFor();
    await test.step("kept", async () => {
      await page.reload();
      await form(page).waitFor();
      await page.getByRole("button", { name: "Back to Details" }).click();
      await page.getByRole("button", { name: "Continue to Payment" }).click();
      await form(page).waitFor();
      expect(await stock(pair)).toEqual(held);
      const { data } = await serviceClient().from("orders").select("status").eq("user_id", account.id);
      expect(data, "one order all the while").toEqual([{ status: "pending" }]);
    });
    await test.step("released, and this page already says so", async () => {
      await toTickets(page);
      await expect.poll(() => stock(pair)).toEqual(untouched);
      await expect(page.getByRole("article", { name: pair.name }).getByText("Sold Out")).toBeHidden();
      await page.getByRole("link", { name: "Proceed to Checkout" }).click();
      await page.getByRole("button", { name: "Continue to Payment" }).click();
      await form(page).waitFor();
      expect(await stock(pair), "coming back holds them anew").toEqual(held);
    });
    await test.step("released from another tab", async () => {
      const other = await context.newPage();
      await other.goto("/tickets");
      await other.getByRole("button", { name: `Remove ${pair.name}` }).click();
      await expect.poll(() => stock(pair)).toEqual(untouched);
      await expect(page).toHaveURL("/tickets");
    });
  },
);

holding("leaving before the hold arrives releases it once it does", async ({ page, account, pair }) => {
  const call = "**/functions/v1/create-payment-intent";
  const letGo = await hold(page, call);
  const asked = page.waitForRequest(call, ARRIVING);
  await arriveAtPayment(page, account, [pair]);
  await expect(page.getByText(/Holding your tickets/i).first()).toBeVisible();
  await asked;
  await toTickets(page);
  letGo();
  await expect
    .poll(async () => {
      const { data } = await serviceClient().from("orders").select("status").eq("user_id", account.id);
      return data;
    })
    .toEqual([{ status: "cancelled" }]);
  expect(await stock(pair)).toEqual(untouched);
});

holding("leaving one of two tabs keeps the hold for the other", async ({ page, account, pair, context }) => {
  await arriveAtPayment(page, account, [pair]);
  await form(page).waitFor();
  const other = await context.newPage();
  await other.goto("/checkout");
  await form(other).waitFor();
  const asked = page.waitForResponse((response) => /\/v1\/payment_intents\/[^/]+\?/.test(response.url()));
  await toTickets(page);
  await asked;
  await payByCard(other, CARDS.good);
  await expect(other.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  expect(await stock(pair)).toEqual({ current_inventory: 0, held: 0, sold: 2 });
});

test("two tabs at the payment share one hold when a third changes the cart", async ({
  page,
  account,
  makeTicketType,
  context,
}) => {
  const item = await makeTicketType({ called: "Terrace", price: 30, available: 9 });
  await arriveAtPayment(page, account, [{ ...item, type: "ticket", quantity: 2 }]);
  await form(page).waitFor();
  const other = await context.newPage();
  await other.goto("/checkout");
  await form(other).waitFor();
  const third = await context.newPage();
  await third.goto("/tickets");
  await third.getByRole("button", { name: `Decrease ${item.name}` }).click();
  for (const tab of [page, other])
    await expect(form(tab).getByRole("button", { name: "Pay $30.00" })).toBeVisible();
  const { data } = await serviceClient()
    .from("orders")
    .select("status, ticket_count")
    .eq("user_id", account.id)
    .order("created_at");
  expect(data).toEqual([
    { status: "cancelled", ticket_count: 2 },
    { status: "pending", ticket_count: 1 },
  ]);
  for (const tab of [other, third]) await tab.close();
  await payByCard(page, CARDS.good);
  await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
});

holding(
  "leaving while the card is being confirmed leaves the payment alone",
  async ({ page, account, pair }) => {
    const call = "**/v1/payment_intents/*/confirm";
    const letGo = await hold(page, call);
    const asked = page.waitForRequest(call, ARRIVING);
    await arriveAtPayment(page, account, [pair]);
    await payByCard(page, CARDS.good);
    await expect(page.getByRole("button", { name: "Back to Details" })).toBeDisabled();
    await asked;
    await toTickets(page);
    await expect(page).toHaveURL("/tickets");
    expect(await stock(pair)).toEqual(held);
    letGo();
    await expect.poll(() => stock(pair)).toEqual({ current_inventory: 0, held: 0, sold: 2 });
  },
);

holding("leaving the bank's check unanswered gives the tickets back", async ({ page, account, pair }) => {
  await arriveAtPayment(page, account, [pair]);
  await payByCard(page, CARDS.threeDSecure);
  await expect(page.getByRole("dialog", { name: "Confirm with Your Bank" })).toBeVisible();
  await page.goBack();
  await expect(form(page)).toBeHidden();
  await toTickets(page);
  await expect.poll(() => stock(pair)).toEqual(untouched);
});

holding("leaving just before the bank's check gives the tickets back", async ({ page, account, pair }) => {
  const call = "**/v1/payment_intents/*/confirm";
  const letGo = await hold(page, call);
  const asked = page.waitForRequest(call, ARRIVING);
  await arriveAtPayment(page, account, [pair]);
  await payByCard(page, CARDS.threeDSecure);
  await asked;
  await toTickets(page);
  await expect(page).toHaveURL("/tickets");
  letGo();
  await expect.poll(() => stock(pair)).toEqual(untouched);
});

holding(
  "a price that changes while the card is typed leaves the held order alone, also with the tickets open in another tab",
  async ({ page, account, pair, context }) => {
    await arriveAtPayment(page, account, [pair]);
    const card = page.getByLabel("Card number");
    await card.fill("4242 4242");
    const { error } = await serviceClient().from("ticket_types").update({ price: 35 }).eq("id", pair.id);
    expect(error).toBeNull();
    const other = await context.newPage();
    await other.goto("/tickets");
    await expect(other.getByRole("article", { name: pair.name })).toContainText("$35.00");
    await expect(other.getByRole("link", { name: "Proceed to Checkout" })).toBeVisible();
    await expect(card).toHaveValue("4242 4242");
    await expect(form(page).getByRole("button", { name: "Pay $60.00" })).toBeVisible();
    await other.close();
    await payByCard(page, CARDS.good);
    await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
    const columns = "status, total_amount";
    const { data } = await serviceClient().from("orders").select(columns).eq("user_id", account.id);
    expect(data).toEqual([{ status: "confirmed", total_amount: 60 }]);
  },
);
