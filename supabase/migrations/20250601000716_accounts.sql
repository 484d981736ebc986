-- The accountant's report: what was sold, taken and returned in a period, and line by line whether the payment provider's books
-- agree. Those books are its balance transactions, which fetch-provider-books stores here unchanged; nothing in the shop reads
-- them.

create table public.provider_transactions (
  id text primary key, -- the provider's
  category text not null, -- the provider's reporting category: charge, refund, dispute, payout, ...
  -- Its counterpart in our books; null for entries that only the provider has, such as a payout.
  entry text generated always as (case category when 'charge' then 'payment' when 'refund' then 'refund'
    when 'refund_failure' then 'refund_failed' when 'dispute' then 'dispute' when 'dispute_reversal' then 'dispute_reversed' end) stored,
  -- What it is about: our payment's intent, or the provider's id of the refund, dispute or payout.
  about_id text not null,
  payment_intent_id text,
  cents bigint not null, -- as it changed the balance, before the provider's own fee
  fee_cents bigint not null,
  currency text not null,
  description text,
  status text not null,
  created_at timestamptz not null,
  -- A second transaction about the same thing has no counterpart of ours. Decided when it is stored: deciding it for every line
  -- took four of the six seconds of a report of 400,000 lines.
  is_first boolean not null
);
create index provider_transactions_newest on public.provider_transactions (created_at desc, id);
create unique index provider_transactions_about on public.provider_transactions (about_id, category) where is_first;

-- How far the books have been fetched. One row, like reconciliation: a pass goes through new transactions, newest first.
create table public.provider_books (
  id boolean primary key default true check (id),
  complete_to timestamptz, -- everything older is here
  began_at timestamptz,
  created_from timestamptz,
  after_id text check (length(after_id) <= 255),
  kept integer not null default 0, -- by the pass under way, or the last one
  constraint provider_books_pass_is_whole check (num_nonnulls(began_at, created_from, after_id) in (0, 3))
);
insert into public.provider_books default values;

alter table public.provider_transactions enable row level security;
alter table public.provider_books enable row level security;
revoke all on public.provider_transactions, public.provider_books from anon, authenticated;
grant select on public.provider_transactions, public.provider_books to authenticated;
create policy "Admins and finance read the provider's transactions" on public.provider_transactions
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Admins and finance read how far the provider's books are fetched" on public.provider_books
  for select to authenticated using ((select public.has_role('admin', 'finance')));

-- Stores a page. Only a transaction's status ever changes. Returns how many were new.
create function public.keep_provider_transactions(p_rows jsonb) returns integer
language sql volatile set search_path = '' as $$
  with kept as (
    insert into public.provider_transactions as t (id, category, about_id, payment_intent_id, cents, fee_cents, currency, description,
        status, created_at, is_first)
      select id, category, about_id, payment_intent_id, cents, fee_cents, currency, left(description, 500), status, created_at,
        row_number() over (partition by about_id, category order by created_at, id) = 1 and not exists (
          select from public.provider_transactions k where k.about_id = r.about_id and k.category = r.category and k.is_first)
      from jsonb_to_recordset(p_rows) as r (id text, category text, about_id text, payment_intent_id text, cents bigint, fee_cents bigint,
        currency text, description text, status text, created_at timestamptz)
    on conflict (id) do update set status = excluded.status
    returning xmax = 0 as is_new)
  select count(*) filter (where is_new)::integer from kept;
$$;

-- Logs that a user fetched the books by hand.
create function public.note_books_fetched(p_user_id uuid, p_kept integer) returns void
language sql volatile set search_path = '' as $$
  insert into public.audit_logs (admin_user_id, action_type, table_name, record_id, new_values)
    values (p_user_id, 'UPDATE', 'provider_books', 'true', jsonb_build_object('transactions_kept', p_kept));
$$;

-- ── Line by line ───────────────────────────────────────────────────────────────────────────────────────────────────────

-- Every change of the provider's balance that our books expect. It and account_lines have no search path, so that they are inlined
-- and a period reads only its own rows. A lost dispute is among the refunds too, but its money left when it was opened. An inquiry
-- takes no money.
create function public.book_entries() returns table (entry text, about_id text, order_id uuid, cents bigint, currency text,
  entered_at timestamptz, reason text)
