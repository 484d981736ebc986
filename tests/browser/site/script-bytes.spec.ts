// What a visitor's phone downloads before a page can be used; docs/decisions/030-page-start.md breaks it down.
import { expect, test } from "@playwright/test";
import { HOME_BYTES, scriptOf } from "../../bench/pages/script-bytes.ts";

test("the home page can be used after 100 KB of script", () => {
  expect(scriptOf("/").before).toBeLessThanOrEqual(HOME_BYTES);
});
