// Collects the content of the mails about an order.
import { concurrently } from "../_shared/concurrently.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { readFestival } from "../_shared/festival.ts";
import {
  attendeeMail,
  orderMail,
  type OrderForMail,
  type TicketForMail,
  voidMail,
} from "../_shared/mail/order-mails.ts";
import { type RefundedItem, refundMail } from "../_shared/mail/letters.ts";
import { codedColumns, type CodedRow, drawQrCode, ensureQrCode } from "../_shared/qr-code.ts";
import { toCents } from "contract/shop/money";
import { rowsOf } from "../_shared/rpc.ts";

interface OrderRow extends OrderForMail {
  readonly status: string;
  readonly user_id: string | null;
}

export interface TicketRow extends CodedRow {
  readonly user_id: string | null;
  readonly transferred_issue: number | null;
  readonly attendee_name: string;
  readonly attendee_email: string;
  readonly position: number;
  readonly ticket_types: { readonly name: string };
  readonly order_items: { readonly position: number };
}

interface PermitRow extends CodedRow {
  readonly position: number;
  readonly parking_passes: { readonly type_name: string };
  readonly order_items: { readonly position: number };
}

export async function sendOrderMail(deps: FunctionDeps, { order_id }: { order_id: string }): Promise<void> {
  const order = await readOrder(deps, order_id);
  if (!isValid(order)) return;
  const tickets = (await readTickets(deps, order_id)).filter((ticket) => isBuyers(order, ticket));
  const permits = await readPermits(deps, order_id);
  if (tickets.length + permits.length === 0) return;
  const drawn = [await draw(deps, tickets), await drawPermits(deps, permits)] as const;
  await deps.sendMail(await orderMail(await readFestival(deps), order, ...drawn, deps.siteUrl));
}

export async function sendAttendeeMail(
  deps: FunctionDeps,
  { order_id, email }: { order_id: string; email: string },
): Promise<void> {
  const order = await readOrder(deps, order_id);
  if (!isValid(order)) return;
  const tickets = (await readTickets(deps, order_id)).filter(
    (ticket) => ticket.attendee_email.toLowerCase() === email,
  );
  if (tickets.length === 0) return;
  await deps.sendMail(
    await attendeeMail(await readFestival(deps), email, order, await draw(deps, tickets), deps.siteUrl),
  );
}

export async function sendRefundMail(
  deps: FunctionDeps,
  work: { order_id: string; refund_id: string; cents: number; reason: string },
): Promise<void> {
  const { buyer_email, buyer_full_name } = await readOrder(deps, work.order_id);
  const { items, fee, payments, orders } = await rowsOf(
    "refund",
    deps.supabase
      .from("refunds")
      .select("items, fee, payments(currency), orders(fee_name)")
      .eq("id", work.refund_id)
      .single<{
        items: RefundedItem[];
        fee: number;
        payments: { currency: string };
        orders: { fee_name: string | null };
      }>(),
  );
  const { order_id: orderId, cents, reason } = work;
  const feeLine = { name: orders.fee_name ?? "Fee", cents: toCents(fee) };
  const refund = { orderId, cents, currency: payments.currency, reason, items, fee: feeLine };
  await deps.sendMail(await refundMail(await readFestival(deps), buyer_email, buyer_full_name, refund));
}

/** To an attendee whose tickets became void, or the buyer, whatever the order's status is by now. */
export async function sendVoidMail(
  deps: FunctionDeps,
  work: { order_id: string; email: string; ticket_ids: string[]; permit_ids: string[] },
): Promise<void> {
  const order = await readOrder(deps, work.order_id);
  const tickets = await rowsOf(
    "void tickets",
    deps.supabase
      .from("tickets")
      .select("id, attendee_name, ticket_types(name)")
      .in("id", work.ticket_ids)
      .order("id")
      .overrideTypes<Pick<TicketRow, "id" | "attendee_name" | "ticket_types">[], { merge: false }>(),
  );
  const permits = await rowsOf(
    "void parking permits",
    deps.supabase
      .from("parking_permits")
      .select("id, parking_passes(type_name)")
      .in("id", work.permit_ids)
      .order("id")
      .overrideTypes<Pick<PermitRow, "id" | "parking_passes">[], { merge: false }>(),
  );
  const lost = [...tickets.map(ticketWords), ...permits.map(permitWords)];
  await deps.sendMail(await voidMail(await readFestival(deps), work.email, order, lost));
}

