// Clicks before the data they depend on has loaded, and forms whose data is reloaded while somebody types.
import type { Page } from "@playwright/test";
import { createAccount } from "../../support/shop/accounts.ts";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn, arriveWithCart, serviceClient } from "../../support/shop/arrival.ts";
import { hold, RECONNECTING, silenceSockets, tryAgain } from "../../support/page/faults.ts";
import { expect, expectAccessible, status } from "../../support/fixtures.ts";
import { test } from "../../support/shop/own-items.ts";

/** Blocks requests to the path until the returned function is called. */
async function cut(page: Page, path: string): Promise<() => Promise<void>> {
  await page.route(path, (route) => route.abort());
  return () => page.unroute(path);
}

const withoutCuts = (pageErrors: string[]) =>
  pageErrors.splice(0).filter((error) => !/ERR_FAILED|Failed to fetch|could not be reached/.test(error));

test("kept comps are issued by a click before the ticket types have loaded, and the page says that they are loading", async ({
  page,
  makeTicketType,
  pageErrors,
}) => {
  const type = await makeTicketType({ called: "Crew", available: 3 });
  const mark = type.name.split(" ")[1]!;
  // Other tests' changes would reload the types.
  await silenceSockets(page);
  await arriveAsAdmin(page);
  await page.goto("/admin/comps");
  await page.getByRole("button", { name: "Issue Comps" }).click();
  const dialog = page.getByRole("dialog", { name: "Issue comps" });
  const types = dialog.getByLabel("Ticket type");
  await types.selectOption(type.name);
  await dialog.getByLabel("Reason").fill(`Crew ${mark}`);
  await dialog.getByLabel("Name").fill(`Ana ${mark}`);
  await dialog.getByLabel("Email").fill(`ana.${mark}@guests.test`);
  const answer = await cut(page, "**/rpc/issue_comps");
  await dialog.getByRole("button", { name: "Issue" }).click();
  await expect(
    dialog.getByText("The server didn't respond, so the comps may", { exact: false }),
  ).toBeVisible();
  await answer();

  const readable = await cut(page, "**/rpc/get_inventory_status");
  await page.reload();
  await page.getByRole("button", { name: "Issue Comps" }).click();
  await expect(types.locator("option:checked")).toHaveText("Your current choice");
  await expect(dialog.getByText("The ticket types couldn't be loaded.")).toBeVisible();
  await expectAccessible(page);
  await readable();
  const release = await hold(page, "**/rpc/get_inventory_status");
  await dialog.getByRole("button", { name: "Try Again" }).click();
  await expect(dialog.getByText("Loading the ticket types…")).toBeVisible();
  await dialog.getByRole("button", { name: "Issue" }).click();
  await expect(page.getByText("1 comp issued")).toBeVisible();
  release();
  const { data } = await serviceClient().from("ticket_types").select("sold").eq("id", type.id).single();
  expect(data).toEqual({ sold: 1 });
  expect(withoutCuts(pageErrors)).toEqual([]);
});

test("a message asks for confirmation with the number of the last choice, however late it is counted", async ({
  page,
  makeTicketType,
}) => {
  const [two, one] = await Promise.all(["Duo", "Solo"].map((called) => makeTicketType({ called })));
  for (const type of [two!, two!, one!]) {
    await placeOrder({ buyerName: "Counted fan", buyer: await createAccount(status()), type });
  }
  await arriveAsAdmin(page);
  await page.goto("/admin/messages/new");
  await page.getByLabel("Subject").fill("Counted");
  await page.getByLabel("Text").fill("You are counted.");
  await page.getByLabel(two!.name).check();
  await expect(page.getByText("Reaches 2 people")).toBeVisible();
  const count = await hold(page, "**/rpc/preview_message_audience");
  await page.getByLabel(one!.name).check();
  await page.getByLabel(two!.name).uncheck();
  await page.getByRole("button", { name: /^Send( to .*)?$/ }).click();
  // A confirmation now would show the wrong recipients.
  await expect(page.getByRole("alertdialog")).toBeHidden();
  count();
  await expect(page.getByRole("alertdialog", { name: "Send to 1 person?" })).toBeVisible();
  // After a reload: the chosen recipients are not called everybody while the names load.
  const names = await hold(page, "**/rest/v1/products?*");
  await page.reload();
  await expect(page.getByText("Loading the ticket types…")).toBeVisible();
  await expect(page.getByText("You chose 1 type.")).toBeVisible();
  names();
  await expect(page.getByLabel(one!.name)).toBeChecked();
});

