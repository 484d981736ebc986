// The rules of checkout (PRODUCT section 6): what is required, what is held, and that nobody pays twice.
import type { Page } from "@playwright/test";
import { placeOrder } from "../../support/shop/admin-arrival.ts";
import {
  arriveAtPayment,
  arriveSignedIn,
  arriveWithCart,
  serviceClient,
  CART_KEY,
  catalog,
} from "../../support/shop/arrival.ts";
import { add, buyer, CARDS, payByCard } from "../../support/shop/buyer.ts";
import { expectLogged, hold, RECONNECTING } from "../../support/page/faults.ts";
import {
  expect,
  expectAccessible,
  expectAccessibleAtBothSizes,
  expectRefusal,
} from "../../support/fixtures.ts";
import { installJumpingClock } from "../../support/page/jumping-clock.ts";
import { test } from "../../support/shop/own-items.ts";
import { announcer, problems } from "../../support/page/problems.ts";

const ordersOf = async (userId: string) => {
  const { data, error } = await serviceClient()
    .from("orders")
    .select("id, status, total_amount")
    .eq("user_id", userId);
  if (error) throw error;
  return data as { id: string; status: string; total_amount: number }[];
};
const step = (page: Page) =>
  page.getByRole("navigation", { name: "Checkout steps" }).locator('[aria-current="step"]');
const paymentForm = (page: Page) => page.getByRole("form", { name: "Payment" });
const confirmed = (page: Page) => page.getByRole("heading", { name: "Order Confirmed!" });

test("the attendee step has one entry per ticket, names what is missing, and continues only when everything is filled in", async ({
  page,
  account,
}) => {
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [
    { ...catalog.general, quantity: 1 },
    { ...catalog.vip, quantity: 1 },
  ]);
  await page.goto("/checkout");
  const about = page.getByRole("group", { name: "Buyer Information" });
  const attendees = page.getByRole("group", { name: /^Attendee \d/ });
  await expect(step(page)).toContainText("Attendee Info");
  await expect(page.getByRole("navigation", { name: "Checkout steps" }).getByRole("listitem")).toContainText([
    "Attendee Info",
    "Payment",
    "Confirmation",
  ]);
  await expect(about.getByLabel("Email")).toHaveValue(account.email);
  await expect(attendees).toHaveCount(2);
  await expect(page.getByRole("complementary", { name: "Order Summary" })).toContainText("$195.00");
  await expect(page.getByRole("link", { name: "Back to Tickets" })).toHaveAttribute("href", "/tickets");

  const next = page.getByRole("button", { name: "Continue to Payment" });
  await about.getByLabel("Email").fill("nonsense");
  await about.getByLabel("Phone").fill("713 5550");
  await next.click();
  await expect(about.getByText("Name is required")).toBeVisible();
  await expect(about.getByText("Valid email is required")).toBeVisible();
  await expect(about.getByText("Valid phone number is required")).toBeVisible();
  for (const attendee of await attendees.all()) {
    await expect(attendee.getByText("Name is required")).toBeVisible();
    await expect(attendee.getByText("Valid email is required")).toBeVisible();
  }
  await expect(announcer(page), "told together, and whose").toHaveText(
    /^7 problems\. Buyer Information: Full Name: Name is required.*Attendee 2.*: Full Name: Name is required/,
  );
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(step(page)).toContainText("Attendee Info");
  await expectAccessibleAtBothSizes(page);

  await about.getByLabel("Full Name").fill(buyer.name);
  await about.getByLabel("Email").fill(account.email);
  await about.getByLabel("Phone").fill("7135550142");
  await attendees.first().getByLabel("Full Name").fill("Slim");
  await attendees.first().getByLabel("Email").fill("slim@example.com");
  await attendees.last().getByLabel("Full Name").fill("Bun");
  await next.click();
  await expect(step(page)).toContainText("Attendee Info");
  const kept = await page.evaluate((key) => JSON.parse(localStorage.getItem(key)!), CART_KEY);
  expect(kept.attendees, "only entries with name and email are kept").toEqual([
    { name: "Slim", email: "slim@example.com", ticketTypeId: catalog.general.id, position: 0 },
  ]);
  await attendees.last().getByLabel("Email").fill("bun@example.com");
  await next.click();
  await expect(step(page)).toContainText("Payment");
  await expect(paymentForm(page)).toBeVisible();
  await expect(page.getByRole("timer")).toBeVisible();
  await expectAccessibleAtBothSizes(page);

  await page.getByRole("button", { name: "Back to Details" }).click();
  await expect(step(page)).toContainText("Attendee Info");
  await expect(attendees.last().getByLabel("Full Name")).toHaveValue("Bun");
});

