// The back office while something fails: it says so, keeps what it knows, and recovers automatically.
import { randomUUID } from "node:crypto";
import type { Request } from "@playwright/test";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { figure } from "../../support/shop/admin-figures.ts";
import { serviceClient } from "../../support/shop/arrival.ts";
import { answerWith, expectLogged, hold, tryAgain } from "../../support/page/faults.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";
import { watchLiveConnection } from "../../support/page/live-connection.ts";

const DASHBOARD = 2;
const OFFLINE = /^Offline since \d?\d:\d\d [AP]M CT$/;
const refused = { code: "XX000", message: "out of order", details: null, hint: null };

test("badges show since when the connection is down and recover with it, whether the server or the browser's own network was lost", async ({
  page,
  context,
}) => {
  await arriveAsAdmin(page);
  const live = await watchLiveConnection(page);
  await page.goto("/admin");
  await live.flows(DASHBOARD);
  await test.step("the server", async () => {
    await expect(page.getByText("Live Data")).toBeVisible();
    await expect(page.getByText("Live Updates")).toBeVisible();
    await live.cut();
    await expect(page.getByText(OFFLINE)).toHaveCount(2);
    await expect(page.getByText("Live Data")).toBeHidden();
    live.mend();
    await expect(page.getByText("Live Data")).toBeVisible({ timeout: 30_000 });
    await expect(page.getByText("Live Updates")).toBeVisible();
  });
  await test.step("the browser's own network, at once", async () => {
    await expect(page.getByText("Live Data")).toBeVisible();
    // No request is answered meanwhile: the browser's own event is the only signal.
    const release = await hold(page, "**/rest/v1/rpc/**");
    await context.setOffline(true);
    await expect(page.getByText(OFFLINE)).toHaveCount(2);
    const read = page.waitForResponse((response) => response.url().endsWith("/rpc/get_sales_overview"));
    await context.setOffline(false);
    // Reads triggered by other tests in between are answered too.
    release();
    await read;
    await expect(page.getByText("Live Data")).toBeVisible();
    await expect(page.getByText("Live Updates")).toBeVisible();
  });
});

test("a role or a second step that cannot be looked up sends nobody home and lets nobody pass; a screen that breaks leaves the navigation intact", async ({
  page,
  pageErrors,
}) => {
  await arriveAsAdmin(page);
  await test.step("a role that cannot be looked up sends nobody home, and is looked up again", async () => {
    let asked = 0;
    await page.route("**/rest/v1/user_roles?*", async (route) => {
      if (route.request().method() !== "GET") return route.continue();
      asked++;
      await route.fulfill({ status: 500, json: refused });
    });
    await page.goto("/admin/orders");
    await expect(page.getByText("Checking admin access...")).toBeVisible();
    await expect(page.getByText("Your admin access could not be checked")).toBeVisible();
    expect(asked, "with the retries of every read").toBe(3);
    await expect(page).toHaveURL(/\/admin\/orders$/);
    await page.unroute("**/rest/v1/user_roles?*");
    await page.getByRole("button", { name: "Try Again" }).click();
    await expect(page.getByRole("heading", { name: "Orders Management" })).toBeVisible();
    await expectLogged(pageErrors, "look up the role");
  });
  await test.step("a second step that cannot be looked up lets nobody pass without it, and is looked up again", async () => {
    await page.route("**/rest/v1/rpc/second_step", (route) => route.fulfill({ json: null }));
    await page.goto("/admin/orders");
    await expect(page.getByText("Your admin access could not be checked")).toBeVisible();
    await page.unroute("**/rest/v1/rpc/second_step");
    await page.getByRole("button", { name: "Try Again" }).click();
    await expect(page.getByRole("heading", { name: "Orders Management" })).toBeVisible();
    await expectLogged(pageErrors, "look up the second step");
  });
  await test.step("an alert links to where it can be resolved", async () => {
    const { error } = await serviceClient()
      .from("audit_logs")
      .insert({ action_type: "CRITICAL_ALERT", table_name: "outbox" });
    expect(error).toBeNull();
    await page
      .getByRole("navigation", { name: "Back office" })
      .getByRole("link", { name: "Dashboard" })
      .click();
    await page.getByRole("link", { name: /^\d+ recent system errors?$/ }).click();
    await expect(page).toHaveURL(/\/admin\/audit-logs\?kind=Errors$/);
    await expect(page.getByRole("cell", { name: /^CRITICAL_\s?ALERT$/ }).first()).toBeVisible();
  });
  await test.step("a screen that breaks leaves the navigation intact, and is logged", async () => {
    const file = await page.waitForFunction(
      () =>
        Reflect.get(globalThis, "__reactRouterManifest")?.routes["routes/admin/sponsors"].module as string,
    );
    await page.route(`**${await file.jsonValue()}`, (route) =>
      route.fulfill({
        contentType: "text/javascript",
        body: 'export default () => { throw new Error("a screen that breaks") };',
      }),
    );
    const navigation = page.getByRole("navigation", { name: "Back office" });
    await navigation.getByRole("link", { name: "Sponsors" }).click();
    await expect(page.getByText("Something went wrong")).toBeVisible();
    await expect(
      page.getByText("There was an error loading the admin dashboard. Please try refreshing the page."),
    ).toBeVisible();
    await expectLogged(pageErrors, "show a screen of the back office");
    await page
      .getByRole("navigation", { name: "Back office" })
      .getByRole("link", { name: "Dashboard" })
      .click();
    await expect(page.getByRole("heading", { name: "Dashboard Overview" })).toBeVisible();
    const strip = page.getByRole("region", { name: "This browser" });
    await expect(strip.getByText("Error Count").locator("xpath=..")).not.toHaveText("Error Count0");
  });
});

