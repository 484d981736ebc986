-- The people behind the tickets: a list of every ticket with the person it admits, searched, filtered and paged. It follows the
-- orders' own index of the newest, so that issuing a ticket does not have to update another index: the tickets of one order are
-- listed together, and the rows of one moment are sorted when they are read.

-- Door sales and comps are few compared with online orders, for which this index costs nothing.
create index orders_direct on public.orders (created_at desc, id) where channel <> 'online';
-- Refunded tickets are few too, and a ticket is not void when it is issued.
create index entry_codes_void on public.entry_codes (order_id) where voided_at is not null;
-- Before the gate opens, few tickets are in; none is when it is issued.
create index entry_codes_in on public.entry_codes (order_id) where checked_in_at is not null;
create index ticket_transfers_accepted on public.ticket_transfers (ticket_id) where state = 'accepted';

-- Tickets matching a search, newest order first. p_state: absent (not let in yet), in, void, transferred (valid, and accepted by
-- another holder), or null for all of them.
create function public.find_attendees(p_search text, p_type uuid, p_channel text, p_state text, p_size integer, p_skipped integer default 0,
  p_after_at timestamptz default null, p_after_id uuid default null) returns table (ticket_id uuid, order_id uuid, ordered_at timestamptz)
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  search constant text := nullif(btrim(p_search), '');
  asked constant tsquery := public.words_asked(search);
  digits constant text := lower(regexp_replace(search, '[#[:space:]-]', '', 'g'));
  is_number constant boolean := coalesce(digits ~ '^[0-9a-f]{4,32}$', false);
  -- Null: no search, or one that matches more orders than are counted. Matches are frequent then.
  hits constant uuid[] := public.orders_matching(search);
  -- As a list, not a condition on each ticket: that would be evaluated in the order of the orders, for all of them.
  transferred constant uuid[] := case p_state when 'transferred' then
    array(select x.ticket_id from public.ticket_transfers x where x.state = 'accepted') end;
begin
  return query select t.id, o.id, o.created_at
    from public.orders o join public.tickets t on t.order_id = o.id
    where (hits is null or o.id = any (hits))
      -- Before the words of each ticket, which take long to read from its names.
      and (search is null or hits is not null or is_number or (select w.words @@ asked from public.order_words w where w.order_id = o.id))
      and (p_channel is null or o.channel = p_channel)
      and (p_type is null or t.ticket_type_id = p_type)
      and (p_state is null or (p_state = 'void' and t.voided_at is not null)
        or (p_state = 'in' and t.voided_at is null and t.checked_in_at is not null)
        or (p_state = 'absent' and t.voided_at is null and t.checked_in_at is null)
        or (p_state = 'transferred' and t.voided_at is null
          and t.id = any (transferred)))
      -- An order matches by any of its words; a ticket by its own person, its order's buyer, or a number.
      and (search is null or coalesce(public.search_words(concat_ws(' ', t.attendee_name, o.buyer_full_name),
          concat_ws(' ', t.attendee_email, o.buyer_email), o.buyer_phone_number, null) @@ asked, false)
        or (is_number and (replace(t.id::text, '-', '') like digits || '%' or left(t.id::text, 8) like '%' || digits
          or replace(o.id::text, '-', '') like digits || '%' or left(o.id::text, 8) like '%' || digits)))
      and (p_after_id is null or (o.created_at <= p_after_at and (o.created_at < p_after_at or t.id > p_after_id)))
    order by o.created_at desc, t.id limit p_size offset p_skipped;
end $$;

create function public.list_attendees(p_search text default null, p_type uuid default null, p_channel text default null,
  p_state text default null, page_size integer default 25, p_after_at timestamptz default null, p_after_id uuid default null,
  page_offset integer default 0) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  size constant integer := least(greatest(page_size, 1), 500);
  skipped constant integer := greatest(page_offset, 0);
  -- More orders match than are counted: without another filter, so do tickets, and reading ten thousand names again to find that
  -- out took five seconds at 200,000 tickets.
  is_broad constant boolean := nullif(btrim(p_search), '') is not null and num_nonnulls(p_type, p_channel, p_state) = 0
    and public.orders_matching(p_search) is null;
  listed jsonb;
  found bigint;
  -- How many of those counted are void; null where counting them could read every order, or where the state is chosen.
  voided bigint;
begin
  perform public.require_admin();
  select jsonb_agg(to_jsonb(page) order by page.ordered_at desc, page.id) into listed from (
    select t.id, t.order_id, f.ordered_at, t.attendee_name as name, t.attendee_email as email, y.name as type, o.channel,
      o.buyer_full_name as buyer, t.checked_in_at, t.voided_at,
      case when t.voided_at is not null then 'void' when t.checked_in_at is not null then 'in' else 'absent' end as state
    from public.find_attendees(p_search, p_type, p_channel, p_state, size, skipped, p_after_at, p_after_id) as f
    join public.tickets t on t.id = f.ticket_id join public.orders o on o.id = f.order_id
    join public.products y on y.id = t.ticket_type_id) as page;
  found := coalesce(jsonb_array_length(listed), 0);
  -- The long pages of an export need no count after the first.
  if is_broad then
    found := public.most_counted() + 1;
  elsif (p_after_id is null and (found >= size or skipped > 0)) or (p_after_id is not null and size <= 100) then
    select count(*) into found from public.find_attendees(p_search, p_type, p_channel, p_state, public.most_counted() + 1);
  end if;
  if p_state is null and size <= 100 then
    if nullif(btrim(p_search), '') is null then
      select count(*) into voided from (select from public.tickets t join public.orders o on o.id = t.order_id
        where t.voided_at is not null and (p_type is null or t.ticket_type_id = p_type) and (p_channel is null or o.channel = p_channel)
        limit public.most_counted() + 1) as counted;
    elsif public.orders_matching(p_search) is not null then
      select count(*) into voided from public.find_attendees(p_search, p_type, p_channel, 'void', public.most_counted() + 1);
    end if;
  end if;
  return public.list_answer(listed, found) || jsonb_build_object('void_count', voided);
end $$;

revoke execute on function public.find_attendees(text, uuid, text, text, integer, integer, timestamptz, uuid)
  from public, anon, authenticated;
revoke execute on function public.list_attendees(text, uuid, text, text, integer, timestamptz, uuid, integer) from public, anon;
grant execute on function public.list_attendees(text, uuid, text, text, integer, timestamptz, uuid, integer) to authenticated;
