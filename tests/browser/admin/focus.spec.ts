// The back office without a mouse and without seeing: where the focus is, and what is read out.
import { createAccount } from "../../support/shop/accounts.ts";
import { arriveAsAdmin } from "../../support/shop/admin-arrival.ts";
import { hold } from "../../support/page/faults.ts";
import { announcer, problems } from "../../support/page/problems.ts";
import { expect, status, test } from "../../support/fixtures.ts";

test("the festival editor's bar hides neither the focused field nor the one with a mistake", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1024, height: 500 });
  await arriveAsAdmin(page);
  await page.goto("/admin/festival");
  const form = page.getByRole("form", { name: "Date & Place" });
  const isCovered = () =>
    page.evaluate(() => {
      const { left, top } = document.activeElement!.getBoundingClientRect();
      return !document.activeElement!.contains(document.elementFromPoint(left + 4, top + 4));
    });
  await form.getByLabel("Title").fill("");
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await form.getByRole("button", { name: "Publish" }).press("Enter");
  await expect(form.getByLabel("Title")).toBeFocused();
  expect(await isCovered(), "the empty title").toBe(false);
  // Backwards through the form, under the bar.
  await form.locator("input, textarea").last().focus();
  for (let step = 0; step < 12; step++) {
    await page.keyboard.press("Shift+Tab");
    expect(await isCovered(), `${step + 1} fields back`).toBe(false);
  }
});

test("on a phone the menu takes the focus, keeps it, and gives it back", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await arriveAsAdmin(page);
  await page.goto("/admin/users");
  const opener = page.getByRole("button", { name: "Open the menu" });
  await opener.press("Enter");
  const menu = page.getByRole("complementary", { name: "Menu" });
  await expect(menu.getByRole("button", { name: "Close the menu" })).toBeFocused();
  for (let step = 0; step < 30; step++) {
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement!.closest("main, header"))).toBeNull();
  }
  await page.keyboard.press("Escape");
  await expect(opener).toBeFocused();
  await opener.press("Enter");
  await menu.getByRole("link", { name: "Orders" }).press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Orders" })).toBeFocused();
  await expect(announcer(page)).toHaveText(/^Orders/);
});

test("a search says how much it finds", async ({ page }) => {
  const { email } = await createAccount(status());
  await arriveAsAdmin(page);
  await page.goto("/admin/users");
  await expect(page.getByRole("row").nth(1)).toBeVisible();
  const search = page.getByLabel("Search by email");
  await search.fill(email);
  await expect(announcer(page)).toHaveText("1 result");
  await search.fill(`${email}x`);
  await expect(announcer(page)).toHaveText("0 results");
});

test("a button that works, and one that goes away, leave the focus in place", async ({ page }) => {
  await arriveAsAdmin(page);
  await page.goto("/admin/messages/new");
  await page.getByRole("button", { name: "Send Me a Test" }).press("Enter");
  await expect(page.getByLabel("Subject")).toBeFocused();
  await expect(announcer(page)).toHaveText(/^2 problems\. Subject: .*Text: /);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(problems(page)).toHaveCount(2);

  await page.goto("/admin/door");
  const release = await hold(page, "**/rest/v1/rpc/open_till*");
  await page.getByRole("button", { name: "Open the Till" }).press("Enter");
  await expect(announcer(page)).toHaveText("Working on it: Open the Till");
  release();
  await expect(page.getByRole("heading", { name: "Door Sales" })).toBeFocused();
  await expect(announcer(page)).not.toContainText("Working on it");
});

test("forced colors show which screen is open", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await arriveAsAdmin(page);
  await page.goto("/admin/users");
  const highlight = await page.evaluate(() => {
    const probe = document.createElement("p");
    probe.style.cssText = "forced-color-adjust: none; background: Highlight";
    document.body.append(probe);
    return getComputedStyle(probe).backgroundColor;
  });
  const menu = page.getByRole("navigation", { name: "Back office" });
  await expect(menu.getByRole("link", { name: "Users" })).toHaveCSS("background-color", highlight);
  await expect(menu.getByRole("link", { name: "Orders" })).not.toHaveCSS("background-color", highlight);
});
