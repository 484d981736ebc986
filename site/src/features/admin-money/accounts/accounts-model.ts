// The accountant's report: the database's response, statements for display, and files. Amounts are cents.
import { formatAmount } from "contract/shop/currency";
import type { Cents } from "contract/shop/money";
import { refundReasonText } from "contract/shop/refund-reasons";
import { z } from "zod";
import { count } from "#lib/format.ts";
import { csvMoney, csvTime, type CsvColumn } from "#lib/lists/csv.ts";

const number = z.number();
const counted = z.object({ count: number, cents: number });
const state = z.object({ count: number, difference: number });

export const soldItems = z.array(
  z.object({ channel: z.string(), name: z.string(), units: number, cents: number, discount_cents: number }),
);
export type SoldItem = z.infer<typeof soldItems>[number];

export const accountReport = z.object({
  online: z.object({ orders: number, items_cents: number, discount_cents: number, total_cents: number }),
  fees: z.array(z.object({ name: z.string(), orders: number, cents: number })),
  promo_codes: z.array(z.object({ code: z.string(), orders: number, cents: number })),
  payments: z.object({
    count: number,
    cents: number,
    extra_count: number,
    extra_cents: number,
    extra_kept_cents: number,
  }),
  door: z.object({
    sales: number,
    voids: number,
    cash_cents: number,
    card_cents: number,
    cash_back_cents: number,
    card_back_cents: number,
  }),
  comps: z.object({ orders: number, tickets: number }),
  refunds: z.array(counted.extend({ reason: z.string(), fee_cents: number })),
  refunds_under_way: counted,
  provider: z.object({
    complete_to: z.string().nullable(),
    is_fetching: z.boolean(),
    categories: z.array(counted.extend({ category: z.string(), fee_cents: number })),
    net_cents: number,
    other_currencies: number,
  }),
});
export type AccountReport = z.infer<typeof accountReport>;

/** Every line of the period, ours against the provider's, summed by kind and by state. */
export const comparison = z.object({
  entries: z.array(
    z.object({
      entry: z.string(),
      our_count: number,
      our_cents: number,
      provider_count: number,
      provider_cents: number,
      difference: number,
    }),
  ),
  states: z.record(z.string(), state),
});
export type Comparison = z.infer<typeof comparison>;

const accountLine = z.object({
  key: z.string(),
  entry: z.string(),
  about_id: z.string(),
  order_id: z.string().nullable(),
  buyer_full_name: z.string().nullable(),
  at: z.string(),
  state: z.string(),
  our_cents: number.nullable(),
  provider_cents: number.nullable(),
  difference: number,
  fee_cents: number.nullable(),
  currency: z.string(),
  reason: z.string().nullable(),
  description: z.string().nullable(),
});
export type AccountLine = z.infer<typeof accountLine>;
export const linePage = z.object({ rows: z.array(accountLine), total_count: number });

/** Labels. Anything else the provider books keeps its own name. */
export const entryNames: Readonly<Record<string, string>> = {
  payment: "Payments",
  refund: "Refunds",
  refund_failed: "Refunds that failed",
  dispute: "Disputes",
  dispute_reversed: "Disputes won",
};
const categoryNames: Readonly<Record<string, string>> = {
  charge: "Charges",
  refund: "Refunds",
  refund_failure: "Refunds that failed",
  dispute: "Disputes",
  dispute_reversal: "Disputes won",
  fee: "Other fees",
  payout: "Payouts to the bank",
};
export const stateNames: Readonly<Record<string, string>> = {
  matched: "Matched",
  differs: "Amounts differ",
  only_ours: "Only in our books",
  only_provider: "Only in the provider’s books",
  waiting: "Not fetched yet",
};
const channelNames: Readonly<Record<string, string>> = { online: "Shop", door: "Door", comp: "Comps" };

/** One row of a statement. `isSum` marks a total of the rows above. */
export interface StatementRow {
  key: string;
  label: string;
  note?: string;
  cents: Cents;
  isSum?: boolean;
}

export function onlineStatement({ online, fees, payments }: AccountReport): StatementRow[] {
  const rows: StatementRow[] = [
    {
      key: "items",
      label: "Tickets and parking",
      note: count(online.orders, "order"),
      cents: online.items_cents,
    },
    { key: "discount", label: "Promo codes", cents: -online.discount_cents },
    ...fees.map(({ name, orders, cents }) => ({
      key: `fee ${name}`,
      label: name,
      note: count(orders, "order"),
      cents,
    })),
    { key: "total", label: "Paid for orders", cents: online.total_cents, isSum: true },
  ];
  if (payments.extra_count > 0) {
    const kept = payments.extra_kept_cents;
    const fate = kept > 0 ? `${formatAmount(kept, "usd")} not refunded` : "refunded";
    const note = `${count(payments.extra_count, "payment")}, ${fate}`;
    rows.push({ key: "extra", label: "Paid twice or too late", note, cents: payments.extra_cents });
  }
  const note = count(payments.count, "payment");
  return [...rows, { key: "payments", label: "All payments", note, cents: payments.cents, isSum: true }];
}

