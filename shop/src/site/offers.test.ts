import { expect, it } from "vitest";
import { createOffers, type Offer, readOffers, withOffers } from "./offers.ts";

const vip: Offer = { name: "VIP", price: { cents: 15_000, withFee: 15_000 }, state: "open", isTicket: true };
const settled = () => new Promise((done) => setImmediate(done));

it("refreshes only after a while, reports a change, and keeps the last offers when a read fails, which it reports once", async () => {
  let time = 0;
  let asked = 0;
  let changes = 0;
  let failures = 0;
  let answer: () => Promise<readonly Offer[]> = async () => [vip];
  const offers = createOffers({
    read: () => (asked++, answer()),
    onChange: () => changes++,
    onFailure: () => failures++,
    now: () => time,
  });
  expect(offers.current()).toEqual([]);
  await settled();
  expect(offers.current()).toEqual([vip]);
  expect([asked, changes]).toEqual([1, 1]);

  time = 15_000;
  offers.current();
  await settled();
  expect([asked, changes]).toEqual([2, 1]);

  time = 30_000;
  answer = () => Promise.reject(new Error("no database"));
  offers.current();
  await settled();
  expect(offers.current()).toEqual([vip]);
  time = 40_000;
  offers.current();
  time = 45_000;
  offers.current();
  await settled();
  expect(failures).toBe(1); // of two failures

  time = 60_000;
  answer = async () => [{ ...vip, state: "paused" }];
  offers.current();
  await settled();
  expect([offers.current()[0]!.state, changes]).toEqual(["paused", 2]);
});

const ticket = { kind: "ticket", product_kinds: { position: 1, needs_attendee: true } };
const parking = { kind: "parking", product_kinds: { position: 2, needs_attendee: false } };
const pass = { ...parking, name: "Parking", price: 25, current_inventory: 0, is_general: true };
const always = { on_sale: true, sale_opens_at: null, sale_closes_at: null };
const later = { sale_opens_at: "2999-06-01T15:00:00+00:00" };

it.each([
  [{}, {}, "InStock", "$150.00"],
  [{ current_inventory: 0 }, {}, "SoldOut", "Sold Out"],
  [{ on_sale: false }, {}, "OutOfStock", "Paused"],
  [{}, { on_sale: false }, "OutOfStock", "Paused"],
  [{}, later, "PreOrder", "Not on Sale Yet"],
  [{}, { sale_closes_at: "2020-06-01T15:00:00+00:00" }, "OutOfStock", "Sales Ended"],
  [{}, { vip_parking_left: 0 }, "OutOfStock", "Not Available"],
])("a type with %j in a shop with %j is %s", async (own, shops, availability, words) => {
  const type = {
    ...ticket,
    name: "VIP",
    price: 150,
    current_inventory: 3,
    is_vip: true,
    ...always,
    ...own,
  };
  const shop = { ...always, vip_parking_left: 5, fee: null, ...shops };
  const offers = await readOffers(async (path) => {
    return Response.json(path.includes("get_sale") ? shop : [type, pass]);
  });
  const page = withOffers(
    '{"offers":[]}<ul data-offers="" class="list"></ul>',
    offers,
    "https://festival.example",
  );
  expect(page).toContain(`"availability":"https://schema.org/${availability}"`);
  expect(page).toContain(`<ul class="list"><li>VIP: ${words}</li><li>Parking: Sold Out</li></ul>`);
  // A parking pass admits nobody to the event.
  expect(page.match(/"@type":"Offer"/g)).toHaveLength(1);
});

it.each([
  [true, "$165.50. Includes $15.50 Fees &amp; tax, $0.50 of it once per order."],
  [false, "$150.00. Plus $15.50 Fees &amp; tax, $0.50 of it once per order."],
])("a price is written with the fee, %s: inside; structured data always has it", async (in_prices, words) => {
  const fee = {
    name: "Fees & tax",
    percent: 10,
    per_ticket: 0,
    per_order: 0.5,
    is_refunded: true,
    in_prices,
  };
  const type = { ...ticket, name: "VIP", price: 150, current_inventory: 3, is_vip: true, ...always };
  const offers = await readOffers(async (path) => {
    return Response.json(path.includes("get_sale") ? { ...always, vip_parking_left: 5, fee } : [type]);
  });
  const page = withOffers('{"offers":[]}<ul data-offers=""></ul>', offers, "https://festival.example");
  expect(page).toContain('"price":"165.50"');
  expect(page).toContain(`<li>VIP: ${words}</li>`);
});

it.each([
  [true, ["VIP", "Parking", "Lot B"]],
  [false, ["VIP"]],
])("every parking pass is listed if one is general, as on the page: %s", async (is_general, listed) => {
  const type = { ...ticket, name: "VIP", price: 150, current_inventory: 3, is_vip: true, ...always };
  const other = { ...pass, name: "Lot B", price: 40, is_general: false };
  const offers = await readOffers(async (path) => {
    const rows = [type, { ...pass, is_general }, other];
    return Response.json(path.includes("get_sale") ? { ...always, vip_parking_left: 5, fee: null } : rows);
  });
  expect(offers.map(({ name }) => name)).toEqual(listed);
});