test("a buyer who scrolls while the page opens stays there, so the button does not move away under a press", async ({
  page,
  account,
}) => {
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 4 }], account);
  await page.addInitScript(() => {
    const watch = new MutationObserver(() => {
      if (!document.querySelector('form[aria-label="Attendee information"]')) return;
      watch.disconnect();
      window.scrollTo({ top: 500, behavior: "instant" });
    });
    watch.observe(document, { childList: true, subtree: true });
  });
  await page.goto("/checkout");
  await expect.poll(() => page.evaluate(() => JSON.stringify(history.state))).toContain('"step":"attendees"');
  await expect(page.getByRole("complementary", { name: "Order Summary" })).toContainText("$180.00");
  expect(await page.evaluate(() => window.scrollY)).toBe(500);
});

test("offers card, Apple Pay and Google Pay in this order, and after a declined card a wallet pays", async ({
  page,
  account,
  pageErrors,
}) => {
  await arriveAtPayment(page, account);
  await expect(paymentForm(page).getByRole("tab")).toHaveText(["Card", "Apple Pay", "Google Pay"]);
  await payByCard(page, CARDS.declined);
  const notice = page.getByRole("listitem").filter({ hasText: "Payment Failed" });
  await expect(notice).toContainText("Your card was declined.");
  await expect(problems(page).filter({ hasText: "Your card was declined." })).toBeVisible();
  await expect(page.getByRole("alert"), "told once, by the notice").toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Pay \$45\.00/ })).toBeEnabled();
  await expect(page.getByRole("timer"), "the hold stays").toBeVisible();
  expectRefusal(pageErrors, 402);
  await paymentForm(page).getByRole("tab", { name: "Google Pay" }).click();
  await paymentForm(page).getByRole("button", { name: "Pay $45.00" }).click();
  await expect(confirmed(page)).toBeVisible();
  const sent = page.getByRole("listitem").filter({ hasText: "Payment Successful!" });
  await expect(sent).toContainText("Your tickets are being generated and will be available shortly.");
  await expect(step(page)).toContainText("Confirmation");
  const [order] = await ordersOf(account.id);
  for (const where of ["at once", "after a reload"]) {
    await test.step(`states which order it is and where it was mailed, ${where}`, async () => {
      await expect(page.getByText(`Order number${order!.id.slice(0, 8)}`)).toBeVisible();
      await expect(page.getByText(`Sent to${account.email}`)).toBeVisible();
      await page.reload();
    });
  }
});

test("the button is disabled while a payment is in progress", async ({ page, account }) => {
  await arriveAtPayment(page, account);
  const { promise, resolve } = Promise.withResolvers<void>();
  let confirmations = 0;
  await page.route("**/v1/payment_intents/*/confirm", async (route) => {
    confirmations++;
    await promise;
    await route.continue();
  });
  await payByCard(page, CARDS.good);
  const pay = paymentForm(page).getByRole("button", { name: /Pay \$/ });
  await expect(pay).toBeDisabled();
  await pay.click({ force: true });
  await expect(page.getByRole("button", { name: "Back to Details" })).toBeDisabled();
  resolve();
  await expect(confirmed(page)).toBeVisible();
  expect(confirmations).toBe(1);
});

test("when the hold expires, the cart stays, the page says so, and the buyer may hold again", async ({
  page,
  account,
}) => {
  const jump = await installJumpingClock(page);
  await arriveAtPayment(page, account);
  const timer = page.getByRole("timer");
  await expect(timer).toHaveText(/^1[45]:\d\d$/);
  await expect(
    page.getByText("You have 15 minutes to pay. Your tickets are held until then."),
  ).toBeAttached();
  await jump("13:30");
  await expect(timer).toHaveText(/^1:\d\d$/);
  await expect(page.getByText("Less than two minutes left to pay.")).toBeAttached();
  await paymentForm(page).getByLabel("Card number").focus();
  await jump("02:00");
  await expect(page.getByText("Your hold has ended")).toBeVisible();
  const heading = page.getByRole("heading", { name: "Payment", exact: true });
  await expect(heading, "the field that had the focus is gone").toBeFocused();
  await expect(paymentForm(page)).toBeHidden();
  await expect(page.getByRole("complementary", { name: "Order Summary" })).toContainText("General Admission");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Hold My Tickets Again" }).press("Enter");
  await expect(timer).toHaveText(/^1[45]:\d\d$/);
  await expect(heading).toBeFocused();
  const open = (await ordersOf(account.id)).filter(({ status }) => status === "pending");
  expect(open, "one hold at a time").toHaveLength(1);
});

