import { ChangeScreen } from "#features/admin-festival/change-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Cancel or Reschedule");

export default ChangeScreen;
