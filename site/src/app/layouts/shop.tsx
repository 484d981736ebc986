// Around the pages that sell and show tickets: the query cache and the cart. Pages that only tell do not load them.
import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Outlet } from "react-router";
import { CartProvider, useCart } from "#features/cart/cart-provider.tsx";
import { createQueryClient, useForgetOnSignOut } from "#lib/query.ts";
import { useSession } from "#lib/session.tsx";

export default function ShopLayout() {
  const [queryClient] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <CartProvider>
        <ForgetOnSignOut />
        <ReleaseOnEmptyCart />
        <Outlet />
      </CartProvider>
    </QueryClientProvider>
  );
}

function ForgetOnSignOut() {
  const { user } = useSession();
  useForgetOnSignOut(user?.id);
  return null;
}

/** Emptying the cart gives up what is held for it. */
function ReleaseOnEmptyCart() {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const filled = useCart().items.length > 0;
  const wasFilled = useRef(false);
  useEffect(() => {
    const emptied = wasFilled.current && !filled;
    wasFilled.current = filled;
    if (!emptied || !user) return;
    void import("#features/checkout/release-hold.ts")
      .then(({ releaseHold }) => releaseHold(user.id))
      .then((released) => {
        if (released) void queryClient.invalidateQueries();
      });
  }, [filled, user, queryClient]);
  return null;
}
