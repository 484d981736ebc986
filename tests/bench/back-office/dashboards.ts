// Organizers who watch the sale: the live dashboard of the back office, making the same requests and subscriptions as its
// page through the official client. Counts the changes it receives, so that a measurement can verify that nothing was
// missing.
import type { SupabaseClient } from "@supabase/supabase-js";
import { visitorClient } from "../../support/server/clients.ts";
import type { Festival } from "../../support/server/festival.ts";
import { WrongAnswer } from "../pairs.ts";

export interface Dashboards {
  /** New orders that every dashboard has received. */
  ordersSeen(): number;
  close(): Promise<void>;
}

/** The page's reads and their intervals. Orders and stock trigger them as well, at most every two seconds. */
const READS = { get_system_health: 30_000, get_realtime_visit_stats: 10_000, get_sales_overview: undefined };
const AGAIN_EVERY_MS = 2000;
const AGAIN_FOR_ORDERS = ["get_sales_overview", "get_system_health"] as const;
/** The columns that the page reads of each table it follows. */
const COLUMNS = {
  orders: ["id", "buyer_full_name", "total_amount", "created_at", "channel"],
  products: ["id", "name", "current_inventory", "total_inventory", "is_hidden"],
  vendor_applications: ["id", "booth_name", "submission_date"],
  audit_logs: ["id", "action_type", "table_name", "created_at"],
  site_visits: ["id"],
};
type Table = keyof typeof COLUMNS;
/** What it follows in one channel: rows to reload, rows to announce. */
const RELOADED = ["orders", "products", "vendor_applications", "audit_logs"] as const;
const ANNOUNCED = {
  INSERT: ["vendor_applications", "audit_logs"],
  UPDATE: ["products"],
} as const;

export async function openDashboards(festival: Festival, count: number): Promise<Dashboards> {
  const open = await Promise.all(Array.from({ length: count }, () => openDashboard(festival)));
  return {
    ordersSeen: () => Math.min(...open.map((dashboard) => dashboard.ordersSeen())),
    async close() {
      await Promise.all(open.map((dashboard) => dashboard.close()));
    },
  };
}

async function openDashboard({ status }: Festival) {
  const client = visitorClient(status);
  const { error } = await client.auth.signInWithPassword({
    email: status.ADMIN_EMAIL!,
    password: status.ADMIN_PASSWORD!,
  });
  if (error) throw error;
  let seen = 0;
  let changed = false;
  const failures: unknown[] = [];
  const ask = (name: string) =>
    void client.rpc(name).then(({ data, error: refused }) => {
      if (refused || typeof data !== "object" || data === null) failures.push(refused ?? data);
    });
  const ignore = () => {};
  await follow(client, "back-office", [
    ...RELOADED.map((table) => ({ table, event: "*", onChange: () => (changed = true) })),
    ...ANNOUNCED.INSERT.map((table) => ({ table, event: "INSERT", onChange: ignore })),
    ...ANNOUNCED.UPDATE.map((table) => ({ table, event: "UPDATE", onChange: ignore })),
    { table: "orders", event: "INSERT", onChange: () => (seen += 1) },
  ]);
  await follow(client, "site-visits", [{ table: "site_visits", event: "*", onChange: ignore }]);

  const timers = Object.entries(READS).map(([name, everyMs]) => {
    ask(name);
    return everyMs === undefined ? undefined : setInterval(() => ask(name), everyMs);
  });
  timers.push(
    setInterval(() => {
      if (changed) AGAIN_FOR_ORDERS.forEach(ask);
      changed = false;
    }, AGAIN_EVERY_MS),
  );

  return {
    ordersSeen: () => seen,
    async close() {
      timers.forEach((timer) => clearInterval(timer));
      await client.removeAllChannels();
      await client.auth.signOut({ scope: "local" });
      if (failures.length > 0)
        throw new WrongAnswer(`A dashboard was answered ${JSON.stringify(failures[0])}`);
    },
  };
}

function follow(
  client: SupabaseClient,
  name: string,
  followed: readonly { table: Table; event: string; onChange: () => void }[],
): Promise<void> {
  const channel = client.channel(name);
  for (const { table, event, onChange } of followed) {
    channel.on(
      "postgres_changes",
      { event: event as "*", schema: "public", table, select: COLUMNS[table] },
      onChange,
    );
  }
  return new Promise((joined, fail) => {
    channel.on("system", {}, ({ status, message }: { status: string; message: string }) =>
      status === "ok" ? joined() : fail(new WrongAnswer(`${name}: ${message}`)),
    );
    channel.subscribe((state, error) => state !== "SUBSCRIBED" && error && fail(error));
  });
}
