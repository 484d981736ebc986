// Reading the figures of the back office.
import type { Locator, Page } from "@playwright/test";

export const figure = (page: Page, label: string) =>
  page.locator("dl > div").filter({ hasText: label }).locator("dd").first();

export const amount = async (shown: Locator) => Number((await shown.textContent())!.replace(/[$,]/g, ""));
