// P8: what the back office's screens ask the database, with the history of a large festival, which is seeded once into a folder that
// is kept. The figures' own totals are compared with the tables.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LargeAmounts, seedLarge } from "../../../scripts/seed/large.ts";
import { startCluster } from "../../../server/src/postgres/cluster/cluster.ts";
import { type Database, openDatabase } from "../../../server/src/postgres/database.ts";
import { migrate } from "../../../server/src/postgres/setup/migrate.ts";
import { PROJECT } from "../../../shop/src/project.ts";
import { type Figure, number, type Settings } from "../figures.ts";
import { spread, WrongAnswer } from "../pairs.ts";

const MOST_MS = 100;
/** 100,000 orders. */
const LARGE: LargeAmounts = { tickets: 250_000, visits: 1_000_000, scans: 0 };

/** Each with a total of its answer, and the same total counted from the rows. */
const FUNCTIONS = [
  {
    name: "get_sales_overview",
    said: "(answer ->> 'total_tickets')::bigint",
    counted: "select count(*) from public.tickets",
  },
  {
    name: "get_user_stats",
    said: "(answer ->> 'total_users')::bigint",
    counted: "select count(*) from auth.users",
  },
  {
    name: "get_realtime_visit_stats",
    said: "(answer ->> 'visits_today')::bigint",
    counted:
      "select count(*) from public.site_visits where public.festival_day(created_at) = public.festival_day(now())",
  },
  {
    name: "get_sales_plot",
    said: "(select sum((d ->> 'sold')::bigint) from jsonb_array_elements(answer -> 'days') as d)",
    counted: "select count(*) from public.entry_codes",
  },
  {
    name: "get_inventory_status",
    said: "(select sum((t ->> 'revenue')::numeric) from jsonb_path_query(answer, '$.products[*]') as t)::bigint",
    counted: "select sum(total_amount)::bigint as count from public.orders",
  },
  {
    name: "get_recent_orders",
    said: "(answer ->> 'all_count')::bigint",
    counted: "select count(*) from public.orders",
  },
] as const;

interface Past {
  /** Milliseconds of one call, the median of a slice. */
  slice(call: (typeof FUNCTIONS)[number], seconds: number): Promise<number>;
  close(): Promise<void>;
}

export async function measureDashboardsAtSize({ seconds, folder }: Settings): Promise<readonly Figure[]> {
  const past = await openPast(join(folder, "100,000-orders"), LARGE);
  try {
    const figures: Figure[] = [];
    for (const call of FUNCTIONS) {
      const amount = await past.slice(call, seconds);
      const what = `${call.name}, 100,000 orders and 1,000,000 visits`;
      figures.push({ what, ours: `${number(amount)} ms`, against: "", amount, goal: { atMost: MOST_MS } });
    }
    return figures;
  } finally {
    await past.close();
  }
}

async function openPast(directory: string, amounts: LargeAmounts): Promise<Past> {
  const cluster = await startCluster(directory);
  const database = openDatabase(cluster.url, { sizes: { requests: 1, service: 2 } });
  const close = async () => {
    await database.close();
    await cluster.stop();
  };
  try {
    const service = database.asService("the measurement prepares its own database");
    await migrate(service, PROJECT);
    const seeded = join(directory, "seeded");
    if (!existsSync(seeded)) {
      await seedLarge(database, amounts);
      writeFileSync(seeded, JSON.stringify(amounts));
    }
    const { rows } = await service.query<{ id: string }>(
      `insert into public.user_roles (user_id, role) select min(id::text)::uuid, 'admin' from auth.users
       on conflict (user_id) do update set role = 'admin' returning user_id as id`,
    );
    return pastOf(database, rows[0]!.id, close);
  } catch (error) {
    await close();
    throw error;
  }
}

function pastOf(database: Database, adminId: string, close: () => Promise<void>): Past {
  const scope = { claims: { role: "authenticated", sub: adminId }, readOnly: true };
  const service = database.asService("the measurement counts the rows itself");
  /** Cached, because counting takes longer than a call. Nothing is written meanwhile. */
  const counts = new Map<string, string>();
  return {
    async slice({ name, said, counted }, seconds) {
      const times: number[] = [];
      const until = performance.now() + seconds * 1000;
      let answered: string | undefined;
      while (performance.now() < until) {
        const started = performance.now();
        const { rows } = await database.run<{ said: string }>(scope, {
          name,
          text: `select ${said} as said from public.${name}() as answer`,
        });
        times.push(performance.now() - started);
        answered = rows[0]!.said;
      }
      if (!counts.has(name)) {
        const { rows } = await service.query<{ count: string }>(counted);
        counts.set(name, rows[0]!.count);
      }
      if (answered !== counts.get(name)) {
        throw new WrongAnswer(`${name} says ${answered}, the rows say ${counts.get(name)}.`);
      }
      return spread(times).median;
    },
    close,
  };
}
