import { SalesScreen } from "#features/admin-money/sales/sales-screen.tsx";
import { adminHead } from "../../../admin-head.ts";

export const meta = () => adminHead("Sales");

export default SalesScreen;
