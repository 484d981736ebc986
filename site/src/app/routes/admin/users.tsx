import { UsersScreen } from "#features/admin-users/users-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Users");

export default UsersScreen;