test("in the back office nothing is taken for read before it is, and nothing typed or chosen is lost", async ({
  page,
  makeTicketType,
  pageErrors,
}) => {
  test.slow();
  await arriveAsAdmin(page);
  await test.step("a door time being typed stays when somebody else changes re-entry", async () => {
    let isChanged = false;
    await page.route("**/rpc/gate_board", async (route) => {
      const response = await route.fetch(RECONNECTING);
      const board = (await response.json()) as { settings: object };
      const settings = isChanged ? { ...board.settings, reentry: true } : board.settings;
      await route.fulfill({ response, json: { ...board, settings } });
    });
    await page.goto("/admin/gate");
    const form = page.getByRole("form", { name: "Doors and re-entry" });
    await form.getByLabel("Doors close").fill("2099-06-27T23:00");
    isChanged = true;
    await expect(form.getByLabel(/^Re-entry/)).toBeChecked();
    await expect(form.getByLabel("Doors close")).toHaveValue("2099-06-27T23:00");
    await page.unrouteAll({ behavior: "wait" });
  });
  await test.step("a list says that nothing matches only once it has loaded", async () => {
    await page.goto(`/admin/attendees?q=${crypto.randomUUID()}`);
    await expect(page.getByText("No attendees match.")).toBeVisible();
    const release = await hold(page, "**/rpc/list_attendees");
    await page.getByLabel("Status", { exact: true }).selectOption("Not checked in");
    await expect(page.getByText("Loading attendees")).toBeAttached();
    await expect(page.getByText("No attendees match.")).toHaveCount(0);
    release();
    await expect(page.getByText("No attendees match.")).toBeVisible();
    await page.unrouteAll({ behavior: "wait" });
  });
  await test.step("a typed day of sales stays as typed while it loads", async () => {
    await placeOrder({ buyerName: "Sold today" });
    await page.goto("/admin/money/sales");
    const day = page.getByLabel("Day", { exact: true });
    const before = await day.inputValue();
    const release = await hold(page, "**/rpc/get_sales_plot");
    const wanted = new Date(Date.parse(before) - 86_400_000).toISOString().slice(0, 10);
    await day.fill(wanted);
    await expect(page).toHaveURL(new RegExp(`day=${wanted}`));
    await expect(day).toHaveValue(wanted);
    release();
    await page.unrouteAll({ behavior: "wait" });
  });
  await test.step("the tills' file contains the chosen days, not those shown before", async () => {
    const shift = (seller: string) => ({
      ...{ id: crypto.randomUUID(), seller, opened_at: "2026-06-27T15:00:00Z", closed_at: null },
      ...{ float: 0, sales: 0, voids: 0, cash: 0, card: 0, cash_back: 0, card_back: 0 },
      ...{ expected: 0, counted: null, difference: null, note: "", items: [] },
    });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/rpc/get_till_report", async (route) => {
      const isChosen = Boolean((route.request().postDataJSON() as { p_from?: string } | null)?.p_from);
      if (isChosen) await released;
      const shifts = [shift(isChosen ? "chosen@tills.test" : "before@tills.test")];
      await route.fulfill({ json: { shifts, items: [] } });
    });
    await page.goto("/admin/tills");
    await expect(page.getByText("before@tills.test").first()).toBeVisible();
    await page.getByLabel("From").fill("2026-06-27");
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export Tills" }).click();
    await expect(page.getByRole("button", { name: "Exporting" })).toBeVisible();
    release();
    const file = await (await downloading).createReadStream();
    const text = (await file.toArray()).join("");
    expect(text).toContain("chosen@tills.test");
    expect(text).not.toContain("before@tills.test");
    await page.unrouteAll({ behavior: "wait" });
  });
  await test.step("a filter stays as chosen while its options cannot be loaded", async () => {
    const type = await makeTicketType({ called: "Filtered" });
    const readable = await cut(page, "**/rpc/get_inventory_status");
    await page.goto(`/admin/attendees?type=${type.id}`);
    const chosen = page.getByLabel("Ticket type", { exact: true }).locator("option:checked");
    await expect(chosen).toHaveText("Your current choice");
    await expect(page.getByText("The ticket types couldn't be loaded.")).toBeVisible();
    await expectAccessible(page);
    await readable();
    await tryAgain(page.getByRole("main").getByRole("button", { name: "Try Again" }));
    await expect(chosen).toHaveText(type.name);
    expect(withoutCuts(pageErrors)).toEqual([]);
    await page.unrouteAll({ behavior: "wait" });
  });
  await test.step("who is invited and which roles need a second step is shown only once it has loaded", async () => {
    const readable = await Promise.all(
      ["**/rest/v1/staff_invitations*", "**/rest/v1/staff_settings*"].map((path) => cut(page, path)),
    );
    await page.goto("/admin/users");
    await expect(page.getByText("The open invitations couldn't be loaded.")).toBeVisible();
    await expect(page.getByText("The settings couldn't be loaded.")).toBeVisible();
    await expect(page.getByText("No pending invitations.", { exact: false })).toHaveCount(0);
    await expect(page.getByRole("checkbox", { name: "Administrator" })).toHaveCount(0);
    for (const read of readable) await read();
    const steps = page.getByRole("group", { name: "Require two-step verification for" });
    await steps.getByRole("button", { name: "Try Again" }).click();
    await expect(steps.getByRole("checkbox")).toHaveCount(3);
    expect(withoutCuts(pageErrors)).toEqual([]);
    await page.unrouteAll({ behavior: "wait" });
  });
  await test.step("the sums of a refund run chosen by hand say that they could not be loaded", async () => {
    const tag = `sums-${crypto.randomUUID().slice(0, 8)}`;
    const order_id = await placeOrder({ buyerName: "Suma Run" });
    expect((await serviceClient().from("order_tags").insert({ order_id, tag })).error).toBeNull();
    await page.goto("/admin/money/refunds");
    await page.getByLabel("Tag", { exact: true }).selectOption(tag);
    await expect(page.getByText("1 order, $45.00", { exact: true })).toBeVisible();
    const readable = await cut(page, "**/rpc/preview_refund_run");
    await page.getByLabel("Only Suma Run's order").check();
    await expect(page.getByText("The sums couldn't be loaded.")).toBeVisible();
    await expectAccessible(page);
    await readable();
    await page.getByRole("main").getByRole("button", { name: "Try Again" }).click();
    await expect(page.getByText("1 order, $45.00 selected")).toBeVisible();
    expect(withoutCuts(pageErrors)).toEqual([]);
    await page.unrouteAll({ behavior: "wait" });
  });
  await test.step("a promo code says that its ticket types could not be loaded, and its file waits for them", async () => {
    const type = await makeTicketType({ called: "Balcony" });
    const code = `LATE-${crypto.randomUUID().slice(0, 8)}`.toUpperCase();
    const { error } = await serviceClient()
      .from("promo_codes")
      .insert({ code, percent_off: 5, ticket_type_ids: [type.id] });
    expect(error).toBeNull();
    const readable = await cut(page, "**/rest/v1/products?*");
    await page.goto(`/admin/promo-codes?q=${code}`);
    await page.getByRole("button", { name: `Edit ${code}` }).click();
    const dialog = page.getByRole("dialog", { name: `Edit ${code}` });
    await expect(dialog.getByText("It applies to 1 type.")).toBeVisible();
    await expect(dialog.getByText("The ticket types couldn't be loaded.")).toBeVisible();
    await expectAccessible(page);
    await readable();
    const release = await hold(page, "**/rest/v1/products?*");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    await expect(page.getByRole("button", { name: "Exporting" })).toBeVisible();
    release();
    const file = await (await downloading).createReadStream();
    const text = (await file.toArray()).join("");
    expect(text).toContain(type.name);
    expect(text).not.toContain(type.id);
    expect(withoutCuts(pageErrors)).toEqual([]);
    await page.unrouteAll({ behavior: "wait" });
  });
  await test.step("what is typed into the fee and the window stays when the sale is stopped", async () => {
    let isStopped = false;
    await page.route("**/rest/v1/shop_settings*", async (route) => {
      if (route.request().method() === "PATCH") {
        isStopped = true;
        return route.fulfill({ status: 204 });
      }
      const response = await route.fetch(RECONNECTING);
      await route.fulfill({ response, json: { ...(await response.json()), on_sale: !isStopped } });
    });
    await page.goto("/admin/inventory");
    const fee = page.getByRole("region", { name: "Fee or Tax" });
    // A fee is compared with what the pages promise: the form does not wait for their texts.
    const read = await hold(page, "**/festival.json");
    const texts = page.waitForRequest("**/festival.json");
    await fee.getByLabel("Percent of the order").fill("7.5");
    await texts;
    await expect(fee.getByLabel("Percent of the order")).toBeFocused();
    await expect(fee.getByLabel("Percent of the order")).toHaveValue("7.5");
    read();
    const sales = page.getByRole("region", { name: "Sales", exact: true });
    await sales.getByLabel("Closes").fill("2099-01-01T10:00");
    await sales.getByRole("button", { name: "Stop Sales" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Stop sales" }).click();
    await expect(sales).toContainText("Sales are off");
    await expect(fee.getByLabel("Percent of the order")).toHaveValue("7.5");
    await expect(sales.getByLabel("Closes")).toHaveValue("2099-01-01T10:00");
    await page.unrouteAll({ behavior: "wait" });
  });
});

