// What /tickets shows for things that are not for sale. The sale's state is changed at the network, because other tests buy
// in the same shop at the same time. supabase/tests/sale.test.ts shows that SQL refuses such orders.
import type { Page } from "@playwright/test";
import { arriveAtPayment, arriveSignedIn, arriveWithCart, catalog } from "../../support/shop/arrival.ts";
import { add } from "../../support/shop/buyer.ts";
import {
  answerWith,
  expectLogged,
  RECONNECTING,
  refusal,
  silenceSockets,
} from "../../support/page/faults.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";
import { installJumpingClock } from "../../support/page/jumping-clock.ts";

type Row = Record<string, unknown>;

const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });

/** Changes the answer about the sale's state on its way. The returned function changes it again. */
async function bendShop(page: Page, first: Row): Promise<(change: Row) => void> {
  let change = first;
  await silenceSockets(page);
  await page.route("**/rest/v1/rpc/get_sale", async (route) => {
    const response = await route.fetch(RECONNECTING);
    await route.fulfill({ response, json: { ...((await response.json()) as Row), ...change } });
  });
  return (next) => (change = next);
}

/** The returned function changes it again. */
async function bendTypes(
  page: Page,
  first: Record<string, Row>,
): Promise<(changes: Record<string, Row>) => void> {
  let changes = first;
  await silenceSockets(page);
  await page.route("**/rest/v1/products*", async (route) => {
    const response = await route.fetch(RECONNECTING);
    const rows = (await response.json()) as Row[];
    await route.fulfill({ response, json: rows.map((row) => ({ ...row, ...changes[String(row.name)] })) });
  });
  return (next) => (changes = next);
}

const opens = { sale_opens_at: "2999-06-01T15:00:00+00:00" };
const closed = { sale_closes_at: "2020-06-01T15:00:00+00:00" };

test("a sale that is paused, opens later or has ended has one notice and nothing to add; VIP is not for sale while there is no parking for it", async ({
  page,
}) => {
  const change = await bendShop(page, {});
  await page.goto("/tickets");
  for (const [state, changed, notice, badge] of [
    ["is paused", { on_sale: false }, "Sales are paused", "Paused"],
    ["opens later", opens, "Sales open on Jun 1, 2999, 10:00 AM CT", "Not on Sale Yet"],
    ["has ended", closed, "Sales have ended", "Sales Ended"],
  ] as const) {
    await test.step(state, async () => {
      change(changed);
      await page.reload();
      await expect(page.getByRole("status").filter({ hasText: notice })).toBeVisible();
      for (const name of ["General Admission", "VIP", "General Parking"]) {
        await expect(card(page, name).getByText(badge, { exact: true })).toBeVisible();
        await expect(card(page, name).getByRole("button")).toHaveCount(0);
      }
      await expectAccessible(page);
    });
  }
  await test.step("VIP without parking, unless it includes none", async () => {
    change({ vip_parking_left: 0 });
    await page.reload();
    await expect(card(page, "VIP").getByText("Not Available", { exact: true })).toBeVisible();
    await expect(card(page, "VIP")).toContainText("general parking is sold out");
    await expect(card(page, "VIP").getByRole("button")).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Increase General Admission" })).toBeEnabled();

    change({ vip_includes_parking: false, vip_parking_left: null });
    await page.reload();
    await add(page, "General Parking");
    await add(page, "VIP");
    await expect(page.getByText("Included with VIP")).toHaveCount(0);
    await expect(page.getByRole("region", { name: "Your Cart" })).toContainText("General Parking");
  });
});

