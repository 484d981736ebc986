// Account security: the second step from set-up to recovery, passkeys with Chromium's own authenticator, active sessions, the
// data download, and account deletion.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { TOTP } from "otpauth";
import { arriveAsAdmin } from "../../support/shop/admin-arrival.ts";
import {
  arriveAtPayment,
  arriveSignedIn,
  serviceClient,
  visitorClient,
  openDashboard,
} from "../../support/shop/arrival.ts";
import { createAccount } from "../../support/shop/accounts.ts";
import { addAuthenticator } from "../../support/page/authenticator.ts";
import { signIn } from "../../support/shop/buyer.ts";
import { problems } from "../../support/page/problems.ts";
import { expectLogged, RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, expectRefusal, status, test } from "../../support/fixtures.ts";
import { signInHere } from "../../support/gate/arrival.ts";
import { codeIn } from "../../support/server/mailbox.ts";
import { setNewPassword } from "../../support/page/new-password.ts";

const security = (page: Page) => page.getByRole("region", { name: "Account Security" });

/** The code of the next half minute: each code works once. */
const codeOf = (secret: string, stepsAhead = 0) =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + stepsAhead * 30_000 });

async function setUp(page: Page): Promise<{ secret: string; codes: string[] }> {
  await security(page).getByRole("button", { name: "Set Up Two-Step Verification" }).click();
  const dialog = page.getByRole("dialog", { name: "Set Up Two-Step Verification" });
  await expect(dialog.getByRole("heading")).toBeFocused();
  await expect(dialog.getByRole("img", { name: /QR code/ })).toBeVisible();
  const secret = (await dialog.getByTestId("secret").textContent())!.trim();
  await dialog.getByLabel("Code").fill("12345");
  await dialog.getByRole("button", { name: "Turn On" }).click();
  await expect(dialog.getByText("The code has six digits.")).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel("Code").fill(codeOf(secret));
  await dialog.getByRole("button", { name: "Turn On" }).click();
  const kept = page.getByRole("dialog", { name: "Save Your Recovery Codes" });
  const list = kept.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await expect(list).toHaveCount(10);
  const codes = await list.allTextContents();
  const download = page.waitForEvent("download");
  await kept.getByRole("button", { name: "Download" }).click();
  const file = readFileSync(await (await download).path(), "utf8");
  expect(file).toMatch(/^Recovery codes for .*Houston.*, (localhost|127\.0\.0\.1)/);
  expect(file).toContain(codes[9]);
  await expect(kept.getByRole("button", { name: "Done" })).toBeDisabled();
  await expectAccessible(page);
  // Escape does not close it: the codes would be lost.
  await page.keyboard.press("Escape");
  await expect(kept.getByRole("alert")).toContainText("These codes won't be shown again.");
  await kept.getByRole("button", { name: "Close" }).click();
  await kept.getByLabel("I have saved these codes in a safe place.").check();
  await kept.getByRole("button", { name: "Done" }).click();
  await expect(security(page).getByText("10 codes left")).toBeVisible();
  await expect(security(page).getByRole("button", { name: "Add Another App" })).toBeFocused();
  return { secret, codes };
}

