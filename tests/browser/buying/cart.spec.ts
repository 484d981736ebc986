// Choosing tickets (PRODUCT section 5). The stock is changed at the network, because other tests buy from the
// same stock at the same time.
import type { Page } from "@playwright/test";
import { arriveWithCart, CART_KEY, catalog } from "../../support/shop/arrival.ts";
import { add } from "../../support/shop/buyer.ts";
import { expectLogged, hold, RECONNECTING, silenceSockets } from "../../support/page/faults.ts";
import { expect, expectAccessible, expectAccessibleAtBothSizes, test } from "../../support/fixtures.ts";

type Row = Record<string, unknown>;

const panel = (page: Page) => page.getByRole("region", { name: "Your Cart" });
const total = (page: Page) => panel(page).getByRole("status", { name: "Total" });
const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });
const count = (page: Page, name: string) =>
  page.getByRole("group", { name: `Quantity of ${name}`, exact: true }).getByRole("status");

/** Changes the table's rows on their way to the page. */
async function bend(page: Page, table: string, change: (rows: Row[]) => Row[]): Promise<void> {
  await silenceSockets(page);
  await page.route(`**/rest/v1/${table}*`, async (route) => {
    const response = await route.fetch(RECONNECTING);
    await route.fulfill({ response, json: change((await response.json()) as Row[]) });
  });
}

const withStock = (name: string, stock: number) => (rows: Row[]) =>
  rows.map((row) => (row.name === name ? { ...row, current_inventory: stock } : row));

const savedItems = (page: Page) =>
  page.evaluate(
    (key) => (JSON.parse(localStorage.getItem(key) ?? '{"items":[]}') as { items: Row[] }).items,
    CART_KEY,
  );

test("shows a loading state, lists tickets by price, counts up and down, adds up to the cent, and removes at zero or by its button", async ({
  page,
}) => {
  await test.step("lists tickets by price, cheapest first", async () => {
    const release = await hold(page, "**/rest/v1/products*");
    await page.goto("/tickets");
    await expect(page.getByText("Loading ticket options...")).toBeVisible();
    release();
    await expect(card(page, "VIP")).toBeVisible();
    const prices = await page
      .getByRole("region", { name: "Tickets", exact: true })
      .getByRole("article")
      .getByText(/^\$\d+\.\d\d$/)
      .allTextContents();
    expect(prices.length).toBeGreaterThanOrEqual(3);
    const numbers = prices.map((price) => Number(price.slice(1)));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });
  const minus = page.getByRole("button", { name: "Decrease General Admission" });
  await expect(minus).toBeDisabled();
  await expect(panel(page)).toBeHidden();

  await add(page, "General Admission", 2);
  await add(page, "Youth (10 to 17)");
  await add(page, "General Parking");
  await expect(count(page, "General Admission")).toHaveText("2");
  await expect(total(page)).toHaveText("$135.00");
  await expect(panel(page)).toContainText("2 × $45.00");
  expect(
    (await savedItems(page)).map(({ name, quantity, type, price }) => ({ name, quantity, type, price })),
  ).toEqual([
    { name: "General Admission", quantity: 2, type: "ticket", price: 45 },
    { name: "Youth (10 to 17)", quantity: 1, type: "ticket", price: 20 },
    { name: "General Parking", quantity: 1, type: "parking", price: 25 },
  ]);
  await expectAccessibleAtBothSizes(page);

  await minus.click();
  await expect(total(page)).toHaveText("$90.00");
  await minus.click();
  await expect(panel(page)).not.toContainText("General Admission");
  await panel(page).getByRole("button", { name: "Remove Youth (10 to 17)" }).click();
  await expect(total(page)).toHaveText("$25.00");
  await expect(panel(page).getByRole("heading", { name: "Your Cart" })).toBeFocused();
  await panel(page).getByRole("button", { name: "Remove General Parking" }).click();
  await expect(panel(page)).toBeHidden();
  await expect(page.getByRole("heading", { name: "Your cart is empty" })).toBeFocused();
  expect(await savedItems(page)).toEqual([]);
  await test.step("a click that disables its own button keeps the focus on the number", async () => {
    const group = page.getByRole("group", { name: "Quantity of General Parking" });
    const more = group.getByRole("button", { name: "Increase General Parking" });
    await more.focus();
    await page.keyboard.press("Enter");
    await expect(more).toBeDisabled();
    await expect(more).toBeFocused();
  });
});

