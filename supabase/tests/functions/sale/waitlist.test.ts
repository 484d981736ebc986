// The waitlist: who is offered what becomes available, in which order, and that nobody jumps the line.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { letHoldRunOut, pay, place, type Placed, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();
const general = shop.general.id;

const as = async (user: string, statement: string, ...values: unknown[]) =>
  world.db.database.transaction(
    { claims: { role: "authenticated", sub: user }, headers: {} },
    async (tx) => (await tx.query(statement, values)).rows as Record<string, any>[],
  );
const join = (user: string, quantity = 1, type = general) =>
  as(user, "select public.join_waitlist($1, $2) as id", type, quantity).then(
    ([row]) => row!.id as string,
    (error: Error) => error.message,
  );
/** As the gateway passes it on. */
const joinFrom = async (address: string, user: string) => {
  const from = { claims: { role: "authenticated", sub: user }, headers: { "x-forwarded-for": address } };
  return world.db.database
    .transaction(from, (tx) => tx.query("select public.join_waitlist($1, 1) as id", [general]))
    .then(
      () => "joined",
      ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
    );
};
const mine = async (user: string) => (await as(user, "select public.my_waitlist() as places"))[0]!.places;
const leave = (user: string, id: string) => as(user, "select public.leave_waitlist($1)", id);
const jobs = () => world.call("expire-holds", { as: "service" });
const order = (user: string, quantity = 1) =>
  world.call("create-payment-intent", { as: user, body: cartOf([shop.general, quantity]) });
const process = (user: string, { paymentIntentId }: Placed) =>
  world.call("process-payment", { as: user, body: { paymentIntentId } });
const stock = async () =>
  (
    await world.sql(
      "select current_inventory as available, held, sold, waiting, offered from public.ticket_types where id = $1",
      general,
    )
  )[0];
const endOffers = () =>
  world.sql(
    "update public.waitlist_entries set offer_expires_at = now() - interval '1 s' where state = 'offered'",
  );

/** Sells everything except this many units. */
async function leaveUnits(available: number, type = general): Promise<void> {
  await world.sql(
    "update public.ticket_types set current_inventory = $2, total_inventory = $2 + sold + held where id = $1",
    type,
    available,
  );
}

async function leaveParking(available: number): Promise<void> {
  await world.sql(
    "update public.parking_passes set current_inventory = $2, total_inventory = $2 + sold + held where id = $1",
    shop.parking.id,
    available,
  );
}

/** Of two people who wait, the first takes the only unit to payment. */
async function claim() {
  const [user, next] = [await world.newUser(), await world.newUser()];
  await join(user);
  await join(next);
  await leaveUnits(1);
  await jobs();
  return { user, next, placed: await place(world, user, cartOf([shop.general, 1])) };
}

/** The place expires there. */
async function claimExpired() {
  const claimed = await claim();
  await world.sql(
    "update public.waitlist_entries set offer_expires_at = now() - interval '1 s' where state = 'claimed'",
  );
  return claimed;
}

beforeEach(async () => {
  await world.sql(
    "update public.waitlist_entries set state = 'left', offered = 0 where state in ('waiting', 'offered')",
  );
  await world.sql(
    "select public.cancel_pending_orders(array(select id from public.orders where status = 'pending'), 'abandoned')",
  );
  await world.sql("update public.waitlist_entries set state = 'left', offered = 0 where state = 'offered'");
  await world.sql(
    "update public.shop_settings set max_orders_per_address = 100000, waitlist_offer_duration = '12 hours'",
  );
  await leaveUnits(0);
  await world.functions.invoke("drain-outbox");
  world.mails.length = 0;
});

describe("joining", () => {
  it("is for sold-out types, once per type, and within a buyer's limit", async () => {
    const user = await world.newUser();
    await leaveUnits(1);
    expect(await join(user)).toBe("Tickets are available. You can buy them now.");
    await leaveUnits(0);
    expect(await join(user, 11)).toBe("You can join the waitlist for 1 to 10 tickets.");
    expect(await join(user, 0)).toBe("You can join the waitlist for 1 to 10 tickets.");
    expect(await join(user, 2)).toMatch(/^[0-9a-f-]{36}$/);
    expect(await join(user, 2)).toBe("You are already on this waitlist.");
    expect(await stock()).toMatchObject({ waiting: 2, offered: 0 });
  });

  it("shows an honest position, which moves when somebody ahead leaves", async () => {
    const users = await Promise.all([world.newUser(), world.newUser(), world.newUser()]);
    const ids: string[] = [];
    for (const user of users) ids.push(await join(user));
    expect((await mine(users[2]))[0]).toMatchObject({ state: "waiting", ahead: 2 });
    await leave(users[0], ids[0]!);
    expect((await mine(users[2]))[0]).toMatchObject({ state: "waiting", ahead: 1 });
    expect(await stock()).toMatchObject({ waiting: 2 });
    await expect(leave(users[0], ids[1]!)).rejects.toThrow("You are not on this waitlist.");
  });
});

