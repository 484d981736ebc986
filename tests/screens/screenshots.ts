// `npm run screenshots`: every route and the buyer's states at phone, tablet and desktop width, into ./screenshots, to be
// looked at. Words on the command line choose: `npm run screenshots -- tickets checkout`.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { createAccount } from "../browser/accounts.ts";
import { add, CARDS, fillDetails, payByCard, signIn } from "../browser/buyer.ts";
import { chromiumLaunch } from "../support/chromium.ts";
import { removeFolder, root, startFestival, temporaryFolder } from "../support/festival.ts";

const WIDTHS = [390, 820, 1440];
const PAGES = {
  home: "/",
  about: "/about",
  schedule: "/schedule",
  vendors: "/vendors",
  sponsors: "/sponsors",
  faq: "/faq",
  map: "/map",
  tickets: "/tickets",
  "not-found": "/no-such-page",
  "sign-in": "/auth",
} as const;

const words = process.argv.slice(2);
const folder = join(root, "screenshots");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const dataDir = temporaryFolder();
const festival = await startFestival({ dataDir });
const browser = await chromium.launch(await chromiumLaunch());
try {
  for (const width of WIDTHS) {
    const context = await browser.newContext({
      baseURL: festival.url,
      viewport: { width, height: width < 800 ? 844 : 900 },
      reducedMotion: "reduce",
      timezoneId: "America/Chicago",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const shoot = async (name: string) => {
      if (words.length > 0 && !words.some((word) => name.includes(word))) return;
      await settle(page);
      const path = join(folder, `${name}-${width}.png`);
      await page.screenshot({ path, fullPage: true, animations: "disabled" });
      console.log(path);
    };
    for (const [name, address] of Object.entries(PAGES)) {
      await page.goto(address);
      await shoot(name);
    }
    await shootMenu(page, width, shoot);
    await shootAccount(page, shoot);
    await shootPurchase(page, shoot);
    await context.close();
  }
} finally {
  await browser.close();
  await festival.stop();
  removeFolder(dataDir);
}

type Shoot = (name: string) => Promise<void>;

/** Fonts are there, pictures decoded, and no request has been answered for a moment. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle").catch(() => {});
  await page.evaluate(() => document.fonts.ready.then(() => {}));
}

async function shootMenu(page: Page, width: number, shoot: Shoot): Promise<void> {
  if (width >= 800) return;
  await page.goto("/");
  await page.getByRole("button", { name: /menu/i }).click();
  await shoot("menu");
}

async function shootAccount(page: Page, shoot: Shoot): Promise<void> {
  await page.goto("/auth");
  await page.getByRole("button", { name: "Sign In" }).click();
  await shoot("sign-in-errors");
  await page.getByRole("link", { name: "Don't have an account? Sign up" }).click();
  await shoot("sign-up");
}

/** A whole purchase, with a stop at every state. */
async function shootPurchase(page: Page, shoot: Shoot): Promise<void> {
  const account = await createAccount(festival.status);
  await page.goto("/auth");
  await signIn(page, account);
  await page.getByRole("heading", { name: /Your Tickets & Orders/ }).waitFor();
  await shoot("dashboard-empty");
  await page.goto("/tickets");
  await add(page, "VIP");
  await shoot("tickets-vip");
  await page.getByRole("button", { name: "Decrease VIP", exact: true }).click();
  await add(page, "General Admission", 2);
  await add(page, "General Parking");
  await shoot("tickets-cart");
  await page.goto("/checkout");
  await page.getByRole("button", { name: "Continue to Payment" }).click();
  await shoot("checkout-details");
  await fillDetails(page, account.email, ["Paul Wall", "Lil' Keke"]);
  await page.getByRole("form", { name: "Payment" }).waitFor();
  await shoot("checkout-payment");
  await payByCard(page, CARDS.declined);
  await page.getByRole("alert").first().waitFor();
  await shoot("checkout-declined");
  await payByCard(page, CARDS.good);
  await page.getByRole("heading", { name: "Order Confirmed!" }).waitFor();
  await shoot("checkout-confirmed");
  await page.getByRole("link", { name: "View Your Tickets" }).click();
  await page
    .getByRole("img", { name: /QR code/ })
    .nth(1)
    .waitFor();
  await shoot("dashboard");
  await page.goto("/my-tickets");
  await page
    .getByRole("img", { name: /QR code/ })
    .nth(1)
    .waitFor();
  await shoot("my-tickets");
  const { orderId } = await newestOrder(account.email);
  await page.goto(`/order-confirmation?orderId=${orderId}`);
  await page.getByRole("heading", { name: "Payment Confirmed!" }).waitFor();
  await shoot("order-confirmation");
}

async function newestOrder(email: string): Promise<{ orderId: string }> {
  const key = festival.status.SERVICE_ROLE_KEY!;
  const query = `select=id&buyer_email=eq.${encodeURIComponent(email)}&order=created_at.desc&limit=1`;
  const answer = await fetch(`${festival.url}/rest/v1/orders?${query}`, { headers: { apikey: key } });
  const [order] = (await answer.json()) as { id: string }[];
  return { orderId: order!.id };
}
