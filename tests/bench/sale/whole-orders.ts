// P16: whole orders, as a buyer makes them: reserved, paid with a card at the sandbox and confirmed, until each ticket has its
// signed code and each mail is out. Compared with P1's reservation, by the processor time of an order. Every buyer is new, every
// answer is read, and in the end the books must be right.
import { setTimeout as sleep } from "node:timers/promises";
import { importTicketKey, type TicketKeyJwk, verifyTicketToken } from "contract/tickets/ticket-token";
import { faultsInBooks } from "../../simulator/books.ts";
import { compared, type Figure, number, type Settings } from "../figures.ts";
import { type Answer, type Client, openClient, post, postForm } from "../http-clients.ts";
import { measureInTurn, type Paired, spread, WrongAnswer } from "../pairs.ts";
import { processorTime, type ProcessorTime, since } from "../processor-time.ts";
import { openMeasuredShop, type MeasuredShop } from "../shop.ts";
import { type Cart, openCarts, placing } from "./carts.ts";
import { INSTANT_PROVIDER } from "./purchase.ts";
import { openReservations, orderIn } from "./reservations.ts";

const RESERVING_CLIENTS = 32;
const BUYING_CLIENTS = [16, 64] as const;
const PATIENCE_MS = 300_000;

/** Until nothing is left to do for the slice's orders. */
export interface Work {
  readonly orders: number;
  /** Without the mails that were still waiting. */
  readonly seconds: number;
  readonly processor: ProcessorTime;
  /** Mails that waited when the last order was answered, and how long it took to send them. */
  readonly waiting: number;
  readonly drainSeconds: number;
}

export async function measureWholeOrders({ pairs, seconds }: Settings): Promise<readonly Figure[]> {
  const shop = await openMeasuredShop();
  const reserving = await openMeasuredShop(INSTANT_PROVIDER);
  try {
    const buying = await openWholeOrders(shop);
    const reservations = openReservations(reserving, RESERVING_CLIENTS);
    const figures: Figure[] = [];
    for (const clients of BUYING_CLIENTS) {
      const whole: Work[] = [];
      const reserved: Pick<Work, "orders" | "seconds" | "processor">[] = [];
      const paired = await measureInTurn(
        async () => costOf(keep(whole, await buying.slice(clients, { seconds }))),
        async () => costOf(keep(reserved, await reservations.measured(seconds))),
        pairs,
      );
      figures.push(...figuresOf(clients, paired, whole.slice(1), reserved.slice(1)));
    }
    const faults = await faultsInBooks(async (text) => (await shop.sql.query(text)).rows, true);
    if (faults.length > 0) throw new WrongAnswer(faults.join("\n"));
    return figures;
  } finally {
    await Promise.all([shop.close(), reserving.close()]);
  }
}

type Measured = Pick<Work, "orders" | "seconds" | "processor">;

function keep<T>(list: T[], one: T): T {
  list.push(one);
  return one;
}

/** Milliseconds of processor time an order. */
export const costOf = ({ orders, processor }: Measured): number =>
  (processor.server + processor.postgres) / orders;

export function partsOf(work: readonly Measured[]): string {
  const median = (part: keyof ProcessorTime) =>
    number(spread(work.map(({ orders, processor }) => processor[part] / orders)).median);
  return `server ${median("server")} + PostgreSQL ${median("postgres")} ms`;
}

function figuresOf(
  clients: number,
  paired: Paired,
  whole: readonly Work[],
  reserved: readonly Measured[],
): Figure[] {
  const rate = (work: readonly Measured[]) => number(spread(work.map((w) => w.orders / w.seconds)).median);
  const drain = (part: "waiting" | "drainSeconds") => number(spread(whole.map((w) => w[part])).median);
  return [
    compared(`processor time of a whole order, ${clients} clients`, "ms", "of a reservation", paired, {
      atMost: 4,
    }),
    { what: "its parts", ours: partsOf(whole), against: partsOf(reserved) },
    { what: "beside its mails", ours: `${rate(whole)} /s`, against: `${rate(reserved)} /s reservations` },
    {
      what: "mails that waited at the end",
      ours: drain("waiting"),
      against: `out after ${drain("drainSeconds")} s`,
    },
  ];
}

interface WholeOrders {
  /** Ends after these seconds, or with this many orders. */
  slice(clients: number, until: { readonly seconds: number } | { readonly orders: number }): Promise<Work>;
}

