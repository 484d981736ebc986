// What reserve_orders reports about a cart's shape, whoever sends it: one bad cart is refused and never raises.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ServiceDatabase } from "../../server/src/postgres/executor.ts";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";

let db: TestDatabase;
let service: ServiceDatabase;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.database.asService("the test asks as the service does");
});
afterAll(() => db.close());

const id = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001";
const cart = {
  user_id: id,
  idempotency_key: "a key of a cart",
  request_hash: "hash",
  items: [{ type: "ticket", id, quantity: 1 }],
  attendees: [{ name: "Ada", email: "ada@people.test" }],
  buyer: { name: "Ada", email: "ada@people.test", phone: "713-555-0100" },
  total_cents: 4500,
};
const attendees = (...people: unknown[]) => ({ ...cart, attendees: people });
const named = (name: unknown) => attendees({ name, email: "ada@people.test" });
const mailed = (email: unknown) => attendees({ name: "Ada", email });
const NO_LINK = "A name cannot contain a web address";
const mailOf = (length: number) => "@people.test".padStart(length, "a");

it.each([
  ["whole", cart, null],
  ["with a name of 200 characters", named("n".repeat(200)), null],
  ["with a name of 201 characters", named("n".repeat(201)), "Name is required"],
  ["with an address of 254 characters", mailed(mailOf(254)), null],
  ["with an address of 255 characters", mailed(mailOf(255)), "Valid email is required"],
  [
    "with a long name after a good one",
    attendees(...named("Ada").attendees, { name: "n".repeat(201), email: "b@c.test" }),
    "Name is required",
  ],
  ["with twenty people", attendees(...Array.from({ length: 20 }, () => cart.attendees[0])), null],
  ["with a blank name", named(" \n"), "Name is required"],
  ["with a name that nobody sees", named("\u2060\u200d"), "Name is required"],
  [
    "with a name of Hangul fillers for its buyer",
    { ...cart, buyer: { ...cart.buyer, name: "\u3164" } },
    "Name is required",
  ],
  ["with joiners and direction marks in a name", named("\u200fعلی\u200cرضا ক্\u200dষ"), null],
  ["with a line break in a name", named("Ada\nPay again"), "Name is required"],
  ["with a line separator in a name", named("Ada\u2028Pay again"), "Name is required"],
  [
    "with a line break in its buyer's name",
    { ...cart, buyer: { ...cart.buyer, name: "Ada\nPay" } },
    "Name is required",
  ],
  [
    "with a line break in its buyer's phone",
    { ...cart, buyer: { ...cart.buyer, phone: "713-555-0100\nPay" } },
    "Valid phone number is required",
  ],
  ["with a web address for a name", named("Pay at https://evil.test"), NO_LINK],
  [
    "with a web address for the second name",
    attendees(cart.attendees[0], { name: "WWW.evil.test", email: "b@c.test" }),
    NO_LINK,
  ],
  [
    "with a web address for its buyer's name",
    { ...cart, buyer: { ...cart.buyer, name: "evil.test/pay" } },
    NO_LINK,
  ],
  ["with a long name that has a web address", named(`evil.test/${"n".repeat(200)}`), "Name is required"],
  [
    "with a slash in a name, and one in an address",
    attendees({ name: "Ada/Bo", email: "www.a@b.test" }),
    null,
  ],
  ["with a number for a name", named(7), "Name is required"],
  ["with its people in an inner list", attendees(cart.attendees), "Name is required"],
  ["with a list for a name", named(["Ada"]), "Name is required"],
  ["with a list for an address", mailed(["ada@people.test"]), "Valid email is required"],
  [
    "with a person too many in an inner list",
    attendees(cart.attendees[0], [...cart.attendees, ...cart.attendees], "Bo"),
    "Name is required",
  ],
  ["with its items in an inner list", { ...cart, items: [cart.items] }, "One of the items is not valid."],
  [
    "with a list for a kind of item",
    { ...cart, items: [{ ...cart.items[0], type: ["ticket"] }] },
    "One of the items is not valid.",
  ],
  [
    "with a list for a quantity",
    { ...cart, items: [{ ...cart.items[0], quantity: [501] }] },
    "Quantities must be whole numbers of at least 1.",
  ],
  [
    "with an item that is a word",
    { ...cart, items: [cart.items[0], "a ticket"] },
    "One of the items is not valid.",
  ],
  [
    "with an item without a quantity",
    { ...cart, items: [{ type: "ticket", id }] },
    "Quantities must be whole numbers of at least 1.",
  ],
  ["with no people at all", attendees(null, 7, {}), "Name is required"],
  ["with no address", attendees({ name: "Ada" }), "Valid email is required"],
  ["with two at signs", mailed("a@b@c.test"), "Valid email is required"],
  ["with a space in the address", mailed("a b@c.test"), "Valid email is required"],
  ["with two addresses for an attendee", mailed("1,b@c.test"), "Valid email is required"],
  ["with a quote in an address", mailed('a"@c.test'), "Valid email is required"],
  [
    "with two addresses for its buyer",
    { ...cart, buyer: { ...cart.buyer, email: "1,b@c.test" } },
    "Valid email is required",
  ],
  [
    "with half a ticket",
    { ...cart, items: [{ ...cart.items[0], quantity: 0.5 }] },
    "Quantities must be whole numbers of at least 1.",
  ],
  [
    "with something else for sale",
    { ...cart, items: [{ ...cart.items[0], type: "boat" }] },
    "One of the items is not valid.",
  ],
  [
    "with more than one order may have of it",
    { ...cart, items: [{ ...cart.items[0], quantity: 501 }] },
    "At most 500 of one item can be ordered at once.",
  ],
  [
    "with a number for an item",
    { ...cart, items: [{ ...cart.items[0], id: 7 }] },
    "One of the items is not valid.",
  ],
  ["with a buyer who is a word", { ...cart, user_id: "x".repeat(36) }, "A signed-in buyer is required."],
  [
    "with a buyer whose dashes are elsewhere",
    { ...cart, user_id: "0c5a9f0e4-f3b-4d6e-9b1a-5a1d3c7e1001" },
    "A signed-in buyer is required.",
  ],
  ["with a total that is a word", { ...cart, total_cents: "many" }, "The total is not a valid amount."],
  [
    "with a total of eleven digits",
    { ...cart, total_cents: 10_000_000_000 },
    "The total is not a valid amount.",
  ],
  ["that is text", "cart", "A signed-in buyer is required."],
])("a cart %s", async (_what, sent, message) => {
  const { rows } = await service.query("select public.cart_problem($1::jsonb) as message", [
    JSON.stringify(sent),
  ]);
  expect(rows).toEqual([{ message }]);
});

