import { useEffect } from "react";
import { useCart } from "./cart-provider.tsx";

/**
 * Updates the cart once it is known whether VIP includes parking: removes or restores paid parking accordingly.
 */
export function useVipParking(included: boolean | undefined): void {
  const { vipIncludesParking, setVipParking } = useCart();
  useEffect(() => {
    if (included !== undefined && included !== vipIncludesParking) setVipParking(included);
  }, [included, vipIncludesParking, setVipParking]);
}
