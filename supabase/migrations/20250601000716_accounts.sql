-- The accountant's report: what was sold, taken and given back in a period, and line by line whether the payment provider's books say
-- the same. Its books are its balance transactions, which fetch-provider-books keeps here as they are; nothing in the shop reads them.

create table public.provider_transactions (
  id text primary key, -- the provider's
  category text not null, -- the provider's reporting category: charge, refund, dispute, payout, ...
  -- What it is in our books; null for what only the provider does, such as a payout.
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
  kept_at timestamptz not null default now()
);
create index provider_transactions_newest on public.provider_transactions (created_at desc, id);
create index provider_transactions_about on public.provider_transactions (entry, about_id);

-- How far the books have been fetched. One row, as reconciliation has one: a pass goes through what is new, newest first.
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

-- Keeps a page. A transaction never changes but for its status. Returns how many were new.
create function public.keep_provider_transactions(p_rows jsonb) returns integer
language sql volatile set search_path = '' as $$
  with kept as (
    insert into public.provider_transactions as t (id, category, about_id, payment_intent_id, cents, fee_cents, currency, description,
        status, created_at)
      select id, category, about_id, payment_intent_id, cents, fee_cents, currency, left(description, 500), status, created_at
      from jsonb_to_recordset(p_rows) as r (id text, category text, about_id text, payment_intent_id text, cents bigint, fee_cents bigint,
        currency text, description text, status text, created_at timestamptz)
    on conflict (id) do update set status = excluded.status
    returning xmax = 0 as is_new)
  select count(*) filter (where is_new)::integer from kept;
$$;

-- Somebody fetched the books by hand.
create function public.note_books_fetched(p_user_id uuid, p_kept integer) returns void
language sql volatile set search_path = '' as $$
  insert into public.audit_logs (admin_user_id, action_type, table_name, record_id, new_values)
    values (p_user_id, 'UPDATE', 'provider_books', 'true', jsonb_build_object('transactions_kept', p_kept));
$$;

-- ── Line by line ───────────────────────────────────────────────────────────────────────────────────────────────────────

-- Every change of the provider's balance that our books expect. A lost dispute is in the refunds too, but its money left when it was
-- opened. An inquiry takes nothing.
create function public.book_entries() returns table (entry text, about_id text, order_id uuid, cents bigint, currency text,
  entered_at timestamptz, reason text)
language sql stable set search_path = '' as $$
  select 'payment', p.payment_intent_id, p.order_id, (p.amount * 100)::bigint, p.currency, coalesce(p.succeeded_at, p.created_at), null::text
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

-- Our entries against the provider's transactions, each in the period by the provider's time, or by ours where it has none. state:
-- matched, differs, only_ours, only_provider, or waiting for what is newer than the books that were fetched.
create function public.account_lines(p_from date, p_to date) returns table (key text, entry text, about_id text, order_id uuid,
  at timestamptz, state text, our_cents bigint, provider_cents bigint, difference bigint, fee_cents bigint, currency text, reason text,
  description text)
language sql stable set search_path = '' set work_mem = '64MB' as $$
  with theirs as (
    select t.*, row_number() over (partition by t.entry, t.about_id order by t.created_at, t.id) as n
    from public.provider_transactions t where t.entry is not null),
  paired as (
    select coalesce(t.entry, o.entry) as entry, coalesce(t.about_id, o.about_id) as about_id, t.id, o.order_id,
      coalesce(t.created_at, o.entered_at) as at, o.cents as our_cents, t.cents as provider_cents, t.fee_cents,
      coalesce(t.currency, o.currency) as currency, o.currency as our_currency, o.reason, t.description
    from public.book_entries() as o full join theirs t on t.entry = o.entry and t.about_id = o.about_id and t.n = 1)
  select coalesce(l.id, l.entry || ':' || l.about_id), l.entry, l.about_id, l.order_id, l.at,
    case when l.id is null and l.at > coalesce(b.complete_to - public.books_delay(), '-infinity') then 'waiting'
      when l.id is null then 'only_ours' when l.our_cents is null then 'only_provider'
      when l.our_cents = l.provider_cents and l.our_currency = l.currency then 'matched' else 'differs' end,
    l.our_cents, l.provider_cents, coalesce(l.provider_cents, 0) - coalesce(l.our_cents, 0), l.fee_cents, l.currency, l.reason, l.description
  from paired l, public.provider_books b
  where (p_from is null or l.at >= p_from::timestamp at time zone 'America/Chicago')
    and (p_to is null or l.at < (p_to + 1)::timestamp at time zone 'America/Chicago');
