// Accounts: both modes of /auth, the links in mails, the guards, and the buyer's home.
import type { Page } from "@playwright/test";
import { createAccount, newEmail } from "../../support/shop/accounts.ts";
import {
  arriveSignedIn,
  arriveWithCart,
  catalogue,
  serviceClient,
  visitorClient,
} from "../../support/shop/arrival.ts";
import { add, signIn } from "../../support/shop/buyer.ts";
import { RECONNECTING } from "../../support/page/faults.ts";
import {
  expect,
  expectAccessible,
  expectAccessibleAtBothSizes,
  expectRefusal,
  status,
  test,
} from "../../support/fixtures.ts";
import { codeIn, linkIn } from "../../support/server/mailbox.ts";
import { setNewPassword } from "../../support/page/new-password.ts";

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

const typing = (page: Page) => page.getByRole("form", { name: "Type your code" });
const differsFrom = (code: string) => (code === "000000" ? "111111" : "000000");

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
  await typing(page).getByLabel("Code from the email").fill(differsFrom(code));
  await typing(page).getByRole("button", { name: "Confirm My Email" }).click();
  await expect(typing(page).getByRole("alert")).toContainText("wrong or has expired");
  expectRefusal(pageErrors, 403);
  await expectAccessible(page);
  await page.reload();
  await typing(page).getByLabel("Code from the email").fill(code);
  await typing(page).getByRole("button", { name: "Confirm My Email" }).click();
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
  await typing(page).getByLabel("Code from the email").fill(code);
  await typing(page).getByRole("button", { name: "Confirm My Email" }).click();
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

    await typing(page).getByLabel("Code from the email").fill(codeIn(mail));
    const isSet = page.waitForResponse((response) => response.request().method() === "PUT");
    await typing(page).getByRole("button", { name: "Confirm My Email" }).click();
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
  await test.step("an expired link opens the form that knows about the purchase", async () => {
    const dead = new URL(link);
    dead.searchParams.set("token", `${link.searchParams.get("token")!.slice(0, -4)}dead`);
    await other.goto(dead.href);
    await expect(other.getByText("Link Not Accepted")).toBeVisible();
    await expect(other.getByText("Sign in to finish your purchase.")).toBeVisible();
    await other.getByRole("link", { name: "Forgot your password?" }).click();
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
  await typing(page).getByLabel("Code from the email").fill(differsFrom(code));
  await typing(page).getByRole("button", { name: "Continue" }).click();
  await expect(typing(page).getByRole("alert")).toContainText("wrong or has expired");
  expectRefusal(pageErrors, 403);
  await page.reload();
  await typing(page).getByLabel("Code from the email").fill(code);
  await typing(page).getByRole("button", { name: "Continue" }).click();
  await setNewPassword(page, account);
});

