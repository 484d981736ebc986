// The other second steps, if the organizer allows them: a code by text message and a security key. Also how a forgotten password is
// reset for an account with a second step.
import type { Page } from "@playwright/test";
import { TOTP } from "otpauth";
import type { Account } from "../../support/shop/accounts.ts";
import { arriveSignedIn, serviceClient, visitorClient, openDashboard } from "../../support/shop/arrival.ts";
import { addAuthenticator } from "../../support/page/authenticator.ts";
import { signIn } from "../../support/shop/buyer.ts";
import { expect, expectAccessible, expectRefusal, status, test } from "../../support/fixtures.ts";
import { codeIn, linkIn } from "../../support/server/mailbox.ts";
import { signInHere } from "../../support/gate/arrival.ts";
import { setNewPassword } from "../../support/page/new-password.ts";
import { useOwnFestival } from "../../support/server/own-festival.ts";

test.describe.configure({ mode: "default" });

useOwnFestival(async () => ({
  GOTRUE_MFA_PHONE_ENROLL_ENABLED: "true",
  GOTRUE_MFA_PHONE_VERIFY_ENABLED: "true",
  GOTRUE_MFA_PHONE_MAX_FREQUENCY: "1ms",
  GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED: "true",
  GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED: "true",
}));

/** The code in the newest text to a number, once it has received this many. */
async function textedCode(phone: string, count: number): Promise<string> {
  let newest = "";
  await expect
    .poll(async () => {
      const answer = await fetch(`${status().MAIL_URL}/api/messages?to=${encodeURIComponent(phone)}`);
      const { messages } = (await answer.json()) as { messages: { text: string }[] };
      newest = messages[0]?.text ?? "";
      return messages.length;
    })
    .toBe(count);
  return codeIn({ text: newest });
}

async function signedInClient(account: Account) {
  const client = visitorClient();
  expect((await client.auth.signInWithPassword(account)).error).toBeNull();
  return client;
}

const otherThan = (code: string) => (code === "000000" ? "111111" : "000000");

async function toSecondStep(page: Page, account: Account) {
  await signIn(page, account);
  await expect(page.getByRole("heading", { name: "Confirm It's You" })).toBeVisible();
}