$$;

create function public.check_period(p_from date, p_to date) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if p_from > p_to then raise exception 'The period ends before it begins.' using errcode = '22023'; end if;
end $$;

-- A page of lines, the newest first: {rows, total_count, total_is_exact}. p_state: one of them, or 'open' for all that do not match.
create function public.list_account_lines(p_from date default null, p_to date default null, p_state text default null,
  page_size integer default 50, p_after_at timestamptz default null, p_after_key text default null) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
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

-- What was sold in the period, by channel and item, whatever became of it later.
create function public.account_items(p_from timestamptz, p_to timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(to_jsonb(s) order by s.place, s.is_ticket desc, s.cents desc, s.name), '[]') from (
    select o.channel, array_position(array['online', 'door', 'comp'], o.channel) as place, i.ticket_type_id is not null as is_ticket,
      i.name, sum(i.quantity) as units, (sum(i.quantity * i.unit_price) * 100)::bigint as cents,
      (sum(i.discount) * 100)::bigint as discount_cents
    from public.orders o join public.order_items i on i.order_id = o.id
    where o.confirmed_at >= p_from and o.confirmed_at < p_to group by 1, 2, 3, 4) as s;
$$;

-- Online: items, without discounts and with fees, are what buyers paid; extra is what was paid and bought nothing, and went back.
create function public.account_sales(p_from timestamptz, p_to timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'online', (select jsonb_build_object('orders', count(*), 'items_cents', coalesce(sum(total_amount - fee_amount + discount_amount) * 100, 0)::bigint,
        'discount_cents', coalesce(sum(discount_amount) * 100, 0)::bigint, 'fee_cents', coalesce(sum(fee_amount) * 100, 0)::bigint,
        'total_cents', coalesce(sum(total_amount) * 100, 0)::bigint)
      from public.orders where channel = 'online' and confirmed_at >= p_from and confirmed_at < p_to),
    'fees', (select coalesce(jsonb_agg(jsonb_build_object('name', f.name, 'orders', f.orders, 'cents', f.cents) order by f.cents desc), '[]') from (
      select coalesce(fee_name, 'Fee') as name, count(*) as orders, (sum(fee_amount) * 100)::bigint as cents from public.orders
      where fee_amount > 0 and confirmed_at >= p_from and confirmed_at < p_to group by 1) as f),
    'promo_codes', (select coalesce(jsonb_agg(jsonb_build_object('code', c.code, 'orders', c.orders, 'cents', c.cents) order by c.cents desc, c.code), '[]')
      from (select coalesce(promo_code, '?') as code, count(*) as orders, (sum(discount_amount) * 100)::bigint as cents from public.orders
        where discount_amount > 0 and confirmed_at >= p_from and confirmed_at < p_to group by 1) as c),
    'payments', (select jsonb_build_object('count', count(*), 'cents', coalesce(sum(p.amount) * 100, 0)::bigint,
        'extra_count', count(*) filter (where o.payment_intent_id is distinct from p.payment_intent_id),
        'extra_cents', coalesce(sum(p.amount) filter (where o.payment_intent_id is distinct from p.payment_intent_id) * 100, 0)::bigint)
      from public.payments p join public.orders o on o.id = p.order_id where p.status <> 'failed' and p.currency = 'usd'
        and coalesce(p.succeeded_at, p.created_at) >= p_from and coalesce(p.succeeded_at, p.created_at) < p_to),
    'door', (select jsonb_build_object('sales', count(*) filter (where kind = 'sale'), 'voids', count(*) filter (where kind = 'refund'),
        'cash_cents', coalesce(sum(amount) filter (where kind = 'sale' and method = 'cash') * 100, 0)::bigint,
        'card_cents', coalesce(sum(amount) filter (where kind = 'sale' and method = 'card') * 100, 0)::bigint,
        'cash_back_cents', coalesce(sum(amount) filter (where kind = 'refund' and method = 'cash') * 100, 0)::bigint,
        'card_back_cents', coalesce(sum(amount) filter (where kind = 'refund' and method = 'card') * 100, 0)::bigint)
      from public.till_payments where created_at >= p_from and created_at < p_to),
    'comps', (select jsonb_build_object('orders', count(*), 'tickets', coalesce(sum(jsonb_array_length(attendees)), 0))
      from public.orders where channel = 'comp' and confirmed_at >= p_from and confirmed_at < p_to));
