// A forgotten password, and one never set: reset by the link in a mail, by its code, or by an operator's one-time link.
import { newEmail } from "../../support/shop/accounts.ts";
import { serviceClient, visitorClient } from "../../support/shop/arrival.ts";
import { add, signIn } from "../../support/shop/buyer.ts";
import { RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, expectRefusal, test } from "../../support/fixtures.ts";
import { codeIn, linkIn } from "../../support/server/mailbox.ts";
import { setNewPassword } from "../../support/page/new-password.ts";
import { differsFrom, codeForm } from "../../support/page/typed-code.ts";
import { problems } from "../../support/page/problems.ts";

test("a forgotten password is reset by the link in the mail", async ({
  page,
  account,
  mailbox,
  pageErrors,
}) => {
  await page.goto("/auth");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  const ask = page.getByRole("form", { name: "Reset password" });
  await ask.getByLabel("Email").fill(account.email);
  await ask.getByRole("button", { name: "Send Reset Link" }).click();
  await expect(page.getByRole("status").filter({ hasText: account.email })).toBeVisible();
  await expect(page.getByText("We will send you a link")).toBeHidden();
  await test.step("the link stays valid when another is requested too soon", async () => {
    await page.getByRole("button", { name: "Send Another Email" }).click();
    await ask.getByRole("button", { name: "Send Reset Link" }).click();
    await expect(page.getByText("were sent a moment ago, so we didn't send new ones")).toBeVisible();
    expectRefusal(pageErrors, 429);
  });

  const link = linkIn(await mailbox.newest(account.email, /password/i), "/auth/v1/verify");
  await page.goto(link);
  const form = page.getByRole("form", { name: "New password" });
  await form.getByLabel("New Password").fill("mind playin' tricks");
  await form.getByLabel("Confirm Password").fill("mind playin' tricks");
  await form.getByRole("button", { name: "Set New Password" }).click();
  await expect(page.getByText("Password Updated")).toBeVisible();
  await expect(page).toHaveURL("/dashboard");

  await page.getByRole("main").getByRole("button", { name: "Logout" }).click();
  await signIn(page, account);
  await expect(page.getByRole("listitem").filter({ hasText: "Login Failed" })).toBeVisible();
  expectRefusal(pageErrors, 400);
  await signIn(page, { ...account, password: "mind playin' tricks" });
  await expect(page).toHaveURL("/dashboard");

  await test.step("the link works once", async () => {
    await page.goto(link);
    await expect(page.getByText("Link Not Accepted")).toBeVisible();
    await expect(page).toHaveURL("/dashboard");
  });
});

test("a password forgotten on the way to checkout leads back there, by the second link when the first has expired", async ({
  page,
  context,
  account,
  mailbox,
}) => {
  await page.goto("/tickets");
  await add(page, "General Admission");
  await page.getByRole("link", { name: "Proceed to Checkout" }).click();
  await page.getByRole("link", { name: "Sign in with a password" }).click();
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await expect(page.getByText("Reset your password to finish your purchase.")).toBeVisible();
  await page.getByLabel("Email").fill(account.email);
  await page.getByRole("button", { name: "Send Reset Link" }).click();
  await expect(page.getByRole("status").filter({ hasText: account.email })).toBeVisible();
  const link = new URL(linkIn(await mailbox.newest(account.email, /password/i), "/auth/v1/verify"));

  const other = await context.newPage();
  await test.step("a link that no longer works opens the form for a new one, which knows about the purchase", async () => {
    const dead = new URL(link);
    dead.searchParams.set("token", `${link.searchParams.get("token")!.slice(0, -4)}dead`);
    await other.goto(dead.href);
    await expect(other.getByRole("status").filter({ hasText: "Link Not Accepted" })).toBeVisible();
    await expect(other.getByText("Reset your password to finish your purchase.")).toBeVisible();
  });
  await other.goto(link.href);
  const form = other.getByRole("form", { name: "New password" });
  await form.getByLabel("New Password").fill("mind playin' tricks");
  await form.getByLabel("Confirm Password").fill("mind playin' tricks");
  await form.getByRole("button", { name: "Set New Password" }).click();
  await expect(other.getByText("Password Updated")).toBeVisible();
  await expect(other).toHaveURL("/checkout");
  await expect(other.getByText("General Admission").first()).toBeVisible();
  // The first tab is notified.
  await expect(page).toHaveURL("/checkout");
});

