// The receipt of an order: what was bought, paid and refunded, when, and from whom.
import { formatAmount } from "contract/shop/currency";
import type { Festival } from "contract/festival/facts";
import { type Cents, formatCents, lineTotal, toCents } from "contract/shop/money";
import { HEAD } from "./art.ts";
import { INNER, inks, openSheet, PAGE, type Sheet } from "./sheet.ts";
import { drawTitle } from "./tickets.ts";
import { dayText, momentText } from "./words.ts";

export interface ReceiptOrder {
  readonly id: string;
  readonly created_at: string;
  readonly confirmed_at: string | null;
  readonly status: string;
  readonly buyer_full_name: string;
  readonly buyer_email: string;
  readonly total_amount: number;
  readonly discount_amount: number;
  readonly promo_code: string | null;
  readonly fee_amount: number;
  readonly fee_name: string | null;
  readonly order_items: readonly {
    readonly name: string;
    readonly quantity: number;
    readonly unit_price: number;
    /** Parking that comes with VIP. */
    readonly included: boolean;
  }[];
  readonly payments: readonly {
    readonly payment_intent_id: string;
    readonly amount: number;
    readonly currency: string;
    readonly created_at: string;
  }[];
  readonly refunds: readonly {
    readonly amount: number;
    readonly status: string;
    readonly created_at: string;
    readonly succeeded_at: string | null;
    readonly payments: { readonly currency: string };
  }[];
}

const LEFT = PAGE.margin;
const AMOUNT = 110;
/** Top of the footer; rows end above it. */
const FOOT = PAGE.height - 56;
const BOTTOM = FOOT - 6;

type Row = readonly [what: string, amount: string, isStrong?: boolean];

export async function printReceipt(
  festival: Festival,
  order: ReceiptOrder,
  at: Date,
): Promise<Uint8Array<ArrayBuffer>> {
  const number = order.id.slice(0, 8);
  const sheet = await openSheet({
    title: `Receipt for order ${number}, ${festival.title}`,
    author: festival.organizer,
    at,
    names: [order.buyer_full_name],
  });
  const roomFor = await pagesOf(sheet, (page) => drawFoot(sheet, festival, { number, page, at }));
  drawTitle(sheet, festival);
  let y = drawParties(sheet, festival, order);
  for (const [title, rows] of sectionsOf(order)) {
    y = await roomFor(y, HEADING + rowsHeight(sheet, rows.slice(0, 2)));
    y += sheet.heading(title.toUpperCase(), LEFT, y, { size: 19, width: INNER }) + 6;
    for (const [index, row] of rows.entries()) {
      // Keep a total with the row before it, so that it is never alone on a page.
      y = await roomFor(
        y,
        rowsHeight(sheet, rows.slice(index, rows[index + 1]?.[2] ? index + 2 : index + 1)),
      );
      y = drawRow(sheet, row, y);
    }
    y += 16;
  }
  return sheet.end();
}

/** Begins the first page. The returned function begins another when a block of this height does not fit on the current one. */
async function pagesOf(sheet: Sheet, foot: (page: number) => void) {
  let page = 0;
  async function begin(): Promise<number> {
    await sheet.page();
    foot(++page);
    return PAGE.margin;
  }
  await begin();
  return async (y: number, height: number): Promise<number> => (y + height <= BOTTOM ? y : begin());
}

function drawFoot(
  sheet: Sheet,
  festival: Festival,
  { number, page, at }: { number: string; page: number; at: Date },
): void {
  const small = { size: 8.5, color: inks.soft, lines: 1 } as const;
  const about = `${festival.organizer}. Amounts are in US dollars unless shown otherwise. Issued ${momentText(at)}.`;
  sheet.decoration(() => sheet.doc.rect(LEFT, FOOT, INNER, 1).fill(inks.ink));
  sheet.text(about, LEFT, FOOT + 8, { ...small, least: 7, width: INNER - 130 });
  sheet.text(`Order ${number}, page ${page}`, LEFT + INNER - 120, FOOT + 8, {
    ...small,
    width: 120,
    align: "right",
  });
}

