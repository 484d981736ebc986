// A holder's list while the gate scans (docs/decisions/072).
import { placeOrder } from "../support/admin-arrival.ts";
import { arriveSignedIn, catalogue } from "../support/arrival.ts";
import { expect } from "../support/fixtures.ts";
import { answer, startScanning, typeCode } from "../support/gate-arrival.ts";
import { test } from "../support/gate-fixtures.ts";
import { codesOf } from "../support/gate-phone.ts";

test("a ticket let in at the gate shows as checked in on its holder's list without a reload, and no longer once undone", async ({
  page,
  account,
  gate,
  browser,
  baseURL,
}) => {
  const { tickets } = await codesOf(await placeOrder({ buyerName: "Lena Listed", buyer: account }));
  await arriveSignedIn(page, account);
  await page.goto("/my-tickets");
  const card = page.getByRole("article").filter({ hasText: "Guest 1 of Lena Listed" });
  await expect(card).toBeVisible();
  await expect(card).not.toContainText("Checked in");

  // Nothing polls while no code is on the screen.
  const phone = await browser.newPage({ baseURL });
  await startScanning(phone, gate);
  await typeCode(phone, await gate.sign({ id: tickets[0]!, typeId: catalogue.general.id }));
  await expect(answer(phone)).toContainText("Admit");
  await expect(card).toContainText("Checked in");
  await answer(phone).getByRole("button", { name: "Undo" }).click();
  await phone.getByRole("button", { name: "Did not go in" }).click();
  await expect(answer(phone)).toContainText("Undone");
  await expect(card).not.toContainText("Checked in");
  await phone.context().close();
});