test("an order that another device replaced is not paid: the page says so, and holds again on request", async ({
  page,
  account,
  pageErrors,
}) => {
  await arriveAtPayment(page, account);
  await expect(page.getByRole("timer")).toBeVisible();
  await placeOrder({ buyerName: "Other Device", buyer: account, quantity: 2, paid: false });
  const [first] = (await ordersOf(account.id)).filter(({ status }) => status === "cancelled");
  const providerKnows = async () => {
    const work = serviceClient()
      .from("outbox")
      .select("done_at")
      .eq("dedupe_key", `cancel_intent:${first!.id}`);
    return (await work.single()).data?.done_at as string | null;
  };
  await expect.poll(providerKnows, { timeout: 30_000 }).not.toBeNull();
  await payByCard(page, CARDS.good);
  const replaced = page.getByRole("alert").filter({ hasText: "These tickets are no longer held" });
  await expect(replaced).toContainText("You have not been charged here");
  await expect(page.getByRole("timer")).toHaveCount(0);
  await expectAccessible(page);
  await expectLogged(pageErrors, "400");
  await page.getByRole("button", { name: "Hold My Tickets Again" }).click();
  await payByCard(page, CARDS.good);
  await expect(confirmed(page)).toBeVisible();
});

for (const [moment, call] of [
  ["the payment", "**/v1/payment_intents/*/confirm"],
  ["finishing the order", "**/functions/v1/process-payment"],
] as const) {
  test(`reloading in the middle of ${moment} finds it paid, once`, async ({ page, account }) => {
    await arriveAtPayment(page, account);
    let reached: () => void;
    const answered = new Promise<void>((done) => (reached = done));
    // The call succeeds, but its answer never arrives.
    await page.route(
      call,
      async (route) => {
        await route.fetch(RECONNECTING);
        reached();
      },
      { times: 1 },
    );
    await payByCard(page, CARDS.good);
    await answered;
    await page.reload();
    await expect(confirmed(page)).toBeVisible();
    expect(await ordersOf(account.id)).toEqual([
      expect.objectContaining({ status: "confirmed", total_amount: 45 }),
    ]);
    const { count } = await serviceClient()
      .from("tickets")
      .select("id", { count: "exact", head: true })
      .eq("user_id", account.id);
    expect(count, "tickets").toBe(1);
  });
}

test("going back and forth keeps the one order, locks nobody out of their own hold, and Back after paying does not pay again", async ({
  page,
  account,
}) => {
  await arriveAtPayment(page, account);
  await expect(paymentForm(page)).toBeVisible();
  await page.goBack();
  await expect(step(page)).toContainText("Attendee Info");
  await page.goForward();
  await expect(paymentForm(page)).toBeVisible();
  await page.reload();
  await expect(paymentForm(page)).toBeVisible();
  for (let round = 0; round < 7; round++) {
    await page.getByRole("button", { name: "Back to Details" }).click();
    await page.getByRole("button", { name: "Continue to Payment" }).click();
    await expect(paymentForm(page)).toBeVisible();
  }
  expect(await ordersOf(account.id)).toHaveLength(1);
  await payByCard(page, CARDS.good);
  await expect(confirmed(page)).toBeVisible();
  await page.reload();
  await expect(confirmed(page)).toBeVisible();
  await page.goBack();
  await expect(paymentForm(page)).toBeHidden();
  expect((await ordersOf(account.id)).map(({ status }) => status)).toEqual(["confirmed"]);
});

test("a changed price is refused with the difference, and the buyer continues at the new one", async ({
  page,
  account,
  pageErrors,
  makeTicketType,
}) => {
  const chair = await makeTicketType({ called: "Front Row", price: 40, available: 5 });
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [{ ...chair, type: "ticket", price: 35, quantity: 1 }], account);
  const summary = page.getByRole("complementary", { name: "Order Summary" });
  await test.step("an old price is updated before anything is typed", async () => {
    await page.goto("/checkout");
    await expect(page.getByRole("status").filter({ hasText: "Prices have changed." })).toContainText(
      `${chair.name} is now $40.00 instead of $35.00. Your total is $40.00.`,
    );
    await expect(summary).toContainText("$40.00");
  });
  // The page reloads prices every 15 s: without this, the new price might be in the cart before the order is
  // placed.
  const release = await hold(page, "**/rest/v1/products?*");
  await serviceClient().from("ticket_types").update({ price: 50 }).eq("id", chair.id).throwOnError();
  await page.getByRole("button", { name: "Continue to Payment" }).click();
  const alert = page.getByRole("alert").filter({ has: page.getByRole("link", { name: "Review My Cart" }) });
  await expect(alert).toBeVisible();
  release();
  await expect(alert).toContainText(`${chair.name} is now $50.00 instead of $40.00.`);
  await expect(summary).toContainText("$50.00");
  await expect(page.getByText("Payment Setup Failed")).toBeHidden();
  await expectLogged(pageErrors, "open the payment");
  expect(await ordersOf(account.id)).toEqual([]);
  await alert.getByRole("button", { name: "Continue at $50.00" }).click();
  await expect(paymentForm(page).getByRole("button", { name: "Pay $50.00" })).toBeVisible();
});

