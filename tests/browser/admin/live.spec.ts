// Two browsers at once: what happens in one updates the other.
import { randomUUID } from "node:crypto";
import { newEmail } from "../../support/shop/accounts.ts";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { amount, figure } from "../../support/shop/admin-figures.ts";
import { arriveAtPayment, serviceClient } from "../../support/shop/arrival.ts";
import { CARDS, payByCard } from "../../support/shop/buyer.ts";
import { answerWith, ARRIVING, expectLogged, RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectRefusal, status } from "../../support/fixtures.ts";
import { untilMidnight } from "../../support/shop/houston.ts";
import { announcer, problems } from "../../support/page/problems.ts";
import { watchLiveConnection } from "../../support/page/live-connection.ts";
import { test } from "../../support/shop/own-items.ts";
import type { Locator, Page } from "@playwright/test";

/** The bell and the frame share a channel on every screen; the dashboard follows visits as well. */
const ANY_SCREEN = 1;
const DASHBOARD = 2;

const soldRows = (page: Page) =>
  page.getByRole("region", { name: "Sold and revenue by type" }).getByRole("row");

/** Filters the bell's reads for missed events: other tests' orders and applications would fill its list. */
const onlyMissed = (page: Page, word: string) =>
  page.route(/\/rest\/v1\/(orders|vendor_applications)\?/, (route) => {
    const url = new URL(route.request().url());
    const name = url.pathname.endsWith("/orders") ? "buyer_full_name" : "booth_name";
    url.searchParams.set(name, `like.*${word}*`);
    return route.continue({ url: url.href });
  });

