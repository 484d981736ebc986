// Transactions that meet at one order wait for each other in one direction only.
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";

let db: TestDatabase;
let clients: Client[];
beforeAll(async () => {
  db = await cloneDatabase();
  clients = Array.from({ length: 3 }, () => new Client({ connectionString: db.url }));
  for (const client of clients) await client.connect();
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await db.close();
});

/** Until the connection waits for a lock that another holds. */
async function blocked(client: Client): Promise<void> {
  const service = db.database.asService("the test watches locks");
  await expect
    .poll(async () => {
      const { processID: pid } = client as unknown as { processID: number };
      const { rows } = await service.query<{ waits: boolean }>(
        "select cardinality(pg_blocking_pids($1)) > 0 as waits",
        [pid],
      );
      return rows[0]!.waits;
    })
    .toBe(true);
}

it("a declined card and a confirmation of the same payment", async () => {
  const [holder, confirming, failing] = clients as [Client, Client, Client];
  const { rows } = await holder.query<{ id: string }>(
    `insert into public.orders (status, total_amount, buyer_full_name, buyer_email, buyer_phone_number, attendees, ticket_count, hold_expires_at)
      values ('pending', 45, 'Buyer', 'buyer@people.test', '713-555-0100', '[]', 0, now() + interval '15 minutes') returning id`,
  );
  const order = rows[0]!.id;
  await holder.query("begin");
  await holder.query("select from public.orders where id = $1 for update", [order]);
  const confirmed = confirming.query("select public.confirm_order($1, 'pi_1', 4500) ->> 'status' as status", [
    order,
  ]);
  await blocked(confirming);
  const failed = failing.query("select public.fail_payment($1, 'pi_1', 'declined')", [order]);
  await blocked(failing);
  await holder.query("rollback");

  const [answer] = await Promise.all([confirmed, failed]);
  expect(answer.rows).toEqual([{ status: "confirmed" }]);
});

it("two refunds of one payment, told at once", async () => {
  const [first, second] = clients as [Client, Client];
  await first.query(
    `insert into public.payments (payment_intent_id, order_id, amount, status)
      select 'pi_2', id, 45, 'refund_pending' from public.orders limit 1`,
  );
  const { rows } = await first.query<{ id: string }>(
    `insert into public.refunds (payment_intent_id, order_id, amount, reason)
      select payment_intent_id, order_id, cents, 'asked' from public.payments, unnest(array[20, 25]) as cents
      where payment_intent_id = 'pi_2' returning id`,
  );
  const mark = (client: Client, index: number) =>
    client.query("select public.mark_refund($1, null, 'succeeded')", [rows[index]!.id]);
  await first.query("begin");
  await mark(first, 0);
  const other = mark(second, 1);
  await blocked(second);
  await first.query("commit");
  await other;

  const { rows: payments } = await first.query(
    "select status from public.payments where payment_intent_id = 'pi_2'",
  );
  expect(payments).toEqual([{ status: "refunded" }]);
});
