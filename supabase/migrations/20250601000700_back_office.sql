-- What administrators see: the dashboard's figures and the lists. Each function returns one answer,
-- to administrators only; those about orders and money also serve finance.

-- An account that redeem-gate-invitation created for a phone at the gate: it is not a registration, and no list of users shows it.
create function public.is_device_account(p_email text) returns boolean language sql immutable
return coalesce(p_email like 'gate-%@gate.invalid', false);

-- ── The dashboard ───────────────────────────────────────────────────────────────────────────────────────────────────

-- The totals count what was sold; comps are separate, and by_channel breaks the figures down by channel. Totals by kind and the
-- breakdown of tickets are the specification's.
create function public.get_sales_overview() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_finance();
  return (with sales as materialized (
    select p.kind, s.* from public.sales_totals() s join public.products p on p.id = s.product_id
  ), each as (
    select p.kind, p.name, p.price, p.id, coalesce(sum(s.sold) filter (where s.channel <> 'comp'), 0) as sold,
      coalesce(sum(s.sold) filter (where s.channel = 'comp'), 0) as comps, coalesce(sum(s.revenue), 0) as revenue
    from public.products p left join sales s on s.product_id = p.id group by p.id
  )
  select jsonb_build_object(
    'total_revenue', coalesce(sum(revenue), 0),
    'total_fees', (select coalesce(sum(fee_amount - fee_refunded), 0) from public.orders where confirmed_at is not null),
    'total_tickets', coalesce(sum(sold) filter (where kind = 'ticket'), 0),
    'total_parking', coalesce(sum(sold) filter (where kind = 'parking'), 0),
    'by_channel', (select jsonb_agg(jsonb_build_object('channel', named.name,
        'sold', (select coalesce(jsonb_object_agg(kind, sold), '{}')
          from (select kind, sum(sold) as sold from sales where channel = named.name group by 1) as of_kind),
        'revenue', (select coalesce(sum(revenue), 0) from sales where channel = named.name)) order by place)
      from unnest(array['online', 'door', 'comp']) with ordinality as named (name, place)),
    'kinds', (select jsonb_agg(k order by position) from public.product_kinds k),
    'products', coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'name', name, 'sold', sold, 'comps', comps, 'revenue', revenue)
      order by price, id), '[]'),
    'ticket_breakdown', coalesce(jsonb_agg(jsonb_build_object('ticket_type', name, 'sold', sold, 'comps', comps, 'revenue', revenue)
      order by price, id) filter (where kind = 'ticket'), '[]'))
  from each);
end $$;

create function public.get_user_stats() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  today constant timestamptz := date_trunc('day', now(), 'America/Chicago');
begin
  perform public.require_admin();
  return (select jsonb_build_object(
    'total_users', count(*),
    'users_today', count(*) filter (where created_at >= today),
    'users_this_week', count(*) filter (where created_at >= date_trunc('week', today, 'America/Chicago')),
    'users_this_month', count(*) filter (where created_at >= date_trunc('month', today, 'America/Chicago')))
  from auth.users where not public.is_device_account(email));
end $$;

create function public.get_inventory_status() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_admin();
  return (with sales as (
      select product_id, sum(sold) filter (where channel = 'comp') as comps, sum(revenue) as revenue from public.sales_totals() group by 1
    ), listed as (
      select p.kind, p.name, p.price, p.id, to_jsonb(p) - '{kind,name,is_vip,is_general,waiting,offered,created_at,updated_at}'::text[]
        || jsonb_build_object('revenue', coalesce(s.revenue, 0), 'comps', coalesce(s.comps, 0),
          'sale', public.sale_state(p.on_sale, p.sale_opens_at, p.sale_closes_at))
        || case p.kind when 'parking' then jsonb_build_object('type_name', p.name, 'is_general', p.is_general)
          else jsonb_build_object('name', p.name, 'is_vip', p.is_vip, 'included_parking', (
            select g.name from public.products g, public.shop_settings x where p.is_vip and g.is_general and x.vip_includes_parking)) end as row
      from public.products p left join sales s on s.product_id = p.id)
    select jsonb_build_object('tickets', coalesce(jsonb_agg(row order by price, id) filter (where kind = 'ticket'), '[]'),
      'parking', coalesce(jsonb_agg(row order by price, id) filter (where kind = 'parking'), '[]'),
      -- The site reads these: any kind, under one name.
      'kinds', (select jsonb_agg(k order by position) from public.product_kinds k),
      'products', coalesce(jsonb_agg(row || jsonb_build_object('kind', kind, 'name', name) order by price, id), '[]')) from listed);
