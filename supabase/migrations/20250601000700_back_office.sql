-- What administrators see and may do: the dashboard's figures, the lists, and an order in their hands. Each function is for
-- administrators only and gives one answer.

-- ── Registrations, counted once for a statement: an import of many accounts updates each day's row once ─────────────

create table public.user_days (
  day date primary key,
  users integer not null
);
alter table public.user_days enable row level security;
revoke all on public.user_days from anon, authenticated;
grant select on public.user_days to authenticated;
create policy "Admins read the daily registrations" on public.user_days
  for select to authenticated using ((select public.is_admin()));
insert into public.user_days select public.festival_day(coalesce(created_at, now())), count(*) from auth.users group by 1;

create function public.count_registrations() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.user_days as d (day, users)
    select public.festival_day(coalesce(created_at, now())), count(*) from added group by 1 order by 1
    on conflict (day) do update set users = d.users + excluded.users;
  return null;
end $$;
create trigger count_registrations after insert on auth.users
  referencing new table as added for each statement execute function public.count_registrations();

create function public.uncount_registrations() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.user_days d set users = d.users - gone.users
    from (select public.festival_day(coalesce(created_at, now())) as day, count(*) as users from removed group by 1) as gone
    where d.day = gone.day;
  return null;
end $$;
create trigger uncount_registrations after delete on auth.users
  referencing old table as removed for each statement execute function public.uncount_registrations();

revoke execute on function public.count_registrations(), public.uncount_registrations() from public, anon, authenticated;

-- ── The dashboard ───────────────────────────────────────────────────────────────────────────────────────────────────

create function public.get_sales_overview() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_admin();
  return (select jsonb_build_object(
    'total_revenue', coalesce(sum(s.revenue), 0),
    'total_tickets', coalesce(sum(s.sold) filter (where s.is_ticket), 0),
    'total_parking', coalesce(sum(s.sold) filter (where not s.is_ticket), 0),
    'ticket_breakdown', (select coalesce(jsonb_agg(jsonb_build_object('ticket_type', t.name,
        'sold', coalesce(b.sold, 0), 'revenue', coalesce(b.revenue, 0)) order by t.price, t.id), '[]')
      from public.ticket_types t left join public.sales_totals b on b.item_id = t.id),
    'parking_breakdown', (select coalesce(jsonb_agg(jsonb_build_object('parking_type', p.type_name,
        'sold', coalesce(b.sold, 0), 'revenue', coalesce(b.revenue, 0)) order by p.price, p.id), '[]')
      from public.parking_passes p left join public.sales_totals b on b.item_id = p.id))
  from public.sales_totals s);
end $$;

create function public.get_user_stats() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  today date := public.festival_day(now());
begin
  perform public.require_admin();
  return (select jsonb_build_object(
    'total_users', coalesce(sum(users), 0),
    'users_today', coalesce(sum(users) filter (where day = today), 0),
    'users_this_week', coalesce(sum(users) filter (where day >= date_trunc('week', today)::date), 0),
    'users_this_month', coalesce(sum(users) filter (where day >= date_trunc('month', today)::date), 0))
  from public.user_days);
end $$;

create function public.get_inventory_status() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_admin();
  return jsonb_build_object(
    'tickets', (select coalesce(jsonb_agg(to_jsonb(row) order by row.price, row.id), '[]') from (
      select t.id, t.name, t.description, t.price, t.current_inventory, t.total_inventory, t.sold, t.held, t.version, t.is_vip,
        t.on_sale, t.sale_opens_at, t.sale_closes_at, t.is_hidden, coalesce(s.revenue, 0) as revenue,
        public.sale_state(t.on_sale, t.sale_opens_at, t.sale_closes_at) as sale
      from public.ticket_types t left join public.sales_totals s on s.item_id = t.id) as row),
    'parking', (select coalesce(jsonb_agg(to_jsonb(row) order by row.price, row.id), '[]') from (
      select p.id, p.type_name, p.description, p.price, p.current_inventory, p.total_inventory, p.sold, p.held, p.version,
        p.is_general, p.on_sale, p.sale_opens_at, p.sale_closes_at, p.is_hidden, coalesce(s.revenue, 0) as revenue,
        public.sale_state(p.on_sale, p.sale_opens_at, p.sale_closes_at) as sale
      from public.parking_passes p left join public.sales_totals s on s.item_id = p.id) as row));
end $$;

create function public.get_system_health() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  today constant date := public.festival_day(now());
  midnight constant timestamptz := today::timestamp at time zone 'America/Chicago';
  failed integer;
  unfulfilled integer;
  errors integer;
  low integer;