test("parking alone asks for a ticket before it leads to checkout, and the cart's status counts what is in it", async ({
  page,
}) => {
  await page.goto("/tickets");
  await expect(card(page, "General Parking")).toContainText("together with tickets");
  await add(page, "General Parking");
  const counted = panel(page).getByText(/ in your cart$/);
  await expect(counted).toHaveText("1 parking pass in your cart");
  await expect(panel(page)).toContainText(
    "Parking is sold together with tickets. Choose at least one ticket.",
  );
  await expect(panel(page).getByRole("link", { name: "Proceed to Checkout" })).toHaveCount(0);
  await panel(page).getByRole("link", { name: "Choose a Ticket" }).click();
  await expect(page.getByRole("heading", { name: "Tickets", exact: true })).toBeInViewport();
  await add(page, "General Admission", 2);
  await expect(counted).toHaveText("2 tickets and 1 parking pass in your cart");
  await expect(panel(page).getByRole("link", { name: "Proceed to Checkout" })).toBeVisible();
});

test("keeps the cart over a reload and across other pages; VIP includes parking, and a paid pass returns when VIP is removed", async ({
  page,
}) => {
  await page.goto("/tickets");
  await add(page, "Youth (10 to 17)", 3);
  await page.reload();
  await expect(total(page)).toHaveText("$60.00");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "FAQ" }).click();
  await expect(page).toHaveURL("/faq");
  await page.goBack();
  await expect(count(page, "Youth (10 to 17)")).toHaveText("3");
  await page.getByRole("button", { name: "Remove Youth (10 to 17)" }).click();
  await add(page, "General Parking");
  await add(page, "VIP");
  const parking = card(page, "General Parking");
  await expect(parking.getByText("Included with VIP")).toBeVisible();
  await expect(parking).toContainText("VIP tickets include parking");
  await expect(parking.getByRole("button")).toHaveCount(0);
  await expect(total(page)).toHaveText("$150.00");
  await page.reload();
  await page.getByRole("button", { name: "Decrease VIP" }).click();
  await expect(count(page, "General Parking")).toHaveText("1");
  await expect(total(page)).toHaveText("$25.00");
});

test("stops at what is left and at one parking pass; parking at 0 is Sold Out, unless VIP includes it, and is not offered without a general pass", async ({
  page,
}) => {
  await bend(page, "products", withStock("General Admission", 2));
  await page.goto("/tickets");
  await add(page, "General Admission", 2);
  await expect(page.getByRole("button", { name: "Increase General Admission" })).toBeDisabled();
  await add(page, "General Parking");
  await expect(page.getByRole("button", { name: "Increase General Parking" })).toBeDisabled();
  await expect(total(page)).toHaveText("$115.00");
  await test.step("another pass takes its place", async () => {
    await add(page, "Preferred Parking");
    await expect(count(page, "General Parking")).toHaveText("0");
    await expect(total(page)).toHaveText("$150.00");
    await add(page, "General Parking");
    await expect(count(page, "Preferred Parking")).toHaveText("0");
  });
  await panel(page).getByRole("button", { name: "Remove General Parking" }).click();
  await test.step("a ticket type at or below 0 is Sold Out, without controls", async () => {
    await bend(page, "products", (rows) => withStock("VIP", 0)(withStock("General Admission", -1)(rows)));
    await page.reload();
    for (const name of ["VIP", "General Admission"]) {
      await expect(card(page, name).getByText("Sold Out", { exact: true })).toBeVisible();
      await expect(card(page, name).getByRole("button")).toHaveCount(0);
    }
    await expect(page.getByRole("button", { name: "Increase Youth (10 to 17)" })).toBeEnabled();
    await page.unroute("**/rest/v1/products*");
  });
  await test.step("parking at 0 is Sold Out, unless VIP includes it", async () => {
    await bend(page, "products", withStock("General Parking", 0));
    await page.reload();
    const parking = card(page, "General Parking");
    await expect(parking.getByText("Sold Out", { exact: true })).toBeVisible();
    await expect(parking.getByRole("button")).toHaveCount(0);
    await add(page, "VIP");
    await expect(parking.getByText("Included with VIP")).toBeVisible();
    await expect(parking.getByText("Sold Out")).toBeHidden();
  });
  await test.step("offers no parking when there is no general pass", async () => {
    await bend(page, "products", (rows) => rows.filter((row) => row.name !== "General Parking"));
    await page.reload();
    await expect(card(page, "VIP")).toBeVisible();
    await expect(page.getByRole("heading", { name: "Add Parking" })).toHaveCount(0);
  });
});

