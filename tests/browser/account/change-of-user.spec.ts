// One browser, several people: a user who signs out, or is replaced by another, leaves no name, no address and no hold
// behind.
import type { Page } from "@playwright/test";
import { type Account, createAccount } from "../../support/shop/accounts.ts";
import {
  arriveAtPayment,
  arriveSignedIn,
  serviceClient,
  CART_KEY,
  catalog,
  openDashboard,
} from "../../support/shop/arrival.ts";
import { buyer, signIn } from "../../support/shop/buyer.ts";
import { ARRIVING, expectLogged, hold } from "../../support/page/faults.ts";
import { expect, status, test } from "../../support/fixtures.ts";

const everythingStored = (page: Page) =>
  page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
const orderStatuses = async (userId: string) => {
  const { data, error } = await serviceClient().from("orders").select("status").eq("user_id", userId);
  if (error) throw error;
  return data.map((order) => order.status as string);
};

/** In another tab, the user logs out and another signs in. */
async function changeUser(page: Page, next: Account): Promise<void> {
  const other = await page.context().newPage();
  await other.goto("/about");
  await other.getByRole("button", { name: "Logout" }).click();
  await expect(other.getByRole("link", { name: "Login" })).toBeVisible();
  await signIn(other, next);
  await expect(other.getByRole("main")).toContainText(next.email);
  await other.close();
}

const answerPayments = (page: Page, status: string) =>
  page.route("**/v1/payment_intents/*", (route) =>
    route.fulfill({ json: { status, last_payment_error: null, next_action: null } }),
  );

/** Back from the bank, at rest: requests of an ended session would be refused. */
async function arriveFromBank(page: Page, status: "processing" | "succeeded"): Promise<void> {
  await answerPayments(page, status);
  await page.goto("/dashboard?payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_1");
  await expect(page.getByText("Finishing your payment...")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Where You Are Signed In" })).toBeVisible();
  await expect(page.locator("[data-loading]")).toHaveCount(0);
}

const buyerGroup = (page: Page) => page.getByRole("group", { name: "Buyer Information" });

test("signing out clears buyer, attendees and the hold, and the next person finds an empty form", async ({
  page,
  account,
}) => {
  const next = await createAccount(status());
  await arriveAtPayment(page, account);
  await expect(page.getByRole("form", { name: "Payment" })).toBeVisible();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page.getByRole("form", { name: "Email me a code" })).toBeVisible();
  await expect.poll(() => orderStatuses(account.id)).toEqual(["cancelled"]);
  const left = await everythingStored(page);
  for (const trace of [buyer.name, buyer.phone, account.email, "Guest 1"]) expect(left).not.toContain(trace);

  await signIn(page, next);
  await expect(page).toHaveURL("/checkout");
  await expect(buyerGroup(page).getByLabel("Full Name")).toHaveValue("");
  await expect(buyerGroup(page).getByLabel("Phone")).toHaveValue("");
  await expect(buyerGroup(page).getByLabel("Email")).toHaveValue(next.email);
  await expect(page.getByRole("group", { name: /^Attendee 1/ }).getByLabel("Email")).toHaveValue("");
  await expect(page.getByRole("complementary", { name: "Order Summary" })).toContainText("General Admission");
});

test("signing out on a page without a cart clears the buyer in every tab", async ({ page, account }) => {
  await arriveAtPayment(page, account);
  await expect(page.getByRole("form", { name: "Payment" })).toBeVisible();
  const other = await page.context().newPage();
  await other.goto("/about");
  await other.getByRole("button", { name: "Logout" }).click();
  await expect(other.getByRole("link", { name: "Login" })).toBeVisible();
  expect(await everythingStored(other)).not.toContain(account.email);
  await expect(page.getByRole("form", { name: "Email me a code" })).toBeVisible();
  await expect.poll(() => everythingStored(page)).not.toContain(buyer.name);
  await expect.poll(() => orderStatuses(account.id)).toEqual(["cancelled"]);
});

