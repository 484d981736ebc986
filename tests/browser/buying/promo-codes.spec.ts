// A promo code from the back office to the receipt: created, applied, refused when it is used up, and making a whole order
// free.
import type { Page } from "@playwright/test";
import { randomBytes } from "node:crypto";
import { createAccount } from "../../support/shop/accounts.ts";
import { arriveAsAdmin } from "../../support/shop/admin-arrival.ts";
import {
  arriveAtPayment,
  arriveSignedIn,
  arriveWithCart,
  serviceClient,
  catalog,
} from "../../support/shop/arrival.ts";
import { CARDS, payByCard, signIn } from "../../support/shop/buyer.ts";
import { answerWith, expectLogged, RECONNECTING, refusal } from "../../support/page/faults.ts";
import { expect, expectAccessible, status, test } from "../../support/fixtures.ts";
import { installJumpingClock } from "../../support/page/jumping-clock.ts";
import { problems } from "../../support/page/problems.ts";

const newName = (word: string) => `${word}-${randomBytes(4).toString("hex")}`.toUpperCase();
const summary = (page: Page) => page.getByRole("complementary", { name: "Order Summary" });
const total = (page: Page) => summary(page).getByLabel("Total");

async function apply(page: Page, code: string): Promise<void> {
  await summary(page).getByLabel("Promo code").fill(code);
  await summary(page).getByRole("button", { name: "Apply" }).click();
}

async function arriveAtDetails(page: Page): Promise<string> {
  const account = await createAccount(status());
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 2 }], account);
  await page.goto("/checkout");
  await expect(total(page)).toHaveText("$90.00");
  return account.id;
}

test("an organizer creates a code, a buyer uses it, and the next one reads that it is used up", async ({
  page,
  browser,
  pageErrors,
}) => {
  const code = newName("SUMMER");
  const admin = await browser.newPage();
  await arriveAsAdmin(admin);
  await admin.goto("/admin/promo-codes");
  await admin.getByRole("button", { name: "New Code" }).click();
  const dialog = admin.getByRole("dialog", { name: "New promo code" });
  const codeField = dialog.getByLabel("Code", { exact: true });
  const percent = dialog.getByLabel("Percent off");
  await codeField.fill("A B");
  await dialog.getByLabel("Maximum orders").fill("1");
  await dialog.getByLabel("Maximum per buyer").fill("5");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(problems(dialog)).toHaveText([
    "A code must have 3 to 40 letters, digits, hyphens and underscores.",
    "Enter a whole-number percentage from 1 to 100.",
    "Maximum per buyer can't exceed 1, the maximum for all buyers combined.",
  ]);
  await expect(codeField).toBeFocused();
  await expect(codeField).toHaveAccessibleDescription(/A code must have 3 to 40 letters/);
  await expect(percent).toHaveAccessibleDescription("Enter a whole-number percentage from 1 to 100.");
  await expectAccessible(admin);
  await percent.fill("25");
  await expect(percent).not.toHaveAttribute("aria-invalid");
  await codeField.fill(code.toLowerCase());
  await dialog.getByLabel("Maximum per buyer").fill("1");
  await expect(problems(dialog)).toHaveCount(0);
  await dialog.getByRole("button", { name: "Create" }).click();
  const row = admin.getByRole("row", { name: new RegExp(code) });
  await expect(row).toContainText("25% off");
  await expect(row).toContainText("0 of 1");

  const user = await arriveAtDetails(page);
  await apply(page, "nobodys-code");
  await expect(summary(page).getByRole("alert")).toHaveText("This code is not valid.");
  await expect(summary(page).getByLabel("Promo code")).toHaveValue("nobodys-code");
  await apply(page, code.toLowerCase());
  await expect(total(page)).toHaveText("$67.50");
  await expect(
    summary(page)
      .getByRole("listitem")
      .filter({ hasText: `Promo code ${code}` }),
  ).toBeFocused();
  await summary(page)
    .getByRole("button", { name: `Remove Promo code ${code}` })
    .click();
  await expect(total(page)).toHaveText("$90.00");
  await expect(summary(page).getByLabel("Promo code")).toBeFocused();
  await expect(summary(page).getByLabel("Promo code"), "leaving it applies nothing").toHaveValue("");
  await apply(page, code);
  await expect(total(page)).toHaveText("$67.50");
  await expectAccessible(page);
  await page.reload();
  await expect(total(page)).toHaveText("$67.50");
  await page.getByRole("button", { name: "Continue to Payment" }).click();
  await expect(page.getByRole("button", { name: "Pay $67.50" })).toBeVisible();
  // Another buyer, who took the code a moment before, pays. This one applied it while it was still free.
  const late = await browser.newPage();
  late.on("console", (message) => message.type() === "error" && pageErrors.push(message.text()));
  await arriveAtDetails(late);
  await serviceClient().from("promo_codes").update({ max_uses: 2 }).eq("code", code);
  await apply(late, code);
  await expect(total(late)).toHaveText("$67.50");
  await serviceClient().from("promo_codes").update({ max_uses: 1 }).eq("code", code);
  await late.getByRole("button", { name: "Continue to Payment" }).click();
  await expect(late.getByRole("alert").filter({ hasText: "This code has been used up." })).toBeVisible();
  await expectAccessible(late);
  await expectLogged(pageErrors, "409");
  await late.getByRole("button", { name: "Continue Without the Code" }).click();
  await expect(late.getByRole("button", { name: "Pay $90.00" })).toBeVisible();
  await late.close();

  await payByCard(page, CARDS.good);
  await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  await page.getByRole("link", { name: "View Your Tickets" }).click();
  await expect(page.getByText(`Promo code ${code}`)).toBeVisible();
  await expect(page.getByText("-$22.50")).toBeVisible();

  await admin.reload();
  await expect(row).toContainText("1 of 1");
  await expect(row).toContainText("Used up");
  const { data } = await serviceClient().from("orders").select("id").eq("user_id", user).single();
  await admin.goto(`/admin/orders/${data!.id}`);
  await expect(admin.getByText(`Promo code ${code}`)).toBeVisible();
  await admin.getByRole("checkbox", { name: /Guest 1/ }).check();
  await admin.getByRole("button", { name: "Refund 1 ticket" }).click();
  await expect(admin.getByRole("button", { name: "Refund $33.75" })).toBeVisible();
  await admin.close();
});

