-- What administrators may do and see. Each change they make is written down by trigger, with before, after, address and
-- browser, so that no path can skip it.

alter table public.ticket_types add column version integer not null default 1;
alter table public.parking_passes add column version integer not null default 1;
alter table public.vendor_applications add column version integer not null default 1;
alter table public.tickets add column voided_at timestamptz;
create index orders_failed on public.orders (cancelled_at) where cancel_reason in ('payment_failed', 'unfulfillable');

-- ── Audit ──────────────────────────────────────────────────────────────────────────────────────────────────────────

create function public.request_header(p_name text) returns text
language sql stable set search_path = '' as $$
  select nullif(current_setting('request.headers', true), '')::json ->> p_name;
$$;

create function public.write_audit(p_action text, p_table text, p_record text, p_old jsonb, p_new jsonb) returns void
language sql volatile set search_path = '' as $$
  insert into public.audit_logs (admin_user_id, action_type, table_name, record_id, old_values, new_values, ip_address,
      user_agent)
    values (auth.uid(), p_action, p_table, p_record, p_old, p_new,
      split_part(public.request_header('x-forwarded-for'), ',', 1), left(public.request_header('user-agent'), 500));
$$;

create function public.audit_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
begin
  perform public.write_audit(
    case tg_op when 'INSERT' then 'CREATE' else tg_op end, tg_table_name::text,
    coalesce(after, before) ->> (case when tg_table_name = 'user_roles' then 'user_id'
      when tg_table_name = 'shop_settings' then 'only_row' else 'id' end),
    before, after);
  return null;
end $$;

create trigger user_roles_audit after insert or update or delete on public.user_roles
  for each row execute function public.audit_change();
create trigger shop_settings_audit after update on public.shop_settings
  for each row execute function public.audit_change();
create trigger vendor_applications_audit after update of status on public.vendor_applications
  for each row when (old.status is distinct from new.status) execute function public.audit_change();

-- A sale moves stock between available, held and sold and leaves their sum; only an edit changes the sum or a text.
create trigger ticket_types_audit after update on public.ticket_types
  for each row when ((old.name, old.description, old.price, old.total_inventory,
      old.current_inventory + old.held + old.sold) is distinct from
    (new.name, new.description, new.price, new.total_inventory, new.current_inventory + new.held + new.sold))
  execute function public.audit_change();
create trigger parking_passes_audit after update on public.parking_passes
  for each row when ((old.type_name, old.description, old.price, old.total_inventory,
      old.current_inventory + old.held + old.sold) is distinct from
    (new.type_name, new.description, new.price, new.total_inventory, new.current_inventory + new.held + new.sold))
  execute function public.audit_change();

-- ── Edits: bounds with a message that says which was broken, and a version that tells the second of two editors ─────

create function public.check_inventory_edit() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.price not between 0 and 99999.99 then
    raise exception 'Price must be between 0 and 99,999.99.' using errcode = '23514';
  elsif new.total_inventory < 0 or new.current_inventory < 0 then
    raise exception 'Available and total must be 0 or more.' using errcode = '23514';
  elsif new.total_inventory < new.sold + new.held then
    raise exception 'Total must be at least %: that many are sold or held.', new.sold + new.held using errcode = '23514';
  elsif new.current_inventory > new.total_inventory - new.sold - new.held then
    raise exception 'Available can be at most %: total minus sold and held.', new.total_inventory - new.sold - new.held
      using errcode = '23514';
  end if;
  new.version := old.version + 1;
  return new;
end $$;
create trigger ticket_types_edit before update on public.ticket_types
  for each row when ((old.name, old.description, old.price, old.total_inventory,
      old.current_inventory + old.held + old.sold) is distinct from
    (new.name, new.description, new.price, new.total_inventory, new.current_inventory + new.held + new.sold))
  execute function public.check_inventory_edit();
create trigger parking_passes_edit before update on public.parking_passes
  for each row when ((old.type_name, old.description, old.price, old.total_inventory,
      old.current_inventory + old.held + old.sold) is distinct from
    (new.type_name, new.description, new.price, new.total_inventory, new.current_inventory + new.held + new.sold))
  execute function public.check_inventory_edit();

