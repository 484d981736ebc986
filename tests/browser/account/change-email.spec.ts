// Changing the account's address, requested and confirmed by its owner: with the codes in both mails, and with their
// links.
import type { Page } from "@playwright/test";
import { TOTP } from "otpauth";
import { type Account, newEmail } from "../../support/shop/accounts.ts";
import {
  arriveSignedIn,
  visitorClient,
  openDashboard,
  SESSION_KEY,
  store,
} from "../../support/shop/arrival.ts";
import { placeOrder } from "../../support/shop/admin-arrival.ts";
import { hold } from "../../support/page/faults.ts";
import { expect, expectAccessible, expectRefusal, test } from "../../support/fixtures.ts";
import { codeIn, linkIn } from "../../support/server/mailbox.ts";
import { useOwnFestival } from "../../support/server/own-festival.ts";

test.describe.configure({ mode: "default" });

/** The subjects of the mails to the current address and to the new one. */
const LEAVE = /confirm your email address change/i;
const ARRIVE = /confirm your new email address/i;

async function askFor(page: Page, email: string) {
  await page.getByRole("button", { name: "Change Email" }).click();
  const form = page.getByRole("form", { name: "Change email" });
  await expect(form.getByLabel("New Email")).toBeFocused();
  await form.getByLabel("New Email").fill(email);
  await page.keyboard.press("Enter");
}

async function type(page: Page, address: string, code: string) {
  const form = page.getByRole("form", { name: `Type the code sent to ${address}` });
  await form.getByLabel(`Code sent to ${address}`).fill(code);
  await page.keyboard.press("Enter");
}

const signsIn = async (email: string, { password }: Account) =>
  (await visitorClient().auth.signInWithPassword({ email, password })).error === null;

test("the codes in both mails move the account, with its orders, and keep the session", async ({
  page,
  account,
  mailbox,
  pageErrors,
}) => {
  const order = await placeOrder({ buyerName: "Moving Mo", buyer: account });
  const next = newEmail("moved");
  await page.setViewportSize({ width: 320, height: 640 });
  await arriveSignedIn(page, account);
  await openDashboard(page);
  await askFor(page, account.email.toUpperCase());
  await expect(page.getByText("This is already your address.")).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel("New Email").fill(next);
  await page.keyboard.press("Enter");
  const state = page.getByRole("status").filter({ hasText: `Your address becomes ${next}` });
  await expect(state).toContainText("once both addresses have confirmed");
  await expect(page.getByRole("heading", { name: "Account Information" })).toBeFocused();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);

  const old = codeIn(await mailbox.newest(account.email, LEAVE));
  await type(page, account.email, old === "000000" ? "111111" : "000000");
  await expect(page.getByText("This code is wrong or has expired.")).toBeVisible();
  expectRefusal(pageErrors, 403);
  await type(page, account.email, old);
  await expect(page.getByText(`${account.email} is confirmed.`)).toBeVisible();
  await page.reload();
  await expect(page.getByText(`${account.email} is confirmed.`)).toBeVisible();
  await expect(page.getByRole("form", { name: /^Type the code/ })).toHaveCount(1);
  expect(await signsIn(next, account)).toBe(false);
  await type(page, next, codeIn(await mailbox.newest(next, ARRIVE)));
  await expect(page.getByText(`Your account's address is now ${next}.`)).toBeVisible();
  await expect(page.getByRole("main").getByText(next).first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Change Email" })).toBeVisible();
  await expect(page.getByText(`#${order.slice(0, 8)}`).first()).toBeVisible();
  // Only one session: the codes created no other.
  await expect(page.getByRole("button", { name: /^Sign Out:/ })).toHaveCount(0);
  expect([await signsIn(next, account), await signsIn(account.email, account)]).toEqual([true, false]);
});

test("the answer to a cancelled change leaves alone what is typed since", async ({ page, account }) => {
  await arriveSignedIn(page, account);
  await openDashboard(page);
  const release = await hold(page, "**/auth/v1/user?*");
  const [mistyped, meant] = [newEmail("mistyped"), newEmail("meant")];
  await askFor(page, mistyped);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Change Email" }).click();
  const field = page.getByLabel("New Email");
  await field.fill(meant);
  const answered = page.waitForResponse("**/auth/v1/user?*");
  release();
  await answered;
  await page.evaluate(() => new Promise((drawn) => setTimeout(drawn, 100)));
  await expect(field).toHaveValue(meant);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText(`Your address becomes ${mistyped}`)).toBeVisible();
});

