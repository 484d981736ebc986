// What a buyer cannot have is shown where they choose: the maximum of tickets for one buyer, and sold-out lines.
import type { Page } from "@playwright/test";
import { arriveSignedIn, arriveWithCart, catalog } from "../../support/shop/arrival.ts";
import { add } from "../../support/shop/buyer.ts";
import { RECONNECTING, silenceSockets } from "../../support/page/faults.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";

const plus = (page: Page, name: string) =>
  page.getByRole("button", { name: `Increase ${name}`, exact: true });
const panel = (page: Page) => page.getByRole("region", { name: "Your Cart" });

/** As if this buyer had bought this many before. */
async function boughtBefore(page: Page, bought: number): Promise<void> {
  await page.route("**/rest/v1/rpc/get_ticket_allowance", async (route) => {
    const response = await route.fetch(RECONNECTING);
    const { max_tickets } = (await response.json()) as { max_tickets: number };
    await route.fulfill({
      response,
      json: { max_tickets, bought, held: 0, remaining: max_tickets - bought },
    });
  });
}

async function stock(page: Page, left: Record<string, number>): Promise<void> {
  await silenceSockets(page);
  await page.route("**/rest/v1/products*", async (route) => {
    const response = await route.fetch(RECONNECTING);
    const rows = (await response.json()) as { name: string; current_inventory: number }[];
    const json = rows.map((row) => ({ ...row, current_inventory: left[row.name] ?? row.current_inventory }));
    await route.fulfill({ response, json });
  });
}

test("the plus buttons state the limit per buyer, counted over all types", async ({ page }) => {
  await page.goto("/tickets");
  await add(page, "General Admission", 12);
  await add(page, "Youth (10 to 17)", 8);
  for (const name of ["General Admission", "Youth (10 to 17)", "VIP"]) {
    await expect(plus(page, name)).toBeDisabled();
    await expect(plus(page, name)).toHaveAccessibleDescription("The limit is 20 tickets per buyer.");
  }
  await expectAccessible(page);
  await page.getByRole("button", { name: "Decrease Youth (10 to 17)" }).click();
  await expect(plus(page, "VIP")).toBeEnabled();
});

test("what was bought before counts, and the checkout says so before a name is typed", async ({
  page,
  account,
}) => {
  await boughtBefore(page, 18);
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 3 }]);
  const words = "The limit is 20 tickets per buyer. You already have 18, so you can buy 2 more.";
  await page.goto("/checkout");
  await expect(page.getByRole("alert")).toContainText(words);
  await expect(page.getByRole("group", { name: /^Attendee \d/ })).toHaveCount(0);
  await page.getByRole("link", { name: "Back to Tickets" }).click();
  await expect(panel(page)).toContainText(words);
  await expect(plus(page, "General Admission")).toBeDisabled();
  await page.getByRole("button", { name: "Decrease General Admission" }).click();
  await expect(panel(page)).not.toContainText(words);
});

test("lines that are sold out or short say so in the cart, before signing in", async ({ page, account }) => {
  await stock(page, { VIP: 0, "General Admission": 2 });
  await arriveWithCart(page, [
    { ...catalog.general, quantity: 3 },
    { ...catalog.vip, quantity: 1 },
    { ...catalog.youth, quantity: 1 },
  ]);
  await page.goto("/tickets");
  const line = (name: string) => panel(page).getByRole("listitem").filter({ hasText: name });
  await expect(line("General Admission")).toContainText("Only 2 left");
  await expect(line("VIP").first()).toContainText("Sold out");
  await expect(line("Youth")).not.toContainText(/left|Sold out/);
  await expectAccessible(page);
  await arriveSignedIn(page, account);
  await page.goto("/checkout");
  await expect(page.getByRole("complementary", { name: "Order Summary" })).toContainText("Only 2 left");
  await page.goto("/tickets");
  await panel(page).getByRole("button", { name: "Update My Cart" }).click();
  await expect(line("General Admission")).toContainText("2 × $45.00");
  await expect(line("VIP")).toHaveCount(0);
  await expect(panel(page).getByRole("button", { name: "Update My Cart" })).toHaveCount(0);
});