test("a forgotten password is reset by the code in the mail", async ({
  page,
  account,
  mailbox,
  pageErrors,
}) => {
  await page.goto("/auth?mode=forgot");
  const ask = page.getByRole("form", { name: "Reset password" });
  await ask.getByLabel("Email").fill(account.email);
  await ask.getByRole("button", { name: "Send Reset Link" }).click();
  await expect(page.getByRole("status").filter({ hasText: account.email })).toBeVisible();
  await expectAccessible(page);
  const code = codeIn(await mailbox.newest(account.email, /password/i));
  await codeForm(page).getByLabel("Code from the email").fill(differsFrom(code));
  await codeForm(page).getByRole("button", { name: "Continue" }).click();
  await expect(problems(codeForm(page))).toContainText("wrong or has expired");
  expectRefusal(pageErrors, 403);
  await page.reload();
  await codeForm(page).getByLabel("Code from the email").fill(code);
  await codeForm(page).getByRole("button", { name: "Continue" }).click();
  await setNewPassword(page, account);
});

test("an operator's one-time link sets the password of an account that has none", async ({
  page,
  pageErrors,
}) => {
  const email = newEmail("organizer");
  const { auth } = serviceClient();
  await auth.admin.createUser({ email, email_confirm: true });
  const { data } = await auth.admin.generateLink({ type: "recovery", email });
  const link = `/auth?mode=reset#token_hash=${data.properties!.hashed_token}`;
  await page.goto(link);
  const open = page.getByRole("button", { name: "Open the Account" });
  await expect(open).toBeVisible();
  await expectAccessible(page);
  await open.press("Enter");
  await expect(page.getByRole("heading", { name: "Set a New Password" })).toBeFocused();
  await expect(page).toHaveURL("/auth?mode=reset");
  const form = page.getByRole("form", { name: "New password" });
  await expect(form).toContainText(`For the account ${email}`);
  await expectAccessible(page);
  const set = async (password: string) => {
    await form.getByLabel("New Password").fill(password);
    await form.getByLabel("Confirm Password").fill(password);
    await form.getByRole("button", { name: "Set New Password" }).click();
  };
  await set("password1");
  await expect(form.getByText("This password is too easy to guess.")).toBeVisible();
  expectRefusal(pageErrors, 422);
  await set("swangas and vogues");
  await expect(page).toHaveURL("/dashboard");
  await expect(page.getByRole("main")).toContainText(email);
  await page.goto(link);
  await expect(page.getByText("You are already signed in here.")).toBeVisible();
});

test("a stranger's one-time link shows whose account it opens, and offers a way out", async ({
  page,
  account,
}) => {
  const { data } = await serviceClient().auth.admin.generateLink({ type: "recovery", email: account.email });
  await page.goto(`/auth?mode=reset#type=recovery&token_hash=${data.properties!.hashed_token}`);
  await page.getByRole("button", { name: "Open the Account" }).click();
  const form = page.getByRole("form", { name: "New password" });
  await expect(form.getByText(account.email)).toBeVisible();
  await test.step("also after a reload", async () => {
    await page.reload();
    await expect(form.getByText(account.email)).toBeVisible();
  });
  await form.getByRole("button", { name: "This Is Not My Account" }).click();
  await expect(page).toHaveURL("/");
  await page.goto("/dashboard");
  await expect(page).toHaveURL("/auth");
  expect((await visitorClient().auth.signInWithPassword(account)).error).toBeNull();
});

