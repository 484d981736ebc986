// Each parking pass has its own code: what its buyer sees of it, and what the back office does.
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveSignedIn, serviceClient } from "../../support/shop/arrival.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";
import { codesOf, entrances, openGateDevice } from "../../support/gate/device.ts";
import { positionIn } from "../../support/page/code-viewer.ts";

test("a parking pass has its own code on My Tickets, full screen, on its order and on paper, states when it was scanned in, and is void once refunded", async ({
  page,
  account,
}) => {
  const order = await placeOrder({ buyerName: "Paula Permit", buyer: account, parking: true });
  const { permits, tickets } = await codesOf(order);
  await arriveSignedIn(page, account);
  await page.goto("/my-tickets");
  const permit = page.getByRole("article", { name: "General Parking for One vehicle" });
  const code = permit.getByRole("img", { name: "QR code of the parking pass General Parking" });
  await expect(code).toBeVisible();
  const ticketCode = page.getByRole("img", { name: /^QR code of the ticket for/ });
  await expect(ticketCode).toBeVisible();
  expect(await code.getAttribute("src")).not.toBe(await ticketCode.getAttribute("src"));
  await expectAccessible(page);
  await permit.getByRole("button", { name: "Show the code of General Parking full screen" }).click();
  const viewer = page.getByRole("dialog", { name: "Entry codes" });
  await expect(positionIn(viewer)).toHaveText(/^2 of 2: General Parking, ./);
  await expect(
    viewer.getByRole("img", { name: "QR code of the parking pass General Parking" }),
  ).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await expect(viewer.getByRole("img", { name: /^QR code of the ticket for/ })).toBeVisible();
  await expect(viewer.getByRole("button", { name: "Previous" })).toBeDisabled();
  await viewer.getByRole("button", { name: "Next" }).click();
  await expect(positionIn(viewer)).toHaveText(/^2 of 2:/);
  await expectAccessible(page);
  const swipe = async (from: number, to: number) => {
    const touch = (clientX: number) => [{ identifier: 0, clientX, clientY: 300 }];
    await positionIn(viewer).dispatchEvent("touchstart", {
      touches: touch(from),
      changedTouches: touch(from),
    });
    await positionIn(viewer).dispatchEvent("touchend", { changedTouches: touch(to) });
  };
  await swipe(100, 300);
  await expect(positionIn(viewer)).toHaveText(/^1 of 2:/);
  await swipe(300, 290);
  await expect(positionIn(viewer), "a tap").toHaveText(/^1 of 2:/);
  await swipe(300, 100);
  await expect(positionIn(viewer)).toHaveText(/^2 of 2:/);
  await page.keyboard.press("Escape");
  await expect(viewer).toBeHidden();
  const downloading = page.waitForEvent("download");
  await permit.getByRole("button", { name: "Download QR Code for General Parking" }).click();
  expect((await downloading).suggestedFilename()).toBe(`parking-${permits[0]}.png`);

  const lot = await openGateDevice(`Lot ${order.slice(0, 8)}`, "parking");
  await permit.getByRole("button", { name: "Show the code of General Parking full screen" }).click();
  await expect(viewer).not.toContainText("Already checked in");
  const [scan] = await lot.scan({ code_id: permits[0]! });
  expect(scan?.result).toBe("admitted");
  await expect(viewer, "by itself").toContainText("Already checked in", { timeout: 15_000 });
  await page.keyboard.press("Escape");
  await expect(permit).toContainText("Checked in");
  await page.goto(`/order-confirmation?orderId=${order}`);
  await expect(permit).toContainText("Checked in");
  await page.emulateMedia({ media: "print" });
  await expect(code).toBeVisible();
  await page.emulateMedia({ media: "screen" });
  await expect(page.getByRole("article", { name: /^General Admission for/ })).not.toContainText("Checked in");

  const voided = { voided_at: new Date().toISOString(), qr_code_url: null, qr_code_data: null };
  const { error } = await serviceClient().from("entry_codes").update(voided).eq("id", permits[0]!);
  expect(error).toBeNull();
  await page.goto("/dashboard");
  await expect(permit).toContainText("This parking pass is no longer valid.");
  await expect(permit.getByRole("img", { name: /QR code/ })).toHaveCount(0);
  expect(tickets).toHaveLength(1);
});

test("an administrator sees on the order who was let in where and when, finds a ticket by its number, checks it in by hand with a reason, and undoes that", async ({
  page,
}) => {
  const order = await placeOrder({ buyerName: "Olga Order", parking: true });
  const { permits, tickets } = await codesOf(order);
  const north = await openGateDevice(`North ${order.slice(0, 8)}`);
  const lot = await openGateDevice(`Lot ${order.slice(0, 8)}`, "parking");
  await north.scan({ code_id: tickets[0]! });
  await lot.scan({ code_id: permits[0]! });
  await arriveAsAdmin(page);
  await page.goto(`/admin/orders/${order}`);
  const rows = page.getByRole("region", { name: "Tickets and parking of the order" }).getByRole("row");
  const ticket = rows.filter({ hasText: "General Admission" });
  await expect(ticket).toContainText("Checked in");
  await page.setViewportSize({ width: 320, height: 568 });
  const table = page.getByRole("region", { name: "Tickets and parking of the order" });
  const hidden = await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(hidden, "the time wraps on the smallest phone").toBe(0);
  await page.setViewportSize({ width: 1280, height: 720 });
  await expect(ticket).toContainText(`${entrances.main.name}, ${north.name}`);
  await expect(ticket).toContainText(`#${tickets[0]!.slice(0, 8)}`);
  await expect(rows.filter({ hasText: "General Parking" })).toContainText(
    `${entrances.parking.name}, ${lot.name}`,
  );
  await expect(
    page.getByText(`Guest 1 of Olga Order let in at ${entrances.main.name}, ${north.name}`),
  ).toBeVisible();
  await expect(page.getByText("Completed", { exact: false }).first()).toBeVisible();
  await test.step("by hand", async () => {
    const order = await placeOrder({ buyerName: "Hanna Hand" });
    const { tickets } = await codesOf(order);
    await page.goto(`/admin/orders?search=${encodeURIComponent(`#${tickets[0]!.slice(0, 8)}`)}`);
    await page.getByRole("link", { name: new RegExp(order.slice(0, 8)) }).click();
    const ticket = page
      .getByRole("region", { name: "Tickets and parking of the order" })
      .getByRole("row")
      .filter({ hasText: "Guest 1 of Hanna Hand" });
    await ticket.getByRole("button", { name: "Check In Guest 1 of Hanna Hand" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Check In" }).click();
    await expect(dialog.getByText("Enter a reason.")).toBeVisible();
    await dialog.getByLabel("Reason").fill("Phone at the door is broken");
    await dialog.getByRole("button", { name: "Check In" }).click();
    await expect(ticket).toContainText("Checked in");
    await expect(ticket).toContainText("Back office");
    await expectAccessible(page);
    await ticket.getByRole("button", { name: /^Undo the check-in/ }).click();
    await dialog.getByLabel("Reason").fill("Wrong sister");
    await dialog.getByRole("button", { name: "Undo" }).click();
    await expect(ticket).toContainText("Valid");
    await expect(page.getByText(/check-in was undone by \S+@\S+: Wrong sister/)).toBeVisible();
  });
});
