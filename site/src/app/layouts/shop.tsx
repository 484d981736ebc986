// Around the pages that sell and show tickets: the query cache and the cart. Pages that only tell do not load them.
import { QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { Outlet } from "react-router";
import { CartProvider } from "#features/cart/cart-provider.tsx";
import { createQueryClient, useForgetOnSignOut } from "#lib/query.ts";
import { useSession } from "#lib/session.tsx";

export default function ShopLayout() {
  const [queryClient] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <CartProvider>
        <ForgetOnSignOut />
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
