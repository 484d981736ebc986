import { RunsScreen } from "#features/admin-money/runs-screen.tsx";
import { adminHead } from "../../../admin-head.ts";

export const meta = () => adminHead("Refund runs");

export default RunsScreen;
