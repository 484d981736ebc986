// Creating an account: what the forms of /auth refuse, and confirming the address by the mail's link or its code.
import type { Page } from "@playwright/test";
import { newEmail } from "../../support/shop/accounts.ts";
import { serviceClient, visitorClient } from "../../support/shop/arrival.ts";
import { signIn } from "../../support/shop/buyer.ts";
import {
  expect,
  expectAccessible,
  expectAccessibleAtBothSizes,
  expectRefusal,
  test,
} from "../../support/fixtures.ts";
import { codeIn, linkIn } from "../../support/server/mailbox.ts";
import { differsFrom, codeForm } from "../../support/page/typed-code.ts";
import { problems } from "../../support/page/problems.ts";

test("/auth names what is wrong with the input, in both modes", async ({ page }) => {
  await page.goto("/auth");
  const login = page.getByRole("form", { name: "Sign in" });
  await login.getByLabel("Email").fill("nobody");
  await login.getByLabel("Password").fill("12345");
  await login.getByRole("button", { name: "Sign In", exact: true }).click();
  await expect(login.getByText("Invalid email address")).toBeVisible();
  await expect(login.getByText("Password must be at least 6 characters")).toBeVisible();
  await expect(login.getByLabel("Email")).toHaveAttribute("aria-invalid", "true");
  await expectAccessibleAtBothSizes(page);

  await page.getByRole("link", { name: "Don't have an account? Sign up" }).click();
  const register = page.getByRole("form", { name: "Create account" });
  await register.getByLabel("Email").fill("new@example.com");
  await register.getByLabel("Password", { exact: true }).fill("swangas");
  await register.getByLabel("Confirm Password").fill("vogues!");
  await register.getByRole("button", { name: "Create Account" }).click();
  await expect(register.getByText("Password should be at least 8 characters.")).toBeVisible();
  await expect(register.getByText("6 characters")).toBeHidden();
  await register.getByLabel("Password", { exact: true }).fill("swangas!");
  await register.getByRole("button", { name: "Create Account" }).click();
  await expect(register.getByText("Passwords don't match")).toBeVisible();
  await expect(register.getByLabel("Confirm Password")).toHaveAttribute("aria-invalid", "true");
  await expectAccessibleAtBothSizes(page);
  await page.getByRole("link", { name: "Already have an account? Sign in" }).click();
  await expect(login).toBeVisible();
  await page.getByRole("link", { name: "Back to Home" }).click();
  await expect(page).toHaveURL("/");
});

test("an unconfirmed account can request the mail again, and keeps its password", async ({
  page,
  mailbox,
  pageErrors,
}) => {
  const account = { email: newEmail("waiting"), password: "pop trunk" };
  await serviceClient().auth.admin.createUser({ ...account, email_confirm: false });
  await signIn(page, account);
  await expect(page.getByRole("listitem").filter({ hasText: "Login Failed" })).toContainText(
    "Email not confirmed",
  );
  expectRefusal(pageErrors, 400);
  await page.getByRole("button", { name: "Resend Confirmation Email" }).click();
  await expect(page.getByText("Email Sent")).toBeVisible();
  await page.goto(linkIn(await mailbox.newest(account.email, /confirm/i), "/auth/v1/verify"));
  await expect(page.getByText("Email Confirmed")).toBeVisible();
  await page.goto("/dashboard");
  await page.getByRole("main").getByRole("button", { name: "Logout" }).click();
  await signIn(page, account);
  await expect(page).toHaveURL("/dashboard");
});

test("after registering, the mail's address stays shown, also over a reload, and the mail can be sent again", async ({
  page,
  mailbox,
}) => {
  const account = { email: newEmail("lasting"), password: "pop trunk" };
  const login = page.getByRole("form", { name: "Sign in" });
  const register = page.getByRole("form", { name: "Create account" });
  const heading = (name: string) => page.getByRole("heading", { name, level: 1 });
  await test.step("keeps the address, and focuses the heading", async () => {
    await page.goto("/auth");
    await login.getByLabel("Email").fill(account.email);
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await expect(page.getByLabel("Email")).toHaveValue(account.email);
    await page.getByRole("link", { name: "Back to sign in" }).click();
    await page.getByRole("link", { name: "Don't have an account? Sign up" }).click();
    await expect(heading("Create Account")).toBeFocused();
    await expect(register.getByLabel("Email")).toHaveValue(account.email);
  });
  await register.getByLabel("Password", { exact: true }).fill(account.password);
  await register.getByLabel("Confirm Password").fill(account.password);
  await register.getByRole("button", { name: "Create Account" }).click();
  await expect(page.getByText("Please check your email to confirm your account.")).toBeVisible();
  await expect(heading("Almost There")).toBeFocused();
  const note = page.getByText(`Check your email at ${account.email}`);
  await expect(note).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Resend Confirmation Email" }).click();
  await expect(page.getByRole("status").filter({ hasText: /Please wait \d+ seconds?/ })).toBeVisible();

  await page.reload();
  await expect(note).toBeVisible();
  await expect(login.getByLabel("Email")).toHaveValue(account.email);
  await page.clock.setFixedTime(Date.now() + 61_000); // the password is not stored, so it must be typed again
  await page.getByRole("button", { name: "Resend Confirmation Email" }).click();
  await expect(login.getByLabel("Password")).toBeFocused();

  await page.goto(linkIn(await mailbox.newest(account.email, /confirm/i), "/auth/v1/verify"));
  await expect(page.getByText("Email Confirmed")).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.getItem("houston-culture-festival:auth-email"))).toBeNull();
});

