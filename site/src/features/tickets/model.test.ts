import { expect, it } from "vitest";
import { pictureName, ticketName, ticketsOf, type Ticket } from "./model.ts";

it("names a ticket by its type, or Festival Ticket", () => {
  expect(ticketName({ ticket_types: { id: "v", name: "VIP", description: "" } })).toBe("VIP");
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

it("names the picture after the ticket", () => {
  expect(pictureName("abc")).toBe("ticket-abc.png");
});