test("a second step is set up, required, recovered from and removed", async ({
  page,
  account,
  pageErrors,
}) => {
  test.slow(); // three sign-ins, each with its second step
  await arriveSignedIn(page, account);
  await openDashboard(page);
  const { secret, codes } = await setUp(page);

  await page.getByRole("button", { name: "Logout" }).first().click();
  await signIn(page, account);
  await expect(page.getByRole("heading", { name: "Confirm It's You" })).toBeVisible();
  await expect(page.getByLabel("Code", { exact: true })).toBeFocused();
  await expectAccessible(page);
  await page.getByLabel("Code", { exact: true }).fill("000000");
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(problems(page)).toContainText("That code is not right.");
  expectRefusal(pageErrors, 422);
  await page.getByLabel("Code", { exact: true }).fill(codeOf(secret, 1));
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(page).toHaveURL("/dashboard");
  // Wait until everything has loaded: requests after the end of the session would be refused.
  await expect(security(page).getByText("10 codes left")).toBeVisible();

  // Nothing is shown before the second step, on whatever page one arrives.
  await page.getByRole("button", { name: "Logout" }).first().click();
  await signIn(page, account);
  await expect(page.getByRole("heading", { name: "Confirm It's You" })).toBeVisible();
  await page.goto("/my-tickets");
  await expect(page.getByRole("heading", { name: "Confirm It's You" })).toBeVisible();
  await page.getByRole("button", { name: "Use a recovery code instead" }).click();
  await page.getByLabel("Recovery code", { exact: true }).fill(codes[0]!.toLowerCase());
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByRole("heading", { name: "My Tickets", level: 1 })).toBeVisible();
  await openDashboard(page);
  await expect(security(page).getByText("9 codes left")).toBeVisible();

  await security(page).getByRole("button", { name: "Remove: Authenticator app" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect(security(page).getByRole("button", { name: "Set Up Two-Step Verification" })).toBeVisible();
});

test("an app set up on the same phone opens by a link, and closing the dialog keeps the secret", async ({
  page,
  account,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await arriveSignedIn(page, account);
  await openDashboard(page);
  const open = security(page).getByRole("button", { name: "Set Up Two-Step Verification" });
  const dialog = page.getByRole("dialog", { name: "Set Up Two-Step Verification" });
  await open.click();
  const secret = (await dialog.getByTestId("secret").textContent())!;
  expect(secret).toMatch(/^([A-Z2-7]{4} )+[A-Z2-7]{1,4}$/);
  const app = dialog.getByRole("link", { name: "Open the App on This Device" });
  const uri = new URL((await app.getAttribute("href"))!);
  expect([uri.protocol, uri.searchParams.get("secret")]).toEqual(["otpauth:", secret.replaceAll(" ", "")]);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await open.click();
  await expect(dialog.getByTestId("secret")).toHaveText(secret);
  await dialog.getByLabel("Code").fill(codeOf(secret));
  await dialog.getByRole("button", { name: "Turn On" }).click();
  await expect(page.getByRole("dialog", { name: "Save Your Recovery Codes" })).toBeVisible();
});

test("a passkey is added, renamed, signs in, and is removed", async ({ page, account }) => {
  await addAuthenticator(page, "device");
  await arriveSignedIn(page, account);
  await openDashboard(page);
  await security(page).getByRole("button", { name: "Add a Passkey" }).click();
  await security(page).getByRole("button", { name: "Rename: Passkey" }).click();
  const dialog = page.getByRole("dialog", { name: "Rename Passkey" });
  await dialog.getByLabel("Name").fill("Slab laptop");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(security(page).getByText("Slab laptop", { exact: true })).toBeVisible();

  await page.getByRole("button", { name: "Logout" }).first().click();
  await page.goto("/auth");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page).toHaveURL("/dashboard");
  await expect(security(page).getByText(/last used/)).toBeVisible();
  await security(page).getByRole("button", { name: "Remove: Slab laptop" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect(security(page).getByText("You have no passkeys yet.")).toBeVisible();
  await expect(security(page).getByRole("heading", { name: "Passkeys" })).toBeFocused();
});

test("passkeys are not offered where they are switched off", async ({ page, account }) => {
  // The setting itself affects every test, so only its response is replaced.
  await page.route("**/auth/v1/settings", async (route) => {
    const settings = await (await route.fetch(RECONNECTING)).json();
    await route.fulfill({ json: { ...settings, passkeys_enabled: false } });
  });
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/auth/v1/passkeys")) asked.push(request.url());
  });
  await page.goto("/auth");
  await expect(page.getByRole("button", { name: "Sign in with a passkey" })).toHaveCount(0);
  await signIn(page, account);
  await expect(security(page).getByRole("heading", { name: "Two-Step Verification" })).toBeVisible();
  await expect(security(page).getByRole("heading", { name: "Passkeys" })).toHaveCount(0);
  expect(asked).toEqual([]);
});

test("a browser without passkeys says so, and the password still signs in", async ({ page, account }) => {
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, "PublicKeyCredential"));
  await page.goto("/auth");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page.getByText("No passkey was used. You can sign in with your password.")).toBeVisible();
  await signIn(page, account);
  await expect(page).toHaveURL("/dashboard");
});

test("a password is changed from the dashboard with the code in the mail", async ({
  page,
  account,
  mailbox,
}) => {
  await arriveSignedIn(page, account);
  await openDashboard(page);
  await page.getByRole("button", { name: "Change Password" }).click();
  await expect(page.getByText("Check your email: the link in it")).toBeVisible();
  await expectAccessible(page);
  const typing = page.getByRole("form", { name: "Type your code" });
  await typing
    .getByLabel("Code from the email")
    .fill(codeIn(await mailbox.newest(account.email, /password/i)));
  await typing.getByRole("button", { name: "Continue" }).click();
  await expect(page).toHaveURL("/auth?mode=reset");
  await setNewPassword(page, account);
});

