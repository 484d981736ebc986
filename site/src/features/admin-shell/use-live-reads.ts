// Keeps the screen up to date: a change in the database refetches the reads that show it, each at most once in two seconds, however
// many rows change. When changes start or resume, all of them are refetched.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followBroadcasts } from "#lib/api/broadcasts.ts";
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
  products: ["inventory-status", "system-health", "admin-waitlist"],
  vendor_applications: ["vendor-applications"],
  // Changes to the shop's settings arrive through the audit log.
  audit_logs: ["shop-sale", "audit-logs", "system-health", "admin-order"],
} as const;

/** Sellers read none of the tables, so there is nothing to follow. */
const shownTo = (role: OfficeRole) =>
  Object.entries(shownBy).filter(([table]) => role === "admin" || (role === "finance" && table === "orders"));

/** What a role reads stays up to date. */
export function useLiveReads(role: OfficeRole): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const shown = shownTo(role);
    if (shown.length === 0) return undefined;
    const refreshers = new Map<string, Coalesced>();
    const refresh = (key: string) => {
      const known = refreshers.get(key) ?? createRefresh(queryClient, [key], EVERY_MS);
      refreshers.set(key, known);
      known();
    };
    const leave = followChanges(
      "back-office",
      shown.map(([table, keys]) => ({
        table,
        event: "*" as const,
        columns: [],
        notify: () => keys.forEach(refresh),
      })),
      () => shown.forEach(([, keys]) => keys.forEach(refresh)),
    );
    return () => {
      leave();
      for (const refresher of refreshers.values()) refresher.cancel();
    };
  }, [queryClient, role]);
}

/**
 * Calls `onChange` when the user's role changes, and whenever a change may have been missed. Calls `onEnded` when the server closes
 * the channel because the role or the session has ended.
 */
export function useLiveRole(userId: string, onChange: () => void, onEnded: () => void): void {
  useEffect(
    () =>
      followBroadcasts(`role:${userId}`, "changed", {
        notify: onChange,
        onLive: (isLive) => void (isLive && onChange()),
        onEnded,
      }),
    [userId, onChange, onEnded],
  );
}
