import { PromoCodesScreen } from "#features/admin-promo-codes/promo-codes-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Promo Codes");

export default PromoCodesScreen;
