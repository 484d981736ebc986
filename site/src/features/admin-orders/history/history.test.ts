import { expect, it } from "vitest";
import { cancelText, historyOf } from "./history.ts";
import type { OrderCase } from "../model.ts";

const order = {
  id: "o",
  created_at: "2025-06-01T12:00:00Z",
  confirmed_at: "2025-06-01T12:02:00Z",
  cancelled_at: null,
  cancel_reason: null,
  channel: "online",
  till_payments: [],
  payments: [],
  codes: [{ id: "t", attendee_name: "Ana", checked_in_at: "2025-06-27T16:00:00Z", admissions: [] }],
  ticket_transfers: [],
  attendee_corrections: [],
} as unknown as OrderCase;

it("lists an order's history, the latest first", () => {
  const refunded = [
    { name: "General Admission", quantity: 1 },
    { name: "Preferred Parking", quantity: 1 },
  ];
  const audit = [
    {
      id: "a",
      created_at: "2025-06-02T12:00:00Z",
      admin_user_id: "u",
      action_type: "UPDATE",
      new_values: { refunded: 105, whole_order: false, items: refunded, status: "confirmed" },
    },
  ];
  const outbox = [
    {
      id: 7,
      kind: "order_mail",
      created_at: "2025-06-01T12:02:00Z",
      done_at: null,
      dead_at: "2025-06-01T17:00:00Z",
      last_error: "mailbox full",
    },
  ];
  const sent = {
    ...outbox[0],
    id: 8,
    kind: "refund_mail",
    dead_at: null,
    done_at: "2025-06-02T12:00:01Z",
    last_error: null,
  };
  const declined = {
    payment_intent_id: "pi",
    created_at: "2025-06-01T12:01:00Z",
    status: "succeeded",
    failure_message: "Your card was declined.",
  };
  const paid = { ...order, payments: [declined] } as unknown as OrderCase;
  const unknown = { ...audit[0]!, id: "b", admin_user_id: "gone", created_at: "2025-06-02T11:00:00Z" };
  const story = historyOf(paid, [...audit, unknown] as never, [...outbox, sent] as never, {
    u: "ana@office.test",
  });
  expect(story.map(({ text, failed }) => [text, failed ?? false])).toEqual([
    ["Ana scanned in", false],
    ["Refund email sent", false],
    [
      "ana@office.test refunded 1\u00A0×\u00A0General Admission, 1\u00A0×\u00A0Preferred Parking: $105.00",
      false,
    ],
    [
      "An administrator refunded 1\u00A0×\u00A0General Admission, 1\u00A0×\u00A0Preferred Parking: $105.00",
      false,
    ],
    ["Order email failed: mailbox full", true],
    ["Paid and confirmed, tickets issued", false],
    ["Payment attempt failed: Your card was declined.", false],
    ["Order placed, stock held", false],
  ]);
});

it("describes the payment provider's notifications in words", () => {
  const at = "2025-06-02T12:00:00Z";
  const entry = { created_at: at, admin_user_id: null, new_values: { provider_id: "dp_1" } };
  const audit = ["CRITICAL_DISPUTE_DUE", "UPDATE_DISPUTE_WON"].map((action_type) => ({
    ...entry,
    id: action_type,
    action_type,
  }));
  const told = historyOf(order, audit as never, [], {}).filter((event) => event.at === at);
  expect(told.map(({ text, failed }) => [text, failed])).toEqual([
    ["The dispute response is due soon", true],
    ["The dispute was won", false],
  ]);
});

it("says of a payment that bought nothing what was true at each time", () => {
  const at = "2025-06-02T12:00:00Z";
  const entry = (id: string, action_type: string, new_values: object) => ({
    ...{ id, created_at: at, admin_user_id: "u", action_type, new_values },
  });
  const audit = [
    entry("1", "CRITICAL_PAYMENT_REFUNDED", { reason: "sold_out", amount: 30, currency: "usd" }),
    entry("2", "ERROR_REFUND_FAILED", { amount: 30, currency: "usd", failure: "No such account." }),
    entry("3", "ERROR_REFUND_FAILED", { amount: 30, currency: "eur", failure: null }),
    entry("4", "UPDATE", { acknowledged: true, owed: 30 }),
    entry("5", "UPDATE", { acknowledged: false }),
    entry("6", "UPDATE", { acknowledged: true }),
  ];
  const told = historyOf(order, audit as never, [], { u: "ana@office.test" });
  expect(told.filter((event) => event.at === at).map(({ text, failed }) => [text, failed])).toEqual([
    ["A payment of $30.00 bought nothing, and its refund was requested: Sold out", true],
    ["The refund of $30.00 failed: No such account.", true],
    ["The refund of €30.00 failed: no reason was given", true],
    ["ana@office.test marked the order as handled, with $30.00 still owed", false],
    ["ana@office.test marked the order as not handled", false],
    ["ana@office.test marked the order as handled", false],
  ]);
});

it("says of a voided door sale what was left to do by hand", () => {
  const voidedBy = (id: string, method: string) => ({
    ...{ id, created_at: "2025-06-02T12:00:00Z", admin_user_id: "u", action_type: "UPDATE" },
    new_values: { voided: 150, method, reason: "wrong type" },
  });
  const told = historyOf(order, [voidedBy("1", "card"), voidedBy("2", "cash")] as never, [], {
    u: "ana@office.test",
  });
  expect(told.map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      "ana@office.test voided the sale; $150.00 to be refunded on the card terminal: wrong type",
      "ana@office.test voided the sale; $150.00 to be handed back from the till: wrong type",
    ]),
  );
});

