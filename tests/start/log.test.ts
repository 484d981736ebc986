// What an operator finds in the log when a buyer says that a payment failed.
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createApi } from "../crash/api.ts";
import { cartOf, type CatalogItem, GENERAL_ADMISSION } from "../../shop/testing/cart.ts";
import { type Festival, removeFolder, startFestival } from "../support/server/festival.ts";
import { preparedFolder } from "../support/server/prepared-data.ts";

let festival: Festival;
beforeAll(async () => {
  festival = await startFestival({ dataDir: preparedFolder() });
});
afterAll(async () => {
  await festival.stop();
  removeFolder(festival.dataDir);
});

it("names the order and the reason of a declined card, with the time", async () => {
  const api = createApi(() => festival.status, { reached() {} });
  const account = { email: "declined@people.test", password: "swangas and vogues" };
  await api.addAccount(account);
  const client = new Client({ connectionString: festival.status.DB_URL });
  await client.connect();
  const { rows } = await client.query<CatalogItem>(GENERAL_ADMISSION);
  await client.end();
  const person = api.person(account);
  const placed = await person.call("create-payment-intent", cartOf([rows[0]!, 1]), "a-declined-order");
  const { paymentIntentId, clientSecret, orderId } = placed.body as Record<string, string>;
  const form = { client_secret: clientSecret!, payment_method: "pm_card_chargeDeclined" };
  await person.provider(`payment_intents/${paymentIntentId}/confirm`, form);
  const lines = () =>
    festival
      .output()
      .split("\n")
      .filter((line) => line.includes("a payment failed"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  await expect.poll(lines).toEqual([
    expect.objectContaining({
      orderId,
      paymentIntentId,
      code: "card_declined",
      time: expect.stringMatching(/Z$/),
    }),
  ]);
});
