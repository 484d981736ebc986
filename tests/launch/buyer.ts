// One buyer of a launch, from the home page to the codes of their tickets. Reads like the site: each step sends what a browser was
// seen to send there. No thinking time: harsher than people.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../simulator/random.ts";
import type { Browser, Launch } from "./browser.ts";

export interface Account {
  readonly id: string;
  readonly email: string;
}

export const PASSWORD = "swangas and vogues";

export type Outcome =
  /** With as many codes as the order has: tickets and parking. */
  | { readonly bought: string; readonly tickets: number; readonly codes: number }
  | { readonly left: "sold out" | "no card was accepted" };

interface Product {
  readonly id: string;
  readonly name: string;
  readonly price: number;
  readonly kind: string;
  readonly current_inventory: number;
}

interface Cart {
  readonly tickets: number;
  readonly codes: number;
  readonly body: object;
}

const PRODUCTS = "/rest/v1/products?select=*%2Cproduct_kinds%28*%29&order=price.asc";
const CARD = { good: "4242424242424242", declined: "4000000000000002" };

export interface Buyer {
  readonly launch: Launch;
  readonly browser: Browser;
  readonly account: Account;
  readonly random: Random;
}

export async function goShopping(buyer: Buyer): Promise<Outcome> {
  const { browser, launch, account, random } = buyer;
  const { tally } = launch;
  await tally.step("read the home page", () => visit(buyer, "/"));
  await tally.step("read the tickets page", async () => {
    await visit(buyer, "/tickets");
    await readShop(browser);
  });
  if (browser.token === undefined) {
    await tally.step("open the sign-in page", async () => {
      await visit(buyer, "/auth");
      await browser.read("/auth/v1/settings");
    });
    await tally.step("sign in", () => signIn(browser, account));
  }
  await browser.read(`/rest/v1/user_roles?select=role%2Csells_at_door&user_id=eq.${account.id}`);

  const isWavering = random.chance(0.05);
  for (let attempt = 0; ; attempt++) {
    const shop = await tally.step("open the checkout", async () => {
      await visit(buyer, "/checkout");
      await browser.rpc("my_waitlist");
      return readShop(browser);
    });
    const cart = fillCart(shop, account, random);
    if (!cart) return { left: "sold out" };
    const order = await placeOrder(buyer, cart);
    if (!order) continue; // sold out meanwhile: looks at what is left
    if (isWavering && attempt === 0) {
      await browser.rpc("release_hold", { p_order_id: order.orderId });
      await sleep(3000 + random.below(5000), undefined, { signal: launch.over });
      continue;
    }
    if (!(await pay(buyer, order))) {
      await browser.rpc("release_hold", { p_order_id: order.orderId });
      return { left: "no card was accepted" };
    }
    await tally.step("confirm the payment", () => confirm(browser, order.paymentIntentId));
    const codes = await tally.step("look at the tickets", () => readTickets(buyer, order.orderId));
    if (codes !== cart.codes)
      throw new Error(`Order ${order.orderId} shows ${codes} codes of ${cart.codes}.`);
    return { bought: order.orderId, tickets: cart.tickets, codes };
  }
}

async function visit({ browser, account }: Buyer, path: string): Promise<void> {
  await browser.page(path);
  const record = {
    id: randomUUID(),
    user_id: browser.token === undefined ? null : account.id,
    page_path: path,
    referrer: null,
    user_agent: "Mozilla/5.0 (launch)",
    device_type: "mobile",
    browser_name: "Chrome",
    visit_duration: 0,
  };
  await browser.rpc("record_visits", { p_visits: [record] }, { "x-visit-session": browser.tab });
}

async function readShop(browser: Browser): Promise<Product[]> {
  const products = await browser.read(PRODUCTS);
  await browser.rpc("get_sale");
  await browser.rpc("get_ticket_allowance");
  return products;
}

export async function signIn(browser: Browser, { email }: Account): Promise<void> {
  const body = { email, password: PASSWORD, gotrue_meta_security: {} };
  const answer = await browser.call("/auth/v1/token?grant_type=password", body);
  if (answer.status !== 200) throw new Error(`A sign-in was answered with ${answer.body}`);
  browser.token = JSON.parse(answer.body).access_token;
}

/** One to four tickets of a type that has some, a quarter with parking. Undefined once nothing is left. */
function fillCart(shop: readonly Product[], { email }: Account, random: Random): Cart | undefined {
  const left = shop.filter(({ kind, current_inventory: units }) => kind === "ticket" && units > 0);
  const wanted = random.pick([/general/i, /general/i, /general/i, /general/i, /vip/i, /youth/i])!;
  const type = left.find(({ name }) => wanted.test(name)) ?? random.pick(left);
  if (!type) return undefined;
  const quantity = Math.min(1 + random.below(4), type.current_inventory);
  const isVip = /vip/i.test(type.name); // includes general parking
  const parking =
    !isVip && random.chance(0.25)
      ? shop.find(({ kind, current_inventory: units }) => kind === "parking" && units > 0)
      : undefined;
  const item = ({ id, name, price }: Product, units: number, kind: string) => ({
    ...{ id, name, price },
    quantity: units,
    type: kind,
  });
  const person = { name: "Bun B. Buyer", email };
  return {
    tickets: quantity,
    codes: quantity + (isVip || parking ? 1 : 0),
    body: {
      items: [item(type, quantity, "ticket"), ...(parking ? [item(parking, 1, "parking")] : [])],
      attendees: Array.from({ length: quantity }, () => ({ ...person, ticketTypeId: type.id })),
      buyerInfo: { ...person, phone: "713 555 0142" },
      totalAmount: quantity * type.price + (parking?.price ?? 0),
    },
  };
}