create function public.bump_version() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
create trigger vendor_applications_version before update on public.vendor_applications
  for each row execute function public.bump_version();

create function public.keep_an_admin() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('keep_an_admin', 0)); -- two admins demoting each other
  if old.role = 'admin' and (tg_op = 'DELETE' or new.role <> 'admin')
    and not exists (select from public.user_roles where role = 'admin' and user_id <> old.user_id) then
    raise exception 'The last administrator cannot be demoted or removed.' using errcode = '23514';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
create trigger user_roles_keep_an_admin before update or delete on public.user_roles
  for each row execute function public.keep_an_admin();

create function public.tell_the_vendor() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.outbox (kind, payload, dedupe_key)
    values ('vendor_decision_mail', jsonb_build_object('application_id', new.id, 'status', new.status),
      format('vendor_decision_mail:%s:%s', new.id, new.version));
  return null;
end $$;
create trigger vendor_applications_decided after update of status on public.vendor_applications
  for each row when (old.status is distinct from new.status and new.status in ('approved', 'rejected'))
  execute function public.tell_the_vendor();

-- ── Roll-ups: what the dashboard reads does not grow with what was ever sold or visited ─────────────────────────────

-- Exact, because it moves in the transaction that confirms or cancels an order.
create table public.sales_totals (
  item_id uuid primary key,
  is_ticket boolean not null,
  sold bigint not null default 0,
  revenue numeric(14, 2) not null default 0
);
alter table public.sales_totals enable row level security;
revoke all on public.sales_totals from anon, authenticated;
grant select on public.sales_totals to authenticated;
create policy "Admins read the sales totals" on public.sales_totals
  for select to authenticated using ((select public.is_admin()));

create function public.add_sales(p_item_id uuid, p_is_ticket boolean, p_sold bigint, p_revenue numeric) returns void
language sql volatile set search_path = '' as $$
  insert into public.sales_totals as s (item_id, is_ticket, sold, revenue)
    values (p_item_id, p_is_ticket, p_sold, p_revenue)
  on conflict (item_id) do update set sold = s.sold + excluded.sold, revenue = s.revenue + excluded.revenue;
$$;

create function public.total_order_sales() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  sign integer := case when new.status in ('confirmed', 'completed') then 1 else -1 end;
begin
  -- In one order of rows for everybody, so that two confirmations cannot wait for each other. Voided tickets were taken
  -- out when they were refunded.
  perform public.add_sales(item_id, is_ticket, (sign * units)::bigint, sign * revenue) from (
    select coalesce(i.ticket_type_id, i.parking_pass_id) as item_id, i.ticket_type_id is not null as is_ticket,
      sum(i.quantity - v.units) as units, sum((i.quantity - v.units) * i.unit_price) as revenue
    from public.order_items i
    cross join lateral (select count(*) as units from public.tickets t
      where t.order_item_id = i.id and t.voided_at is not null) as v
    where i.order_id = new.id group by 1, 2 order by 1
  ) as lines;
  return null;
end $$;
create trigger orders_sales_totals after update of status on public.orders
  for each row when ((old.status in ('confirmed', 'completed')) <> (new.status in ('confirmed', 'completed')))
  execute function public.total_order_sales();

create table public.user_days (
  day date primary key,
  users integer not null
);
alter table public.user_days enable row level security;
revoke all on public.user_days from anon, authenticated;
grant select on public.user_days to authenticated;
create policy "Admins read the daily registrations" on public.user_days
  for select to authenticated using ((select public.is_admin()));

create function public.festival_day(p_at timestamptz) returns date
language sql immutable set search_path = '' as $$
  select (p_at at time zone 'America/Chicago')::date;
$$;

create function public.count_user() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into public.user_days as d (day, users) values (public.festival_day(coalesce(new.created_at, now())), 1)
      on conflict (day) do update set users = d.users + 1;
  else
    update public.user_days set users = users - 1 where day = public.festival_day(coalesce(old.created_at, now()));
  end if;
  return null;
end $$;
create trigger count_registrations after insert or delete on auth.users
  for each row execute function public.count_user();