test("a read that keeps failing is reported next to the old figures, and logged once", async ({
  page,
  pageErrors,
}) => {
  await arriveAsAdmin(page);
  const live = await watchLiveConnection(page);
  await page.goto("/admin");
  await live.flows(DASHBOARD);
  const revenue = figure(page, "Total Revenue");
  await expect(revenue).toContainText("$");
  const logged: string[] = [];
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/rpc/get_sales_overview")) asked++;
    if (!request.url().endsWith("/rpc/log_admin_action")) return;
    const { p_action_type } = request.postDataJSON() as { p_action_type: string };
    if (p_action_type === "FETCH_ERROR_SALES_OVERVIEW") logged.push(p_action_type);
  });
  const overview = await answerWith(page, "**/rpc/get_sales_overview", 500, refused);
  const health = await answerWith(page, "**/rpc/get_system_health", 500, refused);
  const strip = page.getByRole("region", { name: "This browser" });
  await expect(strip.getByText("Error Count").locator("xpath=..")).toHaveText("Error Count0");
  // An order triggers both reads, which fail with their retries; so does the second order.
  await placeOrder({ buyerName: "Olga Old" });
  const notes = page.getByText(/^Could not refresh\. These figures are from \d?\d:\d\d [AP]M CT\.$/);
  await expect(notes).toHaveCount(2);
  // Not earlier: sales of other tests may still have been on their way.
  const shown = await revenue.textContent();
  await expect(page.getByText(OFFLINE)).toHaveCount(1);
  await expect(page.getByText("Live Updates"), "visits can be read").toBeVisible();
  await expect(strip.getByText("Error Count").locator("xpath=.."), "the strip follows").toHaveText(
    "Error Count2",
  );
  await expectAccessible(page);
  const before = asked;
  await placeOrder({ buyerName: "Olga Old" });
  await expect.poll(() => asked).toBeGreaterThanOrEqual(before + 3);
  await expect(revenue).toHaveText(shown!);

  await overview();
  await health();
  await tryAgain(page.getByRole("button", { name: "Try Again" }).first());
  await expect(notes).toHaveCount(0);
  await expect(page.getByText("Live Data")).toBeVisible();
  await expect(revenue).not.toHaveText(shown!);
  expect(logged).toEqual(["FETCH_ERROR_SALES_OVERVIEW"]);
  await expect(strip.getByText("Error Count").locator("xpath=..")).toHaveText("Error Count2");
  await expectLogged(pageErrors, "out of order");
});

