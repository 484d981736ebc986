// Collects the content of the mails about an order.
import type { Festival } from "contract/festival/facts";
import type { CodeToMail, EntryCode, OrderInFull, OrderToMail } from "../_shared/answers.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { validCodes } from "../_shared/entry-codes.ts";
import { readFestival } from "../_shared/festival.ts";
import { attendeeMail, orderMail, type TicketForMail, voidMail } from "../_shared/mail/order-mails.ts";
import { refundMail } from "../_shared/mail/letters.ts";
import { codesFor, ensureQrCodes, issueQrCodes, type QrCode } from "../_shared/qr-code.ts";
import { drawQrCode } from "../_shared/qr-picture.ts";
import { admitted } from "contract/shop/kinds";
import { toCents } from "contract/shop/money";

/** What mails about orders show that go out together. */
export interface MailedOrders {
  readonly festival: Festival;
  /** By their ids. */
  readonly orders: ReadonlyMap<string, OrderToMail>;
  /** By their codes' ids, without those that were refunded or reissued meanwhile. */
  readonly issued: ReadonlyMap<string, QrCode>;
}

/** One call reads all of them, and one writes their codes. */
export async function readMailedOrders(
  deps: FunctionDeps,
  orderIds: readonly string[],
): Promise<MailedOrders> {
  const [festival, orders] = await Promise.all([
    readFestival(deps),
    deps.sql("orders_to_mail", { p_order_ids: [...orderIds] }),
  ]);
  const codes = orders.filter(isValid).flatMap((order) => order.codes);
  return {
    festival,
    orders: new Map(orders.map((order) => [order.id, order])),
    issued: await issueQrCodes(
      deps,
      codes.map((code) => ({ ...code, event: festival.code })),
    ),
  };
}

export async function sendOrderMail(
  deps: FunctionDeps,
  { order_id }: { order_id: string },
  mailed: () => Promise<MailedOrders>,
): Promise<void> {
  const { festival, orders, issued } = await mailed();
  const order = orderIn(orders, order_id);
  if (!isValid(order)) return;
  const codes = order.codes.filter((code) => isBuyers(order, code));
  if (codes.length === 0) return;
  const drawn = drawnWith(codesFor(codes, issued), codes);
  await deps.sendMail(await orderMail(festival, order, drawn, deps.siteUrl));
}

export async function sendAttendeeMail(
  deps: FunctionDeps,
  { order_id, email }: { order_id: string; email: string },
  mailed: () => Promise<MailedOrders>,
): Promise<void> {
  const { festival, orders, issued } = await mailed();
  const order = orderIn(orders, order_id);
  if (!isValid(order)) return;
  const tickets = order.codes.filter(({ attendee_email }) => attendee_email?.toLowerCase() === email);
  if (tickets.length === 0) return;
  const drawn = drawnWith(codesFor(tickets, issued), tickets);
  await deps.sendMail(await attendeeMail(festival, email, order, drawn, deps.siteUrl));
}

function orderIn(orders: MailedOrders["orders"], id: string): OrderToMail {
  const order = orders.get(id);
  if (!order) throw new Error(`there is no order ${id}`);
  return order;
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

const wordsOf = ({
  id,
  attendee_name,
  products,
  product_kinds: kind,
}: Pick<CodeToMail, "id" | "attendee_name" | "products" | "product_kinds">) => ({
  id,
  ticketName: products.name,
  attendee: attendee_name ?? admitted(kind, null),
  kind,
});

/** Mails to the buyer leave out tickets that were passed on, unless they came back. */
const isBuyers = ({ user_id: buyer }: OrderToMail, { user_id, transferred_issue }: CodeToMail): boolean =>
  transferred_issue === null || (user_id !== null && user_id === buyer);

/** An order cancelled before its mail went out has no tickets to send. */
export const isValid = (order: Pick<OrderInFull, "status">): boolean =>
  order.status === "confirmed" || order.status === "completed";

export async function readOrder({ sql }: FunctionDeps, id: string): Promise<OrderInFull> {
  const order = await sql("read_order", { p_order_id: id });
  if (!order) throw new Error(`there is no order ${id}`);
  return order;
}

/** The mail shows the same code as the site; it is created here if the buyer has not opened it yet. */
export async function draw(deps: FunctionDeps, codes: readonly EntryCode[]): Promise<TicketForMail[]> {
  return drawnWith(await ensureQrCodes(deps, codes), codes);
}

const drawnWith = (
  issued: readonly QrCode[],
  codes: readonly Parameters<typeof wordsOf>[0][],
): TicketForMail[] =>
  codes.map((code, index) => ({ ...wordsOf(code), qrCode: drawQrCode(issued[index]!.token) }));
