// What a dialog does with typed text that was not sent, for all dialogs alike.
import type { Locator } from "@playwright/test";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";

test("a dialog asks before it loses typed text, and closes without a question when there is none", async ({
  page,
}) => {
  const id = await placeOrder({ buyerName: "Nota Bene", quantity: 1 });
  await arriveAsAdmin(page);
  await page.goto(`/admin/orders/${id}`);
  const question = page.getByRole("alertdialog", { name: "Discard your changes?" });
  const keepEditing = question.getByRole("button", { name: "Keep Editing" });
  const keep = async () => {
    await keepEditing.click();
    await expect(question).toBeHidden();
  };
  const discard = () => question.getByRole("button", { name: "Discard" }).click();
  /** A layer that has just come or gone leaves a key or a press without effect for a moment. */
  const until = (state: "visible" | "hidden", layer: Locator, act: () => Promise<void>) =>
    expect(async () => {
      await act();
      await layer.waitFor({ state, timeout: 1_000 });
    }).toPass();
  const escape = () => page.keyboard.press("Escape");

  await test.step("the note of a refund, with Escape", async () => {
    const dialog = page.getByRole("alertdialog", { name: "Refund the whole order?" });
    await page.getByRole("button", { name: "Refund Order" }).click();
    await until("hidden", dialog, escape);
    await page.getByRole("button", { name: "Refund Order" }).click();
    const note = dialog.getByLabel("Note");
    await note.fill("Called twice, moved to Dallas");
    await until("visible", question, escape);
    await expectAccessible(page);
    await keep();
    await expect(note).toHaveValue("Called twice, moved to Dallas");
    await expect(note).toBeFocused();
    // Escape answers the question, too, and never loses text.
    await until("visible", question, escape);
    await until("hidden", question, escape);
    await expect(note).toHaveValue("Called twice, moved to Dallas");
    await until("visible", question, escape);
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
    await until("visible", question, () => page.mouse.click(5, 5));
    await keep();
    await expect(name).toHaveValue("Nota Buena");
    await name.fill("Nota Bene");
    await until("hidden", dialog, escape); // it is as it was before
    await expect(question).toBeHidden();
  });

  await test.step("what a dialog wrote itself, with Escape", async () => {
    await page.goto("/admin/promo-codes");
    await page.getByRole("button", { name: "New Code" }).click();
    const dialog = page.getByRole("dialog", { name: "New promo code" });
    await dialog.getByRole("button", { name: "Generate" }).click();
    await until("visible", question, escape);
    await discard();
    await expect(dialog).toBeHidden();
  });
});