test("each type shows its own window and when the shop closes; a hidden one is not listed, and long names break within their card", async ({
  page,
}) => {
  await bendShop(page, { sale_closes_at: "2999-07-01T15:00:00+00:00" });
  const change = await bendTypes(page, {
    "General Admission": opens,
    "Youth (10 to 17)": { sale_closes_at: "2999-06-02T03:00:00+00:00" },
    VIP: { on_sale: false },
  });
  await page.goto("/tickets");
  await expect(page.getByText("Sales close on Jul 1, 2999, 10:00 AM CT.")).toBeVisible();
  await expect(card(page, "General Admission")).toContainText("On sale from Jun 1, 2999, 10:00 AM CT");
  await expect(card(page, "Youth (10 to 17)")).toContainText("On sale until Jun 1, 2999, 10:00 PM CT");
  await expect(page.getByRole("button", { name: "Increase Youth (10 to 17)" })).toBeEnabled();
  await expect(card(page, "VIP").getByText("Paused", { exact: true })).toBeVisible();
  await test.step("a hidden type is not listed, even to those who can read it", async () => {
    change({ VIP: { is_hidden: true } });
    await page.reload();
    await expect(card(page, "General Admission")).toBeVisible();
    await expect(card(page, "VIP")).toHaveCount(0);
  });
  await test.step("long names break within their card, and words that fit do not break", async () => {
    const long = "Donaudampfschifffahrtsgesellsc";
    change({ VIP: { name: long } });
    await page.reload();
    for (const width of [320, 390, 820, 1024, 1280, 1310, 1332, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await expect(card(page, long)).toBeVisible();
      // Polled: the window has its new width a moment before the page.
      const measure = () => {
        const title = [...document.querySelectorAll("article h3")].find(
          ({ textContent }) => textContent === "General Admission",
        )!;
        const words = document.createRange();
        const text = title.firstChild!;
        const linesOf = (from: number, to: number) => {
          words.setStart(text, from);
          words.setEnd(text, to);
          return words.getClientRects().length;
        };
        return {
          overflow: document.documentElement.scrollWidth - innerWidth,
          general: linesOf(0, 7),
          admission: linesOf(8, 17),
          width: innerWidth,
        };
      };
      const whole = { width, overflow: 0, general: 1, admission: 1 };
      await expect.poll(() => page.evaluate(measure)).toEqual(whole);
    }
  });
});

test("while sales are paused, checkout says so before names are typed", async ({ page, account }) => {
  await bendShop(page, { on_sale: false });
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 1 }]);
  await page.goto("/tickets");
  const proceed = page.getByRole("button", { name: "Proceed to Checkout" });
  await expect(proceed).toBeDisabled();
  await expect(proceed).toHaveAccessibleDescription("Sales are paused. Your cart is saved.");
  await expectAccessible(page);
  await page.goto("/checkout");
  await expect(page.getByRole("status").filter({ hasText: "Sales are paused" })).toBeVisible();
});

test("a sale that is stopped and restarted is noticed without a reload, and the cart stays", async ({
  page,
}) => {
  const change = await bendShop(page, {});
  const jump = await installJumpingClock(page);
  await page.goto("/tickets");
  await add(page, "General Admission", 2);
  change({ on_sale: false });
  await jump(15_000); // the sale's state is read every 15 s
  await expect(page.getByText("Sales are paused", { exact: true })).toBeVisible();
  await expect(page.getByRole("region", { name: "Your Cart" })).toContainText("2 × $45.00");
  change({});
  await jump(15_000);
  await expect(page.getByRole("button", { name: "Increase General Admission" })).toBeVisible();
});

test("an order placed after the sale was stopped is refused in its words, and the cart stays", async ({
  page,
  account,
  pageErrors,
}) => {
  const answer = refusal("sales_closed", "Sales are paused.");
  await answerWith(page, "**/functions/v1/create-payment-intent", 409, answer);
  await arriveAtPayment(page, account);
  await expect(page.getByRole("alert").filter({ hasText: "Sales are paused." })).toContainText(
    "Your cart is saved",
  );
  await expectAccessible(page);
  await page.getByRole("link", { name: "Back to Tickets" }).click();
  await expect(page.getByRole("region", { name: "Your Cart" })).toContainText("General Admission");
  await expectLogged(pageErrors, "open the payment");
});