async function register(page: Page, account: { email: string; password: string }) {
  const form = page.getByRole("form", { name: "Create account" });
  await form.getByLabel("Email").fill(account.email);
  await form.getByLabel("Password", { exact: true }).fill(account.password);
  await form.getByLabel("Confirm Password").fill(account.password);
  await form.getByRole("button", { name: "Create Account" }).click();
}

test("the code in the confirmation mail confirms the account in the browser that created it, and keeps its password", async ({
  page,
  mailbox,
  pageErrors,
}) => {
  const account = { email: newEmail("typed"), password: "pop trunk" };
  await page.goto("/auth?mode=sign-up");
  await register(page, account);
  await expect(page.getByText(`Check your email at ${account.email}`)).toBeVisible();
  const code = codeIn(await mailbox.newest(account.email, /confirm/i));
  await codeForm(page).getByLabel("Code from the email").fill(differsFrom(code));
  await codeForm(page).getByRole("button", { name: "Confirm My Email" }).click();
  await expect(problems(codeForm(page))).toContainText("wrong or has expired");
  expectRefusal(pageErrors, 403);
  await expectAccessible(page);
  await page.reload();
  await codeForm(page).getByLabel("Code from the email").fill(code);
  await codeForm(page).getByRole("button", { name: "Confirm My Email" }).click();
  await expect(page.getByText("Email Confirmed")).toBeVisible();
  await expect(page).toHaveURL("/dashboard");
  expect((await visitorClient().auth.signInWithPassword(account)).error).toBeNull();
});

test("the code in a resent mail keeps the password too", async ({ page, mailbox, pageErrors }) => {
  const account = { email: newEmail("typed-again"), password: "pop trunk" };
  await serviceClient().auth.admin.createUser({ ...account, email_confirm: false });
  await signIn(page, account);
  await page.getByRole("button", { name: "Resend Confirmation Email" }).click();
  await expect(page.getByText("Email Sent")).toBeVisible();
  expectRefusal(pageErrors, 400);
  const code = codeIn(await mailbox.newest(account.email, /confirm/i));
  await codeForm(page).getByLabel("Code from the email").fill(code);
  await codeForm(page).getByRole("button", { name: "Confirm My Email" }).click();
  await expect(page).toHaveURL("/dashboard");
  // The page sets the password again in case it was lost. Here the server has kept it.
  await expect.poll(() => pageErrors.join()).toContain("status of 422");
  expectRefusal(pageErrors, 422);
  expect((await visitorClient().auth.signInWithPassword(account)).error).toBeNull();
});

test("a password lost with its sign-up is set when its owner types the code", async ({
  page,
  browser,
  baseURL,
  mailbox,
  pageErrors,
}) => {
  for (const sentAgain of [false, true]) {
    const account = { email: newEmail("lost"), password: "pop trunk" };
    if (sentAgain) {
      await serviceClient().auth.admin.createUser({ ...account, email_confirm: false });
      await signIn(page, account);
      await page.getByRole("button", { name: "Resend Confirmation Email" }).click();
      await expect(page.getByText("Email Sent")).toBeVisible();
      expectRefusal(pageErrors, 400);
    } else {
      await page.goto("/auth?mode=sign-up");
      await register(page, account);
    }
    const mail = await mailbox.newest(account.email, /confirm/i);
    // The link, opened in another browser, confirms the address without the password that was chosen here.
    const other = await browser.newPage({ baseURL });
    await other.goto(linkIn(mail, "/auth/v1/verify"));
    await expect(other.getByText("Set Your Password", { exact: true })).toBeVisible();
    await other.close();
    expect((await visitorClient().auth.signInWithPassword(account)).error?.code).toBe("invalid_credentials");

    await codeForm(page).getByLabel("Code from the email").fill(codeIn(mail));
    const isSet = page.waitForResponse((response) => response.request().method() === "PUT");
    await codeForm(page).getByRole("button", { name: "Confirm My Email" }).click();
    expect((await isSet).status()).toBe(200);
    await expect(page).toHaveURL("/dashboard");
    expect((await visitorClient().auth.signInWithPassword(account)).error).toBeNull();
    await page.getByRole("main").getByRole("button", { name: "Logout" }).click();
    await expect(page).not.toHaveURL("/dashboard");
  }
});

