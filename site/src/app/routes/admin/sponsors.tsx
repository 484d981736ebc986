import { SponsorsScreen } from "#features/admin-sponsors/sponsors-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Sponsors");

export default SponsorsScreen;
