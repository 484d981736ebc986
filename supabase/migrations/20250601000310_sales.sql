-- Orders and sales, counted as they change, so that the dashboard's reads do not grow with the sales; and sales by day and by hour for
-- its plots.

-- The festival's calendar day at a moment. One expression without a search path, so that PostgreSQL inlines it: with one, the call
-- for each order took an eighth of a reservation's time.
create function public.festival_day(p_at timestamptz) returns date language sql immutable
return (p_at at time zone 'America/Chicago')::date;

-- Changes to add up instead of totals to update, so that no sale waits for another. roll_up adds them up.
create table public.order_tallies (
  day date not null,
  status text not null,
  orders integer not null,
  -- Orders whose search words roll_up has not written yet: a few seconds' worth, which a search reads directly.
  unworded uuid[]
);

create function public.tally_new_orders() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.order_tallies
    select public.festival_day(created_at), status, count(*), array_agg(id) from added group by 1, 2;
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

-- Exact, because it moves in the transaction that confirms or cancels an order. A row for each channel, so that comps, which
-- earn nothing, are counted apart from what was sold.
create table public.sales_totals (
  product_id uuid not null,
  channel text not null check (channel in ('online', 'door', 'comp')),
  sold bigint not null default 0,
  revenue numeric(14, 2) not null default 0,
  primary key (product_id, channel)
);

-- The same by hour, for the plots: what was sold in the hour, and what was returned in it, whenever it was sold. Together they add
-- up to the total. A transaction writes the hour only while it holds the lock on the total of the item and channel, so that no sale
-- waits for one more row.
create table public.sales_hours (
  hour timestamptz not null,
  product_id uuid not null,
  channel text not null check (channel in ('online', 'door', 'comp')),
  sold bigint not null default 0,
  revenue numeric(14, 2) not null default 0,
  returned bigint not null default 0,
  returned_revenue numeric(14, 2) not null default 0,
  primary key (hour, product_id, channel)
);

-- Money without units is a refund, or one that failed and is revenue again.
create function public.add_sales(p_product_id uuid, p_sold bigint, p_revenue numeric, p_channel text) returns void
language sql volatile set search_path = '' as $$
  insert into public.sales_totals as s (product_id, channel, sold, revenue)
    values (p_product_id, p_channel, p_sold, p_revenue)
  on conflict (product_id, channel) do update set sold = s.sold + excluded.sold, revenue = s.revenue + excluded.revenue;
  insert into public.sales_hours as h (hour, product_id, channel, sold, revenue, returned, returned_revenue)
    select date_trunc('hour', now(), 'UTC'), p_product_id, p_channel, greatest(p_sold, 0),
      case when p_sold > 0 then p_revenue else 0 end, greatest(-p_sold, 0), case when p_sold > 0 then 0 else -p_revenue end
    where (p_sold, p_revenue) <> (0, 0)
  on conflict (hour, product_id, channel) do update set sold = h.sold + excluded.sold, revenue = h.revenue + excluded.revenue,
    returned = h.returned + excluded.returned, returned_revenue = h.returned_revenue + excluded.returned_revenue;
$$;

-- Fees of paid orders, apart from the revenue of what they sold.
create table public.fee_totals (
  only_row boolean primary key default true check (only_row),
  collected numeric(14, 2) not null default 0
);
insert into public.fee_totals default values;

create function public.add_fees(p_amount numeric) returns void
language sql volatile set search_path = '' as $$
  update public.fee_totals set collected = collected + p_amount;
$$;

create function public.total_order_sales() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  sign integer := case when new.status in ('confirmed', 'completed') then 1 else -1 end;
begin
  -- Rows in the same order everywhere, so that two confirmations cannot deadlock. Partial refunds were subtracted when they
  -- happened.
  perform public.add_sales(product_id, (sign * units)::bigint, sign * revenue, new.channel) from (
    select i.product_id, sum(i.quantity - i.refunded) as units, sum(public.line_left(i)) as revenue
    from public.order_items i where i.order_id = new.id group by 1 order by 1
  ) as lines;
  if new.fee_amount > 0 and (sign = 1 or new.fee_is_refunded) then
    perform public.add_fees(sign * (new.fee_amount - new.fee_refunded));
  end if;
  return null;
end $$;
create trigger orders_sales_totals after update of status on public.orders
  for each row when ((old.status in ('confirmed', 'completed')) <> (new.status in ('confirmed', 'completed')))
  execute function public.total_order_sales();

alter table public.order_tallies enable row level security;
alter table public.sales_totals enable row level security;
alter table public.sales_hours enable row level security;
alter table public.fee_totals enable row level security;
revoke all on public.order_tallies, public.sales_totals, public.sales_hours, public.fee_totals from anon, authenticated;
grant select on public.order_tallies, public.sales_totals, public.sales_hours, public.fee_totals to authenticated;
create policy "Admins and finance read the fees" on public.fee_totals
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Admins and finance read the order tallies" on public.order_tallies
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Admins and finance read the sales totals" on public.sales_totals
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Admins and finance read the sales by hour" on public.sales_hours
  for select to authenticated using ((select public.has_role('admin', 'finance')));

revoke execute on function public.add_sales(uuid, bigint, numeric, text), public.add_fees(numeric)
  from public, anon, authenticated;
grant execute on function public.festival_day(timestamptz) to anon, authenticated;

-- {today, day, days, hours, items}. days: every day with sales, by item and channel; hours: those of one day, p_day or the last
-- with sales. Days and hours are Houston's; an hour that the clock repeats counts as two. Returns count at the time of the return,
-- whenever the item was sold. Fees are not revenue.
create function public.get_sales_plot(p_day date default null) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  chosen constant date := coalesce(p_day, (select public.festival_day(max(hour)) from public.sales_hours), public.festival_day(now()));
  day_from constant timestamptz := chosen::timestamp at time zone 'America/Chicago';
  day_to constant timestamptz := (chosen + 1)::timestamp at time zone 'America/Chicago';
begin
  perform public.require_finance();
  return jsonb_build_object(
    'today', public.festival_day(now()),
    'day', chosen,
    'days', (select coalesce(jsonb_agg(to_jsonb(d) order by d.day, d.item_id, d.channel), '[]') from (
      select public.festival_day(hour) as day, product_id as item_id, channel, sum(sold) as sold, (sum(revenue) * 100)::bigint as cents,
        sum(returned) as returned, (sum(returned_revenue) * 100)::bigint as returned_cents
      from public.sales_hours group by 1, 2, 3) as d),
    'hours', (select coalesce(jsonb_agg(jsonb_build_object('hour', h.hour, 'item_id', h.product_id, 'channel', h.channel, 'sold', h.sold,
        'cents', (h.revenue * 100)::bigint, 'returned', h.returned, 'returned_cents', (h.returned_revenue * 100)::bigint)
        order by h.hour, h.product_id, h.channel), '[]')
      from public.sales_hours h where h.hour >= day_from and h.hour < day_to),
    'day_from', day_from,
    'day_to', day_to,
    'items', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name, 'is_ticket', k.needs_attendee)
        order by k.position, p.price, p.id), '[]')
      from public.products p join public.product_kinds k using (kind) where p.id in (select product_id from public.sales_hours)));
end $$;

revoke execute on function public.get_sales_plot(date) from public, anon;
grant execute on function public.get_sales_plot(date) to authenticated;
