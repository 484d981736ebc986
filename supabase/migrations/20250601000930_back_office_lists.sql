-- The back office's lists: searched, filtered and paged here, at the same speed whatever has been sold, applied for or
-- written down. A page starts after the last row of the one before it (its time and id: p_after_at, p_after_id), so rows
-- that arrive meanwhile neither repeat nor hide any. Plans are made for the values at hand, because the best one for a rare
-- word is the worst for a common one.

create extension if not exists pg_trgm with schema extensions;

-- ── Orders are counted as they move ─────────────────────────────────────────────────────────────────────────────────

-- Changes to add up, not totals to update: no sale waits for another one's. roll_up adds them together.
create table public.order_tallies (
  day date not null,
  status text not null,
  orders integer not null
);
alter table public.order_tallies enable row level security;
revoke all on public.order_tallies from anon, authenticated;
grant select on public.order_tallies to authenticated;
create policy "Admins read the order tallies" on public.order_tallies
  for select to authenticated using ((select public.is_admin()));

create function public.tally_new_orders() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.order_tallies
    select public.festival_day(created_at), status, count(*) from added group by 1, 2;
  return null;
end $$;
create trigger orders_tally_new after insert on public.orders
  referencing new table as added for each statement execute function public.tally_new_orders();

create function public.tally_order() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.order_tallies values (public.festival_day(old.created_at), old.status, -1);
  if tg_op = 'UPDATE' then
    insert into public.order_tallies values (public.festival_day(new.created_at), new.status, 1);
  end if;
  return null;
end $$;
create trigger orders_tally_moved after update of status on public.orders
  for each row when (old.status is distinct from new.status) execute function public.tally_order();
create trigger orders_tally_gone after delete on public.orders
  for each row execute function public.tally_order();

insert into public.order_tallies
  select public.festival_day(created_at), status, count(*) from public.orders group by 1, 2;

drop function public.get_recent_orders(integer, integer, text, timestamptz);
create function public.get_recent_orders(page_size integer default 10, page_offset integer default 0,
  order_status text default null, p_after_at timestamptz default null, p_after_id uuid default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  size constant integer := least(greatest(page_size, 1), 100);
  skipped constant integer := greatest(page_offset, 0);
begin
  perform public.require_admin();
  return jsonb_build_object(
    'orders', (select coalesce(jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id), '[]') from (
      select o.id, o.buyer_full_name, o.buyer_email, o.status, o.total_amount, o.created_at,
        (select coalesce(sum(i.quantity), 0) from public.order_items i where i.order_id = o.id) as item_count
      -- The ids first, from an index alone: a far offset then skips entries, not orders.
      from (select id from public.orders
        where (order_status is null or status = order_status)
          and (p_after_id is null or (created_at <= p_after_at and (created_at < p_after_at or id > p_after_id)))
        order by created_at desc, id limit size offset skipped) as listed
      join public.orders o using (id)) as page),
    'total_count', (select coalesce(sum(t.orders), 0) from public.order_tallies t
      where order_status is null or t.status = order_status),
    'page_size', size,
    'page_offset', skipped);
end $$;

create or replace function public.get_system_health() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  today constant date := public.festival_day(now());
  midnight constant timestamptz := today::timestamp at time zone 'America/Chicago';
  failed integer;
  errors integer;
  low integer;
begin
  perform public.require_admin();
  select count(*) into failed from public.orders
    where cancel_reason in ('payment_failed', 'unfulfillable') and cancelled_at >= midnight;
  select count(*) into errors from public.audit_logs
    where (action_type ilike '%ERROR%' or action_type ilike '%CRITICAL%') and created_at > now() - interval '1 hour';
  select count(*) into low from (
    select current_inventory, total_inventory from public.ticket_types
    union all select current_inventory, total_inventory from public.parking_passes) as stock
    where total_inventory > 0 and current_inventory <= total_inventory * 0.25;
  return (select jsonb_build_object(
    'system_status', case when failed > 5 or errors > 10 then 'critical'
      when failed > 0 or errors > 0 or low > 0 then 'warning' else 'healthy' end,
    'last_updated', now(),
    'orders_today', coalesce(sum(orders) filter (where day = today), 0),
    'pending_orders', coalesce(sum(orders) filter (where status = 'pending'), 0),
    'failed_orders', failed,
    'low_inventory_alerts', low,
    'recent_errors', errors) from public.order_tallies);