test("a purchase at the checkout moves the dashboard and rings the bell of an administrator who is only watching", async ({
  page,
  browser,
  account,
  makeTicketType,
}) => {
  const type = await makeTicketType({ called: "Watched", price: 45 });
  await arriveAsAdmin(page);
  const name = `Beyoncé ${randomUUID()}`;
  const live = await watchLiveConnection(page, { newsOf: name });
  await page.goto("/admin");
  const sold = soldRows(page);
  const own = sold.filter({ hasText: type.name });
  await expect(own).toContainText("$0.00");
  await expect(page.getByText("Live Data")).toBeVisible();
  await live.flows(DASHBOARD);

  const context = await browser.newContext();
  const buying = await context.newPage();
  await arriveAtPayment(buying, { ...account, name }, [{ ...type, type: "ticket", quantity: 2 }]);
  const bell = page.getByRole("button", { name: /^Notifications, \d+ unread$/ });
  await bell.click();
  const entry = page.getByRole("link", { name: new RegExp(`Order from ${name} - \\$90\\.00`) });
  await expect(entry, "the order is announced before it is paid").toContainText("New Order Received");
  await expect(entry).toContainText("Just now");
  await expect(entry).toContainText("unpaid");
  await page.keyboard.press("Escape");
  await payByCard(buying, CARDS.good);
  await expect(buying.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  await expect(own).toContainText("$90.00");
  await context.close();

  // The rows, including parking, add up to the revenue.
  await expect(sold.filter({ hasText: "General Parking" })).toBeVisible();
  const centsOf = async (rows: Locator) =>
    (await rows.locator("td:last-child").allTextContents()).map((text) =>
      Math.round(Number(text.replace(/[$,]/g, "")) * 100),
    );
  const isSum = { has: page.locator("strong") };
  const allTickets = sold.filter({ hasText: "All tickets" }).locator("td").nth(1);
  // Other tests sell meanwhile: values read one after the other may be from different moments.
  await expect(async () => {
    const [, all] = await centsOf(sold.filter(isSum));
    const single = await centsOf(sold.filter({ hasNot: page.locator("strong") }));
    expect(all).toBe(single.reduce((sum, each) => sum + each, 0));
    expect(Math.round((await amount(figure(page, "Total Revenue"))) * 100)).toBe(all);
    const tickets = await figure(page, "Tickets Sold").textContent();
    expect(tickets).toBe(await allTickets.innerText());
  }).toPass();

  await page.reload();
  await bell.click();
  await expect(entry).not.toContainText("unpaid");
  await entry.click();
  await expect(page.getByRole("main").getByText(account.email).first()).toBeVisible();
  await expect(page, "an entry leads to its subject").toHaveURL(/\/admin\/orders\/[0-9a-f-]{36}$/);
  await page.getByRole("button", { name: /^Notifications/ }).click();
  await live.cut(); // other tests sell until stock runs low, and that rings
  await page.getByRole("button", { name: "Mark all read" }).click();
  await page.getByRole("button", { name: "Clear all" }).click();
  await expect(page.getByText("No notifications yet")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Notifications" })).toBeFocused();
});

test("low stock is announced once, when its label gets worse", async ({ page, makeTicketType }) => {
  const { id, name } = await makeTicketType({ called: "Patio", available: 300, total: 1000 });
  const leave = async (units: number) => {
    const { error } = await serviceClient()
      .from("ticket_types")
      .update({ current_inventory: units })
      .eq("id", id);
    expect(error).toBeNull();
  };
  await arriveAsAdmin(page);
  const live = await watchLiveConnection(page, { newsOf: name });
  // The bell announces a level only after it has read the initial one.
  const known = page.waitForResponse(
    (answer) => answer.url().includes("/rest/v1/products?select=id"),
    ARRIVING,
  );
  await page.goto("/admin/inventory");
  const row = page.getByRole("row").filter({ hasText: name });
  await expect(row).toContainText("Good");
  await known;
  await live.flows(ANY_SCREEN);
  await leave(250);
  await expect(row).toContainText("Low");
  await leave(240);
  await leave(100);
  await expect(row).toContainText("Critical");
  await page.getByRole("button", { name: /^Notifications, \d+ unread$/ }).click();
  const notices = page.getByRole("link", { name: new RegExp(`Low Inventory.*${name}`) });
  await expect(notices).toHaveCount(2);
  await expect(notices.first()).toContainText("100 left of 1000");
  await expect(notices.last()).toContainText("250 left of 1000");
  await page.keyboard.press("Escape");
  await expect(figure(page, "Low Stock Items")).not.toHaveText("0");
});

test("a burst of visits means few refetches", async ({ page }) => {
  await arriveAsAdmin(page);
  const live = await watchLiveConnection(page);
  const today = untilMidnight();
  await page.goto("/admin");
  const visits = figure(page, "Visits Today");
  await expect(visits).toHaveText(/\d/);
  await live.flows(DASHBOARD);
  const before = await amount(visits);
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().includes("/rpc/get_realtime_visit_stats")) asked++;
  });
  const burst = randomUUID();
  for (let n = 0; n < 20; n++) {
    const rows = Array.from({ length: 20 }, (_, index) => ({
      session_id: `${burst}-${n}-${index}`,
      page_path: "/map",
    }));
    expect((await serviceClient().from("site_visits").insert(rows)).error).toBeNull();
  }
  await expect
    .poll(async () => today((await amount(visits)) - before), { timeout: 30_000 })
    .toBeGreaterThanOrEqual(400);
  // At most one per second (coalesce.test.ts), and one every ten seconds: fewer than a test can last.
  await expect.poll(() => asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(70);
});

test("after an interruption the bell shows what was missed, and nothing older", async ({
  page,
  makeTicketType,
}) => {
  const type = await makeTicketType({ called: "Missed", price: 45 });
  const unique = randomUUID();
  const past = `Past ${unique}`;
  for (const name of ["Paula", "Petra"]) await placeOrder({ buyerName: `${name} ${past}` });
  await arriveAsAdmin(page);
  const live = await watchLiveConnection(page, { newsOf: unique });
  await onlyMissed(page, unique);
  let reads = 0;
  page.on("response", (response) => {
    if (/\/orders\?.*limit=200/.test(response.url())) reads++;
  });
  await page.goto("/admin");
  const own = soldRows(page).filter({ hasText: type.name });
  await expect(own).toContainText("$0.00");
  await live.flows(DASHBOARD);
  // One read of the initial state and, once that is complete, one of what came meanwhile.
  await expect.poll(() => reads).toBe(2);

  await live.cut();
  await placeOrder({ buyerName: `Mia Missed ${unique}`, type, quantity: 3 });
  const { error } = await serviceClient()
    .from("audit_logs")
    .insert({ action_type: `CRITICAL_${unique}`, table_name: "outbox" });
  expect(error).toBeNull();
  live.mend();

  await expect(own).toContainText("$135.00", { timeout: 30_000 });
  await page.getByRole("button", { name: /^Notifications, \d+ unread$/ }).click();
  await expect(
    page.getByRole("link", { name: new RegExp(`Order from Mia Missed ${unique} - \\$135\\.00`) }),
  ).toHaveCount(1);
  await expect(page.getByText(past)).toHaveCount(0);
  await expect(page.getByRole("link", { name: `CRITICAL_${unique} in outbox` })).toHaveCount(1);
});

