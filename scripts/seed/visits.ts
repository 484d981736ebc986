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

/** Computes from the rows what the triggers and the job would have counted. */
export async function rollUpVisits(tx: Executor): Promise<void> {
  await tx.query("analyze public.site_visits"); // the planner must know how many groups there are
  await tx.query(
    "truncate public.visit_tail, public.visit_hours, public.visit_days, public.visit_pages, public.visit_sessions",
  );
  // One pass for three roll-ups: a session has few pages, and so does an hour.
  await tx.query(
    `create temporary table seen on commit drop as
      select public.festival_day(created_at) as day, date_trunc('hour', created_at) as hour, page_path, count(*) as visits
      from public.site_visits group by 1, 2, 3`,
  );
  await tx.query("insert into public.visit_hours select hour, sum(visits) from seen group by 1");
  await tx.query("insert into public.visit_pages select day, page_path, sum(visits) from seen group by 1, 2");
  await tx.query(
    `insert into public.visit_days
      select day, (select sum(visits) from seen where seen.day = s.day), count(*)
      from (select public.festival_day(created_at) as day, session_id from public.site_visits group by 1, 2) as s group by 1`,
  );
  await tx.query(
    `insert into public.visit_sessions
      select distinct public.festival_day(created_at), session_id from public.site_visits
      where created_at > now() - interval '2 days'`,
  );
}
