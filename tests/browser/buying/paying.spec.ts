// The payment step when things go wrong for honest buyers: typing errors, going back and forth, an expired session, a
// second tab. None of it costs them their tickets, and each is explained.
import type { Page } from "@playwright/test";
import { arriveAtPayment, serviceClient, catalog } from "../../support/shop/arrival.ts";
import { add, CARDS, payByCard, signIn } from "../../support/shop/buyer.ts";
import { answerWith, expectLogged, RECONNECTING, refusal } from "../../support/page/faults.ts";
import { expect, expectAccessible, expectRefusal, test } from "../../support/fixtures.ts";
import { problems } from "../../support/page/problems.ts";

const form = (page: Page) => page.getByRole("form", { name: "Payment" });
const pay = (page: Page) => form(page).getByRole("button", { name: /^Pay \$/ });
const confirmed = (page: Page) => page.getByRole("heading", { name: "Order Confirmed!" });
const ordersOf = async (userId: string) => {
  const { data, error } = await serviceClient().from("orders").select("status").eq("user_id", userId);
  if (error) throw error;
  return data.map((order) => order.status as string);
};

test("a card form with errors is marked field by field, sends nothing and does not count as an attempt; its fields accept what people type and paste", async ({
  page,
  account,
}) => {
  await arriveAtPayment(page, account);
  let sent = 0;
  await page.route("**/v1/payment_intents/*/confirm", (route) => {
    sent++;
    return route.continue();
  });
  for (let press = 0; press < 5; press++) await pay(page).click();
  await expect(form(page).getByText("Your card number is incomplete.")).toBeVisible();
  await expect(form(page).getByText("Your card's expiration date is incomplete.")).toBeVisible();
  await expect(form(page).getByText("Your card's security code is incomplete.")).toBeVisible();
  await expect(form(page).getByLabel("Card number")).toBeFocused();
  await expectAccessible(page);
  await form(page).getByLabel("Card number").fill("4242-4242-4242-4242");
  await form(page).getByLabel("Expiry").fill("12/2034");
  await form(page).getByLabel("CVC").fill("12");
  await pay(page).click();
  await expect(form(page).getByLabel("CVC")).toBeFocused();
  await expect(problems(form(page))).toHaveText(["Your card's security code is incomplete."]);
  expect(sent, "confirmations sent").toBe(0);
  await test.step("typed and pasted", async () => {
    const number = form(page).getByLabel("Card number");
    await number.fill("");
    await number.pressSequentially("4242-4242 4242/4242");
    await expect(number).toHaveValue("4242 4242 4242 4242");
    await number.fill("４２４２　４２４２　４２４２　４２４２");
    await expect(number).toHaveValue("4242 4242 4242 4242");
    await number.evaluate((input: HTMLInputElement) => input.setSelectionRange(7, 7));
    await page.keyboard.press("Backspace");
    await page.keyboard.type("2");
    await expect(number).toHaveValue("4242 4242 4242 4242");
    const expiry = form(page).getByLabel("Expiry");
    for (const typed of ["12 / 34", "12/34", "1234", "12/2034", "12-34"]) {
      await expiry.fill("");
      await expiry.pressSequentially(typed);
      await expect(expiry, typed).toHaveValue("12 / 34");
    }
    await expiry.fill("");
    await expiry.pressSequentially("1/34");
    await expect(expiry).toHaveValue("01 / 34");
    const hints = await form(page)
      .locator("input")
      .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).autocomplete));
    expect(hints).toEqual(["cc-number", "cc-exp", "cc-csc"]);
  });
  await form(page).getByLabel("CVC").fill("123");
  await pay(page).click();
  await expect(confirmed(page)).toBeVisible();
});

test("a cart with an item that cannot be ordered is refused in a sentence", async ({
  page,
  account,
  pageErrors,
}) => {
  await arriveAtPayment(page, account, [{ ...catalog.general, id: "not-an-id", quantity: 1 }]);
  const alert = page.getByRole("alert").filter({ hasText: "Payment Setup Error" });
  await expect(alert).toContainText("An item in your cart can't be ordered");
  await expectLogged(pageErrors, "open the payment");
});

