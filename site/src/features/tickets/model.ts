// A buyer's tickets and parking passes as the screens show them.
import { count } from "#lib/format.ts";
import type { Database } from "contract/database";

type CodeRow = Database["public"]["Tables"]["entry_codes"]["Row"];
type TicketTypeRow = Database["public"]["Tables"]["products"]["Row"];

/** The columns that the screens read of a ticket, in PostgREST's syntax. */
export const ticketColumns =
  "id, attendee_email, attendee_name, checked_in_at, created_at, is_checked_in, issue_number, order_id, order_item_id, position, qr_code_data, qr_code_url, ticket_type_id, user_id, voided_at, ticket_types(id, name, description, is_vip), order_items(position)";

export type Ticket = Pick<
  CodeRow,
  | "id"
  | "checked_in_at"
  | "created_at"
  | "is_checked_in"
  | "issue_number"
  | "order_id"
  | "order_item_id"
  | "position"
  | "qr_code_data"
  | "qr_code_url"
  | "user_id"
  | "voided_at"
> & {
  attendee_email: string;
  attendee_name: string;
  ticket_type_id: string;
  ticket_types: Pick<TicketTypeRow, "id" | "name" | "description" | "is_vip"> | null;
  order_items: { position: number } | null;
};

export const permitColumns =
  "id, checked_in_at, created_at, issue_number, order_id, order_item_id, plate, position, qr_code_data, qr_code_url, voided_at, products(name), order_items(position, included)";

/** What has a code and needs no attendee. */
export type Permit = Pick<
  CodeRow,
  | "id"
  | "checked_in_at"
  | "created_at"
  | "issue_number"
  | "order_id"
  | "order_item_id"
  | "plate"
  | "position"
  | "qr_code_data"
  | "qr_code_url"
  | "voided_at"
> & {
  products: { name: string } | null;
  order_items: { position: number; included: boolean } | null;
};

/** A transfer of a ticket, as its giver and its recipient read it. */
export type Transfer = Pick<
  Database["public"]["Tables"]["ticket_transfers"]["Row"],
  | "id"
  | "offer_id"
  | "ticket_id"
  | "order_id"
  | "ticket_name"
  | "from_user_id"
  | "from_name"
  | "to_user_id"
  | "to_name"
  | "to_email"
  | "state"
  | "ended_at"
>;

export const transferColumns =
  "id, offer_id, ticket_id, order_id, ticket_name, from_user_id, from_name, to_user_id, to_name, to_email, state, ended_at";

/** What is shown at the gate: a ticket or a parking permit. */
export interface Pass {
  kind: "ticket" | "parking";
  id: string;
  orderId: string;
  /** Raised with each new code. */
  issueNumber: number;
  /** The name of the ticket type or parking pass. */
  name: string;
  isVip: boolean;
  /** Who, or what, it admits. */
  holder: string;
  /** Shown below the holder. */
  note: string | null;
  codeUrl: string | null;
  checkedInAt: string | null;
  isVoid: boolean;
}

/** The newest order first, each with its tickets and then its parking, in the order of purchase. */
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
    name: permit.products?.name ?? "Parking",
    isVip: false,
    holder: permit.plate === null ? "One vehicle" : `Vehicle ${permit.plate}`,
    note: permit.order_items?.included ? "Included with VIP" : null,
  };
}

function sharedOf(row: Ticket | Permit) {
  return {
    id: row.id,
    orderId: row.order_id,
    issueNumber: row.issue_number,
    codeUrl: row.qr_code_url,
    checkedInAt: row.checked_in_at,
    isVoid: row.voided_at !== null,
  };
}

export function ticketName(ticket: Pick<Ticket, "ticket_types">): string {
  return ticket.ticket_types?.name ?? "Festival Ticket";
}

/** The passes of one order, in the order in which they are needed. */
export interface PassGroup {
  orderId: string;
  passes: readonly Pass[];
  /** The order's tickets that the user passed on, the latest first. */
  passedOn: readonly Transfer[];
  /** The people who passed some of its tickets on to the user. */
  from: readonly string[];
}

/**
 * Orders with unused passes come first, newest at the top. Within each, unused passes come before used ones. A screen that is
 * already open passes the use that each pass had when it appeared, so that a scan moves no pass under the hand.
 */