test("requesting mails too quickly shows how long to wait", async ({ page, mailbox, pageErrors }) => {
  const account = { email: newEmail("in-a-hurry"), password: "pop trunk" };
  await page.goto("/auth?mode=sign-up");
  await register(page, account);
  await mailbox.newest(account.email, /confirm/i);
  await page.goto("/auth?mode=sign-up");
  await register(page, account);
  const refusal = page.getByRole("listitem").filter({ hasText: "Registration Failed" });
  await expect(refusal).toContainText(
    /An email was sent a moment ago\. Please wait \d+ seconds? and try again\./,
  );
  expectRefusal(pageErrors, 429);
});

test("a confirmation opened in another browser keeps nobody's password, and leads to setting one", async ({
  page,
  browser,
  baseURL,
  mailbox,
  pageErrors,
}) => {
  const fresh = { email: newEmail("elsewhere"), password: "slow loud and bangin" };
  await page.goto("/auth?mode=sign-up");
  const form = page.getByRole("form", { name: "Create account" });
  await form.getByLabel("Email").fill(fresh.email);
  await form.getByLabel("Password", { exact: true }).fill("Houston1");
  await form.getByLabel("Confirm Password").fill("Houston1");
  await test.step("a common password is refused at its field", async () => {
    await form.getByRole("button", { name: "Create Account" }).click();
    await expect(form.getByText("This password is too easy to guess.")).toBeVisible();
    const toast = page.getByRole("listitem").filter({ hasText: "Registration Failed" });
    // One check only: the toast disappears after a while.
    await expect(toast).toHaveText(/^[^(]*Please choose a different one\.[^(]*$/);
    await expect(form.getByLabel("Email")).toHaveValue(fresh.email);
    expectRefusal(pageErrors, 422);
    await expectAccessible(page);
  });
  await form.getByLabel("Password", { exact: true }).fill(fresh.password);
  await form.getByLabel("Confirm Password").fill(fresh.password);
  await form.getByRole("button", { name: "Create Account" }).click();
  const link = linkIn(await mailbox.newest(fresh.email, /confirm/i), "/auth/v1/verify");
  const other = await browser.newPage({ baseURL });
  await other.goto(link);
  await expect(other.getByText("Set Your Password", { exact: true })).toBeVisible();
  await expect(other).toHaveURL("/auth?mode=forgot");
  const ask = other.getByRole("form", { name: "Reset password" });
  await test.step("a note explains that, also after a reload, with the address filled in and no toast", async () => {
    const note = other.getByRole("status").filter({ hasText: "Your email is confirmed" });
    await expect(note).toContainText("the password you chose isn't active yet");
    await expect(ask.getByLabel("Email")).toHaveValue(fresh.email);
    await expect(other.getByRole("listitem").filter({ hasText: /confirmed/i })).toHaveCount(0);
    await other.reload();
    await expect(note).toBeVisible();
    await expect(ask.getByLabel("Email")).toHaveValue(fresh.email);
  });
  await test.step("the password chosen in the first browser does not work, which explains why", async () => {
    await signIn(page, { ...fresh, email: newEmail("another") });
    await expect(page.getByRole("listitem").filter({ hasText: "Login Failed" })).toBeVisible();
    expectRefusal(pageErrors, 400);
    const reason = page.getByRole("status").filter({ hasText: "another browser or on another device" });
    await expect(reason).toHaveCount(0);
    await signIn(page, fresh);
    await expect(reason).toBeVisible();
    expectRefusal(pageErrors, 400);
    await expectAccessible(page);
    await reason.getByRole("link", { name: "Set a password" }).click();
    await expect(page.getByRole("form", { name: "Reset password" }).getByLabel("Email")).toHaveValue(
      fresh.email,
    );
  });
  await ask.getByRole("button", { name: "Send Reset Link" }).click();
  await expect(other.getByRole("status").filter({ hasText: fresh.email })).toBeVisible();
  await other.goto(linkIn(await mailbox.newest(fresh.email, /password/i), "/auth/v1/verify"));
  const set = other.getByRole("form", { name: "New password" });
  await set.getByLabel("New Password").fill("candy paint and chrome");
  await set.getByLabel("Confirm Password").fill("candy paint and chrome");
  await set.getByRole("button", { name: "Set New Password" }).click();
  await expect(other).toHaveURL("/dashboard");
  await other.close();
});
