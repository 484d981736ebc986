// Keeps the screen up to date: a change in the database refetches the reads that show it, each at most once in two seconds, however
// many rows change. When changes start or resume, all of them are refetched.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followChanges } from "#lib/api/changes.ts";
import type { OfficeRole } from "./navigation.ts";
import type { Coalesced } from "#lib/api/coalesce.ts";
import { createRefresh } from "#lib/api/query.ts";

const EVERY_MS = 2000;

/** The reads (first part of their key) that show rows of each table. Finance only receives changes of orders. */
const shownBy = {
  orders: [
    ...["sales-overview", "admin-orders", "admin-order", "inventory-status", "system-health"],
    ...["attendees", "comps", "till-report", "sales-plot"],
  ],
  ticket_types: ["inventory-status", "system-health", "admin-waitlist"],
  parking_passes: ["inventory-status", "system-health"],
  vendor_applications: ["vendor-applications"],
  // Changes to the shop's settings arrive through the audit log.
  audit_logs: ["shop-sale", "audit-logs", "system-health", "admin-order"],
} as const;

/**
 * Calls `onRoleChange` when a user's role changes, and whenever a change may have been missed. Calls `onEnded` when the server closes
 * the stream because the role or the session has ended.
 */
export function useLiveReads(role: OfficeRole, onRoleChange: () => void, onEnded: () => void): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const shown = Object.entries(shownBy).filter(
      ([table]) => role === "admin" || (role === "finance" && table === "orders"),
    );
    const refreshers = new Map<string, Coalesced>();
    const refresh = (key: string) => {
      const known = refreshers.get(key) ?? createRefresh(queryClient, [key], EVERY_MS);
      refreshers.set(key, known);
      known();
    };
    const leave = followChanges(
      "back-office",
      [
        ...shown.map(([table, keys]) => ({
          table,
          event: "*" as const,
          notify: () => keys.forEach(refresh),
        })),
        { table: "user_roles", event: "*", notify: onRoleChange },
      ],
      () => {
        shown.forEach(([, keys]) => keys.forEach(refresh));
        onRoleChange();
      },
      onEnded,
    );
    return () => {
      leave();
      for (const refresher of refreshers.values()) refresher.cancel();
    };
  }, [queryClient, role, onRoleChange, onEnded]);
}