it("offers one returned ticket only to the first of five hundred entries, with one mail", async () => {
  const users = await Promise.all(Array.from({ length: 500 }, () => world.newUser()));
  await world.sql(
    "insert into public.waitlist_entries (ticket_type_id, user_id, quantity) select $1, u, 1 from unnest($2::uuid[]) as u",
    general,
    users,
  );
  await leaveUnits(1);
  // Nobody jumps the line, not even before it moves.
  expect(await order(await world.newUser())).toMatchObject({
    status: 409,
    body: { error: { code: "insufficient_stock", details: { items: [{ available: 0 }] } } },
  });
  await Promise.all([jobs(), jobs(), jobs()]);
  await world.functions.invoke("drain-outbox");
  const offers = world.mails.filter(({ subject }) => subject.startsWith("Your turn"));
  expect(offers.map(({ to }) => to)).toEqual([`${users[0]}@people.test`]);
  expect(offers[0]!.text).toContain("1\u00A0×\u00A0General Admission is held for you until");
  expect(await stock()).toMatchObject({ available: 0, waiting: 499, offered: 1 });
  expect(await order(users[1]!)).toMatchObject({ status: 409 });
  await endOffers();
  await jobs();
  expect((await mine(users[0]!))[0]).toMatchObject({ state: "expired" });
  expect((await mine(users[1]!))[0]).toMatchObject({ state: "offered", offered: 1 });
});

describe("a place", () => {
  it("is bought by its owner only, and is then theirs for good", async () => {
    const user = await world.newUser();
    await join(user, 2);
    await leaveUnits(2);
    await jobs();
    expect(await order(await world.newUser(), 1)).toMatchObject({ status: 409 });
    const placed = await place(world, user, cartOf([shop.general, 2]));
    expect((await mine(user))[0]).toMatchObject({ state: "claimed", offered: 2 });
    const before = await stock();
    await pay(world, placed);
    expect(await process(user, placed)).toMatchObject({ body: { status: "confirmed" } });
    expect(await mine(user)).toEqual([]);
    expect(await stock()).toMatchObject({ offered: 0, waiting: 0, sold: before!.sold + 2 });
  });

  it("returns to its owner when the checkout is left, and is kept through a changed cart", async () => {
    const user = await world.newUser();
    await join(user, 2);
    await leaveUnits(2);
    await jobs();
    const first = await place(world, user, cartOf([shop.general, 2]));
    const second = await place(world, user, cartOf([shop.general, 2], [shop.parking, 1]));
    expect(await statusOf(world, first.orderId)).toBe("cancelled");
    expect((await mine(user))[0]).toMatchObject({ state: "claimed" });
    await letHoldRunOut(world, second.orderId);
    await jobs();
    expect((await mine(user))[0]).toMatchObject({ state: "offered", offered: 2 });
    expect(await order(await world.newUser())).toMatchObject({ status: 409 });
    await place(world, user, cartOf([shop.general, 1]));
    // The unused part goes to the next entry.
    expect(await stock()).toMatchObject({ offered: 0, available: 1 });
  });

  it("that expires during payment is simply paid: the order holds the stock", async () => {
    const { user, next, placed } = await claimExpired();
    await jobs();
    expect((await mine(next))[0]).toMatchObject({ state: "waiting", ahead: 0 });
    await pay(world, placed);
    expect(await process(user, placed)).toMatchObject({ body: { status: "confirmed" } });
  });

  it("is lost when both the hold and the place have expired: a late payment is returned, and the next entry gets the offer", async () => {
    const { user, next, placed } = await claimExpired();
    await world.sql("select public.cancel_pending_orders(array[$1::uuid], 'hold_expired')", placed.orderId);
    await pay(world, placed);
    expect(await process(user, placed)).toMatchObject({
      body: { status: "refund_queued", reason: "sold_out" },
    });
    await jobs();
    expect((await mine(next))[0]).toMatchObject({ state: "offered" });
  });

  it("still serves a late payment until it expires itself", async () => {
    const { user, next, placed } = await claim();
    await world.sql("select public.cancel_pending_orders(array[$1::uuid], 'hold_expired')", placed.orderId);
    expect((await mine(user))[0]).toMatchObject({ state: "offered" });
    await pay(world, placed);
    expect(await process(user, placed)).toMatchObject({ body: { status: "confirmed" } });
    expect((await mine(next))[0]).toMatchObject({ state: "waiting" });
  });

  it("for fewer units than requested leaves its owner first in line for the rest", async () => {
    const [family, next] = [await world.newUser(), await world.newUser()];
    await join(family, 4);
    await join(next);
    await leaveUnits(1);
    await jobs();
    expect((await mine(family))[0]).toMatchObject({ state: "offered", offered: 1, quantity: 4 });
    const placed = await place(world, family, cartOf([shop.general, 1]));
    await pay(world, placed);
    await process(family, placed);
    expect((await mine(family))[0]).toMatchObject({ state: "waiting", quantity: 3, ahead: 0 });
    expect((await mine(next))[0]).toMatchObject({ ahead: 1 });
  });

  it("goes to the next entry when released, which is impossible within an unpaid order", async () => {
    const [user, next] = [await world.newUser(), await world.newUser()];
    const id = await join(user);
    await join(next);
    await leaveUnits(1);
    await jobs();
    await place(world, user, cartOf([shop.general, 1]));
    await expect(leave(user, id)).rejects.toThrow("in an unpaid order");
    await world.sql(
      "select public.cancel_pending_orders(array(select id from public.orders where user_id = $1 and status = 'pending'), 'abandoned')",
      user,
    );
    await leave(user, id);
    await jobs();
    expect((await mine(next))[0]).toMatchObject({ state: "offered" });
  });
});

