import type { Locator, Page } from "@playwright/test";

/** What a form says is wrong: about a field, or about the whole form. */
export const problems = (within: Page | Locator) => within.locator("[data-problem], [role=alert]");

/** What is read out of a result that is only seen otherwise. */
export const announcer = (page: Page) => page.locator("#announcer");
