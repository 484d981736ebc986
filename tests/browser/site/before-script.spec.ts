// Before the script has loaded, and without it: the menu works, answers can be read, and no click is lost.
import { hold } from "../../support/page/faults.ts";
import { expect, test } from "../../support/fixtures.ts";

const script = (url: URL) => url.pathname.endsWith(".js");

test.describe("on a phone, before the script has loaded", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("the menu opens and leads on", async ({ page }) => {
    const release = await hold(page, script);
    await page.goto("/about", { waitUntil: "commit" });
    await page.getByRole("button", { name: "Open menu" }).tap();
    const menu = page.getByRole("navigation", { name: "Mobile" });
    await expect(menu).toBeVisible();
    release();
    await expect(page.getByRole("button", { name: "Close menu" })).toHaveAttribute("aria-expanded", "true");
    await expect(menu.getByRole("link", { name: "Login / Register" })).toBeVisible();
    await menu.getByRole("link", { name: "FAQ", exact: true }).tap();
    await expect(page).toHaveURL("/faq");
    await expect(menu).toBeHidden();
  });

  test("a click is kept until there is something to handle it", async ({ page }) => {
    const release = await hold(page, script);
    await page.goto("/faq", { waitUntil: "commit" });
    const question = page.getByRole("button", { name: "Can I bring my children?" });
    await question.tap();
    await expect(question).toHaveAttribute("aria-expanded", "false");
    release();
    await expect(question).toHaveAttribute("aria-expanded", "true");
  });

  test("so is one of an area of the map, which is a drawing", async ({ page }) => {
    const release = await hold(page, script);
    await page.goto("/map", { waitUntil: "commit" });
    const stage = page.getByRole("button", { name: "Main Stage" }).first();
    await stage.tap();
    await expect(stage).toHaveAttribute("aria-pressed", "false");
    release();
    await expect(stage).toHaveAttribute("aria-pressed", "true");
  });

  test("a form submitted early is not sent by the browser", async ({ page }) => {
    const release = await hold(page, script);
    await page.goto("/sponsors", { waitUntil: "commit" });
    await page.getByRole("button", { name: "Send Inquiry" }).tap();
    release();
    await expect(
      page.getByRole("region", { name: "Sponsor Inquiry" }).getByText("is required"),
    ).not.toHaveCount(0);
    await expect(page).toHaveURL("/sponsors");
  });
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false, viewport: { width: 390, height: 844 }, hasTouch: true });

  test("the menu leads to every place", async ({ page }) => {
    await page.goto("/");
    await page.getByRole("button", { name: "Open menu" }).tap();
    await page.getByRole("navigation", { name: "Mobile" }).getByRole("link", { name: "Vendors" }).tap();
    await expect(page).toHaveURL("/vendors");
  });

  test("every answer can be read", async ({ page }) => {
    await page.goto("/faq");
    await expect(page.getByText("Children under 10 are free with a ticketed adult.")).toBeVisible();
    await expect(page.getByText("Large backpacks are not permitted.")).toBeVisible();
  });

  for (const [path, words] of [
    ["/vendors", "This form needs JavaScript."],
    ["/sponsors", "This form needs JavaScript."],
    ["/auth", "This page needs JavaScript"],
  ] as const) {
    test(`${path} shows no form that could not be sent`, async ({ page }) => {
      await page.goto(path);
      const notice = page.locator("main noscript p");
      await expect(notice).toBeVisible();
      await expect(notice).toContainText(words);
      await expect(page.getByRole("main").getByRole("textbox")).toHaveCount(0);
      await expect(page.getByRole("main").getByRole("button")).toHaveCount(0);
      await expect(page.getByRole("heading", { name: "Welcome Back" })).toBeHidden();
    });
  }
});