it("takes what a refund returns first, and leaves the rest to everybody", async () => {
  await leaveUnits(2);
  const buyer = await world.newUser();
  const placed = await place(world, buyer, cartOf([shop.general, 2]));
  await pay(world, placed);
  await process(buyer, placed);
  const user = await world.newUser();
  await join(user);
  await world.sql("select public.take_back($1, null, null)", placed.orderId);
  const stranger = await world.newUser();
  expect(await order(stranger, 2)).toMatchObject({
    body: { error: { code: "insufficient_stock", details: { items: [{ available: 1 }] } } },
  });
  expect(await order(stranger, 1)).toMatchObject({ status: 200 });
  await jobs();
  expect((await mine(user))[0]).toMatchObject({ state: "offered" });
});

it("is not offered while the sale is stopped, and is returned by a deleted account", async () => {
  const user = await world.newUser();
  await join(user);
  await leaveUnits(1);
  await world.sql("update public.shop_settings set on_sale = false");
  await jobs();
  expect((await mine(user))[0]).toMatchObject({ state: "waiting" });
  await world.sql("update public.shop_settings set on_sale = true");
  await jobs();
  expect(await stock()).toMatchObject({ available: 0, offered: 1 });
  await world.sql("delete from auth.users where id = $1", user);
  expect(await stock()).toMatchObject({ available: 1, offered: 0, waiting: 0 });
});

it("an administrator offers a place out of turn, and the audit log records it", async () => {
  const admin = await world.newUser();
  await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);
  const [first, second] = [await world.newUser(), await world.newUser()];
  await join(first);
  const id = await join(second);
  const offer = () => as(admin, "select public.offer_place($1)", id);
  await expect(offer()).rejects.toThrow("No tickets are available");
  await leaveUnits(1);
  await offer();
  await expect(offer()).rejects.toThrow("no longer on the waitlist");
  expect((await mine(second))[0]).toMatchObject({ state: "offered" });
  const [list] = await as(admin, "select public.list_waitlist() as answer");
  expect(list!.answer.lines).toEqual([
    { name: "General Admission", people: 1, waiting: 1, offered: 1, available: 0 },
  ]);
  const logged = await world.sql("select new_values from public.audit_logs where record_id = $1", id);
  expect(logged).toMatchObject([{ new_values: { out_of_turn: true } }]);
});

