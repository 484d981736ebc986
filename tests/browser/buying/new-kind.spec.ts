// Another kind of thing to sell is rows, as docs/CHANGING.md says: camping is added by SQL alone, and then sold, mailed, printed,
// scanned, refunded and counted as everything else.
import { readFile } from "node:fs/promises";
import { readPaper } from "../../../shop/testing/paper.ts";
import { arriveAsAdmin } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn, serviceClient } from "../../support/shop/arrival.ts";
import { add, CARDS, fillDetails, payByCard } from "../../support/shop/buyer.ts";
import { expect, test } from "../../support/fixtures.ts";
import { openGateDevice } from "../../support/gate/device.ts";
import { useOwnFestival } from "../../support/server/own-festival.ts";

useOwnFestival();

const camping = {
  kind: "camping",
  ...{ position: 3, label: "camping pitch", plural: "camping pitches", title: "Camping", admits: "tent" },
  ...{ needs_attendee: false, has_code: true, is_vehicle: false, one_per_order: true },
};
const pitch = { kind: "camping", name: "Bayou Pitch", price: 80, current_inventory: 9, total_inventory: 9 };

test("camping is sold, mailed, printed, scanned, refunded, counted and sold at the door once its rows are added", async ({
  page,
  account,
  mailbox,
}) => {
  test.slow();
  const service = serviceClient();
  await service.from("product_kinds").insert(camping).throwOnError();
  await service.from("products").insert(pitch).throwOnError();
  await arriveSignedIn(page, account);

  await test.step("bought with a ticket", async () => {
    await page.goto("/tickets");
    await expect(page.getByRole("region", { name: "Add Camping" })).toContainText(
      "You can buy one camping pitch per order, together with tickets.",
    );
    const cart = page.getByRole("region", { name: "Your Cart" });
    await add(page, pitch.name);
    await expect(cart).toContainText("Camping is sold together with tickets.");
    await expect(page.getByRole("button", { name: `Increase ${pitch.name}` })).toBeDisabled();
    await add(page, "General Admission");
    await expect(cart).toContainText("1 ticket and 1 camping pitch in your cart");
    await cart.getByRole("link", { name: "Proceed to Checkout" }).click();
    await fillDetails(page, account.email, ["Bun B"]);
    await payByCard(page, CARDS.good);
    await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
    await page.getByRole("link", { name: "View Your Tickets" }).click();
    await expect(page.getByText(`1 × ${pitch.name}`)).toBeVisible();
  });

  const code = page.getByRole("img", { name: `QR code of the camping pitch ${pitch.name}` });
  await test.step("on My Tickets, in the mail and on paper under its own name", async () => {
    await page.goto("/my-tickets");
    await expect(page.getByRole("heading", { name: "1 ticket and 1 camping pitch" })).toBeVisible();
    await expect(page.getByRole("article", { name: `${pitch.name} for One tent` })).toBeVisible();
    await expect(code).toBeVisible();
    const mail = await mailbox.newest(account.email, /Your tickets/);
    expect(mail.text).toContain("YOUR CAMPING");
    expect(mail.text).toContain(`${pitch.name} - One tent (camping pitch `);
    expect(mail.text).toContain("admits one person or one tent");
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: /^Tickets as PDF/ }).click();
    const paper = await readPaper(await readFile(await (await downloading).path()));
    expect(JSON.stringify(paper)).toContain("CAMPING PITCH");
    expect(JSON.stringify(paper)).toContain("Admits one tent, one time.");
  });

  const { data } = await service.from("entry_codes").select("id, order_id").eq("kind", "camping").single();
  const { id, order_id: order } = data as { id: string; order_id: string };
  await test.step("let in where parking is", async () => {
    const phone = await openGateDevice("Camp", "parking");
    expect(await phone.scan({ code_id: id })).toMatchObject([
      { result: "admitted", person: { kind: "camping", type: pitch.name } },
    ]);
    await expect(page.getByRole("article", { name: `${pitch.name} for One tent` })).toContainText(
      "Checked in",
      { timeout: 15_000 },
    );
  });

  await arriveAsAdmin(page);
  await test.step("refunded", async () => {
    await page.goto(`/admin/orders/${order}`);
    await page.getByLabel(`Select ${pitch.name}`).check();
    await page.getByRole("button", { name: /^Refund 1 / }).click();
    const dialog = page.getByRole("alertdialog");
    await expect(dialog).toContainText("1 tent is already inside.");
    await dialog.getByRole("button", { name: "Refund $80.00" }).click();
    await expect(page.getByText("Refund requested")).toBeVisible();
    const { data: void_ } = await service.from("entry_codes").select("voided_at").eq("id", id).single();
    expect(void_).toEqual({ voided_at: expect.any(String) });
  });

  await test.step("in Inventory, where another is added, and in its file", async () => {
    await page.goto("/admin/inventory");
    await expect(page.getByRole("table", { name: "Stock of camping pitches" })).toContainText(pitch.name);
    await page.getByRole("button", { name: "New Camping Pitch" }).click();
    const dialog = page.getByRole("dialog", { name: "New camping pitch" });
    await dialog.getByLabel("Name").fill("Lawn Pitch");
    await dialog.getByLabel("Price in dollars").fill("40");
    await dialog.getByLabel("Units").fill("5");
    await dialog.getByRole("button", { name: "Create" }).click();
    await expect(page.getByText("Camping pitch created")).toBeVisible();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    const file = await readFile(await (await downloading).path(), "utf8");
    expect(file).toContain("camping,Bayou Pitch,80.00,");
    expect(file).toContain("camping,Lawn Pitch,40.00,5,5,");
  });

  await test.step("sold at the door, and in the dashboard's figures", async () => {
    await page.goto("/admin/door");
    await page.getByLabel("Starting change").fill("0");
    await page.getByRole("button", { name: "Open the Till" }).click();
    await page.getByRole("button", { name: "Add Lawn Pitch" }).click();
    await page.getByRole("button", { name: "Cash" }).click();
    await page.getByRole("button", { name: "Exact" }).click();
    await expect(page.getByRole("dialog", { name: "Sold" })).toContainText("Admits one tent, one time.");
    await page.goto("/admin");
    await expect(page.getByText("0 parking passes and 1 camping pitch")).toBeVisible();
    await expect(page.getByRole("row", { name: /^Tickets, parking and camping/ })).toBeVisible();
  });
});
