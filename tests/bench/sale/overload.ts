// P4: what is still sold when buyers arrive at twice the rate at which orders can be placed, compared with the maximum that can
// be sold. Buyers arrive whether or not others were answered. Those sent to the waiting room retry with their place when told
// to, as the site does. Nobody may receive anything but an order or the room. A rush lasts two slices, because the room opens
// only after some seconds.
import { setTimeout as sleep } from "node:timers/promises";
import { compared, type Figure, number, type Settings } from "../figures.ts";
import { type Client, openClient } from "../http-clients.ts";
import { measureInTurn, spread, WrongAnswer } from "../pairs.ts";
import { booksOf, openReservations, orderIn, reservationOf } from "./reservations.ts";
import { type Buyer, openMeasuredShop, type MeasuredShop } from "../shop.ts";

/** More clients than this add nothing: a batch holds no more carts. */
const SATURATING_CLIENTS = 64;

export async function measureOverload({ pairs, seconds }: Settings): Promise<readonly Figure[]> {
  const shop = await openMeasuredShop();
  try {
    const atPeak = openReservations(shop, SATURATING_CLIENTS);
    let peak = await atPeak.slice(seconds);
    const shareSent: number[] = [];
    const paired = await measureInTurn(
      async () => {
        const { placed, sentToRoom, arrived, taken } = await rush(shop, 2 * peak, 2 * seconds);
        shareSent.push((100 * sentToRoom) / arrived);
        return placed / taken;
      },
      async () => (peak = await atPeak.slice(seconds)),
      pairs,
    );
    return [
      compared("orders placed at twice the load", "/s", "at the peak", paired, { atLeast: 0.9 }),
      {
        what: "of those buyers, sent to the waiting room first",
        ours: `${number(spread(shareSent).median)} %`,
        against: "nobody saw a 5xx",
      },
    ];
  } finally {
    await shop.close();
  }
}

/** One connection each. A machine cannot open more, so further buyers arrive a moment later. */
const MOST_UNDER_WAY = 15_000;

/** The server closes connections that were silent for five seconds. A request sent at that moment would fail. */
const SILENT_MS = 3000;

interface FreeClient {
  readonly client: Client;
  readonly since: number;
}

/** The most recently used one: if that is too old, all are. */
function stillOpen(free: FreeClient[]): Client | undefined {
  const last = free.pop();
  if (!last || performance.now() - last.since < SILENT_MS) return last?.client;
  for (const { client } of [last, ...free.splice(0)]) client.close();
  return undefined;
}

interface Rush {
  readonly placed: number;
  readonly arrived: number;
  readonly sentToRoom: number;
  readonly taken: number;
}

async function rush(shop: MeasuredShop, rate: number, seconds: number): Promise<Rush> {
  const buyers = await shop.newBuyers(Math.ceil(rate * seconds));
  const before = await booksOf(shop);
  const free: FreeClient[] = [];
  const orders = new Set<string>();
  const sentToRoom = new Set<Buyer>();
  const underWay = new Set<Promise<unknown>>();
  const over = new AbortController();
  const started = performance.now();

  async function buy(buyer: Buyer): Promise<void> {
    for (let place: string | undefined; !over.signal.aborted;) {
      const client = stillOpen(free) ?? (await openClient(shop.festival.url));
      const answer = await client.ask(reservationOf(shop.ticketType, buyer, place));
      free.push({ client, since: performance.now() });
      const room = roomIn(answer);
      if (!room) {
        orders.add(orderIn(answer, shop.ticketType));
        return;
      }
      sentToRoom.add(buyer);
      place = room.place;
      await sleep(room.pollAfterSeconds * 1000, undefined, { signal: over.signal }).catch(() => {});
    }
  }

  let arrived = 0;
  let failure: unknown;
  while (performance.now() < started + seconds * 1000) {
    const due = Math.min(buyers.length, Math.floor(((performance.now() - started) / 1000) * rate));
    while (arrived < due && underWay.size < MOST_UNDER_WAY) {
      const buying = buy(buyers[arrived++]!)
        .catch((error: unknown) => (failure ??= error))
        .finally(() => underWay.delete(buying));
      underWay.add(buying);
    }
    await sleep(5);
  }
  over.abort();
  await Promise.all(underWay);
  const taken = (performance.now() - started) / 1000;
  for (const { client } of free) client.close();
  if (failure) throw failure;
  const after = await booksOf(shop);
  if (after.held - before.held !== orders.size || after.orders - before.orders !== orders.size) {
    throw new WrongAnswer(`${orders.size} orders were answered, but the tables say otherwise.`);
  }
  await closeRoom(shop);
  return { placed: orders.size, arrived, sentToRoom: sentToRoom.size, taken };
}

function roomIn({ status, body }: { status: number; body: string }) {
  if (status !== 429) return undefined;
  const { code, details } = JSON.parse(body).error;
  return code === "waiting_room" ? (details as { place: string; pollAfterSeconds: number }) : undefined;
}

/** The rush is over and everybody has left. */
async function closeRoom({ sql }: MeasuredShop): Promise<void> {
  await sql.query("delete from public.waiting_places");
  await sql.query("delete from public.sale_pace");
  await sql.query("update public.waiting_room set opened_at = null");
}
