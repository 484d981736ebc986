// A buyer's account, corrections, transfers and payment, with text at twice its size on a phone. Public pages are in
// routes.spec.ts, the back office in admin/back-office.spec.ts.
import { newEmail } from "../../support/shop/accounts.ts";
import { placeOrder } from "../../support/shop/admin-arrival.ts";
import { openAlive } from "../../support/page/alive.ts";
import { arriveSignedIn, arriveWithCart, catalog } from "../../support/shop/arrival.ts";
import { CARDS, payByCard } from "../../support/shop/buyer.ts";
import { expect, test } from "../../support/fixtures.ts";
import { expectFits, setLargeText } from "../../support/page/large-text.ts";

test.beforeEach(({ page }) => setLargeText(page));

test("a buyer's pages and dialogs fit a phone whose text is set to twice its size", async ({
  page,
  account,
}) => {
  test.slow();
  const order = await placeOrder({ buyerName: "Ana Ruiz", buyer: account, quantity: 2, parking: true });
  await arriveSignedIn(page, account);
  for (const path of ["/dashboard", `/order-confirmation?orderId=${order}`, "/my-tickets"]) {
    await openAlive(page, path);
    await expect(page.getByRole("img", { name: /^QR code/ })).toHaveCount(3);
    await expectFits(page, path);
  }
  await page.getByRole("button", { name: "Show Codes" }).click();
  await expect(page.getByRole("dialog", { name: "Entry codes" }).getByRole("img")).toBeVisible();
  await expectFits(page, "the codes on the whole screen");
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();

  await page.getByRole("button", { name: "Edit Name or Email for Guest 1 of Ana Ruiz" }).click();
  const correction = page.getByRole("dialog", { name: "Edit Name or Email" });
  await correction.getByLabel("Full Name").fill("");
  await correction.getByRole("button", { name: "Save" }).click();
  await expect(correction.getByText("Name is required")).toBeVisible();
  await expectFits(page, "the correction's dialog");
  await page.keyboard.press("Escape");
  await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();

  await page.getByRole("button", { name: "Transfer the ticket of Guest 1 of Ana Ruiz" }).click();
  const transfer = page.getByRole("dialog", { name: /^Transfer Ticket/ });
  await transfer.getByLabel("Their Full Name").fill("Bartholomew Featherstonehaugh-Cholmondeley");
  await transfer.getByLabel("Their Email").fill(newEmail());
  await expectFits(page, "the transfer's dialog");
  await transfer.getByRole("button", { name: "Offer Ticket" }).click();
  await page.getByRole("button", { name: /^Cancel offer/ }).click();
  await expect(page.getByRole("alertdialog")).toBeVisible();
  await expectFits(page, "the offer's call back");

  await openAlive(page, "/dashboard");
  await page.getByRole("button", { name: "Delete My Account" }).click();
  await expect(page.getByRole("alertdialog")).toBeVisible();
  await expectFits(page, "the account's end");
});

test("buying fits a phone whose text is set to twice its size", async ({ page, account }) => {
  test.slow();
  await arriveSignedIn(page, account);
  const items = [
    { ...catalog.general, quantity: 2 },
    { ...catalog.parking, quantity: 1 },
  ];
  await arriveWithCart(page, items, account);
  await openAlive(page, "/tickets");
  await expect(page.getByRole("link", { name: "View Cart" })).toBeInViewport({ ratio: 1 });
  await expectFits(page, "/tickets with a cart");
  await openAlive(page, "/checkout");
  await expect(page.getByRole("button", { name: "Continue to Payment" })).toBeVisible();
  await expectFits(page, "the attendees");
  await page.getByRole("button", { name: "Continue to Payment" }).click();
  for (const method of ["Card", "Apple Pay", "Google Pay"]) {
    await page.getByRole("tab", { name: method }).click();
    await expectFits(page, `paying by ${method}`);
  }
  await page.getByRole("tab", { name: "Card" }).click();
  await payByCard(page, CARDS.good);
  await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  await page.getByRole("button", { name: "Close toast" }).click();
  await expectFits(page, "the confirmation");
});
