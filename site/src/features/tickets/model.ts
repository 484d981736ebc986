// A buyer's tickets as the screens show them.
import type { Database } from "contract/database";

type TicketRow = Database["public"]["Tables"]["tickets"]["Row"];
type TicketTypeRow = Database["public"]["Tables"]["ticket_types"]["Row"];

/** What the screens read of a ticket, in PostgREST's syntax. */
export const ticketColumns =
  "id, attendee_email, attendee_name, checked_in_at, created_at, is_checked_in, order_id, order_item_id, position, qr_code_data, qr_code_url, ticket_type_id, user_id, voided_at, ticket_types(id, name, description, is_vip), order_items(position)";

export type Ticket = Pick<
  TicketRow,
  | "id"
  | "attendee_email"
  | "attendee_name"
  | "checked_in_at"
  | "created_at"
  | "is_checked_in"
  | "order_id"
  | "order_item_id"
  | "position"
  | "qr_code_data"
  | "qr_code_url"
  | "ticket_type_id"
  | "user_id"
  | "voided_at"
> & {
  ticket_types: Pick<TicketTypeRow, "id" | "name" | "description" | "is_vip"> | null;
  order_items: { position: number } | null;
};

/** The newest order first, each with its tickets as they were bought. */
export function inOrder(tickets: readonly Ticket[]): Ticket[] {
  return tickets.toSorted(
    (one, other) =>
      Date.parse(other.created_at) - Date.parse(one.created_at) ||
      one.order_id.localeCompare(other.order_id) ||
      (one.order_items?.position ?? 0) - (other.order_items?.position ?? 0) ||
      one.position - other.position,
  );
}

export function ticketName(ticket: Pick<Ticket, "ticket_types">): string {
  return ticket.ticket_types?.name ?? "Festival Ticket";
}

/** The tickets of these order items, or all when none are given. */
export function ticketsOf(
  tickets: readonly Ticket[],
  orderItemIds: readonly string[] | undefined,
): readonly Ticket[] {
  return orderItemIds ? tickets.filter((ticket) => orderItemIds.includes(ticket.order_item_id)) : tickets;
}

export function pictureName(ticketId: string): string {
  return `ticket-${ticketId}.png`;
}
