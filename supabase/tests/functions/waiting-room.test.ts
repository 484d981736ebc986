// The waiting room through its real functions. The tests write another process's report of the sale's pace as a row, so that
// none depends on this machine's speed.
import { randomBytes, randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { cartOf } from "../../../shop/testing/cart.ts";
import { pay } from "../../../shop/testing/carts.ts";
import { openShop } from "../../../shop/testing/open-shop.ts";
import { type Answer, openWorld, type World } from "../../../shop/testing/world.ts";

const { world, shop } = await openShop();
beforeEach(async () => {
  await world.sql("delete from public.waiting_places");
  await world.sql("delete from public.sale_pace");
  await world.sql("update public.waiting_room set opened_at = null, admitted_per_second = 0");
});

const OTHER_PROCESS = "00000000-0000-4000-8000-000000000001";

/** Reports this many orders in progress elsewhere; at 10 a second, 65 open the room. */
async function under(way: number, perSecond = 10): Promise<void> {
  await world.sql(
    `insert into public.sale_pace (process, under_way, per_second, reported_at) values ($1, $2, $3, now() + interval '1 hour')
     on conflict (process) do update set under_way = excluded.under_way, per_second = excluded.per_second`,
    OTHER_PROCESS,
    way,
    perSecond,
  );
  await world.sql("select public.visit_waiting_room('[]')");
}

const isOpen = async () => (await visit({ visitor: secret() })).body.open as boolean;

/** The room checks every 0.4 s at most; this makes the next check due. */
const letTimePass = () =>
  world.sql("update public.waiting_room set advanced_at = advanced_at - interval '1 second'");

/**
 * At 1,200 a second, 6,000 orders would open the room, which fills the sale to two thirds of that: it admits this many and no
 * more.
 */
async function letIn(count: number): Promise<void> {
  await letTimePass();
  await under(4000 - count, 1200);
  await under(1000);
}

const secret = () => randomBytes(24).toString("base64url");
const visit = (body: object, as?: string, at: World = world, ip?: string): Promise<Answer> =>
  at.call("waiting-room", { body, ...(as !== undefined && { as }), ...(ip !== undefined && { ip }) });
const order = (as: string, more: object = {}, at: World = world, key: string = randomUUID()) =>
  at.call("create-payment-intent", {
    as,
    body: { ...cartOf([shop.general, 1]), ...more },
    headers: { "idempotency-key": key },
    ip: `192.0.2.${Math.floor(Math.random() * 250)}`,
  });

/** Visits in this order and returns the answers in the same order. */
async function lineUp(...people: string[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const visitor of people) answers.push(await visit({ visitor }));
  return answers;
}

const positions = (answers: readonly Answer[]) => answers.map(({ body }) => body.position);

describe("while orders are served as they come", () => {
  it("nobody gets a place, and orders go through", async () => {
    const answer = await visit({ visitor: secret() });
    expect(answer).toMatchObject({ status: 200, body: { open: false, admitted: true, place: null } });
    expect((await order(await world.newUser())).status).toBe(200);
    expect(await world.sql("select from public.waiting_places")).toEqual([]);
  });

  it("the room opens when more orders are in progress than can be served in seconds, and closes automatically", async () => {
    await under(64);
    expect((await visit({ visitor: secret() })).body.open).toBe(false);
    await under(65);
    const waiting = secret();
    expect((await visit({ visitor: waiting })).body).toMatchObject({
      open: true,
      admitted: false,
      position: 1,
    });

    await under(0);
    await letTimePass();
    expect((await visit({ visitor: waiting })).body.admitted).toBe(true);
    await letTimePass();
    expect((await visit({ visitor: secret() })).body).toMatchObject({ open: false, admitted: true });
    expect((await order(await world.newUser())).status).toBe(200);
  });

  it("a stalled sale opens the room: earlier buyers are served, later ones wait", async () => {
    const buyers = await Promise.all(Array.from({ length: 150 }, () => world.newUser()));
    const early = await world.db.database.asService("a test stalls the sale").transaction(async (tx) => {
      await tx.query("select from public.ticket_types for update");
      const orders = buyers.slice(0, 100).map((buyer) => order(buyer));
      await expect.poll(isOpen, { timeout: 20_000 }).toBe(true);
      await under(1000);
      return { orders, late: buyers.slice(100).map((buyer) => order(buyer)) };
    });
    expect(new Set((await Promise.all(early.orders)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set((await Promise.all(early.late)).map(({ status }) => status))).toEqual(new Set([429]));
  });
});

describe("the line", () => {
  it("keeps the order of arrival, reports how many are ahead, and does not reward repeated visits", async () => {
    await under(1000);
    const [ana, ben, cem] = [secret(), secret(), secret()];
    expect(positions(await lineUp(ana, ben, cem))).toEqual([1, 2, 3]);
    for (let count = 0; count < 5; count++) await visit({ visitor: cem });
    expect(positions(await lineUp(cem, ana, ben))).toEqual([3, 1, 2]);
    const { body } = await visit({ visitor: cem });
    expect(body).toMatchObject({ open: true, ahead: 2 });
    expect(body.estimatedSeconds).toBeGreaterThan(0);
    expect(body.pollAfterSeconds).toBeGreaterThanOrEqual(2);
  });

  it("admits as many as there is room for, in order", async () => {
    await under(1000);
    const people = Array.from({ length: 5 }, secret);
    await lineUp(...people);
    await letIn(2);
    const answers = await lineUp(...people);
    expect(answers.map(({ body }) => body.admitted)).toEqual([true, true, false, false, false]);
    expect(positions(answers)).toEqual([0, 0, 1, 2, 3]);
  });

  it("skips people who have left, and keeps their places for a while", async () => {
    await under(1000);
    const [gone, here, later] = [secret(), secret(), secret()];
    await lineUp(gone, here, later);
    await world.sql(
      "update public.waiting_places set present_until = now() where number = (select min(number) from public.waiting_places)",
    );
    expect((await visit({ visitor: here })).body.position).toBe(1);
    await letIn(1);
    expect((await visit({ visitor: here })).body.admitted).toBe(true);
    expect(positions(await lineUp(later, gone, later))).toEqual([1, 1, 2]);
  });

  it("admits others in place of admitted people who do not come", async () => {
    await under(1000);
    const people = [secret(), secret()];
    await lineUp(...people);
    await letIn(1);
    expect((await lineUp(...people)).map(({ body }) => body.admitted)).toEqual([true, false]);
    await letIn(1);
    expect((await visit({ visitor: people[1]! })).body.admitted).toBe(false);
    await world.sql("update public.waiting_places set admitted_at = admitted_at - interval '3 seconds'");
    await letIn(1);
    expect((await visit({ visitor: people[1]! })).body.admitted).toBe(true);
  });

  it("advances when nothing is in progress", async () => {
    await under(1000);
    const people = [secret(), secret()];
    await lineUp(...people);
    await under(1, 0.01);
    await letTimePass();
    expect((await visit({ visitor: people[0]! })).body.admitted).toBe(true);
  });

  it("gives a visitor one place, however many requests they send at once, and refuses a flood from one address", async () => {
    await under(1000);
    const one = secret();
    const answers = await Promise.all(Array.from({ length: 20 }, () => visit({ visitor: one })));
    expect(new Set(positions(answers))).toEqual(new Set([1]));
    await world.sql("update public.shop_settings set max_orders_per_address = 3");
    const flood = await Promise.all(
      Array.from({ length: 8 }, () => visit({ visitor: secret() }, undefined, world, "203.0.113.9")),
    );
    expect(flood.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    expect((await visit({}, await world.newUser(), world, "203.0.113.9")).status).toBe(200);
    await world.sql("update public.shop_settings set max_orders_per_address = 300");
  });
});

describe("an order while the room is open", () => {
  it("is refused with a place and the time to retry, and goes through when its turn comes", async () => {
    await under(1000);
    const [first, second] = [await world.newUser(), await world.newUser()];
    const refused = await order(first);
    expect(refused).toMatchObject({
      status: 429,
      body: { error: { code: "waiting_room", details: { admitted: false, position: 1 } } },
    });
    expect((await order(second)).body.error.details.position).toBe(2);
    expect((await order(first)).body.error.details.position).toBe(1);
    await letIn(1);
    expect((await visit({}, first)).body.admitted).toBe(true);
    expect((await order(second)).body.error.details).toMatchObject({ position: 1 });
    expect((await order(first)).status).toBe(200);
  });

  it("goes through for a buyer who came earlier, repeats an order, or already holds tickets", async () => {
    const holder = await world.newUser();
    const placed = await order(holder, {}, world, "placed-before-the-rush");
    await under(1000);
    expect((await visit({ visitor: secret() })).body.open).toBe(true);
    const again = await order(holder, {}, world, "placed-before-the-rush");
    expect(again).toMatchObject({ status: 200, body: { orderId: placed.body.orderId } });
    expect((await order(holder, cartOf([shop.general, 2]))).status).toBe(200);
    // It was in the queue when the room opened.
    const early = await world.newUser();
    const carts = [early, await world.newUser()].map((user_id, index) => ({
      user_id,
      idempotency_key: `early-${user_id}`,
      request_hash: "x",
      items: [{ type: "ticket", id: shop.general.id, quantity: 1 }],
      attendees: [{ name: "Guest", email: "guest@people.test" }],
      buyer: { name: "Early", email: "early@people.test", phone: "713-555-0100" },
      total_cents: shop.general.price * 100,
      arrived_at: Date.now() + (index === 0 ? -60_000 : 0),
    }));
    const [row] = await world.sql(
      "select public.reserve_in_turn($1::jsonb) as answers",
      JSON.stringify(carts),
    );
    expect(row!.answers).toMatchObject([{ ok: true }, { ok: false, code: "waiting_room" }]);
  });

  it("spends the place once, with the reservation and not with a refusal", async () => {
    await under(1000);
    const user = await world.newUser();
    const place = (await visit({}, user)).body.place;
    await lineUp(secret());
    await letIn(1);
    expect((await visit({ place }, user)).body.admitted).toBe(true);
    await under(1000);
    expect((await order(user, { place, totalAmount: 1 })).body.error.code).toBe("price_changed");
    const bought = await order(user, { place });
    expect(bought.status).toBe(200);
    await pay(world, bought.body);
    await world.webhook(
      "payment_intent.succeeded",
      await world.stripe.paymentIntents.retrieve(bought.body.paymentIntentId),
    );
    const replayed = await order(user, { place });
    expect(replayed).toMatchObject({
      status: 410,
      body: { error: { code: "place_gone", details: { reason: "used" } } },
    });
    expect((await order(user)).body.error.code).toBe("waiting_room");
  });
});

describe("a place", () => {
  it("becomes the account's when a visitor signs in, and admits only that account", async () => {
    await under(1000);
    const visitor = secret();
    const { place } = (await visit({ visitor })).body;
    await lineUp(secret());
    const [user, thief] = [await world.newUser(), await world.newUser()];
    await letIn(1);
    expect((await visit({ visitor, place })).body.admitted).toBe(true);
    expect(await order(thief, { place })).toMatchObject({
      status: 403,
      body: { error: { code: "invalid_place" } },
    });
    // Both order directly, without another visit.
    const both = await Promise.all([order(user, { place, visitor }), order(thief, { place, visitor })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 410]);
  });

  it("cannot be used by another account or without the visitor's secret", async () => {
    await under(1000);
    const [owner, other] = [await world.newUser(), await world.newUser()];
    const owned = (await visit({}, owner)).body.place;
    for (const shown of [
      await visit({ place: owned }, other),
      await visit({ place: owned, visitor: secret() }),
      await order(other, { place: owned }),
      await visit({ place: (await visit({ visitor: secret() })).body.place, visitor: secret() }),
    ]) {
      expect(shown).toMatchObject({ status: 403, body: { error: { code: "invalid_place" } } });
    }
    expect((await visit({ place: owned }, owner)).body.position).toBe(1);
  });

  it("is the better of two when a visitor signs in to an account that is already waiting", async () => {
    await under(1000);
    const user = await world.newUser();
    const visitor = secret();
    const early = (await visit({ visitor })).body;
    await visit({}, user);
    await lineUp(secret());
    expect((await visit({ visitor, place: early.place }, user)).body.position).toBe(1);
    expect(await world.sql("select from public.waiting_places")).toHaveLength(2);
    // A worse one is dropped in favor of the account's own.
    const other = secret();
    const late = (await visit({ visitor: other })).body;
    expect(late.position).toBe(3);
    expect((await visit({ visitor: other, place: late.place }, user)).body.position).toBe(1);
    expect(await world.sql("select from public.waiting_places")).toHaveLength(2);
  });

  it("is refused if forged or expired, even while nobody waits", async () => {
    const visitor = secret();
    await under(1000);
    const { place } = (await visit({ visitor })).body as { place: string };
    const [id, bound, expires, signature] = place.split(".") as [string, string, string, string];
    const forged = [
      [randomUUID(), bound, expires, signature],
      [id, `u:${randomUUID()}`, expires, signature],
      [id, bound, String(Number(expires) + 3600), signature],
      [id, bound, expires, signature.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))],
      ["nonsense"],
    ];
    for (const parts of forged) {
      const answer = await visit({ visitor, place: parts.join(".") });
      expect(answer).toMatchObject({ status: 403, body: { error: { code: "invalid_place" } } });
    }
    await world.sql("update public.waiting_places set kept_until = now()");
    expect(await visit({ visitor, place })).toMatchObject({
      status: 410,
      body: { error: { code: "place_gone", details: { reason: "expired" } } },
    });
    expect((await visit({ visitor })).body.position).toBe(1);
  });

  it("needs a long enough secret, or an account", async () => {
    expect((await visit({})).status).toBe(400);
    expect((await visit({ visitor: "short" })).status).toBe(400);
  });
});

describe("two servers on one database", () => {
  it("share one line and one admission", async () => {
    const other = await openWorld({ beside: world });
    try {
      await under(1000);
      const [ana, ben] = [secret(), secret()];
      expect((await visit({ visitor: ana })).body.position).toBe(1);
      expect((await visit({ visitor: ben }, undefined, other)).body.position).toBe(2);
      const { place } = (await visit({ visitor: ana }, undefined, other)).body;
      expect((await visit({ visitor: ana, place })).body.position).toBe(1);
      // The other server is not busy itself, but still sends buyers to the room.
      expect((await order(await world.newUser(), {}, other)).body.error.details.position).toBe(3);
      const crowd = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          visit({ visitor: secret() }, undefined, index % 2 ? world : other),
        ),
      );
      const given = positions(crowd).sort((a, b) => a - b);
      expect(given).toEqual(Array.from({ length: 60 }, (_, index) => index + 4));
    } finally {
      await other.close();
    }
  });
});
