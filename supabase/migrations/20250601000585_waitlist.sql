-- The waitlist of a sold-out ticket type. Stock that comes back is offered to the people who wait, in order of arrival, as a place:
-- units held for them for a time. No other order online can take units that people wait for (units_for), so nobody jumps the
-- line; the door and comps still may (decision 060).

create table public.waitlist_entries (
  id uuid primary key default gen_random_uuid(),
  number bigint not null generated always as identity, -- the order of the line
  ticket_type_id uuid not null references public.products (id), -- or the parking that is held with a place of VIP (hold_place)
  user_id uuid not null references auth.users (id) on delete cascade,
  quantity integer not null check (quantity between 1 and 10), -- still wanted
  -- waiting, offered a place, claimed by an order that is not paid, bought, expired without an order, left by its owner.
  state text not null default 'waiting' check (state in ('waiting', 'offered', 'claimed', 'bought', 'expired', 'left')),
  offered integer not null default 0, -- units of the place; may be fewer than wanted
  offer_expires_at timestamptz,
  order_id uuid, -- the order that claimed the place. No foreign key, as for promo codes
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint waitlist_entries_offered check (offered between 0 and quantity and (state in ('offered', 'claimed')) = (offered > 0))
);
create unique index waitlist_entries_one_each on public.waitlist_entries (user_id, ticket_type_id)
  where state in ('waiting', 'offered', 'claimed');
create index waitlist_entries_line on public.waitlist_entries (ticket_type_id, number) where state = 'waiting';
create index waitlist_entries_offers on public.waitlist_entries (offer_expires_at) where state = 'offered';
create index waitlist_entries_of_order on public.waitlist_entries (order_id) where order_id is not null;
create index waitlist_entries_newest on public.waitlist_entries (created_at desc, id);
create trigger waitlist_entries_touch before update on public.waitlist_entries
  for each row execute function public.touch_updated_at();

-- Keeps an entry's units on the row of its ticket type through every change: waited for, or held as a place.
create function public.move_place_units() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  waits integer := case new.state when 'waiting' then new.quantity else 0 end;
  holds integer := case new.state when 'offered' then new.offered else 0 end;
begin
  if tg_op = 'UPDATE' then
    waits := waits - case old.state when 'waiting' then old.quantity else 0 end;
    holds := holds - case old.state when 'offered' then old.offered else 0 end;
  end if;
  if waits <> 0 or holds <> 0 then
    update public.products set waiting = waiting + waits, offered = offered + holds, held = held + holds,
      current_inventory = current_inventory - holds where id = new.ticket_type_id;
  end if;
  return null;
end $$;
create trigger waitlist_entries_units after insert or update on public.waitlist_entries
  for each row execute function public.move_place_units();

-- A deleted account takes its entries with it, of several ticket types: their rows are locked in the order of all stock.
create function public.return_place_units() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform public.lock_stock(array_agg(ticket_type_id)) from gone where state in ('waiting', 'offered');
  update public.products t set waiting = waiting - g.waits, offered = offered - g.holds, held = held - g.holds,
      current_inventory = current_inventory + g.holds
    from (select ticket_type_id, coalesce(sum(quantity) filter (where state = 'waiting'), 0) as waits,
        coalesce(sum(offered) filter (where state = 'offered'), 0) as holds
      from gone where state in ('waiting', 'offered') group by 1) as g
    where t.id = g.ticket_type_id;
  return null;
end $$;
create trigger waitlist_entries_units_returned after delete on public.waitlist_entries referencing old table as gone
  for each statement execute function public.return_place_units();

alter table public.waitlist_entries enable row level security;
revoke all on public.waitlist_entries from anon, authenticated;
grant select on public.waitlist_entries to authenticated;
create policy "Users read their own places" on public.waitlist_entries
  for select to authenticated using (user_id = (select auth.uid()));
create policy "Admins read the waitlist" on public.waitlist_entries
  for select to authenticated using ((select public.is_admin()));

-- ── In the sale ───────────────────────────────────────────────────────────────────────────────────────────────────────

