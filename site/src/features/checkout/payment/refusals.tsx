// What the payment step shows instead of the form: the loading state, and the ways it can fail.
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { Button } from "#ui/basics/button.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { BackToTickets } from "../back-to-tickets.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import type { StockShortage } from "contract/errors";
import { formatCents } from "contract/shop/money";
import type { CartItem } from "../cart/record.ts";
import { priceChanges, type CheckoutCart } from "../model.ts";

export function OpeningSkeleton() {
  return (
    <div role="status">
      <p className="mb-4 font-semibold">Holding your tickets...</p>
      <Skeleton className="h-14" />
      <Skeleton className="mt-5 h-12" />
      <Skeleton className="mt-5 h-48" />
      <Skeleton className="mt-6 h-15" />
    </div>
  );
}

interface ShortageProps {
  message: string;
  shortages: readonly StockShortage[];
  items: readonly CartItem[];
  /** Reduces each item to what is left. */
  onUpdate: () => void;
}

export function ShortageState({ message, shortages, items, onUpdate }: ShortageProps) {
  const inCart = shortages.flatMap((shortage) => {
    const item = items.find(({ id }) => id === shortage.id);
    return item ? [{ ...shortage, name: item.name }] : [];
  });
  return (
    <ErrorState
      title={message}
      action={
        <div className="mt-2 flex flex-wrap gap-3">
          {inCart.length > 0 && <Button onClick={onUpdate}>Update My Cart</Button>}
          <Button asChild variant="secondary">
            <Link to="/tickets">Back to Tickets</Link>
          </Button>
        </div>
      }
    >
      <p>Other buyers got there first. Your cart is saved, and you have not been charged.</p>
      {inCart.length > 0 && (
        <ul className="mt-2 list-disc pl-5">
          {inCart.map(({ id, name, available, requested }) => (
            <li key={id}>
              {name}: you asked for {requested},{" "}
              {available === 0 ? "none are left" : `${available} still available`}
            </li>
          ))}
        </ul>
      )}
    </ErrorState>
  );
}

interface PriceChangedProps {
  message: string;
  cart: Pick<CheckoutCart, "items" | "total">;
  /** Updates the cart to today's prices, once they are known. */
  takePrices: (() => void) | undefined;
  /** The known prices are out of date. */
  onStale: () => void;
  onContinue: () => void;
}

export function PriceChangedState({ message, cart, takePrices, onStale, onContinue }: PriceChangedProps) {
  const [before] = useState(cart);
  const changes = priceChanges(before.items, cart.items);
  useEffect(() => onStale(), [onStale]);
  useEffect(() => takePrices?.(), [takePrices]);
  return (
    <ErrorState
      title={message}
      action={
        <div className="mt-2 flex flex-wrap gap-3">
          {cart.total !== before.total && (
            <Button onClick={onContinue}>Continue at {formatCents(cart.total)}</Button>
          )}
          <Button asChild variant="secondary">
            <Link to="/tickets">Review My Cart</Link>
          </Button>
        </div>
      }
    >
      <p>{changes.join(" ")} Your cart is saved, and you have not been charged.</p>
    </ErrorState>
  );
}

interface PromoRefusedProps {
  message: string;
  /** The known discount is out of date. */
  onStale: () => void;
  onBack: () => void;
  /** Continues without the code. */
  onContinue: () => void;
}

/** The code was valid when it was applied, and no longer is. */
export function PromoRefusedState({ message, onStale, onBack, onContinue }: PromoRefusedProps) {
  useEffect(() => onStale(), [onStale]);
  return (
    <ErrorState
      title={message}
      action={
        <div className="mt-2 flex flex-wrap gap-3">
          <Button onClick={onContinue}>Continue Without the Code</Button>
          <Button variant="secondary" onClick={onBack}>
            Back to Details
          </Button>
        </div>
      }
    >
      <p>Your cart is saved, and you have not been charged. Without the code you pay the full price.</p>
    </ErrorState>
  );
}

/** The shop, or something in the cart, is not on sale. */
export function SalesClosedState({ message }: { message: string }) {
  return (
    <ErrorState title={message} action={<BackToTickets />}>
      Your cart is saved, and you have not been charged. See the tickets page for when sales open.
    </ErrorState>
  );
}

export function SetupFailedState({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <ErrorState title="Payment Setup Error" onRetry={onRetry}>
      {message}
    </ErrorState>
  );
}

export function HoldEndedState({ onHoldAgain }: { onHoldAgain: () => void }) {
  return (
    <ErrorState
      title="Your hold has ended"
      action={<Button onClick={onHoldAgain}>Hold My Tickets Again</Button>}
    >
      The tickets went back on sale, and you have not been charged. Your cart is saved.
    </ErrorState>
  );
}

/** The order of this hold was cancelled elsewhere, mostly by a newer one of the same buyer. */
export function HoldReplacedState({ onHoldAgain }: { onHoldAgain: () => void }) {
  return (
    <ErrorState
      title="These tickets are no longer held"
      action={<Button onClick={onHoldAgain}>Hold My Tickets Again</Button>}
    >
      You started another order, perhaps on another device, or this one was canceled, as after ten declined
      cards. You have not been charged here, and your cart is saved.
    </ErrorState>
  );
}
