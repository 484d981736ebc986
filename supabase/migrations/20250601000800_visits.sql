-- Visits of the site's pages: who writes them, how many, and the dashboard's figures of the last day, read from the visits themselves.

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
create index site_visits_created on public.site_visits (created_at);

-- Presence is counted by the database's clock: a visitor's own may be wrong, even on purpose.
create trigger site_visits_touch before update on public.site_visits
  for each row execute function public.touch_updated_at();

-- How much came from one address or tab within an hour. Unlogged, and soon deleted.
create unlogged table public.visit_sources (
  hour timestamptz not null,
  source text not null,
  visits integer not null,
  primary key (hour, source)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

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

-- The dashboard's figures are about visitors: work in the back office is recorded, and counts only toward the limits.
create function public.is_public_page(p_page text) returns boolean language sql immutable -- inlined
return p_page <> '/admin' and not starts_with(p_page, '/admin/');

alter table public.site_visits enable row level security;
alter table public.visit_sources enable row level security;

revoke all on public.site_visits, public.visit_sources from anon, authenticated;
-- The browser chooses its visits' ids, so it need not wait for a response before it reports on a visit again.
grant insert (id, session_id, user_id, page_path, referrer, user_agent, device_type, browser_name, visit_duration)
  on public.site_visits to anon, authenticated;
grant select (id, visit_duration, updated_at) on public.site_visits to anon;
grant select on public.site_visits to authenticated;
grant update (visit_duration, updated_at) on public.site_visits to anon, authenticated;

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
create policy "Nobody but the service reads where visits come from" on public.visit_sources
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

-- Refuses more than visitors would send in an hour: one address can write about 20 MB. Beyond that, a whole town behind one address
-- is merely not counted.
create function public.count_source(p_source text, p_visits integer, p_most integer) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.visit_sources as s (hour, source, visits)
    select date_trunc('hour', now()), p_source, p_visits where p_visits <= p_most
    on conflict (hour, source) do update set visits = s.visits + excluded.visits where s.visits + excluded.visits <= p_most;
  if not found then
    raise exception 'Too many visits' using errcode = 'PT429', hint = 'Nothing was recorded. Try again later.';
  end if;
end $$;

create function public.count_visits() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  client constant text := public.request_network();
begin
  if client is null or auth.jwt() ->> 'role' is not distinct from 'service_role' then return null; end if;
  -- The address first: tabs behind it wait for each other there, and cannot deadlock over their sessions.
  perform public.count_source('address ' || client, count(*)::integer, 20000) from added having count(*) > 0;
  perform public.count_source('session ' || session_id, visits, 600)
    from (select session_id, count(*)::integer as visits from added group by 1 order by 1) as each;
  return null;
end $$;
create trigger site_visits_count after insert on public.site_visits
  referencing new table as added for each statement execute function public.count_visits();

-- Limits how often durations are written and how many rows one transaction writes, since a session may update all its visits at
-- once. Further rows are skipped: a refusal would roll back the count of what was already written. An unchanged duration writes
-- nothing.
create function public.count_visit_update() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  most_at_once constant integer := 50; -- as many as record_visits takes
  client constant text := public.request_network();
  written constant integer := coalesce(nullif(current_setting('visits.written', true), ''), '0');
begin
  if client is null or auth.jwt() ->> 'role' is not distinct from 'service_role' then return new; end if;
  if new.visit_duration = old.visit_duration or written >= most_at_once then return null; end if;
  perform public.count_source('updates of address ' || client, 1, 60000);
  perform public.count_source('updates of session ' || old.session_id, 1, 600); -- a tab reports twice a minute
  perform set_config('visits.written', (written + 1)::text, true);
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

create function public.get_realtime_visit_stats() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  today constant timestamptz := date_trunc('day', now(), 'America/Chicago');
  since constant timestamptz := date_trunc('hour', now()) - interval '23 hours';
begin
  perform public.require_admin();
  return (with seen as materialized (
    select created_at, session_id, page_path from public.site_visits
    where created_at >= least(today, since) and public.is_public_page(page_path)
  )
  select jsonb_build_object(
    'current_online', (select count(distinct session_id) from public.site_visits
      where updated_at > now() - interval '60 seconds' and public.is_public_page(page_path)),
    'visits_today', (select count(*) from seen where created_at >= today),
    'unique_visitors_today', (select count(distinct session_id) from seen where created_at >= today),
    'popular_pages', (select coalesce(jsonb_agg(to_jsonb(top)), '[]') from (
      select page_path as page, count(*) as visits from seen where created_at >= today group by 1 order by 2 desc, 1 limit 5) as top),
    -- The latest hour first, including hours without visits.
    'hourly_traffic', (select jsonb_agg(jsonb_build_object('hour', hour, 'visits', coalesce(visits, 0)) order by hour desc)
      from generate_series(since, now(), interval '1 hour') as hour
      left join (select date_trunc('hour', created_at) as hour, count(*) as visits from seen group by 1) as hours using (hour))));
end $$;

revoke execute on function public.is_public_page(text), public.count_source(text, integer, integer) from public, anon, authenticated;
-- Its policies and defaults call these.
grant execute on function public.visit_session(), public.visit_writer(), public.site_page(text)
  to anon, authenticated;
revoke execute on function public.record_visits(jsonb) from public;
grant execute on function public.record_visits(jsonb) to anon, authenticated;
revoke execute on function public.get_realtime_visit_stats() from public, anon;
grant execute on function public.get_realtime_visit_stats() to authenticated;
