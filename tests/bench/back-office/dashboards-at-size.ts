// P8: the live dashboard's database queries, on a large festival's history compared with a small one's. Both are seeded
// once into folders that are kept. The figures' own totals are compared with the tables.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LargeAmounts, seedLarge } from "../../../scripts/seed/large.ts";
import { startCluster } from "../../../server/src/postgres/cluster/cluster.ts";
import { type Database, openDatabase } from "../../../server/src/postgres/database.ts";
import { migrate } from "../../../server/src/postgres/setup/migrate.ts";
import { PROJECT } from "../../../shop/src/project.ts";
import { compared, type Figure, type Settings } from "../figures.ts";
import { measureInTurn, spread, WrongAnswer } from "../pairs.ts";

const MOST_TIMES = 1.5;
const LARGE: LargeAmounts = { tickets: 1_000_000, visits: 10_000_000, scans: 0 };
const SMALL: LargeAmounts = { tickets: 10_000, visits: 100_000, scans: 0 };

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
] as const;

interface Past {
  /** Milliseconds of one call, the median of a slice. */
  slice(call: (typeof FUNCTIONS)[number], seconds: number): Promise<number>;
  close(): Promise<void>;
}

export async function measureDashboardsAtSize({
  pairs,
  seconds,
  folder,
}: Settings): Promise<readonly Figure[]> {
  const large = await openPast(join(folder, "large"), LARGE);
  const small = await openPast(join(folder, "small"), SMALL);
  try {
    const figures: Figure[] = [];
    for (const call of FUNCTIONS) {
      const paired = await measureInTurn(
        () => large.slice(call, seconds),
        () => small.slice(call, seconds),
        pairs,
      );
      figures.push(compared(`${call.name}, large`, "ms", "small", paired, { atMost: MOST_TIMES }));
    }
    return figures;
  } finally {
    await large.close();
    await small.close();
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
  /** Cached, because counting ten million rows takes longer than a slice. Nothing is written meanwhile. */
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
