// What the organizers add to an order: tags and notes, a corrected buyer and attendee, each with its history.
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { callsOf } from "../../support/page/calls.ts";
import { hold } from "../../support/page/faults.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";

test("an order is tagged, annotated, corrected, sent again and found by its tag", async ({
  page,
  mailbox,
}) => {
  test.slow();
  const mark = Date.now().toString(36);
  const id = await placeOrder({ buyerName: `Tess Typo ${mark}` });
  const admin = await arriveAsAdmin(page);
  await page.goto(`/admin/orders/${id}`);
  await page.getByLabel("New tag").fill(`Call ${mark}`);
  await page.getByRole("button", { name: "Add the tag" }).click();
  await expect(page.getByText(`${admin.email} added the tag call ${mark}`)).toBeVisible();
  await page.getByRole("button", { name: "Add Note" }).click();
  await expect(page.getByText("Enter a note.")).toBeVisible();
  const release = await hold(page, "**/rest/v1/rpc/add_order_note");
  const note = page.getByLabel("New note");
  await note.fill("Called: wrong address.\nMail goes to her brother.");
  await page.getByRole("button", { name: "Add Note" }).click();
  await note.fill("Her brother called");
  release();
  await expect(page.getByRole("listitem").getByText("Mail goes to her brother.")).toBeVisible();
  await expect(page.getByText("Note added")).toBeVisible();
  await expect(note, "what is typed meanwhile stays").toHaveValue("Her brother called");

  const address = `right.${mark}@people.test`;
  await page.getByRole("button", { name: "Change name or email" }).click();
  const dialog = page.getByRole("dialog", { name: "Change the buyer" });
  await dialog.getByLabel("Name").fill(`Tess Taylor ${mark}`);
  await dialog.getByLabel("Email").fill(address);
  await dialog.getByLabel("Send the tickets to this address").check();
  await expectAccessible(page);
  const saved = callsOf(page, "change_buyer");
  await dialog.getByRole("button", { name: "Save" }).dblclick();
  await expect(
    page.getByText(
      new RegExp(`changed the buyer from Tess Typo ${mark}, .* to Tess Taylor ${mark}, ${address}`),
    ),
  ).toBeVisible();
  await mailbox.newest(address, /Your tickets/);
  expect(saved).toHaveLength(1);

  const guest = `guest.${mark}@people.test`;
  await page.getByRole("button", { name: `Edit Name or Email for Guest 1 of Tess Typo ${mark}` }).click();
  const correcting = page.getByRole("dialog", { name: "Edit Name or Email" });
  await correcting.getByLabel("Email").fill(guest);
  await correcting.getByRole("button", { name: "Save" }).click();
  await expect(correcting.getByText("Enter a reason.")).toBeVisible();
  await expect(correcting.getByLabel("Reason")).toBeFocused();
  await correcting.getByLabel("Reason").fill("Asked on the phone");
  await correcting.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("cell").getByText(guest)).toBeVisible();
  await mailbox.newest(guest, /./);
  await expectAccessible(page);

  await page.goto("/admin/orders");
  await page.getByLabel("Tag", { exact: true }).selectOption(`call ${mark}`);
  await expect(page.getByRole("link", { name: /^#/ })).toHaveText([`#${id.slice(0, 8)}`]);
  await page.getByLabel("Channel").selectOption("Door sales");
  await expect(page.getByText("No orders found")).toBeVisible();
  await page.goto(`/admin/orders/${id}`);
  await page.getByRole("button", { name: `Remove the tag call ${mark}` }).click();
  await expect(page.getByText("No tags yet. Tags group orders in the list.")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Tags" })).toBeFocused();
});
