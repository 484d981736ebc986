// The books as files: orders with what was taken and given back, and one row for each refund. Their sums are the payment
// provider's, to the cent.
import { read } from "#lib/lists/back-office-reads.ts";
import { CSV_PAGE, csvMoney, type CsvPage } from "#lib/lists/csv.ts";
import { formatStamp } from "#lib/format.ts";
import { startArgs, wholeList, type PageStart } from "#lib/lists/list-pages.ts";
import { toCents } from "contract/money";
import { z } from "zod";
import { itemsText, type OrderFilter } from "./model.ts";

export const orderCsvHeader = [
  "Order",
  "Buyer",
  "Email",
  "Phone",
  "Status",
  "Items",
  "Total",
  "Paid",
  "Refunded",
  "Net",
  "Payment",
  "Created (Central)",
  "Cancelled (Central)",
  "Cancelled because",
];

const bookedOrder = z.object({
  id: z.string(),
  buyer_full_name: z.string(),
  buyer_email: z.string(),
  buyer_phone_number: z.string(),
  status: z.string(),
  items: z.string(),
  total_amount: z.number(),
  paid: z.number(),
  refunded: z.number(),
  payment_intent_id: z.string().nullable(),
  created_at: z.string(),
  cancelled_at: z.string().nullable(),
  cancel_reason: z.string().nullable(),
});

export async function* orderCsv({ status, search }: OrderFilter): AsyncGenerator<CsvPage> {
  const pages = wholeList(
    CSV_PAGE,
    async (start) =>
      z.array(bookedOrder).parse(
        await read("orders", (supabase) =>
          supabase.rpc("list_orders_with_money", {
            ...(status && { order_status: status }),
            ...(search && { p_search: search }),
            page_size: CSV_PAGE,
            ...startArgs(start),
          }),
        ),
      ),
    startAfter,
  );
  for await (const rows of pages) {
    yield {
      rows: rows.map((row) => [
        row.id,
        row.buyer_full_name,
        row.buyer_email,
        row.buyer_phone_number,
        row.status,
        row.items,
        csvMoney(toCents(row.total_amount)),
        csvMoney(toCents(row.paid)),
        csvMoney(toCents(row.refunded)),
        csvMoney(toCents(row.paid) - toCents(row.refunded)),
        row.payment_intent_id,
        formatStamp(row.created_at),
        row.cancelled_at && formatStamp(row.cancelled_at),
        row.cancel_reason,
      ]),
    };
  }
}

export const refundCsvHeader = [
  "Refund",
  "Order",
  "Buyer",
  "Email",
  "Items",
  "Amount",
  "Status",
  "Reason",
  "Payment",
  "Refund at the provider",
  "Requested (Central)",
  "Given back (Central)",
];

/** Those that failed are in it with their status: they moved no money. */
export async function* refundCsv(): AsyncGenerator<CsvPage> {
  const pages = wholeList(
    CSV_PAGE,
    (start) =>
      read("refunds", (supabase) => {
        let rows = supabase.from("refunds").select("*, orders(buyer_full_name, buyer_email)");
        if (start)
          rows = rows.lte("created_at", start.at).or(`created_at.lt."${start.at}",id.gt.${start.id}`);
        return rows.order("created_at", { ascending: false }).order("id").limit(CSV_PAGE);
      }),
    startAfter,
  );
  for await (const rows of pages) {
    yield {
      rows: rows.map((row) => [
        row.id,
        row.order_id,
        row.orders.buyer_full_name,
        row.orders.buyer_email,
        itemsText(row.items),
        csvMoney(toCents(row.amount)),
        row.status,
        row.reason,
        row.payment_intent_id,
        row.provider_refund_id,
        formatStamp(row.created_at),
        row.succeeded_at && formatStamp(row.succeeded_at),
      ]),
    };
  }
}

function startAfter(last: { created_at: string; id: string }): PageStart {
  return { at: last.created_at, id: last.id };
}
