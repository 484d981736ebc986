// The form that a password link opens.
import type { Page } from "@playwright/test";
import type { Account } from "../shop/accounts.ts";
import { visitorClient } from "../shop/arrival.ts";
import { expect } from "../fixtures.ts";

/** Sets another password and signs in with it. */
export async function setNewPassword(page: Page, { email }: Account): Promise<void> {
  const password = "candy paint and chrome";
  const form = page.getByRole("form", { name: "New password" });
  await form.getByLabel("New Password").fill(password);
  await form.getByLabel("Confirm Password").fill(password);
  await form.getByRole("button", { name: "Set New Password" }).click();
  await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
  expect((await visitorClient().auth.signInWithPassword({ email, password })).error).toBeNull();
}
