import { Link } from "react-router";
import { Button } from "#ui/button.tsx";
import { count } from "#lib/format.ts";
import { CartLines } from "./cart-lines.tsx";
import { useCart } from "./cart-provider.tsx";

/** What was picked, beside the tickets. Nothing at all while the cart is empty. */
export function CartPanel() {
  const cart = useCart();
  if (cart.items.length === 0) return null;
  return (
    <section
      aria-labelledby="cart-title"
      className="on-ink relative p-5 shadow-[8px_8px_0_0_var(--color-brisket)] sm:p-6"
    >
      <h2 id="cart-title" className="display text-heading">
        Your Cart
      </h2>
      <p className="sr-only" role="status">
        {count(cart.ticketCount, "ticket")} in your cart
      </p>
      <div className="mt-2">
        <CartLines {...cart} onRemove={(item) => cart.removeItem(item.id)} />
      </div>
      <Button asChild block size="large" className="mt-5">
        <Link to="/checkout">Proceed to Checkout</Link>
      </Button>
      <p className="mt-3 text-sm opacity-85">Your tickets are held for you once you reach payment.</p>
    </section>
  );
}