test("an operator's one-time link sets the password of an account that has none", async ({
  page,
  pageErrors,
}) => {
  const email = newEmail("organiser");
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
  await expect(page.getByText("You are signed in here with another account.")).toBeVisible();
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

test("an uninvited session in the address changes nothing", async ({ page, account }) => {
  const stranger = await createAccount(status());
  const { data } = await visitorClient().auth.signInWithPassword(stranger);
  const { access_token, refresh_token } = data.session!;
  const trap = `/#access_token=${access_token}&refresh_token=${refresh_token}&expires_in=3600&token_type=bearer&type=signup`;
  const refusal = page.getByRole("listitem").filter({ hasText: "Link Not Accepted" });
  await test.step("for a visitor", async () => {
    await page.goto(trap);
    await expect(refusal).toContainText("That link was requested in another browser");
    await expect(page).toHaveURL("/auth");
    await page.goto("/dashboard");
    await expect(page).toHaveURL("/auth");
  });
  await test.step("for a signed-in user", async () => {
    await arriveSignedIn(page, account);
    await page.goto(trap);
    await expect(refusal).toBeVisible();
    await expect(page).toHaveURL("/dashboard");
    await expect(page.getByRole("main")).toContainText(account.email);
  });
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
  await typing(other).getByLabel("Code from the email").fill(codeIn(mail));
  await typing(other).getByRole("button", { name: "Continue" }).click();
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
    if ((await response.text()).includes("The provider did not let you in")) {
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
    await expect(note).toContainText("the password you chose there does not count yet");
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

test("a visitor who is not signed in is sent to /auth, and back after signing in, where a signed-in user is not kept", async ({
  page,
  account,
}) => {
  for (const path of ["/dashboard", "/my-tickets", "/order-confirmation?orderId=x"]) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page).toHaveURL("/auth");
      await signIn(page, account);
      await expect(page).toHaveURL(path);
      await expect(page.getByRole("banner").getByRole("button", { name: "Logout" })).toBeVisible();
      await page.goto("/robots.txt");
      await page.evaluate(() => localStorage.clear());
    });
  }
  await test.step("/checkout, without a cart", async () => {
    await page.goto("/checkout");
    await expect(page).toHaveURL("/auth?mode=code");
    await expect(page.getByRole("form", { name: "Email me a code" })).toBeVisible();
    await expect(page.getByText("Your cart is saved.")).toBeHidden();
    await signIn(page, account);
    await expect(page, "an empty cart").toHaveURL("/tickets");
  });
  for (const path of ["/auth", "/order-confirmation"]) {
    await page.goto(path);
    await expect(page, path).toHaveURL("/dashboard");
  }
});

test("a reload of /auth keeps the visitor's destination, and the page alive", async ({ page, account }) => {
  await arriveWithCart(page, [{ ...catalogue.general, quantity: 1 }]);
  await page.goto("/checkout");
  const note = page.getByText("One code by email, then you finish your purchase. Your cart is saved.");
  await expect(note).toBeVisible();
  await page.reload();
  await expect(note).toBeVisible();
  await signIn(page, account);
  await expect(page).toHaveURL("/checkout");
});

test("/dashboard welcomes, leads on, shows the account and says goodbye, in the other tab too, but not on other devices or to the next buyer", async ({
  page,
  context,
  account,
}) => {
  const laptop = visitorClient();
  await laptop.auth.signInWithPassword(account);
  await arriveSignedIn(page, account);
  await page.goto("/dashboard");
  const main = page.getByRole("main");
  await expect(main.getByRole("heading", { name: "Your Tickets & Orders" })).toBeVisible();
  await expect(main).toContainText(account.email);
  await expect(main.getByRole("link", { name: "My Tickets" })).toHaveAttribute("href", "/my-tickets");
  await expect(main.getByRole("link", { name: "Buy Tickets" })).toHaveAttribute("href", "/tickets");
  await expect(main.getByRole("heading", { name: "Account Information" })).toBeVisible();
  const { data } = await serviceClient().auth.admin.getUserById(account.id);
  const since = new Intl.DateTimeFormat("en-US", {
    dateStyle: "long",
    timeZone: "America/Chicago",
  }).format(new Date(data.user!.created_at));
  await expect(main.getByText(since, { exact: true })).toBeVisible();
  await expectAccessibleAtBothSizes(page);
  await main.getByRole("link", { name: "My Tickets" }).click();
  await expect(page).toHaveURL("/my-tickets");
  await expect(page.getByRole("link", { name: "Buy More Tickets" })).toHaveAttribute("href", "/tickets");
  await page.getByRole("link", { name: "Back to Dashboard" }).click();
  await expect(main).toContainText(account.email);
  const other = await context.newPage();
  await other.goto("/my-tickets");
  await expect(other.getByRole("heading", { level: 1, name: "My Tickets" })).toBeVisible();
  await main.getByRole("button", { name: "Logout" }).click();
  const goodbye = page.getByRole("listitem").filter({ hasText: "Logged Out" });
  await expect(goodbye).toContainText("You've been logged out successfully.");
  await expect(page).toHaveURL("/auth");
  await expect(other, "the other tab").toHaveURL("/auth");
  await other.close();
  expect((await laptop.auth.getUser()).data.user?.id, "another device").toBe(account.id);
  expect((await laptop.auth.refreshSession()).error).toBeNull();
  const next = await createAccount(status());
  await signIn(page, next);
  await expect(main).toContainText(next.email);
  await expect(main).not.toContainText(account.email);
});

test("a user who signs in again before the server has answered the logout stays signed in", async ({
  page,
  account,
}) => {
  await arriveSignedIn(page, account);
  await page.goto("/dashboard");
  const answered = Promise.withResolvers<void>();
  await page.route("**/auth/v1/logout*", async (route) => {
    await answered.promise;
    await route.continue();
  });
  await page.getByRole("main").getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL("/auth");
  const form = page.getByRole("form", { name: "Sign in" });
  await form.getByLabel("Email").fill(account.email);
  await form.getByLabel("Password").fill(account.password);
  await form.getByRole("button", { name: "Sign In", exact: true }).click();
  await expect(page).toHaveURL("/dashboard");
  answered.resolve();
  await expect(page.getByRole("listitem").filter({ hasText: "Logged Out" })).toBeVisible();
  await expect(page).toHaveURL("/dashboard");
  await page.reload();
  await expect(page.getByRole("main")).toContainText(account.email);
});