end $$;

-- What happened to one order is asked for beside it.
create index audit_logs_of_record on public.audit_logs (record_id);
create index outbox_of_order on public.outbox ((payload ->> 'order_id'));

-- ── Lists with a search ─────────────────────────────────────────────────────────────────────────────────────────────

-- Each answers {rows, total_count, total_is_exact}. What a search finds may be everything there is, so it is counted up to
-- here, and the answer says that there is more. A first page that is not full needs no counting at all.
create function public.most_counted() returns integer
language sql immutable set search_path = '' as 'select 10000';

-- What was typed, taken literally, anywhere in a text; null when nothing was.
create function public.search_pattern(p_search text) returns text
language sql immutable set search_path = '' as $$
  select '%' || regexp_replace(nullif(btrim(p_search), ''), '([\\%_])', '\\\1', 'g') || '%';
$$;

create function public.list_answer(p_rows jsonb, p_found bigint) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('rows', coalesce(p_rows, '[]'), 'total_count', least(p_found, public.most_counted()),
    'total_is_exact', p_found <= public.most_counted());
$$;

-- Users with exactly these fields and their role: admin, user or none. p_role null: all of them.
create index user_roles_by_role on public.user_roles (role);
drop function public.list_users(text, text, integer, integer);
create function public.list_users(p_search text default null, p_role text default null, page_size integer default 25,
  p_after_at timestamptz default null, p_after_id uuid default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := public.search_pattern(p_search);
  size constant integer := least(greatest(page_size, 1), 500);
  listed jsonb;
  found bigint;
begin
  perform public.require_admin();
  select jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id) into listed from (
    select u.id, u.email, u.created_at, u.last_sign_in_at, coalesce(r.role, 'none') as role
    from auth.users u left join public.user_roles r on r.user_id = u.id
    where (pattern is null or u.email ilike pattern)
      and (p_role is null or r.role = p_role or (p_role = 'none' and r.role is null))
      and (p_after_id is null or (u.created_at <= p_after_at and (u.created_at < p_after_at or u.id > p_after_id)))
    order by u.created_at desc, u.id limit size) as page;
  if pattern is null then
    -- Exact, however many there are: registrations are counted as they happen, and few users are given a role.
    select coalesce(sum(users), 0) into found from public.user_days;
    if p_role = 'none' then found := found - (select count(*) from public.user_roles);
    elsif p_role is not null then select count(*) into found from public.user_roles where role = p_role;
    end if;
    return public.list_answer(listed, 0) || jsonb_build_object('total_count', found);
  end if;
  found := coalesce(jsonb_array_length(listed), 0);
  if found >= size or p_after_id is not null then
    select count(*) into found from (
      select from auth.users u left join public.user_roles r on r.user_id = u.id
      where u.email ilike pattern and (p_role is null or r.role = p_role or (p_role = 'none' and r.role is null))
      limit public.most_counted() + 1) as counted;
  end if;
  return public.list_answer(listed, found);
end $$;

-- The audit log by kind of action, as the screen's filter names them, errors first.
alter table public.audit_logs add column kind text not null generated always as (case
  when action_type ~* 'ERROR|CRITICAL' then 'Errors'
  when action_type ~* 'CREATE|INSERT' then 'Create'
  when action_type ~* 'UPDATE' then 'Update'
  when action_type ~* 'DELETE' then 'Delete'
  else 'Other' end) stored;
create index audit_logs_by_kind on public.audit_logs (kind, created_at desc, id);
create index audit_logs_search on public.audit_logs
  using gin (action_type extensions.gin_trgm_ops, table_name extensions.gin_trgm_ops);