describe("a place that could not be bought", () => {
  const offeredTo = async (users: readonly string[]) =>
    (await Promise.all(users.map(mine))).map(([place]) => place.state as string);

  it("is refused to an administrator too, who reads why", async () => {
    const admin = await world.newUser();
    await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);
    await leaveUnits(0, shop.vip.id);
    const [one, two] = [await world.newUser(), await world.newUser()];
    const [id, vip] = [await join(one), await join(two, 1, shop.vip.id)];
    await leaveUnits(1);
    await leaveUnits(1, shop.vip.id);
    const offer = (entry = id) =>
      as(admin, "select public.offer_place($1)", entry).then(
        () => "offered",
        (error: Error) => error.message,
      );
    const types = (change: string) =>
      world.sql(`update public.ticket_types set ${change} where id = $1`, general);
    await world.sql("update public.shop_settings set on_sale = false");
    expect(await offer()).toBe("Sales are not open, so this place could not be used.");
    await world.sql("update public.shop_settings set on_sale = true");
    await types("is_hidden = true");
    expect(await offer()).toBe("General Admission is not on sale, so this place could not be used.");
    await types("is_hidden = false, sale_closes_at = now() - interval '1 s'");
    expect(await offer()).toBe("General Admission is not on sale, so this place could not be used.");
    await types("sale_closes_at = null");
    await leaveParking(0);
    expect(await offer(vip)).toMatch(/^No parking is left for VIP, so this place could not be used/);
    expect(await offeredTo([one, two])).toEqual(["waiting", "waiting"]);
    await leaveParking(1);
    expect([await offer(), await offer(vip)]).toEqual(["offered", "offered"]);
  });

  it("is not offered: VIP only to as many people as there is parking for", async () => {
    await leaveUnits(0, shop.vip.id);
    const users = [await world.newUser(), await world.newUser(), await world.newUser()] as const;
    for (const user of users) await join(user, 1, shop.vip.id);
    await leaveUnits(3, shop.vip.id);
    await leaveParking(1);
    await jobs();
    expect(await offeredTo(users)).toEqual(["offered", "waiting", "waiting"]);
    await place(world, users[0], cartOf([shop.vip, 1]));
    await jobs();
    expect(await offeredTo(users), "the order took the parking").toEqual(["claimed", "waiting", "waiting"]);
    await leaveParking(2);
    await jobs();
    expect(await offeredTo(users)).toEqual(["claimed", "offered", "offered"]);
    await leaveParking(1000);
  });

  it("is offered to whoever waits longest among the VIP types that share the parking", async () => {
    const [more] = await world.sql<{ id: string }>(
      `insert into public.ticket_types (id, name, price, total_inventory, current_inventory)
       values ('00000000-0000-4000-8000-000000000001', 'VIP Lounge', 200, 0, 0) returning id`,
    );
    await leaveUnits(0, shop.vip.id);
    const users = [await world.newUser(), await world.newUser(), await world.newUser()] as const;
    await join(users[0], 1, more!.id);
    await join(users[1], 1, shop.vip.id);
    await join(users[2], 1, more!.id);
    for (const type of [shop.vip.id, more!.id]) await leaveUnits(3, type);
    await leaveParking(1);
    await jobs();
    expect(await offeredTo(users)).toEqual(["offered", "waiting", "waiting"]);
    await endOffers();
    await jobs();
    expect(await offeredTo(users)).toEqual(["expired", "offered", "waiting"]);
    await leaveParking(1000);
  });
});