-- How many units of a product a buyer may take online: those that nobody waits for, those of the orders that they replace, and those
-- offered to them. Stock is locked by now, so this does not wait for a place that is being changed at this moment (the lock order in
-- 400_holds).
create function public.units_for(product public.shelf_item, free integer, p_user uuid, p_replaced uuid[]) returns integer
language plpgsql set search_path = '' as $$
declare
  units integer := greatest(free, 0);
begin
  if p_replaced is not null then
    units := units + (select coalesce(sum(quantity), 0) from public.order_items
      where order_id = any (p_replaced) and product_id = product.id);
  end if;
  if product.has_offers then
    units := units + coalesce((select offered from public.waitlist_entries
      where ticket_type_id = product.id and user_id = p_user and state = 'offered' and offer_expires_at > now() for update skip locked), 0);
  end if;
  return units;
end $$;

-- An order uses its buyer's places: their units are free for it to take. Unused units of a place are released.
create function public.claim_places(p_order_id uuid) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  update public.waitlist_entries e
    set state = 'claimed', quantity = e.quantity - e.offered + own.units, offered = own.units, order_id = p_order_id
    from (select w.id, least(w.offered, i.units) as units
      from (select product_id, sum(quantity)::integer as units from public.order_items
        where order_id = p_order_id group by 1) as i
      join public.waitlist_entries w on w.ticket_type_id = i.product_id
      where w.user_id = (select user_id from public.orders where id = p_order_id) and w.state = 'offered' and w.offer_expires_at > now()
      for update of w skip locked) as own
    where e.id = own.id;
  if found then update public.orders set has_place = true where id = p_order_id and not has_place; end if;
end $$;

-- Orders that used places ended unpaid: a place whose time is not over is held for its owner again, unless the festival is cancelled.
-- Called after their stock returned.
create function public.restore_places(p_order_ids uuid[]) returns void
language sql volatile set search_path = '' set enable_seqscan = off as $$
  update public.waitlist_entries e
    set state = case when is_held then 'offered' else 'expired' end, offered = case when is_held then e.offered else 0 end, order_id = null
    from (select w.id, w.offer_expires_at > now() and f.status <> 'cancelled' as is_held
      from public.waitlist_entries w cross join public.festival f where w.order_id = any (p_order_ids) and w.state = 'claimed') as own
    where e.id = own.id;
$$;

-- The order is confirmed. A person who was offered fewer units than they wanted keeps their position and waits for the rest.
create function public.use_places(p_order_id uuid) returns void
language sql volatile set search_path = '' set enable_seqscan = off as $$
  update public.waitlist_entries
    set state = case when quantity > offered then 'waiting' else 'bought' end,
      quantity = case when quantity > offered then quantity - offered else quantity end, offered = 0
    where order_id = p_order_id and state = 'claimed';
$$;

-- ── The line moves ────────────────────────────────────────────────────────────────────────────────────────────────────

-- Offers what there is, up to the wish, and mails it. Returns the units. VIP cannot be bought without its parking, so one unit of it is
-- held with the place, as a place of its own that ends at the same time: one for each person, as for each order. The caller has locked
-- the stock, the entry and its account's row.
create function public.hold_place(p_entry public.waitlist_entries) returns integer
language plpgsql set search_path = '' as $$
declare
  expires constant timestamptz := now() + (select waitlist_offer_duration from public.shop_settings);
  units integer;
begin
  update public.waitlist_entries set state = 'offered', offer_expires_at = expires, offered = least(quantity,
      (select current_inventory from public.products where id = p_entry.ticket_type_id))
    where id = p_entry.id returning offered into units;
  insert into public.waitlist_entries (ticket_type_id, user_id, quantity, state, offered, offer_expires_at)
    select g.id, p_entry.user_id, 1, 'offered', 1, expires
      from public.products t, public.products g, public.shop_settings s
      where t.id = p_entry.ticket_type_id and t.is_vip and g.is_general and s.vip_includes_parking
    on conflict do nothing;
  insert into public.outbox (kind, payload, dedupe_key)
    values ('waitlist_mail', jsonb_build_object('entry_id', p_entry.id, 'offer_expires_at', expires),
      format('waitlist_mail:%s:%s', p_entry.id, expires))
    on conflict (dedupe_key) do nothing;
  return units;
end $$;

