import { useEffect, useEffectEvent } from "react";
import { useCart } from "./cart-provider.tsx";

/**
 * Updates the cart whenever the state of the sale has been read: removes or restores paid parking accordingly. Not when another
 * tab changes the cart, because that tab's reading may be newer, and the two would undo each other's writes without end.
 */
export function useVipParking(sale: { vip_includes_parking: boolean } | undefined): void {
  const { vipIncludesParking, change } = useCart();
  const take = useEffectEvent((included: boolean) => {
    if (included !== vipIncludesParking) change({ type: "set-vip-parking", included });
  });
  useEffect(() => {
    if (sale) take(sale.vip_includes_parking);
  }, [sale]);
}