test("ignores and logs a saved cart that cannot be read, still works, and takes an old one at today's prices", async ({
  page,
  pageErrors,
}) => {
  for (const [kind, saved] of [
    ["broken text", "{not json"],
    ["another shape", '{"items":"many"}'],
    ["an impossible quantity", '{"items":[{"id":"x","name":"x","price":1,"quantity":-2,"type":"ticket"}]}'],
  ] as const) {
    await test.step(kind, async () => {
      await page.goto("/robots.txt");
      await page.evaluate(([key, text]) => localStorage.setItem(key!, text!), [CART_KEY, saved]);
      await page.goto("/tickets");
      await expectLogged(pageErrors, "restore the cart");
      await expect(panel(page)).toBeHidden();
    });
  }
  await add(page, "General Admission");
  await page.reload();
  await expect(total(page)).toHaveText("$45.00");
  await test.step("an old cart takes today's prices and says so", async () => {
    await arriveWithCart(page, [{ ...catalog.general, price: 30, quantity: 2 }]);
    await page.goto("/tickets");
    const notice = page.getByRole("listitem").filter({ hasText: "Cart Updated" });
    await expect(notice).toContainText("Prices have changed");
    await expect(total(page)).toHaveText("$90.00");
  });
});

test("two open tabs agree", async ({ page, context }) => {
  await page.goto("/tickets");
  const other = await context.newPage();
  await other.goto("/tickets");
  await add(page, "General Admission", 2);
  await expect(count(other, "General Admission")).toHaveText("2");
  await add(other, "General Admission");
  await expect(total(page)).toHaveText("$135.00");
  await panel(other).getByRole("button", { name: "Remove General Admission" }).click();
  await expect(panel(page)).toBeHidden();
  await other.close();
});

test("a tab that has not read today's catalog leaves the prices and parking of one that has", async ({
  page,
  context,
}) => {
  await arriveWithCart(page, [
    { ...catalog.vip, quantity: 1 },
    { ...catalog.parking, quantity: 1 },
  ]);
  await page.addInitScript((key) => {
    const save = Storage.prototype.setItem;
    Storage.prototype.setItem = function (name, text) {
      if (name === key) document.documentElement.dataset.saves += "*";
      save.call(this, name, text);
    };
  }, CART_KEY);
  await silenceSockets(page);
  await page.goto("/tickets");
  await expect(card(page, "VIP")).toBeVisible();
  await expect(total(page)).toHaveText("$150.00");
  await hold(page, ({ pathname }) => /products|get_sale/.test(pathname));
  await page.evaluate(() => (document.documentElement.dataset.saves = ""));

  const other = await context.newPage();
  await bend(other, "products", (rows) =>
    rows.map((row) => (row.name === "VIP" ? { ...row, price: 160, version: Number(row.version) + 1 } : row)),
  );
  await other.route("**/rest/v1/rpc/get_sale", async (route) => {
    const response = await route.fetch(RECONNECTING);
    await route.fulfill({ response, json: { ...(await response.json()), vip_includes_parking: false } });
  });
  await other.goto("/tickets");
  await expect(total(other)).toHaveText("$185.00");
  await expect(total(page)).toHaveText("$185.00");
  await add(other, "VIP");
  await expect(total(page)).toHaveText("$345.00");
  expect(await page.evaluate(() => document.documentElement.dataset.saves)).toBe("");
  await other.unrouteAll({ behavior: "ignoreErrors" });
  await other.close();
});

test.describe("on a phone whose cart is out of sight", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("the bar warns when fewer are left than are in the cart", async ({ page }) => {
    let left = 3;
    await bend(page, "products", (rows) => withStock("General Admission", left)(rows));
    await arriveWithCart(page, [{ ...catalog.general, quantity: 3 }]);
    await page.goto("/tickets");
    const warning = page.getByText("Fewer left than in your cart", { exact: true });
    await expect(page.getByRole("link", { name: "View Cart" })).toBeVisible();
    await expect(warning).toBeHidden();
    left = 1;
    await page.reload();
    await expect(warning).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Review Cart" }).click();
    await expect(page.getByRole("button", { name: "Update My Cart" })).toBeInViewport();
    await page.getByRole("button", { name: "Update My Cart" }).click();
    await page.evaluate(() => scrollTo(0, 0));
    await expect(page.getByRole("link", { name: "View Cart" })).toBeVisible();
    await expect(warning).toBeHidden();
  });
});