-- Why a place of this ticket type could not be bought, or null.
create function public.place_refusal(p_ticket_type_id uuid) returns text
language sql stable set search_path = '' as $$
  select case
    when public.sale_state(shop.on_sale, shop.sale_opens_at, shop.sale_closes_at) <> 'open'
      then 'Sales are not open, so this place could not be used.'
    when t.is_hidden or public.sale_state(t.on_sale, t.sale_opens_at, t.sale_closes_at) <> 'open'
      then format('%s is not on sale, so this place could not be used.', t.name)
    when t.current_inventory = 0 then 'No tickets are available to offer. Add some under Inventory, or wait until some free up.'
    when t.is_vip and shop.vip_includes_parking and exists (select from public.products where is_general and current_inventory = 0)
      then format('No parking is left for %s, so this place could not be used. Add some under Inventory, or wait until some frees up.', t.name) end
    from public.products t cross join public.shop_settings shop where t.id = p_ticket_type_id
$$;

-- Locks all stock that places of these ticket types need: VIP also that of its parking.
create function public.lock_place_stock(p_ticket_types uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  perform public.lock_stock(p_ticket_types || array(
    select p.id from public.products p, public.shop_settings s where p.is_general and s.vip_includes_parking
      and exists (select from public.products where id = any (p_ticket_types) and is_vip)));
end $$;

-- Offers what there is of one ticket type, whose stock is locked, in the line's order, to at most p_limit people. Returns how many.
-- Skips an entry that its owner is leaving at this moment: that transaction has locked the entry, or the account's row, and waits for
-- the stock. A definer, because the service has no right to lock accounts.
create function public.offer_type(p_ticket_type_id uuid, p_limit integer) returns integer
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  line public.waitlist_entries[];
  entry public.waitlist_entries;
  offers integer := 0;
begin
  line := array(select w from public.waitlist_entries w join auth.users u on u.id = w.user_id
    where ticket_type_id = p_ticket_type_id and state = 'waiting'
    order by number limit p_limit for update of w skip locked for key share of u skip locked);
  foreach entry in array line loop
    exit when public.place_refusal(p_ticket_type_id) is not null;
    perform public.hold_place(entry);
    offers := offers + 1;
  end loop;
  return offers;
end $$;

-- Ends expired places and offers the stock that came back, as far as it could be bought.
create function public.offer_places(p_limit integer default 100) returns integer
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  cancelled boolean;
  over uuid[];
  types uuid[];
  type uuid;
  offers integer := 0;
begin
  if not exists (select from public.products where waiting + offered > 0) then return 0; end if;
  cancelled := public.is_cancelled();
  over := array(select id from public.waitlist_entries where state = 'offered' and offer_expires_at <= now()
    order by offer_expires_at limit p_limit for update skip locked);
  -- Lock all stock that may move in one statement: one type after the other would break the lock order.
  -- VIP may get the parking of a place that ends below.
  types := array(select id from public.products where waiting > 0 and not cancelled
      and (public.place_refusal(id) is null or (is_vip and current_inventory > 0))
    union select ticket_type_id from public.waitlist_entries where id = any (over));
  perform public.lock_place_stock(types);
  update public.waitlist_entries set state = 'expired', offered = 0 where id = any (over);
  if cancelled then return 0; end if;
  for type in
    select t.id from public.products t where id = any (types) and waiting > 0 and public.place_refusal(id) is null
      order by (select min(number) from public.waitlist_entries where ticket_type_id = t.id and state = 'waiting')
  loop
    offers := offers + public.offer_type(type, p_limit);
  end loop;
  return offers;
end $$;

-- For the mail: the offer and its recipient. Null once it is no longer offered.
create function public.read_offer(p_entry_id uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('email', u.email, 'name', t.name, 'offered', w.offered, 'quantity', w.quantity,
      'offer_expires_at', w.offer_expires_at)
    from public.waitlist_entries w join public.products t on t.id = w.ticket_type_id join auth.users u on u.id = w.user_id
    where w.id = p_entry_id and w.state = 'offered' and w.offer_expires_at > now() and u.email is not null;
$$;

-- ── The people who wait ───────────────────────────────────────────────────────────────────────────────────────────────

-- What people wait for is withheld from everybody else without a payment, so one network may join only so often. A join that is refused
-- counts for nothing.
create function public.join_waitlist(p_ticket_type_id uuid, p_quantity integer) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  most_joins constant integer := 50; -- of a network, in 24 hours
  network constant text := public.request_network();
  t public.ticket_types;
  shop public.shop_settings;
  made uuid;
begin
  perform public.require_live_session();
  if auth.uid() is null then raise exception 'Please sign in first.' using errcode = '42501'; end if;
  perform public.refuse_if_cancelled();
  select * into shop from public.shop_settings;
  select * into t from public.ticket_types where id = p_ticket_type_id and not is_hidden;
  if not found then raise exception 'This ticket type is not for sale.' using errcode = 'PT404'; end if;
  if 'ended' in (public.sale_state(shop.on_sale, shop.sale_opens_at, shop.sale_closes_at),
      public.sale_state(t.on_sale, t.sale_opens_at, t.sale_closes_at)) then
    raise exception 'The sale of % has ended.', t.name using errcode = '23514';
  elsif p_quantity is null or p_quantity not between 1 and least(10, shop.max_tickets_per_buyer) then
    raise exception 'You can join the waitlist for 1 to % tickets.', least(10, shop.max_tickets_per_buyer) using errcode = '23514';
  elsif t.current_inventory > t.waiting then
    raise exception 'Tickets are available. You can buy them now.' using errcode = '23514';
  elsif network is not null and not public.consume_rate_limit('waitlist:' || network, most_joins, 86400) then
    raise exception 'Too many people joined a waitlist from your network today. Please try again tomorrow.' using errcode = 'PT429';
  end if;
  insert into public.waitlist_entries (ticket_type_id, user_id, quantity) values (t.id, auth.uid(), p_quantity)
    on conflict do nothing returning id into made;
  if made is null then raise exception 'You are already on this waitlist.' using errcode = 'PT409'; end if;
  return made;
end $$;

create function public.leave_waitlist(p_entry_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  entry public.waitlist_entries;
begin
  perform public.require_live_session();
  perform from public.waitlist_entries where user_id = auth.uid() and state in ('waiting', 'offered') order by id for update;
  select * into entry from public.waitlist_entries where id = p_entry_id and user_id = auth.uid();
  if not found then raise exception 'You are not on this waitlist.' using errcode = 'PT404'; end if;
  if entry.state = 'claimed' then
    raise exception 'Your waitlist tickets are in an unpaid order.' using errcode = '23514';
  elsif entry.state in ('waiting', 'offered') then
    perform public.lock_stock(array(
      select ticket_type_id from public.waitlist_entries where user_id = entry.user_id and state in ('waiting', 'offered')));
    -- The parking goes with the last place of VIP.
    update public.waitlist_entries set state = 'left', offered = 0 where id = entry.id
      or (user_id = entry.user_id and state = 'offered' and ticket_type_id in (select id from public.products where is_general)
        and not exists (select from public.waitlist_entries w join public.products t on t.id = w.ticket_type_id
          where w.user_id = entry.user_id and w.id <> entry.id and w.state in ('offered', 'claimed') and t.is_vip));
  end if;
end $$;

-- The caller's places, with how many people are ahead of them, and those that expired in the last three days.
create function public.my_waitlist() returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', w.id, 'ticket_type_id', w.ticket_type_id, 'name', t.name, 'quantity', w.quantity,
      'state', w.state, 'offered', w.offered, 'offer_expires_at', w.offer_expires_at,
      'ahead', case w.state when 'waiting' then (select count(*) from public.waitlist_entries b
        where b.ticket_type_id = w.ticket_type_id and b.state = 'waiting' and b.number < w.number) else 0 end) order by w.number), '[]')
    from public.waitlist_entries w join public.products t on t.id = w.ticket_type_id
    where w.user_id = auth.uid() and (select public.took_own_step()) and (w.state in ('waiting', 'offered', 'claimed')
      or (w.state = 'expired' and w.updated_at > now() - interval '3 days' and not exists (select from public.waitlist_entries n
        where n.user_id = w.user_id and n.ticket_type_id = w.ticket_type_id and n.number > w.number)));