export async function openWholeOrders(shop: MeasuredShop): Promise<WholeOrders> {
  const { url } = shop.festival;
  const { publishableKey } = await (await fetch(`${url}/functions/v1/payment-config`)).json();
  const cartsOf = await openCarts(shop);
  let most = 200;

  return {
    async slice(clients, until) {
      const buyers = await shop.newBuyers("orders" in until ? until.orders : Math.ceil(most * until.seconds));
      const carts = cartsOf(buyers);
      const before = processorTime(shop.festival);
      const sold = new Map<string, number>();
      const started = performance.now();
      let next = 0;
      const buyAll = async () => {
        const client = await openClient(url);
        while ("orders" in until || performance.now() < started + until.seconds * 1000) {
          const cart = carts[next++];
          if (!cart) break;
          sold.set(await buy(client, cart, publishableKey), cart.tickets);
        }
        client.close();
      };
      await Promise.all(Array.from({ length: clients }, buyAll));
      const seconds = (performance.now() - started) / 1000;
      const waiting = (await workLeft(shop)).mails;
      const drainSeconds = await untilDone(shop);
      const processor = since(before, processorTime(shop.festival));
      await checkCodes(shop, sold);
      most = Math.max(most, (2 * sold.size) / seconds);
      return { orders: sold.size, seconds, processor, waiting, drainSeconds };
    },
  };
}

/** Returns the order's id. */
async function buy(client: Client, cart: Cart, publishableKey: string): Promise<string> {
  const signedIn = { authorization: `Bearer ${cart.buyer.token}` };
  const placed = await client.ask(placing(cart));
  const orderId = orderIn(placed, cart);
  const { paymentIntentId, clientSecret } = JSON.parse(placed.body);
  const paid = await client.ask(
    postForm(
      `/v1/payment_intents/${paymentIntentId}/confirm`,
      { authorization: `Bearer ${publishableKey}` },
      {
        client_secret: clientSecret,
        payment_method: "pm_card_visa",
      },
    ),
  );
  if (bodyOf(paid).status !== "succeeded") throw wrong("A payment", paid);
  const done = await client.ask(post("/functions/v1/process-payment", signedIn, { paymentIntentId }));
  const { success, orderId: confirmed, status } = bodyOf(done);
  // The provider's webhook may have been faster.
  const isConfirmed = status === "confirmed" || status === "already_confirmed";
  if (success !== true || confirmed !== orderId || !isConfirmed) throw wrong("A confirmation", done);
  return orderId;
}

const bodyOf = ({ status, body }: Answer) => (status === 200 ? JSON.parse(body) : {});

const wrong = (what: string, { status, body }: Answer) =>
  new WrongAnswer(`${what} was answered with ${status} ${body}`);

async function workLeft({ sql }: MeasuredShop): Promise<{ mails: number; webhooks: number; dead: number }> {
  const { rows } = await sql.query(
    `select count(*) filter (where dead_at is null)::integer as mails, count(dead_at)::integer as dead,
       (select count(*) from payments_sandbox.deliveries where next_attempt_at is not null)::integer as webhooks
     from public.outbox where done_at is null`,
  );
  return rows[0];
}

/** Waits until the provider has also delivered its webhooks. Returns the seconds until every mail was out. */
async function untilDone(shop: MeasuredShop): Promise<number> {
  const started = performance.now();
  let mailed = Number.NaN;
  for (; ; await sleep(100)) {
    const { mails, webhooks, dead } = await workLeft(shop);
    if (dead > 0) throw new WrongAnswer(`${dead} mails were given up.`);
    const taken = performance.now() - started;
    if (mails === 0 && Number.isNaN(mailed)) mailed = taken / 1000;
    if (mails + webhooks === 0) return mailed;
    if (taken > PATIENCE_MS) throw new WrongAnswer(`${mails} mails and ${webhooks} webhooks are left.`);
  }
}

/** Each order has its tickets, and each ticket a code signed with the festival's key. */
async function checkCodes({ sql }: MeasuredShop, sold: ReadonlyMap<string, number>): Promise<void> {
  const { rows: keys } = await sql.query<{ public_jwk: TicketKeyJwk }>(
    "select public_jwk from public.entry_keys",
  );
  const key = await importTicketKey(keys[0]!.public_jwk);
  const { rows } = await sql.query<{ id: string; order_id: string; qr_code_data: string }>(
    "select id, order_id, qr_code_data from public.tickets where order_id = any ($1)",
    [[...sold.keys()]],
  );
  const left = new Map(sold);
  for (const { id, order_id, qr_code_data } of rows) {
    const claims = await verifyTicketToken(qr_code_data, key);
    if (claims?.ticketId !== id) throw new WrongAnswer(`Ticket ${id} has the code ${qr_code_data}.`);
    left.set(order_id, left.get(order_id)! - 1);
  }
  for (const [order, missing] of left) {
    if (missing !== 0) throw new WrongAnswer(`Order ${order} lacks ${missing} tickets.`);
  }
}
