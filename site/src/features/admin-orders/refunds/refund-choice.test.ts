import { expect, it } from "vitest";
import type { OrderCase } from "../model.ts";
import { entriesOf, insideText, refundOf } from "./refund-choice.ts";

const ticket = (id: string, item: string, position: number, voided: string | null = null) => ({
  id,
  order_item_id: item,
  position,
  attendee_name: id,
  attendee_email: `${id}@people.test`,
  has_attendee: true,
  voided_at: voided,
  checked_in_at: null,
  admissions: [],
  product_kinds: { title: "Tickets", admits: "person" },
});
const permit = {
  product_kinds: { title: "Parking", admits: "vehicle" },
  ...{ id: "permit", order_item_id: "park", has_attendee: false, voided_at: null },
  ...{ checked_in_at: "2025-06-27T16:00:00Z", admissions: [] },
};
const order = {
  status: "confirmed",
  payment_intent_id: "pi",
  order_items: [
    {
      id: "park",
      position: 2,
      name: "Preferred Parking",
      kind: "parking",
      unit_price: 60,
      quantity: 1,
      discount: 0,
      included: false,
      refunded: 0,
      refunded_amount: 0,
    },
    {
      id: "vip",
      position: 1,
      name: "VIP",
      kind: "ticket",
      unit_price: 150,
      quantity: 3,
      discount: 0,
      included: false,
      refunded: 1,
      refunded_amount: 150,
    },
    {
      id: "free",
      position: 3,
      name: "General Parking",
      kind: "parking",
      unit_price: 0,
      quantity: 1,
      discount: 0,
      included: true,
      refunded: 0,
      refunded_amount: 0,
    },
  ],
  codes: [permit, ticket("bun", "vip", 2), ticket("slim", "vip", 1), ticket("paul", "vip", 3, "2025-06-02")],
  payments: [{ payment_intent_id: "pi", amount: 510 }],
  fee_amount: 0,
  fee_refunded: 0,
  fee_is_refunded: true,
  refunds: [
    { payment_intent_id: "pi", amount: 150, status: "succeeded" },
    { payment_intent_id: "pi", amount: 60, status: "failed" },
  ],
} as unknown as OrderCase;
const choose = (...ids: string[]) => entriesOf(order).filter(({ id }) => ids.includes(id));

it("lists tickets in the order of purchase, then parking, and which can be refunded", () => {
  expect(entriesOf(order).map(({ id, refundable }) => [id, refundable])).toEqual([
    ["slim", true],
    ["bun", true],
    ["paul", false],
    ["park", true],
    ["free", false],
  ]);
});

it("adds up what a choice refunds, and everything left with the last ticket", () => {
  expect(refundOf(order, choose("slim", "park"))).toEqual({ cents: 21_000, ends: false, given: 0 });
  expect(refundOf(order, choose("slim", "bun"))).toEqual({ cents: 36_000, ends: true, given: 0 });
});

it("shows how much of the price was already refunded as goodwill", () => {
  const vip = { ...order.order_items[1]!, refunded_amount: 150 + 20.01 };
  const eased = { ...order, order_items: [order.order_items[0]!, vip, order.order_items[2]!] };
  const [slim, , , park] = entriesOf(eased);
  expect(refundOf(eased, [slim!])).toEqual({ cents: 14_000, ends: false, given: 1000 });
  expect(refundOf(eased, [park!])).toEqual({ cents: 6000, ends: false, given: 0 });
});

it("adds up what was paid: with a discount of $10 on three, each further unit takes the cents that do not divide", () => {
  const item = { ...order.order_items[1]!, discount: 10, refunded_amount: 146.66 };
  const discounted = { ...order, order_items: [order.order_items[0]!, item, order.order_items[2]!] };
  const entries = entriesOf(discounted);
  expect(entries.map(({ cents }) => cents)).toEqual([14_667, 14_667, 14_667, 6000, 0]);
  expect(refundOf(discounted, [entries[0]!]).cents).toBe(14_667);
});

it("names those who are inside, unless they went out, were let in by mistake, or are many", () => {
  const at = "2025-06-27T16:00:00Z";
  const withTickets = (tickets: unknown[]) =>
    entriesOf({ ...order, codes: [permit, ...tickets] } as unknown as OrderCase);
  const scanned = (id: string, position: number, admissions: object[] = []) => ({
    ...ticket(id, "vip", position),
    checked_in_at: at,
    admissions,
  });
  const parked = "1 vehicle is already inside.";
  expect(insideText(entriesOf(order))).toBe(parked);
  const two = withTickets([scanned("slim", 1), ticket("bun", "vip", 2)]);
  expect(insideText(two)).toBe(`1 of these guests is already inside: slim. ${parked}`);
  expect(insideText(two.slice(0, 1))).toBe("This guest is already inside: slim.");
  expect(insideText(two.slice(1, 2))).toBe("");
  const standing = { undone_at: null, left_at: null };
  const gone = withTickets([
    scanned("slim", 1, [{ ...standing, left_at: at }]),
    { ...scanned("bun", 2, [{ ...standing, undone_at: at }]), checked_in_at: null },
    scanned("paul", 3, [{ ...standing, left_at: at }, standing]),
    { ...scanned("trae", 4), voided_at: at },
  ]);
  expect(insideText(gone)).toBe(`1 of these guests is already inside: paul. ${parked}`);
  const many = withTickets(["a", "b", "c", "d"].map((id, index) => scanned(id, index)));
  expect(insideText(many)).toBe(`4 of these guests are already inside. ${parked}`);
});
