import { authTitle } from "#features/account/auth-mode.ts";
import { AuthScreen } from "#features/account/auth-screen.tsx";
import { useCart } from "#features/checkout/cart/cart-provider.tsx";
import { NeedsScript } from "../frame/needs-script.tsx";
import { pageHead } from "../head.ts";

export const meta = ({ location }: { location: { search: string } }) =>
  pageHead({
    title: authTitle(new URLSearchParams(location.search)),
    description: "Sign in or create an account to buy and see your festival tickets.",
  });

export default function AuthRoute() {
  const hasCart = useCart().items.length > 0;
  return (
    <div className="page-width pt-28 pb-24 sm:pt-36">
      <NeedsScript title="Login / Register" />
      <AuthScreen hasCart={hasCart} />
    </div>
  );
}
