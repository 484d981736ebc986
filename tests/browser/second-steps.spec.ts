// The other second steps, where the organiser allows them: a code by text message and a security key. And what a forgotten password
// asks of who has a second step.
import type { Page } from "@playwright/test";
import { TOTP } from "otpauth";
import type { Account } from "../support/accounts.ts";
import { asVisitor } from "../support/arrival.ts";
import { signIn } from "../support/buyer.ts";
import { expect, expectAccessible, expectRefusal, status, test } from "../support/fixtures.ts";
import { linkIn } from "../support/mailbox.ts";
import { useOwnFestival } from "../support/own-festival.ts";

test.describe.configure({ mode: "default" });

useOwnFestival(async () => ({
  GOTRUE_MFA_PHONE_ENROLL_ENABLED: "true",
  GOTRUE_MFA_PHONE_VERIFY_ENABLED: "true",
  GOTRUE_MFA_PHONE_MAX_FREQUENCY: "1ms",
  GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED: "true",
  GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED: "true",
}));

/** The code in the newest of the texts to a number, of which there are so many. */
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
  return /code is (\d{6})/.exec(newest)![1]!;
}

async function signedInClient(account: Account) {
  const client = asVisitor();
  expect((await client.auth.signInWithPassword(account)).error).toBeNull();
  return client;
}

async function toSecondStep(page: Page, account: Account) {
  await signIn(page, account);
  await expect(page.getByRole("heading", { name: "Confirm It's You" })).toBeVisible();
}

test("a code by text message is the second step", async ({ page, account, pageErrors }) => {
  const phone = `+1713555${String(Date.now()).slice(-4)}${test.info().repeatEachIndex}`;
  const { mfa } = (await signedInClient(account)).auth;
  const factorId = (await mfa.enroll({ factorType: "phone", phone, friendlyName: "My phone" })).data!.id;
  const challengeId = (await mfa.challenge({ factorId })).data!.id;
  const verified = await mfa.verify({ factorId, challengeId, code: await textedCode(phone, 1) });
  expect(verified.error).toBeNull();

  await toSecondStep(page, account);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Send the Code" }).click();
  const field = page.getByLabel("Code", { exact: true });
  await expect(field).toBeVisible();
  const code = await textedCode(phone, 2);
  await field.fill(code === "000000" ? "111111" : "000000");
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByText("That code is not right.")).toBeVisible();
  expectRefusal(pageErrors, 422);
  await field.fill(code);
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
});

test("a security key is the second step", async ({ page, account }) => {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "usb", automaticPresenceSimulation: true },
  });
  await signIn(page, account);
  await expect(page).toHaveURL("/dashboard");
  const panel = page.getByRole("region", { name: "Account Security" });
  await panel.getByRole("button", { name: "Add a Security Key" }).click();
  await page.getByRole("dialog", { name: "Keep Your Recovery Codes" }).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(panel.getByText("Security key", { exact: true }).first()).toBeVisible();
  await page.getByRole("button", { name: "Logout" }).first().click();

  await toSecondStep(page, account);
  await expectAccessible(page);
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await page.getByRole("button", { name: "Use Security Key" }).click();
  await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
});

test("a forgotten password asks for the second step before there is a new one", async ({
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
  await expect(page.getByText("a link to set a new password is on its way")).toBeVisible();
  await page.goto(linkIn(await mailbox.newest(account.email, /password/i), "/auth/v1/verify"));
  // Whoever reads the mail alone gets no further.
  await expect(page.getByRole("heading", { name: "Confirm It's You" })).toBeVisible();
  await expect(page.getByLabel("New Password")).toHaveCount(0);
  await page.getByLabel("Code", { exact: true }).fill(app.generate({ timestamp: Date.now() + 30_000 }));
  await page.getByRole("button", { name: "Confirm" }).click();
  const form = page.getByRole("form", { name: "New password" });
  await form.getByLabel("New Password").fill("candy paint and chrome");
  await form.getByLabel("Confirm Password").fill("candy paint and chrome");
  await form.getByRole("button", { name: "Set New Password" }).click();
  await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
  const again = await asVisitor().auth.signInWithPassword({
    email: account.email,
    password: "candy paint and chrome",
  });
  expect(again.error).toBeNull();
});
