// The back office as a whole: who may enter, how its screens are reached, and that everybody can use them.
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn } from "../../support/shop/arrival.ts";
import { openAlive } from "../../support/page/alive.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";
import { codesOf, openGatePhone } from "../../support/gate/phone.ts";
import { expectFits, setLargeText } from "../../support/page/large-text.ts";

const screens = [
  ["/admin", "Dashboard Overview"],
  ["/admin/orders", "Orders Management"],
  ["/admin/attendees", "Attendees"],
  ["/admin/messages", "Messages"],
  ["/admin/money", "Sales"],
  ["/admin/door", "Door Sales"],
  ["/admin/tills", "Tills"],
  ["/admin/comps", "Comps"],
  ["/admin/gate", "Gate"],
  ["/admin/festival", "Festival"],
  ["/admin/users", "Users Management"],
  ["/admin/inventory", "Inventory Management"],
  ["/admin/promo-codes", "Promo Codes"],
  ["/admin/waitlist", "Waitlist"],
  ["/admin/vendors", "Vendors Management"],
  ["/admin/sponsors", "Sponsor Inquiries"],
  ["/admin/audit-logs", "Audit Logs"],
] as const;

test.describe("the guard", () => {
  test("sends a visitor home", async ({ page }) => {
    await page.goto("/admin/orders");
    await expect(page).toHaveURL((url) => url.pathname === "/");
  });

  test("sends a buyer home", async ({ page, account }) => {
    await arriveSignedIn(page, account);
    await page.goto("/admin");
    await expect(page).toHaveURL((url) => url.pathname === "/");
  });
});

test("every screen is reached by the navigation", async ({ page }) => {
  await arriveAsAdmin(page);
  await page.goto("/admin");
  const navigation = page.getByRole("navigation", { name: "Back office" });
  await expect(navigation.getByRole("link")).toHaveCount(screens.length);
  for (const [path, title] of screens) {
    await navigation.locator(`a[href="${path}"]`).click();
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
  }
  await page.goto("/admin/audit");
  await expect(page).toHaveURL(/\/admin\/audit-logs$/);
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL((url) => url.pathname === "/");
});

test("the menu shows the current screen in a low window, too", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  await arriveAsAdmin(page);
  await page.goto("/admin/audit-logs");
  const menu = page.getByRole("navigation", { name: "Back office" });
  await expect(menu.getByRole("link", { name: "Audit Logs" })).toBeInViewport({ ratio: 0.9 });
  // The keyboard still starts at the top.
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
});

for (const [path, title] of [...screens, ["/admin/orders/:id", "Order #"]] as const) {
  test(`${path} has no violation axe can detect and is no wider than a desktop's or a phone's window`, async ({
    page,
  }) => {
    await arriveAsAdmin(page);
    const address = path.endsWith("/:id")
      ? path.replace(":id", await placeOrder({ buyerName: "Axel Access" }))
      : path;
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(viewport);
      await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
      await expect(page.getByText(/^Loading/)).toHaveCount(0);
      await expectAccessible(page);
      // Plots adapt to the window a moment later.
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    }
  });
}

test("every screen fits a phone whose text is set to twice its size, and so does a dialog", async ({
  page,
}) => {
  test.slow();
  await setLargeText(page);
  await arriveAsAdmin(page);
  const order = await placeOrder({ buyerName: "Bartholomew Featherstonehaugh-Cholmondeley", parking: true });
  const { tickets } = await codesOf(order);
  const phone = await openGatePhone("Bartholomew's telephone");
  for (const result of ["admitted", "already_in"] as const) {
    expect(await phone.scan({ code_id: tickets[0]! })).toMatchObject([{ result }]);
  }
  for (const [path, title] of [...screens, [`/admin/orders/${order}`, "Order #"]] as const) {
    await openAlive(page, path);
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
    await expect(page.getByText(/^Loading/)).toHaveCount(0);
    await expectFits(page, path);
  }
  await page.getByRole("button", { name: "Refund Order" }).click();
  await expect(page.getByRole("alertdialog")).toBeVisible();
  await expectFits(page, "the refund's dialog");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Notifications/ }).click();
  await expectFits(page, "the notifications");
});
