// A crowd that arrives before PostgreSQL has statistics: the tables were analyzed while they were empty, and the sale's functions
// keep the plans they got then. The tests count the rows that are read, not the time.
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Executor } from "../../server/src/postgres/executor.ts";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";

let db: TestDatabase;
beforeEach(async () => {
  db = await cloneDatabase();
});
afterEach(() => db.close());

/** A function is planned afresh for five calls, then its plan is kept. */
const UNTIL_PLANS_ARE_KEPT = 8;
const MOST_CARTS = 64;

async function onEmptyTables(play: (tx: Executor) => Promise<void>): Promise<void> {
  const service = db.database.asService("the test plays a crowd");
  await service.query("analyze", []);
  await service.transaction(async (tx) => {
    await tx.query("update public.shop_settings set max_orders_per_address = 100000", []);
    await play(tx);
  });
}

/** Rows of these tables that the work reads, by index or sequentially. */
async function rowsRead(
  tx: Executor,
  tables: readonly string[],
  work: () => Promise<unknown>,
): Promise<number> {
  const soFar = async () => {
    const { rows } = await tx.query<{ read: number }>(
      `select sum(seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables where relname = any ($1)`,
      [tables],
    );
    return rows[0]!.read;
  };
  const before = await soFar();
  await work();
  return (await soFar()) - before;
}

async function newUser(tx: Executor): Promise<string> {
  const id = randomUUID();
  await tx.query("insert into auth.users (id, email) values ($1, $2)", [id, `${id}@people.test`]);
  return id;
}

interface Ticket {
  readonly id: string;
  readonly cents: number;
}

async function ticketOnSale(tx: Executor): Promise<Ticket> {
  const { rows } = await tx.query<Ticket>(
    "select id, (price * 100)::integer as cents from public.ticket_types order by current_inventory desc limit 1",
  );
  return rows[0]!;
}

/** Places one order for each of as many new buyers, who present these places. */
async function placeOrders(
  tx: Executor,
  ticket: Ticket,
  places: readonly (string | undefined)[],
): Promise<string[]> {
  const carts = [];
  for (const place of places) {
    carts.push({
      user_id: await newUser(tx),
      idempotency_key: randomUUID(),
      request_hash: "hash",
      items: [{ type: "ticket", id: ticket.id, quantity: 1 }],
      attendees: [{ name: "Ada", email: "ada@people.test" }],
      buyer: { name: "Ada", email: "ada@people.test", phone: "713-555-0100" },
      total_cents: ticket.cents,
      place,
    });
  }
  const { rows } = await tx.query<{ id: string | null }>(
    "select value ->> 'order_id' as id from jsonb_array_elements(public.reserve_in_turn($1::jsonb))",
    [JSON.stringify(carts)],
  );
  const orders = rows.map(({ id }) => id!);
  expect(orders).not.toContain(null);
  return orders;
}

it("the waiting room's work grows linearly with the crowd, and an order's work does not grow", async () => {
  const people = 3000;
  const together = 500;
  await onEmptyTables(async (tx) => {
    await tx.query("insert into public.sale_pace (process, under_way, per_second) values ($1, 100, 10)", [
      randomUUID(),
    ]);
    const ticket = await ticketOnSale(tx);
    /** Everybody asks for their position, many in a call. The answers' places are in the order of arrival. */
    const ask = async (first: number, count: number) => {
      const visits = Array.from({ length: count }, (_, at) => ({
        visitor: `visitor ${first + at}`,
        address: "192.0.2.1",
      }));
      const { rows } = await tx.query<{ answers: { id: string; ahead: number }[] }>(
        "select public.visit_waiting_room($1::jsonb) -> 'answers' as answers",
        [JSON.stringify(visits)],
      );
      return rows[0]!.answers;
    };
    const everybodyAsks = async () => {
      for (let first = 0; first < people; first += together) {
        const answers = await ask(first, together);
        expect(answers.map(({ ahead }) => ahead)).toEqual(answers.map((_, at) => first + at));
      }
    };
    const letEverybodyIn = () => tx.query("update public.waiting_places set admitted_at = clock_timestamp()");
    const placesOf = async (first: number, count: number) => (await ask(first, count)).map(({ id }) => id);

    for (let at = 0; at < UNTIL_PLANS_ARE_KEPT; at++) await ask(people + at, 1);
    await letEverybodyIn();
    for (let at = 0; at < UNTIL_PLANS_ARE_KEPT; at++) {
      await placeOrders(tx, ticket, await placesOf(people + at, 1));
    }

    const calls = people / together;
    expect(await rowsRead(tx, ["waiting_places"], everybodyAsks)).toBeLessThan(3 * people * calls);
    expect(await rowsRead(tx, ["waiting_places"], everybodyAsks)).toBeLessThan(3 * people * calls);
    await letEverybodyIn();
    const admitted = await placesOf(0, MOST_CARTS);
    const ordering = () => placeOrders(tx, ticket, admitted);
    expect(await rowsRead(tx, ["waiting_places"], ordering)).toBeLessThan(10 * MOST_CARTS);
  });
});

