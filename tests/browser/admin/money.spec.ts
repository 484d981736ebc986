// Money in the back office: a refund run over many orders, and the disputes.
import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { serviceClient } from "../../support/shop/arrival.ts";
import { silenceSockets } from "../../support/page/faults.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";

async function exported(page: Page, button: string) {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  const download = await downloading;
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

const newTag = () => `run-${crypto.randomUUID().slice(0, 8)}`;

test("orders of a tag are refunded in a run, as they were shown", async ({ page, context }) => {
  const tag = newTag();
  const ids = [
    await placeOrder({ buyerName: "Rona Run" }),
    await placeOrder({ buyerName: "Ronald Run", quantity: 2 }),
    await placeOrder({ buyerName: "Rona Stays" }),
  ];
  const tagged = await serviceClient()
    .from("order_tags")
    .insert(ids.map((order_id) => ({ order_id, tag })));
  expect(tagged.error).toBeNull();

  await arriveAsAdmin(page);
  await page.goto("/admin/money/refunds");
  await page.getByLabel("Tag", { exact: true }).selectOption(tag);
  await expect(page.getByText("3 orders, $180.00", { exact: true })).toBeVisible();
  await page.getByLabel("Only Rona Run's order").check();
  await page.getByLabel("Only Ronald Run's order").check();
  await expect(page.getByText("2 orders, $135.00 selected")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Refund These" }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByLabel("Reason").selectOption("Another reason");
  await dialog.getByRole("button", { name: "Refund $135.00" }).click();
  await expect(dialog.getByLabel("Note")).toBeFocused();
  await dialog.getByLabel("Note").fill("Storm");
  await expectAccessible(page);
  await context.setOffline(true);
  await dialog.getByRole("button", { name: "Refund $135.00" }).click();
  await expect(page.getByText("No response", { exact: true })).toBeVisible();
  await expect(dialog.getByLabel("Note")).toHaveValue("Storm");
  await context.setOffline(false);
  await dialog.getByRole("button", { name: "Refund $135.00" }).click();

  await expect(page.getByRole("heading", { level: 1, name: "Refund run" })).toBeVisible();
  await expect(page.getByText("2 of 2 orders processed")).toBeVisible();
  await expect(page.getByText("Another reason, Storm")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "All runs" }).click();
  await page.getByLabel("Tag", { exact: true }).selectOption(tag);
  await expect(page.getByText("1 order, $45.00", { exact: true })).toBeVisible();
  const { data } = await serviceClient().from("orders").select("status").in("id", ids).order("status");
  expect(data!.map(({ status }) => status)).toEqual(["cancelled", "cancelled", "confirmed"]);
});

/** As the provider reports it. */
async function openDispute(orderId: string): Promise<void> {
  const { data: order } = await serviceClient()
    .from("orders")
    .select("payment_intent_id")
    .eq("id", orderId)
    .single();
  const noted = await serviceClient().rpc("note_dispute", {
    p_dispute_id: `dp_${orderId}`,
    p_payment_intent_id: order!.payment_intent_id!,
    p_cents: 4500,
    p_currency: "usd",
    p_reason: "product_not_received",
    p_status: "needs_response",
    p_evidence_due_by: new Date(Date.now() + 86_400_000).toISOString(),
    p_opened_at: new Date().toISOString(),
    p_reported_at: new Date().toISOString(),
  });
  expect(noted.error).toBeNull();
}

test("disputes are listed with their deadlines, and link to the order", async ({ page }) => {
  const buyerName = `Dee Spute ${crypto.randomUUID()}`;
  const id = await placeOrder({ buyerName });
  await openDispute(id);
  await arriveAsAdmin(page);
  await page.goto("/admin/money/disputes");
  const row = page.getByRole("row").filter({ hasText: buyerName });
  await expect(row).toContainText("Product not received");
  await expect(row).toContainText("Needs response");
  await expect(row.getByText("Due", { exact: true })).toBeVisible();
  await expect(page.getByText(/deadlines? within 3 days/)).toBeVisible();
  await expectAccessible(page);
  await row.getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`/admin/orders/${id}$`));
});

