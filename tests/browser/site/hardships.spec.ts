// What a browser or a network may refuse: storage, connections. The site says what is wrong, or works without.
import type { Page } from "@playwright/test";
import { openAlive } from "../../support/page/alive.ts";
import { arriveSignedIn, arriveWithCart, catalog, serviceClient } from "../../support/shop/arrival.ts";
import { add, signIn } from "../../support/shop/buyer.ts";
import { callsOf } from "../../support/page/calls.ts";
import { expectLogged, RECONNECTING, tryAgain } from "../../support/page/faults.ts";
import { expect, test } from "../../support/fixtures.ts";
import { installJumpingClock } from "../../support/page/jumping-clock.ts";
import { problems } from "../../support/page/problems.ts";

const refusals = {
  "at the first look": () => {
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, {
        configurable: true,
        get: () => {
          throw new DOMException("Access is denied for this document.", "SecurityError");
        },
      });
    }
  },
  "at every call": () => {
    for (const name of ["getItem", "setItem", "removeItem", "clear", "key"]) {
      Object.defineProperty(Storage.prototype, name, {
        value: () => {
          throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
        },
      });
    }
  },
};

/** Loaded: these store something. The others are reached by the bar. */
const pages = ["/vendors", "/sponsors", "/tickets", "/auth", "/"];
const others = ["About", "Schedule", "FAQ", "Map"];

for (const [when, refuse] of Object.entries(refusals)) {
  test(`every page works without storage that the browser refuses ${when}`, async ({
    page,
    account,
    pageErrors,
  }) => {
    test.slow();
    await page.addInitScript(refuse);
    for (const path of pages) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(page.getByRole("link", { name: "Login" })).toBeVisible();
    }
    for (const name of others) {
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();
      await expect(page).toHaveURL(`/${name.toLowerCase()}`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    }
    await signIn(page, account);
    await expect(page.getByRole("heading", { name: "Welcome!" })).toBeVisible();
    await page.getByRole("main").getByRole("link", { name: "Buy Tickets" }).click();
    await add(page, "General Admission", 2);
    await add(page, "Youth (10 to 17)");
    await page.getByRole("link", { name: "Proceed to Checkout" }).click();
    await expect(page.getByRole("group", { name: "Buyer Information" })).toBeVisible();
    await expect(page.getByRole("complementary", { name: "Order Summary" })).toContainText("$110.00");
    await page.getByRole("button", { name: "Logout" }).click();
    await expect(page.getByRole("form", { name: "Email me a code" })).toBeVisible();
    // Where every call is refused, the router's own inline script for the scroll position logs an error on each full
    // page load.
    const foreseen = pageErrors.filter((error) => !error || error.includes("QuotaExceeded"));
    expect(foreseen.length).toBeLessThanOrEqual(when === "at every call" ? 2 * (pages.length + 1) : 0);
    for (const error of foreseen) pageErrors.splice(pageErrors.indexOf(error), 1);
  });
}

/** The library writes its style sheet into the page, where ours defines how toasts print. */
async function toastsLoaded(page: Page): Promise<void> {
  const styles = () =>
    page.evaluate(() =>
      Array.from(document.querySelectorAll("style"), ({ textContent }) => textContent).join(),
    );
  await expect.poll(styles).toContain("[data-sonner-toast][data-styled=true]");
}

test.describe("a network that is gone", () => {
  const attempts = async (page: Page, path: string) => {
    let count = 0;
    await page.route(path, (route) => {
      count++;
      return route.abort("internetdisconnected");
    });
    return () => count;
  };

  test("shows the ticket page's error after the query cache's own retries, and no others", async ({
    page,
    pageErrors,
  }) => {
    const count = await attempts(page, "**/rest/v1/products*");
    await page.goto("/tickets");
    await expect(page.getByText("Error loading ticket data. Please try again later.")).toBeVisible();
    // The first read and two retries, none of them retried again by the client.
    expect(count()).toBe(3);
    pageErrors.length = 0;
  });

  test("shows the account's error in the same way", async ({ page, account, pageErrors }) => {
    await arriveSignedIn(page, account);
    const count = await attempts(page, "**/rest/v1/orders*");
    await page.goto("/my-tickets");
    await expect(page.getByText("Error loading tickets. Please try again later.")).toBeVisible();
    expect(count()).toBe(3);
    pageErrors.length = 0;
  });

  test("is reported by a form at once, even if no message was shown before", async ({ page, context }) => {
    await openAlive(page, "/auth?mode=forgot");
    await toastsLoaded(page);
    await context.setOffline(true);
    await page.getByLabel("Email").fill("offline@example.com");
    await page.getByRole("button", { name: "Send Reset Link" }).click();
    await expect(page.getByRole("listitem").filter({ hasText: "Email Not Sent" })).toContainText(
      "The server could not be reached",
    );
    await context.setOffline(false);
  });
});

