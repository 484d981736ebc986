// Transactions that meet at one order wait for each other in one direction only.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Executor, ServiceDatabase } from "../../server/src/postgres/database.ts";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";

let db: TestDatabase;
let service: ServiceDatabase;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.database.asService("the test plays all parts");
});
afterAll(() => db.close());

/** Until so many connections wait for a lock that another holds. */
const untilWaiting = (count: number) =>
  expect
    .poll(async () => {
      const { rows } = await service.query<{ waiting: number }>(
        `select count(*)::integer as waiting from pg_stat_activity
          where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
      );
      return rows[0]!.waiting;
    })
    .toBe(count);

it("a declined card and a confirmation of the same payment", async () => {
  const { rows } = await service.query<{ id: string }>(
    `insert into public.orders (status, total_amount, buyer_full_name, buyer_email, buyer_phone_number, attendees, ticket_count, hold_expires_at)
      values ('pending', 45, 'Buyer', 'buyer@people.test', '713-555-0100', '[]', 0, now() + interval '15 minutes') returning id`,
  );
  const order = rows[0]!.id;
  const [confirmed, failed] = await service.transaction(async (tx) => {
    await tx.query("select from public.orders where id = $1 for update", [order]);
    const confirming = service.query("select public.confirm_order($1, 'pi_1', 4500) ->> 'status' as status", [
      order,
    ]);
    await untilWaiting(1);
    const failing = service.query("select public.fail_payment($1, 'pi_1', 'declined')", [order]);
    await untilWaiting(2);
    return [confirming, failing];
  });

  await failed;
  expect((await confirmed).rows).toEqual([{ status: "confirmed" }]);
});

it("two refunds of one payment, told at once", async () => {
  await service.query(
    `insert into public.payments (payment_intent_id, order_id, amount, status)
      select 'pi_2', id, 45, 'refund_pending' from public.orders limit 1`,
  );
  const { rows } = await service.query<{ id: string }>(
    `insert into public.refunds (payment_intent_id, order_id, amount, reason)
      select payment_intent_id, order_id, cents, 'asked' from public.payments, unnest(array[20, 25]) as cents
      where payment_intent_id = 'pi_2' returning id`,
  );
  const mark = (on: Executor, index: number) =>
    on.query("select public.mark_refund($1, null, 'succeeded')", [rows[index]!.id]);
  const [second] = await service.transaction(async (tx) => {
    await mark(tx, 0);
    const other = mark(service, 1);
    await untilWaiting(1);
    return [other];
  });
  await second;

  const payments = await service.query("select status from public.payments where payment_intent_id = 'pi_2'");
  expect(payments.rows).toEqual([{ status: "refunded" }]);
});