test("after a standby longer than the session, the screen reads and joins only once it is renewed, as the signed-in administrator, and shows what came meanwhile", async ({
  page,
  context,
  pageErrors,
}) => {
  const family = `Slept${randomUUID().slice(0, 8)}`;
  await placeOrder({ buyerName: `Early ${family}` });
  await page.clock.install();
  const { id: admin } = await arriveAsAdmin(page);
  const live = await watchLiveConnection(page, { newsOf: family });
  await page.goto(`/admin/orders?q=${family}`);
  await expect(page.getByText(`Early ${family}`)).toBeVisible();
  await live.flows(ANY_SCREEN);
  const permits = new Set<string | undefined>();
  page.on("request", (request) => {
    const url = request.url();
    // Visits name nobody, and are always counted as a visitor's.
    if (url.includes("/rest/v1/") && !url.endsWith("/record_visits"))
      permits.add(request.headers().authorization);
  });

  await context.setOffline(true);
  await live.cut();
  await page.clock.fastForward("02:00:00");
  await placeOrder({ buyerName: `Late ${family}` });
  permits.clear();
  const renewable = await answerWith(page, "**/auth/v1/token?*", 503, {});
  live.mend();
  await context.setOffline(false);
  // The client tries to renew it for half a minute.
  await expect(async () => {
    await page.clock.fastForward(10_000);
    await expect(page.getByText(/^Could not refresh/)).toBeVisible({ timeout: 500 });
  }).toPass();
  await expectLogged(pageErrors, "The session could not be renewed");
  await expect(page.getByText(`Early ${family}`)).toBeVisible();
  await expect(page.getByText(`Late ${family}`)).toHaveCount(0);

  await renewable();
  await expect(async () => {
    await page.clock.fastForward(10_000);
    await expect(page.getByText(`Late ${family}`)).toBeVisible({ timeout: 500 });
  }).toPass();
  expect(permits).not.toContain(`Bearer ${status().ANON_KEY}`);
  await live.flows(ANY_SCREEN);
  expect(new Set(live.joinedAs())).toEqual(new Set([admin]));
  await placeOrder({ buyerName: `Live ${family}` });
  await expect(page.getByText(`Live ${family}`)).toBeVisible();
  pageErrors.length = 0;
});

test("an error in the audit log and a vendor's application are announced at once", async ({ page }) => {
  await arriveAsAdmin(page);
  const unique = randomUUID();
  const live = await watchLiveConnection(page, { newsOf: unique });
  await page.goto("/admin/sponsors");
  await live.flows(ANY_SCREEN);
  const kind = `CRITICAL_${unique}`;
  const { error } = await serviceClient()
    .from("audit_logs")
    .insert({ action_type: kind, table_name: "outbox" });
  expect(error).toBeNull();
  await expect(page.getByText(`${kind} in outbox`)).toBeVisible();
  const booth = `Booth ${unique}`;
  const applied = await serviceClient()
    .from("vendor_applications")
    .insert({
      booth_name: booth,
      contact_name: "Vera Vendor",
      contact_email: newEmail("vendor"),
      contact_phone: "713-555-0101",
      vendor_type: "food",
      description: "Links",
      products: "Links",
      description_of_goods: "Hot links",
    });
  expect(applied.error).toBeNull();
  await page.getByRole("button", { name: /^Notifications, \d+ unread$/ }).click();
  const entry = page.getByRole("link", { name: `${booth} has applied` });
  await expect(entry).toContainText("New Vendor Application");
  await entry.click();
  const details = page.getByRole("dialog", { name: "Vendor Application Details" });
  await expect(details).toContainText(booth);
  await page.keyboard.press("Escape");
  await expect(details).toBeHidden();
  await expect(page).toHaveURL(/\/admin\/vendors$/);
});

