import { AccountsScreen } from "#features/admin-money/accounts/accounts-screen.tsx";
import { adminHead } from "../../../admin-head.ts";

export const meta = () => adminHead("Accounts");

export default AccountsScreen;