test("a change stays pending over a reload, is mailed again on request, and is made by the links", async ({
  page,
  account,
  mailbox,
  browser,
  baseURL,
  pageErrors,
}) => {
  const next = newEmail("linked");
  await arriveSignedIn(page, account);
  await openDashboard(page);
  await askFor(page, next);
  const first = linkIn(await mailbox.newest(account.email, LEAVE), "/auth/v1/verify");
  // The mail may arrive before the answer, which a reload would cut off.
  await expect(page.getByRole("button", { name: "Send Again" })).toBeVisible();
  await page.reload();
  await page.getByRole("button", { name: "Send Again" }).click();
  await expect(page.getByText("An email was sent a moment ago.", { exact: false })).toBeVisible();
  expectRefusal(pageErrors, 429);

  await page.goto(first);
  await expect(page.getByText("One More to Go")).toBeVisible();
  await openDashboard(page);
  await expect(page.getByText(`${account.email} is confirmed.`)).toBeVisible();
  // The other mail is read on another device, where nobody is signed in.
  const phone = await browser.newPage({ baseURL });
  await phone.goto(linkIn(await mailbox.newest(next, ARRIVE), "/auth/v1/verify"));
  await expect(phone.getByRole("status").filter({ hasText: "Email changed" })).toBeVisible();
  await phone.close();
  // This page notices when it is focused again.
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  await expect(page.getByRole("button", { name: "Change Email" })).toBeVisible();
  await expect(page.getByRole("main").getByText(next).first()).toBeVisible();
});

test("links opened without a session state what is confirmed and what is missing, and stay shown", async ({
  page,
  account,
  mailbox,
  browser,
  baseURL,
}) => {
  const next = newEmail("elsewhere");
  await arriveSignedIn(page, account);
  await openDashboard(page);
  await askFor(page, next);
  await expect(page.getByText(`Your address becomes ${next}`)).toBeVisible();
  const phone = await browser.newPage({ baseURL, viewport: { width: 320, height: 640 } });
  const note = (title: string) => phone.getByRole("status").filter({ hasText: title });
  await phone.goto(linkIn(await mailbox.newest(account.email, LEAVE), "/auth/v1/verify"));
  await expect(note("Old address confirmed")).toContainText("Open the email we sent to your new address");
  await phone.reload();
  await expect(note("Old address confirmed")).toBeVisible();
  await expectAccessible(phone);
  await phone.goto(linkIn(await mailbox.newest(next, ARRIVE), "/auth/v1/verify"));
  await expect(note("Email changed")).toContainText("Sign in with it from now on.");
  await phone.reload();
  await expect(note("Email changed")).toBeVisible();
  await expectAccessible(phone);
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await phone.getByLabel("Email", { exact: true }).fill(next);
  await phone.getByLabel("Password", { exact: true }).fill(account.password);
  await phone.keyboard.press("Enter");
  await expect(phone.getByRole("heading", { name: "Welcome!" })).toBeVisible();
  await phone.close();
});

test("keeping the address cancels the change, and its mails no longer work", async ({
  page,
  account,
  mailbox,
}) => {
  const next = newEmail("never");
  await arriveSignedIn(page, account);
  await openDashboard(page);
  await askFor(page, next);
  const code = codeIn(await mailbox.newest(next, ARRIVE));
  await page.getByRole("button", { name: "Keep My Address" }).click();
  await expect(page.getByText("Address Unchanged")).toBeVisible();
  await expect(page.getByRole("button", { name: "Change Email" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Account Information" })).toBeFocused();
  const spent = await visitorClient().auth.verifyOtp({ email: next, token: code, type: "email_change" });
  expect(spent.error?.code).toBe("otp_expired");
  await page.reload();
  await expect(page.getByRole("button", { name: "Change Email" })).toBeVisible();
});

test("an owner with a second step is not asked for it again", async ({ page, account, mailbox }) => {
  const { auth } = visitorClient();
  await auth.signInWithPassword(account);
  const { data: factor } = await auth.mfa.enroll({ factorType: "totp" });
  const code = new TOTP({ secret: factor!.totp.secret }).generate();
  expect((await auth.mfa.challengeAndVerify({ factorId: factor!.id, code })).error).toBeNull();
  await store(page, SESSION_KEY, (await auth.getSession()).data.session);
  await openDashboard(page);
  const next = newEmail("two-steps");
  await askFor(page, next);
  await type(page, account.email, codeIn(await mailbox.newest(account.email, LEAVE)));
  await type(page, next, codeIn(await mailbox.newest(next, ARRIVE)));
  await expect(page.getByText(`Your account's address is now ${next}.`)).toBeVisible();
  await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Confirm It's You" })).toHaveCount(0);
});

test.describe("when only the new address confirms", () => {
  useOwnFestival(async () => ({
    GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED: "false",
    GOTRUE_SMTP_MAX_FREQUENCY: "1ms",
  }));

  test("one code makes the change, also one from a resent mail", async ({ page, account, mailbox }) => {
    const next = newEmail("alone");
    await arriveSignedIn(page, account);
    await openDashboard(page);
    await askFor(page, next);
    await expect(page.getByText(`Your address becomes ${next} once it has confirmed.`)).toBeVisible();
    await expect(page.getByRole("form", { name: /^Type the code/ })).toHaveCount(1);
    await page.getByRole("button", { name: "Send Again" }).click();
    await expect(page.getByText("Sent again. The earlier emails still work.")).toBeVisible();
    await type(page, next, codeIn(await mailbox.newest(next, ARRIVE)));
    await expect(page.getByText(`Your account's address is now ${next}.`)).toBeVisible();
  });
});
