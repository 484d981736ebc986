// The query cache and the cart, for pages that sell or show tickets. Purely informational pages do not load them.
import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Outlet } from "react-router";
import { CartProvider, useCart, useCartClaim } from "#features/checkout/cart/cart-provider.tsx";
import { keptOwner, storedUser } from "#features/tickets/kept/choice.ts";
import { createQueryClient, useForgetOnSignOut, useReadsAfterRenewal } from "#lib/api/query.ts";
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

/** On a shared browser, drops what the previous user read and typed, and the order they began. */
function ChangeOfUser() {
  const { user, status } = useSession();
  const userId = user?.id;
  useForgetOnSignOut(userId);
  useReadsAfterRenewal();
  useCartClaim(userId);
  useEffect(() => {
    if (status !== "loading") void forgetKeptOfOthers(userId);
  }, [status, userId]);
  return null;
}

/** Codes are kept only for the user whose session this browser has, even while the network is down. */
async function forgetKeptOfOthers(userId: string | undefined): Promise<void> {
  const owner = keptOwner();
  if (owner === undefined || owner === (userId ?? storedUser())) return;
  const { forgetKept } = await import("#features/tickets/kept/store.ts");
  await forgetKept();
}

/** Emptying the cart releases its hold. */
function ReleaseOnEmptyCart() {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const { items, current, change } = useCart();
  const filled = items.length > 0;
  const wasFilled = useRef(false);
  useEffect(() => {
    const emptied = wasFilled.current && !filled;
    wasFilled.current = filled;
    if (!emptied || !user) return;
    void import("#features/checkout/release-hold.ts")
      .then(({ releaseHold }) => releaseHold(user.id, { current, change }))
      .then((released) => {
        if (released) void queryClient.invalidateQueries();
      });
  }, [filled, user, queryClient, current, change]);
  return null;
}
