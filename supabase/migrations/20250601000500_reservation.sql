-- Taking and giving back stock. Lock order everywhere, so that nothing can deadlock: buyers (advisory), orders by id,
-- ticket types by id, parking passes by id.

-- Locks the stock rows that these orders touch, in the one order that everybody uses.
create function public.lock_stock(p_ticket_types uuid[], p_parking_passes uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  perform from public.ticket_types where id = any (p_ticket_types) order by id for no key update;
  perform from public.parking_passes where id = any (p_parking_passes) order by id for no key update;
end $$;

-- Cancels those of the orders that are still pending, gives their stock back once, and has the provider's intent cancelled.
create function public.cancel_pending_orders(p_order_ids uuid[], p_reason text) returns integer
language plpgsql set search_path = '' as $$
declare
  pending uuid[];
begin
  select array_agg(id) into pending from (
    select id from public.orders where id = any (p_order_ids) and status = 'pending' order by id for update
  ) as locked;
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

-- What is wrong with a cart's shape, as an answer of reserve_orders, or null. Nothing here may raise: one bad cart must not
-- spoil the batch it is in.
create function public.cart_problem(cart jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  uuid_shape constant text := '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
  email_shape constant text := '^[^@\s]+@[^@\s]+$';
  entry jsonb;
  problem text;
begin
  if coalesce(cart ->> 'user_id', '') !~ uuid_shape then problem := 'A signed-in buyer is required.';
  elsif length(coalesce(cart ->> 'idempotency_key', '')) not between 1 and 200
    or coalesce(cart ->> 'request_hash', '') = '' then problem := 'An idempotency key is required.';
  elsif coalesce(cart ->> 'total_cents', '') !~ '^\d{1,10}$' then problem := 'The total is not a valid amount.';
  elsif jsonb_typeof(cart -> 'items') is distinct from 'array'
    or jsonb_array_length(cart -> 'items') not between 1 and 20 then problem := 'The cart is empty.';
  elsif jsonb_typeof(cart -> 'attendees') is distinct from 'array' then problem := 'Attendees are required.';
  elsif length(btrim(coalesce(cart #>> '{buyer,name}', ''))) not between 1 and 200 then problem := 'Name is required';
  elsif coalesce(cart #>> '{buyer,email}', '') !~ email_shape
    or length(cart #>> '{buyer,email}') > 320 then problem := 'Valid email is required';
  elsif length(coalesce(cart #>> '{buyer,phone}', '')) not between 10 and 50 then
    problem := 'Valid phone number is required';
  else
    for entry in select value from jsonb_array_elements(cart -> 'items') loop
      if coalesce(entry ->> 'type', '') not in ('ticket', 'parking') or coalesce(entry ->> 'id', '') !~ uuid_shape then
        problem := 'One of the items is not valid.';
      elsif jsonb_typeof(entry -> 'quantity') is distinct from 'number'
        or (entry ->> 'quantity') !~ '^[1-9]\d{0,2}$' or (entry ->> 'quantity')::integer > 500 then
        problem := 'Quantities must be whole numbers of at least 1.';
      end if;
    end loop;
    for entry in select value from jsonb_array_elements(cart -> 'attendees') loop
      if length(btrim(coalesce(entry ->> 'name', ''))) not between 1 and 200 then problem := 'Name is required';
      elsif coalesce(entry ->> 'email', '') !~ email_shape or length(entry ->> 'email') > 320 then
        problem := 'Valid email is required';
      end if;
    end loop;
  end if;
  return case when problem is not null then
    jsonb_build_object('ok', false, 'code', 'invalid_request', 'message', problem) end;
end $$;

-- Reserves an array of carts, each alone in success and failure, and answers an array in the same order. One call is
-- one transaction: the server batches carts of many buyers into it because all of them want the same few rows.
--
-- cart: {user_id, idempotency_key, request_hash, items: [{type: 'ticket'|'parking', id, quantity}],
--        attendees: [{name, email}], buyer: {name, email, phone}, total_cents}
-- answer: {ok: true, order_id, total_cents, hold_expires_at, replayed} or {ok: false, code, message, details}
create function public.reserve_orders(carts jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  settings public.shop_settings;
  answers jsonb[] := '{}';
  cart jsonb;
  item jsonb;
  problem jsonb;

  -- Stock as it will be after the carts decided so far; one entry for each row touched.
  stock_ids text[];
  stock_is_ticket boolean[];
  stock_names text[];
  stock_cents integer[];
  stock_left integer[];
  stock_vip boolean[];
  general_parking text;
  at integer;

  buyer uuid;
  seen_key jsonb;
  known jsonb;        -- idempotency keys already there: user:key → {hash, order}
  holds jsonb;        -- live holds: user → [{order_id, items: [{id, quantity}]}]
  owned jsonb;        -- user → tickets in live orders
  old_hold jsonb;
  old_tickets integer;
  tickets integer;
  parking integer;
  has_vip boolean;
  cents bigint;
  lines jsonb;        -- this cart's order items
  wanted integer;
  trial integer[];
  shortage jsonb;
  new_order uuid;
  expires timestamptz;

  new_orders jsonb[] := '{}';
  new_items jsonb[] := '{}';
  new_keys jsonb[] := '{}';
  replaced uuid[] := '{}';
  placed uuid[] := '{}';
begin
  if jsonb_typeof(carts) is distinct from 'array' or jsonb_array_length(carts) > 64 then
    raise exception 'carts must be an array of at most 64' using errcode = '22023';
  end if;
  select * into strict settings from public.shop_settings;
  expires := now() + settings.hold_duration;

  -- One buyer's carts are decided one after the other, whichever connection they come over.
  perform pg_advisory_xact_lock(lock_key) from (
    select distinct hashtextextended(c ->> 'user_id', 42) as lock_key
    from jsonb_array_elements(carts) as c order by 1
  ) as buyers;

  select coalesce(jsonb_object_agg(k.user_id || ':' || k.key,
      jsonb_build_object('hash', k.request_hash, 'order_id', o.id, 'status', o.status,
        'cents', (o.total_amount * 100)::integer, 'expires', o.hold_expires_at, 'reason', o.cancel_reason)), '{}')
    into known
    from jsonb_array_elements(carts) as c
    join public.idempotency_keys k on k.user_id::text = c ->> 'user_id' and k.key = c ->> 'idempotency_key'
      and k.created_at > now() - settings.idempotency_retention
    join public.orders o on o.id = k.order_id;

  -- A buyer has one live hold: the new one takes the old one's stock back in this same transaction. An order that is
  -- being confirmed at this moment is locked, and is left alone.
  with buyers as (
    select distinct (c ->> 'user_id')::uuid as user_id from jsonb_array_elements(carts) as c
    where c ->> 'user_id' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  ), live as (
    select o.id, o.user_id from public.orders o join buyers b using (user_id)
    where o.status = 'pending' order by o.id for update of o skip locked
  ), lines as (
    select l.id, l.user_id, jsonb_agg(jsonb_build_object(
      'id', coalesce(i.ticket_type_id, i.parking_pass_id), 'quantity', i.quantity)) as items
    from live l join public.order_items i on i.order_id = l.id group by 1, 2
  )
  select coalesce(jsonb_object_agg(user_id, orders), '{}') into holds from (
    select user_id, jsonb_agg(jsonb_build_object('order_id', id, 'items', items)) as orders from lines group by 1
  ) as by_user;

  select coalesce(jsonb_object_agg(user_id, quantity), '{}') into owned from (
    select o.user_id, sum(i.quantity) as quantity
    from jsonb_array_elements(carts) as c
    join public.orders o on o.user_id::text = c ->> 'user_id' and o.status in ('confirmed', 'completed')
    join public.order_items i on i.order_id = o.id and i.ticket_type_id is not null
    group by 1
  ) as by_user;

  select coalesce(min(id::text), '') into general_parking from public.parking_passes where type_name ilike '%general%';

  with wanted_ids as (
    select i ->> 'id' as id from jsonb_array_elements(carts) as c,
      jsonb_array_elements(case when jsonb_typeof(c -> 'items') = 'array' then c -> 'items' else '[]' end) as i
    union select i ->> 'id' from jsonb_each(holds) as h, jsonb_array_elements(h.value) as o,
      jsonb_array_elements(o -> 'items') as i
    union select general_parking
  ), ticket_rows as (
    select id, true as is_ticket, name, price, current_inventory from public.ticket_types
    where id::text in (select id from wanted_ids) order by id for no key update
  ), parking_rows as (
    select id, false as is_ticket, type_name as name, price, current_inventory from public.parking_passes
    where id::text in (select id from wanted_ids)
      -- Reading the count makes PostgreSQL lock the ticket types first.
      and (select count(*) from ticket_rows) >= 0
    order by id for no key update
  ), stock as (select * from ticket_rows union all select * from parking_rows)
  select array_agg(id::text), array_agg(is_ticket), array_agg(name), array_agg((price * 100)::integer),
      array_agg(current_inventory), array_agg(is_ticket and name ilike '%vip%')
    into stock_ids, stock_is_ticket, stock_names, stock_cents, stock_left, stock_vip
    from stock;
  stock_ids := coalesce(stock_ids, '{}');

  for cart in select value from jsonb_array_elements(carts) loop
    problem := public.cart_problem(cart);
    if problem is not null then
      answers := answers || problem;
      continue;
    end if;
    buyer := (cart ->> 'user_id')::uuid;

    seen_key := known -> (buyer || ':' || (cart ->> 'idempotency_key'));
    if seen_key is not null then
      answers := answers || case
        when seen_key ->> 'hash' <> cart ->> 'request_hash' then jsonb_build_object('ok', false,
          'code', 'idempotency_conflict', 'message', 'This order was already placed with other contents. Please try again.')
        when seen_key ->> 'status' = 'cancelled' then jsonb_build_object('ok', false, 'code', 'order_cancelled',
          'message', 'The tickets held for this order were released. Please try again.',
          'details', jsonb_build_object('order_id', seen_key -> 'order_id', 'reason', seen_key -> 'reason'))
        else jsonb_build_object('ok', true, 'order_id', seen_key -> 'order_id', 'total_cents', seen_key -> 'cents',
          'hold_expires_at', seen_key -> 'expires', 'status', seen_key -> 'status', 'replayed', true)
      end;
      continue;
    end if;

    if buyer = any (placed) then
      answers := answers || jsonb_build_object('ok', false, 'code', 'concurrent_request',
        'message', 'Another order of yours is being placed at this moment. Please try again.');
      continue;
    end if;

    -- What the buyer holds now counts as free for this cart, and is given back only if it succeeds.
    trial := stock_left;
    old_hold := holds -> buyer::text;
    if old_hold is not null then
      for item in select i from jsonb_array_elements(old_hold) as o, jsonb_array_elements(o -> 'items') as i loop
        at := array_position(stock_ids, item ->> 'id');
        trial[at] := trial[at] + (item ->> 'quantity')::integer;
      end loop;
    end if;

    tickets := 0; parking := 0; cents := 0; has_vip := false; lines := '[]'; shortage := '[]'; problem := null;
    for item in select value from jsonb_array_elements(cart -> 'items') loop
      at := array_position(stock_ids, item ->> 'id');
      if at is null or stock_is_ticket[at] <> (item ->> 'type' = 'ticket') then
        problem := jsonb_build_object('code', 'unknown_item', 'message', 'One of the items is no longer for sale.',
          'details', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', item -> 'id'))));
        exit;
      end if;
      wanted := (item ->> 'quantity')::integer;
      if stock_is_ticket[at] then
        tickets := tickets + wanted;
        has_vip := has_vip or stock_vip[at];
      else
        parking := parking + wanted;
      end if;
      cents := cents + stock_cents[at]::bigint * wanted;
      if wanted > trial[at] then
        shortage := shortage || jsonb_build_object('id', item -> 'id', 'name', stock_names[at],
          'available', trial[at], 'requested', wanted);
      end if;
      trial[at] := trial[at] - wanted;
      lines := lines || jsonb_build_object('at', at, 'quantity', wanted, 'cents', stock_cents[at]);
    end loop;

    if problem is null and tickets = 0 then
      problem := jsonb_build_object('code', 'no_tickets', 'message', 'Choose at least one ticket.');
    elsif problem is null and (parking > 1 or (has_vip and exists (
        select from jsonb_array_elements(cart -> 'items') as i where i ->> 'id' = general_parking))) then
      problem := jsonb_build_object('code', 'parking_limit', 'message', case when parking > 1
        then 'Only one parking pass can be bought with an order.'
        else 'VIP tickets already include general parking.' end);
    elsif problem is null and tickets <> jsonb_array_length(cart -> 'attendees') then
      problem := jsonb_build_object('code', 'invalid_request', 'message', 'Every ticket needs exactly one attendee.');
    end if;

    if problem is null and has_vip and general_parking <> '' then
      at := array_position(stock_ids, general_parking);
      if trial[at] < 1 then
        shortage := shortage || jsonb_build_object('id', general_parking, 'name', stock_names[at],
          'available', greatest(trial[at], 0), 'requested', 1);
      end if;
      trial[at] := trial[at] - 1;
      lines := lines || jsonb_build_object('at', at, 'quantity', 1, 'cents', 0);
    end if;

    old_tickets := coalesce((owned ->> buyer::text)::integer, 0);
    if problem is null and tickets + old_tickets > settings.max_tickets_per_buyer then
      problem := jsonb_build_object('code', 'too_many_units',
        'message', format('At most %s tickets per buyer.', settings.max_tickets_per_buyer),
        'details', jsonb_build_object('limit', settings.max_tickets_per_buyer, 'owned', old_tickets));
    elsif problem is null and jsonb_array_length(shortage) > 0 then
      problem := jsonb_build_object('code', 'insufficient_stock',
        'message', (select string_agg(case when (s ->> 'available')::integer = 0 then format('%s is sold out.', s ->> 'name')
          else format('Only %s left of %s.', s ->> 'available', s ->> 'name') end, ' ') from jsonb_array_elements(shortage) as s),
        'details', jsonb_build_object('items', shortage));
    elsif problem is null and cents <> (cart ->> 'total_cents')::bigint then
      problem := jsonb_build_object('code', 'price_changed',
        'message', format('The price has changed: the total is now $%s.', to_char(cents / 100.0, 'FM999,999,990.00')),
        'details', jsonb_build_object('total_cents', cents, 'items', (
          select jsonb_agg(jsonb_build_object('id', stock_ids[(l ->> 'at')::integer], 'price_cents', l -> 'cents'))
          from jsonb_array_elements(lines) as l)));
    end if;
    if problem is not null then
      answers := answers || (jsonb_build_object('ok', false) || problem);
      continue;
    end if;

    new_order := gen_random_uuid();
    if old_hold is not null then
      replaced := replaced || array(select (o ->> 'order_id')::uuid from jsonb_array_elements(old_hold) as o);
    end if;
    stock_left := trial;
    new_orders := new_orders || jsonb_build_object('id', new_order, 'user_id', buyer, 'cents', cents,
      'name', cart #> '{buyer,name}', 'email', cart #> '{buyer,email}', 'phone', cart #> '{buyer,phone}',
      'attendees', cart -> 'attendees');
    select new_items || array_agg(jsonb_build_object('order_id', new_order, 'position', n, 'at', l -> 'at',
        'quantity', l -> 'quantity', 'cents', l -> 'cents') order by n)
      into new_items from jsonb_array_elements(lines) with ordinality as e (l, n);
    new_keys := new_keys || jsonb_build_object('user_id', buyer, 'key', cart -> 'idempotency_key',
      'hash', cart -> 'request_hash', 'order_id', new_order);
    -- The same cart once more in this batch is a replay.
    known := known || jsonb_build_object(buyer || ':' || (cart ->> 'idempotency_key'), jsonb_build_object(
      'hash', cart -> 'request_hash', 'order_id', new_order, 'status', 'pending', 'cents', cents, 'expires', expires));
    placed := placed || buyer;
    answers := answers || jsonb_build_object('ok', true, 'order_id', new_order, 'total_cents', cents,
      'hold_expires_at', expires, 'status', 'pending', 'replayed', false);
  end loop;

  if cardinality(new_orders) > 0 then
    insert into public.orders (id, user_id, status, total_amount, buyer_full_name, buyer_email, buyer_phone_number,
        attendees, hold_expires_at)
      select o.id, o.user_id, 'pending', o.cents / 100.0, o.name, o.email, o.phone, o.attendees, expires
      from jsonb_to_recordset(to_jsonb(new_orders)) as o (id uuid, user_id uuid, cents bigint, name text, email text,
        phone text, attendees jsonb);
    insert into public.order_items (order_id, position, ticket_type_id, parking_pass_id, name, quantity, unit_price)
      select i.order_id, i.position, case when stock_is_ticket[i.at] then stock_ids[i.at]::uuid end,
        case when not stock_is_ticket[i.at] then stock_ids[i.at]::uuid end, stock_names[i.at], i.quantity, i.cents / 100.0
      from jsonb_to_recordset(to_jsonb(new_items)) as i (order_id uuid, position integer, at integer, quantity integer,
        cents bigint);
    -- A key older than its retention is taken over by the new order.
    insert into public.idempotency_keys (user_id, key, request_hash, order_id)
      select k.user_id, k.key, k.hash, k.order_id
      from jsonb_to_recordset(to_jsonb(new_keys)) as k (user_id uuid, key text, hash text, order_id uuid)
      on conflict (user_id, key) do update
        set request_hash = excluded.request_hash, order_id = excluded.order_id, created_at = now();

    -- The old holds' return comes first: the stock checks hold after every single update.
    if cardinality(replaced) > 0 then perform public.cancel_pending_orders(replaced, 'replaced'); end if;
    update public.ticket_types t set current_inventory = current_inventory - i.quantity, held = held + i.quantity
      from (select stock_ids[i.at]::uuid as id, sum(i.quantity)::integer as quantity
        from jsonb_to_recordset(to_jsonb(new_items)) as i (at integer, quantity integer)
        where stock_is_ticket[i.at] group by 1) as i
      where t.id = i.id;
    update public.parking_passes p set current_inventory = current_inventory - i.quantity, held = held + i.quantity
      from (select stock_ids[i.at]::uuid as id, sum(i.quantity)::integer as quantity
        from jsonb_to_recordset(to_jsonb(new_items)) as i (at integer, quantity integer)
        where not stock_is_ticket[i.at] group by 1) as i
      where p.id = i.id;
  end if;
  return to_jsonb(answers);
end $$;

-- The buyer leaves the checkout: the hold ends now instead of in a quarter of an hour.
create function public.release_hold(p_order_id uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from public.orders where id = p_order_id and user_id = auth.uid()) then return false; end if;
  return public.cancel_pending_orders(array[p_order_id], 'abandoned') > 0;
end $$;

-- Orders whose hold is over and that nobody looked at in the last minute, oldest first.
create function public.due_holds(p_limit integer default 50)
returns table (order_id uuid, user_id uuid, total_cents integer, payment_intent_id text)
language sql volatile set search_path = '' as $$
  update public.orders o set expiry_check_at = now() + interval '1 minute'
  where o.id in (
    select due.id from public.orders due
    where due.status = 'pending' and due.hold_expires_at <= now()
      and coalesce(due.expiry_check_at, due.hold_expires_at) <= now()
    order by coalesce(due.expiry_check_at, due.hold_expires_at) limit least(p_limit, 200) for update skip locked
  )
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
language sql volatile set search_path = '' as $$
  select public.cancel_pending_orders(
    array(select id from public.orders where id = any (p_order_ids) and hold_expires_at <= now()), 'hold_expired');
$$;

revoke execute on function public.lock_stock(uuid[], uuid[]), public.cancel_pending_orders(uuid[], text),
  public.cart_problem(jsonb), public.reserve_orders(jsonb), public.due_holds(integer),
  public.postpone_hold(uuid, integer), public.expire_holds(uuid[]) from public, anon, authenticated;
revoke execute on function public.release_hold(uuid) from public, anon;