it("the work on an order costs the same among many orders as among few", async () => {
  const tables = ["orders", "order_items", "entry_codes", "payments", "outbox"];
  await onEmptyTables(async (tx) => {
    const ticket = await ticketOnSale(tx);
    const admin = await newUser(tx);
    await tx.query("insert into public.user_roles (user_id, role) values ($1, 'admin')", [admin]);
    await tx.query("select set_config('request.jwt.claims', $1, true)", [
      JSON.stringify({ sub: admin, role: "authenticated" }),
    ]);
    const someOrders = (count: number) => placeOrders(tx, ticket, Array<undefined>(count).fill(undefined));

    /**
     * One order is paid in a batch, one alone and refunded, one declined, one released, one expires, a code is tried, and two mails
     * are attempted.
     */
    const work = async () => {
      const [batched, paid, declined, left, expired] = await someOrders(5);
      const payment = {
        order_id: batched,
        payment_intent_id: `pi_${batched}`,
        amount_cents: ticket.cents,
        currency: "usd",
      };
      await tx.query("select public.confirm_orders($1)", [JSON.stringify([payment])]);
      await tx.query("select public.confirm_order($1, $2, $3)", [paid, `pi_${paid}`, ticket.cents]);
      await tx.query("select public.refund_order($1)", [paid]);
      await tx.query(
        "select public.mark_refund(id, 're_' || id, 'succeeded') from public.refunds where order_id = $1",
        [paid],
      );
      await tx.query("select public.fail_payment($1, $2, 'declined', 'evt_1', now())", [
        declined,
        `pi_${declined}`,
      ]);
      await tx.query("select public.release_hold($1)", [left]);
      await tx.query("update public.orders set hold_expires_at = now() where id = any ($1)", [[expired]]);
      await tx.query("select public.expire_holds(array(select order_id from public.due_holds(10)))");
      await tx.query("select public.quote_promo_code($1, '192.0.2.1', 'none', '[]')", [admin]);
      const { rows: mails } = await tx.query<{ id: string }>("select id from public.claim_outbox(2)");
      await tx.query("select public.orders_to_mail($1)", [[paid, left]]);
      await tx.query("select public.complete_outbox($1)", [[mails[0]!.id]]);
      await tx.query("select public.fail_outbox($1, 'no answer')", [mails[1]!.id]);
    };
    for (let round = 0; round < UNTIL_PLANS_ARE_KEPT; round++) await work();
    const amongFew = await rowsRead(tx, tables, work);
    for (let batch = 0; batch < 16; batch++) {
      const placed = await someOrders(MOST_CARTS);
      const paid = "update public.orders set status = 'confirmed', confirmed_at = now() where id = any ($1)";
      if (batch % 2 > 0) await tx.query(paid, [placed]);
    }
    expect(await rowsRead(tx, tables, work)).toBeLessThan(2 * amongFew);
  });
});

it("claims money without delay behind a backlog of mails", async () => {
  await onEmptyTables(async (tx) => {
    const queue = (kind: string, many: number) =>
      tx.query(
        `insert into public.outbox (kind, payload, dedupe_key, next_attempt_at)
         select $1::text, '{}', $1 || ':' || gen_random_uuid(), now() - interval '1 hour' from generate_series(1, $2)`,
        [kind, many],
      );
    const claim = async () => {
      await queue("refund", 1);
      const { rows } = await tx.query<{ kind: string }>("select kind from public.claim_outbox(20, 'money')");
      expect(rows).toEqual([{ kind: "refund" }]);
    };
    for (let round = 0; round < UNTIL_PLANS_ARE_KEPT; round++) await claim();
    const amongFew = await rowsRead(tx, ["outbox"], claim);
    await queue("order_mail", 2000);
    expect(await rowsRead(tx, ["outbox"], claim)).toBeLessThanOrEqual(2 * amongFew);
    await queue("refund", 1);
    const both = await tx.query<{ kind: string }>("select kind from public.claim_outbox(50)");
    expect(both.rows).toHaveLength(50);
    expect(both.rows.filter(({ kind }) => kind === "refund")).toHaveLength(1);
  });
});
