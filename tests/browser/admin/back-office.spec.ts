// The back office as a whole: who may enter, how its screens are reached, and that everybody can use them.
import type { Page } from "@playwright/test";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn } from "../../support/shop/arrival.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";
import { codesOf, openGateDevice } from "../../support/gate/device.ts";
import { expectFits, textSizeOf } from "../../support/page/large-text.ts";

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

test("the guard sends a visitor and a buyer home", async ({ page, account }) => {
  await page.goto("/admin/orders");
  await expect(page).toHaveURL((url) => url.pathname === "/");
  await arriveSignedIn(page, account);
  await page.goto("/admin");
  await expect(page).toHaveURL((url) => url.pathname === "/");
});

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

/**
 * Returns a check of the open screen: no violation axe can detect, and it fits a desktop, a phone, and a phone whose text is
 * set to twice its size. `then`: what else must fit there.
 */
async function screenCheck(page: Page) {
  const setTextSize = await textSizeOf(page);
  const settled = async (title: string) => {
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
    await expect(page.getByText(/^Loading/)).toHaveCount(0);
  };
  return async (path: string, title: string, then?: () => Promise<void>) => {
    for (const viewport of [desktop, phone]) {
      await page.setViewportSize(viewport);
      await settled(title);
      await expectAccessible(page);
      // Plots adapt to the window a moment later.
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    }
    await setTextSize("large");
    await settled(title);
    await expectFits(page, path);
    await then?.();
    await setTextSize("normal");
    await page.setViewportSize(desktop);
  };
}

/** An order whose guest a phone let in and refused. */
async function busyOrder(): Promise<string> {
  const order = await placeOrder({ buyerName: "Bartholomew Featherstonehaugh-Cholmondeley", parking: true });
  const { tickets } = await codesOf(order);
  const scanner = await openGateDevice("Bartholomew's telephone");
  for (const result of ["admitted", "already_in"] as const) {
    expect(await scanner.scan({ code_id: tickets[0]! })).toMatchObject([{ result }]);
  }
  return order;
}

// Two halves, which two workers share.
for (const half of [screens.slice(0, 9), screens.slice(9)]) {
  test(`${half[0]![0]} to ${half.at(-1)![0]} are reached by the navigation, accessible, and fit a desktop, a phone and large text`, async ({
    page,
  }) => {
    test.slow();
    await arriveAsAdmin(page);
    await busyOrder();
    const check = await screenCheck(page);
    await page.goto("/admin");
    const navigation = page.getByRole("navigation", { name: "Back office" });
    await expect(navigation.getByRole("link")).toHaveCount(screens.length);
    for (const [path, title] of half) {
      await test.step(path, async () => {
        await navigation.locator(`a[href="${path}"]`).click();
        await check(path, title);
      });
    }
  });
}

test("an order's page is accessible and fits, with its dialog and the notifications; the menu shows the current screen in a low window", async ({
  page,
}) => {
  await arriveAsAdmin(page);
  const check = await screenCheck(page);
  await page.goto(`/admin/orders/${await busyOrder()}`);
  await check("an order's page", "Order #", async () => {
    await page.getByRole("button", { name: "Refund Order" }).click();
    await expect(page.getByRole("alertdialog")).toBeVisible();
    await expectFits(page, "the refund's dialog");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Notifications/ }).click();
    await expectFits(page, "the notifications");
    await page.keyboard.press("Escape");
  });
  await test.step("the menu on a laptop and in a low window", async () => {
    await page.setViewportSize({ width: 1280, height: 850 });
    await page.goto("/admin/audit");
    await expect(page).toHaveURL(/\/admin\/audit-logs$/);
    const menu = page.getByRole("navigation", { name: "Back office" });
    // With room for one more screen.
    await menu.evaluate((nav) => nav.querySelector("ul")!.append(nav.querySelector("li")!.cloneNode(true)));
    expect(await menu.evaluate((nav) => nav.scrollHeight - nav.clientHeight)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.reload();
    await expect(menu.getByRole("link", { name: "Audit Logs" })).toBeInViewport({ ratio: 0.9 });
    // The keyboard still starts at the top.
    await page.keyboard.press("Tab");
    await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  });
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL((url) => url.pathname === "/");
});
