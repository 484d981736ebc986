// The fee or tax on each of the shop's orders. Off while all three amounts are 0.
import { Suspense } from "react";
import { Link } from "react-router";
import { feeCents } from "contract/shop/sale";
import { maxLengths } from "contract/limits";
import { shownPrice } from "contract/shop/shown-price";
import { decimalText, formatCents, toCents, toDollars } from "contract/shop/money";
import { useUnsaved } from "#lib/browser/unsaved.ts";
import { differences } from "#lib/differences.ts";
import { formatPrice } from "#lib/format.ts";
import { useSection } from "#lib/festival/content.ts";
import { typedCents } from "#lib/typed-numbers.ts";
import { Button } from "#ui/basics/button.tsx";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { Field, FieldError } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { focusFirstInvalid } from "#ui/forms/focus-invalid.ts";
import { type Problems, useProblems } from "#ui/forms/use-problems.ts";
import { useTypedOver } from "#ui/forms/use-typed-over.ts";
import { Panel } from "#ui/page/panel.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { WarningNote } from "#ui/page/warning-note.tsx";
import { largestOf, ticketTypesOf, type StockRow } from "./model.ts";
import {
  changeShopSale,
  useFeesCollected,
  useInventoryStatus,
  useShopSale,
  type ShopSale,
} from "./queries.ts";
import { useAct } from "./use-act.ts";

export function FeePanel() {
  const { data: sale, isError } = useShopSale();
  const collected = useFeesCollected();
  const { data: inventory } = useInventoryStatus();
  // The panel above reports what could not be loaded.
  if (!sale) return isError ? null : <Skeleton className="h-44" />;
  return (
    <Panel
      title="Fee or Tax"
      aside={collected !== undefined && <span>Collected {formatCents(toCents(collected))}</span>}
    >
      <FeeForm sale={sale} tickets={inventory ? ticketTypesOf(inventory) : []} />
    </Panel>
  );
}

const draftOf = (sale: ShopSale) => ({
  name: sale.fee_name,
  percent: String(sale.fee_percent),
  ticket: decimalText(toCents(sale.fee_per_ticket)),
  order: decimalText(toCents(sale.fee_per_order)),
  refunded: sale.fee_is_refunded,
  inPrices: sale.fee_in_prices,
});
type Draft = ReturnType<typeof draftOf>;

const columnsOf = (draft: Draft) => ({
  fee_name: draft.name.trim(),
  fee_percent: Number(draft.percent),
  fee_per_ticket: typedDollars(draft.ticket),
  fee_per_order: typedDollars(draft.order),
  fee_is_refunded: draft.refunded,
  fee_in_prices: draft.inPrices,
});

/** 0 while the text is not an amount. */
const typedDollars = (typed: string) => toDollars(typedCents(typed) ?? 0);

const isAmount = (typed: string) => (typedCents(typed) ?? Infinity) < 1000_00;

interface FeeFormProps {
  sale: ShopSale;
  /** For the example. */
  tickets: readonly StockRow[];
}

