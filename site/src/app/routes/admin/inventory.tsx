import { InventoryScreen } from "#features/admin-inventory/inventory-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Inventory");

export default InventoryScreen;
