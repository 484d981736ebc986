import { DoorScreen } from "#features/admin-door/door-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Door Sales");

export default DoorScreen;
