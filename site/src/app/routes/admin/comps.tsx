import { CompsScreen } from "#features/admin-comps/comps-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Comps");

export default CompsScreen;