test("a link that no longer works is explained by a note that stays, above the form that sends a new one", async ({
  page,
  account,
  mailbox,
  pageErrors,
}) => {
  test.slow();
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/auth?mode=forgot");
  await page.getByLabel("Email").fill(account.email);
  await page.getByRole("button", { name: "Send Reset Link" }).click();
  const used = new URL(linkIn(await mailbox.newest(account.email, /password/i), "/auth/v1/verify"));
  used.searchParams.set("token", "used");
  const note = page.getByRole("status").filter({ hasText: "Link Not Accepted" });
  await test.step("of a forgotten password", async () => {
    await page.goto(used.href);
    await expect(page).toHaveURL("/auth?mode=forgot");
    await expect(note).toContainText("Request a new link below.");
    await page.reload();
    await expect(note).toBeVisible();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await page.getByLabel("Email").fill(account.email);
    await page.getByRole("button", { name: "Send Reset Link" }).click();
    await expect(page.getByRole("button", { name: "Send Another Email" })).toBeVisible();
    expectRefusal(pageErrors, 429); // the first mail was sent less than a minute ago
    await expect(note).toBeHidden();
    await page.getByRole("button", { name: "Send Another Email" }).click();
    await expect(page.getByRole("form", { name: "Reset password" })).toBeVisible();
    await expect(note).toBeHidden();
  });
  const outcome = "error=access_denied&error_code=otp_expired&error_description=Gone";
  for (const [mail, landing, address, help] of [
    ["a sign-in code", "/?way=code", "/auth?mode=code", "Request a new email below."],
    ["a confirmation", "/", "/auth", "you can then request a new link"],
    ["a change of address", "/dashboard?way=email", "/auth", "start the change again there"],
  ] as const) {
    await test.step(`of ${mail}`, async () => {
      await page.goto(`${landing}#${outcome}`);
      await expect(page).toHaveURL(address);
      await expect(note).toContainText(help);
      await page.reload();
      await expect(note).toContainText(help);
      await expectAccessible(page);
    });
  }
  await page.getByLabel("Email", { exact: true }).fill(account.email);
  await page.getByLabel("Password", { exact: true }).fill(account.password);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
});

test("a reset link opened in another browser stays explained there, and the code of its mail works", async ({
  page,
  browser,
  baseURL,
  account,
  mailbox,
}) => {
  await page.goto("/auth?mode=forgot");
  await page.getByLabel("Email").fill(account.email);
  await page.getByRole("button", { name: "Send Reset Link" }).click();
  const mail = await mailbox.newest(account.email, /password/i);
  const other = await browser.newPage({ baseURL });
  await other.goto(linkIn(mail, "/auth/v1/verify"));
  const note = other.getByRole("status").filter({ hasText: "This link doesn't work here" });
  await expect(note).toContainText("Enter the code from the same email here, or request a new email.");
  await other.reload();
  await expect(note).toBeVisible();
  const ask = other.getByRole("form", { name: "Reset password" });
  await expect(ask.getByLabel("Email")).toHaveValue(account.email);
  await expect(ask.getByRole("button", { name: "Send Reset Link" })).toBeVisible();
  await expectAccessible(other);
  await ask.getByRole("button", { name: "Enter the Code from the Email" }).click();
  await expect(
    other.getByRole("status").filter({ hasText: "Enter the code from the email to" }),
  ).toContainText(account.email);
  await codeForm(other).getByLabel("Code from the email").fill(codeIn(mail));
  await codeForm(other).getByRole("button", { name: "Continue" }).click();
  await setNewPassword(other, account);
  await other.close();
});

test("a new password leads to the dashboard, however late the rest of the page's script arrives", async ({
  page,
  account,
  mailbox,
}) => {
  await page.goto("/auth?mode=forgot");
  const ask = page.getByRole("form", { name: "Reset password" });
  await ask.getByLabel("Email").fill(account.email);
  await ask.getByRole("button", { name: "Send Reset Link" }).click();
  const link = linkIn(await mailbox.newest(account.email, /password/i), "/auth/v1/verify");
  const saved = Promise.withResolvers<void>();
  let held = 0;
  await page.route("**/assets/*.js", async (route) => {
    const response = await route.fetch(RECONNECTING);
    // The file that shows the outcome of a mailed link.
    if ((await response.text()).includes("The provider did not sign you in")) {
      held++;
      await saved.promise;
    }
    await route.fulfill({ response });
  });
  await page.goto(link);
  const form = page.getByRole("form", { name: "New password" });
  await form.getByLabel("New Password").fill("late script on time");
  await form.getByLabel("Confirm Password").fill("late script on time");
  const answered = page.waitForResponse(
    (answer) => answer.url().includes("/auth/v1/user") && answer.request().method() === "PUT",
  );
  await form.getByRole("button", { name: "Set New Password" }).click();
  await answered;
  saved.resolve();
  await expect(page.getByText("Password Updated")).toBeVisible();
  await expect(page).toHaveURL("/dashboard");
  await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
  await expect(page).toHaveURL("/dashboard");
  expect(held).toBeGreaterThan(0);
});
