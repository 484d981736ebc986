// Messages that disappear after a few seconds.
import { expect, type Page } from "@playwright/test";

/**
 * Waits for the message and moves the mouse over it: until it moves away, all messages stay, and none covers another.
 */
export async function keepToast(page: Page, text: string): Promise<void> {
  const message = page.getByText(text, { exact: true });
  await expect(message).toBeVisible();
  // Another test's alert may cover it by now.
  await message.hover({ force: true });
}
