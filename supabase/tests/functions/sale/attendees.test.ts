// Every ticket gets the name typed under its label, whatever the cart and the order of its items.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { cartOf, type CatalogItem } from "../../../../shop/testing/cart.ts";
import { pay, place } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();
const added = await world.sql<CatalogItem>(
  `insert into public.ticket_types (name, price, current_inventory, total_inventory)
   select name, price, 5000, 5000 from (values ('Youth', 20), ('Senior', 30), ('Backstage', 250)) as t (name, price)
   returning id, name, price::float, 'ticket' as type`,
);
const types = [shop.general, shop.vip, ...added];
const parking = shop.preferred;
await world.sql("update public.ticket_types set current_inventory = 5000, total_inventory = 5000");
await world.sql("update public.parking_passes set current_inventory = 5000, total_inventory = 5000");
await world.sql("update public.shop_settings set max_orders_per_address = 1000000");

interface Person {
  readonly name: string;
  readonly email: string;
  readonly ticketTypeId?: string;
}

/** A cart of some types in any order, with parking anywhere in it, and the name under each label. */
const carts = fc
  .shuffledSubarray([0, 1, 2, 3, 4], { minLength: 1, maxLength: 4 })
  .chain((chosen) =>
    fc.record({
      lines: fc.tuple(...chosen.map((type) => fc.tuple(fc.constant(type), fc.integer({ min: 1, max: 4 })))),
      parkingAt: fc.option(fc.nat(chosen.length)),
      /** Undefined: no attendee names a type. Otherwise the attendees come in this order. */
      shuffle: fc.option(fc.infiniteStream(fc.nat()), { nil: undefined }),
    }),
  )
  .map(({ lines, parkingAt, shuffle }) => {
    const items = lines.map(([type, quantity]) => [types[type]!, quantity] as const);
    const cart = cartOf(
      ...items.toSpliced(
        parkingAt ?? items.length,
        0,
        ...(parkingAt === null ? [] : [[parking, 1] as const]),
      ),
    );
    const labels = items.flatMap(([type, quantity]) => Array.from({ length: quantity }, () => type.id));
    const people = cart.attendees.map(({ email }, index) => ({
      name: `${index} of ${labels[index]}`,
      email,
      ticketTypeId: labels[index]!,
    }));
    const expected = people.map(({ name, ticketTypeId }) => `${name}: ${ticketTypeId}`).sort();
    if (!shuffle)
      return { cart: { ...cart, attendees: people.map(({ name, email }) => ({ name, email })) }, expected };
    const order = new Map(people.map((person) => [person, shuffle.next().value]));
    return {
      cart: { ...cart, attendees: people.toSorted((a, b) => order.get(a)! - order.get(b)!) },
      expected,
    };
  });

const issued = async (orderId: string) =>
  (
    await world.sql<{ ticket: string }>(
      "select attendee_name || ': ' || ticket_type_id as ticket from public.tickets where order_id = $1",
      orderId,
    )
  )
    .map(({ ticket }) => ticket)
    .sort();

it("from the checkout", async () => {
  await fc.assert(
    fc.asyncProperty(carts, async ({ cart, expected }) => {
      const placed = await place(world, await world.newUser(), cart);
      await world.webhook("payment_intent.succeeded", await pay(world, placed));
      expect(await issued(placed.orderId)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

it("from a cart sent straight to the database", async () => {
  await fc.assert(
    fc.asyncProperty(carts, async ({ cart, expected }) => {
      const cents = Math.round(cart.totalAmount * 100);
      const straight = {
        user_id: await world.newUser(),
        idempotency_key: randomUUID(),
        request_hash: "hash",
        // The same type may come twice here.
        items: cart.items.flatMap(({ type, id, quantity }) =>
          Array.from({ length: quantity }, () => ({ type, id, quantity: 1 })),
        ),
        attendees: cart.attendees.map((person: Person) => ({
          name: person.name,
          email: person.email,
          ...(person.ticketTypeId && { ticket_type_id: person.ticketTypeId.toUpperCase() }),
        })),
        buyer: cart.buyerInfo,
        total_cents: cents,
      };
      const [row] = await world.sql(
        "select public.reserve_orders($1::jsonb) as answers",
        JSON.stringify([straight]),
      );
      expect(row!.answers).toMatchObject([{ ok: true }]);
      const orderId = row!.answers[0].order_id;
      await world.sql("select public.confirm_order($1, $2, $3)", orderId, `pi_${orderId}`, cents);
      expect(await issued(orderId)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

it("treats item lists in any order as one order, and two swapped attendees as another", async () => {
  const [general, vip] = types as [CatalogItem, CatalogItem];
  const user = await world.newUser();
  const cart = cartOf([general, 1], [vip, 1]);
  const key = randomUUID();
  const { orderId } = await place(world, user, cart, key);
  const turned = { ...cartOf([vip, 1], [general, 1]), attendees: cart.attendees.toReversed() };
  expect(await place(world, user, turned, key)).toMatchObject({ orderId });
  const swapped = { ...turned, attendees: cart.attendees };
  expect(
    await world.call("create-payment-intent", {
      as: user,
      body: swapped,
      headers: { "idempotency-key": key },
    }),
  ).toMatchObject({ status: 409, body: { error: { code: "idempotency_conflict" } } });
});

it.each([
  ["all to one type", ([general]: CatalogItem[]) => [general, general]],
  ["one without a type", ([general]: CatalogItem[]) => [general, undefined]],
  ["a type that is not in the cart", ([general, , youth]: CatalogItem[]) => [general, youth]],
])("refuses attendees that belong %s", async (_what, belong) => {
  const [general, vip] = types as [CatalogItem, CatalogItem];
  const cart = cartOf([general, 1], [vip, 1]);
  const attendees = cart.attendees.map((person, index) => ({
    ...person,
    ticketTypeId: belong(types)[index]?.id,
  }));
  const user = await world.newUser();
  const answer = await world.call("create-payment-intent", { as: user, body: { ...cart, attendees } });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  expect(answer.body.error.message).toContain("ticket types do not match the items");

  const straight = {
    user_id: user,
    idempotency_key: randomUUID(),
    request_hash: "hash",
    items: cart.items.map(({ type, id, quantity }) => ({ type, id, quantity })),
    attendees: attendees.map(({ name, email, ticketTypeId }) => ({
      name,
      email,
      ticket_type_id: ticketTypeId,
    })),
    buyer: cart.buyerInfo,
    total_cents: Math.round(cart.totalAmount * 100),
  };
  const [row] = await world.sql(
    "select public.reserve_orders($1::jsonb) as answers",
    JSON.stringify([straight]),
  );
  expect(row!.answers).toMatchObject([{ ok: false, code: "invalid_request" }]);
  expect(await world.sql("select id from public.orders where user_id = $1", user)).toEqual([]);
});