end $$;

create function public.get_system_health() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  today constant timestamptz := date_trunc('day', now(), 'America/Chicago');
  failed integer;
  declined integer;
  errors integer;
  low integer;
begin
  perform public.require_admin();
  -- A declined card needs no attention. Declines out of proportion to sales raise an alarm of their own.
  select count(*) into failed from public.orders where cancel_reason = 'unfulfillable' and acknowledged_at is null;
  -- What costs nothing takes no card.
  select count(*) into declined from public.card_declines where declined_at > now() - interval '1 hour';
  if declined <= 10 or declined <= (select count(*) from public.orders where created_at > now() - interval '1 hour'
      and channel = 'online' and total_amount > 0 and status in ('confirmed', 'completed')) then
    declined := 0;
  end if;
  -- A failed read of an administrator's browser is not counted: its own connection may have failed.
  select count(*) into errors from public.audit_logs
    where kind = 'Errors'
      and created_at > now() - interval '1 hour';
  -- The quarter of contract/shop/stock.
  select count(*) into low from public.products
    where not is_hidden and total_inventory > 0 and current_inventory <= total_inventory * 0.25;
  return jsonb_build_object(
    'system_status', case when failed > 5 or errors > 10 then 'critical'
      when failed > 0 or declined > 0 or errors > 0 or low > 0 then 'warning' else 'healthy' end,
    'last_updated', now(),
    'orders_today', (select count(*) from public.orders where created_at >= today),
    'pending_orders', (select count(*) from public.orders where status = 'pending'),
    'failed_orders', failed,
    'unusual_declines', declined,
    'low_inventory_alerts', low,
    'recent_errors', errors);
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

-- ── Lists: searched, filtered and paged here, at the same speed however many rows there are ───────────────────────────

-- A page starts after the last row of the one before it (its time and id: p_after_at, p_after_id), so that rows that arrive
-- meanwhile neither repeat nor hide any. page_offset serves an address that has only a page number. Every call is planned for its
-- own values, because the best plan for a rare word is the worst for a common one.

-- Lists with a search return {rows, total_count, total_is_exact}. A search may match everything, so matches are counted up to
-- this number, and the answer says when there are more. A first page that is not full needs no count at all.
create function public.most_counted() returns integer
language sql immutable set search_path = '' as 'select 10000';

-- The pattern that matches the typed text literally, anywhere; null when nothing was typed.
create function public.search_pattern(p_search text) returns text
language sql immutable set search_path = '' as $$
  select '%' || regexp_replace(nullif(btrim(p_search), ''), '([\\%_])', '\\\1', 'g') || '%';
$$;

create function public.list_answer(p_rows jsonb, p_found bigint) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('rows', coalesce(p_rows, '[]'), 'total_count', least(p_found, public.most_counted()),
    'total_is_exact', p_found <= public.most_counted());
$$;

-- The words of a search for people (contract/names has the same rule). A word matches words that begin with it, or with p_whole only
-- itself. A double name matches by its parts or in one word.
create function public.words_asked(p_search text, p_whole boolean default false) returns tsquery
language sql immutable set search_path = '' as $$
  select string_agg('(' || concat_ws('|', parts, quote_literal(left(joined, 40)) || ending) || ')', ' & ')::tsquery
  from (select case when p_whole then '' else ':*' end as ending) as each
  cross join regexp_split_to_table(public.folded(left(p_search, 200)), '[\u0009-\u000d\u0020\u0085\u1680\u2028\u2029]+') as term
  cross join lateral (select string_agg(quote_literal(left(word, 40)) || ending, '&') as parts
    from regexp_split_to_table(term, public.between_words()) as word where word <> '') as split
  cross join lateral (select case when term ~ '[''-]' then regexp_replace(term, public.between_words(), '', 'g') end as joined) as one
  where parts is not null;
$$;

