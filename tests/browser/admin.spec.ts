// The back office: who may come in, and every screen's own work.
import { readFile } from "node:fs/promises";
import { arriveAsAdmin, placeOrder } from "./admin-arrival.ts";
import { newEmail } from "./accounts.ts";
import { arriveSignedIn, asService } from "./arrival.ts";
import { answerWith, expectLogged } from "./faults.ts";
import { expect, expectAccessible, test } from "./fixtures.ts";

const screens = [
  ["/admin", "Dashboard Overview"],
  ["/admin/orders", "Orders Management"],
  ["/admin/users", "Users Management"],
  ["/admin/inventory", "Inventory Management"],
  ["/admin/vendors", "Vendors Management"],
  ["/admin/sponsors", "Sponsor Inquiries"],
  ["/admin/audit-logs", "Audit Logs"],
] as const;

test.describe("the guard", () => {
  test("sends a visitor home", async ({ page }) => {
    await page.goto("/admin/orders");
    await expect(page).toHaveURL((url) => url.pathname === "/");
  });

  test("sends a buyer home", async ({ page, account }) => {
    await arriveSignedIn(page, account);
    await page.goto("/admin");
    await expect(page).toHaveURL((url) => url.pathname === "/");
  });
});

test("every screen is reached by the navigation", async ({ page }) => {
  await arriveAsAdmin(page);
  await page.goto("/admin");
  const navigation = page.getByRole("navigation", { name: "Back office" });
  for (const [path, title] of screens) {
    await navigation.locator(`a[href="${path}"]`).click();
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
  }
  await page.goto("/admin/audit");
  await expect(page).toHaveURL(/\/admin\/audit-logs$/);
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL((url) => url.pathname === "/");
});

