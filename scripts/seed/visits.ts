// The visits of a large festival: sessions of five pages, a minute each, spread over the last 60 days.
import type { Executor } from "../../server/src/postgres/executor.ts";
import { rebuildingIndexes } from "./rebuilt-indexes.ts";

const PAGES_A_SESSION = 5;

export async function seedVisits(tx: Executor, visits: number): Promise<void> {
  const { rows } = await tx.query<{ sessions: number }>(
    "select count(distinct session_id)::integer as sessions from public.site_visits where session_id like 'seed-visitor-%'",
  );
  await rebuildingIndexes(tx, ["public.site_visits"], async () => {
    await tx.query(
      `insert into public.site_visits (session_id, page_path, device_type, browser_name, visit_duration, created_at, updated_at)
        select 'seed-visitor-' || s + $2::integer,
          (array['/', '/tickets', '/schedule', '/map', '/faq', '/about', '/vendors', '/sponsors', '/checkout', '/my-tickets'])
            [1 + floor(power(random(), 2) * 10)::integer],
          (array['mobile', 'tablet', 'desktop'])[1 + (s % 3)], 'Chrome', 60, began + step * interval '1 minute',
          began + step * interval '1 minute'
        from (
          select s, now() - interval '10 minutes' - random() * interval '60 days' as began
          from generate_series(0, ($1::integer - 1) / ${PAGES_A_SESSION}) as s offset 0
        ) as session, generate_series(0, ${PAGES_A_SESSION - 1}) as step
        where s * ${PAGES_A_SESSION} + step < $1`,
      [visits, rows[0]!.sessions],
    );
  });
}