test("a place on the waitlist is looked up before anybody is asked to join or to sign in", async ({
  page,
  account,
  makeTicketType,
  pageErrors,
}) => {
  const type = await makeTicketType({ called: "Late line", available: 0, total: 5 });
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [{ ...type, type: "ticket", quantity: 1 }]);
  const release = await hold(page, "**/rpc/my_waitlist");
  await page.goto("/tickets");
  const card = page.getByRole("article", { name: type.name, exact: true });
  await expect(card.getByText("Looking up your place on the waitlist…")).toBeVisible();
  await expect(card.getByRole("button", { name: "Join the Waitlist" })).toHaveCount(0);
  // A unit may be held for them.
  await expect(page.getByRole("button", { name: "Update My Cart" })).toHaveCount(0);
  release();
  await expect(page.getByRole("button", { name: "Update My Cart" })).toBeVisible();
  await expect(card.getByRole("button", { name: "Join the Waitlist" })).toBeVisible();
  await page.unroute("**/rpc/my_waitlist");
  const readable = await cut(page, "**/rpc/my_waitlist");
  await page.reload();
  await expect(card.getByText("Your place on the waitlist could not be loaded.")).toBeVisible();
  await expectAccessible(page);
  await readable();
  await card.getByRole("button", { name: "Try Again" }).click();
  await expect(card.getByRole("button", { name: "Join the Waitlist" })).toBeVisible();
  expect(withoutCuts(pageErrors)).toEqual([]);
});