test("a session that ended before paying leads through signing in back to the payment, and one that ends while paying to the paid order", async ({
  page,
  account,
  pageErrors,
}) => {
  const letHold = await answerWith(
    page,
    "**/functions/v1/create-payment-intent",
    401,
    refusal("unauthorized", "Please sign in."),
  );
  await arriveAtPayment(page, account);
  await expect(page.getByRole("form", { name: "Email me a code" })).toBeVisible();
  expectRefusal(pageErrors, 401);
  await letHold();
  await signIn(page, account);
  await page.getByRole("button", { name: "Continue to Payment" }).click();
  await expect(form(page)).toBeVisible();
  pageErrors.length = 0;
  await expect(form(page)).toBeVisible();
  const mend = await answerWith(
    page,
    "**/functions/v1/process-payment",
    401,
    refusal("unauthorized", "Please sign in."),
  );
  await payByCard(page, CARDS.good);
  await expect(page.getByRole("form", { name: "Email me a code" })).toBeVisible();
  await expectLogged(pageErrors, "process the order");
  await mend();
  await signIn(page, account);
  await expect(confirmed(page)).toBeVisible();
  expect(await ordersOf(account.id)).toEqual(["confirmed"]);
});

test("a payment whose answer was lost is found paid at once, and a cart that was filled meanwhile is named as not ordered", async ({
  page,
  account,
  context,
  pageErrors,
}) => {
  await arriveAtPayment(page, account);
  const other = await context.newPage();
  await other.goto("/tickets");
  await page.route("**/v1/payment_intents/*/confirm", async (route) => {
    await route.fetch(RECONNECTING);
    await add(other, "VIP");
    await route.abort();
  });
  await payByCard(page, CARDS.good);
  await expect(confirmed(page)).toBeVisible();
  await expect(page.getByText("This order was for your earlier cart.")).toBeVisible();
  await expectLogged(pageErrors, "ERR_FAILED");
  await expectAccessible(page);
  const summary = other.getByRole("region", { name: "Your Cart" });
  await expect(summary).toContainText("VIP");
  await expect(summary, "what was bought is out").not.toContainText("General Admission");
  await page.reload();
  await expect(page.getByText("This order was for your earlier cart.")).toBeVisible();
  await other.close();
});

test("a card that is declined late says why: while its buyer waits, after a reload meanwhile, and to whoever comes back", async ({
  page,
  account,
}) => {
  const notice = page.getByRole("listitem").filter({ hasText: "Payment Failed" });
  const expectReason = async (where: string) => {
    await expect(notice, where).toContainText("Your card was declined.", { timeout: 20_000 });
    await expect(problems(page).filter({ hasText: "Your card was declined." }), where).toBeVisible();
    await expect(notice, `once, ${where}`).toHaveCount(1);
  };
  await arriveAtPayment(page, account);
  await payByCard(page, CARDS.declinedLater);
  await expectReason("to a buyer who waits");
  await page.reload();
  await expectReason("to one who comes back");
  const processing = page.waitForResponse((response) => response.url().endsWith("/confirm"));
  await payByCard(page, CARDS.declinedLater);
  await processing;
  await page.reload();
  await expectReason("after a reload");
  await payByCard(page, CARDS.good);
  await expect(confirmed(page)).toBeVisible();
});

test("one tab notices that the other has paid", async ({ page, account }) => {
  await arriveAtPayment(page, account);
  await expect(form(page)).toBeVisible();
  const other = await page.context().newPage();
  await other.goto("/checkout");
  await payByCard(other, CARDS.good);
  await expect(confirmed(other)).toBeVisible();
  await expect(confirmed(page)).toBeVisible();
  expect(await ordersOf(account.id)).toEqual(["confirmed"]);
});

test("terms and privacy are linked next to Pay and Create Account, and reading them costs no hold", async ({
  page,
  account,
}) => {
  await arriveAtPayment(page, account);
  await expect(form(page)).toBeVisible();
  for (const [link, heading] of [
    ["terms of sale", /Terms/],
    ["privacy notice", /Privacy/],
  ] as const) {
    const opened = page.context().waitForEvent("page");
    await page.getByRole("main").getByRole("link", { name: link }).click();
    const beside = await opened;
    await expect(beside.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    await beside.close();
  }
  await expect(form(page)).toBeVisible();
  expect(await ordersOf(account.id)).toEqual(["pending"]);
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page.getByRole("form", { name: "Email me a code" })).toBeVisible();
  await page.getByRole("link", { name: "Don't have an account? Sign up" }).click();
  const signUp = page.getByRole("form", { name: "Create account" });
  await expect(signUp.getByRole("link", { name: "terms of sale" })).toHaveAttribute("href", "/terms");
  await expect(signUp.getByRole("link", { name: "privacy notice" })).toHaveAttribute("href", "/privacy");
});
