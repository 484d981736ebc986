-- A visit is written as two rows and nothing else: itself, and its place in a tail that waits to be counted. No visitor
-- locks a counter, and a job counts the tail in one go every few seconds. What is read is roll-ups plus tail, so no figure
-- is late, and none is wrong when the job stands still.

create table public.site_visits (
  id uuid primary key default gen_random_uuid(),
  session_id text not null check (length(session_id) between 8 and 100),
  user_id uuid references auth.users (id) on delete set null,
  page_path text not null check (length(page_path) between 1 and 500),
  referrer text check (length(referrer) <= 2000),
  user_agent text check (length(user_agent) <= 1000),
  device_type text check (device_type in ('mobile', 'tablet', 'desktop')),
  browser_name text check (browser_name in ('Chrome', 'Firefox', 'Safari', 'Edge', 'Other')),
  visit_duration integer not null default 0 check (visit_duration between 0 and 86400),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index site_visits_touched on public.site_visits (updated_at);

-- Who is online is counted by the database's clock: a visitor's own may be wrong, or say so on purpose.
create trigger site_visits_touch before update on public.site_visits
  for each row execute function public.touch_updated_at();

-- Not logged: a crash costs the counts of a few seconds, no visit.
create unlogged table public.visit_tail (
  at timestamptz not null,
  session_id text not null,
  page_path text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create table public.visit_hours (
  hour timestamptz primary key,
  visits integer not null
);
create table public.visit_days (
  day date primary key,
  visits integer not null,
  sessions integer not null
);
create table public.visit_pages (
  day date not null,
  page_path text not null,
  visits integer not null,
  primary key (day, page_path)
);
create table public.visit_sessions (
  day date not null,
  session_id text not null,
  primary key (day, session_id)
);

-- A visitor is who holds the tab's session identifier, which the browser sends as a header: nobody can list the others'.
create function public.visit_session() returns text
language sql stable set search_path = '' as $$
  select nullif(current_setting('request.headers', true), '')::json ->> 'x-visit-session';
$$;

alter table public.site_visits enable row level security;
alter table public.visit_tail enable row level security;
alter table public.visit_hours enable row level security;
alter table public.visit_days enable row level security;
alter table public.visit_pages enable row level security;
alter table public.visit_sessions enable row level security;

revoke all on public.site_visits, public.visit_tail, public.visit_hours, public.visit_days, public.visit_pages,
  public.visit_sessions from anon, authenticated;
-- The browser names its visits itself: it need not wait for an answer before it can tell of one again.
grant select, insert (id, session_id, user_id, page_path, referrer, user_agent, device_type, browser_name, visit_duration)
  on public.site_visits to anon, authenticated;
grant update (visit_duration, updated_at) on public.site_visits to anon, authenticated;
grant select on public.visit_hours, public.visit_days, public.visit_pages to authenticated;

create policy "Visitors record their own visits" on public.site_visits
  for insert to anon, authenticated
  with check (session_id = (select public.visit_session()) and (user_id is null or user_id = (select auth.uid())));
create policy "Visitors find their own visits" on public.site_visits
  for select to anon, authenticated using (session_id = (select public.visit_session()));
create policy "Visitors update their own visits" on public.site_visits
  for update to anon, authenticated using (session_id = (select public.visit_session()));
create policy "Admins read all visits" on public.site_visits
  for select to authenticated using ((select public.is_admin()));
create policy "Nobody but the service reads the visit tail" on public.visit_tail
  for all to anon, authenticated using (false) with check (false);
create policy "Admins read the hourly visits" on public.visit_hours
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the daily visits" on public.visit_days
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the visits of pages" on public.visit_pages
  for select to authenticated using ((select public.is_admin()));
create policy "Nobody but the service reads visit sessions" on public.visit_sessions
  for all to anon, authenticated using (false) with check (false);

alter publication supabase_realtime add table public.site_visits;

create function public.count_visits() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.visit_tail select created_at, session_id, page_path from added;
  return null;
end $$;
create trigger site_visits_count after insert on public.site_visits
  referencing new table as added for each statement execute function public.count_visits();

-- A lost visit is no loss; a visit must not make a sale wait for the disk.
create function public.commit_without_waiting() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  return null;
end $$;
create trigger site_visits_commit before insert or update on public.site_visits
  for each statement execute function public.commit_without_waiting();

-- One call for everything a tab has to say: pages it came to, and how long it stayed on others. Runs as the visitor, so
-- the policies and grants of site_visits decide: own session, own name, and of a known visit only its duration.
--
-- p_visits: [{id, page_path, referrer, user_agent, device_type, browser_name, user_id, visit_duration}]
create function public.record_visits(p_visits jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if jsonb_typeof(p_visits) is distinct from 'array' or jsonb_array_length(p_visits) > 50 then
    raise exception 'p_visits must be an array of at most 50' using errcode = '22023';
  end if;
  insert into public.site_visits as v
      (id, session_id, user_id, page_path, referrer, user_agent, device_type, browser_name, visit_duration)
    select distinct on (id) id, public.visit_session(), user_id, page_path, referrer, user_agent, device_type, browser_name,
      coalesce(visit_duration, 0)
    from jsonb_to_recordset(p_visits) as said (id uuid, user_id uuid, page_path text, referrer text, user_agent text,
      device_type text, browser_name text, visit_duration integer)
    order by id, visit_duration desc nulls last
    on conflict (id) do update set visit_duration = greatest(v.visit_duration, excluded.visit_duration);
end $$;

-- Counts the tail of visits, one caller at a time, and adds the order tallies together. Answers how many visits were counted.
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

create function public.get_realtime_visit_stats() returns jsonb
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
revoke execute on function public.record_visits(jsonb) from public;
grant execute on function public.record_visits(jsonb) to anon, authenticated;
revoke execute on function public.get_realtime_visit_stats() from public, anon;
grant execute on function public.get_realtime_visit_stats() to authenticated;
