import { AttendeesScreen } from "#features/admin-attendees/attendees-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Attendees");

export default AttendeesScreen;
