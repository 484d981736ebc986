// A token briefly outlives its deleted account. Its bearer is asked to sign in, and nobody else is affected.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();
const cart = cartOf([shop.general, 1]);

const GONE = { status: 401, body: { error: { code: "unauthorized" } } };

test("ordering asks them to sign in again", async () => {
  const honest = await world.newUser();
  const [gone, kept] = await Promise.all(
    [randomUUID(), honest].map((as) => world.call("create-payment-intent", { as, body: cart })),
  );
  expect(gone).toMatchObject(GONE);
  expect(kept!.status).toBe(200);
});

test("so does waiting in line, and others who visit at the same moment get their places", async () => {
  // Another process reports more orders than it can serve, so the room opens.
  await world.sql(
    "insert into public.sale_pace (process, under_way, per_second, reported_at) values ($1, 5000, 10, now() + interval '1 hour')",
    randomUUID(),
  );
  await world.sql("select public.visit_waiting_room('[]')");
  const honest = await Promise.all(Array.from({ length: 96 }, () => world.newUser()));
  const visit = (as: string) => world.call("waiting-room", { as, body: {} });
  const [gone, ...answers] = await Promise.all([randomUUID(), ...honest].map(visit));
  expect(gone).toMatchObject(GONE);
  expect(answers.filter(({ status, body }) => status === 200 && body.open === true)).toHaveLength(96);
});
