// What a sale at the door shows and sends: the codes for its seller's screen, the mail to a buyer who leaves an address, the
// mails of comps. The sale itself is tested in SQL (supabase/tests/door.test.ts).
import { randomUUID } from "node:crypto";
import { verifyTicketToken } from "contract/tickets/ticket-token";
import { doorCodes } from "contract/door";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readCatalog } from "../../../../shop/testing/carts.ts";
import { openWorld, type World } from "../../../../shop/testing/world.ts";

let world: World;
let shop: Awaited<ReturnType<typeof readCatalog>>;
beforeAll(async () => {
  world = await openWorld();
  shop = await readCatalog(world);
});
afterAll(() => world?.close());

type User = string;

async function newPerson(role: "gate" | "admin", sells = false): Promise<User> {
  const user = await world.newUser();
  await world.sql(
    "insert into public.user_roles (user_id, role, sells_at_door) values ($1, $2, $3)",
    user,
    role,
    sells,
  );
  return user;
}

/** Calls it as PostgREST would: the function checks its caller itself. */
async function as<T>(user: User, call: string, ...values: unknown[]): Promise<T> {
  const scope = { claims: { role: "authenticated", sub: user }, headers: {} };
  return world.db.database.transaction(scope, async (tx) => {
    const { rows } = await tx.query<{ answer: T }>(`select public.${call} as answer`, values);
    return rows[0]!.answer;
  });
}

async function sale() {
  const seller = await newPerson("gate", true);
  await as(seller, "open_till(0)");
  const items = JSON.stringify([{ type: "ticket", id: shop.vip.id, quantity: 2 }]);
  const { order_id: order } = await as<{ order_id: string }>(
    seller,
    "sell_at_door($1, $2, 'card', 30000)",
    randomUUID(),
    items,
  );
  return { seller, order };
}

it("shows a sale's signed codes to its seller and to administrators, once and the same each time", async () => {
  const { seller, order } = await sale();
  const ask = (user: User) => world.call("door-codes", { as: user, body: { orderId: order } });
  const { codes } = doorCodes.parse((await ask(seller)).body);
  expect(codes.map(({ admits, name }) => [admits, name])).toEqual([
    ["person", "VIP"],
    ["person", "VIP"],
    ["vehicle", "General Parking"],
  ]);
  for (const { id, token } of codes) {
    expect(await verifyTicketToken(token, world.publicKey)).toMatchObject({ ticketId: id, issueNumber: 1 });
  }
  const admin = await newPerson("admin");
  expect(doorCodes.parse((await ask(admin)).body)).toEqual({ codes });
  for (const stranger of [await newPerson("gate", true), await newPerson("gate"), await world.newUser()]) {
    expect(await ask(stranger)).toMatchObject({ status: 404 });
  }
  const requireOf = (roles: string) =>
    world.sql("update public.staff_settings set two_step_roles = $1", roles);
  for (const [role, user, other] of [
    ["gate", seller, admin],
    ["admin", admin, seller],
  ] as const) {
    await requireOf(`{${role}}`);
    expect(await ask(user), "without the second step that the role requires").toMatchObject({ status: 404 });
    expect((await ask(other)).status).toBe(200);
    const taken = { as: user, aal: "aal2", body: { orderId: order } };
    expect(doorCodes.parse((await world.call("door-codes", taken)).body)).toEqual({ codes });
  }
  await requireOf("{}");
  await world.sql("update public.user_roles set sells_at_door = false where user_id = $1", seller);
  expect(await ask(seller), "who may no longer sell").toMatchObject({ status: 404 });

  await as(admin, "void_door_sale($1, 'Mistake')", order);
  expect(doorCodes.parse((await ask(admin)).body)).toEqual({ codes: [] });
});

it("sends a sale's codes to an address, and notifies it when they are void", async () => {
  const { seller, order } = await sale();
  await as(seller, "mail_door_sale($1, 'walkin@people.test')", order);
  await world.call("drain-outbox", { as: "service" });
  const mails = () => world.mails.filter(({ to }) => to === "walkin@people.test");
  expect(mails()).toHaveLength(1);
  expect(mails()[0]?.attachments).toHaveLength(3);
  expect(mails()[0]?.text).toContain(`This is what you bought at the door, order ${order.slice(0, 8)}.`);
  expect(mails()[0]?.text).toContain("$300.00");
  expect(mails()[0]?.text).not.toContain("/my-tickets");
  expect(mails()[0]?.text).not.toContain("Hello Door sale");

  await as(await newPerson("admin"), "void_door_sale($1, 'Mistake')", order);
  await world.call("drain-outbox", { as: "service" });
  expect(mails()).toHaveLength(2);
  expect(mails()[1]?.text).toContain("that you bought at the door are no longer valid");
});

