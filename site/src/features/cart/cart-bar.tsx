import { count } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { formatCents } from "contract/money";
import { useCart } from "./cart-provider.tsx";

/** On small screens the panel lies below the tickets; this bar keeps the sum in sight and leads down to it. */
export function CartBar() {
  const cart = useCart();
  if (cart.items.length === 0) return null;
  return (
    <div className="on-ink fixed inset-x-0 bottom-0 z-30 flex items-center justify-between gap-4 border-t-4 border-brisket px-4 py-3 lg:hidden print:hidden">
      <p className="leading-tight">
        <span className="block text-sm">
          {cart.ticketCount > 0 ? count(cart.ticketCount, "ticket") : "Parking"}
        </span>
        <span className="display text-2xl tabular-nums">{formatCents(cart.total)}</span>
      </p>
      <Button asChild variant="highlight">
        <a href="#cart">View Cart</a>
      </Button>
    </div>
  );
}
