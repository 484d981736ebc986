import { useEffect } from "react";
import { useCart } from "./cart-provider.tsx";

/** Tells the cart whether VIP includes parking, once that is known: paid parking leaves and comes back by it. */
export function useVipParking(included: boolean | undefined): void {
  const { vipIncludesParking, setVipParking } = useCart();
  useEffect(() => {
    if (included !== undefined && included !== vipIncludesParking) setVipParking(included);
  }, [included, vipIncludesParking, setVipParking]);
}
