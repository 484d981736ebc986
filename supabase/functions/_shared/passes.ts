// The valid tickets and parking permits of an order, as documents and wallets show them. Only their holders and administrators may
// have them.
import type { Coded, CodedRow } from "./qr-code.ts";
import { codedColumns } from "./qr-code.ts";
import type { FunctionDeps } from "./deps.ts";
import { rowsOf } from "./rpc.ts";

export interface Pass {
  readonly table: Coded;
  readonly row: CodedRow & { readonly order_id: string; readonly position: number };
  readonly kind: "ticket" | "parking";
  readonly name: string;
  readonly description: string;
  readonly isVip: boolean;
  /** Who or what it admits. */
  readonly holder: string;
  /** Position of its order item in the order. */
  readonly item: number;
}

type Shared = CodedRow & {
  readonly order_id: string;
  readonly position: number;
  readonly order_items: { readonly position: number };
};

interface TicketRow extends Shared {
  readonly attendee_name: string;
  readonly ticket_types: { readonly name: string; readonly description: string; readonly is_vip: boolean };
}

interface PermitRow extends Shared {
  readonly plate: string | null;
  readonly parking_passes: { readonly type_name: string; readonly description: string };
}

/** All passes of an order, or a single pass. Without `holderId`, whoever holds them. */
interface Wanted {
  readonly orderId?: string;
  readonly id?: string;
  readonly holderId?: string;
}

/** Tickets, then parking, each in the order of purchase. Void ones admit nobody and are left out. */
export async function readPasses(deps: FunctionDeps, wanted: Wanted): Promise<Pass[]> {
  const [tickets, permits] = await Promise.all([
    rowsOf(
      "tickets",
      select(deps, "tickets", "attendee_name, ticket_types(name, description, is_vip)", wanted).overrideTypes<
        TicketRow[],
        { merge: false }
      >(),
    ),
    rowsOf(
      "parking permits",
      select(deps, "parking_permits", "plate, parking_passes(type_name, description)", wanted).overrideTypes<
        PermitRow[],
        { merge: false }
      >(),
    ),
  ]);
  return [...tickets.map(passOfTicket).sort(asBought), ...permits.map(passOfPermit).sort(asBought)];
}

function select(deps: FunctionDeps, table: Coded, columns: string, { orderId, id, holderId }: Wanted) {
  let query = deps.supabase
    .from(table)
    .select(`${codedColumns[table]}, order_id, position, order_items(position), ${columns}`)
    .is("voided_at", null);
  if (orderId !== undefined) query = query.eq("order_id", orderId);
  if (id !== undefined) query = query.eq("id", id);
  return holderId === undefined ? query : query.eq("user_id", holderId);
}

const asBought = (one: Pass, other: Pass) => one.item - other.item || one.row.position - other.row.position;

const passOfTicket = (row: TicketRow): Pass => ({
  table: "tickets",
  row,
  kind: "ticket",
  name: row.ticket_types.name,
  description: row.ticket_types.description,
  isVip: row.ticket_types.is_vip,
  holder: row.attendee_name,
  item: row.order_items.position,
});

const passOfPermit = (row: PermitRow): Pass => ({
  table: "parking_permits",
  row,
  kind: "parking",
  name: row.parking_passes.type_name,
  description: row.parking_passes.description,
  isVip: false,
  holder: row.plate === null ? "One vehicle" : `Vehicle ${row.plate}`,
  item: row.order_items.position,
});
