import { WaitlistScreen } from "#features/admin-waitlist/waitlist-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Waitlist");

export default WaitlistScreen;
