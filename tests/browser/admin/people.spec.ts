// Users, vendors, sponsors and the audit log: the decisions made there, and who is notified.
import type { Locator } from "@playwright/test";
import { arriveAsAdmin } from "../../support/shop/admin-arrival.ts";
import { newEmail } from "../../support/shop/accounts.ts";
import { serviceClient } from "../../support/shop/arrival.ts";
import { hold } from "../../support/page/faults.ts";
import { expect, expectRefusal, test } from "../../support/fixtures.ts";
import { watchLiveConnection } from "../../support/page/live-connection.ts";
import { keepToast } from "../../support/page/toasts.ts";

/** Chooses and applies, as two steps. */
async function decide(choice: Locator, option: string): Promise<void> {
  // No decision can be made while another one is being saved: its message comes before the list is reloaded.
  await expect(choice).not.toHaveAttribute("aria-busy");
  await choice.selectOption(option);
  await choice
    .locator("xpath=../..")
    .getByRole("button", { name: /^Apply/ })
    .click();
}

const vendor = (booth: string, email: string) => ({
  booth_name: booth,
  contact_name: "Vera Vendor",
  contact_email: email,
  contact_phone: "713-555-0101",
  vendor_type: "food",
  description: "Links",
  products: "Links",
  description_of_goods: "Hot links",
  special_requests: "Two outlets",
});

test("moving through a selector decides nothing; an applied role can be undone, is searched for, and is in the audit log", async ({
  page,
  account,
}) => {
  const admin = await arriveAsAdmin(page);
  await page.goto("/admin/users");
  const role = page.getByLabel(`Role for ${account.email}`, { exact: true });
  const stored = async () => {
    const { data } = await serviceClient().from("user_roles").select("role").eq("user_id", account.id);
    return data?.map((row) => row.role as string).join() ?? "failed";
  };
  await test.step("is found in the database, whatever the case", async () => {
    await page.getByLabel("Search by email").fill(account.email.toUpperCase());
    await expect(page.getByRole("table", { name: "Users" }).getByRole("row")).toHaveCount(2);
  });
  await test.step("nothing is written until the choice is applied, which can be undone", async () => {
    let writes = 0;
    page.on("request", (request) => {
      if (request.url().includes("/rest/v1/user_roles") && request.method() !== "GET") writes++;
    });
    await role.selectOption("user");
    const elsewhere = page.getByRole("link", { name: "Audit Logs" });
    await elsewhere.click();
    const question = page.getByRole("alertdialog", { name: "Leave without saving?" });
    await question.getByRole("button", { name: "Stay" }).click();
    await expect(elsewhere).toBeFocused();
    await role.focus();
    await role.selectOption("user");
    await role.selectOption("admin");
    await page.keyboard.press("Tab");
    await expect(page.getByRole("button", { name: "Apply" })).toBeFocused();
    expect(writes).toBe(0);
    await page.keyboard.press("Enter");
    await keepToast(page, "User role updated successfully");
    await expect(role).toBeFocused();
    await expect.poll(stored).toBe("admin");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(stored).toBe("");
    await expect(role).toHaveValue("none");
  });
  await test.step("roles are filtered", async () => {
    await decide(role, "Admin");
    await expect.poll(stored).toBe("admin");
    await page.getByLabel("Role", { exact: true }).selectOption("Admin");
    await expect(role).toHaveValue("admin");
    await decide(role, "Remove Role");
    await expect(page.getByText("No users found.")).toBeVisible();
  });
  await test.step("the audit log shows who changed what, before and after", async () => {
    await page.getByRole("link", { name: "Audit Logs" }).click();
    await page.getByLabel("Search by action or table").fill("user_roles");
    await page.getByLabel("Action type").selectOption("Create");
    // Not the first row of the account: that is a removal until the filtered rows arrive.
    const row = page
      .getByRole("row")
      .filter({ hasText: account.email })
      .filter({ hasText: /CREATE/ })
      .first();
    await expect(row).toContainText(`${admin.id.slice(0, 8)}…`);
    await row.locator("summary").click();
    await expect(row.getByText("Before")).toBeVisible();
    await expect(row).toContainText("127.0.0.1");
    await page.getByLabel("Search by action or table").fill("no such table");
    await expect(page.getByText("No audit logs found matching your criteria.")).toBeVisible();
  });
});

