// The door: an administrator lets a gate account sell, who sells with one hand on a phone, through a lost answer and a paused
// type, and closes the till. Finance reads the takings, and a sale is voided.
import type { Page } from "@playwright/test";
import { createAccount } from "../../support/shop/accounts.ts";
import { arriveAsAdmin } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn, serviceClient } from "../../support/shop/arrival.ts";
import { hold, RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, expectRefusal, status } from "../../support/fixtures.ts";
import { test } from "../../support/shop/own-items.ts";

const stockOf = async (id: string) => {
  const { data } = await serviceClient()
    .from("ticket_types")
    .select("current_inventory, sold")
    .eq("id", id)
    .single();
  return data!;
};

/** Opens the seller's own page on a small phone. */
async function openPhone(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/admin/door");
  await page.getByLabel("Starting change").fill("50");
  await page.getByRole("button", { name: "Open the Till" }).click();
  await expect(page.getByText("Till open")).toBeVisible();
}

/** The dialog that issues comps to a list of guests. */
async function openList(page: Page, type: string, reason: string) {
  await arriveAsAdmin(page);
  await page.goto("/admin/comps");
  await page.getByRole("button", { name: "Issue Comps" }).click();
  const dialog = page.getByRole("dialog", { name: "Issue comps" });
  await dialog.getByLabel("Ticket type").selectOption(type);
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByRole("tab", { name: "A list" }).click();
  return { dialog, list: dialog.getByLabel("Guests", { exact: true }) };
}

/** Loses the answers of the call, which the server may have served. */
const issuing = (page: Page) => ({
  lose: (isServed: boolean) =>
    page.route("**/rpc/issue_comps", async (route) => {
      if (isServed) await route.fetch(RECONNECTING);
      await route.abort();
    }),
  answer: () => page.unroute("**/rpc/issue_comps"),
});

