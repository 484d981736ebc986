import { TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { count } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { useBarRoom } from "#ui/page/bar-room.ts";
import type { ProductKind } from "contract/shop/kinds";
import { formatCents } from "contract/shop/money";
import { useCart } from "./cart-provider.tsx";
import type { CartItem } from "./record.ts";
import { shortOf } from "./model.ts";

interface CartBarProps {
  /** What the shop offers; undefined until it is known. */
  kinds: readonly ProductKind[] | undefined;
  /** In cents. */
  fee: number;
  /** Lines that cannot be bought right now, and how many of each may stay. */
  shortages: readonly { id: string; available: number }[];
  /** Whether the cart has more tickets than this buyer may order. */
  isTooMany: boolean;
}

/**
 * On small screens the panel is below the tickets; this bar keeps the total in sight and links to it. It hides while the
 * panel is visible, because it would cover the panel's own button. The panel announces the problems that the bar shows.
 */
export function CartBar(props: CartBarProps) {
  const isEmpty = useCart().items.length === 0;
  const cartSeen = useInView("cart");
  return isEmpty || cartSeen ? null : <Bar {...props} />;
}

function Bar({ kinds = [], fee, shortages, isTooMany }: CartBarProps) {
  const cart = useCart();
  const bar = useBarRoom("bottom");
  const titleOf = (item?: CartItem) => kinds.find(({ kind }) => kind === item?.type)?.title;
  const problem =
    shortOf(cart, shortages).length > 0
      ? "Fewer left than in your cart"
      : isTooMany && "More tickets than you can buy";
  return (
    <div
      ref={bar}
      className="on-ink fixed inset-x-0 bottom-0 z-30 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t-4 border-brisket px-4 py-3 lg:hidden print:hidden"
    >
      {problem && (
        <p className="flex basis-full items-center gap-2 leading-tight font-semibold text-brisket">
          <TriangleAlert aria-hidden="true" className="size-5 shrink-0" strokeWidth={2.5} />
          {problem}
        </p>
      )}
      <p className="leading-tight">
        <span className="block text-sm">
          {cart.ticketCount > 0 ? count(cart.ticketCount, "ticket") : titleOf(cart.items[0])}
        </span>
        <span className="display text-2xl tabular-nums">{formatCents(cart.total + fee)}</span>
      </p>
      <Button asChild variant="highlight" className="max-2xs:px-2.5">
        <a href="#cart">{problem ? "Review Cart" : "View Cart"}</a>
      </Button>
    </div>
  );
}

function useInView(id: string): boolean {
  const [inView, setInView] = useState(false);
  useEffect(() => {
    const element = document.getElementById(id);
    if (!element) return;
    const observer = new IntersectionObserver(([entry]) => setInView(entry?.isIntersecting ?? false));
    observer.observe(element);
    return () => observer.disconnect();
  }, [id]);
  return inView;
}
