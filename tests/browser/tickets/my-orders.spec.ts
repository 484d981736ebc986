// What a buyer finds in their account: every ticket on paper, a payment to resume, and nothing of abandoned
// checkouts.
import type { Page } from "@playwright/test";
import { placeOrder } from "../../support/shop/admin-arrival.ts";
import { arriveAtPayment, arriveSignedIn, serviceClient, catalog } from "../../support/shop/arrival.ts";
import { CARDS, payByCard } from "../../support/shop/buyer.ts";
import { RECONNECTING } from "../../support/page/faults.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";

const confirmed = (page: Page) => page.getByRole("heading", { name: "Order Confirmed!" });
const form = (page: Page) => page.getByRole("form", { name: "Payment" });
const orderOf = async (userId: string) => {
  const { data, error } = await serviceClient().from("orders").select("id, status").eq("user_id", userId);
  if (error) throw error;
  return data as { id: string; status: string }[];
};

test("a pending order can be resumed, also in another browser, at the fee it was placed with", async ({
  page,
  account,
  browser,
  baseURL,
}) => {
  await arriveAtPayment(page, account, [
    { ...catalog.vip, quantity: 1 },
    { ...catalog.general, quantity: 2 },
  ]);
  await expect(form(page)).toBeVisible();
  const elsewhere = await browser.newContext({ baseURL });
  const other = await elsewhere.newPage();
  await other.route("**/rest/v1/rpc/get_sale", async (route) => {
    const response = await route.fetch(RECONNECTING);
    const fee = {
      name: "Booking fee",
      percent: 0,
      per_ticket: 5,
      per_order: 0,
      is_refunded: true,
      in_prices: true,
    };
    await route.fulfill({ response, json: { ...((await response.json()) as object), fee } });
  });
  await arriveSignedIn(other, account);
  await other.goto("/my-tickets");
  await expect(other.getByRole("button", { name: /^Continue Payment of Order/ })).toBeVisible();
  await other.getByRole("link", { name: /^View Order/ }).click();
  await expect(other.getByRole("heading", { name: "Waiting for Payment" })).toBeVisible();
  await expect(other.getByText(/We're holding your tickets until \d+:\d\d [AP]M CT\./)).toBeVisible();
  await other.getByRole("button", { name: "Continue Payment" }).click();
  await expect(form(other).getByRole("button", { name: "Pay $240.00" })).toBeVisible();
  await payByCard(other, CARDS.good);
  await expect(confirmed(other)).toBeVisible();
  const orders = await orderOf(account.id);
  expect(orders.map(({ status }) => status)).toEqual(["confirmed"]);
  await other.unrouteAll({ behavior: "ignoreErrors" });
  await elsewhere.close();
});

test("abandoned checkouts are collapsed, and the list says so when there is nothing else", async ({
  page,
  account,
}) => {
  await arriveAtPayment(page, account);
  await expect(form(page)).toBeVisible();
  await page.getByRole("banner").getByRole("link", { name: "My Account" }).click();
  await expect
    .poll(async () => (await orderOf(account.id)).map(({ status }) => status))
    .toEqual(["cancelled"]);
  await page.reload();
  await expect(page.getByText("No orders found")).toBeVisible();
  const fold = page.getByText("1 unfinished checkout");
  const [order] = await orderOf(account.id);
  await expect(page.getByText(`Order #${order!.id.slice(0, 8)}`)).toBeHidden();
  await fold.click();
  await expect(page.getByText("You have not been charged.")).toBeVisible();
  await expectAccessible(page);
});

test("an order is found after a full page of abandoned checkouts", async ({ page, account }) => {
  const bought = await placeOrder({ buyerName: "Bo Ught", buyer: account });
  await arriveSignedIn(page, account);
  const asked: string[] = [];
  await page.route("**/rest/v1/orders?*", async (route) => {
    const query = new URL(route.request().url()).searchParams;
    asked.push(query.get("or") ?? "the first page");
    if (query.has("or")) return route.continue();
    const left = Array.from({ length: 50 }, (_, index) => ({
      id: `ffffffff-0000-4000-8000-${String(index).padStart(12, "0")}`,
      user_id: account.id,
      status: "cancelled",
      cancel_reason: "hold_expired",
      total_amount: 45,
      created_at: "2999-06-01T12:00:00.123456+00:00",
      order_items: [],
      refunds: [],
    }));
    return route.fulfill({ json: left });
  });
  await page.goto("/my-tickets");
  await expect(page.getByRole("heading", { name: `Order #${bought.slice(0, 8)}` })).toBeVisible();
  await expect(page.getByText("50 unfinished checkouts")).toBeVisible();
  await expect(page.getByText("No orders found")).toBeHidden();
  expect(asked).toContainEqual(expect.stringContaining("ffffffff-0000-4000-8000-000000000049"));
});

test("a late payment that was refunded says why, and is not collapsed as never charged", async ({
  page,
  account,
}) => {
  const intent = `pi_late_${account.id}`;
  const insert = async (table: string, row: object) => {
    const { data, error } = await serviceClient().from(table).insert(row).select().single();
    if (error) throw error;
    return data as { id: string };
  };
  const { id } = await insert("orders", {
    user_id: account.id,
    status: "cancelled",
    cancel_reason: "unfulfillable",
    total_amount: 45,
    buyer_full_name: "Ana Reyes",
    buyer_email: account.email,
    buyer_phone_number: "713-555-0100",
  });
  const payment = { payment_intent_id: intent, order_id: id, amount: 45 };
  await insert("payments", { ...payment, status: "refund_pending", succeeded_at: new Date().toISOString() });
  await insert("refunds", { ...payment, reason: "too_many_tickets" });
  await arriveSignedIn(page, account);
  await page.goto("/my-tickets");
  const words = /exceed the limit per buyer\. Your payment is refunded in full\./;
  await expect(page.getByRole("listitem").filter({ hasText: `Order #${id.slice(0, 8)}` })).toContainText(
    words,
  );
  await page.getByRole("link", { name: `View Order #${id.slice(0, 8)}` }).click();
  await expect(page.getByText(words)).toBeVisible();
  await expect(page.getByRole("button", { name: /^Receipt as PDF/ })).toBeVisible();
});

test("a refunded ticket shows no code and says why", async ({ page, account }) => {
  await placeOrder({ buyerName: "Rhea Turner", buyer: account });
  await arriveSignedIn(page, account);
  await page.route("**/rest/v1/tickets*", async (route) => {
    const response = await route.fetch(RECONNECTING);
    const rows = (await response.json()) as object[];
    const refunded = { voided_at: "2025-06-02T12:00:00Z", qr_code_url: null, qr_code_data: null };
    await route.fulfill({ response, json: rows.map((row) => ({ ...row, ...refunded })) });
  });
  let asked = false;
  await page.route("**/functions/v1/generate-qr-code", (route) => {
    asked = true;
    return route.abort();
  });
  await page.goto("/my-tickets");
  const ticket = page.getByRole("article", { name: /General Admission for/ });
  await expect(ticket).toContainText("This ticket is no longer valid.");
  await expect(ticket.getByRole("img", { name: /QR code/ })).toHaveCount(0);
  expect(asked).toBe(false);
  await expectAccessible(page);
});

test("on a narrow ticket titles and addresses break between words, and neither a long name nor an amount leaves its place", async ({
  page,
  account,
}) => {
  const long = "Maximiliantheconquerorofhouston";
  const id = await placeOrder({ buyerName: "Paula Pays", buyer: account, quantity: 3 });
  const { error } = await serviceClient()
    .from("tickets")
    .update({ attendee_name: long, attendee_email: "rosa.garcia@example.com" })
    .eq("order_id", id);
  expect(error).toBeNull();
  const kind = "Complimentary Grandstand Admission";
  const bend = (path: string, change: (rows: Record<string, object>[]) => object[]) =>
    page.route(path, async (route) => {
      const response = await route.fetch(RECONNECTING);
      await route.fulfill({ response, json: change((await response.json()) as Record<string, object>[]) });
    });
  await bend("**/rest/v1/tickets*", (rows) =>
    rows.map((row) => ({ ...row, ticket_types: { ...row.ticket_types, name: kind } })),
  );
  await bend("**/rest/v1/orders*", (orders) =>
    orders.map((order) => ({
      ...order,
      order_items: (order.order_items as object[]).map((item) => ({
        ...item,
        name: "General Admission for Neighbors of the Third Ward",
      })),
    })),
  );
  await page.setViewportSize({ width: 320, height: 640 });
  await arriveSignedIn(page, account);
  await page.goto("/my-tickets");
  const ticket = page.getByRole("article", { name: `${kind} for ${long}` }).first();
  await expect(ticket).toBeVisible();
  const over = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("main *")]
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
        .map((element) => element.outerHTML.slice(0, 120)),
    );
  await test.step("an address breaks at its @ and dots", async () => {
    const address = ticket.getByText("rosa.garcia@example.com");
    const parts = await address.evaluate((element) => {
      const found = new Map<number, string>();
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        for (let at = 0; at < text.textContent!.length; at++) {
          const letter = new Range();
          letter.setStart(text, at);
          letter.setEnd(text, at + 1);
          const { top } = letter.getBoundingClientRect();
          found.set(top, `${found.get(top) ?? ""}${text.textContent![at]}`);
        }
      }
      return [...found.values()];
    });
    expect(parts.length).toBeGreaterThan(1);
    for (const [index, part] of parts.entries()) {
      if (index > 0)
        expect(parts[index - 1]!.endsWith("@") || part.startsWith("."), parts.join(" / ")).toBe(true);
    }
  });
  await test.step("an amount stays on its line", async () => {
    const amount = page.getByRole("listitem").filter({ hasText: /^3 ×/ }).getByText("$135.00");
    await expect(amount).toBeVisible();
    const lines = () =>
      amount.evaluate((shown) => {
        const words = document.createRange();
        words.selectNodeContents(shown);
        return words.getClientRects().length;
      });
    await expect.poll(lines).toBe(1);
  });
  // Polled: pictures and typefaces may load after the ticket.
  await expect.poll(over).toEqual([]);
  await test.step("a title breaks between words at every width", async () => {
    const heading = page.getByRole("heading", { name: kind }).first();
    for (const width of [320, 390, 640, 820, 1024, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await expect(heading).toBeVisible();
      await expect.poll(() => page.evaluate(() => innerWidth)).toBe(width);
      const broken = () =>
        heading.evaluate((element) => {
          const text = element.firstChild as Text;
          return [...text.data.matchAll(/\S+/g)]
            .filter(({ 0: word, index }) => {
              const range = document.createRange();
              range.setStart(text, index);
              range.setEnd(text, index + word.length);
              return range.getClientRects().length > 1;
            })
            .map(([word]) => word);
        });
      await expect.poll(broken, `words broken at ${width} px`).toEqual([]);
    }
  });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.unrouteAll({ behavior: "wait" });
  await page.goto(`/order-confirmation?orderId=${id}`);
  await expect(page.getByRole("article", { name: `General Admission for ${long}` }).first()).toBeVisible();
  await expect.poll(over).toEqual([]);
});

