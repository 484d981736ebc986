// What an administrator does about one person's sign-in, from Users, with the person's own browser open at the
// same time.
import type { Browser, Page } from "@playwright/test";
import { TOTP } from "otpauth";
import { type Account, createAccount } from "../../support/shop/accounts.ts";
import { arriveAsAdmin } from "../../support/shop/admin-arrival.ts";
import { serviceClient, visitorClient } from "../../support/shop/arrival.ts";
import { signIn } from "../../support/shop/buyer.ts";
import { expect, expectAccessible, status, test } from "../../support/fixtures.ts";
import { watchLiveConnection } from "../../support/page/live-connection.ts";

/** Opens the dialog of an account by keyboard and chooses an action. */
async function choose(page: Page, account: Account, what: string) {
  await page.goto(`/admin/users?q=${account.email}`);
  const button = page.getByRole("button", { name: `Sign-in for ${account.email}` });
  await button.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Sign-In" });
  await expect(dialog).toContainText(account.email);
  await dialog.getByRole("radio", { name: new RegExp(`^${what}`) }).check();
  return { button, dialog, submit: dialog.getByRole("button", { name: what, exact: true }) };
}

/** A member of staff, in a separate browser. */
async function colleague(browser: Browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const account = await arriveAsAdmin(page);
  const live = await watchLiveConnection(page);
  await page.goto("/admin/inventory");
  await expect(page.getByRole("heading", { name: "Inventory Management" })).toBeVisible();
  // Only a page that listens is notified of an ended session.
  await live.flows(1);
  return { context, page, account, live };
}

const reasonsOf = async ({ id }: Account) => {
  const { data } = await serviceClient()
    .from("audit_logs")
    .select("new_values")
    .eq("table_name", "users")
    .eq("record_id", id)
    .order("created_at");
  return data?.map(({ new_values }) => (new_values as { reason: string }).reason);
};

test("a person who lost their phone gets in again once their second steps are removed, and is notified by mail", async ({
  page,
  browser,
  mailbox,
}) => {
  const person = await createAccount(status());
  const client = visitorClient();
  await client.auth.signInWithPassword(person);
  const { data: factor } = await client.auth.mfa.enroll({ factorType: "totp" });
  const code = new TOTP({ secret: factor!.totp.secret }).generate();
  expect((await client.auth.mfa.challengeAndVerify({ factorId: factor!.id, code })).error).toBeNull();
  const context = await browser.newContext();
  const theirs = await context.newPage();
  await signIn(theirs, person);
  await expect(theirs.getByRole("heading", { name: "Confirm It's You" })).toBeVisible();

  await arriveAsAdmin(page);
  const { dialog } = await choose(page, person, "Reset two-step verification");
  await dialog.getByLabel("Reason").fill("Showed an ID at the office");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Two-step verification reset")).toBeVisible();
  const mail = await mailbox.newest(person.email, /Two-step verification was turned off/);
  expect(mail.text).toContain("removed its recovery codes");
  // There is nothing left to remove, so it is not offered.
  await page.getByRole("button", { name: `Sign-in for ${person.email}` }).click();
  await expect(page.getByRole("radio", { name: /^Sign out everywhere/ })).toBeVisible();
  await expect(page.getByRole("radio", { name: /^Reset two-step verification/ })).toHaveCount(0);

  // The session that waited for the second step has ended too.
  await theirs.reload();
  await signIn(theirs, person);
  await expect(theirs.getByRole("heading", { name: "Welcome!" })).toBeVisible();
  await context.close();
});

test("a person is signed out everywhere at once, blocked, and let in again, each for a reason that the audit log records", async ({
  page,
  browser,
}) => {
  test.slow();
  const other = await colleague(browser);
  const admin = await arriveAsAdmin(page);
  const { button, dialog, submit } = await choose(page, other.account, "Sign out everywhere");
  await expectAccessible(page);
  await submit.press("Enter");
  await expect(dialog.getByText("Enter a reason.")).toBeVisible();
  await dialog.getByLabel("Reason").fill("Left a laptop on the bus");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Signed out everywhere")).toBeVisible();
  await expect(button).toBeFocused();
  await expect(other.page).toHaveURL(/\/auth/);
  expect(await reasonsOf(other.account)).toEqual(["Left a laptop on the bus"]);
  // Administrators cannot do this to themselves here.
  await page.goto(`/admin/users?q=${admin.email}`);
  await expect(page.getByLabel(`Role for ${admin.email}`, { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Sign-in for/ })).toHaveCount(0);
  await test.step("blocked and let in again, and the list says until when", async () => {
    await signIn(other.page, other.account);
    await expect(other.page.getByRole("heading", { name: "Inventory Management" })).toBeVisible();
    await other.live.flows(2); // again, with the new session
    const { dialog } = await choose(page, other.account, "Block sign-in");
    await dialog.getByLabel("For how long").selectOption("7 days");
    await dialog.getByLabel("Reason").fill("Shared the password");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("table", { name: "Users" }).getByText(/^Blocked until /)).toBeVisible();
    await expect(other.page).toHaveURL(/\/auth/);
    await signIn(other.page, other.account);
    await expect(other.page.getByText(/^This account is blocked\. .* write to \S+@\S+\.$/)).toBeVisible();

    const lift = await choose(page, other.account, "Unblock sign-in");
    await expectAccessible(page);
    await lift.dialog.getByLabel("Reason").fill("New password");
    await page.keyboard.press("Enter");
    await expect(page.getByText(/^Blocked until /)).toHaveCount(0);
    await signIn(other.page, other.account);
    await expect(other.page.getByRole("heading", { name: "Inventory Management" })).toBeVisible();
    expect(await reasonsOf(other.account)).toEqual([
      "Left a laptop on the bus",
      "Shared the password",
      "New password",
    ]);
  });
  await other.context.close();
});

test("without a network a change reports it in plain words, and can be retried", async ({
  page,
  context,
}) => {
  await arriveAsAdmin(page);
  const account = await createAccount(status());
  const { dialog, submit } = await choose(page, account, "Block sign-in");
  await dialog.getByLabel("Reason").fill("Card fraud");
  let unanswered = 0;
  page.on("requestfailed", (request) => void (request.url().endsWith("/rpc/list_users") && unanswered++));
  await context.setOffline(true);
  await submit.click();
  await expect(dialog).toContainText("The server could not be reached.");
  await expect(dialog.getByLabel("Reason")).toHaveValue("Card fraud");
  await page.keyboard.press("Escape");
  await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
  await page.getByLabel(`Role for ${account.email}`, { exact: true }).selectOption("Gate");
  await page.getByRole("button", { name: `Apply: Role for ${account.email}` }).click();
  const refused = page.getByRole("listitem").filter({ hasText: "Failed to update user role" });
  await expect(refused).toContainText("The server could not be reached.");
  // The list is reloaded after each refusal, with three retries. A missing network is not an error to log.
  await expect.poll(() => unanswered).toBeGreaterThanOrEqual(4);
  const listed = page.waitForResponse((answer) => answer.url().endsWith("/rpc/list_users") && answer.ok());
  await context.setOffline(false);
  await listed;
});