create function public.list_audit_logs(p_search text default null, p_kind text default null, page_size integer default 50,
  p_after_at timestamptz default null, p_after_id uuid default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := public.search_pattern(p_search);
  size constant integer := least(greatest(page_size, 1), 500);
  listed jsonb;
  found bigint;
begin
  perform public.require_admin();
  select jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id) into listed from (
    select * from public.audit_logs
    where (pattern is null or action_type ilike pattern or table_name ilike pattern) and (p_kind is null or kind = p_kind)
      and (p_after_id is null or (created_at <= p_after_at and (created_at < p_after_at or id > p_after_id)))
    order by created_at desc, id limit size) as page;
  found := coalesce(jsonb_array_length(listed), 0);
  if found >= size or p_after_id is not null then
    select count(*) into found from (
      select from public.audit_logs
      where (pattern is null or action_type ilike pattern or table_name ilike pattern) and (p_kind is null or kind = p_kind)
      limit public.most_counted() + 1) as counted;
  end if;
  return public.list_answer(listed, found);
end $$;

-- Vendor applications, and how many stand at each status.
create index vendor_applications_by_status on public.vendor_applications (status, submission_date desc, id);
create index vendor_applications_search on public.vendor_applications using gin (booth_name extensions.gin_trgm_ops,
  contact_name extensions.gin_trgm_ops, contact_email extensions.gin_trgm_ops);

create function public.list_vendor_applications(p_search text default null, p_status text default null,
  page_size integer default 25, p_after_at timestamptz default null, p_after_id uuid default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := public.search_pattern(p_search);
  size constant integer := least(greatest(page_size, 1), 500);
  listed jsonb;
  found bigint;
begin
  perform public.require_admin();
  select jsonb_agg(to_jsonb(page) order by page.submission_date desc, page.id) into listed from (
    select * from public.vendor_applications
    where (pattern is null or booth_name ilike pattern or contact_name ilike pattern or contact_email ilike pattern)
      and (p_status is null or status = p_status)
      and (p_after_id is null
        or (submission_date <= p_after_at and (submission_date < p_after_at or id > p_after_id)))
    order by submission_date desc, id limit size) as page;
  found := coalesce(jsonb_array_length(listed), 0);
  if found >= size or p_after_id is not null then
    select count(*) into found from (
      select from public.vendor_applications
      where (pattern is null or booth_name ilike pattern or contact_name ilike pattern or contact_email ilike pattern)
        and (p_status is null or status = p_status)
      limit public.most_counted() + 1) as counted;
  end if;
  return public.list_answer(listed, found) || jsonb_build_object('by_status',
    (select coalesce(jsonb_object_agg(status, applications), '{}') from (
      select status, count(*) as applications from public.vendor_applications group by 1) as counts));
end $$;

create function public.list_sponsor_inquiries(page_size integer default 25, p_after_at timestamptz default null,
  p_after_id uuid default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  size constant integer := least(greatest(page_size, 1), 500);
  listed jsonb;
  found bigint;
begin
  perform public.require_admin();
  select jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id) into listed from (
    select * from public.sponsor_inquiries
    where p_after_id is null or (created_at <= p_after_at and (created_at < p_after_at or id > p_after_id))
    order by created_at desc, id limit size) as page;
  found := coalesce(jsonb_array_length(listed), 0);
  if found >= size or p_after_id is not null then
    select count(*) into found from (
      select from public.sponsor_inquiries limit public.most_counted() + 1) as counted;
  end if;
  return public.list_answer(listed, found);
end $$;

revoke execute on function public.most_counted(), public.search_pattern(text), public.list_answer(jsonb, bigint)
  from public, anon, authenticated;
revoke execute on function public.get_recent_orders(integer, integer, text, timestamptz, uuid),
  public.list_users(text, text, integer, timestamptz, uuid),
  public.list_audit_logs(text, text, integer, timestamptz, uuid),
  public.list_vendor_applications(text, text, integer, timestamptz, uuid),
  public.list_sponsor_inquiries(integer, timestamptz, uuid) from public, anon;
grant execute on function public.get_recent_orders(integer, integer, text, timestamptz, uuid),
  public.list_users(text, text, integer, timestamptz, uuid),
  public.list_audit_logs(text, text, integer, timestamptz, uuid),
  public.list_vendor_applications(text, text, integer, timestamptz, uuid),
  public.list_sponsor_inquiries(integer, timestamptz, uuid) to authenticated;
