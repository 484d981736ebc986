// Stock and sale in the back office. Each test edits its own hidden ticket type, because other tests buy in the same shop. For
// the same reason the shop's own switch is intercepted at the network.
import { randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import { arriveAsAdmin } from "../../support/shop/admin-arrival.ts";
import { serviceClient } from "../../support/shop/arrival.ts";
import { hold, RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, expectRefusal } from "../../support/fixtures.ts";
import { test } from "../../support/shop/own-items.ts";
import { problems } from "../../support/page/problems.ts";

const tickets = (page: Page) => page.getByRole("region", { name: "Ticket Types", exact: true });
const rowOf = (page: Page, name: string) => tickets(page).getByRole("row").filter({ hasText: name });
const hidden = { called: "Own", total: 25, hidden: true } as const;
const dialog = (page: Page) => page.getByRole("dialog");

async function typeOf(name: string) {
  const { data, error } = await serviceClient().from("ticket_types").select().eq("name", name).single();
  if (error) throw error;
  return data as Record<string, unknown> & { id: string };
}

test("types are created, edited, renamed and extended while orders come in, and nothing typed is lost by accident", async ({
  page,
  pageErrors,
  makeTicketType,
}) => {
  const edited = await makeTicketType(hidden);
  const renamed = await makeTicketType(hidden);
  await arriveAsAdmin(page);
  await page.goto("/admin/inventory");

  await test.step("Escape leaves an edit, but not while it is being saved", async () => {
    const { name } = edited;
    const edit = page.getByRole("button", { name: `Edit ${name}` });
    const price = page.getByLabel(`Price of ${name}`);
    await edit.click();
    await price.fill("11.00");
    await page.keyboard.press("Escape");
    await expect(price).toBeHidden();
    await expect(edit).toBeFocused();

    await edit.click();
    const available = page.getByLabel(`Available of ${name}`);
    await available.fill("999");
    const release = await hold(page, "**/rest/v1/rpc/edit_inventory");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("button", { name: "Cancel", exact: true })).toBeDisabled();
    await price.press("Escape");
    // The key is handled before the answer comes.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    release();
    // After the refusal the row is still in edit, with the typed values.
    await expect(available).toHaveAccessibleDescription(
      "Available can be at most 25: total minus sold and held.",
    );
    await expect(available).toBeFocused();
    await expect(available).toHaveValue("999");
    await price.press("Escape");
    await expect(price).toBeHidden();
    expect(await typeOf(name)).toMatchObject({ price: 10 });
    expectRefusal(pageErrors, 400);
  });
  await test.step("units are added and edited while orders come in, and none of them is lost", async () => {
    const { id, name } = edited;
    await expect(rowOf(page, name)).toContainText("+ 5 unassigned");
    await page.getByRole("button", { name: `Edit ${name}` }).click();
    for (const width of [390, 768, 1024, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      for (const action of ["Save", "Cancel"]) {
        const box = await page.getByRole("button", { name: action, exact: true }).boundingBox();
        expect(box!.x + box!.width, `${action} is in sight at ${width} px`).toBeLessThan(width);
      }
      for (const field of ["Price", "Available", "Total"]) {
        const cut = await page
          .getByLabel(`${field} of ${name}`)
          .evaluate((input: HTMLInputElement) => input.scrollWidth > input.clientWidth);
        expect(cut, `${field} is cut at ${width} px`).toBe(false);
      }
    }
    await page.getByLabel(`Available of ${name}`).fill("24");
    // Three are sold while the editor types.
    const sale = await serviceClient()
      .from("ticket_types")
      .update({ current_inventory: 17, sold: 3 })
      .eq("id", id);
    expect(sale.error).toBeNull();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(page.getByText("Ticket inventory updated successfully")).toBeVisible();
    expect(await typeOf(name)).toMatchObject({ current_inventory: 21, total_inventory: 25, sold: 3 });

    await page.getByRole("button", { name: `Add units to ${name}` }).click();
    await expect(dialog(page)).toContainText("1 unit of the total can go on sale");
    await dialog(page).getByLabel("Units to add").fill("1.5");
    await dialog(page).getByRole("button", { name: "Add", exact: true }).click();
    await expect(problems(dialog(page))).toHaveText("Enter a whole number from 1 to 1,000,000.");
    await dialog(page).getByLabel("Units to add").fill("9999999999");
    await dialog(page).getByRole("button", { name: "Add", exact: true }).click();
    await expect(problems(dialog(page))).toHaveText("Enter a whole number from 1 to 1,000,000.");
    await expect(dialog(page).getByLabel("Units to add")).toHaveValue("9999999999");
    await dialog(page).getByLabel("Units to add").fill("100");
    await dialog(page).getByRole("button", { name: "Add", exact: true }).click();
    const question = page.getByRole("alertdialog", { name: "Add that many?" });
    await expect(question).toContainText("from 25 to 125");
    await question.getByRole("button", { name: "Keep editing" }).click();
    expect(await typeOf(name)).toMatchObject({ total_inventory: 25 });
    await dialog(page).getByRole("button", { name: "Add", exact: true }).click();
    await question.getByRole("button", { name: "Add 100 units" }).click();
    await expect(page.getByText(`Units added to ${name}`)).toBeVisible();
    expect(await typeOf(name)).toMatchObject({ current_inventory: 121, total_inventory: 125, sold: 3 });
  });
  await test.step("a renaming that changes what is included asks first", async () => {
    const { name } = renamed;
    const rename = async (to: string) => {
      await page.getByRole("button", { name: `Edit ${name}` }).click();
      await page.getByLabel(`Name of ${name}`).fill(to);
      await page.keyboard.press("Enter");
    };
    await rename(`${name} Vip`);
    const question = page.getByRole("alertdialog", { name: "Save this change?" });
    await expect(question).toContainText("will take a general parking pass");
    await expectAccessible(page);
    await question.getByRole("button", { name: "Keep editing" }).click();
    expect(await typeOf(name)).toMatchObject({ is_vip: false });
    await expect(page.getByLabel(`Name of ${name}`)).toHaveValue(`${name} Vip`);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await question.getByRole("button", { name: "Save" }).click();
    await expect(rowOf(page, `${name} Vip`)).toBeVisible();
    expect(await typeOf(`${name} Vip`)).toMatchObject({ is_vip: true });
  });
  await test.step("leaving with an unsaved row asks first, and staying keeps what was typed", async () => {
    const { name } = edited;
    await page.getByRole("button", { name: `Edit ${name}` }).click();
    await page.getByLabel(`Price of ${name}`).fill("11.00");
    const users = page.getByRole("navigation", { name: "Back office" }).getByRole("link", { name: "Users" });
    const question = page.getByRole("alertdialog", { name: "Leave without saving?" });
    await users.click();
    await question.getByRole("button", { name: "Stay" }).click();
    await expect(page.getByLabel(`Price of ${name}`)).toHaveValue("11.00");
    await users.click();
    await question.getByRole("button", { name: "Leave" }).click();
    await expect(page).toHaveURL((url) => url.pathname === "/admin/users");
  });
  await test.step("a type is created, refused without a valid price, and hidden from buyers", async () => {
    await page
      .getByRole("navigation", { name: "Back office" })
      .getByRole("link", { name: "Inventory" })
      .click();
    const name = `New ${randomBytes(4).toString("hex")}`;
    await tickets(page).getByRole("button", { name: "New Ticket Type" }).click();
    await dialog(page).getByLabel("Name").fill(name);
    await dialog(page).getByLabel("Price in dollars").fill("-1");
    await dialog(page).getByLabel("Units").fill("1.5");
    await dialog(page).getByLabel("Hidden for now").check();
    await dialog(page).getByRole("button", { name: "Create" }).click();
    const price = dialog(page).getByLabel("Price in dollars");
    await expect(price).toHaveAccessibleDescription("0 makes it free. Price must be at least $0.00.");
    await expect(price).toBeFocused();
    await expect(dialog(page).getByLabel("Units")).toHaveAccessibleDescription(
      /Units must be a whole number up to 1,000,000\.$/,
    );
    await expectAccessible(page);
    await price.fill("12.50");
    await expect(price).not.toHaveAttribute("aria-invalid");
    await dialog(page).getByLabel("Units").fill("30");
    await dialog(page).getByRole("button", { name: "Create" }).click();
    await expect(page.getByText("Ticket type created")).toBeVisible();
    await expect(rowOf(page, name)).toContainText("Hidden");
    expect(await typeOf(name)).toMatchObject({ price: 12.5, current_inventory: 30, total_inventory: 30 });

    await page.goto("/tickets");
    await expect(page.getByRole("article", { name: "General Admission" })).toBeVisible();
    await expect(page.getByRole("article", { name })).toHaveCount(0);
  });
});

test.describe("in Tokyo", () => {
  test.use({ timezoneId: "Asia/Tokyo" });

  test("the sale of one type is stopped and given a window in Central time", async ({
    page,
    pageErrors,
    makeTicketType,
  }) => {
    const { name } = await makeTicketType(hidden);
    await arriveAsAdmin(page);
    await page.goto("/admin/inventory");
    await page.getByRole("button", { name: `Sale settings for ${name}` }).click();
    await dialog(page).getByLabel("Opens").fill("2999-06-01T10:00");
    await dialog(page).getByLabel("Closes").fill("2999-05-01T10:00");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await expect(problems(dialog(page))).toHaveText("Sales must close after they open.");
    expectRefusal(pageErrors, 400);
    await dialog(page).getByLabel("Closes").fill("2999-12-01T10:00");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await expect(rowOf(page, name)).toContainText("Not open yet");
    await expect(rowOf(page, name)).toContainText(
      /opens Jun 1, 2999, 10:00 AM, closes Dec 1, 2999, 10:00 AM/i,
    );
    const stored = await typeOf(name);
    expect(Date.parse(String(stored.sale_opens_at))).toBe(Date.parse("2999-06-01T15:00:00Z"));
    expect(Date.parse(String(stored.sale_closes_at))).toBe(Date.parse("2999-12-01T16:00:00Z"));

    await page.getByRole("button", { name: `Sale settings for ${name}` }).click();
    await expect(dialog(page).getByLabel("Opens")).toHaveValue("2999-06-01T10:00");
    await dialog(page).getByLabel("Opens").fill("");
    await dialog(page).getByLabel("On sale").uncheck();
    await page.keyboard.press("Escape");
    const question = page.getByRole("alertdialog", { name: "Discard your changes?" });
    await question.getByRole("button", { name: "Keep Editing" }).click();
    await expect(question).toBeHidden();
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await expect(rowOf(page, name)).toContainText("Stopped");
    expect(await typeOf(name)).toMatchObject({ on_sale: false, sale_opens_at: null });
  });
});

test("the shop has a window, and asks before it stops", async ({ page }) => {
  await arriveAsAdmin(page);
  await page.goto("/admin/inventory");
  const sales = page.getByRole("region", { name: "Sales", exact: true });
  const settings = () =>
    serviceClient()
      .from("shop_settings")
      .select("on_sale, sale_opens_at")
      .single()
      .then(({ data }) => data);
  try {
    // A moment in the past: it stops nobody.
    await sales.getByLabel("Opens").fill("2020-01-01T10:00");
    const saving = page.waitForRequest((request) => request.method() === "PATCH");
    await sales.getByRole("button", { name: "Apply" }).click();
    expect((await saving).postDataJSON(), "only what was changed").toEqual({
      sale_opens_at: "2020-01-01T16:00:00.000Z",
    });
    await expect(sales).toContainText("opens Jan 1, 2020, 10:00 AM");
    expect(await settings()).toEqual({ on_sale: true, sale_opens_at: "2020-01-01T16:00:00+00:00" });
    await sales.getByLabel("Opens").fill("");
    await sales.getByRole("button", { name: "Apply" }).click();
    await expect(sales).not.toContainText("2020");
    expect(await settings()).toEqual({ on_sale: true, sale_opens_at: null });
  } finally {
    await serviceClient().from("shop_settings").update({ sale_opens_at: null }).eq("only_row", true);
  }

  const stops: unknown[] = [];
  let isStopped = false;
  await page.route("**/rest/v1/shop_settings*", async (route) => {
    if (route.request().method() === "PATCH") {
      stops.push(route.request().postDataJSON());
      isStopped = stops.length === 1;
      return route.fulfill({ status: 204 });
    }
    const response = await route.fetch(RECONNECTING);
    await route.fulfill({ response, json: { ...(await response.json()), on_sale: !isStopped } });
  });
  await sales.getByRole("button", { name: "Stop Sales" }).click();
  await page.getByRole("alertdialog", { name: "Stop all sales?" }).getByText("Keep selling").click();
  expect(stops).toEqual([]);
  await sales.getByRole("button", { name: "Stop Sales" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Stop sales" }).click();
  await expect(sales).toContainText("Sales are off");
  await expectAccessible(page);
  await sales.getByRole("button", { name: "Start Sales" }).click();
  await expect(sales.getByRole("button", { name: "Stop Sales" })).toBeVisible();
  expect(stops).toEqual([{ on_sale: false }, { on_sale: true }]);

  await test.step("a confirmed stop stops, although somebody else was faster", async () => {
    await sales.getByRole("button", { name: "Stop Sales" }).click();
    isStopped = true;
    await expect(async () => {
      const { error } = await serviceClient()
        .from("audit_logs")
        .insert({ action_type: "UPDATE", table_name: "shop_settings", record_id: "test" });
      expect(error).toBeNull();
      await expect(page.getByText("Sales are off")).toBeAttached({ timeout: 4000 });
    }).toPass();
    await page.getByRole("alertdialog").getByRole("button", { name: "Stop sales" }).click();
    await expect.poll(() => stops.splice(2)).toEqual([{ on_sale: false }]);
  });

  await page.getByRole("button", { name: "Save Fee" }).click();
  await expect(page.getByText("Fee saved")).toBeVisible();
  expect(stops, "nothing was changed").toHaveLength(2);
  await page.getByLabel("Percent of the order").fill("3");
  await page.getByRole("button", { name: "Save Fee" }).click();
  await expect.poll(() => stops[2], "only what was changed").toEqual({ fee_percent: 3 });
  await page.getByLabel("Include it in the prices shown").uncheck();
  await page.getByRole("button", { name: "Save Fee" }).click();
  await expect.poll(() => stops[3]).toEqual({ fee_in_prices: false });
});
