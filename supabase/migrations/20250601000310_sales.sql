-- What was sold and returned, read from the orders, so that no sale pays for it. Decision 062 has what the sums take.

-- The festival's calendar day at a moment. One expression without a search path, so that PostgreSQL inlines it: with one, the call
-- for each order took an eighth of a reservation's time.
create function public.festival_day(p_at timestamptz) returns date language sql immutable
return (p_at at time zone 'America/Chicago')::date;

-- What each return took off an order item, and when. The item has only the sum.
create table public.order_returns (
  order_item_id uuid not null references public.order_items (id) on delete cascade,
  returned_at timestamptz not null default now(),
  units integer not null,
  amount numeric(10, 2) not null -- negative when a refund of money alone failed: it is revenue again
);
create index order_returns_of_item on public.order_returns (order_item_id);
alter table public.order_returns enable row level security;
revoke all on public.order_returns from anon, authenticated;
create policy "Nobody but the service reads returns" on public.order_returns
  for all to anon, authenticated using (false) with check (false);

-- What is sold and not returned, by channel: comps, which earn nothing, are counted apart. Fees are not revenue.
-- A function, as the next, since a write to a view with sums would be a fault of the server (500): PostgreSQL refuses it before it looks
-- at rights. Both merge two indexes that have the same order, where the planner would build a hash of all orders, and multiply sums by
-- a price instead of each line: they take 0.6 of the processor time at 100,000 orders.
create function public.sales_totals() returns table (product_id uuid, channel text, sold bigint, revenue numeric)
language sql stable set search_path = '' set enable_hashjoin = off as $$
  select product_id, channel, sum(sold)::bigint as sold, sum(quantity * unit_price - coalesce(off, 0)) as revenue
  from (
    select i.product_id, o.channel, i.unit_price, sum(i.quantity) as quantity, sum(i.quantity - i.refunded) as sold,
      sum(i.discount + i.refunded_amount) filter (where i.discount > 0 or i.refunded_amount > 0) as off
    from public.orders o join public.order_items i on i.order_id = o.id where o.confirmed_at is not null group by 1, 2, 3
  ) as each group by 1, 2;
$$;

-- What was sold in each hour, and what was returned in it, whenever it was sold. Over all hours, their difference is the total.
create function public.sales_hours() returns table (hour timestamptz, product_id uuid, channel text, sold numeric, revenue numeric,
  returned numeric, returned_revenue numeric)
language sql stable set search_path = '' set enable_hashjoin = off as $$
  select hour, product_id, channel, sum(sold) as sold, sum(sold * unit_price - coalesce(off, 0)) as revenue, sum(returned) as returned,
    sum(returned_revenue) as returned_revenue
  from (
    select date_bin('1 hour', o.confirmed_at, '2000-01-01Z') as hour, i.product_id, o.channel, i.unit_price, sum(i.quantity) as sold,
      sum(i.discount) filter (where i.discount > 0) as off, 0 as returned, 0 as returned_revenue
    from public.orders o join public.order_items i on i.order_id = o.id where o.confirmed_at is not null group by 1, 2, 3, 4
    union all
    select date_bin('1 hour', r.returned_at, '2000-01-01Z'), i.product_id, o.channel, 0, 0, 0, sum(r.units), sum(r.amount)
    from public.order_returns r join public.order_items i on i.id = r.order_item_id join public.orders o on o.id = i.order_id
    group by 1, 2, 3
  ) as each group by 1, 2, 3;
$$;
revoke execute on function public.sales_totals(), public.sales_hours() from public, anon, authenticated;

grant execute on function public.festival_day(timestamptz) to anon, authenticated;

-- {today, day, days, hours, items}. days: every day with sales, by item and channel; hours: those of one day, p_day or the last
-- with sales. Days and hours are Houston's; an hour that the clock repeats counts as two.
create function public.get_sales_plot(p_day date default null) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_finance();
  return (with sales as materialized (
    select h.*, public.festival_day(hour) as day, (revenue * 100)::bigint as cents, (returned_revenue * 100)::bigint as returned_cents
    from public.sales_hours() h
  ), chosen as (
    select coalesce(p_day, (select max(day) from sales), public.festival_day(now())) as day
  )
  select jsonb_build_object(
    'today', public.festival_day(now()),
    'day', chosen.day,
    'days', (select coalesce(jsonb_agg(to_jsonb(d) order by d.day, d.item_id, d.channel), '[]') from (
      select day, product_id as item_id, channel, sum(sold) as sold, sum(cents) as cents, sum(returned) as returned,
        sum(returned_cents) as returned_cents
      from sales group by 1, 2, 3) as d),
    'hours', (select coalesce(jsonb_agg(jsonb_build_object('hour', hour, 'item_id', product_id, 'channel', channel, 'sold', sold,
        'cents', cents, 'returned', returned, 'returned_cents', returned_cents) order by hour, product_id, channel), '[]')
      from sales where day = chosen.day),
    'day_from', chosen.day::timestamp at time zone 'America/Chicago',
    'day_to', (chosen.day + 1)::timestamp at time zone 'America/Chicago',
    'items', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name, 'is_ticket', k.needs_attendee)
        order by k.position, p.price, p.id), '[]')
      from public.products p join public.product_kinds k using (kind) where p.id in (select product_id from sales)))
  from chosen);
end $$;

revoke execute on function public.get_sales_plot(date) from public, anon;
grant execute on function public.get_sales_plot(date) to authenticated;