language sql stable as $$
  select 'payment', p.payment_intent_id, p.order_id, (p.amount * 100)::bigint, p.currency, p.succeeded_at, null::text
    from public.payments p where p.status <> 'failed'
  union all
  select 'refund', coalesce(r.provider_refund_id, r.id::text), r.order_id, (-r.amount * 100)::bigint, p.currency,
      coalesce(r.succeeded_at, r.created_at), r.reason
    from public.refunds r join public.payments p using (payment_intent_id)
    where r.reason <> 'dispute_lost' and (r.status = 'succeeded' or r.provider_refund_id is not null)
  union all
  select 'refund_failed', r.provider_refund_id, r.order_id, (r.amount * 100)::bigint, p.currency, r.updated_at, r.reason
    from public.refunds r join public.payments p using (payment_intent_id)
    where r.reason <> 'dispute_lost' and r.status = 'failed' and r.provider_refund_id is not null
  union all
  select 'dispute', d.id, d.order_id, (-d.amount * 100)::bigint, d.currency, d.opened_at, d.reason
    from public.disputes d where d.status not like 'warning%' and d.status <> 'prevented'
  union all
  select 'dispute_reversed', d.id, d.order_id, (d.amount * 100)::bigint, d.currency, d.updated_at, d.reason
    from public.disputes d where d.status = 'won';
$$;

-- The provider may report a transaction a few minutes late.
create function public.books_delay() returns interval
language sql immutable set search_path = '' as $$ select interval '10 minutes' $$;

-- Our entries against the provider's transactions, each in the period by the provider's time, or by ours if it has none. state:
-- matched, differs, only_ours, only_provider, or waiting for entries newer than the fetched books.
create function public.account_lines(p_from date, p_to date) returns table (key text, entry text, about_id text, order_id uuid,
  at timestamptz, state text, our_cents bigint, provider_cents bigint, difference bigint, fee_cents bigint, currency text, reason text,
  description text)
language sql stable as $$
  select t.id, t.entry, t.about_id, o.order_id, t.created_at,
    case when o.entry is null then 'only_provider' when o.cents = t.cents and o.currency = t.currency then 'matched' else 'differs' end,
    o.cents, t.cents, t.cents - coalesce(o.cents, 0), t.fee_cents, t.currency, o.reason, t.description
  from public.provider_transactions t
  left join public.book_entries() as o on t.is_first and o.entry = t.entry and o.about_id = t.about_id
  where t.entry is not null and (p_from is null or t.created_at >= p_from::timestamp at time zone 'America/Chicago')
    and (p_to is null or t.created_at < (p_to + 1)::timestamp at time zone 'America/Chicago')
  union all
  select o.entry || ':' || o.about_id, o.entry, o.about_id, o.order_id, o.entered_at,
    case when o.entered_at > coalesce((select complete_to from public.provider_books) - public.books_delay(), '-infinity')
      then 'waiting' else 'only_ours' end,
    o.cents, null, -o.cents, null, o.currency, o.reason, null
  from public.book_entries() as o
  where not exists (select from public.provider_transactions t where t.entry = o.entry and t.about_id = o.about_id and t.is_first)
    and (p_from is null or o.entered_at >= p_from::timestamp at time zone 'America/Chicago')
    and (p_to is null or o.entered_at < (p_to + 1)::timestamp at time zone 'America/Chicago');
$$;

create function public.check_period(p_from date, p_to date) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if p_from > p_to then raise exception 'The end date is before the start date.' using errcode = '22023'; end if;
end $$;