it("refuses only the bad carts of a batch, whatever they contain", async () => {
  await service.query("insert into auth.users (id, email) values ($1, 'ada@people.test')", [id]);
  const bad = [
    "cart",
    null,
    {},
    { ...cart, total_cents: "many" },
    { ...cart, attendees: "Ada" },
    { ...cart, items: "all" },
    { ...cart, items: [cart.items] },
    attendees(cart.attendees),
    named(["Ada"]),
    { ...cart, user_id: "x".repeat(36) },
  ];
  const elsewhere = {
    ...cart,
    user_id: crypto.randomUUID(),
    items: [{ type: "ticket", id: "a word", quantity: 1 }],
  };
  const { rows } = await service.query<{ answers: { ok: boolean; code?: string }[] }>(
    "select public.reserve_orders($1::jsonb) as answers",
    [JSON.stringify([...bad, elsewhere, cart])],
  );
  expect(rows[0]!.answers.map(({ ok, code }) => (ok ? "held" : code))).toEqual([
    ...bad.map(() => "invalid_request"),
    "unknown_item",
    "held",
  ]);
});

it("takes a whole number however it is written", async () => {
  const sent = JSON.stringify([{ ...cart, idempotency_key: "a key of one point zero" }]);
  const { rows } = await service.query("select public.reserve_orders($1::jsonb) -> 0 -> 'ok' as ok", [
    sent.replaceAll(/"quantity":(\d+)/g, '"quantity":$1.0'),
  ]);
  expect(rows).toEqual([{ ok: true }]);
});

it("refuses more people than a buyer may have tickets without a look at their names", async () => {
  await service.query(
    "insert into auth.users (id, email) values ($1, 'ada@people.test') on conflict do nothing",
    [id],
  );
  const { rows: types } = await service.query<{ id: string; cents: number }>(
    "select id, (price * 100)::int as cents from public.ticket_types where not is_vip limit 1",
  );
  const crowd = (people: number) => ({
    ...attendees(...Array.from({ length: people }, () => ({ name: "evil.test/pay", email: "a@b.test" }))),
    idempotency_key: "a key of a crowd",
    items: [{ type: "ticket", id: types[0]!.id, quantity: people }],
    total_cents: types[0]!.cents * people,
  });
  const refusal = async (people: number) => {
    const { rows } = await service.query<{ answers: unknown[] }>(
      "select public.reserve_orders($1::jsonb) as answers",
      [JSON.stringify([crowd(people)])],
    );
    return rows[0]!.answers[0];
  };
  expect(await refusal(20)).toMatchObject({ ok: false, code: "invalid_request", message: NO_LINK });
  expect(await refusal(21)).toMatchObject({ ok: false, code: "too_many_units", details: { limit: 20 } });
});
