// A holder's list while the gate scans (docs/decisions/072).
import { placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn, catalog } from "../../support/shop/arrival.ts";
import { expect, expectAccessible } from "../../support/fixtures.ts";
import { answer, startScanning, typeCode } from "../../support/gate/arrival.ts";
import { test } from "../../support/gate/fixtures.ts";
import { codesOf, openGateDevice } from "../../support/gate/device.ts";
import { positionIn } from "../../support/page/code-viewer.ts";

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
  await typeCode(phone, await gate.sign({ id: tickets[0]!, typeId: catalog.general.id }));
  await expect(answer(phone)).toContainText(/Admit(?!ted)/);
  await expect(card).toContainText("Checked in");
  await answer(phone).getByRole("button", { name: "Undo" }).click();
  await phone.getByRole("button", { name: "Did not go in" }).click();
  await expect(answer(phone)).toContainText("Undone");
  await expect(card).not.toContainText("Checked in");
  await phone.context().close();
});

test("a scan moves no code under the hand: the shown one stays dimmed, Next leads to the unused one, and the next visit sorts anew", async ({
  page,
  account,
}) => {
  const order = await placeOrder({ buyerName: "Stella Still", buyer: account, quantity: 2 });
  const { tickets } = await codesOf(order);
  await arriveSignedIn(page, account);
  await page.goto("/my-tickets");
  const cards = page.getByRole("article", { name: /Stella Still$/ });
  const expectOrder = async (...guests: readonly number[]) => {
    const names = guests.map((guest) => new RegExp(`Guest ${guest} of Stella Still`));
    await expect(cards).toContainText(names);
  };
  await expectOrder(1, 2);
  await page.getByRole("button", { name: "Show Codes" }).click();
  const viewer = page.getByRole("dialog", { name: "Entry codes" });
  await expect(positionIn(viewer)).toHaveText(/^1 of 2:/);
  const phone = await openGateDevice(`Still ${order.slice(0, 8)}`);
  const [scan] = await phone.scan({ code_id: tickets[0]! });
  expect(scan?.result).toBe("admitted");
  await expect(viewer.getByText("Already checked in", { exact: true })).toBeVisible();
  await expect(positionIn(viewer)).toHaveText(/^1 of 2: .+, already checked in$/);
  await expect(viewer).toContainText("Guest 1 of Stella Still");
  await expectAccessible(page);
  const next = viewer.getByRole("button", { name: "Next" });
  await next.press("Enter");
  await expect(viewer).toContainText("Guest 2 of Stella Still");
  await expect(positionIn(viewer)).toHaveText(/^2 of 2:/);
  await expect(next).toBeDisabled();
  await expect(next, "the keyboard's place stays in the viewer").toBeFocused();
  await page.keyboard.press("Escape");
  await expect(cards.first()).toContainText("Checked in");
  await expectOrder(1, 2);
  await page.getByRole("button", { name: "Show Codes" }).click();
  await expect(viewer, "opened again, the unused one is first").toContainText("Guest 2 of Stella Still");
  await expect(positionIn(viewer)).toHaveText(/^1 of 2:/);
  await page.reload();
  await expectOrder(2, 1);
});
