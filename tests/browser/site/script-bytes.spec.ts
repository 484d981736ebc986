// What a visitor's phone downloads before a page can be used; docs/decisions/030-page-start.md breaks it down.
import { expect, test } from "@playwright/test";
import { publicPaths } from "../../../site/src/app/pages.ts";
import { mostBytes, scriptOf } from "../../bench/pages/script-bytes.ts";

test("the home page can be used after 90 KB of script, every other public page after 110", () => {
  for (const path of publicPaths) expect(scriptOf(path).before, path).toBeLessThanOrEqual(mostBytes(path));
});
