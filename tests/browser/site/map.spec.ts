import type { Locator, Page } from "@playwright/test";
import { alive, openAlive } from "../../support/page/alive.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";

const areas = ["Main Stage", "Food Court", "Purple Room", "Vendor Area", "Main Entrance"] as const;

/** Selects each area, then deselects the last. Returns the panel about the map. */
async function selectEach(page: Page, press: (area: Locator) => Promise<void>) {
  const map = page.getByRole("group", { name: "Map of the festival grounds" });
  const panel = page.getByRole("complementary", { name: "About the map" });
  const hours = panel.getByText("Festival Hours");
  await expect(panel).toContainText("Saturday12pm-11pmSunday11am-10pm");
  await expect(map.getByRole("button")).toHaveCount(areas.length);
  for (const name of areas) {
    const area = map.getByRole("button", { name, exact: true });
    await press(area);
    await expect(area).toHaveAttribute("aria-pressed", "true");
    await expect(map.locator('[aria-pressed="true"]')).toHaveCount(1);
    await expect(panel.getByRole("heading", { name, exact: true })).toBeVisible();
    await expect(hours).toBeHidden();
  }
  await expectAccessible(page);
  const last = map.getByRole("button", { name: "Main Entrance" });
  await press(last);
  await expect(map.locator('[aria-pressed="true"]')).toHaveCount(0);
  await expect(hours).toBeVisible();
  return panel;
}

test("the map selects an area, shows it next to the map, and deselects it, by mouse and by keyboard alone", async ({
  page,
}) => {
  await openAlive(page, "/map");
  const panel = await selectEach(page, (area) => area.click());
  await test.step("the tips for main stage and food court, the amenities and the legend", async () => {
    await page.getByRole("button", { name: "Main Stage" }).click();
    await expect(panel).toContainText(/arrive 30 minutes early for headliners/i);
    await page.getByRole("button", { name: "Food Court" }).click();
    await expect(panel).toContainText(/vendors rotate, check the schedule/i);
    for (const text of [
      /restrooms/i,
      /first aid station near the entrance/i,
      /water refill stations/i,
      /charging stations near the vendor area/i,
    ]) {
      await expect(panel.getByRole("listitem").filter({ hasText: text })).toBeVisible();
    }
    await expect(page.getByRole("region", { name: "Legend" }).getByRole("listitem")).toHaveText([
      "Performance",
      "Food",
      "Vendors",
    ]);
    await page.getByRole("button", { name: "Food Court" }).click();
  });
  await test.step("Tab, Enter and Space", async () => {
    await page.reload();
    await alive(page);
    const first = page.getByRole("button", { name: "Main Stage" });
    for (let i = 0; i < 30 && !(await first.evaluate((area) => area === document.activeElement)); i++) {
      await page.keyboard.press("Tab");
    }
    await expect(first).toBeFocused();
    for (const [index, name] of areas.entries()) {
      if (index > 0) await page.keyboard.press("Tab");
      const area = page.getByRole("button", { name, exact: true });
      await expect(area).toBeFocused();
      await page.keyboard.press(index % 2 ? "Space" : "Enter");
      await expect(area).toHaveAttribute("aria-pressed", "true");
    }
    await page.keyboard.press("Enter");
    await expect(page.locator('[aria-pressed="true"]')).toHaveCount(0);
  });
});

test("forced colors leave the legend its inks, and the home page's title its light type", async ({
  page,
}) => {
  await page.emulateMedia({ forcedColors: "active", colorScheme: "dark" });
  await page.goto("/map");
  const swatches = page.getByRole("region", { name: "Legend" }).locator("li > span");
  const inks = await swatches.evaluateAll((all) =>
    all.map((one) => getComputedStyle(one)).map((css) => css.backgroundColor + css.backgroundImage),
  );
  expect(new Set(inks).size, inks.join("; ")).toBe(3);
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toHaveCSS("mix-blend-mode", "normal");
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 568 }, hasTouch: true });

  test("a tap selects an area and brings its text into view, and no label covers another", async ({
    page,
  }) => {
    await openAlive(page, "/map");
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 568 });
      await page.evaluate(() => scrollTo(0, 0));
      const labels = page
        .getByRole("group", { name: "Map of the festival grounds" })
        .locator("g:has(> text)");
      await expect(labels).toHaveCount(areas.length);
      const boxes = await labels.evaluateAll((all) =>
        all.map((label) => {
          const { left, right, top, bottom } = label.getBoundingClientRect();
          return { name: label.textContent, left, right, top, bottom };
        }),
      );
      const meets = boxes.flatMap((one, index) =>
        boxes
          .slice(index + 1)
          .filter(
            (other) =>
              one.left < other.right &&
              other.left < one.right &&
              one.top < other.bottom &&
              other.top < one.bottom,
          )
          .map((other) => [one.name, other.name]),
      );
      expect(meets).toEqual([]);

      const panel = page.getByRole("complementary", { name: "About the map" });
      const area = page.getByRole("button", { name: "Food Court" });
      await area.tap();
      await expect(panel.getByRole("heading", { name: "Food Court" })).toBeInViewport({ ratio: 1 });
      await expect(panel.getByText(/vendors rotate, check the schedule/i)).toBeInViewport({ ratio: 1 });
      await expect(panel).not.toBeFocused();
      await area.tap();
      await expect(area).toHaveAttribute("aria-pressed", "false");
    }
    await selectEach(page, (area) => area.tap());
  });
});