$$;

-- ── The back office ───────────────────────────────────────────────────────────────────────────────────────────────────

-- Entries with their address and position, newest first, and the state of each ticket type's line.
create function public.list_waitlist(p_search text default null, p_state text default null, page_size integer default 25,
  p_after_at timestamptz default null, p_after_id uuid default null, page_offset integer default 0) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := public.search_pattern(p_search);
  size constant integer := least(greatest(page_size, 1), 500);
  skipped constant integer := greatest(page_offset, 0);
  listed jsonb;
  found bigint;
begin
  perform public.require_admin();
  select jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id) into listed from (
    select w.id, u.email, t.name as ticket_type, w.quantity, w.state, w.offered, w.offer_expires_at, w.order_id, w.created_at,
      case w.state when 'waiting' then (select count(*) + 1 from public.waitlist_entries b
        where b.ticket_type_id = w.ticket_type_id and b.state = 'waiting' and b.number < w.number) end as position
    from public.waitlist_entries w join public.products t on t.id = w.ticket_type_id join auth.users u on u.id = w.user_id
    where (pattern is null or u.email ilike pattern or t.name ilike pattern) and (p_state is null or w.state = p_state)
      and (p_after_id is null or (w.created_at <= p_after_at and (w.created_at < p_after_at or w.id > p_after_id)))
    order by w.created_at desc, w.id limit size offset skipped) as page;
  select count(*) into found from (
    select from public.waitlist_entries w join public.products t on t.id = w.ticket_type_id join auth.users u on u.id = w.user_id
    where (pattern is null or u.email ilike pattern or t.name ilike pattern) and (p_state is null or w.state = p_state)
    limit public.most_counted() + 1) as counted;
  return public.list_answer(listed, found) || jsonb_build_object('lines', (
    select coalesce(jsonb_agg(jsonb_build_object('name', t.name, 'people', l.people, 'waiting', t.waiting, 'offered', t.offered,
        'available', t.current_inventory) order by t.price, t.id), '[]')
      from public.products t cross join lateral (select count(*) as people from public.waitlist_entries w
        where w.ticket_type_id = t.id and w.state = 'waiting') as l
      where l.people > 0 or t.offered > 0));
