// A buyer's tickets and extras as the screens show them. An extra has a code and needs no attendee: a parking pass, and whatever
// else is sold.
import type { Database } from "contract/database";
import { admitted, countsOf, type KindWords, type ProductKind } from "contract/shop/kinds";

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

export const extraColumns =
  "id, checked_in_at, created_at, issue_number, order_id, order_item_id, plate, position, qr_code_data, qr_code_url, voided_at, products(name), product_kinds(*), order_items(position, included)";

export type Extra = Pick<
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
  product_kinds: ProductKind;
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

/** What is shown at the gate. */
export interface Pass {
  kind: KindWords;
  isTicket: boolean;
  id: string;
  orderId: string;
  /** Raised with each new code. */
  issueNumber: number;
  /** The name of the product. */
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

/** The newest order first, each with its tickets and then its extras, in the order of purchase. */
export function passesOf(tickets: readonly Ticket[], extras: readonly Extra[]): Pass[] {
  const rows = [
    ...tickets.map((row) => ({ row, pass: passOfTicket(row) })),
    ...extras.map((row) => ({ row, pass: passOfExtra(row) })),
  ];
  return rows
    .toSorted(
      (one, other) =>
        Date.parse(other.row.created_at) - Date.parse(one.row.created_at) ||
        one.row.order_id.localeCompare(other.row.order_id) ||
        one.pass.kind.position - other.pass.kind.position ||
        (one.row.order_items?.position ?? 0) - (other.row.order_items?.position ?? 0) ||
        one.row.position - other.row.position,
    )
    .map(({ pass }) => pass);
}

/** The view `tickets` has no other kind. */
const ticketKind: KindWords = { kind: "ticket", position: 0, label: "ticket", plural: "tickets" };

function passOfTicket(ticket: Ticket): Pass {
  return {
    ...sharedOf(ticket),
    kind: ticketKind,
    isTicket: true,
    name: ticketName(ticket),
    isVip: ticket.ticket_types?.is_vip === true,
    holder: ticket.attendee_name,
    note: ticket.attendee_email,
  };
}

function passOfExtra(extra: Extra): Pass {
  const { product_kinds: kind } = extra;
  return {
    ...sharedOf(extra),
    kind,
    isTicket: false,
    name: extra.products?.name ?? kind.title,
    isVip: false,
    holder: admitted(kind, extra.plate),
    note: extra.order_items?.included ? "Included with VIP" : null,
  };
}

function sharedOf(row: Ticket | Extra) {
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
export const isChangeable = (pass: Pass): boolean => pass.isTicket && isUnused(pass);

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
  return countsOf(valid.map(({ kind }) => ({ kind, quantity: 1 }))) || "No valid tickets";
}

export function pictureName({ kind, id }: Pick<Pass, "kind" | "id">): string {
  return `${kind.kind}-${id}.png`;
}
