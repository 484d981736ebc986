// How an order came about (orders.channel): what is allowed in a door sale and a comp, and how each is counted.
import { afterAll, beforeAll, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { openOffice, type Office } from "./office.ts";

let db: TestDatabase;
let office: Office;
beforeAll(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
});
afterAll(() => db?.close());

const insert = (columns: string, values: string) =>
  office
    .sql(`insert into public.orders (buyer_full_name, buyer_email, buyer_phone_number, confirmed_at, ${columns})
      values ('Door sale', '', '', now(), ${values}) returning id`)
    .then(
      ([row]) => row?.id as string,
      (error: { constraint?: string }) => error.constraint,
    );

it("allows door sales and comps no hold and no account, and comps no price", async () => {
  expect(await insert("status, total_amount, channel", "'confirmed', 45, 'market'")).toBe(
    "orders_channel_check",
  );
  const hold = await insert("status, total_amount, channel, hold_expires_at", "'pending', 45, 'door', now()");
  expect(hold).toBe("orders_channel");
  const owned = await insert(
    "status, total_amount, channel, user_id",
    `'confirmed', 45, 'door', '${office.buyer}'`,
  );
  expect(owned).toBe("orders_channel");
  expect(await insert("status, total_amount, channel", "'confirmed', 45, 'comp'")).toBe(
    "orders_comp_is_free",
  );
});

it("counts comps apart from sales, and refunds neither as if it had been paid online", async () => {
  const [type] = await office.sql("select id from public.ticket_types where is_vip");
  const sell = async (channel: string, quantity: number, price: number) => {
    const order = await insert(
      "status, total_amount, channel",
      `'confirmed', ${quantity * price}, '${channel}'`,
    );
    await office.sql(
      `insert into public.order_items (order_id, position, product_id, kind, name, quantity, unit_price)
        values ($1, 1, $2, 'ticket', 'VIP', $3, $4)`,
      ...[order, type?.id, quantity, price],
    );
  };
  await sell("door", 2, 150);
  await sell("comp", 3, 0);
  const [row] = await office.as("finance", "select public.get_sales_overview() as sales");
  expect(row?.sales).toMatchObject({
    total_revenue: 345,
    total_tickets: 3,
    by_channel: [
      { channel: "online", sold: { ticket: 1 }, revenue: 45 },
      { channel: "door", sold: { ticket: 2 }, revenue: 300 },
      { channel: "comp", sold: { ticket: 3 }, revenue: 0 },
    ],
  });
  expect(row?.sales.ticket_breakdown).toContainEqual({ ticket_type: "VIP", sold: 2, comps: 3, revenue: 300 });

  const comp = await insert("status, total_amount, channel", "'confirmed', 0, 'comp'");
  await expect(office.as("finance", `select public.refund_order('${comp}')`)).rejects.toThrow(
    "Only online orders are refunded here.",
  );
});