test.describe("a network that comes back", () => {
  test("opens the page of a link pressed offline, which until then leaves the shop as it is", async ({
    page,
    context,
  }) => {
    await page.clock.install();
    await openAlive(page, "/about");
    await toastsLoaded(page);
    await context.setOffline(true);
    const link = page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: "FAQ", exact: true });
    const told = page.getByRole("listitem").filter({ hasText: "Page Not Loaded" });
    // One follows each failed attempt: did the server go, or only the file?
    let attempted = 0;
    page.on("requestfailed", (request) => void (request.method() === "HEAD" && attempted++));
    await link.click();
    await expect(told).toBeVisible();
    await page.getByRole("heading", { level: 1 }).click();
    expect(attempted).toBe(1);
    await page.clock.fastForward("01:00");
    await expect(told, "somebody who looks away finds it").toBeVisible();
    await told.getByRole("button", { name: "Try Again" }).click();
    await expect.poll(() => attempted).toBe(2);
    await expect(told).toHaveCount(1);
    for (let turn = 1; turn <= 2; turn++) {
      await link.click();
      await expect.poll(() => attempted).toBe(2 + turn);
      await expect(told).toHaveCount(1);
      await expect(page).toHaveURL("/about");
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    }
    await context.setOffline(false);
    await expect(page).toHaveURL("/faq");
    await expect(told).toBeHidden();
    await expect(page.getByRole("button", { name: /refund/i }).first()).toBeVisible();
  });

  const inquiry = (page: Page) => page.getByRole("region", { name: "Sponsor Inquiry" });

  test("accepts what was written offline, as soon as it is sent again", async ({
    page,
    context,
    pageErrors,
  }) => {
    await openAlive(page, "/sponsors");
    await context.setOffline(true);
    const form = inquiry(page);
    await form.getByLabel("Company Name").fill("Bayou Beverages");
    await form.getByLabel("Contact Name").fill("Dana");
    await form.getByLabel("Email").fill("offline@example.com");
    await form.getByLabel("Phone").fill("713 555 0188");
    const send = form.getByRole("button", { name: "Send Inquiry" });
    for (let turn = 1; turn <= 2; turn++) {
      await send.click();
      await expect(problems(form)).toContainText("The server could not be reached");
      await expect(send).toBeEnabled();
    }
    await context.setOffline(false);
    await send.click();
    await expect(page.getByRole("heading", { name: "Thank you, Dana!" })).toBeVisible();
    await expectLogged(pageErrors, "load the client");
  });

  test("loads what a page loads late, and the page stays usable meanwhile", async ({ page, pageErrors }) => {
    const missed = new Set<string>();
    // Neither the first address nor the next one responds.
    await page.route("**/assets/*.js*", async (route) => {
      const response = await route.fetch(RECONNECTING);
      const late = (await response.text()).includes("record_visits");
      if (!late || route.request().url().includes("again=2")) return route.fulfill({ response });
      missed.add(route.request().url());
      return route.abort("internetdisconnected");
    });
    const recorded = callsOf(page, "record_visits");
    await page.goto("/about");
    await expect.poll(() => missed.size).toBe(2);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect.poll(() => recorded.length).toBe(1);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    pageErrors.length = 0;
  });
});

test("a server that accepts a call and never answers is given up after 15 s, with Try Again and the cart kept", async ({
  page,
  account,
  pageErrors,
}) => {
  const STALLED = /\/rest\/v1\/products\?|\/functions\/v1\/create-payment-intent$/;
  const jump = await installJumpingClock(page, STALLED);
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  /** Resolves once the server has accepted a call, whose answer never arrives. */
  async function stall(url: RegExp) {
    const accepted = Promise.withResolvers<void>();
    await page.route(url, async (route) => {
      await route.fetch(RECONNECTING);
      accepted.resolve();
      await over;
      await route.abort().catch(() => {}); // given up long since
    });
    return { accepted: accepted.promise, mend: () => page.unroute(url) };
  }
  await arriveSignedIn(page, account);
  await arriveWithCart(page, [{ ...catalog.general, quantity: 2 }], account);
  await test.step("/tickets", async () => {
    const { accepted, mend } = await stall(/\/rest\/v1\/products\?/);
    await page.goto("/tickets");
    await accepted;
    const failed = page.getByRole("alert").filter({ hasText: "Error loading ticket data" });
    await expect(page.getByRole("heading", { name: "Get Your Tickets" })).toBeVisible();
    await jump(16_000);
    await expect(failed).toBeVisible();
    await expectLogged(pageErrors, "load what is for sale");
    await mend();
    await tryAgain(failed.getByRole("button", { name: "Try Again" }));
    await expect(page.getByRole("article", { name: "General Admission", exact: true })).toBeVisible();
    await expect(page.getByRole("group", { name: "Quantity of General Admission" })).toContainText("2");
  });
  await test.step("Continue to Payment", async () => {
    const { accepted, mend } = await stall(/\/functions\/v1\/create-payment-intent$/);
    await page.getByRole("link", { name: "Proceed to Checkout" }).click();
    await page.getByRole("button", { name: "Continue to Payment" }).click();
    await accepted;
    const failed = page.getByRole("alert").filter({ hasText: "Payment Setup Error" });
    await expect(page.getByText("Holding your tickets...")).toBeVisible();
    await jump(16_000);
    await expect(failed).toContainText(
      "The server could not be reached. Please check your connection and try again.",
    );
    await expect(page.getByRole("complementary", { name: "Order Summary" })).toContainText("$90.00");
    await expectLogged(pageErrors, "open the payment");
    await mend();
    await failed.getByRole("button", { name: "Try Again" }).click();
    await expect(page.getByRole("form", { name: "Payment" })).toBeVisible();
    const { data } = await serviceClient()
      .from("orders")
      .select("status, total_amount")
      .eq("user_id", account.id);
    expect(data, "the order that was placed without an answer").toEqual([
      { status: "pending", total_amount: 90 },
    ]);
  });
  end();
});
