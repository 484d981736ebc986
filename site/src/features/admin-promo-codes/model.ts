// Promo codes as the back office lists and edits them.
import { formatCents, toCents, toDollars } from "contract/shop/money";
import { formatMoment } from "#lib/format.ts";
import { typedCents, typedUnits } from "#lib/typed-numbers.ts";
import { centralField, centralMoment } from "#lib/time/central-time.ts";
import type { BadgeTone } from "#ui/basics/badge.tsx";
import type { Problems } from "#ui/forms/use-problems.ts";
import { z } from "zod";

export const promoCode = z.object({
  id: z.string(),
  code: z.string(),
  note: z.string(),
  amount_off: z.number().nullable(),
  percent_off: z.number().nullable(),
  ticket_type_ids: z.array(z.string()),
  max_uses: z.number().nullable(),
  max_uses_per_buyer: z.number().nullable(),
  is_paused: z.boolean(),
  opens_at: z.string().nullable(),
  closes_at: z.string().nullable(),
  held: z.number(),
  used: z.number(),
  created_at: z.string(),
  version: z.number(),
  state: z.enum(["open", "paused", "upcoming", "ended", "used_up"]),
});
export type PromoCode = z.output<typeof promoCode>;
export type PromoState = PromoCode["state"];

export const states = [
  { state: "open", name: "Active", tone: "success" },
  { state: "upcoming", name: "Scheduled", tone: "warning" },
  { state: "paused", name: "Paused", tone: "danger" },
  { state: "used_up", name: "Used up", tone: "default" },
  { state: "ended", name: "Ended", tone: "default" },
] as const satisfies readonly { state: PromoState; name: string; tone: BadgeTone }[];

export function isPromoState(value: string): value is PromoState {
  return states.some(({ state }) => state === value);
}

export const stateOf = (row: PromoCode) => states.find(({ state }) => state === row.state)!;

/** "15% off" or "$10.00 off" */
export function valueText({
  amount_off,
  percent_off,
}: Pick<PromoCode, "amount_off" | "percent_off">): string {
  return amount_off === null ? `${percent_off}% off` : `${formatCents(toCents(amount_off))} off`;
}

/** "12 of 100", and how many more unpaid orders hold. */
export function usesText({ used, held, max_uses }: Pick<PromoCode, "used" | "held" | "max_uses">): string {
  const count = max_uses === null ? `${used}` : `${used} of ${max_uses}`;
  return held > 0 ? `${count}, ${held} held` : count;
}

export function windowText({ opens_at, closes_at }: Pick<PromoCode, "opens_at" | "closes_at">): string {
  const parts = [opens_at && `from ${formatMoment(opens_at)}`, closes_at && `to ${formatMoment(closes_at)}`];
  const text = parts.filter(Boolean).join(" ");
  return text === "" ? "Any time" : `${text} CT`;
}

/** The form's values, as typed. */
export interface Draft {
  code: string;
  note: string;
  kind: "percent" | "amount";
  value: string;
  types: readonly string[];
  maxUses: string;
  perBuyer: string;
  opens: string;
  closes: string;
}

export function draftOf(row: PromoCode | undefined): Draft {
  return {
    code: row?.code ?? "",
    note: row?.note ?? "",
    kind: row?.amount_off == null ? "percent" : "amount",
    value: String(row?.amount_off ?? row?.percent_off ?? ""),
    types: row?.ticket_type_ids ?? [],
    maxUses: String(row?.max_uses ?? ""),
    perBuyer: String(row?.max_uses_per_buyer ?? ""),
    opens: centralField(row?.opens_at ?? null),
    closes: centralField(row?.closes_at ?? null),
  };
}

/** The columns that the form edits. */
export type PromoFields = Pick<
  PromoCode,
  | "code"
  | "note"
  | "amount_off"
  | "percent_off"
  | "ticket_type_ids"
  | "max_uses"
  | "max_uses_per_buyer"
  | "opens_at"
  | "closes_at"
>;

const PERCENT_PROBLEM = "Enter a whole-number percentage from 1 to 100.";
const LIMIT_PROBLEM = "Enter a whole number of at least 1, or leave blank for no limit.";

/** What the form's fields are in the database. */
export const fieldOfColumn = {
  code: "code",
  amount_off: "value",
  percent_off: "value",
  max_uses: "maxUses",
  max_uses_per_buyer: "perBuyer",
  closes_at: "closes",
} as const satisfies Partial<Record<keyof PromoFields, keyof Draft>>;

const isLimit = (typed: string) => typed.trim() === "" || typedUnits(typed) > 0;

/** The database's rules, repeated so that everything that is wrong shows at once. */
export function problemsOf({
  code,
  kind,
  value,
  maxUses,
  perBuyer,
  opens,
  closes,
}: Draft): Problems<(typeof fieldOfColumn)[keyof typeof fieldOfColumn]> {
  const cents = typedCents(value);
  return {
    ...(!/^[a-z0-9][a-z0-9_-]{2,39}$/i.test(code.trim()) && {
      code: "A code must have 3 to 40 letters, digits, hyphens and underscores.",
    }),
    ...(kind === "percent" &&
      !(typedUnits(value) >= 1 && typedUnits(value) <= 100) && {
        value: PERCENT_PROBLEM,
      }),
    ...(kind === "amount" &&
      (cents === undefined || cents < 1) && {
        value: "Enter an amount in dollars, such as 5 or 5.50.",
      }),
    ...(!isLimit(maxUses) && { maxUses: LIMIT_PROBLEM }),
    ...(!isLimit(perBuyer) && { perBuyer: LIMIT_PROBLEM }),
    ...(isLimit(maxUses) &&
      maxUses.trim() !== "" &&
      isLimit(perBuyer) &&
      typedUnits(perBuyer) > typedUnits(maxUses) && {
        perBuyer: `Maximum per buyer can't exceed ${typedUnits(maxUses)}, the maximum for all buyers combined.`,
      }),
    ...(opens !== "" && closes !== "" && closes <= opens && { closes: "The code must end after it begins." }),
  };
}

/** Of a draft without problems. */
export function fieldsOf(draft: Draft, before: PromoCode | undefined): PromoFields {
  const value = draft.value.trim();
  const limit = (typed: string) => (typed.trim() === "" ? null : typedUnits(typed));
  const was = draftOf(before);
  const moment = (field: "opens" | "closes", kept: string | null | undefined) =>
    draft[field] === was[field] ? (kept ?? null) : centralMoment(draft[field]);
  return {
    code: draft.code.trim(),
    note: draft.note.trim(),
    amount_off: draft.kind === "amount" ? toDollars(typedCents(value)!) : null,
    percent_off: draft.kind === "percent" ? typedUnits(value) : null,
    ticket_type_ids: [...draft.types],
    max_uses: limit(draft.maxUses),
    max_uses_per_buyer: limit(draft.perBuyer),
    opens_at: moment("opens", before?.opens_at),
    closes_at: moment("closes", before?.closes_at),
  };
}

// Without letters and digits that are easily confused.
const signs = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";

/** A code that cannot be guessed: 31^8 is 850 billion. */
export function randomCode(): string {
  return Array.from(
    crypto.getRandomValues(new Uint32Array(8)),
    (number) => signs[number % signs.length],
  ).join("");
}
