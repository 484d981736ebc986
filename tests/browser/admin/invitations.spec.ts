// Inviting staff by mail from the Users page, and accepting the invitation.
import { arriveAsAdmin } from "../../support/shop/admin-arrival.ts";
import { createAccount, newEmail } from "../../support/shop/accounts.ts";
import { serviceClient, visitorClient } from "../../support/shop/arrival.ts";
import { callsOf } from "../../support/page/calls.ts";
import { RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, expectRefusal, status, test } from "../../support/fixtures.ts";
import { codeIn, linkIn, type Mailbox } from "../../support/server/mailbox.ts";

test("an administrator invites a person, sends the mail again and revokes the invitation", async ({
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
  const asked = callsOf(page, "invite_staff");
  await dialog.getByRole("button", { name: "Send Invitation" }).dblclick();
  await expect(dialog).toBeHidden();
  expect(asked).toHaveLength(1);
  const row = page.getByRole("row").filter({ hasText: email });
  await expect(row).toContainText("Finance");
  await expect
    .poll(async () => {
      // The newest come first; other tests create accounts meanwhile.
      const { data } = await serviceClient().auth.admin.listUsers({ perPage: 100 });
      return data.users;
    })
    .toContainEqual(expect.objectContaining({ email, invited_at: expect.any(String) }));

  const again = page.getByRole("button", { name: `Send Again: invitation for ${email}` });
  await again.click();
  await expect(page.getByText("Not sent again")).toBeVisible();
  const { data: invited } = await serviceClient().from("staff_invitations").select("id").eq("email", email);
  await serviceClient().from("rate_limits").delete().eq("key", `staff_invitation:${invited![0]!.id}`);
  await again.click();
  await expect(page.getByText("Invitation sent again")).toBeVisible();
  await page.getByRole("button", { name: `Revoke the invitation for ${email}` }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await expect(row).toBeHidden();
  await expect(page.getByRole("heading", { name: "Staff Invitations" })).toBeFocused();

  await page.getByRole("button", { name: "Invite Staff" }).click();
  await dialog.getByLabel("Email").fill(email); // its unconfirmed account does not block a new invitation
  await dialog.getByRole("button", { name: "Send Invitation" }).click();
  await expect(dialog).toBeHidden();
  await expect(row).toBeVisible();

  const settled = `settled-${crypto.randomUUID()}@people.test`;
  await serviceClient().auth.admin.createUser({ email: settled, email_confirm: true });
  await page.getByRole("button", { name: "Invite Staff" }).click();
  await dialog.getByLabel("Email").fill(settled);
  await dialog.getByRole("button", { name: "Send Invitation" }).click();
  await expect(dialog.getByText("An account with this address already exists.")).toBeVisible();
  expectRefusal(pageErrors, 409);

  await dialog.getByLabel("Email").fill("second@");
  await dialog.getByRole("button", { name: "Send Invitation" }).click();
  await expect(dialog.getByText("Valid email is required")).toBeVisible();

  // The account that the mail's link opens is listed, and its role is the invitation's.
  await page.goto(`/admin/users?q=${email}`);
  const listed = page.getByRole("table", { name: "Users", exact: true }).getByRole("row");
  await expect(listed.filter({ hasText: email })).toContainText("Invited");
  await expect(page.getByLabel(`Role for ${email}`)).toHaveCount(0);
});

/** Invites as an administrator. Returns the link in the mail. */
async function invite(mailbox: Mailbox, email: string, role: string): Promise<string> {
  const admin = await createAccount(status());
  const service = serviceClient();
  expect((await service.from("user_roles").insert({ user_id: admin.id, role: "admin" })).error).toBeNull();
  const client = visitorClient();
  expect((await client.auth.signInWithPassword(admin)).error).toBeNull();
  const { data: invitation_id, error } = await client.rpc("invite_staff", { p_email: email, p_role: role });
  expect(error).toBeNull();
  const sent = await client.functions.invoke("invite-staff", { body: { invitation_id } });
  expect(sent.error).toBeNull();
  return linkIn(await mailbox.newest(email, /invited to work/), "token_hash");
}

for (const [role, path] of [
  ["finance", "/admin/orders"],
  ["gate", "/gate"],
] as const) {
  test(`a person invited as ${role} chooses a password on any device, and can work at once`, async ({
    page,
    mailbox,
    request,
  }) => {
    const email = newEmail("staff");
    const link = await invite(mailbox, email, role);
    await request.get(link, RECONNECTING); // a mail scanner opens it first
    await page.goto(link);
    await expect(page.getByRole("heading", { name: "Choose a Password" })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Open the Account" }).click();
    const form = page.getByRole("form", { name: "New password" });
    await expect(form).toContainText(email);
    await form.getByLabel("New Password").fill("swangas and vogues");
    await form.getByLabel("Confirm Password").fill("swangas and vogues");
    await form.getByRole("button", { name: "Set New Password" }).click();
    await expect(page).toHaveURL(path);
  });
}

test("an invitation whose link was used up is accepted with a code", async ({
  page,
  mailbox,
  pageErrors,
}) => {
  const email = newEmail("staff");
  const link = await invite(mailbox, email, "finance");
  await page.goto(link.replace(/token_hash=.*/, "token_hash=used"));
  await page.getByRole("button", { name: "Open the Account" }).click();
  await expect(page.getByText("If your invitation is still open")).toBeVisible();
  expectRefusal(pageErrors, 403);
  await page.getByRole("textbox", { name: "Email" }).fill(email);
  await page.getByRole("button", { name: "Email Me a Code" }).click();
  const typed = page.getByRole("form", { name: "Type your code" });
  await typed.getByLabel("Code from the email").fill(codeIn(await mailbox.newest(email, /sign-in code/)));
  await typed.getByRole("button", { name: "Sign In" }).click();
  await expect(page).toHaveURL("/dashboard");
  await page.goto("/admin");
  await expect(page).toHaveURL("/admin/orders");
});
