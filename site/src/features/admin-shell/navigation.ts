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

/**
 * The roles in the back office. Gate staff have a separate app, and see only the door screen here if they may sell.
 */
export type OfficeRole = Exclude<StaffRole, "gate"> | "seller";

interface Screen {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Who sees it, apart from administrators. */
  also?: Exclude<OfficeRole, "admin">;
}

interface ScreenGroup {
  label: string;
  screens: readonly Screen[];
}

/** All screens (PRODUCT 2.5). Finance and sellers start at their first screen. */
const groups: readonly ScreenGroup[] = [
  {
    label: "Today",
    screens: [
      { to: "/admin", label: "Dashboard", icon: LayoutDashboard },
      { to: "/admin/door", label: "Door Sales", icon: BadgeDollarSign, also: "seller" },
      { to: "/admin/gate", label: "Gate", icon: ScanQrCode },
    ],
  },
  {
    label: "Sales",
    screens: [
      { to: "/admin/orders", label: "Orders", icon: ClipboardList, also: "finance" },
      { to: "/admin/attendees", label: "Attendees", icon: ContactRound },
      { to: "/admin/comps", label: "Comps", icon: Gift },
      { to: "/admin/inventory", label: "Inventory", icon: Warehouse },
      { to: "/admin/promo-codes", label: "Promo Codes", icon: TicketPercent },
      { to: "/admin/waitlist", label: "Waitlist", icon: Hourglass },
    ],
  },
  {
    label: "Money",
    screens: [
      { to: "/admin/money", label: "Money", icon: Banknote, also: "finance" },
      { to: "/admin/tills", label: "Tills", icon: Wallet, also: "finance" },
    ],
  },
  {
    label: "People",
    screens: [
      { to: "/admin/messages", label: "Messages", icon: Mail },
      { to: "/admin/vendors", label: "Vendors", icon: Store },
      { to: "/admin/sponsors", label: "Sponsors", icon: HandCoins },
      { to: "/admin/users", label: "Users", icon: Users },
    ],
  },
  {
    label: "Festival",
    screens: [
      { to: "/admin/festival", label: "Festival", icon: PartyPopper },
      { to: "/admin/audit-logs", label: "Audit Logs", icon: ScrollText },
    ],
  },
];

/** The groups that have screens for this role, with only those screens. */
export function groupsOf(role: OfficeRole): readonly ScreenGroup[] {
  return groups
    .map(({ label, screens }) => ({
      label,
      screens: screens.filter(({ also }) => role === "admin" || also === role),
    }))
    .filter(({ screens }) => screens.length > 0);
}

export function screensOf(role: OfficeRole): readonly Screen[] {
  return groupsOf(role).flatMap(({ screens }) => screens);
}

/** Where a path redirects when its screen is not for this role: to the role's first screen. */
export function detourOf(role: OfficeRole, path: string): string | undefined {
  if (role === "admin") return undefined;
  const own = screensOf(role);
  return own.some(({ to }) => path === to || path.startsWith(`${to}/`)) ? undefined : own[0]?.to;
}