test("only the button opens the payment: details completed on the way Back to it stay until they are sent", async ({
  page,
  account,
}) => {
  await arriveAtPayment(page, account);
  await expect(paymentForm(page)).toBeVisible();
  await page.getByRole("banner").getByRole("link", { name: "Tickets", exact: true }).click();
  await add(page, "General Admission");
  await page.goBack();
  const second = page.getByRole("group", { name: /^Attendee 2\b/ });
  await second.getByLabel("Full Name").fill("Lee Brown");
  await second.getByLabel("Email").pressSequentially("lee@example.com");
  await expect(second.getByLabel("Email")).toHaveValue("lee@example.com");
  await page.reload();
  await expect(step(page)).toContainText("Attendee Info");
  await expect(second.getByLabel("Email")).toHaveValue("lee@example.com");
  await page.getByRole("button", { name: "Continue to Payment" }).click();
  await expect(paymentForm(page)).toBeVisible();
});

test("a cart changed in another tab says so, and only the button opens the payment again when an attendee's ticket was taken away", async ({
  page,
  account,
}) => {
  await arriveAtPayment(page, account, [
    { ...catalog.general, quantity: 1 },
    { ...catalog.vip, quantity: 1 },
  ]);
  await expect(paymentForm(page)).toBeVisible();
  const other = await page.context().newPage();
  await other.goto("/tickets");
  await other.getByRole("button", { name: "Remove VIP" }).click();
  await expect(
    page.getByRole("alert").filter({ hasText: "Your cart changed in another tab." }),
  ).toBeVisible();
  await add(other, "VIP");
  const second = page.getByRole("group", { name: /^Attendee 2\b/ });
  await second.getByLabel("Full Name").fill("Lee Brown");
  await second.getByLabel("Email").pressSequentially("lee@example.com");
  await expect(second.getByLabel("Email")).toHaveValue("lee@example.com");
  await expect(step(page)).toContainText("Attendee Info");
  await page.getByRole("button", { name: "Continue to Payment" }).click();
  await expect(paymentForm(page)).toBeVisible();
});

test("insufficient stock names what is left, and the cart can take it", async ({
  page,
  account,
  pageErrors,
  makeTicketType,
}) => {
  const chair = await makeTicketType({ called: "Last Row", price: 99.5, available: 1 });
  await arriveAtPayment(page, account, [{ ...chair, type: "ticket", quantity: 2 }]);
  const alert = page.getByRole("alert").filter({ has: page.getByRole("button", { name: "Update My Cart" }) });
  await expect(alert).toContainText(`${chair.name}: you asked for 2, 1 still available`);
  await expectLogged(pageErrors, "open the payment");
  await alert.getByRole("button", { name: "Update My Cart" }).click();
  await expect(page.getByRole("complementary", { name: "Order Summary" })).toContainText("$99.50");
  await expect(page.getByRole("group", { name: /^Attendee \d/ })).toHaveCount(1);
});

test("an order has its own page: Payment Confirmed, its buyer, its tickets, and the next steps", async ({
  page,
  account,
}) => {
  const id = await placeOrder({ buyerName: buyer.name, buyer: account, phone: buyer.phone });
  await arriveSignedIn(page, account);
  await page.goto(`/order-confirmation?orderId=${id}`);
  await expect(page.getByRole("heading", { name: "Payment Confirmed!" })).toBeVisible();
  const main = page.getByRole("main");
  for (const text of [id.slice(0, 8), "$45.00", buyer.name, account.email, buyer.phone, "What's Next?"]) {
    await expect(main).toContainText(text);
  }
  expect(await main.textContent()).not.toContain(id);
  await expect(main.getByRole("img", { name: /QR code/ })).toBeVisible();
  await expect(main.getByRole("link", { name: "View All My Tickets" })).toHaveAttribute(
    "href",
    "/my-tickets",
  );
  await expect(main.getByRole("link", { name: "Back to Dashboard" })).toHaveAttribute("href", "/dashboard");
  await expectAccessible(page);

  await test.step("which a week later no longer says that a mail is on its way", async () => {
    const week = new Date(Date.now() - 7 * 86_400_000).toISOString();
    const { error } = await serviceClient().from("orders").update({ confirmed_at: week }).eq("id", id);
    expect(error).toBeNull();
    await page.reload();
    await expect(page.getByRole("heading", { name: "Your Order", exact: true })).toBeVisible();
    await expect(main.getByRole("button", { name: /^Receipt as PDF/ })).toBeVisible();
    // The festival of these tests is over.
    expect(await main.innerText()).not.toMatch(/on (its|their) way|Payment Confirmed|What's Next/);
  });
});
