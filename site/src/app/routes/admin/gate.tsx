import { GateScreen } from "#features/admin-gate/gate-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Gate");

export default GateScreen;
