-- A visit is written as two rows and nothing else: itself, and its place in a tail that waits to be counted. No visitor
-- locks a counter, and a job counts the tail in one go every few seconds. What is read is roll-ups plus tail, so no figure
-- is late, and none is wrong when the job stands still.

-- Not logged: a crash costs the counts of a few seconds, no visit.
create unlogged table public.visit_tail (
  at timestamptz not null,
  session_id text not null,
  page_path text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
alter table public.visit_tail enable row level security;
revoke all on public.visit_tail from anon, authenticated;
create policy "Nobody but the service reads the visit tail" on public.visit_tail
  for all to anon, authenticated using (false) with check (false);

create or replace function public.count_visits() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.visit_tail select created_at, session_id, page_path from added;
  return null;
end $$;

-- One at a time counts the tail, so the counters need no shards.
truncate public.visit_hours, public.visit_days, public.visit_pages;
alter table public.visit_hours drop column shard, add primary key (hour);
alter table public.visit_days drop column shard, add primary key (day);
alter table public.visit_pages drop column shard, add primary key (day, page_path);
insert into public.visit_hours select date_trunc('hour', created_at), count(*) from public.site_visits group by 1;
insert into public.visit_days
  select public.festival_day(created_at), count(*), count(distinct session_id) from public.site_visits group by 1;
insert into public.visit_pages
  select public.festival_day(created_at), page_path, count(*) from public.site_visits group by 1, 2;

-- Answers how many visits were counted.
create function public.roll_up() returns integer
language plpgsql volatile set search_path = '' as $$
declare
  counted integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('roll_up', 0)) then return 0; end if; -- another server is at it
  set local synchronous_commit = off;
  with taken as (
    delete from public.visit_tail returning at, public.festival_day(at) as day, session_id, page_path
  ), fresh as (
    insert into public.visit_sessions (day, session_id) select distinct day, session_id from taken
      on conflict do nothing returning day
  ), days as (
    insert into public.visit_days as d (day, visits, sessions)
      select day, count(*), (select count(*) from fresh f where f.day = t.day) from taken t group by 1
      on conflict (day) do update set visits = d.visits + excluded.visits, sessions = d.sessions + excluded.sessions
  ), hours as (
    insert into public.visit_hours as h (hour, visits) select date_trunc('hour', at), count(*) from taken group by 1
      on conflict (hour) do update set visits = h.visits + excluded.visits
  ), pages as (
    insert into public.visit_pages as p (day, page_path, visits) select day, page_path, count(*) from taken group by 1, 2
      on conflict (day, page_path) do update set visits = p.visits + excluded.visits
  )
  select count(*) into counted from taken;

  with taken as (
    delete from public.order_tallies where (day, status) in (
      select day, status from public.order_tallies group by 1, 2 having count(*) > 1)
    returning day, status, orders
  )
  insert into public.order_tallies select day, status, sum(orders) from taken group by 1, 2;
  return counted;
end $$;

create or replace function public.get_realtime_visit_stats() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  today constant date := public.festival_day(now());
  midnight constant timestamptz := today::timestamp at time zone 'America/Chicago';
  since constant timestamptz := date_trunc('hour', now()) - interval '23 hours';
begin
  perform public.require_admin();
  return jsonb_build_object(
    'current_online', (select count(*) from (
      select from public.site_visits where updated_at > now() - interval '60 seconds' group by session_id) as online),
    'visits_today', (select coalesce(sum(visits), 0) from public.visit_days where day = today)
      + (select count(*) from public.visit_tail where at >= midnight),
    'unique_visitors_today', (select coalesce(sum(sessions), 0) from public.visit_days where day = today)
      + (select count(distinct t.session_id) from public.visit_tail t where t.at >= midnight
        and not exists (select from public.visit_sessions s where s.day = today and s.session_id = t.session_id)),
    'popular_pages', (select coalesce(jsonb_agg(jsonb_build_object('page', page_path, 'visits', visits)), '[]') from (
      select page_path, sum(visits) as visits from (
        select page_path, visits from public.visit_pages where day = today
        union all select page_path, 1 from public.visit_tail where at >= midnight) as seen
      group by 1 order by 2 desc, 1 limit 5) as top),
    'hourly_traffic', (select coalesce(jsonb_agg(jsonb_build_object('hour', hour, 'visits', visits)
        order by hour desc), '[]') from (
      select hour, sum(visits) as visits from (
        select hour, visits from public.visit_hours where hour >= since
        union all select date_trunc('hour', at), 1 from public.visit_tail where at >= since) as seen
      group by 1) as hours));
end $$;

revoke execute on function public.roll_up() from public, anon, authenticated;
