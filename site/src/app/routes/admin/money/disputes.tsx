import { DisputesScreen } from "#features/admin-money/disputes-screen.tsx";
import { adminHead } from "../../../admin-head.ts";

export const meta = () => adminHead("Disputes");

export default DisputesScreen;