test("the second person to change a role is warned, and sees the first change", async ({
  page,
  browser,
  account,
}) => {
  await arriveAsAdmin(page);
  const context = await browser.newContext();
  const second = await context.newPage();
  await arriveAsAdmin(second);
  for (const editor of [page, second]) {
    await editor.goto("/admin/users");
    await editor.getByLabel("Search by email").fill(account.email);
    await expect(editor.getByRole("table", { name: "Users" }).getByRole("row")).toHaveCount(2);
  }
  const [mine, theirs] = [page, second].map((editor) =>
    editor.getByLabel(`Role for ${account.email}`, { exact: true }),
  );
  await decide(mine!, "Admin");
  await expect(page.getByText("User role updated successfully")).toBeVisible();
  await decide(theirs!, "User");
  await expect(second.getByText("Failed to update user role")).toBeVisible();
  await expect(second.getByText(/^Someone else changed this role/)).toBeVisible();
  await expect(theirs!).toHaveValue("admin");
  await decide(theirs!, "Remove Role");
  await expect(second.getByText("User role updated successfully")).toBeVisible();
  await decide(mine!, "User");
  await expect(page.getByText(/^Someone else changed this role/)).toBeVisible();
  await expect(mine!).toHaveValue("none");
  await context.close();
});

test("a role given to an account that was deleted meanwhile is refused in words for people", async ({
  page,
  account,
  pageErrors,
}) => {
  await arriveAsAdmin(page);
  await page.goto("/admin/users");
  await page.getByLabel("Search by email").fill(account.email);
  const role = page.getByLabel(`Role for ${account.email}`, { exact: true });
  await expect(role).toBeVisible();
  // The list is read again by itself: the row must be there when it is decided.
  const release = await hold(page, "**/rest/v1/rpc/list_users");
  expect((await serviceClient().auth.admin.deleteUser(account.id)).error).toBeNull();
  await decide(role, "Admin");
  await expect(page.getByText("Failed to update user role")).toBeVisible();
  await expect(page.getByText(/^This may have been changed or deleted in the meantime\./)).toBeVisible();
  release();
  await expect(role).toHaveCount(0);
  expectRefusal(pageErrors, 409);
});

test("incoming alerts cover no button", async ({ page, account }) => {
  await arriveAsAdmin(page);
  const live = await watchLiveConnection(page);
  await page.goto("/admin/users");
  await page.getByLabel("Search by email").fill(account.email);
  await expect(page.getByRole("table", { name: "Users" }).getByRole("row")).toHaveCount(2);
  await live.flows(1);
  await page.getByLabel(`Role for ${account.email}`, { exact: true }).selectOption("Admin");
  const apply = page.getByRole("button", { name: /^Apply/ });
  await apply.hover();
  const actions = [1, 2, 3].map((n) => `CRITICAL_${n}_${account.email.slice(6, 16)}`);
  await serviceClient()
    .from("audit_logs")
    .insert(actions.map((action_type) => ({ action_type, table_name: "outbox" })));
  const alert = page.getByText(`${actions[2]} in outbox`);
  await expect(alert).toBeVisible();
  await apply.click();
  await expect(alert).toBeAttached();
  await expect(page.getByText("User role updated successfully")).toBeVisible();
});

test("a vendor's application is decided, the vendor notified by mail, and its details stay open until they are closed", async ({
  page,
}) => {
  const booth = `Booth ${Date.now()}`;
  const email = newEmail("vendor");
  const inserted = await serviceClient()
    .from("vendor_applications")
    .insert(vendor(booth, email))
    .select("id");
  const [{ id }] = inserted.data as [{ id: string }];
  await arriveAsAdmin(page);
  await page.goto("/admin/vendors?status=pending_review");
  await page.getByLabel("Search by booth name, contact name or email").fill(email);
  await page.getByRole("button", { name: `Details for ${booth}` }).click();
  const dialog = page.getByRole("dialog", { name: "Vendor Application Details" });
  await expect(dialog).toContainText("Not specified");
  await expect(dialog).toContainText("Two outlets");
  const choice = dialog.getByLabel(`Status for ${booth}`, { exact: true });
  await choice.selectOption("Reject");
  await page.keyboard.press("Escape");
  await page
    .getByRole("alertdialog", { name: "Discard your changes?" })
    .getByRole("button", { name: "Keep Editing" })
    .click();
  await decide(choice, "Approve");
  await expect(page.getByText("Vendor application status updated successfully")).toBeVisible();
  await expect(page.getByText(/Approved. The email goes out in 15 seconds/)).toBeVisible();
  await expect(page.getByText("No vendor applications match.")).toBeAttached();
  await expect(dialog).toContainText("Approved");
  await expect(dialog).toContainText(/Decision email\s*Approved: (being )?sent/);
  const { data } = await serviceClient()
    .from("outbox")
    .select("payload")
    .eq("kind", "vendor_decision_mail")
    .eq("payload->>application_id", id);
  expect(data).toHaveLength(1);
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toBeHidden();
  await page.getByLabel("Status", { exact: true }).selectOption("");
  await expect(page.getByRole("button", { name: `Details for ${booth}` })).toBeVisible();
  await expect(dialog).toBeHidden();
});

