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
import { admitted, type ProductKind } from "contract/shop/kinds";
import { toCents } from "contract/shop/money";
import { rowsOf } from "../_shared/database.ts";

interface OrderRow extends OrderForMail {
  readonly status: string;
  readonly user_id: string | null;
}

interface CodeRow extends CodedRow {
  readonly user_id: string | null;
  readonly transferred_issue: number | null;
  readonly attendee_name: string | null;
  readonly attendee_email: string | null;
  readonly position: number;
  readonly products: { readonly name: string };
  readonly product_kinds: ProductKind;
  readonly order_items: { readonly position: number };
}

export async function sendOrderMail(deps: FunctionDeps, { order_id }: { order_id: string }): Promise<void> {
  const order = await readOrder(deps, order_id);
  if (!isValid(order)) return;
  const codes = (await readCodes(deps, order_id)).filter((code) => isBuyers(order, code));
  if (codes.length === 0) return;
  const drawn = await draw(deps, codes);
  await deps.sendMail(await orderMail(await readFestival(deps), order, drawn, deps.siteUrl));
}

export async function sendAttendeeMail(
  deps: FunctionDeps,
  { order_id, email }: { order_id: string; email: string },
): Promise<void> {
  const order = await readOrder(deps, order_id);
  if (!isValid(order)) return;
  const tickets = (await readCodes(deps, order_id)).filter(
    ({ attendee_email }) => attendee_email?.toLowerCase() === email,
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
  work: { order_id: string; email: string; code_ids: string[] },
): Promise<void> {
  const order = await readOrder(deps, work.order_id);
  const codes = await rowsOf(
    "void entry codes",
    deps.supabase
      .from("entry_codes")
      .select("id, attendee_name, products(name), product_kinds(*)")
      .in("id", work.code_ids)
      .overrideTypes<NamedCode[], { merge: false }>(),
  );
  codes.sort((one, other) => work.code_ids.indexOf(one.id) - work.code_ids.indexOf(other.id));
  await deps.sendMail(await voidMail(await readFestival(deps), work.email, order, codes.map(wordsOf)));
}

type NamedCode = Pick<CodeRow, "id" | "attendee_name" | "products" | "product_kinds">;

const wordsOf = ({ id, attendee_name, products, product_kinds: kind }: NamedCode) => ({
  id,
  ticketName: products.name,
  attendee: attendee_name ?? admitted(kind, null),
  kind,
});

/** Mails to the buyer leave out tickets that were passed on, unless they came back. */
const isBuyers = ({ user_id: buyer }: OrderRow, { user_id, transferred_issue }: CodeRow): boolean =>
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

/** Valid ones in the order of their kinds, each in the order of purchase. */
export async function readCodes(deps: FunctionDeps, orderId: string): Promise<CodeRow[]> {
  const codes = await rowsOf(
    "entry codes",
    deps.supabase
      .from("entry_codes")
      .select(
        `${codedColumns}, user_id, transferred_issue, attendee_name, attendee_email, position, products(name), product_kinds(*), order_items(position)`,
      )
      .eq("order_id", orderId)
      .is("voided_at", null)
      .overrideTypes<CodeRow[], { merge: false }>(),
  );
  return codes.sort(
    (a, b) =>
      a.product_kinds.position - b.product_kinds.position ||
      a.order_items.position - b.order_items.position ||
      a.position - b.position,
  );
}

/** The mail shows the same code as the site; it is created here if the buyer has not opened it yet. */
export function draw(deps: FunctionDeps, codes: readonly CodeRow[]): Promise<TicketForMail[]> {
  return concurrently(codes, 2, async (code) => {
    const { token, picture } = await ensureQrCode(deps, code);
    return { ...wordsOf(code), qrCode: picture ?? (await drawQrCode(token)) };
  });
}