it("mails a guest a free ticket without mentioning money, and notifies them when it is voided", async () => {
  const admin = await newPerson("admin");
  const guests = JSON.stringify([{ name: "Zoe Guest", email: "zoe@guests.test" }]);
  await as(admin, "issue_comps($1, 'Press', $2, $3)", randomUUID(), shop.general.id, guests);
  await world.call("drain-outbox", { as: "service" });
  const mails = () => world.mails.filter(({ to }) => to === "zoe@guests.test");
  expect(mails()).toHaveLength(1);
  expect(mails()[0]?.attachments).toHaveLength(1);
  expect(mails()[0]?.text).toContain("Hello Zoe Guest, you are");
  expect(mails()[0]?.text).not.toMatch(/\$|payment|my-tickets|Press/);
  const [order] = await world.sql<{ id: string }>(
    "select id from public.orders where buyer_email = 'zoe@guests.test'",
  );
  await as(admin, "revoke_comp($1, 'Not coming')", order!.id);
  await world.call("drain-outbox", { as: "service" });
  expect(mails()[1]?.text).toContain("that we gave you is no longer valid");
});

it("notifies a buyer at the door whose ticket was corrected to somebody else", async () => {
  const { seller, order } = await sale();
  await as(seller, "mail_door_sale($1, 'first@people.test')", order);
  const [ticket] = await world.sql<{ id: string }>(
    "select id from public.tickets where order_id = $1 limit 1",
    order,
  );
  await as(
    await newPerson("admin"),
    "correct_attendee($1, 'Abe Lee', 'abe@people.test', 'Asked')",
    ticket!.id,
  );
  await world.call("drain-outbox", { as: "service" });
  const told = world.mails.filter(({ to }) => to === "first@people.test").map(({ subject }) => subject);
  expect(told.toSorted()).toEqual([
    expect.stringMatching(/^Your code .* is no longer valid$/),
    expect.stringMatching(/^Your tickets for/),
  ]);
});

it("gives a corrected comp to the new guest with all its mails, and notifies the former guest", async () => {
  const admin = await newPerson("admin");
  const guests = JSON.stringify([{ name: "Amy Guest", email: "amy@guests.test" }]);
  await as(admin, "issue_comps($1, 'Press', $2, $3)", randomUUID(), shop.general.id, guests);
  await world.call("drain-outbox", { as: "service" });
  const [ticket] = await world.sql<{ id: string; order_id: string }>(
    "select id, order_id from public.tickets where attendee_email = 'amy@guests.test'",
  );
  await as(admin, "correct_attendee($1, 'Eli Guest', 'eli@guests.test', 'Amy is ill')", ticket!.id);
  world.mails.length = 0;
  await world.call("drain-outbox", { as: "service" });
  await as(admin, "resend_order_mail($1)", ticket!.order_id);
  await world.call("drain-outbox", { as: "service" });
  const sent = world.mails.map(({ to, subject }) => [to, subject]);
  expect(sent.toSorted()).toEqual([
    ["amy@guests.test", expect.stringMatching(/no longer valid$/)],
    ["eli@guests.test", expect.stringMatching(/^Your tickets/)],
    ["eli@guests.test", expect.stringMatching(/^Your updated ticket/)],
  ]);
  expect(world.mails.at(-1)?.text).toContain("Hello Eli Guest, you are");
  const [found] = await as<{ name: string }[]>(admin, "list_comps('eli@guests') -> 'rows'");
  expect(found).toMatchObject({ name: "Eli Guest" });
});

it("gives the parking of a corrected VIP comp to the new guest, too, once their address is another", async () => {
  const admin = await newPerson("admin");
  const guests = JSON.stringify([{ name: "Ida Guest", email: "ida@guests.test" }]);
  await as(admin, "issue_comps($1, 'Press', $2, $3)", randomUUID(), shop.vip.id, guests);
  await world.call("drain-outbox", { as: "service" });
  const [ticket] = await world.sql<{ id: string; order_id: string }>(
    "select id, order_id from public.tickets where attendee_email = 'ida@guests.test'",
  );
  const permit = async () =>
    (
      await world.sql(
        "select id, issue_number, qr_code_url from public.entry_codes where kind = 'parking' and order_id = $1",
        ticket!.order_id,
      )
    )[0]!;
  const correct = async (name: string, email: string) => {
    world.mails.length = 0;
    await as(admin, "correct_attendee($1, $2, $3, 'Asked')", ticket!.id, name, email);
    await world.call("drain-outbox", { as: "service" });
    return world.mails.map(({ to, subject }) => [to, subject]).toSorted();
  };
  expect(await correct("Ida Gast", "ida@guests.test")).toEqual([
    ["ida@guests.test", expect.stringMatching(/^Your updated ticket/)],
  ]);
  const before = await permit();
  expect(before).toMatchObject({ issue_number: 1, qr_code_url: expect.any(String) });
  expect(await correct("Udo Guest", "udo@guests.test")).toEqual([
    ["ida@guests.test", expect.stringMatching(/no longer valid$/)],
    ["udo@guests.test", expect.stringMatching(/^Your tickets/)],
  ]);
  expect(world.mails.find(({ to }) => to === "udo@guests.test")?.text).toContain("General Parking");
  const after = await permit();
  expect(after.issue_number).toBe(2);
  expect(after.qr_code_url).not.toBe(before.qr_code_url);
});