-- The orders that an identifier names: the number of an order or entry code, which is the first 8 characters of its id as people
-- see it, by four or more of its first or last characters, or by the whole id; or the provider's id of a payment, a checkout session
-- or a refund by its first six or more.
create function public.orders_named(p_search text) returns uuid[]
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  name constant text := ltrim(btrim(p_search), '#');
  digits constant text := lower(regexp_replace(name, '[[:space:]-]', '', 'g'));
  up_to constant text := name || repeat('z', 100);
  first uuid;
  last uuid;
  named uuid[] := '{}';
begin
  if digits ~ '^[0-9a-f]{4,32}$' then
    first := rpad(digits, 32, '0')::uuid;
    last := rpad(digits, 32, 'f')::uuid;
    named := array(select id from public.orders where id between first and last limit 100)
      || array(select order_id from public.entry_codes where id between first and last limit 100);
  end if;
  if digits ~ '^[0-9a-f]{4,7}$' then
    named := named || array(select order_id from public.order_words where reverse(left(order_id::text, 8)) like reverse(digits) || '%' limit 100)
      || array(select id from public.orders where status = 'pending' and reverse(left(id::text, 8)) like reverse(digits) || '%' limit 100)
      || array(select order_id from public.entry_codes where reverse(left(id::text, 8)) like reverse(digits) || '%' limit 100);
  end if;
  if name ~ '^[a-z]+_' and length(name) >= 6 then
    -- A range reads the unique index of each id, whatever its collation; z is the last character that ids have.
    named := named || array(select id from public.orders where payment_intent_id between name and up_to
        and starts_with(payment_intent_id, name) limit 100)
      || array(select id from public.orders where stripe_session_id between name and up_to
        and starts_with(stripe_session_id, name) limit 100)
      || array(select order_id from public.payments where payment_intent_id between name and up_to
        and starts_with(payment_intent_id, name) limit 100)
      || array(select order_id from public.refunds where provider_refund_id between name and up_to
        and starts_with(provider_refund_id, name) limit 100);
  end if;
  return named;
end $$;

-- The orders that a search finds: those it names, those in the index of words, and pending ones, which are not in it. Null without a
-- search, and for one with more matches than are counted.
create function public.orders_matching(p_search text) returns uuid[]
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  search constant text := nullif(btrim(p_search), '');
  asked constant tsquery := public.words_asked(search);
  hits uuid[];
begin
  if search is null then return null; end if;
  hits := public.orders_named(search)
    || array(select w.order_id from public.order_words w where w.words @@ asked limit public.most_counted() + 1)
    || array(select o.id from public.orders o where o.status = 'pending' and public.search_words(o.buyer_full_name, o.buyer_email,
      o.buyer_phone_number, o.attendees) @@ asked limit public.most_counted() + 1);
  return case when cardinality(hits) <= public.most_counted() then hits end;
end $$;

-- A page of orders, newest first. p_status: a status, 'failed' for those whose payment failed or that were paid and could not
-- be fulfilled, 'attention' for those of the latter that no administrator has acknowledged, or null. A search with more matches than
-- are counted scans the newest orders, where matches are frequent.
create function public.find_orders(p_status text, p_search text, p_size integer, p_skipped integer default 0,
  p_after_at timestamptz default null, p_after_id uuid default null, p_channel text default null, p_tag text default null)
returns setof uuid
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  search constant text := nullif(btrim(p_search), '');
  asked constant tsquery := public.words_asked(search);
  hits constant uuid[] := public.orders_matching(search);
  named constant uuid[] := case when search is not null and hits is null then public.orders_named(search) end;
begin
  return query select o.id from public.orders o
    where (p_status is null or p_status in ('failed', 'attention') or o.status = p_status)
      and (p_channel is null or o.channel = p_channel)
      and (p_tag is null or o.id in (select g.order_id from public.order_tags g where g.tag = p_tag))
      and (p_status is distinct from 'failed' or o.cancel_reason in ('payment_failed', 'unfulfillable'))
      and (p_status is distinct from 'attention' or o.cancel_reason = 'unfulfillable' and o.acknowledged_at is null)
      and (hits is null or o.id = any (hits))
      and (search is null or hits is not null or o.id = any (named)
        or (select w.words @@ asked from public.order_words w where w.order_id = o.id)
        or o.status = 'pending'
          and public.search_words(o.buyer_full_name, o.buyer_email, o.buyer_phone_number, o.attendees) @@ asked)
      and (p_after_id is null or (o.created_at <= p_after_at and (o.created_at < p_after_at or o.id > p_after_id)))
    order by o.created_at desc, o.id limit p_size offset p_skipped;
