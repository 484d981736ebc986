// The shop while the browser translates it, as many of Houston's buyers read it.
import { arriveSignedIn } from "../../support/shop/arrival.ts";
import { add, buyer, CARDS, fillDetails, payByCard } from "../../support/shop/buyer.ts";
import { expect, expectRefusal, test } from "../../support/fixtures.ts";
import { forgiveNewStart, translate, type Translator } from "../../support/page/translation.ts";

for (const translator of ["replaces", "moves"] satisfies Translator[]) {
  test(`tickets are bought on a page whose translation ${translator} its text`, async ({
    page,
    account,
    pageErrors,
  }) => {
    await translate(page, translator);
    await arriveSignedIn(page, account);
    await page.goto("/tickets");
    const card = page.getByRole("article", { name: "General Admission" });
    await expect(card.locator("font font").first()).toBeVisible();
    await add(page, "General Admission", 2);
    await add(page, "Youth (10 to 17)");
    const cart = page.getByRole("region", { name: "Your Cart" });
    await expect(cart).toContainText("$110.00");
    await add(page, "General Admission");
    await expect(cart).toContainText("$155.00");
    await expect(cart).not.toContainText("$110.00");
    await page.getByRole("button", { name: "Decrease General Admission" }).click();
    await page.getByRole("button", { name: "Decrease General Admission" }).click();
    await expect(cart).toContainText("$65.00");
    await cart.getByRole("link", { name: "Proceed to Checkout" }).click();
    await fillDetails(page, account.email, [buyer.name, "Lil' Keke"]);
    await payByCard(page, CARDS.declined);
    await expect(page.getByText("Your card was declined.").first()).toBeVisible();
    await payByCard(page, CARDS.good);
    await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
    await page.getByRole("link", { name: "View Your Tickets" }).click();
    await expect(page.getByRole("img", { name: /^QR code of the ticket for/ }).first()).toBeVisible();
    expectRefusal(pageErrors, 402);
    forgiveNewStart(pageErrors);
  });
}
