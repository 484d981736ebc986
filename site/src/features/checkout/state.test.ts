import { describe, expect, it } from "vitest";
import { emptyCart, type CartItem } from "./cart/record.ts";
import {
  currentStep,
  firstState,
  historyEntry,
  transition,
  type CheckoutEvent,
  type CheckoutState,
  type OpenOrder,
} from "./state.ts";

const order: OpenOrder = {
  orderId: "o1",
  key: "k1",
  heldUntil: "2025-06-01T00:15:00Z",
  total: 4500,
  items: [],
  email: "ana@example.com",
  clientSecret: "pi_1_secret_x",
};
const paid = { orderId: "o1", email: "ana@example.com", result: "confirmed" } as const;
const line = {
  open: true,
  admitted: false,
  place: "p",
  position: 2,
  ahead: 1,
  estimatedSeconds: 5,
  pollAfterSeconds: 2,
};
const deciding = { name: "deciding", order, isApproved: false, isEarlier: false } as const;

const states = {
  attendees: { name: "attendees" },
  opening: { name: "opening" },
  waiting: { name: "waiting", line },
  short: { name: "short", message: "m", shortages: [] },
  "price-changed": { name: "price-changed", message: "m" },
  "promo-refused": { name: "promo-refused", message: "m" },
  closed: { name: "closed", message: "m" },
  failed: { name: "failed", message: "m" },
  paying: { name: "paying", order },
  deciding,
  late: { name: "late" },
  "hold-ended": { name: "hold-ended" },
  replaced: { name: "replaced" },
  paid: { name: "paid", paid },
} satisfies { [Name in CheckoutState["name"]]: CheckoutState };
type Name = keyof typeof states;

const events = {
  "show-attendees": { type: "show-attendees" },
  "show-payment": { type: "show-payment" },
  retry: { type: "retry" },
  wait: { type: "wait", line },
  refuse: { type: "refuse", refusal: { name: "closed", message: "m" } },
  renew: { type: "renew" },
  placed: { type: "placed", order },
  "found-under-way": { type: "found-under-way", order, isApproved: false },
  "cart-changed": { type: "cart-changed" },
  pay: { type: "pay" },
  decline: { type: "decline", problem: "declined" },
  approve: { type: "approve", order },
  "give-up-waiting": { type: "give-up-waiting" },
  "end-hold": { type: "end-hold" },
  replace: { type: "replace" },
  paid: { type: "paid", paid },
} satisfies { [Type in CheckoutEvent["type"]]: CheckoutEvent };

const all = Object.keys(states) as Name[];
const allBut = (...names: Name[]) => all.filter((name) => !names.includes(name));

/** Which state each event leads to, and from where. In every other state it changes nothing. */
const table: Record<keyof typeof events, readonly [from: readonly Name[], to: Name]> = {
  "show-attendees": [allBut("attendees", "paid"), "attendees"],
  "show-payment": [["attendees"], "opening"],
  retry: [allBut("attendees", "opening", "paid"), "opening"],
  wait: [["opening"], "waiting"],
  refuse: [["opening"], "closed"],
  renew: [["opening"], "opening"],
  placed: [["opening"], "paying"],
  "found-under-way": [["opening"], "deciding"],
  "cart-changed": [["waiting", "short", "closed", "failed", "paying", "hold-ended", "replaced"], "opening"],
  pay: [["paying"], "deciding"],
  decline: [["paying", "deciding"], "paying"],
  approve: [allBut("deciding", "paid"), "deciding"],
  "give-up-waiting": [["deciding"], "late"],
  "end-hold": [["paying", "replaced"], "hold-ended"],
  replace: [["deciding"], "replaced"],
  paid: [allBut("paid"), "paid"],
};

describe.each(Object.entries(table))("%s", (type, [from, to]) => {
  it.each(all)("from %s", (name) => {
    const next = transition(states[name], events[type as keyof typeof events]);
    expect(next.name).toBe(from.includes(name) ? to : name);
  });
});

describe("a payment", () => {
  const play = (start: CheckoutState, ...played: CheckoutEvent[]) => played.reduce(transition, start);

  it("shows the form with the reason after a declined card, and without it at the next attempt", () => {
    const declined = play(states.paying, events.pay, events.decline);
    expect(declined).toEqual({ name: "paying", order, problem: "declined" });
    expect(play(declined, events.pay)).toEqual(deciding);
  });

  it("that was under way already stays without a form when it is approved", () => {
    expect(play(states.opening, events["found-under-way"], events.approve)).toEqual({
      ...deciding,
      isApproved: true,
      isEarlier: true,
    });
  });

  it("that is approved after its buyer has gone back to the details ends as paid", () => {
    expect(play(deciding, events["show-attendees"], events.approve, events.paid)).toEqual(states.paid);
  });

  it("is opened under a new key once, and not again and again", () => {
    const renewed = play(states.opening, events.renew);
    expect(renewed).toEqual({ name: "opening", isRenewed: true });
    expect(play(renewed, events.renew)).toMatchObject({ name: "failed" });
  });
});

describe("the history entry", () => {
  it("shows the buyer's own last order as confirmed, and no other", () => {
    const entry = historyEntry({ step: "confirmation", orderId: "o1" });
    expect(firstState(entry, paid)).toEqual(states.paid);
    for (const other of [{ ...paid, orderId: "o2" }, undefined])
      expect(firstState(entry, other)).toEqual(states.attendees);
  });

  it("opens the payment at once after a reload", () => {
    expect(firstState(historyEntry({ step: "payment" }), undefined)).toEqual(states.opening);
    expect(firstState(historyEntry({ step: "attendees" }), paid)).toEqual(states.attendees);
  });

  it("is nothing when anything else is in it", () => {
    for (const odd of [undefined, null, 7, {}, { step: "gift" }]) expect(historyEntry(odd)).toBeUndefined();
  });
});

describe("the step of checkout", () => {
  const general: CartItem = {
    ...{ id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001", name: "General Admission", price: 45, quantity: 1 },
    ...{ type: "ticket", itemData: {} },
  };
  const buyerInfo = { name: "Ana", email: "ana@example.com", phone: "7135550127" };
  const attendees = [{ name: "Ana", email: "ana@example.com", ticketTypeId: general.id, position: 0 }];
  const seats = [{ ...attendees[0]!, ticketName: general.name }];
  const complete = { ...emptyCart, items: [general], buyerInfo, attendees, seats, ticketCount: 1 };
  const incomplete = { ...complete, seats: [{ ...seats[0]!, email: "ana@example" }] };
  const opened = { ...complete, key: "k1", order, agreed: { buyerInfo, attendees } };

  it("is the one in the history entry while the details allow it", () => {
    expect(currentStep("payment", complete)).toBe("payment");
    expect(currentStep("payment", incomplete)).toBe("attendees");
    expect(currentStep("attendees", opened)).toBe("attendees");
  });

  it("is the open payment of this cart when history names none", () => {
    expect(currentStep(undefined, opened)).toBe("payment");
    expect(currentStep(undefined, complete)).toBe("attendees");
    expect(currentStep(undefined, { ...opened, key: "k2" })).toBe("attendees");
    expect(currentStep(undefined, { ...opened, buyerInfo: { ...buyerInfo, phone: "7135550128" } })).toBe(
      "attendees",
    );
    const { clientSecret: _, ...elsewhere } = order;
    expect(currentStep(undefined, { ...opened, order: elsewhere })).toBe("attendees");
  });
});
