// What a dialog does with typed text that was not sent, for all dialogs alike.
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";

test("a dialog asks before it loses typed text, and closes without a question when there is none", async ({
  page,
}) => {
  const id = await placeOrder({ buyerName: "Nota Bene", quantity: 1 });
  await arriveAsAdmin(page);
  await page.goto(`/admin/orders/${id}`);
  const question = page.getByRole("alertdialog", { name: "Discard what you have typed?" });
  const keep = () => question.getByRole("button", { name: "Keep Editing" }).click();
  const discard = () => question.getByRole("button", { name: "Discard" }).click();

  await test.step("the note of a refund, with Escape", async () => {
    const dialog = page.getByRole("alertdialog", { name: "Refund the whole order?" });
    await page.getByRole("button", { name: "Refund Order" }).click();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await page.getByRole("button", { name: "Refund Order" }).click();
    const note = dialog.getByLabel("Note");
    await note.fill("Called twice, moved to Dallas");
    await page.keyboard.press("Escape");
    await expectAccessible(page);
    await keep();
    await expect(note).toHaveValue("Called twice, moved to Dallas");
    await expect(note).toBeFocused();
    // Escape answers the question, too, and never loses text.
    await page.keyboard.press("Escape");
    await expect(question).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(question).toBeHidden();
    await expect(note).toHaveValue("Called twice, moved to Dallas");
    await page.keyboard.press("Escape");
    await discard();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("button", { name: "Refund Order" })).toBeFocused();
    await page.getByRole("button", { name: "Refund Order" }).click();
    await note.fill("Called once");
    await dialog.getByRole("button", { name: "Keep the order" }).click();
    await expect(dialog).toBeHidden();
  });

  await test.step("a corrected field, with the cross and a press outside", async () => {
    const dialog = page.getByRole("dialog", { name: "Change the buyer" });
    await page.getByRole("button", { name: "Change name or email" }).click();
    const name = dialog.getByLabel("Name");
    await name.fill("Nota Buena");
    await dialog.getByRole("button", { name: "Close" }).click();
    await keep();
    await page.mouse.click(5, 5);
    await keep();
    await expect(name).toHaveValue("Nota Buena");
    await name.fill("Nota Bene");
    await page.keyboard.press("Escape");
    await expect(dialog, "as it was before").toBeHidden();
  });

  await test.step("what a dialog wrote itself, with Escape", async () => {
    await page.goto("/admin/promo-codes");
    await page.getByRole("button", { name: "New Code" }).click();
    const dialog = page.getByRole("dialog", { name: "New promo code" });
    await dialog.getByRole("button", { name: "Generate" }).click();
    await page.keyboard.press("Escape");
    await discard();
    await expect(dialog).toBeHidden();
  });
});