insert into public.user_days select public.festival_day(coalesce(created_at, now())), count(*) from auth.users group by 1;

-- Visits count into one of a few rows each, so that visitors do not queue for one counter.
create table public.visit_hours (
  hour timestamptz not null,
  shard smallint not null,
  visits integer not null,
  primary key (hour, shard)
);
create table public.visit_days (
  day date not null,
  shard smallint not null,
  visits integer not null,
  sessions integer not null,
  primary key (day, shard)
);
create table public.visit_pages (
  day date not null,
  page_path text not null,
  shard smallint not null,
  visits integer not null,
  primary key (day, page_path, shard)
);
create table public.visit_sessions (
  day date not null,
  session_id text not null,
  primary key (day, session_id)
);
alter table public.visit_hours enable row level security;
alter table public.visit_days enable row level security;
alter table public.visit_pages enable row level security;
alter table public.visit_sessions enable row level security;
revoke all on public.visit_hours, public.visit_days, public.visit_pages, public.visit_sessions from anon, authenticated;
grant select on public.visit_hours, public.visit_days, public.visit_pages to authenticated;
create policy "Admins read the hourly visits" on public.visit_hours
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the daily visits" on public.visit_days
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the visits of pages" on public.visit_pages
  for select to authenticated using ((select public.is_admin()));
create policy "Nobody but the service reads visit sessions" on public.visit_sessions
  for all to anon, authenticated using (false) with check (false);

create function public.count_visits() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  lane constant smallint := pg_backend_pid() % 8;
begin
  with fresh as (
    insert into public.visit_sessions (day, session_id)
      select distinct public.festival_day(created_at), session_id from added order by 1, 2
      on conflict do nothing returning day
  ), counted as (select day, count(*) as sessions from fresh group by 1)
  insert into public.visit_days as d (day, shard, visits, sessions)
    select a.day, lane, a.visits, coalesce(c.sessions, 0)
    from (select public.festival_day(created_at) as day, count(*) as visits from added group by 1) as a
    left join counted c using (day) order by 1
    on conflict (day, shard) do update
      set visits = d.visits + excluded.visits, sessions = d.sessions + excluded.sessions;
  insert into public.visit_hours as h (hour, shard, visits)
    select date_trunc('hour', created_at), lane, count(*) from added group by 1 order by 1
    on conflict (hour, shard) do update set visits = h.visits + excluded.visits;
  insert into public.visit_pages as p (day, page_path, shard, visits)
    select public.festival_day(created_at), page_path, lane, count(*) from added group by 1, 2 order by 1, 2
    on conflict (day, page_path, shard) do update set visits = p.visits + excluded.visits;
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

-- ── The dashboard's functions: admin only, each one answer ──────────────────────────────────────────────────────────

create function public.require_admin() returns void
language plpgsql stable set search_path = '' as $$
begin
  if not public.is_admin() then raise exception 'Only administrators may do this.' using errcode = '42501'; end if;
end $$;

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
      from public.ticket_types t left join public.sales_totals b on b.item_id = t.id))
  from public.sales_totals s);
end $$;

-- p_before keeps the pages still while orders arrive: the moment the first page was opened.
create function public.get_recent_orders(page_size integer default 10, page_offset integer default 0,
  order_status text default null, p_before timestamptz default null) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  size integer := least(greatest(page_size, 1), 100);
begin
  perform public.require_admin();
  return jsonb_build_object(
    'orders', (select coalesce(jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id), '[]') from (
      select o.id, o.buyer_full_name, o.buyer_email, o.status, o.total_amount, o.created_at,
        (select coalesce(sum(i.quantity), 0) from public.order_items i where i.order_id = o.id) as item_count
      from public.orders o
      where (order_status is null or o.status = order_status) and (p_before is null or o.created_at <= p_before)
      order by o.created_at desc, o.id limit size offset greatest(page_offset, 0)) as page),
    'total_count', (select count(*) from public.orders o
      where (order_status is null or o.status = order_status) and (p_before is null or o.created_at <= p_before)),
    'page_size', size,
    'page_offset', greatest(page_offset, 0));
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
    'tickets', (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'price', t.price,
        'current_inventory', t.current_inventory, 'total_inventory', t.total_inventory, 'sold', t.sold, 'held', t.held,
        'revenue', coalesce(s.revenue, 0), 'version', t.version) order by t.price, t.id), '[]')
      from public.ticket_types t left join public.sales_totals s on s.item_id = t.id),
    'parking', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'type_name', p.type_name, 'price', p.price,
        'current_inventory', p.current_inventory, 'total_inventory', p.total_inventory, 'sold', p.sold, 'held', p.held,
        'revenue', coalesce(s.revenue, 0), 'version', p.version) order by p.price, p.id), '[]')
      from public.parking_passes p left join public.sales_totals s on s.item_id = p.id));
