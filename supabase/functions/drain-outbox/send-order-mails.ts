// Collects the content of the mails about an order.
import type { EntryCode, OrderInFull } from "../_shared/answers.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { validCodes } from "../_shared/entry-codes.ts";
import { readFestival } from "../_shared/festival.ts";
import { attendeeMail, orderMail, type TicketForMail, voidMail } from "../_shared/mail/order-mails.ts";
import { refundMail } from "../_shared/mail/letters.ts";
import { ensureQrCodes } from "../_shared/qr-code.ts";
import { drawQrCode } from "../_shared/qr-picture.ts";
import { admitted } from "contract/shop/kinds";
import { toCents } from "contract/shop/money";

export async function sendOrderMail(deps: FunctionDeps, { order_id }: { order_id: string }): Promise<void> {
  const order = await readOrder(deps, order_id);
  if (!isValid(order)) return;
  const codes = (await validCodes(deps, order_id)).filter((code) => isBuyers(order, code));
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
  const tickets = (await validCodes(deps, order_id)).filter(
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
  const { buyer_email, buyer_full_name, fee_name, refunds } = await readOrder(deps, work.order_id);
  const made = refunds.find(({ id }) => id === work.refund_id);
  if (!made) throw new Error(`order ${work.order_id} has no refund ${work.refund_id}`);
  const { order_id: orderId, cents, reason } = work;
  const fee = { name: fee_name ?? "Fee", cents: toCents(made.fee) };
  const codes = await validCodes(deps, orderId);
  const valid = [...new Set(codes.map(({ product_kinds }) => product_kinds.title))];
  const refund = { orderId, cents, currency: made.payments.currency, reason, items: made.items, valid, fee };
  await deps.sendMail(await refundMail(await readFestival(deps), buyer_email, buyer_full_name, refund));
}

/** To an attendee whose tickets became void, or the buyer, whatever the order's status is by now. */
export async function sendVoidMail(
  deps: FunctionDeps,
  work: { order_id: string; email: string; code_ids: string[] },
): Promise<void> {
  const order = await readOrder(deps, work.order_id);
  const all = await deps.sql("read_codes", { p_order_id: work.order_id });
  const codes = work.code_ids.flatMap((code) => all.find(({ id }) => id === code) ?? []);
  await deps.sendMail(await voidMail(await readFestival(deps), work.email, order, codes.map(wordsOf)));
}

const wordsOf = ({ id, attendee_name, products, product_kinds: kind }: EntryCode) => ({
  id,
  ticketName: products.name,
  attendee: attendee_name ?? admitted(kind, null),
  kind,
});

/** Mails to the buyer leave out tickets that were passed on, unless they came back. */
const isBuyers = ({ user_id: buyer }: OrderInFull, { user_id, transferred_issue }: EntryCode): boolean =>
  transferred_issue === null || (user_id !== null && user_id === buyer);

/** An order cancelled before its mail went out has no tickets to send. */
export const isValid = (order: OrderInFull): boolean =>
  order.status === "confirmed" || order.status === "completed";

export async function readOrder({ sql }: FunctionDeps, id: string): Promise<OrderInFull> {
  const order = await sql("read_order", { p_order_id: id });
  if (!order) throw new Error(`there is no order ${id}`);
  return order;
}

/** The mail shows the same code as the site; it is created here if the buyer has not opened it yet. */
export async function draw(deps: FunctionDeps, codes: readonly EntryCode[]): Promise<TicketForMail[]> {
  const issued = await ensureQrCodes(deps, codes);
  return codes.map((code, index) => ({ ...wordsOf(code), qrCode: drawQrCode(issued[index]!.token) }));
}
