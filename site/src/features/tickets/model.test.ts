import { expect, it } from "vitest";
import { inOrder, pictureName, ticketName, ticketsOf, type Ticket } from "./model.ts";

it("names a ticket by its type, or Festival Ticket", () => {
  expect(ticketName({ ticket_types: { id: "v", name: "VIP", description: "", is_vip: true } })).toBe("VIP");
  expect(ticketName({ ticket_types: null })).toBe("Festival Ticket");
});

it("picks the tickets of an order by its items", () => {
  const tickets = [
    { id: "1", order_item_id: "a" },
    { id: "2", order_item_id: "b" },
  ] as Ticket[];
  expect(ticketsOf(tickets, ["b"]).map(({ id }) => id)).toEqual(["2"]);
  expect(ticketsOf(tickets, [])).toEqual([]);
  expect(ticketsOf(tickets, undefined)).toBe(tickets);
});

it("keeps the tickets of an order together, as they were bought", () => {
  const ticket = (id: string, order_id: string, item: number, position: number, created_at: string) =>
    ({ id, order_id, order_items: { position: item }, position, created_at }) as Ticket;
  const tickets = [
    ticket("b2", "b", 1, 2, "2025-06-01T10:00:00Z"),
    ticket("a1", "a", 1, 1, "2025-06-01T10:00:00Z"),
    ticket("b3", "b", 2, 1, "2025-06-01T10:00:00Z"),
    ticket("c1", "c", 1, 1, "2025-06-02T10:00:00Z"),
    ticket("b1", "b", 1, 1, "2025-06-01T10:00:00Z"),
  ];
  expect(inOrder(tickets).map(({ id }) => id)).toEqual(["c1", "a1", "b1", "b2", "b3"]);
});

it("names the picture after the ticket", () => {
  expect(pictureName("abc")).toBe("ticket-abc.png");
});
