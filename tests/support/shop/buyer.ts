// What a buyer does on the site, step by step, by role and label. Expectations about results belong to the tests.
import type { Page } from "@playwright/test";
import type { Account } from "./accounts.ts";

export const CARDS = {
  good: "4242 4242 4242 4242",
  declined: "4000 0000 0000 0002",
  /** After five seconds in which the payment is processing. */
  declinedLater: "4000 0000 0000 0259",
  threeDSecure: "4000 0027 6000 3184",
} as const;

export const buyer = { name: "Beyoncé O'Neil", phone: "713 555 0142" } as const;

export async function signIn(
  page: Page,
  { email, password }: Pick<Account, "email" | "password">,
): Promise<void> {
  if (new URL(page.url(), "http://blank").pathname !== "/auth") await page.goto("/auth");
  // A visitor who comes from checkout is offered a code first.
  const byPassword = page.getByRole("link", { name: "Sign in with a password" });
  const form = page.getByRole("form", { name: "Sign in" });
  await byPassword.or(form).first().waitFor();
  if (await byPassword.isVisible()) await byPassword.click();
  await form.getByLabel("Email").fill(email);
  await form.getByLabel("Password").fill(password);
  await form.getByRole("button", { name: "Sign In", exact: true }).click();
}

/** Clicks plus that many times on the ticket type's or parking pass's card of /tickets. */
export async function add(page: Page, name: string, times = 1): Promise<void> {
  const plus = page.getByRole("button", { name: `Increase ${name}`, exact: true });
  for (let i = 0; i < times; i++) await plus.click();
}

/** From /tickets with a filled cart, or from /checkout, through the details to the card form. */
export async function fillDetails(page: Page, email: string, attendees: readonly string[]): Promise<void> {
  const about = page.getByRole("group", { name: "Buyer Information" });
  await about.getByLabel("Full Name").fill(buyer.name);
  await about.getByLabel("Email").fill(email);
  await about.getByLabel("Phone").fill(buyer.phone);
  for (const [index, name] of attendees.entries()) {
    const attendee = page.getByRole("group", { name: new RegExp(`Attendee ${index + 1}\\b`) });
    await attendee.getByLabel("Full Name").fill(name);
    await attendee.getByLabel("Email").fill(email);
  }
  await page.getByRole("button", { name: "Continue to Payment" }).click();
}

export async function payByCard(page: Page, number: string): Promise<void> {
  const form = page.getByRole("form", { name: "Payment" });
  await form.getByLabel("Card number").fill(number);
  await form.getByLabel("Expiry").fill("12 / 34");
  await form.getByLabel("CVC").fill("123");
  await form.getByRole("button", { name: /^Pay \$/ }).click();
}
