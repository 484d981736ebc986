// Many payments confirmed by one call: which of them it confirms, and which it leaves to be decided alone.
import { afterEach, beforeEach, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { openOffice, type Office } from "./office.ts";

const general: string = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001";
const parking = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e2001";

let db: TestDatabase;
let office: Office;
beforeEach(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
});
afterEach(() => db.close());

interface Payment {
  order_id: string;
  payment_intent_id: string;
  amount_cents: number;
  currency: string;
  user_id: string;
}

/** What pays a new buyer's order of two tickets, one of them for another person, and a parking pass. */
async function paidOrder(): Promise<Payment> {
  const user = crypto.randomUUID();
  await office.sql("insert into auth.users (id, email) values ($1, $2)", user, `${user}@people.test`);
  const [row] = await office.sql(
    "select public.reserve_orders($1::jsonb) #>> '{0,order_id}' as id",
    JSON.stringify([
      {
        user_id: user,
        idempotency_key: crypto.randomUUID(),
        request_hash: "hash",
        items: [
          { id: general, type: "ticket", quantity: 2 },
          { id: parking, type: "parking", quantity: 1 },
        ],
        attendees: [
          { name: "Ana", email: "ana@people.test" },
          { name: "Ben", email: "ben@people.test" },
        ],
        buyer: { name: "Ana", email: "ana@people.test", phone: "713-555-0100" },
        total_cents: 11_500,
      },
    ]),
  );
  const order_id = String(row!.id);
  const payment_intent_id = `pi_${crypto.randomUUID()}`;
  return { order_id, payment_intent_id, amount_cents: 11_500, currency: "usd", user_id: user };
}

const confirm = async (payments: readonly Partial<Payment>[]) => {
  const [row] = await office.sql(
    "select public.confirm_orders($1::jsonb) as answers",
    JSON.stringify(payments),
  );
  return row!.answers as ({ status: string; order_id: string } | null)[];
};
const confirmAlone = async ({ order_id, payment_intent_id, amount_cents, currency }: Payment) => {
  const [row] = await office.sql(
    "select public.confirm_order($1, $2, $3, null, $4) ->> 'status' as status",
    ...[order_id, payment_intent_id, amount_cents, currency],
  );
  return row!.status;
};
/** All that a confirmation writes, without what differs from one order to the next. */
const result = (order: string) =>
  office.sql(
    `select o.status, o.payment_intent_id is not null as has_intent, p.amount, p.status as payment,
       (select room from public.order_addresses where order_id = o.id) as room,
       (select json_agg(json_build_array(c.kind, c.position, c.attendee_name, c.user_id = o.user_id) order by c.kind, c.position)
        from public.entry_codes c where c.order_id = o.id) as codes,
       (select json_agg(json_build_array(m.kind, m.payload ->> 'email') order by m.kind)
        from public.outbox m where m.payload ->> 'order_id' = o.id::text) as mails
     from public.orders o left join public.payments p on p.order_id = o.id where o.id = $1`,
    order,
  );
const stock = () => office.sql("select id, held, sold from public.products order by id");

it("writes for each of many orders what confirming it alone writes", async () => {
  const before = await stock();
  const payments = [await paidOrder(), await paidOrder(), await paidOrder()];
  const alone = payments.pop()!;
  expect(await confirmAlone(alone)).toBe("confirmed");
  expect(await confirm(payments)).toEqual(
    payments.map(({ order_id }) => ({ order_id, status: "confirmed" })),
  );
  const expected = await result(alone.order_id);
  expect(expected[0]!.codes).toHaveLength(3);
  expect(expected[0]!.mails).toEqual([
    ["attendee_mail", "ben@people.test"],
    ["order_mail", null],
  ]);
  for (const { order_id } of payments) expect(await result(order_id)).toEqual(expected);
  const units: Record<string, number> = { [general]: 6, [parking]: 3 };
  expect(await stock()).toEqual(
    before.map((row) => ({ ...row, sold: Number(row.sold) + (units[String(row.id)] ?? 0) })),
  );
});

it("finds a repeated payment confirmed, and writes nothing", async () => {
  const [one, other] = [await paidOrder(), await paidOrder()];
  await confirm([one]);
  const before = [await result(one.order_id), await stock()];
  expect((await confirm([one, { ...one, user_id: undefined }])).map((answer) => answer?.status)).toEqual([
    "already_confirmed",
    "already_confirmed",
  ]);
  expect([await result(one.order_id), await stock()]).toEqual(before);
  expect((await confirm([other, one])).map((answer) => answer?.status)).toEqual([
    "confirmed",
    "already_confirmed",
  ]);
});

it("leaves alone whatever is not plainly right, and confirms the rest", async () => {
  const [less, euro, stranger, late, unknown, twice, right] = await Promise.all(
    Array.from({ length: 7 }, paidOrder),
  );
  await office.sql("update public.orders set hold_expires_at = now() where id = $1", late!.order_id);
  await office.sql("select public.expire_holds(array[$1::uuid])", late!.order_id);
  const answers = await confirm([
    { ...less!, amount_cents: 100 },
    { ...euro!, currency: "eur" },
    { ...stranger!, user_id: right!.user_id },
    late!,
    { ...unknown!, order_id: crypto.randomUUID() },
    twice!,
    { ...twice!, payment_intent_id: "pi_second" },
    right!,
  ]);
  expect(answers.map((answer) => answer?.status)).toEqual([
    ...[undefined, undefined, undefined, undefined, undefined],
    ...["confirmed", undefined, "confirmed"],
  ]);
  for (const { order_id } of [less!, euro!, stranger!, unknown!]) {
    expect(await result(order_id)).toMatchObject([{ status: "pending", payment: null }]);
  }
  expect(await confirmAlone({ ...twice!, payment_intent_id: "pi_second" })).toBe("refund_queued");
});

it("does not wait for an order or a buyer that another transaction has locked", async () => {
  const [locked, busy, free] = [await paidOrder(), await paidOrder(), await paidOrder()];
  const answers = await db.database
    .asService("the test plays the other transactions")
    .transaction(async (tx) => {
      await tx.query("select from public.orders where id = $1 for no key update", [locked.order_id]);
      await tx.query("select pg_advisory_xact_lock(hashtextextended('buyer ' || $1, 0))", [busy.user_id]);
      return confirm([locked, busy, free]);
    });
  expect(answers.map((answer) => answer?.status)).toEqual([undefined, undefined, "confirmed"]);
  expect(await confirm([locked, busy])).toMatchObject([{ status: "confirmed" }, { status: "confirmed" }]);
});

it("confirms nothing of a canceled festival", async () => {
  const payment = await paidOrder();
  await office.sql("update public.festival set status = 'cancelled'");
  expect(await confirm([payment])).toEqual([null]);
});
