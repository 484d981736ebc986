import { expect, it } from "vitest";
import {
  contentsOf,
  groupsOf,
  offersOf,
  passesOf,
  pictureName,
  ticketName,
  usesOf,
  type Extra,
  type Ticket,
  type Transfer,
} from "./model.ts";

const row = (id: string, order_id: string, item: number, position: number, created_at: string) => ({
  id,
  order_id,
  order_item_id: `${order_id}${item}`,
  order_items: { position: item, included: false },
  position,
  created_at,
  issue_number: 1,
  checked_in_at: null,
  qr_code_data: null,
  qr_code_url: null,
  voided_at: null,
});
const parking = {
  ...{ kind: "parking", position: 2, label: "parking pass", plural: "parking passes", title: "Parking" },
  ...{ admits: "vehicle", needs_attendee: false, has_code: true, is_vehicle: true, one_per_order: true },
};
const ticket = (...place: Parameters<typeof row>): Ticket => ({
  ...row(...place),
  attendee_name: "Ann",
  attendee_email: "ann@example.com",
  is_checked_in: false,
  ticket_type_id: "g",
  ticket_types: null,
  user_id: "u",
});
const extra = (changes: Partial<Extra>, ...place: Parameters<typeof row>): Extra => ({
  ...row(...place),
  plate: null,
  products: { name: "General Parking" },
  product_kinds: parking,
  ...changes,
});

const June1 = "2025-06-01T10:00:00Z";
const June2 = "2025-06-02T10:00:00Z";

it("names a ticket by its type, or Festival Ticket", () => {
  expect(ticketName({ ticket_types: { id: "v", name: "VIP", description: "", is_vip: true } })).toBe("VIP");
  expect(ticketName({ ticket_types: null })).toBe("Festival Ticket");
});

it("keeps the tickets of an order together in the order of purchase, followed by its parking", () => {
  const tickets = [
    ticket("b2", "b", 2, 2, June1),
    ticket("a1", "a", 1, 1, June1),
    ticket("b3", "b", 3, 1, June1),
    ticket("c1", "c", 1, 1, June2),
    ticket("b1", "b", 2, 1, June1),
  ];
  const extras = [extra({}, "bp", "b", 1, 1, June1), extra({}, "cp", "c", 2, 1, June2)];
  expect(passesOf(tickets, extras).map(({ id }) => id)).toEqual(["c1", "cp", "a1", "b1", "b2", "b3", "bp"]);
});

it("groups by order: unused passes first, parking next to its tickets, and void ones last", () => {
  const used = { checked_in_at: June2 };
  const passes = passesOf(
    [
      { ...ticket("new", "n", 1, 1, June2), ...used },
      { ...ticket("first", "o", 1, 1, June1), ...used },
      { ...ticket("void", "o", 1, 2, June1), voided_at: June2 },
      ticket("left", "o", 1, 3, June1),
    ],
    [extra({}, "park", "o", 2, 1, June1)],
  );
  const groups = groupsOf(passes, [], "u");
  expect(groups.map(({ orderId, passes: own }) => [orderId, own.map(({ id }) => id)])).toEqual([
    ["o", ["left", "park", "first", "void"]],
    ["n", ["new"]],
  ]);
  expect(groups.map(({ passes: own }) => contentsOf(own))).toEqual([
    "2 tickets and 1 parking pass",
    "1 ticket",
  ]);
  expect(contentsOf(passes.filter(({ isVoid }) => isVoid))).toBe("No valid tickets");
});

it("keeps the order of an open page when a pass is used, and places new ones by their own use", () => {
  const [one, two] = [ticket("one", "o", 1, 1, June1), ticket("two", "o", 1, 2, June1)];
  const shown = usesOf(passesOf([one, two], []));
  const used = { ...one, checked_in_at: June2 };
  const bought = ticket("new", "n", 1, 1, June2);
  const passes = passesOf([used, two, bought], []);
  const idsOf = (groups: ReturnType<typeof groupsOf>) =>
    groups.flatMap(({ passes: own }) => own.map(({ id }) => id));
  expect(idsOf(groupsOf(passes, [], "u", usesOf(passes, shown)))).toEqual(["new", "one", "two"]);
  expect(idsOf(groupsOf(passes, [], "u"))).toEqual(["new", "two", "one"]);
});

it("shows who a ticket admits, and what an extra admits", () => {
  const included = { position: 1, included: true };
  const [admits, parks, vehicle] = passesOf(
    [ticket("t", "a", 1, 1, June1)],
    [
      extra({ order_items: included }, "p", "a", 1, 1, June1),
      extra({ plate: "HTX 1" }, "q", "a", 3, 1, June1),
    ],
  );
  expect(admits).toMatchObject({ isTicket: true, holder: "Ann", note: "ann@example.com", isVoid: false });
  expect(parks).toMatchObject({ name: "General Parking", holder: "One vehicle", note: "Included with VIP" });
  expect(vehicle).toMatchObject({ holder: "Vehicle HTX 1", note: null });
});

it("names the picture after its pass", () => {
  expect(pictureName({ kind: parking, id: "abc" })).toBe("parking-abc.png");
});

it("shows to whom a ticket went and from whom one came, even for an order with nothing left", () => {
  const transfer = (ticket_id: string, order_id: string, changes: Partial<Transfer>): Transfer => ({
    id: crypto.randomUUID(),
    offer_id: "offer",
    ticket_id,
    order_id,
    ticket_name: "VIP",
    from_user_id: "u",
    from_name: "Ann",
    to_user_id: null,
    to_name: "Ben",
    to_email: "ben@example.com",
    state: "accepted",
    ended_at: June1,
    ...changes,
  });
  const passes = passesOf(
    [ticket("kept", "a", 1, 1, June1), ticket("back", "a", 1, 2, June1), ticket("given", "c", 1, 1, June1)],
    [],
  );
  const transfers = [
    transfer("gone", "a", { to_name: "Cid" }),
    transfer("back", "a", {}),
    transfer("kept", "a", { state: "offered", ended_at: null }),
    transfer("back", "a", { from_user_id: "b", from_name: "Ben", to_user_id: "u", ended_at: June2 }),
    transfer("given", "c", { from_user_id: "d", from_name: "Dee", to_user_id: "u" }),
    transfer("all", "b", {}),
    transfer("all", "b", { to_name: "Eve", ended_at: June2 }),
  ];
  const groups = groupsOf(passes, transfers, "u");
  expect(
    groups.map(({ orderId, from, passedOn }) => [orderId, from, passedOn.map(({ to_name }) => to_name)]),
  ).toEqual([
    ["a", [], ["Cid"]],
    ["c", ["Dee"], []],
    ["b", [], ["Eve"]],
  ]);
  expect([...offersOf(transfers).keys()]).toEqual(["kept"]);
});