test("refundable money and earlier orders say when they cannot be loaded", async ({
  page,
  account,
  pageErrors,
}) => {
  // Chromium does not let a page that the test fulfils itself open a socket to this machine.
  await silenceSockets(page);
  await placeOrder({ buyerName: "Many orders", buyer: account });
  await arriveSignedIn(page, account);
  // As after the festival was moved, with a page full of orders.
  for (const facts of ["**/my-tickets", "**/festival.json"])
    await page.route(facts, async (route) => {
      const response = await route.fetch(RECONNECTING);
      const body = (await response.text()).replace('"status":"planned"', '"status":"moved"');
      await route.fulfill({ response, body });
    });
  await page.route("**/rest/v1/orders?*", async (route) => {
    if (route.request().url().includes("or=")) return route.abort();
    const response = await route.fetch(RECONNECTING);
    const [order] = (await response.json()) as object[];
    const json = Array.from({ length: 50 }, () => ({ ...order, id: crypto.randomUUID() }));
    await route.fulfill({ response, json });
  });
  const readable = await cut(page, "**/rpc/get_refund_offers");
  await page.goto("/my-tickets");
  const note = page.getByText("We could not check whether you can get your money back.");
  await expect(note.first()).toBeVisible();
  await readable();
  await page.getByRole("main").getByRole("button", { name: "Try Again" }).first().click();
  await expect(note).toHaveCount(0);
  const more = page.getByRole("button", { name: "Show More Orders" });
  const alert = page.getByText("Your earlier orders could not be loaded. Please try again.");
  await expect(async () => {
    if (!(await alert.isVisible())) await more.click({ timeout: 1000 });
    await expect(alert).toBeVisible({ timeout: 500 });
  }).toPass();
  await expectAccessible(page);
  expect(withoutCuts(pageErrors)).toEqual([]);
});