for (const [size, viewport] of Object.entries({
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
})) {
  test.describe(`on a ${size}`, () => {
    test.use({ viewport });

    for (const [path, title] of [...screens, ["/admin/orders/:id", "Order #"]] as const) {
      test(`${path} has no violation axe can see and is no wider than the window`, async ({ page }) => {
        await arriveAsAdmin(page);
        const order = await placeOrder({ buyerName: "Axel Access" });
        await page.goto(path.replace(":id", order));
        await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
        await expect(page.getByText(/^Loading/)).toHaveCount(0);
        await expectAccessible(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
      });
    }
  });
}

test.describe("orders", () => {
  test("are filtered, and say when there are none", async ({ page }) => {
    await arriveAsAdmin(page);
    await placeOrder({ buyerName: "Phil Terred" });
    await page.goto("/admin/orders");
    await page.getByLabel("Status").selectOption("Completed");
    await expect(page.getByText('No orders found with status "completed"')).toBeVisible();
    await page.getByRole("button", { name: "Clear Filter" }).click();
    await expect(page.getByRole("link", { name: /^#/ }).first()).toBeVisible();
  });

  test("turn pages that stay still while orders arrive", async ({ page }) => {
    await arriveAsAdmin(page);
    for (let n = 0; n < 21; n++) await placeOrder({ buyerName: `Paige Turner ${n}`, paid: n % 2 === 0 });
    await page.goto("/admin/orders");
    const shown = () => page.getByRole("link", { name: /^#/ }).allTextContents();
    const turn = async (to: string, number: number) => {
      await page.getByRole("button", { name: to }).click();
      await expect(page.getByText(new RegExp(`^Page ${number} of`))).toBeVisible();
      await expect.poll(async () => (await shown()).some((id) => !last.includes(id))).toBe(true);
    };
    await expect(page.getByText(/^Page 1 of/)).toBeVisible();
    let last = await shown();
    expect(last).toHaveLength(10);
    await turn("Next", 2);
    const second = await shown();
    for (let n = 0; n < 11; n++) await placeOrder({ buyerName: `Newt Comer ${n}` });
    last = second;
    await turn("Next", 3);
    const third = await shown();
    expect(new Set([...second, ...third]).size).toBe(10 + third.length);
    last = third;
    await turn("Previous", 2);
    expect(await shown()).toEqual(second);
  });

  test("give single tickets back with their stock, and then the rest", async ({ page }) => {
    const id = await placeOrder({ buyerName: "Rhea Funder", quantity: 2 });
    await arriveAsAdmin(page);
    await page.goto(`/admin/orders/${id}`);
    await page.getByLabel("Choose the ticket of Guest 1 of Rhea Funder").check();
    await page.getByRole("button", { name: "Refund 1 ticket" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Refund $45.00" }).click();
    await expect(page.getByText("Refund started successfully")).toBeVisible();
    await expect(page.getByText("An administrator refunded 1 of the tickets: $45.00")).toBeVisible();
    await expect(page.getByRole("cell", { name: "Refunded", exact: true })).toHaveCount(1);
    await page.getByRole("button", { name: "Refund Order" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Refund $45.00" }).click();
    await expect(page.getByText("Cancelled: it was refunded")).toBeVisible();
    const { data } = await asService().from("refunds").select("amount").eq("order_id", id);
    expect(data).toEqual([{ amount: 45 }, { amount: 45 }]);
  });

  test("are cancelled while they are pending, and asked about first", async ({ page }) => {
    const id = await placeOrder({ buyerName: "Penny Pending", paid: false });
    await arriveAsAdmin(page);
    await page.goto(`/admin/orders/${id}`);
    await page.getByRole("button", { name: "Cancel Order" }).click();
    await page.getByRole("button", { name: "Keep the order" }).click();
    await page.getByRole("button", { name: "Cancel Order" }).click();
    await page.getByRole("button", { name: "Cancel the order" }).click();
    await expect(page.getByText("Cancelled: an administrator cancelled it")).toBeVisible();
  });

  test("are saved as a file that a spreadsheet can open safely", async ({ page }) => {
    await placeOrder({ buyerName: '=HYPERLINK("x"), Evil' });
    await arriveAsAdmin(page);
    await page.goto("/admin/orders");
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("orders.csv");
    const text = await readFile(await download.path(), "utf8");
    expect(text).toContain("Order,Buyer,Email,Phone,Status,Total,Created,Cancelled\r\n");
    expect(text).toContain(`,"'=HYPERLINK(""x""), Evil",`);
  });

  test("say when they cannot be loaded, and the other administrators are told", async ({
    page,
    pageErrors,
  }) => {
    await arriveAsAdmin(page);
    const mend = await answerWith(page, "**/rest/v1/rpc/get_recent_orders*", 500, {
      message: "no such luck",
    });
    await page.goto("/admin/orders");
    await expect(
      page.getByText("Error loading orders. Please check your connection and try again."),
    ).toBeVisible();
    await expectLogged(pageErrors, "Failed to fetch orders: no such luck");
    await expect
      .poll(async () => {
        const { data } = await asService()
          .from("audit_logs")
          .select("new_values")
          .eq("action_type", "FETCH_ERROR_ORDERS");
        return data?.length;
      })
      .toBeGreaterThan(0);
    await mend();
    await page.getByRole("button", { name: "Try Again" }).click();
    await expect(page.getByRole("button", { name: "Export CSV" })).toBeVisible();
    await expect(page.getByRole("alert")).toHaveCount(0);
  });
});

test("users are searched in the database and given roles", async ({ page, account }) => {
  await arriveAsAdmin(page);
  await page.goto("/admin/users");
  await page.getByLabel("Search by email").fill(account.email.toUpperCase());
  const role = page.getByLabel(`Role of ${account.email}`);
  await expect(page.getByRole("row")).toHaveCount(2);
  await role.selectOption("Admin");
  await expect(page.getByText("User role updated successfully")).toBeVisible();
  await page.getByLabel("Role", { exact: true }).selectOption("Admin");
  await expect(role).toHaveValue("admin");
  await role.selectOption("Remove Role");
  await expect(page.getByText("No users found.")).toBeVisible();
  await page.getByLabel("Search by email").fill(newEmail("nobody"));
  await expect(page.getByText("No users found.")).toBeVisible();
});

test("whoever changes a role second is told, and sees the first one's change", async ({
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
    await expect(editor.getByRole("row")).toHaveCount(2);
  }
  const [mine, theirs] = [page, second].map((editor) => editor.getByLabel(`Role of ${account.email}`));
  await mine!.selectOption("Admin");
  await expect(page.getByText("User role updated successfully")).toBeVisible();
  await theirs!.selectOption("User");
  await expect(second.getByText("Failed to update user role")).toBeVisible();
  await expect(second.getByText(/^Somebody else changed this role/)).toBeVisible();
  await expect(theirs!).toHaveValue("admin");
  await theirs!.selectOption("Remove Role");
  await expect(second.getByText("User role updated successfully")).toBeVisible();
  await mine!.selectOption("User");
  await expect(page.getByText(/^Somebody else changed this role/)).toBeVisible();
  await expect(mine!).toHaveValue("none");
  await context.close();
});

for (const [path, file, header] of [
  ["/admin/users", "users", "Email,Role,Joined,Last Sign In,Id"],
  ["/admin/inventory", "inventory", "Kind,Name,Price,Available,Total,Held,Sold,Revenue,Status,Id"],
  ["/admin/vendors", "vendors", "Booth Name,Contact,Email,Phone,Status,Submitted,Booth Size,"],
  ["/admin/sponsors", "sponsors", "Company,Contact,Email,Phone,Level,Message,Received,Id"],
  ["/admin/audit-logs", "audit-logs", "Timestamp,Action,Table,Record,Admin User,Before,After,"],
] as const) {
  test(`${file} are saved as a file`, async ({ page }) => {
    await arriveAsAdmin(page);
    await page.goto(path);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`${file}.csv`);
    expect(await readFile(await download.path(), "utf8")).toContain(header);
  });
}

test("vendors are decided on, and told by mail", async ({ page, mailbox: _mailbox }) => {
  const booth = `Booth ${Date.now()}`;
  const email = newEmail("vendor");
  const { error } = await asService().from("vendor_applications").insert({
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
  expect(error).toBeNull();
  await arriveAsAdmin(page);
  await page.goto("/admin/vendors");
  await page.getByLabel("Search by booth name, contact name or email").fill(email);
  await page.getByRole("button", { name: `Details of ${booth}` }).click();
  const dialog = page.getByRole("dialog", { name: "Vendor Application Details" });
  await expect(dialog).toContainText("Not specified");
  await expect(dialog).toContainText("Two outlets");
  await dialog.getByLabel(`Status of ${booth}`).selectOption("Approve");
  await expect(page.getByText("Vendor application status updated successfully")).toBeVisible();
  await expect(dialog).toContainText("Approved");
  const { data } = await asService().from("outbox").select("payload").eq("kind", "vendor_decision_mail");
  expect(data?.length).toBeGreaterThan(0);
});

test("the audit log shows who changed what, before and after", async ({ page, account }) => {
  const admin = await arriveAsAdmin(page);
  await page.goto("/admin/users");
  await page.getByLabel("Search by email").fill(account.email);
  await page.getByLabel(`Role of ${account.email}`).selectOption("User");
  await expect(page.getByText("User role updated successfully")).toBeVisible();
  await page.getByRole("link", { name: "Audit Logs" }).click();
  await page.getByLabel("Search by action or table").fill("user_roles");
  await page.getByLabel("Action type").selectOption("Create");
  const row = page.getByRole("row").filter({ hasText: account.id }).first();
  await expect(row).toContainText(`${admin.id.slice(0, 8)}…`);
  await row.locator("summary").click();
  await expect(row.getByText("Before")).toBeVisible();
  await expect(row).toContainText("127.0.0.1");
  await page.getByLabel("Search by action or table").fill("no such table");
  await expect(page.getByText("No audit logs found matching your criteria.")).toBeVisible();
});