test("a disputed payment is marked in the list and on its order, and named before any refund", async ({
  page,
}) => {
  const tag = newTag();
  const family = `Contested${crypto.randomUUID().slice(0, 8)}`;
  const disputed = await placeOrder({ buyerName: `Carl ${family}` });
  const calm = await placeOrder({ buyerName: `Cora ${family}` });
  const tagged = await serviceClient()
    .from("order_tags")
    .insert([disputed, calm].map((order_id) => ({ order_id, tag })));
  expect(tagged.error).toBeNull();
  await openDispute(disputed);
  const mark = page.getByText("Disputed", { exact: true });
  const dialog = page.getByRole("alertdialog");
  const MAY_REFUSE =
    "The payment provider may refuse to refund it, and a lost dispute returns the money as well.";

  await arriveAsAdmin(page);
  await page.goto(`/admin/orders?q=${family}`);
  const cards = page.getByRole("listitem").filter({ hasText: family });
  await expect(cards).toHaveCount(2);
  await expect(cards.filter({ has: mark })).toHaveText(new RegExp(`Carl ${family}`));
  await cards.filter({ has: mark }).getByRole("link", { name: /^#/ }).click();
  await expect(page).toHaveURL(new RegExp(`/admin/orders/${disputed}`));
  await expect(mark).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Refund Order" }).click();
  await expect(dialog).toContainText(`The buyer’s bank is disputing this payment. ${MAY_REFUSE}`);
  await dialog.getByRole("button", { name: "Keep the order" }).click();
  await page.goto(`/admin/orders/${calm}`);
  await page.getByRole("button", { name: "Refund Order" }).click();
  await expect(dialog).toContainText("This cannot be undone.");
  await expect(dialog).not.toContainText("disputing");
  await dialog.getByRole("button", { name: "Keep the order" }).click();
  await expect(mark).toHaveCount(0);

  await page.goto("/admin/money/refunds");
  await page.getByLabel("Tag", { exact: true }).selectOption(tag);
  await expect(page.getByText("2 orders, $90.00", { exact: true })).toBeVisible();
  await expect(page.getByRole("row").filter({ has: mark })).toContainText([`Carl ${family}`]);
  await page.getByRole("button", { name: "Refund These" }).click();
  await expect(dialog).toContainText(`A buyer’s bank is disputing 1 of these 2 payments. ${MAY_REFUSE}`);
  await expectAccessible(page);
});

test("sales are shown by day and by hour, as bars and as tables", async ({ page }) => {
  await placeOrder({ buyerName: "Pia Plot", quantity: 2, parking: true });
  await arriveAsAdmin(page);
  // Other tests sell meanwhile, which would redraw the plots during the keyboard steps.
  await silenceSockets(page);
  await page.goto("/admin/money");
  await expect(page).toHaveURL(/\/admin\/money\/sales$/);
  const byDay = page.getByRole("region", { name: "Sales by day, before refunds", exact: true });
  await expect(byDay.getByRole("paragraph").first()).toContainText("The peak was");
  const plot = byDay.getByRole("application");
  await expect(plot).toBeVisible();
  await expectAccessible(page);
  await byDay.getByText("Show as table").click();
  const table = byDay.getByRole("table");
  await expect(table.getByRole("row").nth(1)).toContainText(/\$[\d,]+\.\d\d/);
  const hourFile = await exported(page, "Export Hours");
  expect(hourFile.text).toMatch(/Hour \(Central\),.*\r\n\d{4}-\d\d-\d\d \d\d:00,/);
  const dayFile = await exported(page, "Export Days");
  expect(dayFile.name).toBe("sales-by-day.csv");
  expect(dayFile.text).toContain("Day (Central),");

  // By keyboard: what is counted, how it is split, and from bar to bar.
  await page.getByRole("radio", { name: "Sales", exact: true }).press("ArrowRight");
  await expect(
    page.getByRole("region", { name: "Tickets sold by day, before refunds", exact: true }),
  ).toBeVisible();
  await page.getByLabel("Type", { exact: true }).click();
  await expect(page).toHaveURL(/show=tickets&by=type/);
  await expect(page.getByRole("listitem").filter({ hasText: "General Admission" }).first()).toBeVisible();
  const hours = page.getByRole("region", { name: /^Tickets sold by hour on/ });
  await hours.getByRole("application").press("ArrowRight");
  await expect(hours.getByRole("term").filter({ hasText: "Total" })).toBeVisible();
  await hours.getByLabel("Day").fill("2020-01-01");
  await expect(
    hours.getByRole("paragraph").filter({ hasText: "Nothing was sold in this period." }),
  ).toBeVisible();
  await expectAccessible(page);
});

test("the accounts compare every payment with the provider's books", async ({ page }) => {
  // Confirmed without the provider, so only we have it. On a separate day, since other tests' lines fill
  // pages.
  const buyerName = `Alma Alone ${crypto.randomUUID()}`;
  const id = await placeOrder({ buyerName });
  const moved = await serviceClient()
    .from("payments")
    .update({ succeeded_at: "2021-05-05T17:00:00Z" })
    .eq("order_id", id);
  expect(moved.error).toBeNull();
  await arriveAsAdmin(page);
  await page.goto("/admin/money/accounts?from=2021-05-05&to=2021-05-05");
  await page.getByRole("button", { name: "Fetch Now" }).click();
  await expect(page.getByText("The provider’s books are up to date")).toBeVisible();
  await expect(page.getByText(/lines? (doesn't|don't) match/)).toBeVisible();
  const row = page.getByRole("row").filter({ hasText: buyerName });
  await expect(row).toContainText("Only in our books");
  const alarm = page.getByRole("region", { name: "Result" }).locator(".text-candy-deep");
  await expect(alarm).not.toHaveCount(0);
  await expect(row).toContainText("-$45.00");
  await expect(page.getByRole("table", { name: "Shop", exact: true })).toContainText("Paid for orders");
  await expect(page.getByRole("columnheader", { name: "Before discount" })).toBeAttached();
  await expectAccessible(page);
  expect((await exported(page, "Export Lines")).name).toMatch(/^account-lines.*\.csv$/);
  await page.getByLabel("From").fill("2020-01-01");
  await page.getByLabel("To", { exact: true }).fill("2020-01-31");
  await expect(page.getByText("Nothing was sold in this period.")).toBeVisible();
  await test.step("what is only not fetched yet raises no alarm", async () => {
    // A day of its own, also when the test is retried.
    const day = new Date(Date.UTC(2031, 0, randomInt(3000))).toISOString().slice(0, 10);
    const later = await placeOrder({ buyerName: `Lana Later ${crypto.randomUUID()}` });
    const { error } = await serviceClient()
      .from("payments")
      .update({ succeeded_at: `${day}T17:00:00Z` })
      .eq("order_id", later);
    expect(error).toBeNull();
    await page.goto(`/admin/money/accounts?from=${day}&to=${day}`);
    const result = page.getByRole("region", { name: "Result" });
    await expect(result).toContainText(
      "Everything fetched matches to the cent0 lines matched, 1 not fetched yet",
    );
    await expect(alarm).toHaveCount(0);
  });
  await test.step("two days changed in quick succession both apply", async () => {
    await page.goto("/admin/money/accounts?from=2021-05-05&to=2021-05-05");
    await expect(page.getByLabel("To", { exact: true })).toHaveValue("2021-05-05");
    // Faster than the page renders the first change, as on a slow machine.
    await page.evaluate(async () => {
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!;
      const days = document.querySelectorAll("main input[type=date]");
      for (const [index, value] of ["2020-01-01", "2020-01-31"].entries()) {
        set!.call(days[index], value);
        days[index]!.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((done) => setTimeout(done));
      }
    });
    await expect(page).toHaveURL("/admin/money/accounts?from=2020-01-01&to=2020-01-31");
    await expect(page.getByText("Nothing was sold in this period.")).toBeVisible();
  });
});
