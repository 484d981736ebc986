// The waitlist with three people: one who waits, an administrator who offers the returned ticket, and one who must not jump the
// line.
import { createAccount } from "../../support/shop/accounts.ts";
import { arriveAsAdmin } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn, serviceClient } from "../../support/shop/arrival.ts";
import { callsOf } from "../../support/page/calls.ts";
import { add, CARDS, fillDetails, payByCard } from "../../support/shop/buyer.ts";
import { hold, RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, status } from "../../support/fixtures.ts";
import { test } from "../../support/shop/own-items.ts";

test("a buyer waits for a sold-out type, is offered a returned ticket, and buys it", async ({
  page,
  account,
  browser,
  mailbox,
  makeTicketType,
}) => {
  const type = await makeTicketType({ called: "Rooftop", price: 30, available: 0, total: 5 });
  const card = page.getByRole("article", { name: type.name, exact: true });
  await page.goto("/tickets");
  await expect(card.getByText("Sold Out")).toBeVisible();
  await expect(card.getByRole("link", { name: "Sign in to join the waitlist" })).toBeVisible();

  await arriveSignedIn(page, account);
  await page.goto("/tickets");
  await card.getByLabel("Tickets").selectOption("2");
  await expectAccessible(page);
  const heading = card.getByRole("heading", { name: type.name });
  const asked = callsOf(page, "join_waitlist");
  // If it were answered between the two clicks, the second one would miss the button.
  const answer = await hold(page, "**/rest/v1/rpc/join_waitlist");
  await card.getByRole("button", { name: "Join the Waitlist" }).dblclick();
  answer();
  await expect(card.getByText("You are number 1 in line for 2 tickets.")).toBeVisible();
  await expect(heading).toBeFocused();
  expect(asked).toHaveLength(1);

  const admin = await browser.newPage();
  await arriveAsAdmin(admin);
  await admin.goto(`/admin/waitlist?q=${encodeURIComponent(type.name)}`);
  const row = admin.getByRole("row", { name: new RegExp(account.email) });
  await expect(row).toContainText(`2 × ${type.name}`);
  await expect(row).toContainText("Number 1 in line");
  await expect(row.getByRole("button", { name: /Offer .* now/ })).toBeDisabled();
  await expect(row).toContainText("None left to offer");
  // A ticket is returned.
  await serviceClient().from("ticket_types").update({ current_inventory: 1 }).eq("id", type.id);
  const stranger = await browser.newPage();
  await arriveSignedIn(stranger, await createAccount(status()));
  await stranger.goto("/tickets");
  const theirs = stranger.getByRole("article", { name: type.name, exact: true });
  await expect(theirs.getByText("Sold Out")).toBeVisible();
  await expect(theirs.getByRole("button", { name: "Join the Waitlist" })).toBeVisible();
  await stranger.close();
  // The job may be first, and then nobody clicks.
  let pressed = false;
  const offered = row.getByText(/^1 until /);
  const offer = row.getByRole("button", { name: /Offer .* now/ });
  await expect(async () => {
    if (await offer.isVisible()) {
      await offer.click({ timeout: 1000 });
      pressed = true;
    }
    await expect(offered).toBeVisible({ timeout: 1000 });
  }).toPass();
  if (pressed) await expect(admin.getByRole("heading", { level: 1 })).toBeFocused();
  await admin.close();

  const mail = await mailbox.newest(account.email, /^Your turn/);
  expect(mail.text).toContain("You asked for 2. Buy these, and you stay first in line for the rest.");
  await page.reload();
  await expect(card.getByText(/1 ticket is held for you until/)).toBeVisible();
  await expect(card.getByText("Only 1 left")).toHaveCount(0);
  await expectAccessible(page);
  await add(page, type.name);
  await expect(card.getByRole("button", { name: `Increase ${type.name}` })).toBeDisabled();
  await page.getByRole("link", { name: "Proceed to Checkout" }).click();
  await fillDetails(page, account.email, ["Ana"]);
  await payByCard(page, CARDS.good);
  await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  await page.goto("/tickets");
  await expect(card.getByText("You are number 1 in line for 1 ticket.")).toBeVisible();
  await test.step("more came back than people wait for, before the job has offered it", async () => {
    await page.route("**/rest/v1/products*", async (route) => {
      const response = await route.fetch(RECONNECTING);
      const rows = (await response.json()) as { id: string }[];
      const more = { current_inventory: 2, waiting: 1 };
      await route.fulfill({
        response,
        json: rows.map((row) => (row.id === type.id ? { ...row, ...more } : row)),
      });
    });
    await page.reload();
    await expect(
      card.getByText("1 more ticket can be bought now. You are number 1 in line for 1 ticket."),
    ).toBeVisible();
    await expect(card.getByText("Only 1 left")).toHaveCount(0);
    await page.unrouteAll({ behavior: "wait" });
  });
  await card.getByRole("button", { name: /^Leave the Waitlist for/ }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Leave the Waitlist" }).click();
  await expect(card.getByRole("button", { name: "Join the Waitlist" })).toBeVisible();
  await expect(heading).toBeFocused();
});