test("the second of two editors of a row is warned, and keeps what they typed", async ({
  page,
  browser,
  pageErrors,
  makeParkingPass,
}) => {
  const { id, name } = await makeParkingPass({ called: "Meadow", price: 60, available: 200 });
  await arriveAsAdmin(page);
  const context = await browser.newContext();
  const second = await context.newPage();
  await arriveAsAdmin(second);
  for (const editor of [page, second]) {
    await editor.goto("/admin/inventory");
    await editor.getByRole("button", { name: `Edit ${name}` }).click();
  }
  await page.getByLabel(`Price of ${name}`).fill("61.00");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Parking inventory updated successfully")).toBeVisible();

  await second.getByLabel(`Total of ${name}`).fill("210");
  await second.getByRole("button", { name: "Save", exact: true }).click();
  await expect(second.getByText(/^Someone else changed this row/)).toBeVisible();
  // Only the field that the other changed is marked.
  await expect(second.locator("[aria-invalid=true]")).toHaveCount(1);
  await expect(second.getByLabel(`Price of ${name}`)).toHaveAccessibleDescription("Now 61.00");
  await expect(second.getByLabel(`Total of ${name}`)).toHaveValue("210");
  await expect(second.getByLabel(`Price of ${name}`)).toHaveValue("61.00");
  await second.getByRole("button", { name: "Save", exact: true }).click();
  await expect(second.getByText("Parking inventory updated successfully")).toBeVisible();
  const { data } = await serviceClient()
    .from("parking_passes")
    .select("price, total_inventory")
    .eq("id", id)
    .single();
  expect(data).toEqual({ price: 61, total_inventory: 210 });
  await context.close();

  // Each bound has its message, and the row stays in edit.
  await page.reload();
  await page.getByRole("button", { name: "Edit VIP" }).click();
  for (const [field, value, message] of [
    ["Price", "100000", "Price can be at most $99,999.99."],
    ["Price", "0.49", "Price must be $0.00 (free) or at least $0.50, the minimum card charge."],
    ["Price", "-1", "Price must be at least $0.00."],
    ["Price", "12.345", "Price must be an amount in dollars, such as 25 or 25.50."],
    ["Available", "1.5", "Available must be a whole number."],
    // Other tests buy VIP tickets meanwhile.
    ["Available", "501", /^Available can be at most \d+: total minus sold and held\./],
    ["Available", "-1", /^Available cannot be below 0: \d+ are available/],
  ] as const) {
    const input = page.getByLabel(`${field} of VIP`);
    const good = await input.inputValue();
    await input.fill(value);
    await page.keyboard.press("Enter");
    await expect(announcer(page), "told once, after the field's name").toHaveText(
      new RegExp(`^${field}: ${field} `),
    );
    await expect(problems(page)).toHaveText(message);
    await expect(input).toHaveValue(value);
    await input.fill(good);
  }
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Edit VIP" })).toBeFocused();
  expectRefusal(pageErrors, 400);
});

test("an alternate host leads to the canonical one, except in the back office", async ({ page, baseURL }) => {
  const alternate = baseURL.replace("localhost", "127.0.0.1");
  await page.route(`${alternate}/**`, async (route) => {
    if (route.request().resourceType() !== "document") return route.fallback();
    const answer = await route.fetch(RECONNECTING);
    const body = (await answer.text())
      .replace(/<meta name="canonical-url"[^>]*>/, `<meta name="canonical-url" content="${baseURL}"/>`)
      .replace(
        /<meta name="alternate-hosts"[^>]*>/,
        `<meta name="alternate-hosts" content="${new URL(alternate).host}"/>`,
      );
    await route.fulfill({ response: answer, body });
  });
  await page.goto(`${alternate}/faq?a=1`);
  await expect(page).toHaveURL(`${baseURL}/faq?a=1`);
});
