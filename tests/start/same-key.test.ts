// One cart, sent a hundred times at once over HTTP, becomes one order and one payment.
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cartOf, type CatalogItem, GENERAL_ADMISSION } from "../../shop/testing/cart.ts";
import { createApi } from "../crash/api.ts";
import { type Festival, removeFolder, startFestival } from "../support/server/festival.ts";
import { preparedFolder } from "../support/server/prepared-data.ts";

let festival: Festival;
let database: Client;
beforeAll(async () => {
  festival = await startFestival({ dataDir: preparedFolder() });
  database = new Client({ connectionString: festival.status.DB_URL });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await festival?.stop();
  if (festival) removeFolder(festival.dataDir);
});

const hundred = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: 100 }, ask));

it("the same key a hundred times at once, from the order to the tickets", { timeout: 120_000 }, async () => {
  const api = createApi(() => festival.status, { reached() {} });
  const account = { email: "eager@people.test", password: "a hundred clicks" };
  expect((await api.addAccount(account)).status).toBe(200);
  const buyer = api.person(account);
  const { rows: items } = await database.query<CatalogItem>(GENERAL_ADMISSION);
  const cart = cartOf([items[0]!, 2]);
  // Signs in.
  expect((await buyer.rpc("is_admin", {})).body).toBe(false);

  const placed = await hundred(() => buyer.call("create-payment-intent", cart, "one-and-only-key"));
  expect(new Set(placed.map(({ status }) => status))).toEqual(new Set([200]));
  const intents = new Set(placed.map(({ body }) => body.paymentIntentId as string));
  expect(intents.size).toBe(1);

  const [paymentIntentId] = [...intents];
  const form = { client_secret: placed[0]!.body.clientSecret, payment_method: "pm_card_visa" };
  const paid = await hundred(() => buyer.provider(`payment_intents/${paymentIntentId}/confirm`, form));
  expect(paid.filter(({ status }) => status === 200)).toHaveLength(1);
  const asked = await hundred(() => buyer.call("process-payment", { paymentIntentId }));
  expect(asked.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);

  const { rows } = await database.query(
    `select (select count(*)::int from public.orders) as orders,
       (select count(*)::int from payments_sandbox.objects where kind = 'payment_intent') as intents,
       (select count(*)::int from payments_sandbox.objects where kind = 'charge') as charges,
       (select count(*)::int from public.payments) as payments,
       (select count(*)::int from public.tickets) as tickets,
       (select sum(held)::int from public.ticket_types) as held,
       (select sum(sold)::int from public.ticket_types) as sold`,
  );
  expect(rows).toEqual([{ orders: 1, intents: 1, charges: 1, payments: 1, tickets: 2, held: 0, sold: 2 }]);
});
