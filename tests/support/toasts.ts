// Messages that leave by themselves after a few seconds.
import { expect, type Page } from "@playwright/test";

/** Waits for the message and lays the mouse on it: until it moves away all messages stay, and none lies over another. */
export async function keepToast(page: Page, text: string): Promise<void> {
  const message = page.getByText(text, { exact: true });
  await expect(message).toBeVisible();
  // Another test's alert may lie over it by now.
  await message.hover({ force: true });
}