function drawParties(sheet: Sheet, festival: Festival, order: ReceiptOrder): number {
  const top = HEAD.top + HEAD.height + 26;
  const half = INNER / 2 - 12;
  const right = LEFT + INNER / 2 + 12;
  sheet.heading("RECEIPT", LEFT, top, { size: 34, width: half });
  let y = top + 46;
  const facts = [
    ["Order", order.id.slice(0, 8)],
    ["Date", dayText(new Date(order.confirmed_at ?? order.created_at))],
    ["For", order.buyer_full_name],
    ["", order.buyer_email],
  ] as const;
  for (const [what, words] of facts) {
    sheet.text(what, LEFT, y, { size: 11, color: inks.soft, width: 48 });
    y +=
      sheet.text(words, LEFT + 48, y, { face: "bold", size: 11, least: 8, width: half - 48, lines: 3 }) + 4;
  }
  const { organizer, contactAddress, contact, title, dateText } = festival;
  const seller = [organizer, contactAddress, contact.email, contact.phone, `${title}, ${dateText}`];
  let at = top + 8;
  at += sheet.text("Sold by", right, at, { size: 11, color: inks.soft, width: half }) + 4;
  for (const [index, line] of seller.entries())
    at +=
      sheet.text(line, right, at, {
        face: index === 0 ? "bold" : "regular",
        size: 11,
        width: half,
        lines: 2,
      }) + 3;
  return Math.max(y, at) + 22;
}

const HEADING = 32;
const wordsOf = (isStrong: boolean) =>
  ({ face: isStrong ? "bold" : "regular", size: 11.5, width: INNER - AMOUNT - 12, lines: 3 }) as const;

const rowsHeight = (sheet: Sheet, rows: readonly Row[]): number =>
  rows.reduce((sum, [what, , isStrong = false]) => sum + sheet.height(what, wordsOf(isStrong)) + 10, 0);

function drawRow(sheet: Sheet, [what, amount, isStrong = false]: Row, y: number): number {
  const words = wordsOf(isStrong);
  sheet.decoration(() => sheet.doc.rect(LEFT, y, INNER, isStrong ? 1.5 : 0.5).fill(inks.ink));
  const height = sheet.text(what, LEFT, y + 6, words);
  sheet.text(amount, LEFT + INNER - AMOUNT, y + 6, { ...words, width: AMOUNT, align: "right" });
  return y + height + 10;
}

const cents = (amount: number, currency: string) => formatAmount(toCents(amount), currency);

/** The receipt's sections in order; empty ones are left out. */
function sectionsOf(order: ReceiptOrder): [title: string, rows: Row[]][] {
  const sections: [string, Row[]][] = [
    ["What you bought", [...boughtRows(order), ["Total", formatCents(toCents(order.total_amount)), true]]],
    ["Payments", order.payments.map(paidRow)],
    ["Refunds", order.refunds.map(refundRow)],
  ];
  const [first] = order.payments;
  const isOneCurrency = [...order.payments, ...order.refunds.map((refund) => refund.payments)].every(
    ({ currency }) => currency === first?.currency,
  );
  if (first && order.refunds.length > 0 && isOneCurrency)
    sections[2]![1].push(["Paid after refunds", formatAmount(keptOf(order), first.currency), true]);
  return sections.filter(([, rows]) => rows.length > 0);
}

function keptOf({ payments, refunds }: ReceiptOrder): Cents {
  const sum = (rows: readonly { amount: number }[]) =>
    rows.reduce((all, { amount }) => all + toCents(amount), 0);
  return sum(payments) - sum(refunds);
}

function boughtRows(order: ReceiptOrder): Row[] {
  const { order_items, discount_amount, promo_code, fee_amount, fee_name } = order;
  const rows = order_items.map((item): Row => [
    `${item.quantity} × ${item.name}${item.quantity > 1 && item.unit_price > 0 ? `, ${formatCents(toCents(item.unit_price))} each` : ""}`,
    item.included ? "Included" : formatCents(lineTotal(item.unit_price, item.quantity)),
  ]);
  if (discount_amount > 0) rows.push([`Promo code ${promo_code}`, formatCents(-toCents(discount_amount))]);
  if (fee_amount > 0) rows.push([fee_name ?? "Fee", formatCents(toCents(fee_amount))]);
  return rows;
}

const paidRow = (payment: ReceiptOrder["payments"][number]): Row => [
  `${dayText(new Date(payment.created_at))}, payment …${payment.payment_intent_id.slice(-6)}`,
  cents(payment.amount, payment.currency),
];

const refundRow = (refund: ReceiptOrder["refunds"][number]): Row => [
  refund.succeeded_at === null
    ? `${dayText(new Date(refund.created_at))}, on its way`
    : `${dayText(new Date(refund.succeeded_at))}, returned`,
  cents(-refund.amount, refund.payments.currency),
];
