import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../../server/testing/database.ts";
import { systemClock } from "../../../server/src/platform/clock.ts";
import { createLog } from "../../../server/src/platform/log.ts";
import { createPaymentsSandbox } from "../index.ts";
import {
  openSandbox,
  openWebhookReceiver,
  PUBLISHABLE_KEY,
  SECRET_KEY,
  type WebhookReceiver,
  until,
} from "../../testing/sandbox.ts";

let db: TestDatabase;
let shop: WebhookReceiver;

beforeAll(async () => {
  db = await cloneDatabase();
});
beforeEach(async () => {
  shop = await openWebhookReceiver();
});
afterEach(() => shop.close());
afterAll(() => db?.close());

const payment = { amount: 500, currency: "usd", confirm: true, payment_method: "pm_card_visa" };

test("delivers until the shop answers 2xx, and then stops", async () => {
  const running = await openSandbox(db.database, shop.url);
  shop.answers.push(500, 404);
  const intent = await running.stripe.paymentIntents.create(payment);
  const event = await until(() => shop.events[0]);
  expect(event.data.object).toMatchObject({ id: intent.id, status: "succeeded" });
  const { rows } = await until(async () => {
    const found = await deliveryOf(event.id);
    return found.rows[0]!.delivered_at !== null && found;
  });
  expect(rows[0]).toMatchObject({ attempts: 3, next_attempt_at: null });
  expect(await running.stripe.events.retrieve(event.id)).toMatchObject({ type: "payment_intent.succeeded" });
  const listed = await running.stripe.events.list({ type: "payment_intent.succeeded" });
  expect(listed.data.map(({ id }) => id)).toContain(event.id);
  await running.close();
  expect(shop.events).toHaveLength(1);
});

test("the next sandbox takes over the webhooks and late payments of one that died", async () => {
  const dead = await openSandbox(db.database, shop.url, { start: false, lateSeconds: 0.05 });
  const paid = await dead.stripe.paymentIntents.create(payment);
  const late = await dead.stripe.paymentIntents.create({
    ...payment,
    payment_method: "pm_card_bypassPending",
  });
  expect(late.status).toBe("processing");
  await dead.close();

  const next = await openSandbox(db.database, shop.url);
  const succeeded = await until(() => {
    const ids = shop.events
      .filter((event) => event.type === "payment_intent.succeeded")
      .map((event) => (event.data.object as { id: string }).id);
    return ids.length >= 2 && ids;
  });
  expect(succeeded.toSorted()).toEqual([paid.id, late.id].toSorted());
  await next.close();
});

test("two processes deliver each event once", async () => {
  const both = await Promise.all([openSandbox(db.database, shop.url), openSandbox(db.database, shop.url)]);
  await Promise.all(
    Array.from({ length: 20 }, (_, turn) => both[turn % 2]!.stripe.paymentIntents.create(payment)),
  );
  await until(() => shop.events.length >= 20);
  await Promise.all(both.map((running) => running.close()));
  expect(new Set(shop.events.map((event) => event.id)).size).toBe(20);
  expect(shop.events).toHaveLength(20);
});

test("refuses keys that are not marked as sandbox keys", () => {
  const deps = {
    database: db.database,
    log: createLog("silent"),
    clock: systemClock,
    webhook: { url: shop.url, secret: "whsec" },
    secretKey: SECRET_KEY,
    publishableKey: PUBLISHABLE_KEY,
  };
  expect(() => createPaymentsSandbox({ ...deps, secretKey: "sk_live_1" })).toThrow(/sandbox/);
  expect(() => createPaymentsSandbox({ ...deps, publishableKey: "pk_test_1" })).toThrow(/sandbox/);
});

const deliveryOf = (eventId: string) =>
  db.database
    .asService("a test looks at a delivery")
    .query("select * from payments_sandbox.deliveries where event_id = $1", [eventId]);
