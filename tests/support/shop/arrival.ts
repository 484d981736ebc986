// Ways to start a test in the middle: signed in, with a filled cart, before the card form. buying/purchase.spec.ts covers the journey
// itself; here only the storage that the site would have written is prepared.
import type { Page } from "@playwright/test";
import type { Account } from "./accounts.ts";
import { buyer } from "./buyer.ts";
import * as clients from "../server/clients.ts";
import { expect, status } from "../fixtures.ts";
import firstContent from "../../../supabase/festival.json" with { type: "json" };

export const SESSION_KEY = "houston-culture-festival:session";
export const CART_KEY = "houston-culture-festival:cart";

const { products } = firstContent;

/** What a new festival sells. */
export const catalog = {
  general: productNamed("General Admission"),
  vip: productNamed("VIP"),
  youth: productNamed("Youth (10 to 17)"),
  parking: productNamed("General Parking"),
  preferred: productNamed("Preferred Parking"),
};

function productNamed(name: string) {
  const { id, kind, price } = products.find((product) => product.name === name)!;
  return { id, name, price, type: kind as "ticket" | "parking" };
}

export interface CartEntry {
  readonly id: string;
  readonly name: string;
  readonly price: number;
  readonly type: string;
  readonly quantity: number;
}

/** A client with all rights, for looking behind the scenes. */
export const serviceClient = () => clients.serviceClient(status());

/** A visitor's client. */
export const visitorClient = () => clients.visitorClient(status());

/** Puts a saved session into the browser, as an earlier sign-in would have. */
export async function arriveSignedIn(page: Page, { email, password }: Account): Promise<void> {
  const { data, error } = await visitorClient().auth.signInWithPassword({ email, password });
  if (error) throw error;
  await store(page, SESSION_KEY, data.session);
}

/**
 * The account page at rest: content that loads above a button moves it, and a click that began on it would end next to it. For
 * signed-in users.
 */
export async function openDashboard(page: Page): Promise<void> {
  await page.goto("/dashboard");
  await expect(page.getByRole("heading", { name: "Where You Are Signed In" })).toBeVisible();
  await expect(page.locator("[data-loading]")).toHaveCount(0);
}

/** Puts a saved cart into the browser. With details, every ticket has its attendee, and the buyer the usual name. */
export async function arriveWithCart(
  page: Page,
  items: readonly CartEntry[],
  details?: { readonly email: string; readonly name?: string },
): Promise<void> {
  const tickets = items
    .filter(({ type }) => type === "ticket")
    .reduce((sum, { quantity }) => sum + quantity, 0);
  await store(page, CART_KEY, {
    items: items.map((item) => ({ ...item, itemData: {} })),
    attendees: details
      ? Array.from({ length: tickets }, (_, index) => ({ name: `Guest ${index + 1}`, email: details.email }))
      : [],
    buyerInfo: details
      ? { ...buyer, email: details.email, name: details.name ?? buyer.name }
      : { name: "", email: "", phone: "" },
  });
}

/** Signed in, with one General Admission ticket and all details, on the payment step. */
export async function arriveAtPayment(
  page: Page,
  account: Account & { readonly name?: string },
  items: readonly CartEntry[] = [{ ...catalog.general, quantity: 1 }],
): Promise<void> {
  await arriveSignedIn(page, account);
  await arriveWithCart(page, items, account);
  await page.goto("/checkout");
  await page.getByRole("button", { name: "Continue to Payment" }).click();
}

/** Uses a page of the site's origin that does not run the site's script. */
export async function store(page: Page, key: string, value: unknown): Promise<void> {
  // Not a page that a route makes up: with a route, Chromium disables its cache, and each further load takes 0.1 s longer.
  if (!page.url().endsWith("/robots.txt")) await page.goto("/robots.txt");
  await page.evaluate(([name, text]) => localStorage.setItem(name!, text!), [key, JSON.stringify(value)]);
}
