-- What runs beside the sale: the outbox, the audit log, rate limits, visits, and the two public forms.

create table public.outbox (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('order_mail', 'attendee_mail', 'refund', 'refund_mail', 'cancel_intent',
    'vendor_mail', 'vendor_decision_mail', 'sponsor_mail', 'admin_alert_mail')),
  payload jsonb not null,
  -- Writing the same work twice is no error and does nothing.
  dedupe_key text not null unique,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  last_error text,
  done_at timestamptz,
  dead_at timestamptz,
  created_at timestamptz not null default now()
);
create index outbox_due on public.outbox (next_attempt_at) where done_at is null and dead_at is null;

create table public.audit_logs (
  id uuid primary key default gen_random_uuid(),
  admin_user_id uuid,
  action_type text not null,
  table_name text,
  record_id text,
  old_values jsonb,
  new_values jsonb,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now()
);
create index audit_logs_newest on public.audit_logs (created_at desc, id);
create index audit_logs_errors on public.audit_logs (created_at desc)
  where action_type ilike '%ERROR%' or action_type ilike '%CRITICAL%';

create unlogged table public.rate_limits (
  key text primary key,
  hits timestamptz[] not null,
  updated_at timestamptz not null default now()
);

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

create table public.vendor_applications (
  id uuid primary key default gen_random_uuid(),
  booth_name text not null check (length(btrim(booth_name)) between 1 and 200),
  contact_name text not null check (length(btrim(contact_name)) between 1 and 200),
  contact_email text not null check (length(contact_email) <= 320 and contact_email like '%_@_%'),
  contact_phone text not null check (length(btrim(contact_phone)) between 1 and 50),
  vendor_type text not null check (vendor_type in ('food', 'retail', 'art', 'other')),
  description text not null check (length(description) <= 5000),
  products text not null check (length(products) <= 5000),
  description_of_goods text not null,
  booth_size_requested text check (length(booth_size_requested) <= 100),
  special_requests text check (length(special_requests) <= 5000),
  status text not null default 'pending_review'
    check (status in ('pending_review', 'under_review', 'approved', 'rejected')),
  submission_date timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index vendor_applications_newest on public.vendor_applications (submission_date desc, id);
create trigger vendor_applications_touch before update on public.vendor_applications
  for each row execute function public.touch_updated_at();

create table public.sponsor_inquiries (
  id uuid primary key default gen_random_uuid(),
  company_name text not null check (length(btrim(company_name)) between 1 and 200),
  contact_name text not null check (length(btrim(contact_name)) between 1 and 200),
  email text not null check (length(email) <= 320 and email like '%_@_%'),
  phone text not null check (length(btrim(phone)) between 1 and 50),
  sponsorship_level text check (sponsorship_level in ('silver', 'gold', 'platinum', 'custom')),
  message text check (length(message) <= 5000),
  created_at timestamptz not null default now()
);
create index sponsor_inquiries_newest on public.sponsor_inquiries (created_at desc, id);

alter table public.outbox enable row level security;
alter table public.audit_logs enable row level security;
alter table public.rate_limits enable row level security;
alter table public.site_visits enable row level security;
alter table public.vendor_applications enable row level security;
alter table public.sponsor_inquiries enable row level security;

revoke all on public.outbox, public.audit_logs, public.rate_limits, public.site_visits, public.vendor_applications,
  public.sponsor_inquiries from anon, authenticated;
grant select on public.outbox, public.audit_logs, public.vendor_applications, public.sponsor_inquiries to authenticated;
grant update (status) on public.vendor_applications to authenticated;
grant select, insert (session_id, user_id, page_path, referrer, user_agent, device_type, browser_name, visit_duration)
  on public.site_visits to anon, authenticated;
grant update (visit_duration, updated_at) on public.site_visits to anon, authenticated;

-- A visitor is who holds the tab's session identifier, which the browser sends as a header: nobody can list the others'.
create function public.visit_session() returns text
language sql stable set search_path = '' as $$
  select nullif(current_setting('request.headers', true), '')::json ->> 'x-visit-session';
$$;

create policy "Admins read the outbox" on public.outbox
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the audit log" on public.audit_logs
  for select to authenticated using ((select public.is_admin()));
create policy "Nobody but the service reads rate limits" on public.rate_limits
  for all to anon, authenticated using (false) with check (false);
create policy "Visitors record their own visits" on public.site_visits
  for insert to anon, authenticated
  with check (session_id = (select public.visit_session()) and (user_id is null or user_id = (select auth.uid())));
create policy "Visitors find their own visits" on public.site_visits
  for select to anon, authenticated using (session_id = (select public.visit_session()));
create policy "Visitors update their own visits" on public.site_visits
  for update to anon, authenticated using (session_id = (select public.visit_session()));
create policy "Admins read all visits" on public.site_visits
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read vendor applications" on public.vendor_applications
  for select to authenticated using ((select public.is_admin()));
create policy "Admins decide on vendor applications" on public.vendor_applications
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));
create policy "Admins read sponsor inquiries" on public.sponsor_inquiries
  for select to authenticated using ((select public.is_admin()));

