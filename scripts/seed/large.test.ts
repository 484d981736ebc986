import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ServiceDatabase } from "../../server/src/postgres/executor.ts";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { seedLarge } from "./large.ts";

let db: TestDatabase;
let service: ServiceDatabase;
let indexesBefore: unknown;

const INDEXES = `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition, indisvalid as valid,
    (select count(*) from pg_constraint where conindid = indexrelid) as constraints
  from pg_index where indrelid in (select oid from pg_class where relnamespace in ('public'::regnamespace, 'auth'::regnamespace))
  order by 1`;
const rowsOf = async (sql: string) => (await service.query(sql)).rows;

beforeAll(async () => {
  db = await cloneDatabase();
  service = db.database.asService("the test looks at what was written");
  indexesBefore = await rowsOf(INDEXES);
  await seedLarge(db.database, { tickets: 500, visits: 1003, scans: 300 });
});
afterAll(() => db.close());

describe("the large seed", () => {
  it("writes the requested amounts, and may be run again on top", async () => {
    const counted = () => rowsOf("select (select count(*) from public.site_visits)::integer as visits");
    expect(await counted()).toEqual([{ visits: 1003 }]);
    expect(await rowsOf("select count(*) between 495 and 505 as about from public.tickets")).toEqual([
      { about: true },
    ]);
    await seedLarge(db.database, { tickets: 10, visits: 7, scans: 0 });
    expect(await counted()).toEqual([{ visits: 1010 }]);
  });

  it("leaves every index and constraint as it was", async () => {
    expect(await rowsOf(INDEXES)).toEqual(indexesBefore);
  });

  it("leaves stock, money and tickets that add up", async () => {
    const wrong = await rowsOf(
      `select name from public.ticket_types t
        where sold <> (select count(*) from public.tickets where ticket_type_id = t.id)
          or current_inventory + held + sold <> total_inventory
       union all select type_name from public.parking_passes p
        where sold <> (select count(*) from public.entry_codes where product_id = p.id)
          or current_inventory + held + sold <> total_inventory
       union all select id::text from public.orders o
        where total_amount <> (select sum(quantity * unit_price) from public.order_items where order_id = o.id)
          or total_amount <> (select sum(amount) from public.payments where order_id = o.id)`,
    );
    expect(wrong).toEqual([]);
  });

  it("admits about as many codes as requested, on twenty phones, and completes orders that are fully in", async () => {
    const [row] = await rowsOf(
      `select (select count(*) between 240 and 360 from public.admissions where conflicts_with is null) as about,
        (select count(distinct device_id) from public.admissions)::integer as phones,
        (select count(*) from public.tickets t full join (
            select * from public.admissions where code_id in (select id from public.tickets) and conflicts_with is null) as a
          on a.code_id = t.id and a.admitted_at = t.checked_in_at
          where (t.checked_in_at is null) <> (a.id is null))::integer as wrong,
        (select count(*) from public.orders o where (o.status = 'completed') <>
          (select bool_and(checked_in_at is not null) from public.tickets where order_id = o.id))::integer as unfinished`,
    );
    expect(row).toEqual({ about: true, phones: 20, wrong: 0, unfinished: 0 });
  });

  it("has the sales and the search words of its orders", async () => {
    const [row] = await rowsOf(
      `select (select sum(sold) from public.sales_totals()) = (select count(*) from public.entry_codes) as units,
        (select sum(revenue) from public.sales_totals()) = (select sum(total_amount) from public.orders) as money,
        (select count(*) from public.order_words)
          = (select count(*) from public.orders where buyer_full_name = 'Seeded Buyer') as words`,
    );
    expect(row).toEqual({ units: true, money: true, words: true });
  });
});
