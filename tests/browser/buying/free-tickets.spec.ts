// Tickets that cost nothing: ordered without a card, resumed in another browser, and given at the door.
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveAtPayment, arriveSignedIn, serviceClient } from "../../support/shop/arrival.ts";
import { expect, expectAccessible, expectRefusal } from "../../support/fixtures.ts";
import { test } from "../../support/shop/own-items.ts";

test("free tickets and parking are ordered without a card, also in another browser", async ({
  page,
  account,
  browser,
  baseURL,
  makeTicketType,
  makeParkingPass,
}) => {
  const ticket = await makeTicketType({ called: "Child", price: 0 });
  const pass = await makeParkingPass({ called: "Bicycle", price: 0 });
  await page.goto("/tickets");
  await expect(page.getByRole("article", { name: ticket.name })).toContainText("$0.00");
  await arriveAtPayment(page, account, [
    { ...ticket, type: "ticket", quantity: 2 },
    { ...pass, type: "parking", quantity: 1 },
  ]);
  await expect(page.getByText("There is nothing to pay.")).toBeVisible();
  await expect(page.getByText("Your tickets are held for")).toBeVisible();
  await expect(page.getByText("You have 15 minutes to confirm.")).toBeAttached();
  await expectAccessible(page);

  const elsewhere = await browser.newContext({ baseURL });
  const other = await elsewhere.newPage();
  await arriveSignedIn(other, account);
  await other.goto("/my-tickets");
  await other.getByRole("button", { name: /^Continue Payment of Order/ }).click();
  await other.getByRole("button", { name: "Confirm Order" }).click();
  await expect(other.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  await other.getByRole("link", { name: "View Your Tickets" }).click();
  for (const line of [`2 × ${ticket.name}`, `1 × ${pass.name}`]) {
    await expect(other.getByRole("listitem").filter({ hasText: line }).last()).toHaveText(`${line}$0.00`);
  }
  await elsewhere.close();
  const { data } = await serviceClient().from("orders").select("status").eq("user_id", account.id);
  expect(data).toEqual([{ status: "confirmed" }]);
});

test("a free order that another device replaced says so, and is held again on request", async ({
  page,
  account,
  makeTicketType,
  pageErrors,
}) => {
  const ticket = await makeTicketType({ called: "Child", price: 0 });
  await arriveAtPayment(page, account, [{ ...ticket, type: "ticket", quantity: 1 }]);
  const confirm = page.getByRole("button", { name: "Confirm Order" });
  await expect(confirm).toBeVisible();
  await placeOrder({ buyerName: "Other Device", buyer: account, type: ticket, paid: false });
  await confirm.click();
  await expect(page.getByText("These tickets are no longer held")).toBeVisible();
  expectRefusal(pageErrors, 409);
  await page.getByRole("button", { name: "Hold My Tickets Again" }).click();
  await confirm.click();
  await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
});

test("a free order is cancelled in the back office, and no dialog speaks of money", async ({
  page,
  account: buyer,
  makeTicketType,
}) => {
  const type = await makeTicketType({ called: "Child", price: 0 });
  const id = await placeOrder({ buyerName: "Frieda Free", buyer, type, quantity: 2, paid: false });
  const confirming = { p_order_id: id, p_user_id: buyer.id };
  const { error } = await serviceClient().rpc("confirm_free_order", confirming);
  expect(error).toBeNull();
  await arriveAsAdmin(page);
  await page.goto(`/admin/orders/${id}`);
  const dialog = page.getByRole("alertdialog");

  await page.getByLabel("Select Guest 1 of Frieda Free's ticket").check();
  await page.getByRole("button", { name: "Cancel 1 ticket" }).click();
  await expect(dialog).toHaveAccessibleName("Cancel 1 ticket?");
  await expect(dialog).toContainText("Nothing is refunded. The rest of the order stays.");
  await dialog.getByRole("button", { name: "Cancel the ticket" }).click();
  await expect(page.getByText("Canceled. There was nothing to refund.")).toBeVisible();
  await expect(dialog).toBeHidden();

  await page.getByRole("button", { name: "Cancel Order" }).click();
  await expect(dialog).toHaveAccessibleName("Cancel the whole order?");
  await expect(dialog).toContainText("All tickets stop working, nothing is refunded,");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Cancel the order" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: "Cancel Order" })).toHaveCount(0);
  const { data } = await serviceClient().from("orders").select("status, cancel_reason").eq("id", id);
  expect(data).toEqual([{ status: "cancelled", cancel_reason: "refunded" }]);
});

test("a free ticket is given at the door in two taps, and no money is asked for", async ({
  page,
  makeTicketType,
}) => {
  const { name } = await makeTicketType({ called: "Child", price: 0 });
  await arriveAsAdmin(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/admin/door");
  await page.getByLabel("Starting change").fill("50");
  await page.getByRole("button", { name: "Open the Till" }).click();
  await page.getByRole("button", { name: `Add ${name}` }).click();
  await expect(page.getByRole("button", { name: "Cash" })).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Issue Free" }).click();
  const sheet = page.getByRole("dialog", { name: "Sold" });
  await expect(sheet.getByText(/, free\. Order #/)).toBeVisible();
  await expect(sheet.getByRole("img", { name: `Code 1 of 1: ${name}` })).toBeVisible();
  await sheet.getByRole("button", { name: "Next Sale" }).click();
  await expect(page.getByRole("button", { name: "Cash" })).toBeDisabled();
  await expect(page.getByText(/· free$/)).toBeVisible();
});
