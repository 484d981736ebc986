import { OrdersScreen } from "#features/admin-orders/list/orders-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Orders");

export default OrdersScreen;
