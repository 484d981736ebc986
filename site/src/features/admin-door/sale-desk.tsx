// What is for sale, and the two ways to pay. Pressing a type adds one. The bar with the total stays within reach of a thumb.
import { formatCents, type Cents } from "contract/shop/money";
import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { formatPrice } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { useBarRoom } from "#ui/page/bar-room.ts";
import { FieldError } from "#ui/forms/field.tsx";
import { Minus, Plus } from "lucide-react";
import {
  attemptOf,
  limitOf,
  stillOffered,
  totalOf,
  unitsOf,
  wordsOf,
  type Attempt,
  type Method,
  type Offer,
  type Till,
  type Wanted,
} from "./model.ts";
import { PayDialog } from "./pay-dialog.tsx";
import type { Sale } from "./use-sale.ts";

export function SaleDesk({ till, sale }: { till: Till; sale: Sale }) {
  const [chosen, setChosen] = useState<Wanted>({});
  /** As it was when Cash or Card was pressed: stock and prices may change while the money is taken, and what was charged must be what is sold. */
  const [paying, setPaying] = useState<Attempt>();
  const wanted = stillOffered(chosen, till);
  const total = totalOf(wanted, till);
  const nothing = unitsOf(wanted) === 0;
  const blocked = nothing || sale.busy || sale.unanswered !== undefined;

  async function pay(attempt: Attempt) {
    await sale.send(attempt);
    setPaying(undefined);
  }

  // Clear the choice once it is sold, whether the response came now or was requested later.
  const [done, setDone] = useState(sale.sold);
  if (sale.sold !== done) {
    setDone(sale.sold);
    if (sale.sold) setChosen({});
  }

  return (
    <section aria-label="New sale" className="min-w-0">
      <ul ref={useFirstOffer(sale.sold !== undefined)} className="grid gap-2">
        {till.items.map((row) => (
          <OfferRow
            key={row.id}
            row={row}
            units={wanted[row.id] ?? 0}
            limit={limitOf(row, wanted, till)}
            onChange={(units) => setChosen({ ...wanted, [row.id]: units })}
          />
        ))}
      </ul>
      {till.items.length === 0 && (
        <p className="text-ink-soft">Nothing is on sale. Add ticket types under Inventory.</p>
      )}
      <PayBar
        problem={sale.problem}
        words={nothing ? undefined : wordsOf(wanted, till)}
        total={total}
        blocked={blocked}
        clearable={!nothing && !sale.busy}
        onPay={(method) => setPaying(attemptOf(wanted, till, method))}
        onGive={() => void pay(attemptOf(wanted, till, "cash"))}
        onClear={() => setChosen({})}
      />
      {paying && (
        <PayDialog
          attempt={paying}
          isOutdated={paying.cents !== total || paying.words !== wordsOf(wanted, till)}
          busy={sale.busy}
          onPay={(tendered) => void pay({ ...paying, ...(tendered !== undefined && { tendered }) })}
          onClose={() => setPaying(undefined)}
        />
      )}
    </section>
  );
}

/** Focuses the first item once the sheet of a sale is closed: the button that paid is disabled by then. */
function useFirstOffer(isSold: boolean) {
  const offers = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const list = offers.current;
    if (!isSold || !list) return undefined;
    return () => focusFirst(list);
  }, [isSold]);
  return offers;
}

/** The row, not its button: the next press of a key that is held down would add to it. */
const focusFirst = (place: Element | null) => place?.querySelector("li")?.focus();

interface PayBarProps {
  problem: string | undefined;
  /** The chosen items; undefined while there are none. */
  words: string | undefined;
  total: Cents;
  blocked: boolean;
  clearable: boolean;
  onPay: (method: Method) => void;
  /** The chosen items cost nothing, so no money is taken. */
  onGive: () => void;
  onClear: () => void;
}

