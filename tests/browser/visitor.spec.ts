// What a visitor without an account sees and does on the public pages.
import { expect, expectAccessible, expectRefusal, test } from "./fixtures.ts";

const publicPages = ["/", "/tickets", "/vendors", "/sponsors", "/faq", "/about", "/schedule", "/map"];

for (const path of publicPages) {
  test(`${path} reads without script, is accessible, and has a title and a description of its own`, async ({
    page,
    browser,
    baseURL,
  }) => {
    const plain = await browser.newPage({ javaScriptEnabled: false });
    await plain.goto(`${baseURL}${path}`);
    await expect(plain.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(plain.getByRole("contentinfo")).toContainText("June 27th, 2025");
    expect(await plain.title()).toContain("Houston Culture Festival");
    await expect(plain.locator('meta[name="description"]')).toHaveCount(1);
    await expect(plain.locator('meta[property="og:image"]')).toHaveAttribute(
      "content",
      /^https?:.*\/og\.png$/,
    );
    await plain.close();

    await page.goto(path);
    await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();
    await expectAccessible(page);
  });
}

for (const width of [320, 390, 820, 1440, 1920]) {
  test(`no public page is wider than a screen of ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    for (const path of publicPages) {
      await page.goto(path);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(
        width,
      );
    }
  });
}

test("the bar is transparent at the top, solid once scrolled, and marks the current page", async ({
  page,
}) => {
  await page.goto("/");
  const bar = page.getByRole("banner").first();
  await expect(bar).toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
  await page.mouse.wheel(0, 400);
  await expect(bar).not.toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "FAQ" }).click();
  await expect(
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "FAQ" }),
  ).toHaveAttribute("aria-current", "page");
});

test("the mobile menu closes when the route changes", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
  await page.getByRole("button", { name: "Open menu" }).click();
  const menu = page.getByRole("navigation", { name: "Mobile" });
  await expect(menu.getByRole("link", { name: "Login / Register" })).toBeVisible();
  await menu.getByRole("link", { name: "About" }).click();
  await expect(page).toHaveURL(/\/about$/);
  await expect(menu).toBeHidden();
});

test("the idle buttons of the schedule do nothing", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "Saturday" }).click();
  await page.getByRole("button", { name: "Sunday" }).click();
  await expect(page).toHaveURL(/\/$/);
  await page.getByRole("link", { name: "View Full Schedule" }).click();
  await expect(page.getByRole("heading", { name: "Headliner Performance" })).toBeVisible();
  await page.getByRole("button", { name: "App Store" }).click();
  await page.getByRole("button", { name: "Google Play" }).click();
  await expect(page).toHaveURL(/\/schedule$/);
});

test("one question is open at a time, and closes on a second press", async ({ page }) => {
  await page.goto("/faq");
  const first = page.getByRole("button", { name: "Can I bring my children?" });
  const second = page.getByRole("button", { name: "Is there parking?" });
  await first.click();
  await expect(page.getByText("Children under 10 are free with a ticketed adult.")).toBeVisible();
  await second.click();
  await expect(first).toHaveAttribute("aria-expanded", "false");
  await second.click();
  await expect(second).toHaveAttribute("aria-expanded", "false");
  await expect(page.getByRole("link", { name: "Contact Us" })).toHaveAttribute("href", /^mailto:/);
});

test("an area of the map is chosen and let go, by pointer and by keyboard", async ({ page }) => {
  await page.goto("/map");
  const panel = page.getByRole("complementary", { name: "About the map" });
  await expect(panel).toContainText("12pm-11pm");
  const stage = page.getByRole("button", { name: "Main Stage" });
  await stage.click();
  await expect(panel).toContainText("Arrive 30 minutes early for headliners");
  await expect(panel).not.toContainText("12pm-11pm");
  await stage.click();
  await expect(panel).toContainText("12pm-11pm");
  await page.getByRole("button", { name: "Food Court" }).focus();
  await page.keyboard.press("Enter");
  await expect(panel).toContainText("Vendors rotate, check the schedule");
  await page.keyboard.press(" ");
  await expect(panel).toContainText("11am-10pm");
});

test("an unknown path says so and leads home", async ({ page, pageErrors }) => {
  await page.goto("/no-such-page");
  expectRefusal(pageErrors, 404);
  await expect(page.getByRole("heading", { name: "Page Not Found" })).toBeVisible();
  await expect(page.getByText("The page you are looking for doesn't exist or has been moved.")).toBeVisible();
  await page.getByRole("link", { name: "Go Back Home" }).click();
  await expect(page).toHaveURL(/\/$/);
});
