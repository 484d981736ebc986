import { TillsScreen } from "#features/admin-tills/tills-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Tills");

export default TillsScreen;