test("sessions are listed, and ended one by one", async ({ page, account }) => {
  await arriveSignedIn(page, account);
  const [lost, kept] = [visitorClient(), visitorClient()];
  await lost.auth.signInWithPassword(account);
  await openDashboard(page);
  await expect(security(page).getByText("This device")).toBeVisible();
  const times = security(page).getByText(/^Signed in .* · from 127\.0\.0\.1$/);
  await expect(times).toHaveText([/ · active now · from/, /^Signed in [^·]* · from/]);
  await security(page).getByRole("button", { name: "Sign Out: Unknown device" }).click();
  await expect(security(page).getByRole("button", { name: /^Sign Out:/ })).toHaveCount(0);
  await expect(security(page).getByRole("heading", { name: "Where You Are Signed In" })).toBeFocused();
  expect((await lost.auth.getUser()).error).toMatchObject({ name: "AuthSessionMissingError" });
  expect((await lost.auth.refreshSession()).error).not.toBeNull();

  // Ends all others at once, and keeps this one.
  await lost.auth.signInWithPassword(account);
  await kept.auth.signInWithPassword(account);
  await page.reload();
  await security(page).getByRole("button", { name: "Sign Out Everywhere Else" }).click();
  await expect(security(page).getByRole("button", { name: /^Sign Out/ })).toHaveCount(0);
  for (const { auth } of [lost, kept])
    expect((await auth.getUser()).error?.name).toBe("AuthSessionMissingError");
  await page.reload();
  await expect(security(page).getByText("This device")).toBeVisible();
});

