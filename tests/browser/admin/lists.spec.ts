// What the lists of the back office share: numbered pages, how an unreadable answer is shown, and files.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { arriveAsAdmin, placeOrder } from "../../support/shop/admin-arrival.ts";
import { serviceClient } from "../../support/shop/arrival.ts";
import { answerWith, expectLogged, tryAgain } from "../../support/page/faults.ts";
import { expect, test } from "../../support/fixtures.ts";
import { watchLiveConnection } from "../../support/page/live-connection.ts";

const insert = async (table: string, rows: object[]) => {
  const { error } = await serviceClient().from(table).insert(rows);
  if (error) throw error;
};
const times = (count: number, row: (n: number) => object) => Array.from({ length: count }, (_, n) => row(n));

const lists = [
  {
    path: "orders",
    size: 10,
    rows: ".grid > span:first-child > a",
    async add(word: string, count: number) {
      for (let n = 0; n < count; n++) await placeOrder({ buyerName: `${word} ${n}`, paid: false });
    },
  },
  {
    path: "users",
    size: 25,
    rows: 'table:has(caption:text-is("Users")) tbody tr',
    async add(word: string, count: number) {
      for (let n = 0; n < count; n++) {
        const { error } = await serviceClient().auth.admin.createUser({ email: `${word}-${n}@people.test` });
        if (error) throw error;
      }
    },
  },
  {
    path: "vendors",
    size: 25,
    rows: "tbody tr",
    add: (word: string, count: number) =>
      insert(
        "vendor_applications",
        times(count, (n) => ({
          booth_name: `${word} ${n}`,
          contact_name: "Vera Vendor",
          contact_email: "vera@people.test",
          contact_phone: "713-555-0101",
          vendor_type: "food",
          description: "Links",
          products: "Links",
          description_of_goods: "Hot links",
        })),
      ),
  },
  {
    path: "sponsors",
    size: 25,
    rows: "tbody tr",
    add: (word: string, count: number) =>
      insert(
        "sponsor_inquiries",
        times(count, (n) => ({
          company_name: `${word} ${n}`,
          contact_name: "Bo Wu",
          email: "bo@people.test",
          phone: "713-555-0102",
        })),
      ),
  },
  {
    path: "audit-logs",
    size: 25,
    rows: "tbody tr",
    add: (word: string, count: number) =>
      insert(
        "audit_logs",
        times(count, () => ({ action_type: word, table_name: "orders" })),
      ),
  },
];

test("a page of every list is reached by its number, and a number beyond the last leads to the last", async ({
  page,
}) => {
  await arriveAsAdmin(page);
  for (const { path, size, rows, add } of lists) {
    await test.step(path, async () => {
      const word = `word${randomBytes(4).toString("hex")}`;
      await add(word, size + 2);
      await page.goto(`/admin/${path}?q=${word}&page=99`);
      await expect(page.getByText("Page 2 of 2", { exact: true })).toBeVisible();
      await expect(page).toHaveURL((url) => url.searchParams.get("page") === "2");
      const shown = page.getByRole("main").locator(rows);
      await expect(shown).toHaveCount(2);
      const last = await shown.allTextContents();

      await page.getByRole("button", { name: "Previous" }).click();
      await expect(page.getByText("Page 1 of 2", { exact: true })).toBeVisible();
      await expect(page).toHaveURL((url) => !url.searchParams.has("page"));
      await expect(shown).toHaveCount(size);
      await page.getByRole("button", { name: "Next" }).click();
      await expect(shown).toHaveCount(2);
      expect(await shown.allTextContents()).toEqual(last);
    });
  }
  await test.step("a page of nothing", async () => {
    await page.goto(`/admin/users?q=none-${randomBytes(4).toString("hex")}&page=3`);
    await expect(page.getByText("No users found.")).toBeVisible();
    await expect(page).toHaveURL((url) => !url.searchParams.has("page"));
  });
});

test("an unreadable answer is an error, not an empty list, except for orders (PRODUCT 9.12)", async ({
  page,
  pageErrors,
}) => {
  await arriveAsAdmin(page);
  // Other tests change rows meanwhile, which would reload the list.
  await (await watchLiveConnection(page)).cut();
  await page.goto("/admin/door");
  const open = (path: string) =>
    page.getByRole("navigation", { name: "Back office" }).locator(`a[href="/admin/${path}"]`).click();
  for (const [path, call, name, none] of [
    ["users", "list_users", "users", "No users found."],
    ["vendors", "list_vendor_applications", "vendor applications", "No vendor applications yet."],
    ["sponsors", "list_sponsor_inquiries", "sponsor inquiries", "No sponsor inquiries yet."],
    ["audit-logs", "list_audit_logs", "audit logs", "No audit logs found matching your criteria."],
  ] as const) {
    await test.step(path, async () => {
      const mend = await answerWith(page, `**/rest/v1/rpc/${call}`, 200, {
        rows: [{ id: 7, created_at: null }],
        total_count: 1,
        total_is_exact: true,
        by_status: {},
      });
      await open(path);
      await expect(
        page.getByText(`Error loading ${name}. Please check your connection and try again.`),
      ).toBeVisible();
      await expect(page.getByText(none)).toHaveCount(0);
      await expectLogged(pageErrors, `Failed to fetch ${name}: unexpected answer at rows.0.id`);
      await mend();
      await tryAgain(page.getByRole("button", { name: "Try Again" }));
      await expect(page.getByRole("alert")).toHaveCount(0);
      await expect(page.getByRole("table").last()).toBeVisible();
    });
  }
  await test.step("orders are shown as an empty list", async () => {
    await answerWith(page, "**/rest/v1/rpc/get_recent_orders", 200, { orders: [{}] });
    await open("orders");
    await expect(page.getByText("No orders found")).toBeVisible();
    await expectLogged(pageErrors, "Failed to fetch orders: unexpected answer at orders.0.id");
  });
});

test("every list is saved as a file", async ({ page }) => {
  await arriveAsAdmin(page);
  await page.goto("/admin/door");
  for (const [file, header] of [
    ["users", "Email,Role,Sells at the door,Joined (Central),Last Sign In (Central),Blocked,ID"],
    ["inventory", "Kind,Name,Price,Available,Total,Held,Sold,Comps,Unassigned,Revenue,Status,Sale,ID"],
    ["vendors", "Booth Name,Contact,Email,Phone,Status,Submitted (Central),Booth Size,"],
    ["sponsors", "Company,Contact,Email,Phone,Level,Message,Received (Central),ID"],
    ["audit-logs", "Timestamp (Central),Action,Table,Record,Name,Admin User,Before,After,"],
  ] as const) {
    await test.step(file, async () => {
      await page.getByRole("navigation", { name: "Back office" }).locator(`a[href="/admin/${file}"]`).click();
      await expect(page).toHaveURL(`/admin/${file}`);
      const downloading = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export CSV" }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toBe(`${file}.csv`);
      expect(await readFile(await download.path(), "utf8")).toContain(header);
    });
  }
});