test("the tickets of four orders are printed, including those collapsed on the screen", async ({
  page,
  account,
}) => {
  test.slow();
  for (let order = 0; order < 4; order++)
    await placeOrder({ buyerName: "Petra Printer", buyer: account, quantity: 2 });
  await arriveSignedIn(page, account);
  await page.goto("/my-tickets");
  const tickets = page.getByRole("article", { name: /General Admission for/ });
  await expect(tickets).toHaveCount(6);
  await expectAccessible(page); // the orders contain the same, and have names of their own
  await page.emulateMedia({ media: "print" });
  await expect(tickets).toHaveCount(8);
  await expect(tickets.last().getByRole("img", { name: /QR code/ })).toBeVisible();
});

test("signing up has its own title, and a known address gets the same answer as a new one", async ({
  page,
  account,
}) => {
  await page.goto("/auth?mode=sign-up");
  await expect(page).toHaveTitle(/^Create Account/);
  await page.getByRole("link", { name: "Already have an account? Sign in" }).click();
  await expect(page).toHaveTitle(/^Sign In/);
  const answers: string[] = [];
  for (const email of [account.email, `new-${account.email}`]) {
    await page.goto("/auth?mode=sign-up");
    const signUp = page.getByRole("form", { name: "Create account" });
    await signUp.getByLabel("Email").fill(email);
    await signUp.getByLabel("Password", { exact: true }).fill("candy paint and chrome");
    await signUp.getByLabel("Confirm Password").fill("candy paint and chrome");
    await signUp.getByRole("button", { name: "Create Account" }).click();
    await expect(page).toHaveURL("/auth");
    answers.push(await page.getByRole("listitem").filter({ hasText: "Registration" }).innerText());
    await expect(page).toHaveTitle(/^Sign In/);
  }
  expect(answers[0]).toContain("Please check your email to confirm your account.");
  expect(answers[1]).toBe(answers[0]);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 320, height: 640 }, hasTouch: true });
  test("no toast covers what is clicked next, and no bar covers the cart's button", async ({
    page,
    account,
    pageErrors,
  }) => {
    await page.goto("/tickets");
    await page.getByRole("button", { name: "Increase General Admission" }).click();
    await page.getByRole("link", { name: "View Cart" }).click();
    const proceed = page.getByRole("link", { name: "Proceed to Checkout" });
    await proceed.scrollIntoViewIfNeeded();
    await expect(page.getByRole("link", { name: "View Cart" })).toBeHidden();
    await arriveAtPayment(page, account);
    await payByCard(page, CARDS.declined);
    const failed = page.getByRole("listitem").filter({ hasText: "Payment Failed" });
    await expect(failed).toBeVisible();
    await test.step("nor the field that has the focus", async () => {
      const number = form(page).getByLabel("Card number");
      // Where a phone shows its messages.
      await number.evaluate((field) => {
        field.blur();
        scrollTo(0, scrollY + field.getBoundingClientRect().bottom - innerHeight + 130);
      });
      await number.evaluate((field) => field.focus({ preventScroll: true }));
      const apart = async () => {
        const [toast, field] = [await failed.boundingBox(), await number.boundingBox()];
        return !toast || toast.y + toast.height <= field!.y || field!.y + field!.height <= toast.y;
      };
      await expect.poll(apart).toBe(true);
      await expect(failed).toBeVisible();
    });
    pageErrors.length = 0; // the browser logs the declined call
    await payByCard(page, CARDS.good);
    await expect(confirmed(page)).toBeVisible();
    await expect(page.getByText("Payment Successful!")).toBeVisible();
    await page.getByRole("link", { name: "View Your Tickets" }).click();
    await expect(page).toHaveURL("/dashboard");
  });
});