-- A page of lines, newest first: {rows, total_count, total_is_exact}. p_state: one of the states, or 'open' for all that do not
-- match.
create function public.list_account_lines(p_from date default null, p_to date default null, p_state text default null,
  page_size integer default 50, p_after_at timestamptz default null, p_after_key text default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan set work_mem = '64MB' as $$
declare
  listed jsonb;
  found bigint;
begin
  perform public.require_finance();
  perform public.check_period(p_from, p_to);
  with lines as materialized (
    select * from public.account_lines(p_from, p_to) as l
    where p_state is null or l.state = p_state or (p_state = 'open' and l.state <> 'matched'))
  select (select jsonb_agg(to_jsonb(page) order by page.at desc, page.key) from (
      select l.*, o.buyer_full_name from lines l left join public.orders o on o.id = l.order_id
      where p_after_key is null or l.at < p_after_at or (l.at = p_after_at and l.key > p_after_key)
      order by l.at desc, l.key limit least(greatest(page_size, 1), 2000)) as page),
    (select count(*) from lines) into listed, found;
  return jsonb_build_object('rows', coalesce(listed, '[]'), 'total_count', found, 'total_is_exact', true);
end $$;

-- ── The report ─────────────────────────────────────────────────────────────────────────────────────────────────────────

-- What was sold in the period, by channel and item, regardless of later refunds.
create function public.account_items(p_from timestamptz, p_to timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(to_jsonb(s) - 'position' order by s.place, s.position, s.cents desc, s.name), '[]') from (
    select o.channel, array_position(array['online', 'door', 'comp'], o.channel) as place, k.needs_attendee as is_ticket,
      k.position, i.name, sum(i.quantity) as units, (sum(i.quantity * i.unit_price) * 100)::bigint as cents,
      (sum(i.discount) * 100)::bigint as discount_cents
    from public.orders o join public.order_items i on i.order_id = o.id join public.product_kinds k using (kind)
    where o.confirmed_at >= p_from and o.confirmed_at < p_to group by 1, 2, 3, 4, 5) as s;
$$;

-- Online: items, without discounts and with fees, are what buyers paid; extra is what was paid without buying anything, and was
-- returned. The orders are read once.
create function public.account_sales(p_from timestamptz, p_to timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  with sold as materialized (
    select channel, case when fee_amount > 0 then coalesce(fee_name, 'Fee') end as fee_name,
      case when discount_amount > 0 then promo_code end as code, count(*) as orders, sum(total_amount) * 100 as total,
      sum(fee_amount) * 100 as fee, sum(discount_amount) * 100 as discount,
      sum(case when channel = 'comp' then jsonb_array_length(attendees) end) as comps
    from public.orders where confirmed_at >= p_from and confirmed_at < p_to group by 1, 2, 3)
  select jsonb_build_object(
    'online', (select jsonb_build_object('orders', coalesce(sum(orders), 0),
        'items_cents', coalesce(sum(total - fee + discount), 0)::bigint, 'discount_cents', coalesce(sum(discount), 0)::bigint,
        'fee_cents', coalesce(sum(fee), 0)::bigint, 'total_cents', coalesce(sum(total), 0)::bigint)
      from sold where channel = 'online'),
    'fees', (select coalesce(jsonb_agg(jsonb_build_object('name', f.name, 'orders', f.orders, 'cents', f.cents) order by f.cents desc), '[]') from (
      select fee_name as name, sum(orders) as orders, sum(fee)::bigint as cents from sold where fee_name is not null group by 1) as f),
    'promo_codes', (select coalesce(jsonb_agg(jsonb_build_object('code', c.code, 'orders', c.orders, 'cents', c.cents) order by c.cents desc, c.code), '[]')
      from (select code, sum(orders) as orders, sum(discount)::bigint as cents from sold where code is not null group by 1) as c),
    'comps', (select jsonb_build_object('orders', coalesce(sum(orders), 0), 'tickets', coalesce(sum(comps), 0))
      from sold where channel = 'comp'),
    'payments', (select jsonb_build_object('count', count(*), 'cents', coalesce(sum(p.amount) * 100, 0)::bigint,
        'extra_count', count(*) filter (where o.id is null),
        'extra_cents', coalesce(sum(p.amount) filter (where o.id is null) * 100, 0)::bigint,
        -- However late they went back.
        'extra_kept_cents', coalesce(sum(p.amount - coalesce(g.given, 0)) filter (where o.id is null) * 100, 0)::bigint)
      from public.payments p left join public.orders o on o.id = p.order_id and o.payment_intent_id = p.payment_intent_id
      left join lateral (select sum(r.amount) as given from public.refunds r
        where o.id is null and r.payment_intent_id = p.payment_intent_id and r.status = 'succeeded') as g on true
      where p.status <> 'failed' and p.currency = 'usd'
        and p.succeeded_at >= p_from and p.succeeded_at < p_to),
    'door', (select jsonb_build_object('sales', count(*) filter (where kind = 'sale'), 'voids', count(*) filter (where kind = 'refund'),
        'cash_cents', coalesce(sum(amount) filter (where kind = 'sale' and method = 'cash') * 100, 0)::bigint,
        'card_cents', coalesce(sum(amount) filter (where kind = 'sale' and method = 'card') * 100, 0)::bigint,
        'cash_back_cents', coalesce(sum(amount) filter (where kind = 'refund' and method = 'cash') * 100, 0)::bigint,
        'card_back_cents', coalesce(sum(amount) filter (where kind = 'refund' and method = 'card') * 100, 0)::bigint)
      from public.till_payments where created_at >= p_from and created_at < p_to));
$$;

-- What was returned in the period, by reason; money that banks took in a dispute is listed with the disputes.
create function public.account_refunds(p_from timestamptz, p_to timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'refunds', (select coalesce(jsonb_agg(to_jsonb(g) order by g.cents desc, g.reason), '[]') from (
      select r.reason, count(*) as count, (sum(r.amount) * 100)::bigint as cents, (sum(r.fee) * 100)::bigint as fee_cents
      from public.refunds r join public.payments p using (payment_intent_id)
      where r.status = 'succeeded' and r.reason <> 'dispute_lost' and p.currency = 'usd' and r.succeeded_at >= p_from and r.succeeded_at < p_to
      group by 1) as g),
    'refunds_under_way', (select jsonb_build_object('count', count(*), 'cents', coalesce(sum(amount) * 100, 0)::bigint) from public.refunds
      where status = 'pending' and created_at >= p_from and created_at < p_to));
$$;

-- The provider's side in dollars: its balance changed by net_cents, which are the amounts without its fees.
create function public.account_provider(p_from timestamptz, p_to timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  with booked as materialized (
    select category, currency = 'usd' as is_usd, count(*) as count, sum(cents) as cents, sum(fee_cents) as fee_cents
    from public.provider_transactions where created_at >= p_from and created_at < p_to group by 1, 2)
  select jsonb_build_object(
    'complete_to', b.complete_to, 'is_fetching', b.began_at is not null, 'kept', b.kept,
    'categories', (select coalesce(jsonb_agg(to_jsonb(c) - 'is_usd' order by array_position(array['charge', 'refund', 'refund_failure',
      'dispute', 'dispute_reversal', 'fee', 'payout'], c.category) nulls last, c.category), '[]') from booked as c where c.is_usd),
    'net_cents', (select coalesce(sum(cents - fee_cents), 0) from booked where is_usd),
    'other_currencies', (select coalesce(sum(count), 0) from booked where not is_usd))
  from public.provider_books b;
$$;

-- Without bounds: everything. Days are Houston's, both inclusive.
create function public.get_account_report(p_from date default null, p_to date default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan set work_mem = '64MB' as $$
declare
  starts constant timestamptz := coalesce(p_from::timestamp at time zone 'America/Chicago', '-infinity');
  ends constant timestamptz := coalesce((p_to + 1)::timestamp at time zone 'America/Chicago', 'infinity');
begin
  perform public.require_finance();
  perform public.check_period(p_from, p_to);
  return public.account_sales(starts, ends) || public.account_refunds(starts, ends) || jsonb_build_object(
    'from', p_from, 'to', p_to, 'provider', public.account_provider(starts, ends));
end $$;

-- What was sold, by item: a separate call, which takes as long as the rest of the report at a million tickets.
create function public.get_account_items(p_from date default null, p_to date default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan set work_mem = '64MB' as $$
begin
  perform public.require_finance();
  perform public.check_period(p_from, p_to);
  return public.account_items(coalesce(p_from::timestamp at time zone 'America/Chicago', '-infinity'),
    coalesce((p_to + 1)::timestamp at time zone 'America/Chicago', 'infinity'));
end $$;

-- Totals of the period's lines: entries in dollars by kind, and states. A separate call, so that a sale of a million tickets stays
-- within the statement's time limit.
create function public.compare_accounts(p_from date default null, p_to date default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan set work_mem = '64MB' as $$
declare
  entries jsonb;
  states jsonb;
begin
  perform public.require_finance();
  perform public.check_period(p_from, p_to);
  with sums as materialized (
    select entry, state, currency, count(*) as count, count(our_cents) as our_count, coalesce(sum(our_cents), 0) as our_cents,
      count(provider_cents) as provider_count, coalesce(sum(provider_cents), 0) as provider_cents, sum(difference) as difference
    from public.account_lines(p_from, p_to) group by 1, 2, 3)
  select (select coalesce(jsonb_agg(to_jsonb(e) order by e.place), '[]') from (
      select entry, array_position(array['payment', 'refund', 'refund_failed', 'dispute', 'dispute_reversed'], entry) as place,
        sum(our_count) as our_count, sum(our_cents) as our_cents, sum(provider_count) as provider_count,
        sum(provider_cents) as provider_cents, sum(difference) as difference
      from sums where currency = 'usd' group by 1) as e),
    (select coalesce(jsonb_object_agg(s.state, jsonb_build_object('count', s.count, 'difference', s.difference)), '{}') from (
      select state, sum(count) as count, sum(difference) as difference from sums group by 1) as s) into entries, states;
  return jsonb_build_object('entries', entries, 'states', states);
end $$;

revoke execute on function public.keep_provider_transactions(jsonb), public.note_books_fetched(uuid, integer), public.book_entries(),
  public.books_delay(), public.account_lines(date, date), public.check_period(date, date), public.account_items(timestamptz, timestamptz),
  public.account_sales(timestamptz, timestamptz), public.account_refunds(timestamptz, timestamptz),
  public.account_provider(timestamptz, timestamptz) from public, anon, authenticated;
revoke execute on function public.get_account_report(date, date), public.get_account_items(date, date), public.compare_accounts(date, date),
  public.list_account_lines(date, date, text, integer, timestamptz, text) from public, anon;
grant execute on function public.get_account_report(date, date), public.get_account_items(date, date), public.compare_accounts(date, date),
  public.list_account_lines(date, date, text, integer, timestamptz, text) to authenticated;
