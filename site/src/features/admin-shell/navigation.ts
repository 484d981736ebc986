import {
  ClipboardList,
  HandCoins,
  LayoutDashboard,
  type LucideIcon,
  ScrollText,
  Store,
  Users,
  Warehouse,
} from "lucide-react";

/** The back office's screens. (PRODUCT 2.5). */
export const screens: readonly { to: string; label: string; icon: LucideIcon }[] = [
  { to: "/admin", label: "Dashboard", icon: LayoutDashboard },
  { to: "/admin/orders", label: "Orders", icon: ClipboardList },
  { to: "/admin/users", label: "Users", icon: Users },
  { to: "/admin/inventory", label: "Inventory", icon: Warehouse },
  { to: "/admin/vendors", label: "Vendors", icon: Store },
  { to: "/admin/sponsors", label: "Sponsors", icon: HandCoins },
  { to: "/admin/audit-logs", label: "Audit Logs", icon: ScrollText },
];