interface Placed {
  readonly orderId: string;
  readonly paymentIntentId: string;
  readonly clientSecret: string;
  readonly publishableKey: string;
}

/** Undefined when what was wanted is sold out. */
async function placeOrder(
  { browser, launch: { tally, over } }: Buyer,
  cart: Cart,
): Promise<Placed | undefined> {
  const { publishableKey } = JSON.parse((await browser.call("/functions/v1/payment-config", {})).body);
  const headers = { "idempotency-key": randomUUID() };
  for (;;) {
    const { status, body } = await tally.step("place the order", () =>
      browser.call("/functions/v1/create-payment-intent", cart.body, headers),
    );
    if (status === 200) return { ...JSON.parse(body), publishableKey };
    const { code, details } = JSON.parse(body).error;
    if (code === "insufficient_stock") return undefined;
    if (code !== "waiting_room") throw new Error(`An order was answered with ${body}`);
    await tally.step("wait in the waiting room", async () => {
      for (let line = details; !line.admitted;) {
        await sleep(line.pollAfterSeconds * 1000 * (1 + Math.random() * 0.1), undefined, { signal: over });
        line = JSON.parse((await browser.call("/functions/v1/waiting-room", {})).body);
      }
    });
  }
}

/** A tenth of the buyers first try a card that is declined, and a third of those have no other. */
async function pay(
  { browser, random, launch: { tally } }: Buyer,
  { paymentIntentId, clientSecret, publishableKey }: Placed,
): Promise<boolean> {
  const cards = random.chance(0.1)
    ? [CARD.declined, ...(random.chance(0.67) ? [CARD.good] : [])]
    : [CARD.good];
  for (const card of cards) {
    const { status, body } = await tally.step("pay by card", () =>
      browser.form(`/v1/payment_intents/${paymentIntentId}/confirm`, {
        key: publishableKey,
        client_secret: clientSecret,
        use_stripe_sdk: "true",
        "payment_method_data[type]": "card",
        "payment_method_data[card][number]": card,
        "payment_method_data[card][exp_month]": "12",
        "payment_method_data[card][exp_year]": "34",
        "payment_method_data[card][cvc]": "123",
      }),
    );
    if (status === 200 && JSON.parse(body).status === "succeeded") return true;
    if (status !== 402) throw new Error(`A payment was answered with ${status} ${body}`);
  }
  return false;
}

async function confirm(browser: Browser, paymentIntentId: string): Promise<void> {
  const { status, body } = await browser.call("/functions/v1/process-payment", { paymentIntentId });
  if (status !== 200 || JSON.parse(body).success !== true) throw new Error(`A confirmation was ${body}`);
}

const TICKETS =
  "/rest/v1/tickets?select=id%2Cattendee_email%2Cattendee_name%2Cchecked_in_at%2Ccreated_at%2Cis_checked_in%2Cissue_number%2Corder_id%2Corder_item_id%2Cposition%2Cqr_code_data%2Cqr_code_url%2Cticket_type_id%2Cuser_id%2Cvoided_at%2Cticket_types%28id%2Cname%2Cdescription%2Cis_vip%29%2Corder_items%28position%29&order=created_at.desc";
const EXTRAS =
  "/rest/v1/entry_codes?select=id%2Cchecked_in_at%2Ccreated_at%2Cissue_number%2Corder_id%2Corder_item_id%2Cplate%2Cposition%2Cqr_code_data%2Cqr_code_url%2Cvoided_at%2Cproducts%28name%29%2Cproduct_kinds%28*%29%2Corder_items%28position%2Cincluded%29&has_attendee=is.false&order=created_at.desc";

/** The page of an order with the pictures of all its codes. Returns how many. */
async function readTickets(buyer: Buyer, orderId: string): Promise<number> {
  const { browser, account } = buyer;
  await visit(buyer, "/my-tickets");
  await browser.rpc("claim_kept_tickets");
  const own = `&user_id=eq.${account.id}`;
  const passes: { id: string; order_id: string; qr_code_url: string | null }[] = [
    ...(await browser.read(TICKETS + own)),
    ...(await browser.read(EXTRAS + own)),
  ];
  const ofOrder = passes.filter(({ order_id }) => order_id === orderId);
  for (const { id, qr_code_url: known } of ofOrder) {
    const url = known ?? (await generateCode(browser, id));
    const { pathname, search } = new URL(url);
    await browser.picture(pathname + search);
  }
  return ofOrder.length;
}

async function generateCode(browser: Browser, ticketId: string): Promise<string> {
  const { body } = await browser.call("/functions/v1/generate-qr-code", { ticketId, renew: false });
  const { success, qrCodeUrl } = JSON.parse(body);
  if (success !== true) throw new Error(`A code was answered with ${body}`);
  return qrCodeUrl;
}