test("another user who signs in without a sign-out finds nothing of the previous one", async ({
  page,
  account,
}) => {
  const next = await createAccount(status());
  await arriveAtPayment(page, account);
  await expect(page.getByRole("form", { name: "Payment" })).toBeVisible();
  await arriveSignedIn(page, next);
  await page.goto("/checkout");
  await expect(buyerGroup(page).getByLabel("Email")).toHaveValue(next.email);
  await expect(buyerGroup(page).getByLabel("Full Name")).toHaveValue("");
  const cart = await page.evaluate((key) => JSON.parse(localStorage.getItem(key)!), CART_KEY);
  expect(cart.items[0].id).toBe(catalog.general.id);
  await expect.poll(() => everythingStored(page)).not.toContain(account.email);
});

test("a payment that the bank decides on is not the next user's, who signs in after a logout in another tab", async ({
  page,
  account,
}) => {
  const next = await createAccount(status());
  await arriveSignedIn(page, account);
  await arriveFromBank(page, "processing");
  const other = await page.context().newPage();
  await other.goto("/about");
  await other.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL("/auth");
  await expect(page.getByRole("form", { name: "Sign in" })).toBeVisible();
  await expect(page.getByText("You were signed out.")).toBeHidden();
  await signIn(page, next);
  await expect(page).toHaveURL("/dashboard");
  await expect(page.getByRole("main")).toContainText(next.email);
  await expect(page.getByText("Finishing your payment...")).toBeHidden();
});

test("the failed payment of whoever used the browser before is not the next user's", async ({
  page,
  account,
}) => {
  await arriveSignedIn(page, account);
  await answerPayments(page, "canceled");
  await page.goto("/dashboard?payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_1");
  await expect(page).toHaveURL("/dashboard");
  await expect(page.getByRole("heading", { name: "Where You Are Signed In" })).toBeVisible();
  await expect(page.getByText("Payment Failed")).toBeHidden();
});

test("a user who replaces another in an open tab finds neither a payment nor a form of theirs", async ({
  page,
  account,
}) => {
  const next = await createAccount(status());
  await arriveSignedIn(page, account);
  await arriveFromBank(page, "processing");
  const other = await page.context().newPage();
  const replaceBy = async (user: Account) => {
    await arriveSignedIn(other, user);
    await other.goto("/about");
    await expect(page.getByRole("main")).toContainText(user.email);
  };
  await replaceBy(next);
  await expect(page).toHaveURL("/dashboard");
  await expect(page.getByText("Finishing your payment...")).toBeHidden();
  await page.getByRole("button", { name: "Change Email" }).click();
  await page.getByLabel("New Email").fill("mine@example.com");
  await replaceBy(account);
  await expect(page.getByRole("button", { name: "Change Email" })).toBeVisible();
});

test("a refusal of the previous user that arrives late leaves the next one signed in", async ({
  page,
  account,
  pageErrors,
}) => {
  await test.step("of a function", async () => {
    const next = await createAccount(status());
    await arriveSignedIn(page, account);
    const release = await hold(page, "**/functions/v1/process-payment");
    const asked = page.waitForRequest("**/functions/v1/process-payment", ARRIVING);
    await arriveFromBank(page, "succeeded");
    await asked;
    await changeUser(page, next);
    await expect(page.getByRole("main")).toContainText(next.email);
    release();
    await expectLogged(pageErrors, "401");
    await openDashboard(page);
    await expect(page.getByRole("main")).toContainText(next.email);
  });
  await test.step("of the check of the session", async () => {
    const [before, next] = [await createAccount(status()), await createAccount(status())];
    await arriveSignedIn(page, before);
    const release = await hold(page, "**/auth/v1/user");
    const asked = page.waitForRequest("**/auth/v1/user", ARRIVING);
    await page.goto("/my-tickets");
    await expect(page.getByText("No tickets found")).toBeVisible();
    await expect(
      page.getByText("Did someone else buy your ticket? It's in the email we sent you."),
    ).toBeVisible();
    await asked;
    await changeUser(page, next);
    await expect(page).toHaveURL("/my-tickets");
    release();
    await expectLogged(pageErrors, "403");
    await openDashboard(page);
    await expect(page.getByRole("main")).toContainText(next.email);
  });
});