const ticketWords = (ticket: Pick<TicketRow, "id" | "attendee_name" | "ticket_types">) => ({
  id: ticket.id,
  ticketName: ticket.ticket_types.name,
  attendee: ticket.attendee_name,
});

const permitWords = (permit: Pick<PermitRow, "id" | "parking_passes">) => ({
  id: permit.id,
  ticketName: permit.parking_passes.type_name,
  attendee: "One vehicle",
  isParking: true,
});

/** Mails to the buyer leave out tickets that were passed on, unless they came back. */
const isBuyers = ({ user_id: buyer }: OrderRow, { user_id, transferred_issue }: TicketRow): boolean =>
  transferred_issue === null || (user_id !== null && user_id === buyer);

/** An order cancelled before its mail went out has no tickets to send. */
export const isValid = (order: OrderRow): boolean =>
  order.status === "confirmed" || order.status === "completed";

export function readOrder(deps: FunctionDeps, orderId: string): Promise<OrderRow> {
  return rowsOf(
    "order",
    deps.supabase
      .from("orders")
      .select(
        "id, status, channel, user_id, buyer_full_name, buyer_email, total_amount, discount_amount, promo_code, fee_amount, fee_name, fee_refunded, order_items(name, quantity, unit_price, included, discount, refunded, refunded_amount)",
      )
      .eq("id", orderId)
      .order("position", { referencedTable: "order_items" })
      .single<OrderRow>(),
  );
}

/** Valid tickets in the order of purchase. */
export async function readTickets(deps: FunctionDeps, orderId: string): Promise<TicketRow[]> {
  const tickets = await rowsOf(
    "tickets",
    deps.supabase
      .from("tickets")
      .select(
        `${codedColumns.tickets}, user_id, transferred_issue, attendee_name, attendee_email, position, ticket_types(name), order_items(position)`,
      )
      .eq("order_id", orderId)
      .is("voided_at", null)
      .overrideTypes<TicketRow[], { merge: false }>(),
  );
  return tickets.sort((a, b) => a.order_items.position - b.order_items.position || a.position - b.position);
}

async function readPermits(deps: FunctionDeps, orderId: string): Promise<PermitRow[]> {
  const permits = await rowsOf(
    "parking permits",
    deps.supabase
      .from("parking_permits")
      .select(`${codedColumns.parking_permits}, position, parking_passes(type_name), order_items(position)`)
      .eq("order_id", orderId)
      .is("voided_at", null)
      .overrideTypes<PermitRow[], { merge: false }>(),
  );
  return permits.sort((a, b) => a.order_items.position - b.order_items.position || a.position - b.position);
}

/** The mail shows the same code as the site; it is created here if the buyer has not opened it yet. */
export function draw(deps: FunctionDeps, tickets: readonly TicketRow[]): Promise<TicketForMail[]> {
  return concurrently(tickets, 2, async (ticket) => {
    const { token, picture } = await ensureQrCode(deps, "tickets", ticket);
    return { ...ticketWords(ticket), qrCode: picture ?? (await drawQrCode(token)) };
  });
}

function drawPermits(deps: FunctionDeps, permits: readonly PermitRow[]): Promise<TicketForMail[]> {
  return concurrently(permits, 2, async (permit) => {
    const { token, picture } = await ensureQrCode(deps, "parking_permits", permit);
    return { ...permitWords(permit), qrCode: picture ?? (await drawQrCode(token)) };
  });
}
