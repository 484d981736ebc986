// The waiting room as people see it. It runs on a separate server, because an open room is open for everybody. The tests report
// how busy the sale is in place of another process.
import type { Page } from "@playwright/test";
import { randomBytes } from "node:crypto";
import {
  arriveAtPayment,
  arriveWithCart,
  serviceClient,
  visitorClient,
  catalog,
} from "../../support/shop/arrival.ts";
import { CARDS, fillDetails, payByCard, signIn } from "../../support/shop/buyer.ts";
import { expectLogged } from "../../support/page/faults.ts";
import { expect, expectAccessible, expectRefusal, test } from "../../support/fixtures.ts";
import { useOwnFestival } from "../../support/server/own-festival.ts";

test.describe.configure({ mode: "default" });

useOwnFestival();

const OTHER_PROCESS = "00000000-0000-4000-8000-000000000001";

/** At 12 a second, 65 orders in progress elsewhere open the room, and people near the front poll every few seconds. */
async function underWay(orders: number, perSecond = 12): Promise<void> {
  const service = serviceClient();
  const { error } = await service.from("sale_pace").upsert({
    process: OTHER_PROCESS,
    under_way: orders,
    per_second: perSecond,
    reported_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  if (error) throw error;
  await service.rpc("visit_waiting_room", { visits: [] });
}

/** Other people in line, who stay there. */
async function othersLineUp(count: number): Promise<void> {
  const service = serviceClient();
  const { error } = await service.from("waiting_places").insert(
    Array.from({ length: count }, () => ({
      visitor: randomBytes(32).toString("hex"),
      present_until: new Date(Date.now() + 3_600_000).toISOString(),
      kept_until: new Date(Date.now() + 3_600_000).toISOString(),
    })),
  );
  if (error) throw error;
}

/**
 * At 1,200 a second 6,000 orders would open the room, which admits up to two thirds of that: this lets in exactly so many. A
 * page that polls in between takes the turn, at the earlier pace; then this tries again.
 */
async function letIn(count: number): Promise<void> {
  const service = serviceClient();
  const pace = { process: OTHER_PROCESS, under_way: 4000 - count, per_second: 1200 };
  await expect(async () => {
    const past = new Date(Date.now() - 5000).toISOString();
    await service.from("waiting_room").update({ advanced_at: past }).eq("only_row", true);
    await service.rpc("visit_waiting_room", { visits: [], pace });
    await underWay(1000);
    const { data } = await service.from("waiting_places").select("number").not("admitted_at", "is", null);
    expect(data).toHaveLength(count);
  }).toPass();
}

test.beforeEach(async () => {
  await serviceClient().from("waiting_places").delete().gte("number", 0);
  await serviceClient().from("waiting_room").update({ opened_at: null }).eq("only_row", true);
});

const room = (page: Page) => page.getByRole("region", { name: "You are in line" });
const place = (page: Page) => room(page).getByText(/^Your place[\d,]+$/);
const paymentForm = (page: Page) => page.getByRole("form", { name: "Payment" });

test("a buyer waits, moves up, enters automatically and buys", async ({ page, account, pageErrors }) => {
  test.slow(); // on a busy machine its two waits for the next answer take half a minute each
  await underWay(1000);
  await othersLineUp(40);
  await arriveAtPayment(page, account);
  await expect(place(page)).toHaveText("Your place41");
  await expect(room(page)).toContainText("Ahead of you40");
  await expect(room(page)).toContainText("Your cart is saved");
  await expect(page.getByRole("complementary", { name: "Order Summary" })).toContainText("General Admission");
  for (const viewport of [
    { width: 320, height: 700 },
    { width: 1280, height: 800 },
  ]) {
    await page.setViewportSize(viewport);
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
  }

  await page.reload();
  await page.getByRole("button", { name: "Continue to Payment" }).or(room(page)).first().waitFor();
  const again = page.getByRole("button", { name: "Continue to Payment" });
  if (await again.isVisible()) await again.click();
  await expect(place(page)).toHaveText("Your place41");

  await letIn(30);
  await expect(place(page)).toHaveText("Your place11", { timeout: 30_000 });
  await serviceClient().from("waiting_places").delete().is("user_id", null);
  await underWay(0);
  // A message that disappears is checked first.
  await expect(page.getByText("It's your turn")).toBeVisible({ timeout: 30_000 });
  await expect(paymentForm(page)).toBeVisible();
  await payByCard(page, CARDS.good);
  await expect(page.getByRole("heading", { name: "Order Confirmed!" })).toBeVisible();
  expectRefusal(pageErrors, 429);
});

test("a visitor lines up without an account, signs in meanwhile, and keeps the place", async ({
  page,
  account,
  pageErrors,
}) => {
  await underWay(1000);
  await othersLineUp(3);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 1 }]);
  await page.goto("/checkout");
  await expect(place(page)).toHaveText("Your place4");
  await expectAccessible(page);
  await othersLineUp(5);
  await page.reload();
  await expect(place(page)).toHaveText("Your place4");
  const other = await page.context().newPage();
  await other.goto("/checkout");
  await expect(place(other)).toHaveText("Your place4");
  await other.close();

  await room(page).getByRole("link", { name: "Sign In While You Wait" }).click();
  await page.waitForURL("/auth?mode=code");
  await signIn(page, account);
  await fillDetails(page, account.email, ["Guest"]);
  await expect(place(page)).toHaveText("Your place4");
  await underWay(0);
  await expect(paymentForm(page)).toBeVisible({ timeout: 30_000 });
  expectRefusal(pageErrors, 429);
});

test("a lost connection is shown, and costs no place", async ({ page, account, context, pageErrors }) => {
  await underWay(1000);
  await othersLineUp(2);
  await arriveAtPayment(page, account);
  await expect(place(page)).toHaveText("Your place3");
  await context.setOffline(true);
  await expect(room(page).getByText(/No connection/)).toBeVisible({ timeout: 30_000 });
  await othersLineUp(4);
  await context.setOffline(false);
  await expect(room(page).getByText(/No connection/)).toBeHidden({ timeout: 30_000 });
  await expect(place(page)).toHaveText("Your place3");
  expectRefusal(pageErrors, 429);
  await expectLogged(pageErrors, "ask at the waiting room");
});

test("a dropped place is replaced, and the buyer is notified", async ({ page, pageErrors }) => {
  await underWay(1000);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 1 }]);
  await page.goto("/checkout");
  await expect(place(page)).toHaveText("Your place1");
  await othersLineUp(6);
  await serviceClient()
    .from("waiting_places")
    .update({ kept_until: new Date(0).toISOString() })
    .eq("number", await mine());
  await expect(room(page).getByText(/lost your place/)).toBeVisible({ timeout: 30_000 });
  await expect(place(page)).toHaveText("Your place7");
  expectRefusal(pageErrors, 410);
});

/** The first place in the room. */
async function mine(): Promise<number> {
  const { data, error } = await serviceClient()
    .from("waiting_places")
    .select("number")
    .order("number")
    .limit(1)
    .single();
  if (error) throw error;
  return data.number as number;
}

test("while nobody waits, checkout shows no line to anybody", async ({ page, account }) => {
  await underWay(0);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 1 }]);
  await page.goto("/checkout");
  await expect(page).toHaveURL("/auth?mode=code");
  await arriveAtPayment(page, account);
  await expect(paymentForm(page)).toBeVisible();
  const anonymous = visitorClient();
  for (const table of ["waiting_places", "sale_pace", "waiting_room"]) {
    expect((await anonymous.from(table).select()).error, `${table} is nobody's to read`).not.toBeNull();
  }
});
