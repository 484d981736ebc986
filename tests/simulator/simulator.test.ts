import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { openSimulator, type Simulator } from "./run.ts";

let db: TestDatabase;
let simulator: Simulator;
beforeAll(async () => {
  db = await cloneDatabase();
  simulator = await openSimulator(db.url);
});
afterAll(async () => {
  await simulator?.close();
  await db?.close();
});

describe("64 buyers, a payment provider and crashes, interleaved", () => {
  const seeds = Array.from({ length: 4 }, (_, index) => index * 1000);
  it.each(seeds)("sell exactly the stock there is, from seed %i on", { timeout: 120_000 }, async (from) => {
    for (let seed = from; seed < from + 5; seed++)
      expect(await simulator.run(seed), `seed ${seed}`).toEqual([]);
  });
});

describe("the books' check", () => {
  it.each([
    [
      "a ticket type's stock",
      "update public.ticket_types set held = held + 1, sold = sold - 1 where name ilike '%vip%'",
    ],
    ["a unit that vanished", "update public.ticket_types set sold = sold - 1 where name ilike '%general%'"],
    [
      "a ticket too few",
      "delete from public.tickets where id = (select min(id::text)::uuid from public.tickets where voided_at is null)",
    ],
    [
      "a total",
      "update public.orders set total_amount = total_amount + 1 where id = (select min(id::text)::uuid from public.orders)",
    ],
    [
      "a payment that is not there",
      "update public.payments set order_id = (select min(id::text)::uuid from public.orders where status = 'cancelled') where status = 'succeeded'",
    ],
    [
      "a mail that is not there",
      "delete from public.outbox where id = (select min(id) from public.outbox where kind = 'order_mail')",
    ],
    [
      "work that is dead",
      "update public.outbox set dead_at = now(), done_at = null where kind = 'order_mail'",
    ],
  ])("notices %s", async (_title, sql) => {
    expect(await simulator.mutate("select 1")).toEqual([]);
    expect(await simulator.mutate(sql)).not.toEqual([]);
  });
});