export function doorStatement({ door, comps }: AccountReport): StatementRow[] {
  const back = door.cash_back_cents + door.card_back_cents;
  return [
    { key: "cash", label: "Cash", cents: door.cash_cents },
    { key: "card", label: "Cards, on terminals", cents: door.card_cents },
    { key: "cash back", label: "Cash refunded", cents: -door.cash_back_cents },
    {
      key: "card back",
      label: "Cards refunded",
      note: count(door.voids, "void"),
      cents: -door.card_back_cents,
    },
    {
      key: "net",
      label: "Taken at the door",
      note: count(door.sales, "sale"),
      cents: door.cash_cents + door.card_cents - back,
      isSum: true,
    },
    { key: "comps", label: "Comps", note: count(comps.tickets, "ticket"), cents: 0 },
  ];
}

export function refundStatement({ refunds, refunds_under_way: underWay }: AccountReport): StatementRow[] {
  const sum = refunds.reduce((total, { cents }) => total + cents, 0);
  const fees = refunds.reduce((total, { fee_cents }) => total + fee_cents, 0);
  const note = fees > 0 ? `including ${formatAmount(fees, "usd")} in fees` : undefined;
  const rows = refunds.map(({ reason, count: times, cents }) => ({
    key: reason,
    label: refundReasonText(reason),
    note: count(times, "refund"),
    cents: -cents,
  }));
  const all = { key: "all", label: "Refunded", cents: -sum, isSum: true, ...(note && { note }) };
  if (underWay.count === 0) return [...rows, all];
  const waiting = `${count(underWay.count, "refund")}, not in the total`;
  return [...rows, all, { key: "under way", label: "In progress", note: waiting, cents: -underWay.cents }];
}

export function providerStatement({ provider }: AccountReport): StatementRow[] {
  const fees = provider.categories.reduce((total, { fee_cents }) => total + fee_cents, 0);
  return [
    ...provider.categories.map(({ category, count: times, cents }) => ({
      key: category,
      label: categoryNames[category] ?? inWords(category),
      note: count(times, "transaction"),
      cents,
    })),
    { key: "its fees", label: "The provider’s fees", cents: -fees },
    { key: "net", label: "Change in balance", cents: provider.net_cents, isSum: true },
  ];
}

const inWords = (name: string): string => {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export const channelName = (channel: string): string => channelNames[channel] ?? channel;

/** The result of the comparison. Lines that are not fetched yet count as neither right nor wrong. */
export function verdictOf({ states }: Comparison) {
  const wrong = ["differs", "only_ours", "only_provider"].map((name) => states[name]);
  const lines = wrong.reduce((sum, one) => sum + (one?.count ?? 0), 0);
  const waiting = states.waiting?.count ?? 0;
  return {
    state: lines > 0 ? "wrong" : waiting > 0 ? "open" : "right",
    matched: states.matched?.count ?? 0,
    wrong: lines,
    difference: wrong.reduce((sum, one) => sum + (one?.difference ?? 0), 0),
    waiting,
  } as const;
}

export type Verdict = ReturnType<typeof verdictOf>;

interface ReportRow {
  section: string;
  line: string;
  note: string | undefined;
  cents: Cents;
}

/** The report as a file: each statement, the sales of each item, and each comparison. */
export function reportRows(
  report: AccountReport,
  items: readonly SoldItem[],
  { entries }: Comparison,
): ReportRow[] {
  const of = (section: string, rows: readonly StatementRow[]) =>
    rows.map(({ label, note, cents }) => ({ section, line: label, note, cents }));
  return [
    ...of("Shop", onlineStatement(report)),
    ...of("Door and comps", doorStatement(report)),
    ...of("Refunds", refundStatement(report)),
    ...of("Payment provider", providerStatement(report)),
    ...items.map(({ channel, name, units, cents, discount_cents }) => ({
      section: `Items: ${channelName(channel)}`,
      line: name,
      note: count(units, "unit"),
      cents: cents - discount_cents,
    })),
    ...report.promo_codes.map(({ code, orders, cents }) => ({
      section: "Promo codes",
      line: code,
      note: count(orders, "order"),
      cents: -cents,
    })),
    ...entries.flatMap(({ entry, our_cents, provider_cents, difference }) =>
      (
        [
          ["our books", our_cents],
          ["provider’s books", provider_cents],
          ["difference", difference],
        ] as const
      ).map(([side, cents]) => ({
        section: "Comparison",
        line: entryNames[entry] ?? entry,
        note: side,
        cents,
      })),
    ),
  ];
}

export const reportCsv: readonly CsvColumn<ReportRow>[] = [
  ["Section", (row) => row.section],
  ["Line", (row) => row.line],
  ["Note", (row) => row.note],
  ["Amount", (row) => csvMoney(row.cents)],
];

const money = (cents: number | null) => (cents === null ? null : csvMoney(cents));

export const lineCsv: readonly CsvColumn<AccountLine>[] = [
  ["Time (Central)", (row) => csvTime(row.at)],
  ["Kind", (row) => entryNames[row.entry] ?? row.entry],
  ["Status", (row) => stateNames[row.state] ?? row.state],
  ["Our books", (row) => money(row.our_cents)],
  ["Provider’s books", (row) => money(row.provider_cents)],
  ["Difference", (row) => csvMoney(row.difference)],
  ["Provider's fee", (row) => money(row.fee_cents)],
  ["Currency", (row) => row.currency.toUpperCase()],
  ["Reason", (row) => row.reason && refundReasonText(row.reason)],
  ["Order", (row) => row.order_id],
  ["Buyer", (row) => row.buyer_full_name],
  ["Provider's ID", (row) => row.about_id],
  ["Transaction", (row) => (row.provider_cents === null ? null : row.key)],
  ["Description", (row) => row.description],
];