test("a gate account sells in three taps, once even when the answer is lost, and the till adds up", async ({
  page,
  browser,
  makeTicketType,
  mailbox,
  pageErrors,
}) => {
  test.slow();
  const type = await makeTicketType({ called: "Walk-in", price: 20, available: 6 });
  const seller = await createAccount(status());
  await serviceClient().from("user_roles").insert({ user_id: seller.id, role: "gate" });

  // The office allows them to sell.
  const context = await browser.newContext();
  const office = await context.newPage();
  await arriveAsAdmin(office);
  await office.goto("/admin/users");
  await office.getByLabel("Search by email").fill(seller.email);
  await office.getByLabel(`Sells at the door: ${seller.email}`).click();
  await expect(office.getByText(`${seller.email} can sell at the door`)).toBeVisible();

  await arriveSignedIn(page, seller);
  await openPhone(page);
  await expectAccessible(page);
  // Type, cash, the amount handed over.
  const add = page.getByRole("button", { name: `Add ${type.name}` });
  await add.click();
  await test.step("a key that is held down does not go on from Cash to the next sale", async () => {
    await page.getByRole("button", { name: "Cash" }).focus();
    const amounts = page.getByRole("group", { name: "Cash received" });
    await page.keyboard.down("Enter");
    await expect(amounts.getByRole("button", { name: "Exact" })).toBeFocused();
    for (let repeat = 1; repeat <= 3; repeat++) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await expect(amounts.getByRole("button", { name: "Exact" })).toBeEnabled();
    await page.keyboard.press("Escape");
  });
  await test.step("nor from Card to a sale that nobody charged", async () => {
    const charged = page.getByRole("button", { name: "Card Charged" });
    await page.getByRole("button", { name: "Card", exact: true }).focus();
    await page.keyboard.down("Enter");
    await expect(charged).toBeFocused();
    for (let repeat = 1; repeat <= 3; repeat++) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await expect(page.getByRole("dialog", { name: "by card" })).toBeVisible();
    await expect(charged).not.toHaveAttribute("aria-busy");
    await page.keyboard.press("Escape");
  });
  await page.getByRole("button", { name: "Cash" }).click();
  // On a slow line the till's figures arrive long after the sale's answer.
  const release = await hold(page, "**/rpc/get_till");
  await page.getByRole("button", { name: "$50.00" }).click();
  const sheet = page.getByRole("dialog", { name: "Sold" });
  await expect(sheet.getByText("$30.00")).toBeVisible();
  await expect(sheet.getByRole("img", { name: `Code 1 of 1: ${type.name}` })).toBeVisible();
  await expectAccessible(page);
  const address = `walkin-${Date.now()}@people.test`;
  await sheet.getByRole("textbox", { name: "Email the codes" }).fill(address);
  await sheet.getByRole("button", { name: "Send" }).click();
  expect((await mailbox.newest(address, /Your tickets/)).text).toContain("bought at the door");
  await sheet.getByRole("button", { name: "Next Sale" }).press("Enter");
  const items = page.getByRole("region", { name: "New sale" }).getByRole("listitem");
  await expect(items.first()).toBeFocused();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  release();
  await test.step("by keyboard, a pressed button that goes leaves its place to its row, where a held key does nothing", async () => {
    const row = items.filter({ has: add });
    const remove = row.getByRole("button", { name: `Remove one ${type.name}` });
    const chosen = row.getByRole("status", { name: `${type.name} chosen` });
    await add.press("Enter");
    await remove.press("Enter");
    await expect(row).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(chosen).toHaveCount(0);
    await page.keyboard.press("Tab");
    await expect(add).toBeFocused();
    for (let unit = 1; unit <= 7; unit++) await page.keyboard.press("Enter");
    await expect(chosen).toHaveText("5");
    await expect(row).toBeFocused();
    expect(await row.evaluate((element) => element.matches(":focus-visible")), "it is seen").toBe(true);
    await expectAccessible(page);
    await page.keyboard.press("Tab");
    await expect(remove).toBeFocused();
    await page.getByRole("button", { name: "Clear", exact: true }).press("Enter");
    await expect(items.first()).toBeFocused();
  });

  // The answer is lost after the sale was made: repeating it does not sell twice.
  await page.route("**/rpc/sell_at_door", async (route) => {
    await route.fetch(RECONNECTING);
    await route.abort();
  });
  const second = await page.context().newPage();
  await second.goto("/admin/door");
  await second.getByRole("button", { name: `Add ${type.name}` }).click();
  await add.click();
  await add.click();
  await page.getByRole("button", { name: "Card" }).click();
  await page.getByRole("button", { name: "Card Charged" }).click();
  await expect(page.getByText("No response. Check whether the sale went through.")).toBeVisible();
  await page.unroute("**/rpc/sell_at_door");
  await test.step("another tab that was open sells nothing before that is known", async () => {
    await second.getByRole("button", { name: "Cash" }).click();
    await second.getByRole("button", { name: "Exact" }).click();
    await expect(second.getByText("No response. Check whether the sale went through.")).toBeVisible();
    expect(await stockOf(type.id)).toEqual({ current_inventory: 3, sold: 3 });
    await second.close();
  });
  await page.reload();
  await page.getByRole("button", { name: "Check Again" }).click();
  await expect(sheet.getByRole("img")).toHaveCount(2);
  await sheet.getByRole("button", { name: "Next Sale" }).click();
  expect(await stockOf(type.id)).toEqual({ current_inventory: 3, sold: 3 });
  expect(pageErrors.splice(0).filter((error) => !error.includes("ERR_FAILED"))).toEqual([]);

  await test.step("what is charged is what is sold, or nothing is", async () => {
    await add.click();
    await add.click();
    await page.getByRole("button", { name: "Card" }).click();
    const dialog = page.getByRole("dialog", { name: "$40.00 by card" });
    await expect(dialog).toBeVisible();
    await serviceClient().from("ticket_types").update({ current_inventory: 1 }).eq("id", type.id);
    await expect(dialog.getByText(/^The stock or a price has changed\./)).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Card Charged" }).click();
    await expect(page.getByRole("region", { name: "New sale" }).getByRole("alert")).toContainText(
      `Only 1 left of ${type.name}.`,
    );
    await expect(dialog).toBeHidden();
    expectRefusal(pageErrors, 409);
    expect(await stockOf(type.id)).toEqual({ current_inventory: 1, sold: 3 });
    await serviceClient().from("ticket_types").update({ current_inventory: 3 }).eq("id", type.id);
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await expect(add).toContainText("3 left");
  });

  // Paused while it is selected.
  await add.click();
  await serviceClient().from("ticket_types").update({ on_sale: false }).eq("id", type.id);
  await expect(add).toContainText("Paused");
  await expect(page.getByRole("button", { name: "Cash" })).toBeDisabled();
  await serviceClient().from("ticket_types").update({ on_sale: true }).eq("id", type.id);

  // Counted 1 dollar short: 50 of change and 20 in cash.
  await page.getByRole("button", { name: "Close Till" }).click();
  await page.getByLabel("Counted cash").fill("69");
  await page.getByRole("button", { name: "Close the Till" }).click();
  await expect(page.getByText("$1.00 less than expected.")).toBeVisible();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("Till open")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Open the Till" })).toBeVisible();

  // The office reads it, and voids the card sale from its own till.
  await office.goto("/admin/tills");
  const shift = office.getByRole("table", { name: "Till shifts" }).getByRole("row", { name: seller.email });
  await expect(shift).toContainText("-$1.00");
  await expect(shift).toContainText("$40.00");
  await expectAccessible(office);
  const { data: sales } = await serviceClient()
    .from("till_payments")
    .select("order_id, till_shifts!inner(seller_email)")
    .eq("method", "card")
    .eq("till_shifts.seller_email", seller.email);
  expect(sales).toHaveLength(1);
  await office.goto("/admin/door");
  await office.getByRole("button", { name: "Open the Till" }).click();
  await expect(office.getByText("Till open")).toBeVisible();
  await office.goto(`/admin/orders/${sales![0]!.order_id}`);
  await expect(office.getByText(`Sold at the door by ${seller.email}, card`)).toBeVisible();
  await office.getByRole("button", { name: "Void door sale" }).click();
  await office.getByLabel("Reason").fill("Wrong type");
  await expect(office.getByRole("dialog")).toContainText("Refund $40.00 on the card terminal.");
  await office.getByRole("dialog").getByRole("button", { name: "Void Sale" }).click();
  await expect(office.getByText("Sale voided. Refund $40.00 on the card terminal.")).toBeVisible();
  await expect(
    office.getByText(/voided the sale; \$40\.00 to be refunded on the card terminal: Wrong type/),
  ).toBeVisible();
  expect(await stockOf(type.id)).toEqual({ current_inventory: 5, sold: 1 });
  await expectAccessible(office);
  await context.close();
});