test("a typed code counts without a press of Apply, and one that makes the order free needs no card", async ({
  page,
}) => {
  const code = newName("GUEST");
  const { error } = await serviceClient().from("promo_codes").insert({ code, percent_off: 100 });
  expect(error).toBeNull();
  await arriveAtDetails(page);
  const field = summary(page).getByLabel("Promo code");
  const onward = page.getByRole("button", { name: "Continue to Payment" });
  await field.fill("nobodys-code");
  await onward.click();
  await expect(summary(page).getByRole("alert")).toHaveText("This code is not valid.");
  await expect(field, "the buyer stays and reads why").toBeFocused();
  await onward.click();
  await expect(page.getByRole("button", { name: "Pay $90.00" })).toBeVisible();
  await page.getByRole("button", { name: "Back to Details" }).click();
  await field.fill(code);
  await onward.click();
  await expect(page.getByText("There is nothing to pay.")).toBeVisible();
  await expect(total(page)).toHaveText("$0.00");
  await expect(page.getByText("Your tickets are held for")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Confirm Order" }).click();
  await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  await page.getByRole("link", { name: "View Your Tickets" }).click();
  await expect(page.getByText("$0.00")).toBeVisible();
});

test("a code is checked again by itself, and by the buyer when it could not be checked", async ({
  page,
  pageErrors,
}) => {
  const code = newName("LOST");
  const { error } = await serviceClient().from("promo_codes").insert({ code, percent_off: 25 });
  expect(error).toBeNull();
  await arriveAtDetails(page);
  let asked = 0;
  const path = "**/functions/v1/quote-promo-code";
  await page.route(path, (route) => {
    asked++;
    return route.abort();
  });
  await apply(page, code);
  await expect(summary(page).getByRole("alert")).toHaveText("We could not check the code. Please try again.");
  expect(asked, "twice more, as any read").toBe(3);
  await expectLogged(pageErrors, "ERR_FAILED");
  await page.unroute(path);
  await summary(page).getByRole("button", { name: "Apply" }).click();
  await expect(total(page)).toHaveText("$67.50");
});

test("a session that ended before a code is checked leads through signing in back to the discount", async ({
  page,
  account,
  pageErrors,
}) => {
  const code = newName("ENDED");
  const { error } = await serviceClient().from("promo_codes").insert({ code, percent_off: 25 });
  expect(error).toBeNull();
  const path = "**/functions/v1/quote-promo-code";
  const mend = await answerWith(page, path, 401, refusal("unauthorized", "Please sign in first."));
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 2 }], account);
  await page.goto("/checkout");
  await apply(page, code);
  await expect(page.getByRole("form", { name: "Email me a code" })).toBeVisible();
  await expectLogged(pageErrors, "401");
  await mend();
  await signIn(page, account);
  await expect(total(page)).toHaveText("$67.50");
});

