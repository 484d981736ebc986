import { DashboardScreen } from "#features/account/dashboard-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    title: "My Account",
    description: "Your orders, your tickets and your account.",
    personal: true,
  });

export default DashboardScreen;
