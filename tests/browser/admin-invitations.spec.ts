// Inviting staff by mail from the Users page.
import { arriveAsAdmin } from "../support/admin-arrival.ts";
import { asService } from "../support/arrival.ts";
import { expect, expectAccessible, expectRefusal, test } from "../support/fixtures.ts";

test("an administrator invites somebody, sends the mail again and takes the invitation back", async ({
  page,
  pageErrors,
}) => {
  const email = `staff-${crypto.randomUUID()}@people.test`;
  await arriveAsAdmin(page);
  await page.goto("/admin/users");
  await page.getByRole("button", { name: "Invite Staff" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite staff" });
  await expectAccessible(page);
  await dialog.getByLabel("Email").fill(email);
  await dialog.getByLabel("Role").selectOption("Finance");
  await dialog.getByRole("button", { name: "Send Invitation" }).click();
  await expect(dialog).toBeHidden();
  const row = page.getByRole("row").filter({ hasText: email });
  await expect(row).toContainText("Finance");
  // The newest come first; other tests make accounts meanwhile.
  const { data } = await asService().auth.admin.listUsers({ perPage: 100 });
  expect(data.users).toContainEqual(expect.objectContaining({ email, invited_at: expect.any(String) }));

  await page.getByRole("button", { name: `Send Again: the invitation of ${email}` }).click();
  await expect(page.getByText("Invitation sent again")).toBeVisible();
  await page.getByRole("button", { name: `Revoke the invitation of ${email}` }).click();
  await expect(row).toBeHidden();

  await page.getByRole("button", { name: "Invite Staff" }).click();
  await dialog.getByLabel("Email").fill(email); // its account waits for confirmation, and hinders nobody
  await dialog.getByRole("button", { name: "Send Invitation" }).click();
  await expect(dialog).toBeHidden();
  await expect(row).toBeVisible();

  const settled = `settled-${crypto.randomUUID()}@people.test`;
  await asService().auth.admin.createUser({ email: settled, email_confirm: true });
  await page.getByRole("button", { name: "Invite Staff" }).click();
  await dialog.getByLabel("Email").fill(settled);
  await dialog.getByRole("button", { name: "Send Invitation" }).click();
  await expect(dialog.getByText("There is an account with this address already.")).toBeVisible();
  expectRefusal(pageErrors, 409);
});
