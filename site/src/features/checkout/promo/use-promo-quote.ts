// The discount of the cart's promo code. Read once for a code and a cart: the server decides again when the order is placed, and a
// total must not change on its own while it is being paid.
import { useQuery } from "@tanstack/react-query";
import { maxLengths } from "contract/limits";
import type { Cents } from "contract/shop/money";
import { quotePromoCode } from "../queries.ts";
import type { CartItem } from "../cart/record.ts";

export interface PromoQuote {
  state: "none" | "checking" | "applied" | "refused" | "unknown";
  /** In the shop's spelling, once it is applied. */
  code: string | undefined;
  discount: Cents;
  /** Why it is not applied, for the buyer. */
  message: string | undefined;
  /** Asks again. */
  retry: () => void;
}

export function usePromoQuote(
  userId: string,
  typed: string | undefined,
  items: readonly CartItem[],
): PromoQuote {
  const lines = items.map(({ id, quantity }) => ({ id, quantity }));
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["promo_quote", userId, typed, lines],
    queryFn: () => quotePromoCode(typed!, lines),
    enabled: typed !== undefined && typed.length <= maxLengths.promoCode && lines.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });
  const retry = () => void refetch();
  const nothing = { code: undefined, discount: 0, message: undefined, retry };
  if (typed === undefined) return { state: "none", ...nothing };
  if (typed.length > maxLengths.promoCode) {
    return { state: "refused", ...nothing, message: "This code is not valid." };
  }
  if (data && "refused" in data) {
    return { state: isFetching ? "checking" : "refused", ...nothing, message: data.refused };
  }
  if (data) return { state: "applied", ...data, message: undefined, retry };
  if (error && !isFetching) {
    return { state: "unknown", ...nothing, message: "We could not check the code. Please try again." };
  }
  return { state: "checking", ...nothing };
}