function FeeForm({ sale, tickets }: FeeFormProps) {
  const { act, busy, problem, column } = useAct("Fee saved");
  const { fields: draft, type: set, settle } = useTypedOver(draftOf(sale));
  useUnsaved(JSON.stringify(draft) !== JSON.stringify(draftOf(sale)));
  const { problems, check } = useProblems(problemsOf(draft), { problem, column });
  const control = (field: "name" | "percent" | "ticket" | "order") => ({
    dense: true,
    value: draft[field],
    onChange: (event: { target: { value: string } }) => set({ [field]: event.target.value }),
  });

  function save() {
    if (!check()) return;
    void act(
      () => changeShopSale(differences(sale, columnsOf(draft))),
      () => settle(draft),
    );
  }

  return (
    <form
      noValidate
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) save();
        focusFirstInvalid(event.currentTarget);
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <Field label="Shown to buyers as" limit={maxLengths.feeName} error={problems.name}>
          <Input {...control("name")} />
        </Field>
        <Field label="Percent of the order" error={problems.percent}>
          <Input inputMode="decimal" {...control("percent")} />
        </Field>
        <Field label="Dollars per ticket" error={problems.ticket}>
          <Input inputMode="decimal" {...control("ticket")} />
        </Field>
        <Field label="Dollars per order" error={problems.order}>
          <Input inputMode="decimal" {...control("order")} />
        </Field>
      </div>
      <Choices {...{ draft, set }} />
      <p className="text-sm text-ink-soft">{exampleOf(draft, tickets)}</p>
      {/* Its texts load when it is first shown, so the form does not wait for them. */}
      <Suspense>{isCharged(draft) && <PromiseNote />}</Suspense>
      {problems.form && <FieldError>{problems.form}</FieldError>}
      <div>
        <Button type="submit" size="small" busy={busy}>
          Save Fee
        </Button>
      </div>
    </form>
  );
}

function Choices({ draft, set }: { draft: Draft; set: (change: Partial<Draft>) => void }) {
  return (
    <>
      <Checkbox
        label="Refund it proportionally with the tickets"
        checked={draft.refunded}
        onChange={(event) => set({ refunded: event.target.checked })}
      />
      <Checkbox
        label="Include it in the prices shown, as US law requires for live events"
        checked={draft.inPrices}
        onChange={(event) => set({ inPrices: event.target.checked })}
      />
    </>
  );
}

/** A warning when the festival's pages still promise no fees. */
function PromiseNote() {
  const pages = JSON.stringify([useSection("tickets"), useSection("faq")]);
  if (!/\b(no|without|zero)( \w+)? fees?\b/i.test(pages)) return null;
  return (
    <WarningNote>
      The website says there are no fees. Change that text under{" "}
      <Link to="/admin/festival" className="underline underline-offset-4">
        Festival
      </Link>
      .
    </WarningNote>
  );
}

const DOLLARS_PROBLEM = "Enter 0 to 999.99, with up to two decimals.";

function problemsOf({
  name,
  percent,
  ticket,
  order,
}: Draft): Problems<"name" | "percent" | "ticket" | "order"> {
  return {
    ...(name.trim() === "" && { name: "Enter a name for the fee." }),
    ...((!/^\d{1,2}(\.\d{1,2})?$/.test(percent) || Number(percent) > 50) && {
      percent: "Enter 0 to 50, with up to two decimals.",
    }),
    ...(!isAmount(ticket) && { ticket: DOLLARS_PROBLEM }),
    ...(!isAmount(order) && { order: DOLLARS_PROBLEM }),
  };
}

const isCharged = ({ percent, ticket, order }: Draft) =>
  [Number(percent), typedDollars(ticket), typedDollars(order)].some((value) => value > 0);

/** The fee for two tickets of the largest type. */
function exampleOf(draft: Draft, tickets: readonly StockRow[]): string {
  const ticket = largestOf(tickets);
  if (!ticket || Object.keys(problemsOf(draft)).length > 0) return "";
  const fee = {
    name: draft.name.trim(),
    percent: Number(draft.percent),
    per_ticket: typedDollars(draft.ticket),
    per_order: typedDollars(draft.order),
    is_refunded: draft.refunded,
    in_prices: draft.inPrices,
  };
  const cents = feeCents(fee, 2 * toCents(ticket.price), 2);
  const shown = shownPrice(fee, ticket.price, true);
  return cents === 0
    ? "No fee is charged. A fee would be listed separately in the cart, at checkout, in emails and on orders."
    : `Example: ${ticket.name}, at ${formatPrice(ticket.price)}, is shown at ${formatCents(shown.cents)}: “${shown.note}.” Two of them carry a ${formatCents(cents)} fee. Existing orders keep their fee; free orders and door sales have none.`;
}
