// A buyer's tickets and parking passes as the screens show them.
import { count } from "#lib/format.ts";
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

type PermitRow = Database["public"]["Tables"]["parking_permits"]["Row"];

export const permitColumns =
  "id, checked_in_at, created_at, order_id, order_item_id, plate, position, qr_code_url, voided_at, parking_passes(type_name), order_items(position, included)";

export type Permit = Pick<
  PermitRow,
  | "id"
  | "checked_in_at"
  | "created_at"
  | "order_id"
  | "order_item_id"
  | "plate"
  | "position"
  | "qr_code_url"
  | "voided_at"
> & {
  parking_passes: { type_name: string } | null;
  order_items: { position: number; included: boolean } | null;
};

/** What is shown at the gate: a ticket or a parking permit. */
export interface Pass {
  kind: "ticket" | "parking";
  id: string;
  orderId: string;
  orderItemId: string;
  /** The ticket type's or parking pass's. */
  name: string;
  isVip: boolean;
  /** Whom, or what, it admits. */
  holder: string;
  /** A line under that. */
  note: string | null;
  codeUrl: string | null;
  checkedInAt: string | null;
  isVoid: boolean;
}

/** The newest order first, each with its tickets and then its parking as they were bought. */
export function passesOf(tickets: readonly Ticket[], permits: readonly Permit[]): Pass[] {
  const rows = [
    ...tickets.map((row) => ({ row, isPermit: 0, pass: passOfTicket(row) })),
    ...permits.map((row) => ({ row, isPermit: 1, pass: passOfPermit(row) })),
  ];
  return rows
    .toSorted(
      (one, other) =>
        Date.parse(other.row.created_at) - Date.parse(one.row.created_at) ||
        one.row.order_id.localeCompare(other.row.order_id) ||
        one.isPermit - other.isPermit ||
        (one.row.order_items?.position ?? 0) - (other.row.order_items?.position ?? 0) ||
        one.row.position - other.row.position,
    )
    .map(({ pass }) => pass);
}

function passOfTicket(ticket: Ticket): Pass {
  return {
    ...sharedOf(ticket),
    kind: "ticket",
    name: ticketName(ticket),
    isVip: ticket.ticket_types?.is_vip === true,
    holder: ticket.attendee_name,
    note: ticket.attendee_email,
  };
}

function passOfPermit(permit: Permit): Pass {
  return {
    ...sharedOf(permit),
    kind: "parking",
    name: permit.parking_passes?.type_name ?? "Parking",
    isVip: false,
    holder: permit.plate === null ? "One vehicle" : `Vehicle ${permit.plate}`,
    note: permit.order_items?.included ? "Included with VIP" : null,
  };
}

function sharedOf(row: Ticket | Permit) {
  return {
    id: row.id,
    orderId: row.order_id,
    orderItemId: row.order_item_id,
    codeUrl: row.qr_code_url,
    checkedInAt: row.checked_in_at,
    isVoid: row.voided_at !== null,
  };
}

export function ticketName(ticket: Pick<Ticket, "ticket_types">): string {
  return ticket.ticket_types?.name ?? "Festival Ticket";
}

/** What one order has to show, in the order in which it is needed. */
export interface PassGroup {
  orderId: string;
  passes: readonly Pass[];
}

/** Orders with something left to use come first, the newest of them at the top; in each, what is unused before what is used. */
export function groupsOf(passes: readonly Pass[]): PassGroup[] {
  const groups = Map.groupBy(passes, ({ orderId }) => orderId);
  return Array.from(groups, ([orderId, own]) => ({
    orderId,
    passes: own.toSorted((one, other) => useOf(one) - useOf(other)),
  })).toSorted((one, other) => useOf(one.passes[0]) - useOf(other.passes[0]));
}

/** 0: still to use; 1: used; 2: void. */
function useOf(pass: Pass | undefined): number {
  if (!pass || pass.isVoid) return 2;
  return pass.checkedInAt === null ? 0 : 1;
}

/** "3 tickets and 1 parking pass" */
export function contentsOf(passes: readonly Pass[]): string {
  const parking = passes.filter(({ kind }) => kind === "parking").length;
  const tickets = passes.length - parking;
  return [
    tickets > 0 && count(tickets, "ticket"),
    parking > 0 && count(parking, "parking pass", "parking passes"),
  ]
    .filter(Boolean)
    .join(" and ");
}

/** The passes of these order items, or all when none are given. */
export function ofItems(
  passes: readonly Pass[],
  orderItemIds: readonly string[] | undefined,
): readonly Pass[] {
  return orderItemIds ? passes.filter((pass) => orderItemIds.includes(pass.orderItemId)) : passes;
}

export function pictureName({ kind, id }: Pick<Pass, "kind" | "id">): string {
  return `${kind}-${id}.png`;
}
