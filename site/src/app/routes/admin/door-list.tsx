import { DoorListScreen } from "#features/admin-attendees/door-list-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Door list");

export default DoorListScreen;
