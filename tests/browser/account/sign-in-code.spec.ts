// A buyer without an account or a password: from the cart to checkout with a code by mail.
import type { Page } from "@playwright/test";
import { newEmail } from "../../support/shop/accounts.ts";
import { add, fillDetails } from "../../support/shop/buyer.ts";
import { expect, expectAccessible, expectRefusal, test } from "../../support/fixtures.ts";
import { codeIn, linkIn } from "../../support/server/mailbox.ts";
import { problems } from "../../support/page/problems.ts";

const SUBJECT = /sign-in code/i;

async function goToCheckout(page: Page) {
  await page.goto("/tickets");
  await add(page, "General Admission", 2);
  await page.getByRole("link", { name: "Proceed to Checkout" }).click();
  await expect(page).toHaveURL("/auth?mode=code");
  await expect(page.getByText("Your cart is saved.")).toBeVisible();
}

async function askForCode(page: Page, email: string) {
  const form = page.getByRole("form", { name: "Email me a code" });
  await form.getByLabel("Email").fill(email);
  await form.getByRole("button", { name: "Email Me a Code" }).click();
  await expect(page.getByRole("form", { name: "Type your code" })).toBeVisible();
}

test("a new visitor on a phone types a code and arrives in checkout with the whole cart", async ({
  page,
  pageErrors,
  mailbox,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const email = newEmail("by-code");
  await goToCheckout(page);
  await expectAccessible(page);
  await askForCode(page, email);
  const form = page.getByRole("form", { name: "Type your code" });
  const field = form.getByLabel("Code from the email");
  await expect(field).toBeFocused();
  await expect(field).toHaveAttribute("autocomplete", "one-time-code");
  await expect(form).toContainText(email);
  await expect(form.getByRole("button", { name: /^Send Another Code in \d+ s$/ })).toBeVisible();
  await expectAccessible(page);

  const code = codeIn(await mailbox.newest(email, SUBJECT));
  await test.step("is told about a wrong code, and keeps the form after a reload", async () => {
    await field.fill(code === "000000" ? "111111" : "000000");
    await form.getByRole("button", { name: "Sign In" }).click();
    await expect(problems(form)).toContainText("wrong or has expired");
    await expect(field).toBeFocused();
    expectRefusal(pageErrors, 403);
    await page.reload();
    await expect(form).toContainText(email);
  });

  await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`); // as mail programs let one copy it
  await form.getByRole("button", { name: "Sign In" }).click();
  await expect(page).toHaveURL("/checkout");
  await fillDetails(page, email, ["Paul Wall", "Lil' Keke"]);
  await expect(page.getByRole("form", { name: "Payment" })).toBeVisible();
});

test("a buyer changes the address, and continues by the link in the mail in another tab", async ({
  page,
  context,
  mailbox,
}) => {
  const email = newEmail("by-link");
  await goToCheckout(page);
  await askForCode(page, newEmail("mistyped"));
  await page.getByRole("button", { name: "Use Another Email" }).click();
  await askForCode(page, email);
  const other = await context.newPage();
  await other.goto(linkIn(await mailbox.newest(email, SUBJECT), "/auth/v1/verify"));
  await expect(other).toHaveURL("/checkout");
  await expect(other.getByText("General Admission").first()).toBeVisible();
  // The first tab is notified.
  await expect(page).toHaveURL("/checkout");
});

test("a repeated request, refused or for another address, leaves the earlier mail valid", async ({
  page,
  pageErrors,
  mailbox,
}) => {
  const email = newEmail("asks-again");
  await page.goto("/auth?mode=code");
  await askForCode(page, email);
  const form = page.getByRole("form", { name: "Type your code" });
  await expect(form).toContainText(`We sent a code to ${email}`);
  await page.getByRole("button", { name: "Use Another Email" }).click();
  await askForCode(page, email);
  expectRefusal(pageErrors, 429);
  await expect(form).toContainText(`A code was sent a moment ago to ${email}, so we didn't send another.`);
  await page.reload();
  await expect(form).toContainText("so we didn't send another");
  await page.getByRole("button", { name: "Use Another Email" }).click();
  await askForCode(page, newEmail("second-thought"));
  await page.goto(linkIn(await mailbox.newest(email, SUBJECT), "/auth/v1/verify"));
  await expect(page).toHaveURL("/dashboard");
  await expect(page.getByRole("main")).toContainText(email);
});

test("the mail's button, clicked on another device, leaves the code valid; clicked after it, finds who signed in", async ({
  page,
  browser,
  baseURL,
  mailbox,
}) => {
  const email = newEmail("two-devices");
  await page.goto("/auth?mode=code");
  await askForCode(page, email);
  const mail = await mailbox.newest(email, SUBJECT);
  const link = linkIn(mail, "/auth/v1/verify");
  const phone = await browser.newPage({ baseURL });
  await phone.goto(link);
  const note = phone.getByRole("status").filter({ hasText: "This link doesn't work here" });
  await expect(note).toContainText("It works only in the browser you requested it from.");
  await phone.reload();
  await expect(note).toBeVisible();
  const ask = phone.getByRole("form", { name: "Email me a code" });
  await expect(ask.getByLabel("Email")).toHaveValue(email);
  await phone.getByRole("button", { name: "Enter the Code from the Email" }).click();
  await expect(phone.getByRole("form", { name: "Type your code" })).toContainText(email);
  await phone.close();

  const form = page.getByRole("form", { name: "Type your code" });
  await form.getByLabel("Code from the email").fill(codeIn(mail));
  await form.getByRole("button", { name: "Sign In" }).click();
  await expect(page).toHaveURL("/dashboard");
  await page.goto(link);
  await expect(page.getByRole("listitem").filter({ hasText: "You Are Signed In" })).toContainText(email);
  await expect(page).toHaveURL("/dashboard");
});

test("after too many attempts the form asks for another code, and clears the error once that is sent", async ({
  page,
  pageErrors,
}) => {
  await page.goto("/auth?mode=code");
  await askForCode(page, newEmail("many-tries"));
  const json = { code: 429, error_code: "over_request_rate_limit", msg: "Request rate limit reached" };
  await page.route("**/auth/v1/verify*", (route) => route.fulfill({ status: 429, json }));
  const form = page.getByRole("form", { name: "Type your code" });
  await form.getByLabel("Code from the email").fill("123456");
  await form.getByRole("button", { name: "Sign In" }).click();
  await expect(problems(form)).toContainText("request another code");
  expectRefusal(pageErrors, 429);
  await page.route("**/auth/v1/otp*", (route) => route.fulfill({ json: {} }));
  await page.clock.setFixedTime(Date.now() + 61_000);
  await form.getByRole("button", { name: "Send Another Code", exact: true }).click();
  await expect(form).toContainText("We sent another code.");
  await expect(problems(form)).toHaveCount(0);
});