it("shows why an order was cancelled", () => {
  expect(cancelText("hold_expired")).toBe("the hold expired");
  expect(cancelText(null)).toBe("no reason was given");
});

it("shows who was let in where, repeats, overrides and undone scans", () => {
  const admission = {
    id: "a",
    admitted_at: "2025-06-27T16:00:00Z",
    is_offline: false,
    conflicts_with: null,
    despite: null,
    left_at: null,
    undone_at: null,
    undo_reason: null,
    gate_entrances: { name: "Main Entrance" },
    device_id: "phone",
    device_name: "Phone 1",
    admitted_by: "worker",
    undone_by: null,
    undo_scan_id: null,
  };
  const again = {
    ...admission,
    id: "b",
    admitted_at: "2025-06-27T16:05:00Z",
    is_offline: true,
    conflicts_with: "a",
    despite: "closed",
    gate_entrances: null,
  };
  const undone = {
    ...admission,
    id: "c",
    admitted_at: "2025-06-27T16:10:00Z",
    undone_at: "2025-06-27T16:11:00Z",
    undo_reason: "pressed twice",
    undone_by: "worker",
    undo_scan_id: "s",
  };
  const byHand = {
    ...admission,
    ...{ id: "d", device_id: null, device_name: "Back office", gate_entrances: null, admitted_by: "u" },
    ...{ undone_at: "2025-06-27T15:01:00Z", undo_reason: "her sister", undone_by: "gone" },
    admitted_at: "2025-06-27T15:00:00Z",
  };
  const [{ id, attendee_name }] = order.codes as [OrderCase["codes"][number]];
  const scanned = {
    ...order,
    codes: [
      { id, attendee_name, checked_in_at: admission.admitted_at, admissions: [admission, again] },
      { id: "p", attendee_name: null, checked_in_at: null, admissions: [undone, byHand] },
    ],
  } as unknown as OrderCase;
  const actors = { u: "ana@office.test", worker: "worker@gate.test" };
  const events = historyOf(scanned, [], [], actors).filter(({ at }) => at > "2025-06-27T00:00:00Z");
  expect(events.map(({ text, failed }) => [text, failed ?? false])).toEqual([
    ["Vehicle's check-in was undone: pressed twice", false],
    ["Vehicle let in at Main Entrance, Phone 1", false],
    ["Ana let in again at Phone 1 (offline, even though the entrance was closed)", true],
    ["Ana let in at Main Entrance, Phone 1", false],
    ["Vehicle's check-in was undone by an administrator: her sister", false],
    ["Vehicle let in by ana@office.test", false],
  ]);
});

it("shows to whom a ticket was offered and transferred, and what was corrected, by whom and why", () => {
  const offered = {
    id: "x",
    ticket_name: "VIP",
    from_attendee: "Ana",
    to_name: "Ben",
    to_email: "ben@example.com",
    offered_at: "2025-06-02T12:00:00Z",
  };
  const corrected = {
    id: "c",
    old_name: "Ana",
    old_email: "ana@exmaple.com",
    new_name: "Ana",
    new_email: "ana@example.com",
    by_admin: true,
    corrected_at: "2025-06-05T12:00:00Z",
  };
  const changed = {
    ...order,
    ticket_transfers: [
      { ...offered, state: "accepted", ended_at: "2025-06-03T12:00:00Z" },
      {
        ...offered,
        id: "y",
        state: "expired",
        expired_because: "refunded",
        ended_at: "2025-06-04T12:00:00Z",
      },
    ],
    attendee_corrections: [
      { ...corrected, corrected_by: "u", reason: "Typed wrong" },
      { ...corrected, corrected_by: "gone", new_name: "Anna", reason: "By phone" },
      { ...corrected, corrected_by: "h", by_admin: false, new_name: "Anne", reason: null },
    ],
  } as unknown as OrderCase;
  const actors = { u: "ana@office.test" };
  expect(historyOf(changed, [], [], actors).map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      "VIP of Ana offered to Ben (ben@example.com)",
      "VIP of Ana transferred to Ben (ben@example.com)",
      "The offer to Ben (ben@example.com) ended with the refund",
      "ana@office.test changed Ana (ana@exmaple.com) to Ana (ana@example.com): Typed wrong",
      "An administrator changed Ana (ana@exmaple.com) to Anna (ana@example.com): By phone",
      "The ticket holder changed Ana (ana@exmaple.com) to Anne (ana@example.com)",
    ]),
  );
});

it("names work that is still to be done", () => {
  const work = { created_at: "2025-06-01T12:02:00Z", done_at: null, dead_at: null, last_error: null };
  const kinds = ["order_mail", "cancel_intent"].map((kind, id) => ({ ...work, id, kind, payload: {} }));
  const texts = historyOf(order, [], kinds as never, {}).map(({ text }) => text);
  expect(texts).toEqual(expect.arrayContaining(["Order email queued", "Closing the payment queued"]));
});

it("does not call an email sent that a restored copy left out", () => {
  const work = { id: 1, kind: "order_mail", payload: {}, created_at: "2025-06-01T12:02:00Z", dead_at: null };
  const left = { ...work, done_at: "2025-06-02T12:00:00Z", last_error: "left out when this copy took over" };
  const texts = historyOf(order, [], [left] as never, {}).map(({ text }) => text);
  expect(texts).toContain("Order email: left out when this copy took over");
});