test("a list that cannot be refreshed says so above the old rows", async ({ page, pageErrors }) => {
  await arriveAsAdmin(page);
  const live = await watchLiveConnection(page);
  // Other tests place orders meanwhile, and a page holds ten.
  const family = `Listed${randomUUID().slice(0, 8)}`;
  await placeOrder({ buyerName: `Lena ${family}` });
  await page.goto(`/admin/orders?q=${family}`);
  await expect(page.getByText(`Lena ${family}`)).toBeVisible();
  await live.flows(1);
  const mend = await answerWith(page, "**/rpc/get_recent_orders", 500, refused);
  await placeOrder({ buyerName: `Nora ${family}` });
  const note = page.getByText(/^Could not refresh/);
  await expect(note).toBeVisible();
  await expect(page.getByText(`Lena ${family}`)).toBeVisible();
  await mend();
  await tryAgain(page.getByRole("button", { name: "Try Again" }));
  await expect(note).toBeHidden();
  await expect(page.getByText(`Nora ${family}`)).toBeVisible();
  await expectLogged(pageErrors, "out of order");
});

test("an administrator whose role is removed is notified and sent home", async ({ page }) => {
  const admin = await arriveAsAdmin(page);
  const live = await watchLiveConnection(page);
  await page.goto("/admin/sponsors");
  await live.joined(`role:${admin.id}`);
  // The server ends the channel with the role; that alone is enough, before another one is joined.
  live.holdJoins();
  const { error } = await serviceClient().from("user_roles").delete().eq("user_id", admin.id);
  expect(error).toBeNull();
  await expect(page.getByText("Administrator access removed")).toBeVisible();
  await expect(page).toHaveURL(/\/$/);
});

test("a refused read is enough to send a former administrator home", async ({ page, pageErrors }) => {
  const admin = await arriveAsAdmin(page);
  const live = await watchLiveConnection(page);
  const lookUps = { asked: 0, ended: 0 };
  const isLookUp = (url: string) => url.includes("/rest/v1/user_roles?");
  page.on("request", (request) => void (isLookUp(request.url()) && lookUps.asked++));
  const ended = (request: Request) => void (isLookUp(request.url()) && lookUps.ended++);
  page.on("requestfinished", ended);
  page.on("requestfailed", ended);
  await page.goto("/admin");
  await live.flows(DASHBOARD);
  // One on arrival, one when changes begin to flow, and one for each role that another test assigns.
  await expect.poll(() => lookUps.ended).toBeGreaterThanOrEqual(2);
  await live.cut();
  await expect.poll(() => lookUps.asked - lookUps.ended, { message: "look-ups under way" }).toBe(0);
  const { error } = await serviceClient().from("user_roles").delete().eq("user_id", admin.id);
  expect(error).toBeNull();
  await expect(page.getByText("Administrator access removed")).toBeVisible({ timeout: 40_000 });
  await expect(page).toHaveURL(/\/$/);
  // Whichever read was given up first sent them home, where the others are not awaited.
  await expectLogged(pageErrors, "Only administrators");
  await page.goto("about:blank");
  pageErrors.length = 0;
});

test("a bell whose first reads failed rings for new events only", async ({ page, pageErrors }) => {
  const past = `Past ${randomUUID()}`;
  for (const name of ["Paula", "Petra"]) await placeOrder({ buyerName: `${name} ${past}` });
  await arriveAsAdmin(page);
  const next = `Nina ${randomUUID()}`;
  const live = await watchLiveConnection(page, { newsOf: next });
  const mend = await answerWith(
    page,
    /\/rest\/v1\/(orders|audit_logs|vendor_applications|products)\?/,
    500,
    refused,
  );
  await page.goto("/admin/sponsors");
  await live.flows(1);
  await expectLogged(pageErrors, "read what the notifications missed");
  await live.cut();
  await mend();
  live.mend();
  await live.flows(1);
  await placeOrder({ buyerName: next });
  await page.getByRole("button", { name: /^Notifications, \d+ unread$/ }).click();
  await expect(page.getByRole("link", { name: new RegExp(`Order from ${next}`) })).toBeVisible();
  await expect(page.getByText(past)).toHaveCount(0);
  pageErrors.length = 0;
});