end $$;

-- total_count covers the status and the search; all_count covers every order.
create function public.get_recent_orders(page_size integer default 10, page_offset integer default 0,
  order_status text default null, p_after_at timestamptz default null, p_after_id uuid default null,
  p_search text default null, p_channel text default null, p_tag text default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  size constant integer := least(greatest(page_size, 1), 100);
  skipped constant integer := greatest(page_offset, 0);
  counted constant boolean := nullif(btrim(p_search), '') is null and coalesce(order_status not in ('failed', 'attention'), true)
    and num_nonnulls(p_channel, p_tag) = 0;
  listed jsonb;
  placed bigint;
  found bigint;
begin
  perform public.require_finance();
  -- The ids first, from an index alone, so that a far offset skips index entries, not orders.
  select coalesce(jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id), '[]') into listed from (
    select o.id, o.buyer_full_name, o.buyer_email, o.status, o.channel, o.total_amount, o.created_at,
      (select coalesce(sum(i.quantity), 0) from public.order_items i where i.order_id = o.id) as item_count,
      (select coalesce(jsonb_agg(g.tag order by g.tag), '[]') from public.order_tags g where g.order_id = o.id) as tags,
      exists (select from public.disputes d where d.order_id = o.id and d.is_open) as is_disputed,
      public.owed_cents(o.id) as owed_cents
    from public.find_orders(order_status, p_search, size, skipped, p_after_at, p_after_id, p_channel, p_tag) as f (id)
    join public.orders o using (id)) as page;
  select count(*), count(*) filter (where order_status is null or status = order_status) into placed, found from public.orders;
  if not counted then
    found := jsonb_array_length(listed);
    if found >= size or skipped > 0 or p_after_id is not null then
      select count(*) into found from public.find_orders(order_status, p_search, public.most_counted() + 1, p_channel => p_channel,
        p_tag => p_tag);
    end if;
  end if;
  return jsonb_build_object(
    'orders', listed,
    'total_count', case when counted then found else least(found, public.most_counted()) end,
    'total_is_exact', counted or found <= public.most_counted(),
    'all_count', placed,
    'page_size', size,
    'page_offset', skipped);
end $$;

-- The same orders with their money: what was paid and what was refunded, in dollars. For online orders as in the provider's books,
-- for door sales as in the tills. paid_by: online, cash, card (at the door), or null if nothing was paid.
create function public.list_orders_with_money(order_status text default null, p_search text default null,
  page_size integer default 500, p_after_at timestamptz default null, p_after_id uuid default null, p_channel text default null,
  p_tag text default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
begin
  perform public.require_finance();
  return (select coalesce(jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id), '[]') from (
    select o.id, o.buyer_full_name, o.buyer_email, o.buyer_phone_number, o.status, o.channel, o.total_amount,
      o.discount_amount, o.promo_code, o.fee_amount, o.fee_name, o.payment_intent_id, o.created_at, o.cancelled_at, o.cancel_reason,
      (select coalesce(string_agg(i.quantity || ' × ' || i.name, '; ' order by i.position), '')
        from public.order_items i where i.order_id = o.id) as items,
      coalesce(till.method, (select 'online' from public.payments p
        where p.order_id = o.id and p.status <> 'failed' and p.currency = 'usd' limit 1)) as paid_by,
      coalesce(till.paid, (select sum(p.amount) from public.payments p
        where p.order_id = o.id and p.status <> 'failed' and p.currency = 'usd'), 0) as paid,
      coalesce(till.refunded, (select sum(r.amount) from public.refunds r join public.payments p using (payment_intent_id)
        where r.order_id = o.id and r.status = 'succeeded' and p.currency = 'usd'), 0) as refunded,
      (select string_agg(g.tag, '; ' order by g.tag) from public.order_tags g where g.order_id = o.id) as tags
    from public.find_orders(order_status, p_search, least(greatest(page_size, 1), 500), 0, p_after_at, p_after_id, p_channel,
      p_tag) as f (id)
    join public.orders o using (id)
    left join lateral (
      select min(t.method) as method, sum(t.amount) filter (where t.kind = 'sale') as paid,
        coalesce(sum(t.amount) filter (where t.kind = 'refund'), 0) as refunded
      from public.till_payments t where t.order_id = o.id and o.channel = 'door' having count(*) > 0) as till on true) as page);