end $$;

create function public.get_system_health() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  midnight timestamptz := public.festival_day(now())::timestamp at time zone 'America/Chicago';
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
  return jsonb_build_object(
    'system_status', case when failed > 5 or errors > 10 then 'critical'
      when failed > 0 or errors > 0 or low > 0 then 'warning' else 'healthy' end,
    'last_updated', now(),
    'orders_today', (select count(*) from public.orders where created_at >= midnight),
    'pending_orders', (select count(*) from public.orders where status = 'pending'),
    'failed_orders', failed,
    'low_inventory_alerts', low,
    'recent_errors', errors);
end $$;

create function public.get_realtime_visit_stats() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  today date := public.festival_day(now());
begin
  perform public.require_admin();
  return jsonb_build_object(
    'current_online', (select count(distinct session_id) from public.site_visits
      where updated_at > now() - interval '60 seconds'),
    'visits_today', (select coalesce(sum(visits), 0) from public.visit_days where day = today),
    'unique_visitors_today', (select coalesce(sum(sessions), 0) from public.visit_days where day = today),
    'popular_pages', (select coalesce(jsonb_agg(jsonb_build_object('page', page_path, 'visits', visits)), '[]') from (
      select page_path, sum(visits) as visits from public.visit_pages where day = today
      group by 1 order by 2 desc, 1 limit 5) as top),
    'hourly_traffic', (select coalesce(jsonb_agg(jsonb_build_object('hour', hour, 'visits', visits)
        order by hour desc), '[]') from (
      select hour, sum(visits) as visits from public.visit_hours
      where hour > date_trunc('hour', now()) - interval '24 hours' group by 1) as hours));
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

