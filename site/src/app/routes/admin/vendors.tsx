import { VendorsScreen } from "#features/admin-vendors/vendors-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Vendors");

export default VendorsScreen;