begin
  perform public.require_admin();
  select count(*), count(*) filter (where cancel_reason = 'unfulfillable') into failed, unfulfilled from public.orders
    where cancel_reason in ('payment_failed', 'unfulfillable') and cancelled_at >= midnight;
  -- What an administrator's browser could not read may be that browser's connection.
  select count(*) into errors from public.audit_logs
    where (action_type ilike '%ERROR%' or action_type ilike '%CRITICAL%') and action_type not like 'FETCH\_ERROR\_%'
      and created_at > now() - interval '1 hour';
  select count(*) into low from (
    select current_inventory, total_inventory from public.ticket_types where not is_hidden
    union all select current_inventory, total_inventory from public.parking_passes where not is_hidden) as stock
    where total_inventory > 0 and current_inventory <= total_inventory * 0.25;
  return (select jsonb_build_object(
    -- Declined cards are worth a look, but nothing is wrong with the shop.
    'system_status', case when unfulfilled > 5 or errors > 10 then 'critical'
      when failed > 0 or errors > 0 or low > 0 then 'warning' else 'healthy' end,
    'last_updated', now(),
    'orders_today', coalesce(sum(orders) filter (where day = today), 0),
    'pending_orders', coalesce(sum(orders) filter (where status = 'pending'), 0),
    'failed_orders', failed,
    'low_inventory_alerts', low,
    'recent_errors', errors) from public.order_tallies);
end $$;

create function public.log_admin_action(p_action_type text, p_table_name text, p_new_values jsonb default null)
returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_admin();
  if length(coalesce(p_action_type, '')) not between 1 and 100 or length(coalesce(p_table_name, '')) > 100
    or length(coalesce(p_new_values::text, '')) > 10000 then
    raise exception 'The action is too long to be logged.' using errcode = '22023';
  end if;
  perform public.write_audit(p_action_type, p_table_name, null, null, p_new_values);
end $$;

-- ── Lists: searched, filtered and paged here, at the same speed whatever has been sold, applied for or written down ──

-- A page starts after the last row of the one before it (its time and id: p_after_at, p_after_id), so rows that arrive
-- meanwhile neither repeat nor hide any. Plans are made for the values at hand, because the best one for a rare word is
-- the worst for a common one.

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

-- The lists with a search answer {rows, total_count, total_is_exact}. What a search finds may be everything there is, so it is
-- counted up to here, and the answer says that there is more. A first page that is not full needs no counting at all.
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

-- ── An order in the administrator's hands; its money goes back through refund_order ─────────────────────────────────

create function public.cancel_order(p_order_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_admin();
  if public.cancel_pending_orders(array[p_order_id], 'cancelled_by_admin') = 0 then
    raise exception 'Only a pending order can be cancelled; refund a paid one.' using errcode = '23514';
  end if;
  perform public.write_audit('UPDATE', 'orders', p_order_id::text, '{"status": "pending"}',
    '{"status": "cancelled", "cancel_reason": "cancelled_by_admin"}');
end $$;

create function public.resend_order_mail(p_order_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_admin();
  if not exists (select from public.orders where id = p_order_id and status in ('confirmed', 'completed')) then
    raise exception 'Only a paid order has tickets to send.' using errcode = '23514';
  end if;
  insert into public.outbox (kind, payload, dedupe_key)
    values ('order_mail', jsonb_build_object('order_id', p_order_id),
      format('order_mail:%s:%s', p_order_id, gen_random_uuid()));
  perform public.write_audit('UPDATE', 'orders', p_order_id::text, null, '{"mail": "resent"}');
end $$;

revoke execute on function public.most_counted(), public.search_pattern(text), public.list_answer(jsonb, bigint)
  from public, anon, authenticated;
revoke execute on function public.get_sales_overview(), public.get_user_stats(), public.get_inventory_status(),
  public.get_system_health(), public.log_admin_action(text, text, jsonb),
  public.get_recent_orders(integer, integer, text, timestamptz, uuid),
  public.list_users(text, text, integer, timestamptz, uuid),
  public.list_audit_logs(text, text, integer, timestamptz, uuid),
  public.list_vendor_applications(text, text, integer, timestamptz, uuid),
  public.list_sponsor_inquiries(integer, timestamptz, uuid), public.cancel_order(uuid), public.resend_order_mail(uuid)
  from public, anon;
grant execute on function public.get_sales_overview(), public.get_user_stats(), public.get_inventory_status(),
  public.get_system_health(), public.log_admin_action(text, text, jsonb),
  public.get_recent_orders(integer, integer, text, timestamptz, uuid),
  public.list_users(text, text, integer, timestamptz, uuid),
  public.list_audit_logs(text, text, integer, timestamptz, uuid),
  public.list_vendor_applications(text, text, integer, timestamptz, uuid),
  public.list_sponsor_inquiries(integer, timestamptz, uuid), public.cancel_order(uuid), public.resend_order_mail(uuid)
  to authenticated;
