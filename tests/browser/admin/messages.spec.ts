// A message to the holders of one kind of ticket: written, kept across a reload, tested on the writer, sent, and received.
import { createAccount } from "../../support/shop/accounts.ts";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { serviceClient } from "../../support/shop/arrival.ts";
import { RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, status } from "../../support/fixtures.ts";
import { test } from "../../support/shop/own-items.ts";

test("an organizer writes to the holders of a ticket type, and they are mailed once", async ({
  page,
  mailbox,
  makeTicketType,
}) => {
  const type = await makeTicketType({ called: "Backstage" });
  const buyers = await Promise.all(["Ana", "Ben"].map(() => createAccount(status())));
  for (const buyer of buyers) await placeOrder({ buyerName: "Backstage fan", buyer, type });
  const organizer = await arriveAsAdmin(page);

  await page.goto("/admin/messages");
  await page.getByRole("link", { name: "Write a Message" }).click();
  await page.getByLabel(type.name).check();
  await expect(page.getByText("Reaches 2 people")).toBeVisible();
  await page.getByRole("button", { name: "Send to 2 People" }).click();
  await expect(page.getByText("Enter a subject.", { exact: true })).toBeVisible();
  const subject = `Load-in for ${type.name}`;
  await page.getByLabel("Subject").fill(subject);
  await page.getByLabel("Text").fill("Come to gate B.\n\nBring your badge.");
  await page.reload();
  await expect(page.getByLabel("Subject")).toHaveValue(subject);
  await expect(page.getByLabel(type.name)).toBeChecked();
  await expect(page.getByRole("region", { name: "Preview" })).toContainText("Bring your badge.");
  await expectAccessible(page);

  await page.getByRole("button", { name: "Send Me a Test" }).click();
  await expect(page.getByText("A test is on its way to you")).toBeVisible();
  expect((await mailbox.newest(organizer.email, /Load-in/)).text).toContain("Come to gate B.");
  await page.getByRole("button", { name: "Send to 2 People" }).click();
  await page.getByRole("button", { name: "Send it" }).click();
  await expect(page).toHaveURL(/\/admin\/messages$/);
  for (const { email } of buyers) {
    expect((await mailbox.newest(email, /Load-in/)).text).toContain("Hello Backstage fan,");
  }
  const row = page.getByRole("row").filter({ hasText: subject });
  await expect(row).toContainText("Sent to 2 people");

  // A later bounce is shown.
  const { error } = await serviceClient().rpc("record_mail_bounce", {
    p_email: buyers[0]!.email,
    p_reason: "552 5.2.2 The mailbox is full",
    p_reported: true,
  });
  expect(error).toBeNull();
  await page.reload();
  await expect(row).toContainText("1 of 2 sent, 1 bounced");
  await page.getByRole("button", { name: `Open ${subject}` }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("cell", { name: "552 5.2.2 The mailbox is full" })).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Retry Bounced" }).click();
  await expect(dialog).toContainText("Sent to 2 people");
});

test("a message whose answer was lost says so, also after a reload, and is sent once", async ({
  page,
  mailbox,
  makeTicketType,
  pageErrors,
}) => {
  const type = await makeTicketType({ called: "Backstage" });
  const buyer = await createAccount(status());
  await placeOrder({ buyerName: "Backstage fan", buyer, type });
  await arriveAsAdmin(page);
  await page.goto("/admin/messages/new");
  await page.getByLabel(type.name).check();
  const subject = `Load-out for ${type.name}`;
  await page.getByLabel("Subject").fill(subject);
  await page.getByLabel("Text").fill("Leave by gate B.");
  await page.route("**/rpc/send_message", async (route) => {
    await route.fetch(RECONNECTING);
    await route.abort();
  });
  const send = async () => {
    await page.getByRole("button", { name: "Send to 1 Person" }).click();
    await page.getByRole("button", { name: "Send it" }).click();
  };
  const open = page
    .getByRole("alert")
    .filter({ hasText: "No response. Check whether the message was sent." });
  await send();
  await expect(open).toBeVisible();
  await expect(page.getByText("The message was not sent")).toHaveCount(0);
  await expectAccessible(page);
  await page.unroute("**/rpc/send_message");
  await page.reload();
  await expect(open).toBeVisible();
  await send();
  await expect(page.getByText("The message is going out")).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: subject })).toHaveCount(1);
  await mailbox.newest(buyer.email, /Load-out/);
  const { data } = await serviceClient().from("messages").select("id").eq("subject", subject);
  expect(data).toHaveLength(1);
  expect(pageErrors.splice(0).filter((error) => !error.includes("ERR_FAILED"))).toEqual([]);
});