$$;

-- What went back in the period, by reason; money that banks took by a dispute stands with the disputes.
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
  select jsonb_build_object(
    'complete_to', b.complete_to, 'is_fetching', b.began_at is not null, 'kept', b.kept,
    'categories', (select coalesce(jsonb_agg(to_jsonb(c) order by c.place nulls last, c.category), '[]') from (
      select category, array_position(array['charge', 'refund', 'refund_failure', 'dispute', 'dispute_reversal', 'fee', 'payout'], category) as place,
        count(*) as count, sum(cents) as cents, sum(fee_cents) as fee_cents
      from public.provider_transactions where currency = 'usd' and created_at >= p_from and created_at < p_to group by 1) as c),
    'net_cents', (select coalesce(sum(cents - fee_cents), 0) from public.provider_transactions
      where currency = 'usd' and created_at >= p_from and created_at < p_to),
    'other_currencies', (select count(*) from public.provider_transactions
      where currency <> 'usd' and created_at >= p_from and created_at < p_to))
  from public.provider_books b;
$$;

-- Without bounds: everything there is. Days are Houston's, both inclusive. comparison: by entry, in dollars, and by state.
create function public.get_account_report(p_from date default null, p_to date default null) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  starts constant timestamptz := coalesce(p_from::timestamp at time zone 'America/Chicago', '-infinity');
  ends constant timestamptz := coalesce((p_to + 1)::timestamp at time zone 'America/Chicago', 'infinity');
  entries jsonb;
  states jsonb;
begin
  perform public.require_finance();
  perform public.check_period(p_from, p_to);
  with lines as materialized (select * from public.account_lines(p_from, p_to))
  select (select coalesce(jsonb_agg(to_jsonb(e) order by e.place), '[]') from (
      select entry, array_position(array['payment', 'refund', 'refund_failed', 'dispute', 'dispute_reversed'], entry) as place,
        count(our_cents) as our_count, coalesce(sum(our_cents), 0) as our_cents, count(provider_cents) as provider_count,
        coalesce(sum(provider_cents), 0) as provider_cents, sum(difference) as difference
      from lines where currency = 'usd' group by 1) as e),
    (select coalesce(jsonb_object_agg(s.state, jsonb_build_object('count', s.count, 'difference', s.difference)), '{}') from (
      select state, count(*) as count, sum(difference) as difference from lines group by 1) as s) into entries, states;
  return public.account_sales(starts, ends) || public.account_refunds(starts, ends) || jsonb_build_object(
    'from', p_from, 'to', p_to, 'items', public.account_items(starts, ends), 'provider', public.account_provider(starts, ends),
    'entries', entries, 'states', states);
end $$;

revoke execute on function public.keep_provider_transactions(jsonb), public.note_books_fetched(uuid, integer), public.book_entries(),
  public.books_delay(), public.account_lines(date, date), public.check_period(date, date), public.account_items(timestamptz, timestamptz),
  public.account_sales(timestamptz, timestamptz), public.account_refunds(timestamptz, timestamptz),
  public.account_provider(timestamptz, timestamptz) from public, anon, authenticated;
revoke execute on function public.get_account_report(date, date),
  public.list_account_lines(date, date, text, integer, timestamptz, text) from public, anon;
grant execute on function public.get_account_report(date, date),
  public.list_account_lines(date, date, text, integer, timestamptz, text) to authenticated;
