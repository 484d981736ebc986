// The purchase as most shops write it: lock the row, insert the order and its item, take the stock, commit, one statement
// after the other on a connection per client. It uses the same database as ours, with the same keys and durability.
import pg from "pg";
import { WrongAnswer } from "../pairs.ts";
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

export interface NaiveShop {
  /** Purchases per second over all the connections. */
  slice(seconds: number): Promise<number>;
  close(): Promise<void>;
}

export async function openNaiveShop(shop: MeasuredShop, clients: number): Promise<NaiveShop> {
  await shop.sql.query(SCHEMA);
  const buyers = await shop.newBuyers(1000);
  const connections = Array.from(
    { length: clients },
    () => new pg.Client({ connectionString: shop.festival.status.DB_URL! }),
  );
  await Promise.all(connections.map((connection) => connection.connect()));
  let bought = 0;

  return {
    async slice(seconds) {
      const before = await booksOf(shop);
      const started = performance.now();
      const until = started + seconds * 1000;
      let count = 0;
      await Promise.all(
        connections.map(async (connection) => {
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
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.end()));
    },
  };
}

async function buy(connection: pg.Client, ticketTypeId: string, buyerId: string): Promise<void> {
  await connection.query("begin");
  const { rows: found } = await connection.query<{ price: string; stock: number }>(
    "select price, stock from naive.ticket_types where id = $1 for update",
    [ticketTypeId],
  );
  const { price, stock } = found[0]!;
  if (stock < 1) throw new WrongAnswer("The naive shop is sold out.");
  const { rows: orders } = await connection.query<{ id: string }>(
    "insert into naive.orders (user_id, status, total) values ($1, 'pending', $2) returning id",
    [buyerId, price],
  );
  await connection.query(
    "insert into naive.order_items (order_id, ticket_type_id, quantity, price) values ($1, $2, 1, $3)",
    [orders[0]!.id, ticketTypeId, price],
  );
  await connection.query("update naive.ticket_types set stock = stock - 1 where id = $1", [ticketTypeId]);
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
