// The dashboard combines the reads of three features.
import { DashboardScreen } from "#features/admin-dashboard/dashboard-screen.tsx";
import { useSalesOverview } from "#features/admin-dashboard/queries.ts";
import { ticketTypesOf } from "#features/admin-inventory/model.ts";
import { useInventoryStatus } from "#features/admin-inventory/queries.ts";
import { useUserStats } from "#features/admin-users/queries.ts";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Dashboard");

export default function AdminDashboardRoute() {
  const sales = useSalesOverview();
  const users = useUserStats();
  const inventory = useInventoryStatus();
  const reads = [sales, users, inventory];
  return (
    <DashboardScreen
      figures={
        sales.data && users.data && inventory.data
          ? { sales: sales.data, users: users.data, ticketTypes: ticketTypesOf(inventory.data) }
          : undefined
      }
      reads={reads}
      error={reads.map(({ error }) => error).find((error) => error !== null) ?? null}
      onRetry={() => reads.forEach(({ refetch }) => void refetch())}
    />
  );
}
