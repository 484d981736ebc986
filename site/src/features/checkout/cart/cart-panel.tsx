import { countsOf, type ProductKind } from "contract/shop/kinds";
import { Link } from "react-router";
import { Button } from "#ui/basics/button.tsx";
import { useKeptFocus } from "#ui/overlays/focus-kept.ts";
import { CartLines, type Adjustment } from "./cart-lines.tsx";
import { useCart, type CartAccess } from "./cart-provider.tsx";
import { shortOf, ticketWanted } from "./model.ts";

interface CartPanelProps {
  /** What the shop offers; undefined until it is known. */
  kinds: readonly ProductKind[] | undefined;
  /** Lines that cannot be bought right now, and how many of each may stay. */
  shortages: readonly { id: string; available: number; text: string }[];
  /** A charge of the order, apart from its items. */
  fee?: Adjustment | undefined;
  /** Why the cart as a whole cannot be ordered. */
  problem?: string | undefined;
  /** Why nothing can be ordered right now. */
  closed?: string | undefined;
}

/** The cart next to the tickets. Renders only a hidden heading while it is empty. */
export function CartPanel(props: CartPanelProps) {
  const kept = useKeptFocus();
  const isEmpty = useCart().items.length === 0;
  return (
    <div {...kept}>
      {/* Receives focus when the last item is removed. */}
      {isEmpty ? <h2 className="sr-only">Your cart is empty</h2> : <FilledCart {...props} />}
    </div>
  );
}

function FilledCart({ kinds = [], shortages, fee, problem, closed }: CartPanelProps) {
  const cart = useCart();
  const short = shortOf(cart, shortages);
  const needsTicket = cart.ticketCount === 0;
  function update() {
    for (const { id, available } of short) cart.change({ type: "set-quantity", id, quantity: available });
  }
  return (
    <section
      aria-labelledby="cart-title"
      className="on-ink relative p-5 shadow-[8px_8px_0_0_var(--color-brisket)] sm:p-6"
    >
      <h2 id="cart-title" className="display text-heading">
        Your Cart
      </h2>
      <p className="sr-only" role="status">
        {kinds.length > 0 && `${contentsOf(cart, kinds)} in your cart`}
      </p>
      <div className="mt-2">
        <CartLines
          {...cart}
          total={cart.total + (fee?.cents ?? 0)}
          adjustments={fee && fee.cents > 0 ? [fee] : []}
          notes={new Map(shortages.map(({ id, text }) => [id, text]))}
          onRemove={(item) => cart.change({ type: "remove", id: item.id })}
        />
      </div>
      <div role="status" className="empty:hidden">
        {closed && <Remark id="cart-closed">{closed}</Remark>}
        {needsTicket && !closed && <Remark>{ticketWanted(cart.items)}</Remark>}
        {problem && <Remark>{problem}</Remark>}
        {short.length > 0 && <Remark>Some items in your cart are no longer available.</Remark>}
      </div>
      {short.length > 0 && (
        <Button variant="highlight" block className="mt-4" onClick={update}>
          Update My Cart
        </Button>
      )}
      <WayOn isClosed={closed !== undefined} needsTicket={needsTicket} />
      <p className="mt-3 text-sm opacity-85">Your tickets are held for you once you reach payment.</p>
    </section>
  );
}

/** "2 tickets and 1 parking pass" */
function contentsOf({ items, parkingIncluded }: CartAccess, kinds: readonly ProductKind[]): string {
  const units = [...items, ...(parkingIncluded ? [{ type: "parking", quantity: 1 }] : [])];
  return countsOf(
    units.flatMap(({ type, quantity }) =>
      kinds.filter(({ kind }) => kind === type).map((kind) => ({ kind, quantity })),
    ),
  );
}

function Remark({ id, children }: { id?: string; children: string }) {
  return (
    <p id={id} className="mt-4 border-l-8 border-brisket bg-paper/10 p-3 font-semibold">
      {children}
    </p>
  );
}

function WayOn({ isClosed, needsTicket }: { isClosed: boolean; needsTicket: boolean }) {
  if (isClosed) {
    return (
      <Button block size="large" className="mt-5" disabled aria-describedby="cart-closed">
        Proceed to Checkout
      </Button>
    );
  }
  return (
    <Button asChild block size="large" className="mt-5">
      {needsTicket ? (
        <a href="#ticket-types-title">Choose a Ticket</a>
      ) : (
        <Link to="/checkout">Proceed to Checkout</Link>
      )}
    </Button>
  );
}
