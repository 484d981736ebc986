// The purchase without anything around it, on a connection per client: as most shops write it, four statements in a transaction,
// and as one statement in one round trip. It uses the same database as ours, with the same keys and durability. Many connections
// collapse on one hot row, so each way is measured with as many as serve it best.
import pg from "pg";
import { number } from "../figures.ts";
import { spread, WrongAnswer } from "../pairs.ts";
import type { MeasuredShop } from "../shop.ts";

const SCHEMA = `
  create schema naive;
  create table naive.ticket_types (id uuid primary key, name text not null, price numeric(10, 2) not null, stock integer not null check (stock >= 0));
  create table naive.orders (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users (id),
    status text not null, total numeric(10, 2) not null, created_at timestamptz not null default now());
  create index on naive.orders (user_id);
  create table naive.order_items (id uuid primary key default gen_random_uuid(), order_id uuid not null references naive.orders (id),
    ticket_type_id uuid not null references naive.ticket_types (id), quantity integer not null, price numeric(10, 2) not null);
  create index on naive.order_items (order_id);
  insert into naive.ticket_types select id, name, price, current_inventory from public.ticket_types`;

/** Throws WrongAnswer when the shop is sold out. */
type Buy = (connection: pg.Client, ticketTypeId: string, buyerId: string) => Promise<void>;

const WAYS = { "one statement": inOneStatement, "four statements": inFourStatements } as const;
export type Way = keyof typeof WAYS;

const CONNECTIONS = [1, 2, 4, 8, 16, 32];
const TRIES = 3;

export interface NaiveShop {
  /** Purchases per second over as many connections as serve this way best. */
  slice(way: Way, seconds: number): Promise<number>;
  /** The best number of connections, with the rates of all that were tried. */
  best(way: Way): string;
  close(): Promise<void>;
}

/** Each number of connections is tried three times for these seconds, in turn; the best median counts. */
export async function openNaiveShop(shop: MeasuredShop, trySeconds: number): Promise<NaiveShop> {
  await shop.sql.query(SCHEMA);
  const buyers = await shop.newBuyers(1000);
  const connections = Array.from(
    { length: Math.max(...CONNECTIONS) },
    () => new pg.Client({ connectionString: shop.festival.status.DB_URL! }),
  );
  await Promise.all(connections.map((connection) => connection.connect()));
  let bought = 0;

  async function slice(buy: Buy, clients: number, seconds: number): Promise<number> {
    const before = await booksOf(shop);
    const started = performance.now();
    const until = started + seconds * 1000;
    let count = 0;
    await Promise.all(
      connections.slice(0, clients).map(async (connection) => {
        while (performance.now() < until) {
          await buy(connection, shop.ticketType.id, buyers[bought++ % buyers.length]!.id);
          count += 1;
        }
      }),
    );
    const taken = (performance.now() - started) / 1000;
    const after = await booksOf(shop);
    if (after.orders - before.orders !== count || before.stock - after.stock !== count) {
      throw new WrongAnswer(`${count} naive purchases, but the tables say otherwise.`);
    }
    return count / taken;
  }

  async function tryAll(buy: Buy): Promise<{ clients: number; rate: number }[]> {
    const rates = CONNECTIONS.map((clients) => ({ clients, taken: [] as number[] }));
    for (let nth = 0; nth < TRIES; nth++) {
      for (const { clients, taken } of rates) taken.push(await slice(buy, clients, trySeconds));
    }
    return rates.map(({ clients, taken }) => ({ clients, rate: spread(taken).median }));
  }

  const tried = {
    "one statement": await tryAll(inOneStatement),
    "four statements": await tryAll(inFourStatements),
  };
  const best = (way: Way) => tried[way].reduce((one, other) => (other.rate > one.rate ? other : one));

  return {
    slice: (way, seconds) => slice(WAYS[way], best(way).clients, seconds),
    best: (way) =>
      `${best(way).clients} connections (${tried[way].map(({ clients, rate }) => `${clients}: ${number(rate)}`).join(", ")})`,
    async close() {
      await Promise.all(connections.map((connection) => connection.end()));
    },
  };
}

async function inOneStatement(connection: pg.Client, ticketTypeId: string, buyerId: string): Promise<void> {
  const { rowCount } = await connection.query({
    name: "naive purchase",
    text: `with taken as (
        update naive.ticket_types set stock = stock - 1 where id = $1 and stock > 0 returning id, price
      ), placed as (
        insert into naive.orders (user_id, status, total) select $2, 'pending', price from taken returning id
      )
      insert into naive.order_items (order_id, ticket_type_id, quantity, price)
        select placed.id, taken.id, 1, price from placed, taken`,
    values: [ticketTypeId, buyerId],
  });
  if (rowCount !== 1) throw new WrongAnswer("The naive shop is sold out.");
}

async function inFourStatements(connection: pg.Client, ticketTypeId: string, buyerId: string): Promise<void> {
  await connection.query("begin");
  const { rows: found } = await connection.query<{ price: string; stock: number }>({
    name: "naive lock",
    text: "select price, stock from naive.ticket_types where id = $1 for update",
    values: [ticketTypeId],
  });
  const { price, stock } = found[0]!;
  if (stock < 1) throw new WrongAnswer("The naive shop is sold out.");
  const { rows: orders } = await connection.query<{ id: string }>({
    name: "naive order",
    text: "insert into naive.orders (user_id, status, total) values ($1, 'pending', $2) returning id",
    values: [buyerId, price],
  });
  await connection.query({
    name: "naive item",
    text: "insert into naive.order_items (order_id, ticket_type_id, quantity, price) values ($1, $2, 1, $3)",
    values: [orders[0]!.id, ticketTypeId, price],
  });
  await connection.query({
    name: "naive stock",
    text: "update naive.ticket_types set stock = stock - 1 where id = $1",
    values: [ticketTypeId],
  });
  await connection.query("commit");
}

async function booksOf(shop: MeasuredShop): Promise<{ orders: number; stock: number }> {
  const { rows } = await shop.sql.query<{ orders: number; stock: number }>(
    `select (select count(*) from naive.order_items)::integer as orders,
       (select stock from naive.ticket_types where id = $1) as stock`,
    [shop.ticketType.id],
  );
  return rows[0]!;
}
