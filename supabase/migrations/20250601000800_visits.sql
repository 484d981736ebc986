-- A visit writes only two rows: itself, and an entry in a tail that waits to be counted. No visitor locks a counter; a job counts
-- the whole tail every few seconds. Figures are roll-ups plus tail, so they are always current, and stay correct when the job does
-- not run.

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
  -- Identifies the writer, for a client that sends no session: see visit_writer().
  writer text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index site_visits_touched on public.site_visits (updated_at);
create index site_visits_created on public.site_visits (created_at); -- for clean_up

-- Presence is counted by the database's clock: a visitor's own may be wrong, even on purpose.
create trigger site_visits_touch before update on public.site_visits
  for each row execute function public.touch_updated_at();

-- Unlogged: a crash costs the counts of a few seconds, but no visit.
create unlogged table public.visit_tail (
  at timestamptz not null,
  session_id text not null,
  page_path text not null,
  address text
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index visit_tail_by_address on public.visit_tail (address);

-- Duration updates since the last roll-up. They count towards the limits of their sources, not as visits.
create unlogged table public.visit_updates (
  at timestamptz not null,
  session_id text not null,
  address text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index visit_updates_by_address on public.visit_updates (address, at);

-- How much came from one address or tab within an hour. Unlogged, and soon deleted.
create unlogged table public.visit_sources (
  hour timestamptz not null,
  source text not null,
  visits integer not null,
  primary key (hour, source)
);

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

-- A visitor is identified by the tab's session identifier, which our site sends as a header: nobody can list the identifiers of
-- others.
create function public.visit_session() returns text
language sql stable set search_path = '' as $$
  select public.request_header('x-visit-session');
$$;

-- A client of the API that sends no session may still update its visit's duration: its address and browser identify it for a
-- day.
create function public.visit_writer() returns text
language sql stable set search_path = '' as $$
  select case when public.visit_session() is null
    then md5(public.request_network() || ' ' || coalesce(public.request_header('user-agent'), '')) end;
$$;
alter table public.site_visits alter column writer set default public.visit_writer();

-- The site's pages (site/src/app/pages.ts). Any other path counts as one page, so that popular pages show nothing a stranger made
-- up. Paths of the back office are recorded without the numbers in them, and are in no figure.
create function public.site_page(p_path text) returns text
language sql immutable set search_path = '' as $$
  select case when page in ('/', '/about', '/schedule', '/vendors', '/sponsors', '/faq', '/map', '/tickets', '/auth',
      '/checkout', '/order-confirmation', '/dashboard', '/my-tickets', '/transfer', '/terms', '/privacy', '/unsubscribe')
      or page ~ '^/admin(/|$)' then page else '/not-found' end
  from regexp_replace(lower(coalesce(nullif(rtrim(substring(p_path from '^[^?#]*'), '/'), ''), '/')),
    '/[^/]*[^a-z/-][^/]*', '/:id', 'g') as page;
$$;

-- The dashboard's figures are about visitors: work in the back office is recorded, and counts only towards the limits.
create function public.is_public_page(p_page text) returns boolean
language sql immutable set search_path = '' as $$
  select p_page !~ '^/admin(/|$)';
$$;

alter table public.site_visits enable row level security;
alter table public.visit_tail enable row level security;
alter table public.visit_updates enable row level security;
alter table public.visit_sources enable row level security;
alter table public.visit_hours enable row level security;
alter table public.visit_days enable row level security;
alter table public.visit_pages enable row level security;
alter table public.visit_sessions enable row level security;

revoke all on public.site_visits, public.visit_tail, public.visit_updates, public.visit_sources, public.visit_hours,
  public.visit_days, public.visit_pages, public.visit_sessions from anon, authenticated;
-- The browser chooses its visits' ids, so it need not wait for a response before it reports on a visit again.
grant insert (id, session_id, user_id, page_path, referrer, user_agent, device_type, browser_name, visit_duration)
  on public.site_visits to anon, authenticated;
grant select (id, visit_duration, updated_at) on public.site_visits to anon;
grant select on public.site_visits to authenticated;
grant update (visit_duration, updated_at) on public.site_visits to anon, authenticated;
grant select on public.visit_hours, public.visit_days, public.visit_pages to authenticated;

create policy "Visitors record their own visits" on public.site_visits
  for insert to anon, authenticated
  with check (session_id = coalesce((select public.visit_session()), session_id)
    and (user_id is null or user_id = (select auth.uid())));
create policy "Visitors find their own visits" on public.site_visits
  for select to anon, authenticated
  using (session_id = (select public.visit_session()) or user_id = (select auth.uid()));
create policy "Visitors learn the id of the visit they record" on public.site_visits
  for select to anon, authenticated using (created_at = now());
create policy "Visitors without a session find their visit to update it" on public.site_visits
  for select to anon
  using (current_setting('request.method', true) = 'PATCH' and writer = (select public.visit_writer()) and user_id is null
    and created_at > now() - interval '1 day');
create policy "Visitors update their own visits" on public.site_visits
  for update to anon, authenticated
  using (session_id = (select public.visit_session()) or user_id = (select auth.uid()));
create policy "Visitors without a session update their visit" on public.site_visits
  for update to anon
  using (writer = (select public.visit_writer()) and user_id is null and created_at > now() - interval '1 day');
create policy "Admins read all visits" on public.site_visits
  for select to authenticated using ((select public.is_admin()));
create policy "Nobody but the service reads the visit tail" on public.visit_tail
  for all to anon, authenticated using (false) with check (false);
create policy "Nobody but the service reads the visit updates" on public.visit_updates
  for all to anon, authenticated using (false) with check (false);
create policy "Nobody but the service reads where visits come from" on public.visit_sources
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

-- Stores only what the back office shows, cut to fit.
create function public.trim_visit() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.page_path := public.site_page(new.page_path);
  new.referrer := left(new.referrer, 300);
  new.user_agent := left(new.user_agent, 300);
  return new;
end $$;
create trigger site_visits_trim before insert on public.site_visits
  for each row execute function public.trim_visit();

-- Refuses more than visitors would send: one address can write about 20 MB an hour. Beyond that, a whole town behind one address is
-- merely not counted.
create function public.count_visits() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  most_of_session constant integer := 600; -- per hour
  most_of_address constant integer := 20000; -- per hour
  most_at_once constant integer := 1000; -- per address between two roll-ups: five seconds
  client constant text := public.request_network();
begin
  if client is not null and auth.jwt() ->> 'role' is distinct from 'service_role' and (
      (select count(*) from added) + (select count(*) from (
        select from public.visit_tail where address = client limit most_at_once) as recent) > most_at_once
      or exists (select from public.visit_sources
        where hour = date_trunc('hour', now()) and source = 'address ' || client and visits >= most_of_address)
      or exists (select from added join public.visit_sources s on s.source = 'session ' || added.session_id
        where s.hour = date_trunc('hour', now()) and s.visits >= most_of_session)) then
    raise exception 'Too many visits' using errcode = 'PT429', hint = 'Nothing was recorded. Try again later.';
  end if;
  insert into public.visit_tail select created_at, session_id, page_path, client from added;
  return null;
end $$;
create trigger site_visits_count after insert on public.site_visits
  referencing new table as added for each statement execute function public.count_visits();

-- Limits how often durations are written and how many rows one statement writes, since a session may update all its visits at
-- once. Further rows are skipped: a refusal would roll back the count of what was already written. An unchanged duration writes
-- nothing.
create function public.count_visit_update() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  most_of_statement constant integer := 50; -- as many as record_visits takes
  most_of_session constant integer := 600; -- per hour; a tab reports twice a minute
  most_of_address constant integer := 60000; -- per hour
  most_at_once constant integer := 1000; -- per address between two roll-ups
  client constant text := public.request_network();
  before_this integer;
begin
  if client is null or auth.jwt() ->> 'role' is not distinct from 'service_role' then return new; end if;
  if new.visit_duration = old.visit_duration then return null; end if;
  select count(*) into before_this from public.visit_updates where address = client and at = now();
  if before_this >= most_of_statement then return null; end if;
  if before_this = 0 and (
      (select count(*) from (
        select from public.visit_updates where address = client limit most_at_once) as recent) = most_at_once
      or exists (select from public.visit_sources
        where hour = date_trunc('hour', now()) and source = 'updates of address ' || client and visits >= most_of_address)
      or exists (select from public.visit_sources
        where hour = date_trunc('hour', now()) and source = 'updates of session ' || old.session_id
          and visits >= most_of_session)) then
    raise exception 'Too many visits' using errcode = 'PT429', hint = 'Nothing was recorded. Try again later.';
  end if;
  insert into public.visit_updates values (now(), old.session_id, client);
  return new;
end $$;
-- Visitors may set these two columns. Deleting an account clears user_id, an update that must not be skipped.
create trigger site_visits_count_update before update of visit_duration, updated_at on public.site_visits
  for each row execute function public.count_visit_update();

-- Losing a visit does no harm, and a visit must not make a sale wait for the disk.
create function public.commit_without_waiting() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  return null;
end $$;
create trigger site_visits_commit before insert or update on public.site_visits
  for each statement execute function public.commit_without_waiting();

-- One call for everything a tab has to report: pages it opened, and how long it stayed on others. Runs as the visitor, so the
-- policies and grants of site_visits decide: own session, own user, and for a known visit only its duration.
--
-- p_visits: [{id, page_path, referrer, user_agent, device_type, browser_name, user_id, visit_duration}]
create function public.record_visits(p_visits jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if jsonb_typeof(p_visits) is distinct from 'array' or jsonb_array_length(p_visits) > 50 then
    raise exception 'p_visits must be an array of at most 50' using errcode = '22023';
  end if;
  if public.visit_session() is null then
    raise exception 'The header x-visit-session is missing' using errcode = '42501';
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

-- The first stage of roll_up, which runs under its planner settings: counts the tail of visits, and returns how many those were.
create function public.roll_up_visits() returns integer
language plpgsql volatile set search_path = '' as $$
declare
  counted integer;
begin
  with taken as (
    delete from public.visit_tail returning at, public.festival_day(at) as day, session_id, page_path, address
  ), updated as (
    delete from public.visit_updates returning at, session_id, address
  ), sources as (
    insert into public.visit_sources as s (hour, source, visits)
      select date_trunc('hour', at), kind || name, count(*)
      from (
        select at, session_id, address, '' as of from taken
        union all select at, session_id, address, 'updates of ' from updated) as written,
      lateral (values (of || 'address ', address), (of || 'session ', session_id)) as source (kind, name)
      where address is not null group by 1, 2
      on conflict (hour, source) do update set visits = s.visits + excluded.visits
  ), seen as (
    select at, day, session_id, page_path from taken where public.is_public_page(page_path)
  ), fresh as (
    insert into public.visit_sessions (day, session_id) select distinct day, session_id from seen
      on conflict do nothing returning day
  ), days as (
    insert into public.visit_days as d (day, visits, sessions)
      select day, count(*), (select count(*) from fresh f where f.day = t.day) from seen t group by 1
      on conflict (day) do update set visits = d.visits + excluded.visits, sessions = d.sessions + excluded.sessions
  ), hours as (
    insert into public.visit_hours as h (hour, visits) select date_trunc('hour', at), count(*) from seen group by 1
      on conflict (hour) do update set visits = h.visits + excluded.visits
  ), pages as (
    insert into public.visit_pages as p (day, page_path, visits) select day, page_path, count(*) from seen group by 1, 2
      on conflict (day, page_path) do update set visits = p.visits + excluded.visits
  )
  select count(*) into counted from taken;
  return counted;
end $$;

-- The second: adds up the order tallies, and writes the search words of new orders.
create function public.roll_up_orders() returns void
language plpgsql volatile set search_path = '' as $$
begin
  with taken as (
    delete from public.order_tallies where (day, status) in (
      select day, status from public.order_tallies group by 1, 2 having count(*) > 1 or count(unworded) > 0)
    returning day, status, orders, unworded
  ), worded as (
    insert into public.order_words (order_id, words)
      select o.id, public.search_words(o.buyer_full_name, o.buyer_email, o.buyer_phone_number, o.attendees)
      from taken, unnest(unworded) as new (order_id), lateral (
        select id, buyer_full_name, buyer_email, buyer_phone_number, attendees from public.orders where id = new.order_id offset 0) as o
      order by o.id -- the foreign key locks the orders in the order of these rows
    -- One of its tickets was reissued in the last few seconds.
    on conflict (order_id) do update set words = order_words.words || excluded.words
  )
  insert into public.order_tallies select day, status, sum(orders) from taken group by 1, 2;
end $$;

-- Counts the tail of visits, one caller at a time, adds up the order tallies and writes the search words of new orders. Returns the
-- number of visits counted.
create function public.roll_up() returns integer
language plpgsql volatile set search_path = '' set enable_seqscan = off as $$
declare
  counted integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('roll_up', 0)) then return 0; end if; -- another server is counting
  set local synchronous_commit = off;
  counted := public.roll_up_visits();
  perform public.roll_up_orders();
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
      select from public.site_visits
      where updated_at > now() - interval '60 seconds' and public.is_public_page(page_path) group by session_id) as online),
    'visits_today', (select coalesce(sum(visits), 0) from public.visit_days where day = today)
      + (select count(*) from public.visit_tail where at >= midnight and public.is_public_page(page_path)),
    'unique_visitors_today', (select coalesce(sum(sessions), 0) from public.visit_days where day = today)
      + (select count(distinct t.session_id) from public.visit_tail t where t.at >= midnight and public.is_public_page(t.page_path)
        and not exists (select from public.visit_sessions s where s.day = today and s.session_id = t.session_id)),
    'popular_pages', (select coalesce(jsonb_agg(jsonb_build_object('page', page_path, 'visits', visits)), '[]') from (
      select page_path, sum(visits) as visits from (
        select page_path, visits from public.visit_pages where day = today
        union all select page_path, 1 from public.visit_tail where at >= midnight and public.is_public_page(page_path)) as seen
      group by 1 order by 2 desc, 1 limit 5) as top),
    -- The latest hour first, including hours without visits.
    'hourly_traffic', (select jsonb_agg(jsonb_build_object('hour', hour, 'visits', coalesce(visits, 0)) order by hour desc)
      from generate_series(since, now(), interval '1 hour') as hour left join (
        select hour, sum(visits) as visits from (
          select hour, visits from public.visit_hours where hour >= since
          union all select date_trunc('hour', at), 1 from public.visit_tail
            where at >= since and public.is_public_page(page_path)) as seen
        group by 1) as hours using (hour)));
end $$;

revoke execute on function public.is_public_page(text), public.roll_up(), public.roll_up_visits(), public.roll_up_orders() from public, anon, authenticated;
-- Its policies and defaults call these.
grant execute on function public.visit_session(), public.visit_writer(), public.site_page(text)
  to anon, authenticated;
revoke execute on function public.record_visits(jsonb) from public;
grant execute on function public.record_visits(jsonb) to anon, authenticated;
revoke execute on function public.get_realtime_visit_stats() from public, anon;
grant execute on function public.get_realtime_visit_stats() to authenticated;