test("a phone number is added, and its codes are the second step", async ({ page, account, pageErrors }) => {
  test.slow(); // two sign-ins and four text messages: up to 35 s on a busy machine
  const last = `${String(Date.now()).slice(-5)}${test.info().repeatEachIndex}`.slice(-6);
  const phone = `+1713${last.padStart(7, "5")}`;
  await arriveSignedIn(page, account);
  await page.setViewportSize({ width: 320, height: 640 });
  await openDashboard(page);
  const panel = page.getByRole("region", { name: "Account Security" });
  await panel.getByRole("button", { name: "Add a Phone Number" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a Phone Number" });
  const number = dialog.getByLabel("Mobile number");
  await expect(number).toBeFocused();
  await page.keyboard.type("555 0142");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("Include the area code.")).toBeVisible();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await number.fill(`713 ${phone.slice(5)}`);
  await page.keyboard.press("Enter");

  const field = dialog.getByLabel("Code", { exact: true });
  await expect(field).toBeFocused();
  await expectAccessible(page);
  const first = await textedCode(phone, 1);
  await dialog.getByRole("button", { name: "Send Another Code" }).click();
  await expect(dialog.getByText("We sent another code.")).toBeVisible();
  const second = await textedCode(phone, 2);
  await field.fill(otherThan(second));
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("That code is not right.")).toBeVisible();
  expectRefusal(pageErrors, 422);
  if (first !== second) {
    await field.fill(first);
    await page.keyboard.press("Enter");
    await expect(dialog.getByRole("button", { name: "Turn On" })).toBeEnabled();
    await expect(dialog.getByText("That code is not right.")).toBeVisible();
    pageErrors.splice(0);
  }
  await field.fill(second);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Save Your Recovery Codes" }).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(panel.getByText(`Phone ending in ${phone.slice(-4)}`)).toBeVisible();
  const client = await signedInClient(account);
  expect((await client.auth.mfa.listFactors()).data!.phone).toMatchObject([{ status: "verified" }]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Logout" }).first().click();

  await toSecondStep(page, account);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Send the Code" }).click();
  const asked = page.getByLabel("Code", { exact: true });
  await expect(asked).toBeFocused();
  await textedCode(phone, 3);
  await page.getByRole("button", { name: "Send Another Code" }).click();
  await expect(page.getByText("We sent another code.")).toBeVisible();
  const code = await textedCode(phone, 4);
  await asked.fill(otherThan(code));
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByText("That code is not right.")).toBeVisible();
  expectRefusal(pageErrors, 422);
  await asked.fill(code);
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
  // It is removed like any other.
  await panel.getByRole("button", { name: /^Remove: Phone/ }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect(panel.getByRole("button", { name: /^Remove: Phone/ })).toHaveCount(0);
});

test("a number that already is a second step is not added again, and too many texts are refused with the time to wait", async ({
  page,
  account,
  pageErrors,
}) => {
  await arriveSignedIn(page, account);
  await openDashboard(page);
  const panel = page.getByRole("region", { name: "Account Security" });
  await panel.getByRole("button", { name: "Add a Phone Number" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a Phone Number" });
  const add = async () => {
    await dialog.getByLabel("Mobile number").fill("+1 713 555 0142");
    await dialog.getByRole("button", { name: "Text Me a Code" }).click();
  };
  // What the server would answer because of a carrier or a slow code.
  const refuse = (path: string, answer: { status: number; error_code: string; msg: string }) =>
    page.route(path, (route) =>
      route.fulfill({ status: answer.status, json: { code: answer.status, ...answer } }),
    );
  await refuse("**/auth/v1/factors", {
    status: 422,
    error_code: "mfa_verified_factor_exists",
    msg: "A verified phone factor already exists, unenroll the existing factor to continue",
  });
  await add();
  await expect(dialog.getByText("You already use this number for two-step verification.")).toBeVisible();
  await page.unroute("**/auth/v1/factors");
  await refuse("**/auth/v1/factors/*/challenge", {
    status: 429,
    error_code: "over_sms_send_rate_limit",
    msg: "For security purposes, you can only request this after 42 seconds.",
  });
  await add();
  await expect(dialog.getByText("You can request another in 42 s.")).toBeVisible();
  expectRefusal(pageErrors, 422);
  expectRefusal(pageErrors, 429);
  await page.keyboard.press("Escape");
  await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
  await expect(panel.getByRole("button", { name: "Add a Phone Number" })).toBeFocused();
});

test("if an unfinished set-up cannot be removed, the page says so and sends nothing", async ({
  page,
  account,
  pageErrors,
}) => {
  const client = await signedInClient(account);
  const begun = { factorType: "phone", phone: "+17135550143", friendlyName: "Phone ending in 0143" } as const;
  expect((await client.auth.mfa.enroll(begun)).error).toBeNull();
  await arriveSignedIn(page, account);
  await page.route("**/auth/v1/factors/*", (route) =>
    route.fulfill({
      status: 429,
      json: { code: 429, error_code: "over_request_rate_limit", msg: "Request rate limit reached" },
    }),
  );
  const sent: string[] = [];
  page.on("request", (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await openDashboard(page);
  await page.getByRole("button", { name: "Add a Phone Number" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a Phone Number" });
  await dialog.getByLabel("Mobile number").fill("713 555 0143");
  await dialog.getByRole("button", { name: "Text Me a Code" }).click();
  await expect(dialog.getByText("Too many tries. Please wait a moment.")).toBeVisible();
  expect(sent).not.toContain("POST /auth/v1/factors");
  expectRefusal(pageErrors, 429);
  // Once it can be, the same click sends the code.
  await page.unroute("**/auth/v1/factors/*");
  await dialog.getByRole("button", { name: "Text Me a Code" }).click();
  await expect(dialog.getByLabel("Code", { exact: true })).toBeFocused();
});

test("a security key is the second step", async ({ page, account }) => {
  const { cdp, authenticatorId } = await addAuthenticator(page, "key");
  await signIn(page, account);
  await expect(page).toHaveURL("/dashboard");
  const panel = page.getByRole("region", { name: "Account Security" });
  await panel.getByRole("button", { name: "Add a Security Key" }).click();
  await page.getByRole("dialog", { name: "Save Your Recovery Codes" }).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(panel.getByText("Security key", { exact: true }).first()).toBeVisible();
  await page.getByRole("button", { name: "Logout" }).first().click();

  await toSecondStep(page, account);
  await expectAccessible(page);
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await page.getByRole("button", { name: "Use Security Key" }).click();
  await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
});

test("a forgotten password requires the second step before a new one is set", async ({
  page,
  account,
  mailbox,
}) => {
  const client = await signedInClient(account);
  const { mfa } = client.auth;
  const { data } = await mfa.enroll({ factorType: "totp", friendlyName: "App" });
  const secret = (data as { totp: { secret: string } }).totp.secret;
  const app = new TOTP({ secret });
  expect((await mfa.challengeAndVerify({ factorId: data!.id, code: app.generate() })).error).toBeNull();

  await page.goto("/auth?mode=forgot");
  await page.getByLabel("Email").fill(account.email);
  await page.getByRole("button", { name: "Send Reset Link" }).click();
  await expect(page.getByText("are on their way")).toBeVisible();
  await page.goto(linkIn(await mailbox.newest(account.email, /password/i), "/auth/v1/verify"));
  // A person who only has the mail gets no further.
  await expect(page.getByRole("heading", { name: "Confirm It's You" })).toBeVisible();
  await expect(page.getByLabel("New Password")).toHaveCount(0);
  await page.getByLabel("Code", { exact: true }).fill(app.generate({ timestamp: Date.now() + 30_000 }));
  await page.getByRole("button", { name: "Confirm" }).click();
  await setNewPassword(page, account);
});

const codeOf = (secret: string, stepsAhead = 0) =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + stepsAhead * 30_000 });

test("a gate account whose role needs a second step sets it up, is led back, and is asked for it there", async ({
  page,
  account,
  pageErrors,
}) => {
  const service = serviceClient();
  expect((await service.from("user_roles").upsert({ user_id: account.id, role: "gate" })).error).toBeNull();
  const asksOf = async (two_step_roles: string[]) =>
    expect(
      (await service.from("staff_settings").update({ two_step_roles }).eq("only_row", true)).error,
    ).toBeNull();
  await asksOf(["gate"]);
  try {
    await arriveSignedIn(page, account);
    await page.goto("/gate");
    await expect(page.getByRole("heading", { name: "One thing first" })).toBeVisible();
    await expect(page.getByText("No network")).toHaveCount(0);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Set it up" }).click();

    const title = page.getByRole("heading", { name: "Account Security" });
    await expect(title).toBeFocused();
    await expect(title).toBeInViewport();
    await page.getByRole("button", { name: "Set Up Two-Step Verification" }).click();
    const dialog = page.getByRole("dialog", { name: "Set Up Two-Step Verification" });
    const secret = (await dialog.getByTestId("secret").textContent())!.trim();
    await dialog.getByLabel("Code", { exact: true }).fill(codeOf(secret));
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Save Your Recovery Codes" }).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("link", { name: "Back to the Gate" }).click();
    await expect(page.getByRole("button", { name: "Start scanning" })).toBeVisible();

    // Another phone signs in with the password alone.
    const phone = await page.context().browser()!.newContext();
    const other = await phone.newPage();
    await other.goto(new URL("/gate", page.url()).href);
    await signInHere(other, account);
    await other.getByLabel("Code", { exact: true }).fill(codeOf(secret, 1));
    await other.getByRole("button", { name: "Confirm" }).click();
    await expect(other.getByRole("button", { name: "Start scanning" })).toBeVisible();
    await phone.close();
  } finally {
    await asksOf([]);
  }
  // The gate's calls before the second step.
  expectRefusal(pageErrors, 403);
});