-- The admin list of users: exactly these fields and their role, searched and paged here.
-- p_role: admin, user, none or null for all.
create function public.list_users(p_search text default null, p_role text default null, page_size integer default 25,
  page_offset integer default 0) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  pattern text := '%' || replace(replace(replace(coalesce(p_search, ''), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  size integer := least(greatest(page_size, 1), 100);
begin
  perform public.require_admin();
  return (
    with matching as (
      select u.id, u.email, u.created_at, u.last_sign_in_at, coalesce(r.role, 'none') as role
      from auth.users u left join public.user_roles r on r.user_id = u.id
      where (coalesce(p_search, '') = '' or u.email ilike pattern)
        and (p_role is null or coalesce(r.role, 'none') = p_role)
    )
    select jsonb_build_object(
      'users', (select coalesce(jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id), '[]') from (
        select * from matching order by created_at desc, id limit size offset greatest(page_offset, 0)) as page),
      'total_count', (select count(*) from matching),
      'page_size', size, 'page_offset', greatest(page_offset, 0)));
end $$;

-- ── An order in the administrator's hands ───────────────────────────────────────────────────────────────────────────

-- Refunds whole (p_ticket_ids null: the order ends, everything not yet refunded goes back) or single tickets at what
-- they cost. Their stock returns; parking goes with the whole order only.
create function public.refund_order(p_order_id uuid, p_ticket_ids uuid[] default null) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  o public.orders;
  paid public.payments;
  refunded numeric;
  amount numeric;
  wanted integer;
begin
  perform public.require_admin();
  select * into o from public.orders where id = p_order_id for update;
  if not found then raise exception 'The order does not exist.' using errcode = 'P0002'; end if;
  select * into paid from public.payments where payment_intent_id = o.payment_intent_id;
  if o.status not in ('confirmed', 'completed') or paid.payment_intent_id is null then
    raise exception 'Only a paid order can be refunded.' using errcode = '23514';
  end if;
  select coalesce(sum(r.amount), 0) into refunded from public.refunds r
    where r.payment_intent_id = paid.payment_intent_id and r.status <> 'failed';

  if p_ticket_ids is null then
    amount := paid.amount - refunded;
    update public.orders set status = 'cancelled', cancel_reason = 'refunded', cancelled_at = now() where id = o.id;
    perform public.lock_stock(array_agg(ticket_type_id), array_agg(parking_pass_id))
      from public.order_items where order_id = o.id;
    update public.ticket_types t set sold = sold - u.units, current_inventory = current_inventory + u.units
      from (select ticket_type_id, count(*)::integer as units from public.tickets
        where order_id = o.id and voided_at is null group by 1) as u
      where t.id = u.ticket_type_id;
    update public.parking_passes p set sold = sold - i.units, current_inventory = current_inventory + i.units
      from (select parking_pass_id, sum(quantity)::integer as units from public.order_items
        where order_id = o.id group by 1) as i
      where p.id = i.parking_pass_id;
    update public.tickets set voided_at = now() where order_id = o.id and voided_at is null;
  else
    select count(distinct t.id), sum(i.unit_price) into wanted, amount
      from public.tickets t join public.order_items i on i.id = t.order_item_id
      where t.order_id = o.id and t.id = any (p_ticket_ids) and t.voided_at is null;
    if wanted is distinct from cardinality(p_ticket_ids) or wanted = 0 then
      raise exception 'Choose tickets of this order that are not refunded yet.' using errcode = '23514';
    end if;
    perform public.add_sales(ticket_type_id, true, -units, -revenue) from (
      select t.ticket_type_id, count(*) as units, sum(i.unit_price) as revenue
      from public.tickets t join public.order_items i on i.id = t.order_item_id
      where t.id = any (p_ticket_ids) group by 1 order by 1) as sums;
    perform public.lock_stock(array_agg(ticket_type_id), '{}') from public.tickets where id = any (p_ticket_ids);
    update public.ticket_types t set sold = sold - u.units, current_inventory = current_inventory + u.units
      from (select ticket_type_id, count(*)::integer as units from public.tickets
        where id = any (p_ticket_ids) group by 1) as u
      where t.id = u.ticket_type_id;
    update public.tickets set voided_at = now() where id = any (p_ticket_ids);
  end if;
  if amount > 0 then
    perform public.queue_refund(paid.payment_intent_id, o.id, (amount * 100)::integer, 'requested_by_admin');
  end if;
  perform public.write_audit('UPDATE', 'orders', o.id::text, jsonb_build_object('status', o.status),
    jsonb_build_object('refunded', amount, 'tickets', to_jsonb(p_ticket_ids),
      'status', case when p_ticket_ids is null then 'cancelled' else o.status end));
  return jsonb_build_object('refunded_cents', (coalesce(amount, 0) * 100)::integer);
end $$;

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

revoke execute on function public.write_audit(text, text, text, jsonb, jsonb),
  public.add_sales(uuid, boolean, bigint, numeric) from public, anon, authenticated;
revoke execute on function public.get_sales_overview(), public.get_recent_orders(integer, integer, text, timestamptz),
  public.get_user_stats(), public.get_inventory_status(), public.get_system_health(),
  public.get_realtime_visit_stats(), public.log_admin_action(text, text, jsonb),
  public.list_users(text, text, integer, integer), public.refund_order(uuid, uuid[]), public.cancel_order(uuid),
  public.resend_order_mail(uuid) from public, anon;
grant execute on function public.get_sales_overview(), public.get_recent_orders(integer, integer, text, timestamptz),
  public.get_user_stats(), public.get_inventory_status(), public.get_system_health(),
  public.get_realtime_visit_stats(), public.log_admin_action(text, text, jsonb),
  public.list_users(text, text, integer, integer), public.refund_order(uuid, uuid[]), public.cancel_order(uuid),
  public.resend_order_mail(uuid) to authenticated;
