// Around the pages that sell and show tickets: the query cache and the cart. Pages that only tell do not load them.
import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Outlet } from "react-router";
import { CartProvider, useCart, useCartClaim } from "#features/cart/cart-provider.tsx";
import { forgetAttemptOfOthers } from "#features/checkout/payment/attempt.ts";
import { createQueryClient, useForgetOnSignOut } from "#lib/api/query.ts";
import { useSession } from "#lib/session/session.tsx";

export default function ShopLayout() {
  const [queryClient] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <CartProvider>
        <ChangeOfUser />
        <ReleaseOnEmptyCart />
        <Outlet />
      </CartProvider>
    </QueryClientProvider>
  );
}

/** What one user read, typed and began to pay is nothing for the next. */
function ChangeOfUser() {
  const { user } = useSession();
  const userId = user?.id;
  useForgetOnSignOut(userId);
  useCartClaim(userId);
  useEffect(() => {
    if (userId) forgetAttemptOfOthers(userId);
  }, [userId]);
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
    void import("#features/checkout/hold/release-hold.ts")
      .then(({ releaseHold }) => releaseHold(user.id))
      .then((released) => {
        if (released) void queryClient.invalidateQueries();
      });
  }, [filled, user, queryClient]);
  return null;
}
