-- Sales by day and by hour, for the plots: one answer from sales_hours, whose size depends on the calendar, not on the sales.

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
      select public.festival_day(hour) as day, item_id, channel, sum(sold) as sold, (sum(revenue) * 100)::bigint as cents,
        sum(returned) as returned, (sum(returned_revenue) * 100)::bigint as returned_cents
      from public.sales_hours group by 1, 2, 3) as d),
    'hours', (select coalesce(jsonb_agg(jsonb_build_object('hour', h.hour, 'item_id', h.item_id, 'channel', h.channel, 'sold', h.sold,
        'cents', (h.revenue * 100)::bigint, 'returned', h.returned, 'returned_cents', (h.returned_revenue * 100)::bigint)
        order by h.hour, h.item_id, h.channel), '[]')
      from public.sales_hours h where h.hour >= day_from and h.hour < day_to),
    'day_from', day_from,
    'day_to', day_to,
    'items', (select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'name', i.name, 'is_ticket', i.is_ticket)
        order by i.is_ticket desc, i.price, i.id), '[]') from (
      select id, name, price, true as is_ticket from public.ticket_types
      union all select id, type_name, price, false from public.parking_passes) as i
      where i.id in (select item_id from public.sales_hours)));
end $$;

revoke execute on function public.get_sales_plot(date) from public, anon;
grant execute on function public.get_sales_plot(date) to authenticated;