test("a guest list is corrected line by line, mailed, found among the attendees, on paper, and revoked", async ({
  page,
  makeTicketType,
  mailbox,
  pageErrors,
}) => {
  test.slow();
  const type = await makeTicketType({ called: "Press", available: 3 });
  const mark = type.name.split(" ")[1]!;
  const guest = (name: string) => `${name}.${mark}@guests.test`;
  const { dialog, list } = await openList(page, type.name, `Press ${mark}`);
  const people = [`Zoe Zamora${mark}, ${guest("zoe")}`, `Ana Abbott${mark} <${guest("ana")}>`];
  await list.fill([...people, "Ben without"].join("\n"));
  await dialog.getByRole("button", { name: "Issue", exact: true }).click();
  await expect(dialog.getByText("Fix line 3 first. No comps were issued.")).toBeVisible();
  await expectAccessible(page);
  // One more than available.
  await list.fill([...people, ...people].join("\n"));
  await dialog.getByRole("button", { name: "Issue 4 Comps" }).click();
  await expect(dialog.getByText(`Only 3 left of ${type.name}.`)).toBeVisible();
  expectRefusal(pageErrors, 409);
  // Closing asks before it discards what was typed.
  await page.keyboard.press("Escape");
  const question = page.getByRole("alertdialog", { name: "Discard your changes?" });
  await question.getByRole("button", { name: "Keep Editing" }).click();
  await expect(question).toBeHidden();
  await list.fill(people.join("\n"));
  await dialog.getByRole("button", { name: "Issue 2 Comps" }).click();
  await expect(page.getByText("2 comps issued")).toBeVisible();
  expect((await mailbox.newest(guest("zoe"), /Your tickets/)).text).toContain("your ticket is free");

  await page.goto(`/admin/attendees?channel=comp&q=${mark}`);
  await expect(page.getByRole("table", { name: "Attendees" }).getByRole("row")).toHaveCount(3);
  await page.getByLabel(/^Search by name/).fill(guest("zoe"));
  await expect(page.getByRole("table", { name: "Attendees" }).getByRole("row")).toHaveCount(2);
  await expect(page.getByText(`Zoe Zamora${mark}`)).toBeVisible();
  await expectAccessible(page);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  await downloading;

  await page.goto(`/admin/attendees/door-list?type=${type.id}`);
  const paper = page.getByRole("table", { name: "Door list" });
  await expect(paper.getByRole("row").nth(2)).toContainText(`Abbott${mark}, Ana`);
  await expect(paper.getByRole("row").nth(3)).toContainText(`Zamora${mark}, Zoe`);
  await expectAccessible(page);

  await page.goto(`/admin/comps?q=Press+${mark}`);
  await page.getByRole("button", { name: `Revoke Zoe Zamora${mark}'s comp` }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("Not coming");
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await expect(page.getByText("Comp revoked")).toBeVisible();
  await expect(page.getByText("Not coming")).toBeVisible();
  expect(await stockOf(type.id)).toEqual({ current_inventory: 2, sold: 1 });
  await mailbox.newest(guest("zoe"), /no longer valid/);
});

test("comps whose answer was lost are issued once, also after a corrected typo", async ({
  page,
  makeTicketType,
  pageErrors,
}) => {
  const type = await makeTicketType({ called: "Press", available: 5 });
  const mark = type.name.split(" ")[1]!;
  const guest = (name: string) => `${name} ${mark}, ${name.toLowerCase()}.${mark}@guests.test`;
  const { lose, answer } = issuing(page);
  const { dialog, list } = await openList(page, type.name, `Press ${mark}`);
  const open = dialog.getByText("The server didn't respond, so the comps may or may not have been issued.", {
    exact: false,
  });

  // The call never arrived: the corrected list is issued, once.
  await list.fill([guest("Zoe"), guest("Anna")].join("\n"));
  await lose(false);
  await dialog.getByRole("button", { name: "Issue 2 Comps" }).click();
  await expect(open).toBeVisible();
  await expectAccessible(page);
  await answer();
  await list.fill([guest("Zoe"), guest("Ana")].join("\n"));
  await lose(true);
  await dialog.getByRole("button", { name: "Issue 2 Comps" }).click();
  await expect(open).toBeVisible();
  await answer();
  expect(await stockOf(type.id)).toMatchObject({ current_inventory: 3 });

  // This call arrived. The list is restored after a reload. If changed, it says so instead of issuing twice.
  await page.reload();
  await page.getByRole("button", { name: "Issue Comps" }).click();
  await expect(open).toBeVisible();
  await expect(list).toHaveValue([guest("Zoe"), guest("Ana")].join("\n"));
  await list.fill([guest("Zoe"), guest("Anabel")].join("\n"));
  await dialog.getByRole("button", { name: "Issue 2 Comps" }).click();
  await expect(
    dialog.getByText("Comps were already issued, without your latest changes.", { exact: false }),
  ).toBeVisible();
  expect(await stockOf(type.id)).toMatchObject({ current_inventory: 3 });
  await list.fill([guest("Ben"), guest("Cleo")].join("\n"));
  await dialog.getByRole("button", { name: "Issue 2 Comps" }).click();
  await expect(page.getByText("2 comps issued")).toBeVisible();
  expect(await stockOf(type.id)).toMatchObject({ current_inventory: 1 });
  expect(pageErrors.splice(0).filter((error) => !/ERR_FAILED|409/.test(error))).toEqual([]);
});
