-- Reserving stock for carts: reserve_order decides one of them, reserve_orders a batch.

-- The kinds of products, as variables of a JSON path.
create function public.kinds_sold() returns jsonb language sql stable set search_path = '' as $$
  select jsonb_build_object('kinds', jsonb_agg(kind)) from public.product_kinds;
$$;

-- What is wrong with a list of items [{type, id, quantity}], in a cart or at the door; or null. kinds: those of public.kinds_sold.
create function public.items_problem(items jsonb, kinds jsonb default public.kinds_sold()) returns text language sql immutable as $$
  select case
    when jsonb_typeof(items) is distinct from 'array' or jsonb_array_length(items) = 0 then 'The cart is empty.'
    when jsonb_array_length(items) > 20 then 'At most 20 different items can be ordered at once.'
    -- Counts the valid items: a strict path's filter skips what it cannot compare, and does not unwrap lists.
    when jsonb_array_length(items) = jsonb_array_length(jsonb_path_query_array(items,
        'strict $[*] ? (@.type == $kinds[*] && @.id.type() == "string"
          && @.quantity.type() == "number" && @.quantity >= 1 && @.quantity <= 500 && @.quantity.floor() == @.quantity)', kinds)) then null
    when jsonb_array_length(items) <> jsonb_array_length(jsonb_path_query_array(items,
        'strict $[*] ? (@.type == $kinds[*] && @.id.type() == "string")', kinds)) then 'One of the items is not valid.'
    when items @? 'strict $[*] ? (@.quantity.type() == "number" && @.quantity > 500)'
      then 'At most 500 of one item can be ordered at once.'
    else 'Quantities must be whole numbers of at least 1.'
  end;
$$;

-- The UUID that a text is, or null. No search path, so that it is inlined.
create function public.uuid_of(p_text text) returns uuid language sql immutable as $$
  select case when p_text like '________-____-____-____-____________'
    and translate(p_text, '0123456789abcdefABCDEF', '') = '----' then p_text::uuid end
$$;

-- A list of people {name, email} with a text that is too long, or null. An element may be anything.
create function public.length_problem(p_people jsonb) returns text language sql immutable set search_path = '' as $$
  select case when bool_or(length(person ->> 'name') > 200) then 'Name is required'
    when bool_or(length(person ->> 'email') > 254) then 'Valid email is required' end
  from jsonb_array_elements(p_people) as person
$$;

-- What is wrong with a cart's shape, or null. Nothing here may raise: one bad cart must not spoil its batch. The limits are
-- those of contract/schemas. Of more people than p_most_tickets the names are not read, which took 80 ms for the largest carts:
-- reserve_order refuses their number (add_up_cart, limit_refusal).
-- One expression without a search path of its own (reserve_orders has one), so that the planner inlines it, which takes half the
-- time of a call. Lengths come before patterns, and no pattern has a bounded repetition that a good cart meets: both are slow.
create function public.cart_problem(cart jsonb, p_most_tickets integer default 500, kinds jsonb default public.kinds_sold())
returns text language sql immutable as $$
  select coalesce(case
    when public.uuid_of(cart ->> 'user_id') is null then 'A signed-in buyer is required.'
    when length(coalesce(cart ->> 'idempotency_key', '')) not between 8 and 200
      or coalesce(cart ->> 'request_hash', '') = '' then 'An idempotency key is required.'
    when coalesce(cart ->> 'total_cents', '') !~ '^\d+$' or length(cart ->> 'total_cents') > 10 then
      'The total is not a valid amount.'
    when jsonb_typeof(cart -> 'attendees') is distinct from 'array' then 'Attendees are required.'
    when jsonb_array_length(cart -> 'attendees') > 500 then 'At most 500 tickets can be ordered at once.'
  end, public.items_problem(cart -> 'items', kinds), case
    when length(btrim(coalesce(cart #>> '{buyer,name}', ''))) not between 1 and 200
      or not public.is_one_line(cart #>> '{buyer,name}') then 'Name is required'
    when public.has_link(cart #>> '{buyer,name}') then 'A name cannot contain a web address'
    when not public.is_email(coalesce(cart #>> '{buyer,email}', '')) then 'Valid email is required'
    when not public.is_phone(coalesce(cart #>> '{buyer,phone}', '')) or length(cart #>> '{buyer,phone}') > 40 then 'Valid phone number is required'
  end, case
    -- A short list cannot contain long texts.
    when jsonb_array_length(cart -> 'attendees') <= p_most_tickets and length((cart -> 'attendees')::text) > 200
      then public.length_problem(cart -> 'attendees')
  end, case
    when jsonb_array_length(cart -> 'attendees') > p_most_tickets then null
    when jsonb_array_length(cart -> 'attendees') <> jsonb_array_length(jsonb_path_query_array(cart,
        ('strict $.attendees[*] ? (@.name like_regex "^[^\u0001-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$" && @.name like_regex "'
          || public.seen_pattern() || '" && @.email like_regex "' || public.email_pattern() || '")')::jsonpath)) then
      case when jsonb_array_length(cart -> 'attendees') <> jsonb_array_length(jsonb_path_query_array(cart,
          ('strict $.attendees[*] ? (@.name like_regex "^[^\u0001-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$" && @.name like_regex "'
            || public.seen_pattern() || '")')::jsonpath)) then 'Name is required' else 'Valid email is required' end
    -- Searching the list as text first, which few lists fail, costs 1 microsecond for one person and 4 for eight.
    when (cart -> 'attendees')::text ~* '[/\\?#／＼？＃∕⁄]|www' and public.names_have_link(cart -> 'attendees')
      then 'A name cannot contain a web address'
    when length((cart -> 'attendees')::text) > 90 and cart @? 'strict $.attendees[*] ? (@.email like_regex "@.*[^.]{64}")'
      then 'Valid email is required'
  end);
$$;

-- ── One cart: read, decide, write ───────────────────────────────────────────────────────────────────────────────────────

-- Refuses a cart. The codes are those of contract/errors.
create function public.refusal(code text, message text, details jsonb default null) returns jsonb
language sql immutable as $$
  select case when details is null then jsonb_build_object('ok', false, 'code', code, 'message', message)
    else jsonb_build_object('ok', false, 'code', code, 'message', message, 'details', details) end;
$$;

create function public.busy_refusal() returns jsonb language sql immutable as $$
  select public.refusal('concurrent_request', 'You are already placing another order. Please try again in a moment.');
$$;

create function public.conflict_refusal() returns jsonb language sql immutable as $$
  select public.refusal('idempotency_conflict', 'This order was already placed with a different cart. Please try again.');
$$;

-- A line of an order that is about to be placed, in the shop, at the door or as a comp.
create type public.order_line as (
  product_id uuid,
  kind text,
  needs_attendee boolean,
  name text,
  quantity integer,
  price numeric,
  included boolean  -- the parking that comes with VIP
);

-- The answer to a cart whose key has placed an order before.
create function public.repeated_answer(known public.orders, p_hash text) returns jsonb
language sql stable as $$
  select case
    when known.request_hash <> p_hash then public.conflict_refusal()
    when known.status = 'cancelled' then public.refusal('order_cancelled',
      'The tickets held for this order were released. Please try again.',
      jsonb_build_object('order_id', known.id, 'reason', known.cancel_reason))
    else jsonb_build_object('ok', true, 'order_id', known.id, 'total_cents', (known.total_amount * 100)::integer,
      'hold_expires_at', known.hold_expires_at, 'status', known.status, 'replayed', true) end;
$$;

create function public.shortage_message(shortage jsonb) returns text
language sql immutable as $$
  select string_agg(case when (s ->> 'available')::integer = 0 then format('%s is sold out.', s ->> 'name')
    else format('Only %s left of %s.', s ->> 'available', s ->> 'name') end, ' ') from jsonb_array_elements(shortage) as s;
$$;

-- A product as it is offered to the carts of a batch.
create type public.shelf_item as (
  id uuid,
  kind text,
  label text,  -- of the kind, as the next two
  needs_attendee boolean,
  one_per_order boolean,
  name text,
  price numeric,
  is_vip boolean,
  is_hidden boolean,
  sale text,  -- public.sale_state
  sale_opens_at timestamptz,
  has_offers boolean  -- of the waitlist, to anybody
);

-- The products that the carts of a batch ask for, read once after they are locked. Three arrays in the same order, since plpgsql
-- finds an element of an array in a tenth of the time of a query.
create type public.shelf as (
  ids uuid[],
  items public.shelf_item[],
  free integer[],  -- units that anybody may take. The orders of the batch that are not written yet have taken theirs
  general uuid  -- the parking that VIP includes
);

create function public.read_shelf(p_ids uuid[]) returns public.shelf language sql stable set search_path = '' as $$
  select row(array_agg(p.id), array_agg(row(p.id, p.kind, k.label, k.needs_attendee, k.one_per_order, p.name, p.price, p.is_vip,
      p.is_hidden, public.sale_state(p.on_sale, p.sale_opens_at, p.sale_closes_at), p.sale_opens_at, p.offered > 0)::public.shelf_item),
    array_agg(p.current_inventory - p.waiting), (array_agg(p.id) filter (where p.is_general))[1])::public.shelf
  from public.products p join public.product_kinds k using (kind) where p.id = any (p_ids);
$$;

-- Adds up a cart: its lines, with the parking that VIP includes, what they cost and which of them are short; or why it cannot be
-- bought at all. p_replaced: holds of the buyer, whose stock counts as free.
create function public.add_up_cart(cart jsonb, buyer uuid, p_replaced uuid[], shelf public.shelf, p_includes_parking boolean,
  out refusal jsonb, out lines public.order_line[], out tickets integer, out cents bigint, out shortage jsonb,
  out seats uuid[],  -- the ticket type of each attendee, if they name none: in the order of the items
  out has_offer boolean)  -- of the waitlist, to anybody
language plpgsql set search_path = '' as $$
declare
  item jsonb;
  at integer;  -- on the shelf
  product public.shelf_item;
  quantity integer;
  free integer;
  counted integer[] := '{}';  -- units of this cart, by place on the shelf
  kinds text[] := '{}';
  with_vip boolean := false;
  over text;  -- what the cart has too many of
begin
  lines := '{}'; tickets := 0; cents := 0; shortage := '[]'; seats := '{}'; has_offer := false;
  for n in 0 .. jsonb_array_length(cart -> 'items') - 1 loop
    item := cart -> 'items' -> n;
    at := array_position(shelf.ids, public.uuid_of(item ->> 'id'));
    product := shelf.items[at];
    if at is null or product.kind <> item ->> 'type' or product.is_hidden then
      refusal := public.refusal('unknown_item', 'One of the items is no longer for sale.',
        jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', item -> 'id'))));
      return;
    elsif product.sale <> 'open' then
      refusal := public.refusal('sales_closed', public.sale_refusal(product.sale, product.sale_opens_at, product.name),
        jsonb_build_object('state', product.sale, 'items', jsonb_build_array(jsonb_build_object('id', item -> 'id'))));
      return;
    end if;

    quantity := (item -> 'quantity')::integer;  -- 1.0 too
    if product.one_per_order and (quantity > 1 or product.kind = any (kinds)) then over := coalesce(over, product.label); end if;
    kinds := kinds || product.kind;
    free := public.units_for(product, shelf.free[at], buyer, p_replaced) - coalesce(counted[at], 0);
    counted[at] := coalesce(counted[at], 0) + quantity;
    if quantity > free then
      shortage := shortage || jsonb_build_object('id', product.id, 'name', product.name, 'available', greatest(free, 0),
        'requested', quantity);
    end if;
    if product.needs_attendee then
      tickets := tickets + quantity;
      seats := seats || array_fill(product.id, array[quantity]);
    end if;
    cents := cents + (product.price * 100)::bigint * quantity;
    with_vip := with_vip or product.is_vip;
    has_offer := has_offer or product.has_offers;
    lines := lines || row(product.id, product.kind, product.needs_attendee, product.name, quantity, product.price, false)::public.order_line;
  end loop;

  at := case when with_vip and p_includes_parking then array_position(shelf.ids, shelf.general) end;
  if tickets = 0 then
    refusal := public.refusal('no_tickets', 'Choose at least one ticket.');
  elsif over is not null then
    refusal := public.refusal('parking_limit', format('An order can include only one %s.', over));
  elsif counted[at] > 0 then
    refusal := public.refusal('parking_limit', 'VIP tickets already include general parking.');
  elsif tickets <> jsonb_array_length(cart -> 'attendees') then
    refusal := public.refusal('invalid_request', 'Every ticket needs exactly one attendee.');
  elsif cart @? 'strict $.attendees[*] ? (@.ticket_type_id != null)' and exists (
      select from unnest(lines) as l where l.needs_attendee group by l.product_id having sum(l.quantity) <> (
        select count(*) from jsonb_array_elements(cart -> 'attendees') as a where lower(a ->> 'ticket_type_id') = l.product_id::text)) then
    refusal := public.refusal('invalid_request', 'The attendees'' ticket types do not match the items.');
  elsif at is not null then
    product := shelf.items[at];
    lines := lines || row(product.id, product.kind, false, product.name, 1, 0, true)::public.order_line;
    has_offer := has_offer or product.has_offers;
    free := public.units_for(product, shelf.free[at], buyer, p_replaced);
    if free < 1 then
      shortage := shortage || jsonb_build_object('id', product.id, 'name', 'The parking included with VIP', 'available', free,
        'requested', 1);
    end if;
  end if;
end $$;

-- A buyer's orders, for the limits.
create type public.buyer_orders as (
  repeated uuid,  -- the order that the cart's key has placed
  holds uuid[],  -- that a new order replaces
  held integer,  -- tickets in them
  has_place boolean,  -- of the waitlist, used by one of them
  has_promo boolean,  -- a code, used by one of them
  tickets integer,  -- bought, or held otherwise
  recent integer,  -- orders of the last minute
  oldest timestamptz  -- of those
);

-- p_holds: those locked for the batch. One that is being expired or released at this moment is not, and counts as bought.
create function public.read_buyer(p_user uuid, p_key text, p_holds uuid[]) returns public.buyer_orders
language plpgsql stable set search_path = '' as $$
declare
  own public.buyer_orders;
begin
  select (array_agg(id) filter (where idempotency_key = p_key and created_at > now() - interval '72 hours'))[1],
      array_agg(id) filter (where is_replaced), coalesce(sum(ticket_count) filter (where is_replaced), 0),
      coalesce(bool_or(has_place and is_replaced), false), coalesce(bool_or(promo_code_id is not null and is_replaced), false),
      coalesce(sum(ticket_count) filter (where status <> 'cancelled' and not is_replaced), 0),
      count(*) filter (where created_at > now() - interval '1 minute'),
      min(created_at) filter (where created_at > now() - interval '1 minute')
    into own
    from (select id, status, ticket_count, created_at, has_place, promo_code_id, idempotency_key, id = any (p_holds) as is_replaced
      from public.orders where user_id = p_user) as o;
  if exists (select from public.former_buyers) then
    own.tickets := own.tickets + (select coalesce(sum(ticket_count), 0) from public.former_orders(p_user));
  end if;
  return own;
end $$;

-- Null, or why this buyer may not have these tickets now. crowd: of the cart's address, from read_crowds.
create function public.limit_refusal(cart jsonb, own public.buyer_orders, lines public.order_line[], tickets integer, cents bigint,
  shortage jsonb, crowd jsonb, shop public.shop_settings) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  if own.recent >= shop.max_orders_per_buyer then
    return public.refusal('rate_limited', 'Too many orders at once. Please wait a moment and try again.',
      jsonb_build_object('retry_after_seconds',
        greatest(1, ceil(extract(epoch from own.oldest + interval '1 minute' - now()))::integer)));
  elsif (crowd ->> 'orders')::integer >= shop.max_orders_per_address then
    return public.refusal('rate_limited', 'Too many orders are coming from your network. Please wait a moment and try again.',
      jsonb_build_object('retry_after_seconds', 10));
  elsif tickets + own.tickets > shop.max_tickets_per_buyer then
    return public.refusal('too_many_units', format('At most %s tickets per buyer.', shop.max_tickets_per_buyer),
      jsonb_build_object('limit', shop.max_tickets_per_buyer, 'owned', own.tickets));
  elsif shortage <> '[]' then
    return public.refusal('insufficient_stock', public.shortage_message(shortage), jsonb_build_object('items', shortage));
  elsif cents <> (cart ->> 'total_cents')::bigint then
    return public.refusal('price_changed',
      format('The price has changed: the total is now $%s.', to_char(cents / 100.0, 'FM999,999,990.00')),
      jsonb_build_object('total_cents', cents, 'items', (
        select jsonb_agg(jsonb_build_object('id', product_id, 'price_cents', (price * 100)::integer)) from unnest(lines)
          where not included)));
  elsif tickets > (crowd ->> 'room')::integer + own.held then
    return public.refusal('rate_limited',
      'Too many unpaid tickets are being held from your network. Please try again in a few minutes.',
      jsonb_build_object('retry_after_seconds', 30));
  end if;
  return null;
end $$;

-- An order that a cart was granted, and that is not written yet.
create type public.placed_order as (
  id uuid,
  cart jsonb,
  lines public.order_line[],
  tickets integer,
  seats uuid[],  -- as add_up_cart returns them
  cents bigint,
  fee bigint,
  promo_id uuid,
  promo_code text,
  discount bigint,
  discounts integer[],  -- in cents, of each line
  replaced uuid[],  -- the buyer's holds that are cancelled when it is written
  room integer,  -- how it changes what its address may hold unpaid
  -- It moves units that are not on the shelf, of a place of the waitlist or of a hold that has ended already: it is written before the
  -- next cart is decided.
  at_once boolean
);

-- Decides one cart: the order that it gets, or why not. Until all is decided, nothing changes: a refusal leaves the buyer's present
-- hold as it is. reserve_orders has locked all that this reads, and p_holds, the holds that it may replace; it writes most orders at
-- the end of the batch, and until then their units are missing from the shelf.
create function public.reserve_order(cart jsonb, p_holds uuid[], shelf public.shelf, crowd jsonb, shop public.shop_settings,
  out answer jsonb, out placed public.placed_order)
language plpgsql set search_path = '' as $$
declare
  buyer constant uuid := (cart ->> 'user_id')::uuid;
  sale text := public.sale_state(shop.on_sale, shop.sale_opens_at, shop.sale_closes_at);
  own constant public.buyer_orders := public.read_buyer(buyer, cart ->> 'idempotency_key', p_holds);
  replaced uuid[] := own.holds;
  total record;
  promo record;
  fee bigint;
  cents bigint;
begin
  if own.repeated is not null then
    answer := (select public.repeated_answer(o, cart ->> 'request_hash') from public.orders o where o.id = own.repeated);
    return;
  elsif sale <> 'open' then
    if not shop.on_sale and exists (select from public.festival where status = 'cancelled') then sale := 'cancelled'; end if;
    answer := public.refusal('sales_closed', public.sale_refusal(sale, shop.sale_opens_at), jsonb_build_object('state', sale));
    return;
  end if;

  total := public.add_up_cart(cart, buyer, own.holds, shelf, shop.vip_includes_parking);
  answer := total.refusal;
  if answer is not null then return; end if;
  promo := public.promo_terms(cart ->> 'promo_code', buyer, cart ->> 'address', own.holds, total.lines);
  answer := promo.refusal;
  if answer is not null then return; end if;
  fee := public.fee_cents(shop, total.cents - promo.discount, total.tickets);
  cents := total.cents - promo.discount + fee;
  answer := public.limit_refusal(cart, own, total.lines, total.tickets, cents, total.shortage, crowd, shop);
  if answer is not null then return; end if;

  -- The old hold's stock and place are free for the new order once it is written. The use of its promo code is free now.
  if own.has_promo then
    perform public.cancel_pending_orders(own.holds, 'replaced');
    replaced := null;
  end if;
  if promo.id is not null then update public.promo_codes set held = held + 1 where id = promo.id; end if;
  placed := row(gen_random_uuid(), cart, total.lines, total.tickets, total.seats, cents, fee, promo.id, promo.code, promo.discount,
    promo.discounts, replaced, own.held - total.tickets, total.has_offer or own.has_place or own.has_promo);
  answer := jsonb_build_object('ok', true, 'order_id', placed.id, 'total_cents', cents, 'hold_expires_at', now() + shop.hold_duration,
    'status', 'pending', 'replayed', false);
end $$;

-- Takes an order's units off the shelf, and returns those of the holds it replaces.
create function public.take_from_shelf(inout shelf public.shelf, placed public.placed_order)
language plpgsql set search_path = '' as $$
declare
  line public.order_line;
  at integer;
  returned public.stock_units;
begin
  foreach line in array placed.lines loop
    at := array_position(shelf.ids, line.product_id);
    shelf.free[at] := shelf.free[at] - line.quantity;
  end loop;
  if placed.replaced is null then return; end if;
  foreach returned in array public.units_of(placed.replaced) loop
    at := array_position(shelf.ids, returned.product_id);
    shelf.free[at] := shelf.free[at] + returned.units;
  end loop;
end $$;

-- Writes orders, with one statement for each table, and moves their stock. Cancels the holds they replace.
create function public.write_orders(placed public.placed_order[], shop public.shop_settings) returns void
language plpgsql set search_path = '' as $$
begin
  perform public.cancel_pending_orders(array(select unnest(replaced) from unnest(placed)), 'replaced');
  insert into public.orders (id, user_id, status, total_amount, buyer_full_name, buyer_email, buyer_phone_number, attendees, ticket_count,
      hold_expires_at, idempotency_key, request_hash, discount_amount, promo_code_id, promo_code, fee_amount, fee_name, fee_is_refunded)
    select id, (cart ->> 'user_id')::uuid, 'pending', cents / 100.0, cart #>> '{buyer,name}', cart #>> '{buyer,email}',
      cart #>> '{buyer,phone}', case when cart @? 'strict $.attendees[0].ticket_type_id ? (@ != null)' then cart -> 'attendees'
        else (select jsonb_agg(person || jsonb_build_object('ticket_type_id', seats[n]) order by n)
          from jsonb_array_elements(cart -> 'attendees') with ordinality as a (person, n)) end,
      tickets, now() + shop.hold_duration, cart ->> 'idempotency_key', cart ->> 'request_hash',
      discount / 100.0, promo_id, promo_code, fee / 100.0, case when fee > 0 then btrim(shop.fee_name) end, shop.fee_is_refunded
    from unnest(placed);
  insert into public.order_addresses (order_id, address, room)
    select id, cart ->> 'address', public.address_room('pending', tickets, cents) from unnest(placed) where cart ->> 'address' is not null;
  insert into public.order_items (order_id, position, product_id, kind, name, quantity, unit_price, included, discount)
    select p.id, position, product_id, kind, name, quantity, price, included, coalesce(p.discounts[position], 0) / 100.0
    from unnest(placed) as p
    cross join lateral unnest(p.lines) with ordinality as l (product_id, kind, needs_attendee, name, quantity, price, included, position);
  perform public.claim_places(id) from unnest(placed) where at_once;
  perform public.move_stock(array(
    select row(product_id, quantity)::public.stock_units from unnest(placed) as p cross join lateral unnest(p.lines)), -1, 1, 0);
end $$;

-- ── A batch of carts ────────────────────────────────────────────────────────────────────────────────────────────────────

-- What the addresses of these carts have used of their limits: {address: {orders, room}}, from at most a thousand orders each. Read
-- once for a batch, which may be a crowd behind one address; by a bitmap, all its orders would be read and sorted. orders: placed in
-- the last minute. room: tickets that the address may still hold unpaid; paying earns it more.
create function public.read_crowds(carts jsonb, shop public.shop_settings) returns jsonb
language sql stable set search_path = '' set enable_bitmapscan = off as $$
  select jsonb_object_agg(a.address, jsonb_build_object('orders', used.orders, 'room', used.room))
  from (select distinct cart ->> 'address' as address from jsonb_array_elements(carts) as cart) as a
  cross join lateral (
    select count(*) filter (where o.placed_at > now() - interval '1 minute') as orders, coalesce(sum(o.room), 0)
      + greatest((select sum(total_inventory) from public.products join public.product_kinds using (kind) where needs_attendee)
        * shop.address_hold_share, shop.max_tickets_per_buyer)::integer as room
    from (select placed_at, room from public.order_addresses
      where address = a.address order by placed_at desc limit 1000) as o
  ) as used
  where a.address is not null;
$$;

-- Locks what these carts may change, in the lock order: holds, promo codes, stock. Returns the holds and the ids of the stock. A hold that is being expired or
-- released at this moment is not waited for. The parking that comes with VIP is locked with any cart.
-- A code that is added or renamed after this, or a pass that becomes the general one, is read without a lock. Its row's checks still
-- hold, and a batch that fails by them or in a deadlock is tried again in halves.
create function public.lock_for_carts(carts jsonb, shop public.shop_settings, out holds uuid[], out stock uuid[])
language plpgsql set search_path = '' as $$
begin
  holds := array(select o.id from jsonb_array_elements(carts) as cart cross join lateral (
    select id, status from public.orders where user_id = (cart ->> 'user_id')::uuid offset 0) as o where o.status = 'pending');
  holds := array(select id from (
    select id, status from public.orders where id = any (holds) order by id offset 0 for no key update skip locked
  ) as live where status = 'pending');
  perform from public.promo_codes where id = any (array(
      select id from public.promo_codes
        where code = any (array(select public.promo_text(cart ->> 'promo_code') from jsonb_array_elements(carts) as cart))
      union select promo_code_id from public.orders where id = any (holds)))
    order by id for no key update;
  stock := array(
    select public.uuid_of(item ->> 'id') from jsonb_array_elements(carts) as cart, jsonb_array_elements(cart -> 'items') as item
    union select product_id from unnest(public.units_of(holds))
    union select id from public.products where is_general and shop.vip_includes_parking);
  perform public.lock_stock(stock);
end $$;

-- Reserves an array of carts, one after the other, and returns their answers in the same order: each succeeds or fails alone. One
-- call is one transaction: the server batches the carts of many buyers because all of them want the same few rows. These are locked
-- once, before the first cart, since two batches that lock them cart by cart could deadlock. The orders are written and their stock is
-- moved once, after the last, which takes half as long as cart by cart (decision 003); except while places of the waitlist are out.
--
-- cart: {user_id, idempotency_key, request_hash, items: [{type, id, quantity}],
--        attendees: [{name, email, ticket_type_id}], buyer: {name, email, phone}, total_cents, address, promo_code}
--       Attendees that name no ticket type are in the order of the items; either all name one or none does.
-- answer: {ok: true, order_id, total_cents, hold_expires_at, status, replayed} or {ok: false, code, message, details}
--
-- One buyer's carts are decided one after another, whichever connection they come over: of several in a batch only the first. Nobody
-- waits for a buyer whom another transaction has locked, since the carts of all others would wait too.
create function public.reserve_orders(carts jsonb) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  kinds constant jsonb := public.kinds_sold();
  shop public.shop_settings;
  answers jsonb[];
  sound jsonb;  -- the carts that have no answer yet
  locked record;
  crowds jsonb;
  shelf public.shelf;
  placed public.placed_order[] := '{}';
  cart jsonb;
  address text;
  at integer;
  buyers uuid[] := '{}';  -- of the carts decided
  decided record;
begin
  if jsonb_typeof(carts) is distinct from 'array' or jsonb_array_length(carts) > 64 then
    raise exception 'carts must be an array of at most 64' using errcode = '22023';
  end if;
  select * into strict shop from public.shop_settings;
  select coalesce(array_agg(case when problem is not null then public.refusal('invalid_request', problem)
      when not pg_try_advisory_xact_lock(hashtextextended('buyer ' || buyer, 0)) then public.busy_refusal() end order by n), '{}')
    into answers
    from (
      select n, lower(value ->> 'user_id') as buyer, public.cart_problem(value, shop.max_tickets_per_buyer, kinds) as problem
      from jsonb_array_elements(carts) with ordinality as c (value, n) offset 0) as c;
  select coalesce(jsonb_agg(value order by n), '[]') into sound
    from jsonb_array_elements(carts) with ordinality as c (value, n) where answers[n] is null;

  locked := public.lock_for_carts(sound, shop);
  shelf := public.read_shelf(locked.stock);
  crowds := public.read_crowds(sound, shop);
  for cart, at in select value, n from jsonb_array_elements(carts) with ordinality as c (value, n) where answers[n] is null loop
    if (cart ->> 'user_id')::uuid = any (buyers) then
      answers[at] := public.busy_refusal();
      continue;
    end if;
    buyers := buyers || (cart ->> 'user_id')::uuid;
    address := cart ->> 'address';
    decided := public.reserve_order(cart, locked.holds, shelf, crowds -> address, shop);
    answers[at] := decided.answer;
    continue when decided.placed is null;
    placed := placed || decided.placed;
    if (decided.placed).at_once then
      -- It may have units of a hold that an order before it replaces.
      perform public.write_orders(placed, shop);
      placed := '{}';
      shelf := public.read_shelf(locked.stock);
    else
      shelf := public.take_from_shelf(shelf, decided.placed);
    end if;
    if address is not null then
      crowds := jsonb_set(crowds, array[address], jsonb_build_object('orders', (crowds #>> array[address, 'orders'])::integer + 1,
        'room', (crowds #>> array[address, 'room'])::integer + (decided.placed).room));
    end if;
  end loop;
  perform public.write_orders(placed, shop);
  perform public.count_wrong_codes(carts, answers);
  return to_jsonb(answers);
end $$;

revoke execute on function public.kinds_sold(), public.items_problem(jsonb, jsonb), public.uuid_of(text), public.length_problem(jsonb),
  public.cart_problem(jsonb, integer, jsonb), public.refusal(text, text, jsonb), public.busy_refusal(), public.conflict_refusal(),
  public.repeated_answer(public.orders, text), public.shortage_message(jsonb), public.read_shelf(uuid[]),
  public.add_up_cart(jsonb, uuid, uuid[], public.shelf, boolean), public.read_buyer(uuid, text, uuid[]),
  public.limit_refusal(jsonb, public.buyer_orders, public.order_line[], integer, bigint, jsonb, jsonb, public.shop_settings),
  public.reserve_order(jsonb, uuid[], public.shelf, jsonb, public.shop_settings),
  public.take_from_shelf(public.shelf, public.placed_order),
  public.write_orders(public.placed_order[], public.shop_settings), public.read_crowds(jsonb, public.shop_settings),
  public.lock_for_carts(jsonb, public.shop_settings), public.reserve_orders(jsonb)
  from public, anon, authenticated;
