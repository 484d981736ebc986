// How an order is found: by its people, its number or its amount. And its money.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { openOffice, type Office } from "./office.ts";

let db: TestDatabase;
let office: Office;
const other = "0a1b2c3d-0000-4000-8000-00000000beef";
beforeAll(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
  await office.sql(
    `insert into public.orders (id, status, cancel_reason, total_amount, buyer_full_name, buyer_email, buyer_phone_number,
      attendees, payment_intent_id) values ($1, 'cancelled', 'payment_failed', 1, 'Li O''Neal-Wu', 'li.wu@Mail.test', '713-555-0199',
      '[{"name": "Zoë Marchetti", "email": "zoe@guests.test"}]', 'pi_other_9')`,
    other,
  );
});
afterAll(() => db?.close());

interface Orders {
  orders: { id: string }[];
  total_count: number;
  total_is_exact: boolean;
  all_count: number;
}

async function find(search: string | null, status: string | null = null, size = 10): Promise<Orders> {
  const [row] = await office.as<{ answer: Orders }>(
    "admin",
    "select public.get_recent_orders($3, 0, $2, null, null, $1) as answer",
    [search, status, size],
  );
  return row!.answer;
}
const ids = async (search: string, status?: string) =>
  (await find(search, status)).orders.map(({ id }) => id);

describe("an order", () => {
  it.each([
    "li",
    "LI  o'neal",
    "neal wu",
    "li.wu@mail.test",
    "li.wu@",
    "march",
    "Zoe Marchetti",
    "ZOË",
    "o’neál",
    "713-555-0199",
    "(713) 555 0199",
    "7135550199",
    "zoe@guests.test",
    other,
    ` ${other.toUpperCase()} `,
    "oneal",
    "ONealWu",
    "wu o'neal",
    "0a1b",
    "0a1b2c3d",
    "#0A1B2C3D",
    "2c3d",
    "#1B2C3D",
    "pi_other_9",
    "pi_oth",
    "pi_other_",
  ])("is found by %s", async (search) => {
    expect(await ids(search)).toEqual([other]);
  });

  it.each(["l", "ne"])("is found, among others, by the beginning %s", async (search) => {
    expect(await ids(search)).toContain(other);
  });

  it.each([
    "eal",
    "marchettis",
    "li reyes",
    "%",
    "_",
    "0a1",
    "0b1b2c3d",
    "c3d",
    "beef",
    "0000beef",
    "pi_ot",
    "pi_oth%",
    "pi__th",
    "pi_other_8",
    "' | 'a",
    "\\",
    "!&()",
  ])("is not found by %s", async (search) => {
    expect(await ids(search)).not.toContain(other);
  });
});

it("finds an order by a ticket, its end, a refund and every payment", async () => {
  const [ticket] = await office.sql<{ id: string }>(
    "select id from public.tickets where order_id = $1",
    office.order,
  );
  await office.sql(
    "update public.refunds set provider_refund_id = 're_test_1' where order_id = $1",
    office.order,
  );
  for (const search of [
    ticket!.id,
    ticket!.id.slice(4, 8),
    ticket!.id.slice(2, 8),
    "pi_test_1",
    "re_test_1",
  ]) {
    expect(await ids(search), search).toEqual([office.order]);
  }
  // Also the beginnings of two words of another order.
  expect(await ids("re_tes")).toContain(office.order);
});

it("treats eight digits that name no order as a name", async () => {
  await office.sql(`insert into public.orders (id, status, cancel_reason, total_amount, buyer_full_name, buyer_email,
      buyer_phone_number) values ('0a1b2c3d-1111-4000-8000-000000000001', 'cancelled', 'abandoned', 1, 'Dade Beefcade',
      'deadbeef@people.test', '713')`);
  for (const search of ["deadbeef", "Beefcade", "#beefcade"]) {
    expect(await ids(search), search).toEqual(["0a1b2c3d-1111-4000-8000-000000000001"]);
  }
  await office.sql("delete from public.orders where buyer_email = 'deadbeef@people.test'");
});

it("lists failed orders, with the count of matches and of all orders", async () => {
  const failed = await find(null, "failed");
  expect(failed).toMatchObject({ total_count: 1, total_is_exact: true, all_count: 3 });
  expect(failed.orders.map(({ id }) => id)).toEqual([other]);
  expect(await find("ana", "pending")).toMatchObject({ total_count: 1, all_count: 3 });
  expect(await find("ana", null, 1)).toMatchObject({ total_count: 2, all_count: 3 });
  expect(await find(" ", null)).toMatchObject({ total_count: 3, all_count: 3 });
  expect(await ids("li", "confirmed")).toEqual([]);
});

it("lists each order's payments and refunds", async () => {
  await office.as("admin", `select public.refund_order('${office.order}')`);
  const money = async () => {
    const [row] = await office.as<{ answer: Record<string, unknown>[] }>(
      "admin",
      "select public.list_orders_with_money('cancelled', 'ana') as answer",
    );
    return row!.answer;
  };
  expect(await money()).toMatchObject([
    {
      id: office.order,
      items: "1 × General Admission",
      paid: 45,
      refunded: 0,
      payment_intent_id: "pi_test_1",
    },
  ]);
  await office.sql(
    "select public.mark_refund(id, 're_test_2', 'succeeded') from public.refunds where status = 'pending'",
  );
  expect(await money()).toMatchObject([{ paid: 45, refunded: 45 }]);
});

it("finds more matches than are counted among the newest orders", async () => {
  const crowd = (name: string) =>
    office.sql(
      `insert into public.orders (status, cancel_reason, total_amount, buyer_full_name, buyer_email, buyer_phone_number)
         select 'cancelled', 'abandoned', 1, $1, 'crowd@people.test', '713' from generate_series(1, 5001)`,
      name,
    );
  await crowd("Early Crowd");
  await crowd("Late Crowd");
  const count = async (search: string) => (await find(search, null, 1)).total_count;
  expect([await count("early"), await count("late"), await count("crowd")]).toEqual([5001, 5001, 10_000]);
});

it("answers administrators only", async () => {
  for (const call of ["get_recent_orders(10, 0, null, null, null, 'ana')", "list_orders_with_money()"]) {
    expect(await office.refusal("buyer", `select public.${call}`), call).toBe("42501");
    expect(await office.refusal("anon", `select public.${call}`), call).toBe("42501");
  }
});