alter publication supabase_realtime add table public.audit_logs, public.site_visits, public.vendor_applications;

-- The sliding window of rulings: at most p_limit calls within the last p_window_seconds, over all server processes.
create function public.consume_rate_limit(p_key text, p_limit integer, p_window_seconds integer) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  fresh timestamptz[];
  allowed boolean;
begin
  -- The no-op update locks the row, so calls with the same key count one after the other.
  insert into public.rate_limits as r (key, hits) values (p_key, '{}')
    on conflict (key) do update set key = excluded.key returning r.hits into fresh;
  select coalesce(array_agg(hit order by hit), '{}') into fresh
    from unnest(fresh) as hit where hit > clock_timestamp() - make_interval(secs => p_window_seconds);
  allowed := cardinality(fresh) < p_limit;
  if allowed then fresh := fresh || clock_timestamp(); end if;
  update public.rate_limits set hits = fresh, updated_at = now() where key = p_key;
  return allowed;
end $$;

-- Work is claimed by pushing its next attempt away: a drainer that dies leaves it to the next one after the lease.
create function public.claim_outbox(p_limit integer default 20)
returns table (id bigint, kind text, payload jsonb, attempts integer)
language sql volatile set search_path = '' as $$
  update public.outbox o set attempts = o.attempts + 1, next_attempt_at = now() + interval '2 minutes'
  where o.id in (
    select due.id from public.outbox due
    where due.done_at is null and due.dead_at is null and due.next_attempt_at <= now()
    order by due.next_attempt_at limit least(p_limit, 100) for update skip locked
  )
  returning o.id, o.kind, o.payload, o.attempts;
$$;

create function public.complete_outbox(p_id bigint) returns void
language sql volatile set search_path = '' as $$
  update public.outbox set done_at = now(), last_error = null where id = p_id and done_at is null;
$$;

-- Back-off doubles from 5 s to one hour; after 14 attempts (about 5 hours) it is dead, which the back office shows.
create function public.fail_outbox(p_id bigint, p_error text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  failed public.outbox;
begin
  update public.outbox
    set last_error = left(p_error, 2000),
      next_attempt_at = now() + least(interval '5 seconds' * power(2, attempts - 1), interval '1 hour'),
      dead_at = case when attempts >= 14 then now() end
    where id = p_id and done_at is null and dead_at is null
    returning * into failed;
  if failed.dead_at is not null then
    insert into public.audit_logs (action_type, table_name, record_id, new_values)
      values ('CRITICAL_OUTBOX_DEAD', 'outbox', failed.id::text,
        jsonb_build_object('kind', failed.kind, 'error', failed.last_error));
  end if;
end $$;

revoke execute on function public.consume_rate_limit(text, integer, integer), public.claim_outbox(integer),
  public.complete_outbox(bigint), public.fail_outbox(bigint, text) from public, anon, authenticated;