test("a private page reports that its session was ended elsewhere, and signing in leads back to it", async ({
  page,
  account,
  pageErrors,
}) => {
  const laptop = visitorClient();
  await laptop.auth.signInWithPassword(account);
  const endOthers = async () => expect((await laptop.auth.signOut({ scope: "others" })).error).toBeNull();
  const told = page.getByText("You were signed out.");
  await arriveSignedIn(page, account);
  await endOthers();
  await page.goto("/my-tickets");
  await expect(told).toBeVisible();
  await expectAccessible(page);
  await signInHere(page, account);
  await expect(page.getByRole("heading", { name: "My Tickets", level: 1 })).toBeVisible();
  await expect(page).toHaveURL("/my-tickets");

  // An open page notices when it becomes visible again.
  await endOthers();
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await expect(told).toBeVisible();
  await signInHere(page, account);
  await expect(page).toHaveURL("/my-tickets");
  await page.goto("/dashboard");
  await page.getByRole("button", { name: "Logout" }).first().click();
  await expect(page.getByText("Logged Out", { exact: true })).toBeVisible();
  await page.goto("/auth");
  await expect(page.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
  await expect(told).toHaveCount(0);
  expectRefusal(pageErrors, 403);
  // Errors of the page's reads when its session ended.
  pageErrors.splice(0);
});

test("personal data is downloaded, and the account deleted, as a mail confirms", async ({
  page,
  account,
  mailbox,
  pageErrors,
}) => {
  await arriveSignedIn(page, account);
  await openDashboard(page);
  const download = page.waitForEvent("download");
  await security(page).getByRole("button", { name: "Download My Data" }).click();
  const data = JSON.parse(readFileSync(await (await download).path(), "utf8"));
  expect(data).toMatchObject({ account: { email: account.email }, orders: [] });

  // As for unused tickets long after the festival.
  const ahead = { tickets_to_come: 2, orders: 1, names_until: null, refusal: null, sign_in_first: false };
  await page.route("**/rest/v1/rpc/preview_account_deletion", (route) => route.fulfill({ json: ahead }));
  const dialog = page.getByRole("alertdialog", { name: "Delete Your Account?" });
  await security(page).getByRole("button", { name: "Delete My Account" }).click();
  await expect(dialog).toContainText("You still have 2 tickets to use.");
  await expect(dialog).toContainText("as the law requires. Your name is removed within a day.");
  await dialog.getByRole("button", { name: "Keep It" }).click();
  await page.unroute("**/rest/v1/rpc/preview_account_deletion");

  await security(page).getByRole("button", { name: "Delete My Account" }).click();
  await expect(dialog).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel(`Type ${account.email} to confirm`).fill(account.email);
  await dialog.getByRole("button", { name: "Delete for Good" }).click();
  await expect(page.getByText("Your account is deleted")).toBeVisible();
  await expect(page).toHaveURL("/auth");
  // Logging out of the deleted account, which the page does not wait for.
  await expect.poll(() => pageErrors.join()).toContain("status of 403");
  expectRefusal(pageErrors, 403);
  expect((await serviceClient().auth.admin.getUserById(account.id)).error?.status).toBe(404);
  await mailbox.newest(account.email, /your account was deleted/i);
});

test("second steps and ways to sign in that cannot be read are not taken for none", async ({
  page,
  account,
  pageErrors,
}) => {
  const answering = (path: string, change: (answer: Record<string, unknown>) => object) =>
    page.route(path, async (route) => {
      const response = await route.fetch(RECONNECTING);
      await route.fulfill({ response, json: change((await response.json()) as Record<string, unknown>) });
    });
  await answering("**/auth/v1/settings", (settings) => ({
    ...settings,
    site: { ...(settings.site as object), manual_linking: true },
  }));
  await answering("**/auth/v1/user", (user) => ({ ...user, factors: [{}], identities: [{}] }));
  await arriveSignedIn(page, account);
  await page.goto("/dashboard");
  await expect(page.getByText("Your two-step settings could not be loaded")).toBeVisible();
  await expect(page.getByText("Your ways to sign in could not be loaded")).toBeVisible();
  await expectLogged(pageErrors, "load factors");
});

test("an account with an unpaid order cannot be deleted until its cart is emptied, as it says", async ({
  page,
  account,
}) => {
  await arriveAtPayment(page, account);
  await page.getByRole("form", { name: "Payment" }).waitFor();
  await openDashboard(page);
  const remove = security(page).getByRole("button", { name: "Delete My Account" });
  const dialog = page.getByRole("alertdialog", { name: "Delete Your Account?" });
  await remove.click();
  await expect(
    page.getByRole("listitem").filter({ hasText: "Your account cannot be deleted now" }),
  ).toContainText("You have an unpaid order. Pay for it or empty your cart, then try again.");
  await expect(dialog).toBeHidden();

  await page.goto("/tickets");
  await page.getByRole("button", { name: "Decrease General Admission" }).click();
  await expect
    .poll(async () => (await serviceClient().from("orders").select("status").eq("user_id", account.id)).data)
    .toEqual([{ status: "cancelled" }]);
  await openDashboard(page);
  await remove.click();
  await expect(dialog).toContainText("Your order stays in our records");
});

test("an administrator whose role requires a second step sets it up first", async ({ page }) => {
  await arriveAsAdmin(page);
  // The setting itself affects every administrator, so only its response is replaced.
  await page.route("**/rest/v1/rpc/second_step", (route) =>
    route.fulfill({ json: { is_set_up: false, is_taken: false, is_required: true } }),
  );
  await page.goto("/admin/users");
  await expect(page.getByRole("heading", { name: "One Thing First" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Set It Up" }).click();
  const title = page.getByRole("heading", { name: "Account Security" });
  await expect(title).toBeFocused();
  await expect(title).toBeInViewport();
  await setUp(page);
  await page.unroute("**/rest/v1/rpc/second_step");
  await page.getByRole("link", { name: "Back to the Back Office" }).click();
  const asked = page.getByRole("group", { name: "Require two-step verification for" });
  await expect(asked.getByLabel("Finance")).not.toBeChecked();
  await expect(page.getByRole("heading", { name: "Users Management" })).toBeVisible();
  await test.step("requiring it of a role says whom that would shut out, and waits for an answer", async () => {
    const { id } = await createAccount(status());
    const role = { user_id: id, role: "admin" };
    expect((await serviceClient().from("user_roles").upsert(role)).error).toBeNull();
    // Refused if it were asked for: administrators of other tests would be shut out.
    await page.route("**/rest/v1/staff_settings*", (route) =>
      route.request().method() === "PATCH" ? route.abort() : route.continue(),
    );
    await asked.getByLabel("Admin").click();
    const question = page.getByRole("alertdialog", { name: "Require two-step verification for Admin?" });
    await expect(question).toContainText(
      /\d+ accounts? with this role (doesn't|don't) have two-step verification/,
    );
    await expect(question.getByRole("listitem").first()).toBeVisible();
    await expectAccessible(page);
    await question.getByRole("button", { name: "Keep as Is" }).click();
    await expect(asked.getByLabel("Admin")).not.toBeChecked();
  });
});