end $$;

-- Offers one person a place out of turn, from available stock that could be bought.
create function public.offer_place(p_entry_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  entry public.waitlist_entries;
  refusal text;
  units integer;
begin
  perform public.require_admin();
  perform public.refuse_if_cancelled();
  -- The stock first: with the entry held, offer_type would pass this person over and offer their ticket to the next in line.
  perform public.lock_place_stock(array(select ticket_type_id from public.waitlist_entries where id = p_entry_id));
  select w.* into entry from public.waitlist_entries w join auth.users u on u.id = w.user_id
    where w.id = p_entry_id and state = 'waiting' for update of w skip locked for key share of u skip locked;
  if not found then raise exception 'This person is no longer on the waitlist.' using errcode = 'PT409'; end if;
  refusal := public.place_refusal(entry.ticket_type_id);
  if refusal is not null then raise exception '%', refusal using errcode = '23514'; end if;
  units := public.hold_place(entry);
  perform public.write_audit('UPDATE', 'waitlist_entries', entry.id::text, '{"state": "waiting"}',
    jsonb_build_object('state', 'offered', 'offered', units, 'out_of_turn', true));
end $$;

revoke execute on function public.move_place_units(), public.return_place_units(), public.units_for(public.shelf_item, integer, uuid, uuid[]),
  public.claim_places(uuid), public.restore_places(uuid[]),
  public.use_places(uuid), public.read_offer(uuid), public.hold_place(public.waitlist_entries), public.place_refusal(uuid), public.lock_place_stock(uuid[]), public.offer_type(uuid, integer), public.offer_places(integer)
  from public, anon, authenticated;
revoke execute on function public.join_waitlist(uuid, integer), public.leave_waitlist(uuid), public.my_waitlist(),
  public.list_waitlist(text, text, integer, timestamptz, uuid, integer), public.offer_place(uuid) from public, anon;
grant execute on function public.join_waitlist(uuid, integer), public.leave_waitlist(uuid), public.my_waitlist(),
  public.list_waitlist(text, text, integer, timestamptz, uuid, integer), public.offer_place(uuid) to authenticated;