end $$;

-- Users with these fields, their role (admin, finance, gate, user or none) and what keeps them from signing in. p_role null: all of
-- them.
create function public.list_users(p_search text default null, p_role text default null, page_size integer default 25,
  p_after_at timestamptz default null, p_after_id uuid default null, page_offset integer default 0) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := public.search_pattern(p_search);
  size constant integer := least(greatest(page_size, 1), 500);
  skipped constant integer := greatest(page_offset, 0);
  -- One or two letters cannot use the index, so they are searched only among the newest users.
  since constant timestamptz := case when length(btrim(p_search)) < 3 then
    (select created_at from auth.users order by created_at desc offset public.most_counted() limit 1) end;
  listed jsonb;
  found bigint;
begin
  perform public.require_admin();
  select jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id) into listed from (
    select u.id, u.email, u.created_at, u.last_sign_in_at, coalesce(r.role, 'none') as role,
      coalesce(r.sells_at_door, false) as sells_at_door, case when u.banned_until > now() then u.banned_until end as blocked_until,
      u.invited_at is not null and u.confirmed_at is null as is_invited,
      exists (select from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified') as has_second_step
    from auth.users u left join public.user_roles r on r.user_id = u.id
    where (pattern is null or u.email ilike pattern) and (since is null or u.created_at >= since)
      and not public.is_device_account(u.email)
      and (p_role is null or r.role = p_role or (p_role = 'none' and r.role is null))
      and (p_after_id is null or (u.created_at <= p_after_at and (u.created_at < p_after_at or u.id > p_after_id)))
    order by u.created_at desc, u.id limit size offset skipped) as page;
  if pattern is null then
    select count(*) into found from auth.users where not public.is_device_account(email);
    if p_role = 'none' then found := found - (select count(*) from public.user_roles where invitation_id is null);
    elsif p_role is not null then
      select count(*) into found from public.user_roles where role = p_role and invitation_id is null;
    end if;
    return public.list_answer(listed, 0) || jsonb_build_object('total_count', found);
  end if;
  found := coalesce(jsonb_array_length(listed), 0);
  if found >= size or skipped > 0 or p_after_id is not null then
    select count(*) into found from (
      select from auth.users u left join public.user_roles r on r.user_id = u.id
      where u.email ilike pattern and (since is null or u.created_at >= since)
        and not public.is_device_account(u.email)
        and (p_role is null or r.role = p_role or (p_role = 'none' and r.role is null))
      limit public.most_counted() + 1) as counted;
  end if;
  return public.list_answer(listed, found);
end $$;

-- Who could no longer work if this role required a second step: accounts that have none, the first ten by email, and the phones of
-- invitations, which cannot set one up.
create function public.get_shut_out(p_role text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_admin();
  return (select jsonb_build_object('count', count(*) filter (where r.invitation_id is null),
      'emails', to_jsonb((array_agg(u.email order by u.email) filter (where r.invitation_id is null))[:10]),
      'phones', count(r.invitation_id))
    from public.user_roles r join auth.users u on u.id = r.user_id
    where r.role = p_role and (r.expires_at is null or r.expires_at > now())
      and not exists (select from auth.mfa_factors f where f.user_id = r.user_id and f.status = 'verified'));
end $$;

create function public.mail_of_record(p_record text) returns text
language sql stable set search_path = '' as $$
  select public.mail_of(case when p_record ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p_record::uuid end)
$$;

-- The name that people know for an audit entry's record; null if it has none.
create function public.record_name(p_table text, p_record text, p_values jsonb) returns text
language sql stable set search_path = '' as $$
  select case p_table
    when 'orders' then 'Order #' || left(p_record, 8)
    when 'refund_runs' then 'Refund run #' || left(p_record, 8)
    when 'tickets' then 'Ticket of ' || (p_values ->> 'attendee_name')
    when 'products' then p_values ->> 'name'
    when 'promo_codes' then p_values ->> 'code'
    when 'vendor_applications' then p_values ->> 'booth_name'
    when 'shop_settings' then 'Shop settings'
    when 'gate_settings' then 'Gate settings'
    when 'festival_sections' then 'Festival: ' || p_record
    when 'gate_entrances' then p_values ->> 'name'
    when 'gate_devices' then p_values ->> 'name'
    when 'staff_invitations' then 'Invitation for ' || (p_values ->> 'email')
    when 'gate_invitations' then 'Invitation ' || (p_values ->> 'label')
    when 'admissions' then 'Check-in of ' || (p_values ->> 'name')
    when 'till_shifts' then (p_values ->> 'seller_email') || '''s till'
    when 'till_payments' then 'Door sale #' || left(p_values ->> 'order_id', 8)
    when 'guest_lists' then 'Comps: ' || (p_values ->> 'reason')
    when 'order_notes' then 'Note on order #' || left(p_values ->> 'order_id', 8)
    when 'outbox' then replace(replace(p_values ->> 'kind', 'mail', 'email'), '_', ' ')
    when 'user_roles' then public.mail_of_record(p_record)
    when 'users' then public.mail_of_record(p_record)
  end;
$$;

create function public.list_audit_logs(p_search text default null, p_kind text default null, page_size integer default 50,
  p_after_at timestamptz default null, p_after_id uuid default null, page_offset integer default 0) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := public.search_pattern(p_search);
  size constant integer := least(greatest(page_size, 1), 500);
  skipped constant integer := greatest(page_offset, 0);
  -- One or two letters cannot use the index, so they are searched only among the newest entries.
  since constant timestamptz := case when length(btrim(p_search)) < 3 then
    (select created_at from public.audit_logs order by created_at desc offset public.most_counted() limit 1) end;
  listed jsonb;
  found bigint;
begin
  perform public.require_admin();
  select jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id) into listed from (
    select l.*, public.record_name(l.table_name, l.record_id, coalesce(l.new_values, l.old_values)) as record_name
    from public.audit_logs l
    where (since is null or created_at >= since)
      and (pattern is null or action_type ilike pattern or table_name ilike pattern) and (p_kind is null or kind = p_kind)
      and (p_after_id is null or (created_at <= p_after_at and (created_at < p_after_at or id > p_after_id)))
    order by created_at desc, id limit size offset skipped) as page;
  found := coalesce(jsonb_array_length(listed), 0);
  if found >= size or skipped > 0 or p_after_id is not null then
    select count(*) into found from (
      select from public.audit_logs
      where (since is null or created_at >= since)
        and (pattern is null or action_type ilike pattern or table_name ilike pattern) and (p_kind is null or kind = p_kind)
      limit public.most_counted() + 1) as counted;
  end if;
  return public.list_answer(listed, found);
end $$;

-- Vendor applications, and how many have each status.
create function public.list_vendor_applications(p_search text default null, p_status text default null,
  page_size integer default 25, p_after_at timestamptz default null, p_after_id uuid default null,
  page_offset integer default 0) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := public.search_pattern(public.folded(p_search));
  size constant integer := least(greatest(page_size, 1), 500);
  skipped constant integer := greatest(page_offset, 0);
  listed jsonb;
  found bigint;
begin
  perform public.require_admin();
  select jsonb_agg(to_jsonb(page) order by page.submission_date desc, page.id) into listed from (
    select * from public.vendor_applications
    where (pattern is null or public.folded(concat_ws(chr(10), booth_name, contact_name, contact_email)) like pattern)
      and (p_status is null or status = p_status)
      and (p_after_id is null
        or (submission_date <= p_after_at and (submission_date < p_after_at or id > p_after_id)))
    order by submission_date desc, id limit size offset skipped) as page;
  found := coalesce(jsonb_array_length(listed), 0);
  if found >= size or skipped > 0 or p_after_id is not null then
    select count(*) into found from (
      select from public.vendor_applications
      where (pattern is null or public.folded(concat_ws(chr(10), booth_name, contact_name, contact_email)) like pattern)
        and (p_status is null or status = p_status)
      limit public.most_counted() + 1) as counted;
  end if;
  return public.list_answer(listed, found) || jsonb_build_object('by_status',
    (select coalesce(jsonb_object_agg(status, applications), '{}') from (
      select status, count(*) as applications from public.vendor_applications group by 1) as counts));
end $$;

create function public.list_sponsor_inquiries(page_size integer default 25, p_after_at timestamptz default null,
  p_after_id uuid default null, p_search text default null, page_offset integer default 0) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := public.search_pattern(public.folded(p_search));
  size constant integer := least(greatest(page_size, 1), 500);
  skipped constant integer := greatest(page_offset, 0);
  listed jsonb;
  found bigint;
begin
  perform public.require_admin();
  select jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id) into listed from (
    select * from public.sponsor_inquiries
    where (pattern is null or public.folded(concat_ws(chr(10), company_name, contact_name, email)) like pattern)
      and (p_after_id is null or (created_at <= p_after_at and (created_at < p_after_at or id > p_after_id)))
    order by created_at desc, id limit size offset skipped) as page;
  found := coalesce(jsonb_array_length(listed), 0);
  if found >= size or skipped > 0 or p_after_id is not null then
    select count(*) into found from (
      select from public.sponsor_inquiries
      where pattern is null or public.folded(concat_ws(chr(10), company_name, contact_name, email)) like pattern
      limit public.most_counted() + 1) as counted;
  end if;
  return public.list_answer(listed, found);
end $$;

-- The email addresses, by id, of the users who changed an order, corrected an attendee, or let somebody in or took it back without
-- a phone. Deleted users are left out.
create function public.get_order_actors(p_order_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_finance();
  return (select coalesce(jsonb_object_agg(u.id, u.email), '{}') from auth.users u where u.email is not null and u.id in (
    select l.admin_user_id from public.audit_logs l where l.table_name = 'orders' and l.record_id = p_order_id::text
    union all select c.corrected_by from public.attendee_corrections c where c.order_id = p_order_id and c.by_admin
    union all select unnest(array[case when a.device_id is null then a.admitted_by end, case when a.undo_scan_id is null then a.undone_by end])
      from public.admissions a where a.code_id = any (array(select id from public.entry_codes where order_id = p_order_id))));
end $$;

revoke execute on function public.most_counted(), public.search_pattern(text), public.list_answer(jsonb, bigint),
  public.words_asked(text, boolean), public.orders_named(text),
  public.orders_matching(text), public.find_orders(text, text, integer, integer, timestamptz, uuid, text, text), public.record_name(text, text, jsonb),
  public.mail_of_record(text), public.is_device_account(text) from public, anon, authenticated;
revoke execute on function public.get_sales_overview(), public.get_user_stats(), public.get_inventory_status(),
  public.get_system_health(), public.log_admin_action(text, text, jsonb),
  public.get_recent_orders(integer, integer, text, timestamptz, uuid, text, text, text),
  public.list_orders_with_money(text, text, integer, timestamptz, uuid, text, text),
  public.list_users(text, text, integer, timestamptz, uuid, integer), public.get_shut_out(text),
  public.list_audit_logs(text, text, integer, timestamptz, uuid, integer),
  public.list_vendor_applications(text, text, integer, timestamptz, uuid, integer),
  public.list_sponsor_inquiries(integer, timestamptz, uuid, text, integer), public.get_order_actors(uuid) from public, anon;
grant execute on function public.get_sales_overview(), public.get_user_stats(), public.get_inventory_status(),
  public.get_system_health(), public.log_admin_action(text, text, jsonb),
  public.get_recent_orders(integer, integer, text, timestamptz, uuid, text, text, text),
  public.list_orders_with_money(text, text, integer, timestamptz, uuid, text, text),
  public.list_users(text, text, integer, timestamptz, uuid, integer), public.get_shut_out(text),
  public.list_audit_logs(text, text, integer, timestamptz, uuid, integer),
  public.list_vendor_applications(text, text, integer, timestamptz, uuid, integer),
  public.list_sponsor_inquiries(integer, timestamptz, uuid, text, integer), public.get_order_actors(uuid) to authenticated;
