import {
  ClipboardList,
  HandCoins,
  LayoutDashboard,
  Mail,
  type LucideIcon,
  PartyPopper,
  ScanQrCode,
  ScrollText,
  Store,
  TicketPercent,
  Users,
  Warehouse,
} from "lucide-react";
import type { StaffRole } from "#lib/session/session.tsx";

/** Who works here. The gate's people have an app of their own. */
export type OfficeRole = Exclude<StaffRole, "gate">;

interface Screen {
  to: string;
  label: string;
  icon: LucideIcon;
}

/** All screens (PRODUCT 2.5). */
const screens: readonly Screen[] = [
  { to: "/admin", label: "Dashboard", icon: LayoutDashboard },
  { to: "/admin/orders", label: "Orders", icon: ClipboardList },
  { to: "/admin/messages", label: "Messages", icon: Mail },
  { to: "/admin/gate", label: "Gate", icon: ScanQrCode },
  { to: "/admin/festival", label: "Festival", icon: PartyPopper },
  { to: "/admin/users", label: "Users", icon: Users },
  { to: "/admin/inventory", label: "Inventory", icon: Warehouse },
  { to: "/admin/promo-codes", label: "Promo Codes", icon: TicketPercent },
  { to: "/admin/vendors", label: "Vendors", icon: Store },
  { to: "/admin/sponsors", label: "Sponsors", icon: HandCoins },
  { to: "/admin/audit-logs", label: "Audit Logs", icon: ScrollText },
];

const FINANCE = "/admin/orders";

export function screensOf(role: OfficeRole): readonly Screen[] {
  return role === "admin" ? screens : screens.filter(({ to }) => to === FINANCE);
}

/** Where a path leads instead when its screen is not for this role. */
export function detourOf(role: OfficeRole, path: string): string | undefined {
  return role === "admin" || path === FINANCE || path.startsWith(`${FINANCE}/`) ? undefined : FINANCE;
}
