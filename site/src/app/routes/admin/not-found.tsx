import { NotFoundScreen } from "#features/admin-shell/not-found-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Page Not Found");

export default NotFoundScreen;
