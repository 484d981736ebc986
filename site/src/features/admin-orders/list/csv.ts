// The books as files: orders with their money, and one row for each refund. Sums of online orders match the payment provider's to the cent,
// and sums of door sales match the tills'. An order's money is in dollars. A payment in another currency paid for nothing, and its refund
// names the currency.
import { csvMoney, csvTime, type CsvColumn } from "#lib/lists/csv.ts";
import { amountText } from "contract/shop/currency";
import { toCents } from "contract/shop/money";
import { refundReasonText } from "contract/shop/refund-reasons";
import type { BookedOrder, BookedRefund } from "./booked.ts";
import { itemsText } from "../model.ts";

/** The cost of the items. The total is this minus the discount plus the fee. */
const itemsCents = (row: BookedOrder) =>
  toCents(row.total_amount) - toCents(row.fee_amount) + toCents(row.discount_amount);

export const orderCsv: readonly CsvColumn<BookedOrder>[] = [
  ["Order", (row) => row.id],
  ["Buyer", (row) => row.buyer_full_name],
  ["Email", (row) => row.buyer_email],
  ["Phone", (row) => row.buyer_phone_number],
  ["Status", (row) => row.status],
  ["Channel", (row) => row.channel],
  ["Items", (row) => row.items],
  ["Items before discount", (row) => csvMoney(itemsCents(row))],
  ["Discount", (row) => csvMoney(toCents(row.discount_amount))],
  ["Promo code", (row) => row.promo_code],
  ["Fee", (row) => csvMoney(toCents(row.fee_amount))],
  ["Fee name", (row) => row.fee_name],
  ["Total", (row) => csvMoney(toCents(row.total_amount))],
  ["Paid by", (row) => row.paid_by],
  ["Paid", (row) => csvMoney(toCents(row.paid))],
  ["Refunded", (row) => csvMoney(toCents(row.refunded))],
  ["Net", (row) => csvMoney(toCents(row.paid) - toCents(row.refunded))],
  ["Payment", (row) => row.payment_intent_id],
  ["Created (Central)", (row) => csvTime(row.created_at)],
  ["Canceled (Central)", (row) => csvTime(row.cancelled_at)],
  ["Reason canceled", (row) => row.cancel_reason],
  ["Tags", (row) => row.tags],
];

/** Failed refunds are included, with their status: they moved no money. */
export const refundCsv: readonly CsvColumn<BookedRefund>[] = [
  ["Refund", (row) => row.id],
  ["Order", (row) => row.order_id],
  ["Buyer", (row) => row.orders.buyer_full_name],
  ["Email", (row) => row.orders.buyer_email],
  ["Items", (row) => itemsText(row.items)],
  ["Amount", ({ amount, payments: { currency } }) => amountText(toCents(amount), currency)],
  ["Currency", (row) => row.payments.currency.toUpperCase()],
  ["Status", (row) => row.status],
  ["Reason", (row) => refundReasonText(row.reason)],
  ["Note", (row) => row.refund_notes?.note],
  ["Reason refused", (row) => row.failure_message],
  ["Payment", (row) => row.payment_intent_id],
  ["Refund ID", (row) => row.provider_refund_id],
  ["Requested (Central)", (row) => csvTime(row.created_at)],
  ["Refunded (Central)", (row) => csvTime(row.succeeded_at)],
];
