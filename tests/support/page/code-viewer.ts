import type { Locator } from "@playwright/test";

/** "1 of 2" in the viewer of entry codes, which also says for a moment that a code is being generated. */
export const positionIn = (viewer: Locator): Locator =>
  viewer.getByRole("status").filter({ hasText: " of " });
