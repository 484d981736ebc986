// Keeps what is on screen true: a change in the database makes the reads that show it be asked again, at most once in
// two seconds each, however many rows change. When changes begin to flow, or flow again, all of them are asked again.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followChanges } from "#lib/api/changes.ts";
import { coalesce, type Coalesced } from "#lib/api/coalesce.ts";

const EVERY_MS = 2000;

/** Which reads (by the first part of their key) show rows of a table. */
const shownBy = {
  orders: ["sales-overview", "admin-orders", "admin-order", "inventory-status", "system-health"],
  ticket_types: ["inventory-status", "system-health"],
  parking_passes: ["inventory-status", "system-health"],
  vendor_applications: ["vendor-applications"],
  // The shop's settings are not followed themselves; each change of them is audited.
  audit_logs: ["shop-sale", "audit-logs", "system-health", "admin-order"],
} as const;

/** `onRoleChange` is called when somebody was given a role or lost one, and whenever that may have been missed. */
export function useLiveReads(onRoleChange: () => void): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const refreshers = new Map<string, Coalesced>();
    const refresh = (key: string) => {
      const known =
        refreshers.get(key) ??
        coalesce(() => void queryClient.invalidateQueries({ queryKey: [key] }), EVERY_MS);
      refreshers.set(key, known);
      known();
    };
    const leave = followChanges(
      "back-office",
      [
        ...Object.entries(shownBy).map(([table, keys]) => ({
          table,
          event: "*" as const,
          tell: () => keys.forEach(refresh),
        })),
        { table: "user_roles", event: "*", tell: onRoleChange },
      ],
      () => {
        Object.values(shownBy).flat().forEach(refresh);
        onRoleChange();
      },
      onRoleChange,
    );
    return () => {
      leave();
      for (const refresher of refreshers.values()) refresher.cancel();
    };
  }, [queryClient, onRoleChange]);
}
