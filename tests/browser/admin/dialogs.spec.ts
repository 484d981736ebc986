// What becomes of typed text that was not sent, for all dialogs alike.
import { randomBytes } from "node:crypto";
import type { Locator, Page } from "@playwright/test";
import { createAccount } from "../../support/shop/accounts.ts";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { serviceClient } from "../../support/shop/arrival.ts";
import { hold } from "../../support/page/faults.ts";
import { expect, expectAccessible, status } from "../../support/fixtures.ts";
import { test } from "../../support/shop/own-items.ts";

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

  await test.step("a ticked box, with Escape", async () => {
    await page.goto("/admin/inventory");
    await page.getByRole("button", { name: "New Ticket Type" }).click();
    const dialog = page.getByRole("dialog", { name: "New ticket type" });
    const box = dialog.getByLabel("Hidden for now");
    await box.check();
    await until("visible", question, escape);
    await keep();
    await expect(box).toBeChecked();
    await box.uncheck();
    await until("hidden", dialog, escape); // it is as it was before
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

interface Slow {
  /** The call that answers late. */
  call: string;
  submit: string;
  /** Opens the next dialog. */
  next: Locator;
  field: string;
  typed: string;
  /** Shown once the answer was taken in. */
  done: Locator;
}

/** Submits the dialog, cancels it before the answer comes, and types into the next one, which the answer must leave alone. */
async function overtake(page: Page, { call, submit, next, field, typed, done }: Slow): Promise<void> {
  const dialog = page.getByRole("dialog");
  const release = await hold(page, call);
  await dialog.getByRole("button", { name: submit, exact: true }).click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await next.click();
  await dialog.getByLabel(field).fill(typed);
  release();
  await expect(done).toBeVisible();
  // Whatever the answer does to the dialog is drawn by then.
  await page.evaluate(() => new Promise((drawn) => setTimeout(drawn, 100)));
  await expect(dialog.getByLabel(field)).toHaveValue(typed);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.unroute(call);
}

test("a save that is answered after its dialog was cancelled closes no other dialog", async ({
  page,
  makeTicketType,
}) => {
  test.slow();
  await arriveAsAdmin(page);
  const dialog = page.getByRole("dialog");
  const mark = randomBytes(4).toString("hex");
  // Behind the dialog.
  const row = (text: string) => page.getByRole("row", { includeHidden: true }).filter({ hasText: text });

  await test.step("the sale of a ticket type", async () => {
    const slow = await makeTicketType({ called: "Slow", hidden: true });
    const other = await makeTicketType({ called: "Other", hidden: true });
    await page.goto("/admin/inventory");
    await page.getByRole("button", { name: `Sale settings for ${slow.name}` }).click();
    await dialog.getByLabel("On sale").uncheck();
    await overtake(page, {
      call: "**/rpc/edit_inventory",
      submit: "Save",
      next: page.getByRole("button", { name: `Sale settings for ${other.name}` }),
      field: "Opens",
      typed: "2999-06-01T10:00",
      done: row(slow.name).getByText("Stopped"),
    });
  });
  await test.step("a promo code", async () => {
    await page.goto("/admin/promo-codes");
    await page.getByRole("button", { name: "New Code" }).click();
    await dialog.getByLabel("Code", { exact: true }).fill(`SLOW${mark}`);
    await dialog.getByLabel("Percent off").fill("10");
    await overtake(page, {
      call: "**/rest/v1/promo_codes*",
      submit: "Create",
      next: page.getByRole("button", { name: "New Code" }),
      field: "Note",
      typed: "For the next one",
      done: row(`SLOW${mark}`.toUpperCase()),
    });
  });
  await test.step("an entrance", async () => {
    await page.goto("/admin/gate");
    await page.getByRole("button", { name: "Add Entrance" }).click();
    await dialog.getByLabel("Name").fill(`Slow ${mark}`);
    await overtake(page, {
      call: "**/rest/v1/gate_entrances*",
      submit: "Add",
      next: page.getByRole("button", { name: "Add Entrance" }),
      field: "Name",
      typed: "The next one",
      done: row(`Slow ${mark}`).last(),
    });
    await serviceClient().from("gate_entrances").delete().eq("name", `Slow ${mark}`);
  });
  await test.step("comps, and the revocation of one", async () => {
    const type = await makeTicketType({ called: "Press" });
    await page.goto(`/admin/comps?q=${mark}`);
    const issue = page.getByRole("button", { name: "Issue Comps" });
    await issue.click();
    await dialog.getByLabel("Ticket type").selectOption(type.name);
    await dialog.getByLabel("Reason").fill(`Press ${mark}`);
    await dialog.getByRole("tab", { name: "A list" }).click();
    const guests = ["Ana", "Ben"].map((name) => `${name} ${mark}, ${name}.${mark}@guests.test`);
    await dialog.getByLabel("Guests", { exact: true }).fill(guests.join("\n"));
    await overtake(page, {
      call: "**/rpc/issue_comps",
      submit: "Issue 2 Comps",
      next: issue,
      field: "Reason",
      typed: "The next one",
      done: row(`Ana ${mark}`),
    });
    await page.getByRole("button", { name: `Revoke Ana ${mark}'s comp` }).click();
    await dialog.getByLabel("Reason").fill("Not coming");
    await overtake(page, {
      call: "**/rpc/revoke_comp",
      submit: "Revoke",
      next: page.getByRole("button", { name: `Revoke Ben ${mark}'s comp` }),
      field: "Reason",
      typed: "Not coming either",
      done: row(`Ana ${mark}`).getByText("Not coming"),
    });
  });
  await test.step("somebody's till", async () => {
    const sellers = await Promise.all([createAccount(status()), createAccount(status())]);
    const { error } = await serviceClient()
      .from("till_shifts")
      .insert(sellers.map(({ id, email }) => ({ seller_id: id, seller_email: email, float_amount: 0 })));
    expect(error).toBeNull();
    await page.goto("/admin/tills");
    const [slow, next] = sellers.map(({ email }) =>
      page.getByRole("button", { name: `Close ${email}'s till` }),
    );
    await slow!.click();
    await dialog.getByLabel("Counted cash").fill("7");
    await overtake(page, {
      call: "**/rpc/close_till",
      submit: "Close the Till",
      next: next!,
      field: "Note",
      typed: "Left in a hurry",
      done: row(sellers[0].email).getByText("$7.00").first(),
    });
  });
});
