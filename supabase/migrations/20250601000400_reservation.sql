-- Taking and giving back stock. Lock order everywhere, so that nothing can deadlock: buyers (advisory), orders by id,
-- sales totals by id, ticket types by id, parking passes by id.
--
-- A sale may begin on tables that were analysed while they were empty, and its functions keep the plans made then until they
-- are analysed again: so they are told to find rows by their indexes all the same (enable_seqscan = off), here and in the
-- migrations that follow. A predicate outside a subquery is pushed into it unless a fence (offset 0) stops that; without
-- one, the planner walks the index of all pending orders to find the few of one buyer.

-- Locks the stock rows that these orders touch, in the one order that everybody uses.
create function public.lock_stock(p_ticket_types uuid[], p_parking_passes uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  perform from public.ticket_types where id = any (p_ticket_types) order by id for no key update;
  perform from public.parking_passes where id = any (p_parking_passes) order by id for no key update;
end $$;

-- Cancels those of the orders that are still pending, gives their stock back once, and has the provider's intent cancelled.
create function public.cancel_pending_orders(p_order_ids uuid[], p_reason text) returns integer
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  pending uuid[];
begin
  -- The status is looked at outside the fence: inside, it tempts the planner to walk the index of all pending orders.
  select array_agg(id) into pending from (
    select id, status from public.orders where id = any (p_order_ids) order by id offset 0 for update
  ) as locked where status = 'pending';
  if pending is null then return 0; end if;

  perform public.lock_stock(array_agg(ticket_type_id), array_agg(parking_pass_id))
    from public.order_items where order_id = any (pending);
  update public.ticket_types t
    set held = held - i.quantity, current_inventory = current_inventory + i.quantity
    from (select ticket_type_id, sum(quantity)::integer as quantity
      from public.order_items where order_id = any (pending) group by 1) as i
    where t.id = i.ticket_type_id;
  update public.parking_passes p
    set held = held - i.quantity, current_inventory = current_inventory + i.quantity
    from (select parking_pass_id, sum(quantity)::integer as quantity
      from public.order_items where order_id = any (pending) group by 1) as i
    where p.id = i.parking_pass_id;

  update public.orders o
    set status = 'cancelled', cancelled_at = now(),
      -- A declined card followed by silence is a failed payment, not a hold that merely ran out.
      cancel_reason = case when p_reason = 'hold_expired' and exists (
          select from public.payments p where p.order_id = o.id and p.status = 'failed')
        then 'payment_failed' else p_reason end
    where id = any (pending);
  insert into public.outbox (kind, payload, dedupe_key)
    select 'cancel_intent',
      jsonb_build_object('order_id', id, 'user_id', user_id, 'payment_intent_id', payment_intent_id,
        'total_cents', (total_amount * 100)::integer),
      'cancel_intent:' || id
    from public.orders where id = any (pending)
    on conflict (dedupe_key) do nothing;
  return cardinality(pending);
end $$;

-- What is wrong with a cart's shape, or null. Nothing here may raise: one bad cart must not spoil the batch it is in.
-- One expression, and no search path of its own (reserve_orders has one): so the planner puts it into the caller's query, where
-- it takes half the time of a call. Bounded repetitions in a pattern are slow, so there are none on the way of a good cart.
create function public.cart_problem(cart jsonb) returns text language sql immutable as $$
  select case
    when coalesce(cart ->> 'user_id', '') not like '________-____-____-____-____________'
      or cart ->> 'user_id' !~ '^[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+$' then
      'A signed-in buyer is required.'
    when length(coalesce(cart ->> 'idempotency_key', '')) not between 1 and 200
      or coalesce(cart ->> 'request_hash', '') = '' then 'An idempotency key is required.'
    when coalesce(cart ->> 'total_cents', '') !~ '^\d+$' or length(cart ->> 'total_cents') > 10 then
      'The total is not a valid amount.'
    when jsonb_typeof(cart -> 'items') is distinct from 'array'
      or jsonb_array_length(cart -> 'items') = 0 then 'The cart is empty.'
    when jsonb_array_length(cart -> 'items') > 20 then 'At most 20 different items can be ordered at once.'
    when jsonb_typeof(cart -> 'attendees') is distinct from 'array' then 'Attendees are required.'
    when length(btrim(coalesce(cart #>> '{buyer,name}', ''))) not between 1 and 200 then 'Name is required'
    when coalesce(cart #>> '{buyer,email}', '') !~ '^[^@\s]+@[^@\s]+$'
      or length(cart #>> '{buyer,email}') > 254 then 'Valid email is required'
    when length(coalesce(cart #>> '{buyer,phone}', '')) not between 10 and 50 then 'Valid phone number is required'
    -- Counts the good ones: a strict path's filter is silent about what it cannot compare, and takes no list for what is in it.
    when jsonb_array_length(cart -> 'items') <> jsonb_array_length(jsonb_path_query_array(cart,
        'strict $.items[*] ? ((@.type == "ticket" || @.type == "parking") && @.id.type() == "string"
          && @.quantity.type() == "number" && @.quantity >= 1 && @.quantity <= 500 && @.quantity.floor() == @.quantity)')) then
      case
        when jsonb_array_length(cart -> 'items') <> jsonb_array_length(jsonb_path_query_array(cart,
            'strict $.items[*] ? ((@.type == "ticket" || @.type == "parking") && @.id.type() == "string")'))
          then 'One of the items is not valid.'
        when cart @? 'strict $.items[*] ? (@.quantity.type() == "number" && @.quantity > 500)'
          then 'At most 500 of one item can be ordered at once.'
        else 'Quantities must be whole numbers of at least 1.' end
    when jsonb_array_length(cart -> 'attendees') <> jsonb_array_length(jsonb_path_query_array(cart,
        'strict $.attendees[*] ? (@.name like_regex "\\S" && @.email like_regex "^[^@\\s]+@[^@\\s]+$")')) then
      case when jsonb_array_length(cart -> 'attendees') <> jsonb_array_length(jsonb_path_query_array(cart,
          'strict $.attendees[*] ? (@.name like_regex "\\S")')) then 'Name is required' else 'Valid email is required' end
    -- A short list has no long words in it.
    when length((cart -> 'attendees')::text) <= 200 then null
    when cart @? 'strict $.attendees[*] ? (@.name like_regex "^.{201}" flag "s")' then 'Name is required'
    when cart @? 'strict $.attendees[*] ? (@.email like_regex "^.{255}" flag "s")' then 'Valid email is required'
  end;
$$;

-- Reserves an array of carts, each alone in success and failure, and answers an array in the same order. One call is
-- one transaction: the server batches carts of many buyers into it because all of them want the same few rows.
--
-- cart: {user_id, idempotency_key, request_hash, items: [{type: 'ticket'|'parking', id, quantity}],
--        attendees: [{name, email, ticket_type_id}], buyer: {name, email, phone}, total_cents, address}
--       Attendees that name no ticket type stand in the order of the items; either all name one or none does.
-- answer: {ok: true, order_id, total_cents, hold_expires_at, status, replayed} or {ok: false, code, message, details}
--
-- Locks first, then one query that reads for every cart what its decision needs, then decisions in memory, then one
-- statement for each table. The planner settings and the fences keep that query on its indexes: its plan is made once a
-- connection, often while the tables are still empty, and what is cheap then made a batch thirty times slower later.
create function public.reserve_orders(carts jsonb) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
declare
  settings public.shop_settings;
  answers jsonb[] := '{}';
  problem jsonb;
  expires timestamptz;
  shop_sale text;
  general_parking uuid;  -- what VIP claims; null when it claims nothing

  -- Stock as it will be after the carts decided so far; one entry for each row touched.
  stock_id uuid[];
  stock_key text[];  -- the same as a cart says it, which may be anything
  stock_is_ticket boolean[];
  stock_name text[];
  stock_cents integer[];
  stock_left integer[];
  stock_vip boolean[];
  stock_sale text[];  -- sale_state, or 'hidden'
  stock_opens timestamptz[];
  before integer[];
  trial integer[];

  problems text[];
  live_holds uuid[];
  address_names text[];
  address_orders integer[];  -- placed in the last minute
  address_room integer[];    -- tickets that may still be held unpaid
  place integer;             -- of this cart's address in them

  c record;
  known public.orders;
  twin integer;  -- an earlier cart of the same buyer that was placed
  tickets integer;
  parking integer;
  has_vip boolean;
  cents bigint;
  shortage jsonb;
  wanted integer;
  at integer;
  i integer;
  new_order uuid;

  -- What to write, one entry for each order or item.
  order_ids uuid[] := '{}';
  order_carts integer[] := '{}';
  order_buyers uuid[] := '{}';
  order_cents bigint[] := '{}';
  order_tickets integer[] := '{}';
  order_attendees jsonb[] := '{}';  -- null where the cart's own name their ticket types
  item_orders uuid[] := '{}';
  item_positions integer[] := '{}';
  item_at integer[] := '{}';
  item_quantities integer[] := '{}';
  item_cents integer[] := '{}';
  item_included boolean[] := '{}';
  replaced uuid[] := '{}';
begin
  if jsonb_typeof(carts) is distinct from 'array' or jsonb_array_length(carts) > 64 then
    raise exception 'carts must be an array of at most 64' using errcode = '22023';
  end if;
  select * into strict settings from public.shop_settings;
  expires := now() + settings.hold_duration;
  shop_sale := public.sale_state(settings.on_sale, settings.sale_opens_at, settings.sale_closes_at);
  select coalesce(array_agg(public.cart_problem(value) order by n), '{}') into problems
    from jsonb_array_elements(carts) with ordinality as e (value, n);

  -- One buyer's carts are decided one after the other, whichever connection they come over.
  perform pg_advisory_xact_lock(lock_key) from (
    select distinct hashtextextended(lower(value ->> 'user_id'), 42) as lock_key
    from jsonb_array_elements(carts) with ordinality as e (value, n) where problems[n] is null order by 1
  ) as buyers;

  -- A buyer has one live hold: the new one takes the old one's stock back in this same transaction. One that
  -- is being expired or released at this moment is locked: it is left alone and counts as held.
  select coalesce(array_agg(o.id), '{}') into live_holds
    from jsonb_array_elements(carts) with ordinality as e (value, n)
    cross join lateral (
      select id, status from public.orders where user_id = (value ->> 'user_id')::uuid offset 0
    ) as o
    where problems[n] is null and o.status = 'pending';
  if live_holds <> '{}' then
    select coalesce(array_agg(id), '{}') into live_holds from (
      select id, status from public.orders where id = any (live_holds) order by id offset 0 for no key update skip locked
    ) as live where status = 'pending';
  end if;

  select id into general_parking from public.parking_passes where is_general and settings.vip_includes_parking;
  with wanted_ids as (
    select lower(l ->> 'id') as id from jsonb_array_elements(carts) with ordinality as e (value, n),
      jsonb_array_elements(value -> 'items') as l where problems[n] is null
    union select coalesce(ticket_type_id, parking_pass_id)::text from public.order_items where order_id = any (live_holds)
  ), ticket_rows as materialized (
    select id, true as is_ticket, name, price, current_inventory, is_vip, on_sale, sale_opens_at, sale_closes_at, is_hidden
    from public.ticket_types
    where id::text in (select id from wanted_ids) order by id for no key update
  ), parking_rows as materialized (
    select id, false as is_ticket, type_name as name, price, current_inventory, false, on_sale, sale_opens_at, sale_closes_at,
      is_hidden
    from public.parking_passes
    where (id::text in (select id from wanted_ids)
      or (id = general_parking and exists (select from ticket_rows where is_vip)))
      -- Reading the count makes PostgreSQL lock the ticket types first.
      and (select count(*) from ticket_rows) >= 0
    order by id for no key update
  ), stock as (select * from ticket_rows union all select * from parking_rows)
  select coalesce(array_agg(id), '{}'), array_agg(id::text), array_agg(is_ticket), array_agg(name), array_agg((price * 100)::integer),
      array_agg(current_inventory), array_agg(is_vip), array_agg(sale_opens_at),
      array_agg(case when is_hidden then 'hidden' else public.sale_state(on_sale, sale_opens_at, sale_closes_at) end)
    into stock_id, stock_key, stock_is_ticket, stock_name, stock_cents, stock_left, stock_vip, stock_opens, stock_sale
    from stock;

  -- At most a thousand orders of an address are looked at. Room for unpaid holds grows with what the address has paid.
  select array_agg(address), array_agg(orders), array_agg(room) into address_names, address_orders, address_room
  from (select distinct value ->> 'address' as address from jsonb_array_elements(carts) where value ->> 'address' is not null) as a
  cross join lateral (
    select count(*) filter (where o.created_at > now() - interval '1 minute')::integer as orders,
      greatest((select sum(total_inventory) from public.ticket_types) * settings.address_hold_share,
          settings.max_tickets_per_buyer)::integer
        + coalesce(sum(case status when 'pending' then -ticket_count when 'cancelled' then 0 else 2 * ticket_count end), 0)::integer
        as room
    from (select status, ticket_count, created_at from public.orders
      where client_address = a.address order by created_at desc limit 1000) as o
  ) as counted;

  for c in
    select n::integer as n, cart ->> 'idempotency_key' as key, cart ->> 'request_hash' as hash,
      (cart ->> 'total_cents')::bigint as total_cents, cart ->> 'address' as address, b.buyer, owned.known_order,
      jsonb_array_length(cart -> 'attendees') as attendees, people.types as attendee_types, w.ids, w.at, w.quantities, w.as_ticket,
      owned.orders as held_orders, h.at as held_at, h.quantities as held_quantities, owned.held as held_tickets,
      owned.tickets as owned, owned.recent as recent_orders, owned.oldest as recent_oldest
    from jsonb_array_elements(carts) with ordinality as e (value, n)
    cross join lateral (select case when problems[n] is null then value end as cart) as sound
    cross join lateral (select (cart ->> 'user_id')::uuid as buyer) as b
    cross join lateral (
      select array_agg(l ->> 'id' order by o) as ids,
        array_agg(array_position(stock_key, lower(l ->> 'id')) order by o) as at,
        array_agg((l -> 'quantity')::integer order by o) as quantities, array_agg(l ->> 'type' = 'ticket' order by o) as as_ticket
      from jsonb_array_elements(cart -> 'items') with ordinality as i (l, o)
    ) as w
    cross join lateral (
      -- Null when nobody names one.
      select case when count(a ->> 'ticket_type_id') > 0
        then array_agg(array_position(stock_key, lower(a ->> 'ticket_type_id'))) end as types
      from jsonb_array_elements(cart -> 'attendees') as a
    ) as people
    cross join lateral (
      select array_agg(o.id) filter (where o.id = any (live_holds)) as orders,
        coalesce(sum(o.ticket_count) filter (where o.id = any (live_holds)), 0)::integer as held,
        coalesce(sum(o.ticket_count) filter (where o.status <> 'cancelled' and o.id <> all (live_holds)), 0)::integer as tickets,
        count(*) filter (where o.created_at > now() - interval '1 minute') as recent,
        min(o.created_at) filter (where o.created_at > now() - interval '1 minute') as oldest,
        (array_agg(o.id) filter (where o.idempotency_key = cart ->> 'idempotency_key'
          and o.created_at > now() - settings.idempotency_retention))[1] as known_order
      from (
        select id, status, ticket_count, created_at, idempotency_key from public.orders where user_id = b.buyer offset 0
      ) as o
    ) as owned
    cross join lateral (
      select array_agg(array_position(stock_id, coalesce(i.ticket_type_id, i.parking_pass_id))) as at,
        array_agg(i.quantity) as quantities
      from unnest(owned.orders) as o (id) cross join lateral (
        select ticket_type_id, parking_pass_id, quantity from public.order_items where order_id = o.id offset 0) as i
    ) as h
    order by n
  loop
    if problems[c.n] is not null then
      answers := answers || jsonb_build_object('ok', false, 'code', 'invalid_request', 'message', problems[c.n]);
      continue;
    end if;

    -- The same key again: what became of its order, before or within this batch.
    twin := order_carts[array_position(order_buyers, c.buyer)];
    if c.known_order is not null or carts -> (twin - 1) ->> 'idempotency_key' = c.key then
      select * into known from public.orders where id = c.known_order;
      answers := answers || case
        when coalesce(known.request_hash, carts -> (twin - 1) ->> 'request_hash') <> c.hash then jsonb_build_object('ok', false,
          'code', 'idempotency_conflict', 'message', 'This order was already placed with other contents. Please try again.')
        when c.known_order is null then answers[twin] || '{"replayed": true}'
        when known.status = 'cancelled' then jsonb_build_object('ok', false, 'code', 'order_cancelled',
          'message', 'The tickets held for this order were released. Please try again.',
          'details', jsonb_build_object('order_id', known.id, 'reason', known.cancel_reason))
        else jsonb_build_object('ok', true, 'order_id', known.id, 'total_cents', (known.total_amount * 100)::integer,
          'hold_expires_at', known.hold_expires_at, 'status', known.status, 'replayed', true)
      end;
      continue;
    end if;
    if twin is not null then
      answers := answers || jsonb_build_object('ok', false, 'code', 'concurrent_request',
        'message', 'Another order of yours is being placed at this moment. Please try again.');
      continue;
    end if;

    if shop_sale <> 'open' then
      answers := answers || jsonb_build_object('ok', false, 'code', 'sales_closed',
        'message', public.sale_refusal(shop_sale, settings.sale_opens_at), 'details', jsonb_build_object('state', shop_sale));
      continue;
    end if;

    -- What the buyer holds now counts as free for this cart, and is given back only if it succeeds.
    trial := stock_left;
    for i in 1 .. coalesce(cardinality(c.held_at), 0) loop
      trial[c.held_at[i]] := trial[c.held_at[i]] + c.held_quantities[i];
    end loop;

    before := trial;
    tickets := 0; parking := 0; cents := 0; has_vip := false; shortage := '[]'; problem := null;
    for i in 1 .. cardinality(c.ids) loop
      at := c.at[i];
      if at is null or stock_is_ticket[at] <> c.as_ticket[i] or stock_sale[at] = 'hidden' then
        problem := jsonb_build_object('code', 'unknown_item', 'message', 'One of the items is no longer for sale.',
          'details', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', c.ids[i]))));
        exit;
      elsif stock_sale[at] <> 'open' then
        problem := jsonb_build_object('code', 'sales_closed',
          'message', public.sale_refusal(stock_sale[at], stock_opens[at], stock_name[at]),
          'details', jsonb_build_object('state', stock_sale[at], 'items', jsonb_build_array(jsonb_build_object('id', c.ids[i]))));
        exit;
      end if;
      wanted := c.quantities[i];
      if stock_is_ticket[at] then
        tickets := tickets + wanted;
        has_vip := has_vip or stock_vip[at];
      else
        parking := parking + wanted;
      end if;
      cents := cents + stock_cents[at]::bigint * wanted;
      if wanted > trial[at] then
        shortage := shortage || jsonb_build_object('id', stock_id[at], 'name', stock_name[at],
          'available', greatest(trial[at], 0), 'requested', wanted);
      end if;
      trial[at] := trial[at] - wanted;
    end loop;

    if problem is null and tickets = 0 then
      problem := jsonb_build_object('code', 'no_tickets', 'message', 'Choose at least one ticket.');
    elsif problem is null and (parking > 1 or (has_vip and array_position(stock_id, general_parking) = any (c.at))) then
      problem := jsonb_build_object('code', 'parking_limit', 'message', case when parking > 1
        then 'Only one parking pass can be bought with an order.'
        else 'VIP tickets already include general parking.' end);
    elsif problem is null and tickets <> c.attendees then
      problem := jsonb_build_object('code', 'invalid_request', 'message', 'Every ticket needs exactly one attendee.');
    elsif problem is null and c.attendee_types is not null then
      foreach at in array c.at loop
        if stock_is_ticket[at] and cardinality(array_positions(c.attendee_types, at)) <> before[at] - trial[at] then
          problem := jsonb_build_object('code', 'invalid_request',
            'message', 'The attendees'' ticket types are not those of the items.');
        end if;
      end loop;
    end if;

    if problem is null and has_vip and general_parking is not null then
      at := array_position(stock_id, general_parking);
      if trial[at] < 1 then
        shortage := shortage || jsonb_build_object('id', general_parking, 'name', 'The parking that VIP includes',
          'available', greatest(trial[at], 0), 'requested', 1);
      end if;
      trial[at] := trial[at] - 1;
    end if;

    place := array_position(address_names, c.address);
    if problem is not null then null;
    elsif c.recent_orders >= settings.max_orders_per_buyer then
      problem := jsonb_build_object('code', 'rate_limited', 'message', 'Too many orders at once. Please wait a moment and try again.',
        'details', jsonb_build_object('retry_after_seconds',
          greatest(1, ceil(extract(epoch from c.recent_oldest + interval '1 minute' - now()))::integer)));
    elsif address_orders[place] >= settings.max_orders_per_address then
      problem := jsonb_build_object('code', 'rate_limited',
        'message', 'Very many orders come from your network. Please wait a moment and try again.',
        'details', jsonb_build_object('retry_after_seconds', 10));
    elsif tickets + c.owned > settings.max_tickets_per_buyer then
      problem := jsonb_build_object('code', 'too_many_units',
        'message', format('At most %s tickets per buyer.', settings.max_tickets_per_buyer),
        'details', jsonb_build_object('limit', settings.max_tickets_per_buyer, 'owned', c.owned));
    elsif shortage <> '[]' then
      problem := jsonb_build_object('code', 'insufficient_stock',
        'message', (select string_agg(case when (s ->> 'available')::integer = 0 then format('%s is sold out.', s ->> 'name')
          else format('Only %s left of %s.', s ->> 'available', s ->> 'name') end, ' ') from jsonb_array_elements(shortage) as s),
        'details', jsonb_build_object('items', shortage));
    elsif cents <> c.total_cents then
      problem := jsonb_build_object('code', 'price_changed',
        'message', format('The price has changed: the total is now $%s.', to_char(cents / 100.0, 'FM999,999,990.00')),
        'details', jsonb_build_object('total_cents', cents, 'items', (
          select jsonb_agg(jsonb_build_object('id', stock_id[l], 'price_cents', stock_cents[l])) from unnest(c.at) as l)));
    elsif tickets > address_room[place] + c.held_tickets then
      problem := jsonb_build_object('code', 'rate_limited',
        'message', 'Very many unpaid tickets are held from your network. Please try again when some are paid or released.',
        'details', jsonb_build_object('retry_after_seconds', 30));
    end if;
    if problem is not null then
      answers := answers || ('{"ok": false}' || problem);
      continue;
    end if;

    new_order := gen_random_uuid();
    stock_left := trial;
    replaced := replaced || c.held_orders;
    if place is not null then
      address_orders[place] := address_orders[place] + 1;
      address_room[place] := address_room[place] + c.held_tickets - tickets;
    end if;
    order_ids := order_ids || new_order;
    order_carts := order_carts || c.n;
    order_buyers := order_buyers || c.buyer;
    order_cents := order_cents || cents;
    order_tickets := order_tickets || tickets;
    if c.attendee_types is null then
      order_attendees := order_attendees || (
        select jsonb_agg(carts -> (c.n - 1) -> 'attendees' -> (n - 1)::integer || jsonb_build_object('ticket_type_id', id) order by n)
        from (
          select stock_id[l.at] as id, row_number() over (order by l.o) as n
          from unnest(c.at, c.quantities) with ordinality as l (at, quantity, o), generate_series(1, l.quantity)
          where stock_is_ticket[l.at]
        ) as seat);
    else -- without a query, which takes longer than the rest of the decision
      order_attendees := order_attendees || null::jsonb;
    end if;
    for i in 1 .. cardinality(c.at) loop
      item_orders := item_orders || new_order;
      item_positions := item_positions || i;
      item_at := item_at || c.at[i];
      item_quantities := item_quantities || c.quantities[i];
      item_cents := item_cents || stock_cents[c.at[i]];
      item_included := item_included || false;
    end loop;
    if has_vip and general_parking is not null then
      item_orders := item_orders || new_order;
      item_positions := item_positions || cardinality(c.at) + 1;
      item_at := item_at || at;
      item_quantities := item_quantities || 1;
      item_cents := item_cents || 0;
      item_included := item_included || true;
    end if;
    answers := answers || jsonb_build_object('ok', true, 'order_id', new_order, 'total_cents', cents,
      'hold_expires_at', expires, 'status', 'pending', 'replayed', false);
  end loop;

  if cardinality(order_ids) > 0 then
    insert into public.orders (id, user_id, status, total_amount, buyer_full_name, buyer_email, buyer_phone_number,
        attendees, ticket_count, client_address, hold_expires_at, idempotency_key, request_hash)
      select o.id, (cart ->> 'user_id')::uuid, 'pending', o.cents / 100.0, cart #>> '{buyer,name}', cart #>> '{buyer,email}',
        cart #>> '{buyer,phone}', coalesce(o.attendees, cart -> 'attendees'), o.tickets, cart ->> 'address', expires,
        cart ->> 'idempotency_key', cart ->> 'request_hash'
      from unnest(order_ids, order_carts, order_cents, order_tickets, order_attendees) as o (id, n, cents, tickets, attendees)
      cross join lateral (select carts -> (o.n - 1) as cart) as c;
    insert into public.order_items (order_id, position, ticket_type_id, parking_pass_id, name, quantity, unit_price, included)
      select l.order_id, l.position, case when stock_is_ticket[l.at] then stock_id[l.at] end,
        case when not stock_is_ticket[l.at] then stock_id[l.at] end, stock_name[l.at], l.quantity, l.cents / 100.0, l.included
      from unnest(item_orders, item_positions, item_at, item_quantities, item_cents, item_included)
        as l (order_id, position, at, quantity, cents, included);

    -- The old holds' return comes first: the stock checks hold after every single update.
    if cardinality(replaced) > 0 then perform public.cancel_pending_orders(replaced, 'replaced'); end if;
    update public.ticket_types t set current_inventory = current_inventory - l.quantity, held = held + l.quantity
      from (select stock_id[u.at] as id, sum(u.quantity)::integer as quantity
        from unnest(item_at, item_quantities) as u (at, quantity) where stock_is_ticket[u.at] group by 1) as l
      where t.id = l.id;
    update public.parking_passes p set current_inventory = current_inventory - l.quantity, held = held + l.quantity
      from (select stock_id[u.at] as id, sum(u.quantity)::integer as quantity
        from unnest(item_at, item_quantities) as u (at, quantity) where not stock_is_ticket[u.at] group by 1) as l
      where p.id = l.id;
  end if;
  return to_jsonb(answers);
end $$;

-- How many tickets the caller may have: {max_tickets, bought, held, remaining}. What is held does not lessen what remains,
-- because a new order takes its place. Refunded tickets do not count. Who has not signed in gets the maximum.
create function public.get_ticket_allowance() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('max_tickets', max_tickets_per_buyer, 'bought', bought, 'held', held,
    'remaining', greatest(max_tickets_per_buyer - bought, 0))
  from public.shop_settings, (
    select coalesce(sum(ticket_count) filter (where status in ('confirmed', 'completed')), 0)::integer as bought,
      coalesce(sum(ticket_count) filter (where status = 'pending'), 0)::integer as held
    from public.orders where user_id = auth.uid()
  ) as own;
$$;

-- The buyer leaves the checkout: the hold ends now instead of in a quarter of an hour.
create function public.release_hold(p_order_id uuid) returns boolean
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
begin
  if not exists (select from public.orders where id = p_order_id and user_id = auth.uid()) then return false; end if;
  return public.cancel_pending_orders(array[p_order_id], 'abandoned') > 0;
end $$;

-- Orders whose hold is over and that nobody looked at in the last minute, oldest first. Which rows are worked on is chosen
-- once: as a join, the choosing could be planned to run again for each row, past its limit.
create function public.due_holds(p_limit integer default 50)
returns table (order_id uuid, user_id uuid, total_cents integer, payment_intent_id text)
language sql set search_path = '' set enable_seqscan = off as $$
  update public.orders o set expiry_check_at = now() + interval '1 minute'
  where o.id = any (array(
    select due.id from public.orders due
    where due.status = 'pending' and due.hold_expires_at <= now()
      and coalesce(due.expiry_check_at, due.hold_expires_at) <= now()
    order by coalesce(due.expiry_check_at, due.hold_expires_at) limit least(p_limit, 200) for update skip locked
  ))
  returning o.id, o.user_id, (o.total_amount * 100)::integer, o.payment_intent_id;
$$;

-- The payment is under way: the hold lives on until the provider has decided.
create function public.postpone_hold(p_order_id uuid, p_seconds integer) returns void
language sql volatile set search_path = '' as $$
  update public.orders set expiry_check_at = now() + make_interval(secs => p_seconds)
  where id = p_order_id and status = 'pending';
$$;

-- Cancels those whose hold is over. The caller has asked the provider that none of them is paid.
create function public.expire_holds(p_order_ids uuid[]) returns integer
language sql volatile set search_path = '' set enable_seqscan = off as $$
  select public.cancel_pending_orders(
    array(select id from public.orders where id = any (p_order_ids) and hold_expires_at <= now()), 'hold_expired');
$$;

revoke execute on function public.lock_stock(uuid[], uuid[]), public.cancel_pending_orders(uuid[], text),
  public.cart_problem(jsonb), public.reserve_orders(jsonb), public.due_holds(integer),
  public.postpone_hold(uuid, integer), public.expire_holds(uuid[]) from public, anon, authenticated;
revoke execute on function public.release_hold(uuid) from public, anon;
grant execute on function public.release_hold(uuid) to authenticated;
revoke execute on function public.get_ticket_allowance() from public;
grant execute on function public.get_ticket_allowance() to anon, authenticated;
