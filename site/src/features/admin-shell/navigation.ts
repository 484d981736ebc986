import {
  BadgeDollarSign,
  Banknote,
  ClipboardList,
  ContactRound,
  Gift,
  HandCoins,
  Hourglass,
  LayoutDashboard,
  Mail,
  type LucideIcon,
  PartyPopper,
  ScanQrCode,
  ScrollText,
  Store,
  TicketPercent,
  Users,
  Wallet,
  Warehouse,
} from "lucide-react";
import type { StaffRole } from "#lib/session/session.tsx";

/** Who works here. The gate's people have an app of their own, and of these screens the door's if they may sell. */
export type OfficeRole = Exclude<StaffRole, "gate"> | "seller";

interface Screen {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Who sees it besides administrators. */
  also?: Exclude<OfficeRole, "admin">;
}

/** All screens (PRODUCT 2.5): what is sold, then the day, then the house. */
const screens: readonly Screen[] = [
  { to: "/admin", label: "Dashboard", icon: LayoutDashboard },
  { to: "/admin/orders", label: "Orders", icon: ClipboardList, also: "finance" },
  { to: "/admin/attendees", label: "Attendees", icon: ContactRound },
  { to: "/admin/messages", label: "Messages", icon: Mail },
  { to: "/admin/money", label: "Money", icon: Banknote, also: "finance" },
  { to: "/admin/door", label: "Door Sales", icon: BadgeDollarSign, also: "seller" },
  { to: "/admin/tills", label: "Tills", icon: Wallet, also: "finance" },
  { to: "/admin/comps", label: "Comps", icon: Gift },
  { to: "/admin/gate", label: "Gate", icon: ScanQrCode },
  { to: "/admin/festival", label: "Festival", icon: PartyPopper },
  { to: "/admin/users", label: "Users", icon: Users },
  { to: "/admin/inventory", label: "Inventory", icon: Warehouse },
  { to: "/admin/promo-codes", label: "Promo Codes", icon: TicketPercent },
  { to: "/admin/waitlist", label: "Waitlist", icon: Hourglass },
  { to: "/admin/vendors", label: "Vendors", icon: Store },
  { to: "/admin/sponsors", label: "Sponsors", icon: HandCoins },
  { to: "/admin/audit-logs", label: "Audit Logs", icon: ScrollText },
];

export function screensOf(role: OfficeRole): readonly Screen[] {
  return role === "admin" ? screens : screens.filter(({ also }) => also === role);
}

/** Where a path leads instead when its screen is not for this role: to the first that is. */
export function detourOf(role: OfficeRole, path: string): string | undefined {
  if (role === "admin") return undefined;
  const own = screensOf(role);
  return own.some(({ to }) => path === to || path.startsWith(`${to}/`)) ? undefined : own[0]?.to;
}