describe("a place of VIP", () => {
  const parking = async () =>
    (
      await world.sql<{ available: number; offered: number }>(
        "select current_inventory as available, offered from public.products where id = $1",
        shop.parking.id,
      )
    )[0];
  const orderVip = (user: string) =>
    world.call("create-payment-intent", { as: user, body: cartOf([shop.vip, 1]) });
  /** What a stranger takes: a ticket of another type, with parking. */
  const orderParking = async () =>
    world.call("create-payment-intent", {
      as: await world.newUser(),
      body: cartOf([shop.general, 1], [shop.parking, 1]),
    });
  /** One place, while one unit of each is left. */
  async function offered() {
    await leaveUnits(0, shop.vip.id);
    await leaveParking(0);
    const user = await world.newUser();
    const id = await join(user, 1, shop.vip.id);
    await leaveUnits(1, shop.vip.id);
    await leaveUnits(5);
    await leaveParking(1);
    await jobs();
    expect((await mine(user))[0]).toMatchObject({ id, state: "offered" });
    return { user, id };
  }
  afterEach(() => leaveParking(1000));

  it("holds the parking that comes with it, which nobody else can take", async () => {
    const { user } = await offered();
    expect(await orderParking()).toMatchObject({
      status: 409,
      body: { error: { code: "insufficient_stock" } },
    });
    const placed = await place(world, user, cartOf([shop.vip, 1]));
    await pay(world, placed);
    expect(await process(user, placed)).toMatchObject({ body: { status: "confirmed" } });
    expect(await parking()).toEqual({ available: 0, offered: 0 });
    expect(await mine(user)).toEqual([]);
  });

  it("holds it again after an unpaid order, also for a late payment", async () => {
    const { user } = await offered();
    const first = await place(world, user, cartOf([shop.vip, 1]));
    const second = await place(world, user, cartOf([shop.vip, 1], [shop.general, 1]));
    expect(await statusOf(world, first.orderId)).toBe("cancelled");
    await world.sql("select public.cancel_pending_orders(array[$1::uuid], 'hold_expired')", second.orderId);
    expect(await parking()).toEqual({ available: 0, offered: 1 });
    expect(await orderParking()).toMatchObject({ status: 409 });
    await pay(world, second);
    expect(await process(user, second)).toMatchObject({ body: { status: "confirmed" } });
  });

  it("lets its owner spend the parking on another ticket, and then has none", async () => {
    const { user } = await offered();
    await place(world, user, cartOf([shop.vip, 1]));
    const other = await place(world, user, cartOf([shop.general, 1], [shop.parking, 1]));
    await pay(world, other);
    expect(await process(user, other)).toMatchObject({ body: { status: "confirmed" } });
    expect(await orderVip(user)).toMatchObject({ status: 409 });
  });

  it("returns the parking when it is left, and when it expires", async () => {
    const { user, id } = await offered();
    await leave(user, id);
    expect(await parking()).toEqual({ available: 1, offered: 0 });
    await offered();
    await endOffers();
    await jobs();
    expect(await parking()).toEqual({ available: 1, offered: 0 });
    expect(await orderParking()).toMatchObject({ status: 200 });
  });

  it("lets its owner use the parking with a VIP ticket that was free for all", async () => {
    const { user } = await offered();
    await world.sql(
      "update public.waitlist_entries set state = 'left', offered = 0 where ticket_type_id = $1 and state = 'offered'",
      shop.vip.id,
    );
    expect(await orderVip(user)).toMatchObject({ status: 200 });
    expect(await parking()).toEqual({ available: 0, offered: 0 });
  });

  it("holds no parking while VIP does not include it", async () => {
    await world.sql("update public.shop_settings set vip_includes_parking = false");
    await offered();
    expect(await parking()).toEqual({ available: 1, offered: 0 });
    await world.sql("update public.shop_settings set vip_includes_parking = true");
  });
});

it("takes 50 people from one network in a day, and everybody from another", async () => {
  const full = "PT429 Too many people joined a waitlist from your network today. Please try again tomorrow.";
  // Whoever is refused for another reason uses nothing up.
  const first = await world.newUser();
  expect(await joinFrom("203.0.113.7", first)).toBe("joined");
  for (let n = 0; n < 3; n++)
    expect(await joinFrom("203.0.113.7", first)).toContain("already on this waitlist");
  for (let n = 1; n < 50; n++) expect(await joinFrom("203.0.113.7", await world.newUser())).toBe("joined");
  const next = await world.newUser();
  expect(await joinFrom("203.0.113.7", next)).toBe(full);
  expect(await joinFrom("203.0.113.8", next)).toBe("joined");

  // An IPv6 network counts as one address.
  const joined = Array.from({ length: 55 }, async (_, n) =>
    joinFrom(`2001:db8::${n + 1}`, await world.newUser()),
  );
  const answers = await Promise.all(joined);
  expect(answers.filter((answer) => answer === "joined")).toHaveLength(50);
  expect(answers.filter((answer) => answer === full)).toHaveLength(5);

  await world.sql(
    "update public.rate_limits set hits = array(select hit - interval '24 hours' from unnest(hits) as hit) where key like 'waitlist:%'",
  );
  expect(await joinFrom("203.0.113.7", await world.newUser()), "a day later").toBe("joined");
});