test("a decision that was chosen but not applied gives way to one made elsewhere", async ({ page }) => {
  const booth = `Booth ${Date.now()}`;
  const email = newEmail("vendor");
  const inserted = await serviceClient()
    .from("vendor_applications")
    .insert(vendor(booth, email))
    .select("id");
  const [{ id }] = inserted.data as [{ id: string }];
  const elsewhere = async (status: string) => {
    const { error } = await serviceClient().from("vendor_applications").update({ status }).eq("id", id);
    expect(error).toBeNull();
  };
  await arriveAsAdmin(page);
  const live = await watchLiveConnection(page);
  await page.goto(`/admin/vendors?q=${email}`);
  const choice = page.getByLabel(`Status for ${booth}`, { exact: true });
  const apply = page.getByRole("button", { name: `Apply: Status for ${booth}` });
  await expect(choice).toHaveValue("pending_review");
  await live.flows(1);
  await choice.selectOption("Approve");
  await expect(apply).toBeVisible();
  await elsewhere("rejected");
  await expect(choice).toHaveValue("rejected");
  await expect(apply).toBeHidden();
  const overtaken = page.getByText("This changed before you applied your choice.");
  await expect(overtaken).toBeVisible();
  await elsewhere("pending_review");
  await expect(choice, "the dropped choice does not return with its former value").toHaveValue(
    "pending_review",
  );
  await expect(apply).toBeHidden();
  await choice.press("Tab");
  await expect(overtaken).toBeHidden();

  // Without notice of the change, the choice is refused and the other decision shown.
  await live.cut();
  // Another test's application may cause one more reload of the list.
  const release = await hold(page, "**/rest/v1/rpc/list_vendor_applications");
  await elsewhere("under_review");
  await choice.selectOption("Approve");
  await apply.click();
  await expect(page.getByText("Failed to update vendor status")).toBeVisible();
  release();
  await expect(page.getByText(/^Someone else changed this application/)).toBeVisible();
  await expect(choice).toHaveValue("under_review");
  await expect(apply).toBeHidden();
});

test("long names and addresses fit a tablet and a small laptop", async ({ page }) => {
  const long = `maximiliana-konstantinopoulos-wolfeschlegel-${Date.now()}@the-very-long-subdomain.example.com`;
  const service = serviceClient();
  const created = await service.auth.admin.createUser({ email: long, email_confirm: true });
  expect(created.error).toBeNull();
  const company = "Wolfeschlegelsteinhausenbergerdorff's Smokehouse & Sons";
  const person = "Maximiliana Konstantinopoulos-Wolfeschlegel";
  const inserted = await Promise.all([
    service.from("vendor_applications").insert({ ...vendor(company, long), contact_name: person }),
    service
      .from("sponsor_inquiries")
      .insert({ company_name: company, contact_name: person, email: long, phone: "713-555-0100" }),
    service.from("audit_logs").insert({
      action_type: "UPDATE_OF_SOMETHING_LONG",
      table_name: "vendor_applications",
      new_values: { text: "x".repeat(300) },
    }),
  ]);
  for (const { error } of inserted) expect(error).toBeNull();
  await arriveAsAdmin(page);
  for (const [path, list] of [
    [`users?q=${long}`, "Users"],
    [`vendors?q=${long}`, "Vendor applications"],
    [`sponsors?q=${long}`, "Sponsor inquiries"],
    ["audit-logs?q=UPDATE_OF_SOMETHING_LONG", "Audit logs"],
  ] as const) {
    await page.goto(`/admin/${path}`);
    const region = page.getByRole("region", { name: list });
    await expect(region.getByRole("row")).not.toHaveCount(1); // more than the header row
    for (const width of [768, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      await expect(region).toBeVisible();
      const hidden = await region.evaluate((element) => element.scrollWidth - element.clientWidth);
      expect(hidden, `${list} at ${width} px`).toBe(0);
    }
  }
});