export function groupsOf(
  passes: readonly Pass[],
  transfers: readonly Transfer[],
  userId: string,
  useWhenShown: UseById = usesOf(passes),
): PassGroup[] {
  const held = new Set(passes.map(({ id }) => id));
  const accepted = transfers.filter(({ state }) => state === "accepted");
  const gone = accepted.filter(
    ({ from_user_id, ticket_id }) => from_user_id === userId && !held.has(ticket_id),
  );
  // One of the user's own that came back did not come from anyone.
  const came = firstOf(accepted).filter(
    ({ to_user_id, ticket_id }) => to_user_id === userId && held.has(ticket_id),
  );
  const groups = Map.groupBy(passes, ({ orderId }) => orderId);
  for (const { order_id } of gone) if (!groups.has(order_id)) groups.set(order_id, []);
  const placeOf = (pass: Pass | undefined) => (pass && useWhenShown.get(pass.id)) ?? useOf(pass);
  return Array.from(groups, ([orderId, own]) => ({
    orderId,
    passes: own.toSorted((one, other) => placeOf(one) - placeOf(other)),
    passedOn: latestOf(gone.filter(({ order_id }) => order_id === orderId)),
    from: [...new Set(came.filter(({ order_id }) => order_id === orderId).map(({ from_name }) => from_name))],
  })).toSorted((one, other) => placeOf(one.passes[0]) - placeOf(other.passes[0]));
}

/** The latest transfer of each ticket: it may have come back and gone again. */
const latestOf = (transfers: readonly Transfer[]): Transfer[] =>
  oneOfEach(
    transfers.toSorted((one, other) => Date.parse(other.ended_at ?? "") - Date.parse(one.ended_at ?? "")),
  );

const firstOf = (transfers: readonly Transfer[]): Transfer[] =>
  oneOfEach(
    transfers.toSorted((one, other) => Date.parse(one.ended_at ?? "") - Date.parse(other.ended_at ?? "")),
  );

/** The first transfer of each ticket in this order. */
const oneOfEach = (transfers: readonly Transfer[]): Transfer[] =>
  transfers.filter(
    ({ ticket_id }, index) => transfers.findIndex((other) => other.ticket_id === ticket_id) === index,
  );

/** The open offers, by their tickets. */
export const offersOf = (transfers: readonly Transfer[]): ReadonlyMap<string, Transfer> =>
  new Map(transfers.filter(({ state }) => state === "offered").map((offer) => [offer.ticket_id, offer]));

export const isUnused = (pass: Pass): boolean => !pass.isVoid && pass.checkedInAt === null;

/** Only a ticket that could still admit someone can be transferred or corrected. */
export const isChangeable = (pass: Pass): boolean => pass.kind === "ticket" && isUnused(pass);

/** How far each pass is used, by its id. */
export type UseById = ReadonlyMap<string, number>;

/** The uses known `before`, and those of passes that are new. */
export const usesOf = (passes: readonly Pass[], before: UseById = new Map()): UseById =>
  new Map([...passes.map((pass) => [pass.id, useOf(pass)] as const), ...before]);

/** Unused passes before used ones, otherwise as they are. */
export const unusedFirst = (passes: readonly Pass[]): Pass[] =>
  passes.toSorted((one, other) => useOf(one) - useOf(other));

/** 0: unused; 1: used; 2: void. */
function useOf(pass: Pass | undefined): number {
  if (!pass || pass.isVoid) return 2;
  return pass.checkedInAt === null ? 0 : 1;
}

/** "3 tickets and 1 parking pass": what is still valid. */
export function contentsOf(passes: readonly Pass[]): string {
  const valid = passes.filter(({ isVoid }) => !isVoid);
  const parking = valid.filter(({ kind }) => kind === "parking").length;
  const tickets = valid.length - parking;
  const contents = [
    tickets > 0 && count(tickets, "ticket"),
    parking > 0 && count(parking, "parking pass", "parking passes"),
  ];
  return contents.filter(Boolean).join(" and ") || "No valid tickets";
}

export function pictureName({ kind, id }: Pick<Pass, "kind" | "id">): string {
  return `${kind}-${id}.png`;
}