function PayBar({ problem, words, total, blocked, clearable, onPay, onGive, onClear }: PayBarProps) {
  const bar = useBarRoom("bottom");
  return (
    <div
      ref={bar}
      className="sticky bottom-0 z-10 mt-3 -mx-4 border-t-2 border-ink bg-paper px-4 py-3 sm:mx-0 sm:border-2"
    >
      {problem && (
        <div className="mb-2">
          <FieldError>{problem}</FieldError>
        </div>
      )}
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <p aria-live="polite" className="min-w-0 text-sm text-ink-soft">
          {words ?? "Tap an item to add it."}
        </p>
        <strong className="display text-3xl tabular-nums">{formatCents(total)}</strong>
      </div>
      <div className="mt-2 grid grid-cols-[1fr_1fr_auto] gap-2">
        {words !== undefined && total === 0 ? (
          <Button className="col-span-2 max-2xs:px-2" disabled={blocked} onClick={onGive}>
            Issue Free
          </Button>
        ) : (
          <>
            <Button className="max-2xs:px-2" disabled={blocked} onClick={() => onPay("cash")}>
              Cash
            </Button>
            <Button variant="dark" className="max-2xs:px-2" disabled={blocked} onClick={() => onPay("card")}>
              Card
            </Button>
          </>
        )}
        <Button
          variant="ghost"
          size="small"
          className="min-h-12 max-2xs:px-2"
          disabled={!clearable}
          onClick={({ currentTarget }) => {
            // It is disabled by it.
            flushSync(onClear);
            focusFirst(currentTarget.closest("section"));
          }}
        >
          Clear
        </Button>
      </div>
    </div>
  );
}

interface OfferRowProps {
  row: Offer;
  units: number;
  /** Why no more can be added. */
  limit: string | undefined;
  onChange: (units: number) => void;
}

function OfferRow({ row, units, limit, onChange }: OfferRowProps) {
  const off = limit !== undefined && units === 0;
  return (
    <li
      tabIndex={-1}
      className={classNames(
        "flex items-stretch border-2 bg-sheet",
        units > 0 ? "border-candy" : "border-ink",
        off && "border-ink/40 bg-paper-deep/60",
      )}
    >
      <button
        type="button"
        disabled={limit !== undefined}
        className="flex min-h-16 min-w-0 flex-1 items-center justify-between gap-3 px-3.5 py-2 text-left max-2xs:gap-1 max-2xs:px-2 enabled:hover:bg-brisket/25 disabled:cursor-not-allowed"
        onClick={({ currentTarget }) => {
          flushSync(() => onChange(units + 1));
          // The last one there is disables it. On "Remove one", the key's next press would take it back.
          if (currentTarget.disabled) currentTarget.closest("li")?.focus();
        }}
      >
        <span className="min-w-0">
          <span className="block font-bold wrap-anywhere">
            <span className="sr-only">Add </span>
            {row.name}
          </span>
          <span className="block text-sm text-ink-soft tabular-nums">
            {formatPrice(row.price)} · {limit ?? `${row.available.toLocaleString("en-US")} left`}
          </span>
        </span>
        {!limit && <Plus aria-hidden="true" className="size-6 shrink-0" strokeWidth={3} />}
      </button>
      {units > 0 && (
        <span className="flex shrink-0 items-center border-l-2 border-ink/20">
          <output
            aria-label={`${row.name} chosen`}
            className="display min-w-10 text-center text-3xl tabular-nums"
          >
            {units}
          </output>
          <button
            type="button"
            aria-label={`Remove one ${row.name}`}
            className="grid min-h-16 w-13 place-items-center hover:bg-ink/8"
            onClick={({ currentTarget }) => {
              const row = currentTarget.closest("li");
              flushSync(() => onChange(units - 1));
              // The last one takes this button with it.
              if (!currentTarget.isConnected) row?.focus();
            }}
          >
            <Minus aria-hidden="true" className="size-6" strokeWidth={3} />
          </button>
        </span>
      )}
    </li>
  );
}