test("a held order keeps the discount of a code that has ended since, after a reload and in another browser", async ({
  page,
  browser,
  baseURL,
}) => {
  const code = newName("ENDING");
  const { error } = await serviceClient().from("promo_codes").insert({ code, percent_off: 25 });
  expect(error).toBeNull();
  const account = await createAccount(status());
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 2 }], account);
  await page.goto("/checkout");
  await apply(page, code);
  await page.getByRole("button", { name: "Continue to Payment" }).click();
  const pay = { name: "Pay $67.50" };
  await expect(page.getByRole("button", pay)).toBeVisible();
  const over = { closes_at: new Date().toISOString() };
  expect((await serviceClient().from("promo_codes").update(over).eq("code", code)).error).toBeNull();
  await page.reload();
  await expect(page.getByRole("button", pay)).toBeVisible();
  const elsewhere = await browser.newContext({ baseURL });
  const other = await elsewhere.newPage();
  await arriveSignedIn(other, account);
  await other.goto("/my-tickets");
  await other.getByRole("button", { name: /^Continue Payment of Order/ }).click();
  await expect(other.getByRole("button", pay)).toBeVisible();
  await expect(
    summary(other)
      .getByRole("listitem")
      .filter({ hasText: `Promo code ${code}` }),
  ).toBeVisible();
  await payByCard(other, CARDS.good);
  await expect(other.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  const { data } = await serviceClient().from("orders").select("total_amount").eq("user_id", account.id);
  expect(data).toEqual([{ total_amount: 67.5 }]);
  await elsewhere.close();
});

test("a fee set by the organizer is in the prices, and a line of its own in the cart and before payment", async ({
  page,
  account,
}) => {
  // Changed at the network: others buy in the same shop. supabase/tests/functions/sale/fees.test.ts shows that orders are charged with
  // it.
  const fee = {
    name: "Booking fee",
    percent: 10,
    per_ticket: 1,
    per_order: 0.5,
    is_refunded: true,
    in_prices: true,
  };
  await page.route("**/rest/v1/rpc/get_sale", async (route) => {
    const response = await route.fetch(RECONNECTING);
    await route.fulfill({ response, json: { ...((await response.json()) as object), fee } });
  });
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 2 }], account);
  await page.goto("/tickets");
  const general = page.getByRole("article", { name: "General Admission" });
  await expect(general).toContainText("$51.00Includes $6.00 Booking fee, $0.50 of it once per order");
  await expect(page.getByRole("article", { name: "General Parking" })).toContainText("$28.00Includes $3.00");
  const cart = page.getByRole("region", { name: "Your Cart" });
  await expect(cart).toContainText("2 × $45.00");
  await expect(cart.getByRole("listitem").filter({ hasText: "Booking fee" })).toContainText("$11.50");
  await expect(cart.getByLabel("Total")).toHaveText("$101.50");
  await cart.getByRole("link", { name: "Proceed to Checkout" }).click();
  await expect(summary(page).getByRole("listitem").filter({ hasText: "Booking fee" })).toContainText(
    "$11.50",
  );
  await expect(total(page)).toHaveText("$101.50");
  await expectAccessible(page);
});

test("a fee that is changed leaves a held order and a card that is being typed as they are, and the end of the hold too", async ({
  page,
  account,
}) => {
  let fee: object | null = null;
  await page.route("**/rest/v1/rpc/get_sale", async (route) => {
    const response = await route.fetch(RECONNECTING);
    await route.fulfill({ response, json: { ...((await response.json()) as object), fee } });
  });
  const jump = await installJumpingClock(page);
  await arriveAtPayment(page, account);
  const number = page.getByLabel("Card number");
  await number.fill("4242 4242");
  fee = { name: "Booking fee", percent: 0, per_ticket: 5, per_order: 0, is_refunded: true, in_prices: true };
  const readAgain = async (after: string) => {
    // The prices are read again every 15 seconds.
    const read = page.waitForResponse("**/rest/v1/rpc/get_sale");
    await jump(after);
    await read;
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
  };
  await readAgain("00:16");
  await expect(number).toHaveValue("4242 4242");
  await expect(total(page)).toHaveText("$45.00");
  await readAgain("15:00");
  await expect(page.getByText("Your hold has ended")).toBeVisible();
  await readAgain("00:16");
  await expect(page.getByText("Your hold has ended"), "nothing is held anew by itself").toBeVisible();
  await expect(total(page)).toHaveText("$45.00");
  const { data } = await serviceClient().from("orders").select("total_amount").eq("user_id", account.id);
  expect(data).toEqual([{ total_amount: 45 }]);
});
