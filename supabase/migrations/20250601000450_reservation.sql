-- Reserving stock for carts. One call decides a batch of them: see reserve_orders, the last function.

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

-- A list of people {name, email} with a text that is too long, or null. An element may be anything.
create function public.length_problem(p_people jsonb) returns text language sql immutable set search_path = '' as $$
  select case when bool_or(length(person ->> 'name') > 200) then 'Name is required'
    when bool_or(length(person ->> 'email') > 254) then 'Valid email is required' end
  from jsonb_array_elements(p_people) as person
$$;

-- What is wrong with a cart's shape, or null. Nothing here may raise: one bad cart must not spoil its batch. The limits are
-- those of contract/schemas. Of more people than p_most_tickets the names are not read, which took 80 ms for the largest carts:
-- reserve_orders refuses their number (add_up_cart, limit_refusal).
-- One expression without a search path of its own (reserve_orders has one), so that the planner inlines it, which takes half the
-- time of a call. Lengths come before patterns, and no pattern has a bounded repetition that a good cart meets: both are slow.
create function public.cart_problem(cart jsonb, p_most_tickets integer default 500, kinds jsonb default public.kinds_sold())
returns text language sql immutable as $$
  select coalesce(case
    when coalesce(cart ->> 'user_id', '') not like '________-____-____-____-____________'
      or cart ->> 'user_id' !~ '^[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+$' then
      'A signed-in buyer is required.'
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
        ('strict $.attendees[*] ? (@.name like_regex "^[^\u0001-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$" && @.name like_regex "\\S" && @.email like_regex "'
          || public.email_pattern() || '")')::jsonpath)) then
      case when jsonb_array_length(cart -> 'attendees') <> jsonb_array_length(jsonb_path_query_array(cart,
          'strict $.attendees[*] ? (@.name like_regex "^[^\u0001-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$" && @.name like_regex "\\S")')) then 'Name is required' else 'Valid email is required' end
    -- Searching the list as text first, which few lists fail, costs 1 microsecond for one person and 4 for eight.
    when (cart -> 'attendees')::text ~* '[/\\?#／＼？＃∕⁄]|www' and public.names_have_link(cart -> 'attendees')
      then 'A name cannot contain a web address'
    when length((cart -> 'attendees')::text) > 90 and cart @? 'strict $.attendees[*] ? (@.email like_regex "@.*[^.]{64}")'
      then 'Valid email is required'
  end);
$$;

-- ── Reserving: lock, read, decide, write. Each stage is a function, and reserve_orders at the end is the story ──────────

-- Something for sale, as read for a batch of carts. How many are left changes from cart to cart and is kept apart.
create type public.stock_item as (
  id uuid,
  kind public.product_kinds,
  name text,
  cents integer,
  available integer,
  is_vip boolean,
  comes_with_vip boolean,  -- the parking that a VIP ticket claims
  sale text,  -- sale_state, or 'hidden'
  opens_at timestamptz,
  has_line boolean  -- people wait for it, or have places offered
);

create type public.cart_line as (
  at integer,  -- the item's index in the stock; null if it is not there
  quantity integer,
  id text,  -- as the cart names it
  kind text,  -- as the cart names it
  included boolean
);

-- Recent orders of one address.
create type public.address_use as (
  address text,
  orders integer,  -- placed in the last minute
  room integer  -- tickets it may still hold unpaid
);

-- A promo code that a cart of the batch names, or that an order it replaces has.
create type public.promo_use as (
  id uuid,
  code text,
  amount_cents integer,
  percent integer,
  ticket_type_ids uuid[],  -- empty: all of them
  is_open boolean,
  uses_left integer,  -- after the carts decided so far; null when there is no limit
  uses_per_buyer integer,
  holders uuid[]  -- buyers of the batch whose present hold has a use of it, which a new one gives back
);

-- What a cart costs when more than prices decide it: price_cart.
create type public.cart_price as (
  refusal jsonb,
  cents bigint,
  discount bigint,
  discounts integer[],  -- in cents, of each of the cart's lines
  promo_id uuid,
  promo_code text,
  fee bigint
);

-- A valid cart with everything needed to decide it. An invalid one has only n.
create type public.reservation_cart as (
  n integer,
  key text,
  hash text,
  total_cents bigint,
  user_id uuid,
  address_at integer,  -- index in the addresses; null when the cart names none
  lines public.cart_line[],
  attendees integer,
  attendee_types integer[],  -- indexes in the stock; null when no attendee names a type
  known_order uuid,  -- placed before with the same key
  held_orders uuid[],
  held_lines public.cart_line[],
  held_tickets integer,
  owned_tickets integer,
  recent_orders integer,
  oldest_recent timestamptz
);

create type public.placed_order as (
  id uuid,
  n integer,
  cents bigint,
  tickets integer,
  attendees jsonb,  -- null when the cart's own name their ticket types
  lines public.cart_line[],
  price public.cart_price  -- null when only the items' prices count
);

-- A cart's refusal. The codes are those of contract/errors.
create function public.refusal(code text, message text, details jsonb default null) returns jsonb
language sql immutable as $$
  select case when details is null then jsonb_build_object('ok', false, 'code', code, 'message', message)
    else jsonb_build_object('ok', false, 'code', code, 'message', message, 'details', details) end;
$$;

create function public.busy_refusal() returns jsonb language sql immutable as $$
  select public.refusal('concurrent_request', 'You are already placing another order. Please try again in a moment.');
$$;

-- Lock: one buyer's carts are decided one after another, whichever connection they come over. Nobody waits for a buyer whom
-- another transaction has locked, since the carts of all others would wait too: those carts are busy, and are problems from now
-- on. A buyer has one live hold, which a new one replaces in the same transaction. The holds are returned locked. A hold that is
-- being expired or released at this moment is left alone and counts as held.
create function public.lock_buyers(carts jsonb, inout problems text[], out busy integer[], out holds uuid[])
language plpgsql as $$
declare
  at integer;
begin
  select coalesce(array_agg(n::integer), '{}') into busy from jsonb_array_elements(carts) with ordinality as e (value, n)
    where problems[n] is null and not pg_try_advisory_xact_lock(hashtextextended('buyer ' || lower(value ->> 'user_id'), 0));
  foreach at in array busy loop problems[at] := 'The buyer is busy.'; end loop;
  select coalesce(array_agg(o.id), '{}') into holds
    from jsonb_array_elements(carts) with ordinality as e (value, n)
    cross join lateral (
      select id, status from public.orders where user_id = (value ->> 'user_id')::uuid offset 0
    ) as o
    where problems[n] is null and o.status = 'pending';
  if holds <> '{}' then
    select coalesce(array_agg(id), '{}') into holds from (
      select id, status from public.orders where id = any (holds) order by id offset 0 for no key update skip locked
    ) as live where status = 'pending';
  end if;
end $$;

-- Lock: all stock that the carts want, that the holds return and that VIP claims. The parking that comes with VIP is locked with any
-- cart: whether one has a VIP ticket is known only once the rows are locked, and then it is too late for the lock order.
create function public.lock_cart_stock(carts jsonb, problems text[], holds uuid[], vip_includes_parking boolean)
returns public.stock_item[]
language plpgsql as $$
declare
  stock public.stock_item[];
begin
  with wanted_ids as (
    select lower(l ->> 'id') as id from jsonb_array_elements(carts) with ordinality as e (value, n),
      jsonb_array_elements(value -> 'items') as l where problems[n] is null
    union select product_id::text from public.order_items where order_id = any (holds)
  ), locked as materialized (
    select * from public.products
    where id::text in (select id from wanted_ids) or (is_general and vip_includes_parking) order by id for no key update
  )
  -- Stock that people on the waitlist wait for goes to them first.
  select coalesce(array_agg(row(p.id, k, p.name, (p.price * 100)::integer, greatest(p.current_inventory - p.waiting, 0), p.is_vip,
      p.is_general and vip_includes_parking, case when p.is_hidden then 'hidden'
        else public.sale_state(p.on_sale, p.sale_opens_at, p.sale_closes_at) end,
      p.sale_opens_at, p.waiting + p.offered > 0)::public.stock_item), '{}')
    into stock from locked p join public.product_kinds k using (kind);
  return stock;
end $$;

-- Read: the recent orders of each address, at most a thousand. Paying earns an address more room for unpaid holds.
create function public.read_addresses(carts jsonb, settings public.shop_settings) returns setof public.address_use
language sql stable as $$
  select a.address, counted.orders, counted.room
  from (select distinct value ->> 'address' as address from jsonb_array_elements(carts) where value ->> 'address' is not null) as a
  cross join lateral (
    select count(*) filter (where o.placed_at > now() - interval '1 minute')::integer as orders,
      greatest((select sum(total_inventory) from public.products join public.product_kinds using (kind) where needs_attendee)
        * settings.address_hold_share, settings.max_tickets_per_buyer)::integer + coalesce(sum(o.room), 0)::integer as room
    from (select placed_at, room from public.order_addresses
      where address = a.address order by placed_at desc limit 1000) as o
  ) as counted;
$$;

-- Read: the carts, in their order. One query, which PostgreSQL inlines into the caller's.
create function public.read_carts(carts jsonb, problems text[], holds uuid[], stock public.stock_item[],
  addresses public.address_use[]) returns setof public.reservation_cart
language sql stable as $$
  select n::integer, cart ->> 'idempotency_key', cart ->> 'request_hash', (cart ->> 'total_cents')::bigint, buyer,
    array_position(seen.addresses, cart ->> 'address'), wanted.lines, jsonb_array_length(cart -> 'attendees'), people.types,
    owned.known_order, owned.holds, held.lines, owned.held,
    owned.tickets + case when (select exists (select from public.former_buyers)) then
      (select coalesce(sum(ticket_count), 0)::integer from public.former_orders(buyer)) else 0 end, owned.recent, owned.oldest
  from jsonb_array_elements(carts) with ordinality as e (value, n)
  cross join (
    select array_agg(id) as ids, array_agg(id::text) as keys from (select id from unnest(stock) offset 0) as s
  ) as in_stock
  cross join (select array_agg(address) as addresses from (select address from unnest(addresses) offset 0) as a) as seen
  cross join lateral (select case when problems[n] is null then value end as cart) as sound
  cross join lateral (select (cart ->> 'user_id')::uuid as buyer) as b
  cross join lateral (
    select array_agg(row(array_position(in_stock.keys, lower(l ->> 'id')), (l -> 'quantity')::integer, l ->> 'id',
      l ->> 'type', false)::public.cart_line order by o) as lines
    from jsonb_array_elements(cart -> 'items') with ordinality as i (l, o)
  ) as wanted
  cross join lateral (
    select case when count(a ->> 'ticket_type_id') > 0
      then array_agg(array_position(in_stock.keys, lower(a ->> 'ticket_type_id'))) end as types
    from jsonb_array_elements(cart -> 'attendees') as a
  ) as people
  cross join lateral (
    select array_agg(o.id) filter (where o.id = any (holds)) as holds,
      coalesce(sum(o.ticket_count) filter (where o.id = any (holds)), 0)::integer as held,
      coalesce(sum(o.ticket_count) filter (where o.status <> 'cancelled' and o.id <> all (holds)), 0)::integer as tickets,
      (count(*) filter (where o.created_at > now() - interval '1 minute'))::integer as recent,
      min(o.created_at) filter (where o.created_at > now() - interval '1 minute') as oldest,
      (array_agg(o.id) filter (where o.idempotency_key = cart ->> 'idempotency_key'
        and o.created_at > now() - interval '72 hours'))[1] as known_order
    from (
      select id, status, ticket_count, created_at, idempotency_key from public.orders where user_id = b.buyer offset 0
    ) as o
  ) as owned
  cross join lateral (
    select coalesce(array_agg(row(array_position(in_stock.ids, i.product_id), i.quantity, null, null, false)::public.cart_line),
      '{}') as lines
    from unnest(owned.holds) as o (id) cross join lateral (
      select product_id, quantity from public.order_items where order_id = o.id offset 0) as i
  ) as held
  order by n;
$$;

-- Decide: the cart of a buyer who has an order already, from before or from this batch (twin and its answer). The same key gets
-- the state of its order; a different key must wait until this transaction has ended.
create function public.repeated_answer(cart public.reservation_cart, twin jsonb, twin_answer jsonb) returns jsonb
language plpgsql stable as $$
declare
  known public.orders;
begin
  select * into known from public.orders where id = cart.known_order;
  return case
    when known.id is null and twin ->> 'idempotency_key' <> cart.key then public.busy_refusal()
    when coalesce(known.request_hash, twin ->> 'request_hash') <> cart.hash then public.refusal('idempotency_conflict',
      'This order was already placed with a different cart. Please try again.')
    when known.id is null then twin_answer || '{"replayed": true}'
    when known.status = 'cancelled' then public.refusal('order_cancelled',
      'The tickets held for this order were released. Please try again.',
      jsonb_build_object('order_id', known.id, 'reason', known.cancel_reason))
    else jsonb_build_object('ok', true, 'order_id', known.id, 'total_cents', (known.total_amount * 100)::integer,
      'hold_expires_at', known.hold_expires_at, 'status', known.status, 'replayed', true)
  end;
end $$;

-- Decide: the cart's total and the stock left after it, or why it cannot be bought at all. The buyer's present hold counts as
-- free: it is released if the cart succeeds. vip_parking: the index in the stock of the pass VIP claims, null if none.
create function public.add_up_cart(cart public.reservation_cart, stock public.stock_item[], vip_parking integer,
  inout available integer[], out refusal jsonb, out tickets integer, out cents bigint, out includes_parking boolean,
  out shortage jsonb)
language plpgsql stable as $$
declare
  line public.cart_line;
  item public.stock_item;
  before integer[];
  kinds text[] := '{}';  -- of which the cart has one, and an order may have only one
  over text;  -- what the cart has too many of
  names_vip_parking boolean := false;
begin
  foreach line in array cart.held_lines loop
    available[line.at] := available[line.at] + line.quantity;
  end loop;
  before := available;
  tickets := 0; cents := 0; includes_parking := false; shortage := '[]';

  foreach line in array cart.lines loop
    item := stock[line.at];
    if item.id is null or (item.kind).kind <> line.kind or item.sale = 'hidden' then
      refusal := public.refusal('unknown_item', 'One of the items is no longer for sale.',
        jsonb_build_object('items', jsonb_build_array(jsonb_build_object('id', line.id))));
      return;
    elsif item.sale <> 'open' then
      refusal := public.refusal('sales_closed', public.sale_refusal(item.sale, item.opens_at, item.name),
        jsonb_build_object('state', item.sale, 'items', jsonb_build_array(jsonb_build_object('id', line.id))));
      return;
    end if;
    if (item.kind).needs_attendee then tickets := tickets + line.quantity; end if;
    if (item.kind).one_per_order then
      if line.quantity > 1 or line.kind = any (kinds) then over := coalesce(over, (item.kind).label); end if;
      kinds := kinds || line.kind;
    end if;
    includes_parking := includes_parking or (item.is_vip and vip_parking is not null);
    names_vip_parking := names_vip_parking or item.comes_with_vip;
    cents := cents + item.cents::bigint * line.quantity;
    if line.quantity > available[line.at] then
      shortage := shortage || jsonb_build_object('id', item.id, 'name', item.name,
        'available', greatest(available[line.at], 0), 'requested', line.quantity);
    end if;
    available[line.at] := available[line.at] - line.quantity;
  end loop;

  if tickets = 0 then
    refusal := public.refusal('no_tickets', 'Choose at least one ticket.');
  elsif over is not null then
    refusal := public.refusal('parking_limit', format('An order can include only one %s.', over));
  elsif includes_parking and names_vip_parking then
    refusal := public.refusal('parking_limit', 'VIP tickets already include general parking.');
  elsif tickets <> cart.attendees then
    refusal := public.refusal('invalid_request', 'Every ticket needs exactly one attendee.');
  elsif cart.attendee_types is not null then
    foreach line in array cart.lines loop
      if ((stock[line.at]).kind).needs_attendee
        and cardinality(array_positions(cart.attendee_types, line.at)) <> before[line.at] - available[line.at] then
        refusal := public.refusal('invalid_request', 'The attendees'' ticket types do not match the items.');
      end if;
    end loop;
  end if;

  if includes_parking then
    if available[vip_parking] < 1 then
      shortage := shortage || jsonb_build_object('id', stock[vip_parking].id, 'name', 'The parking included with VIP',
        'available', greatest(available[vip_parking], 0), 'requested', 1);
    end if;
    available[vip_parking] := available[vip_parking] - 1;
  end if;
end $$;

create function public.shortage_message(shortage jsonb) returns text
language sql immutable as $$
  select string_agg(case when (s ->> 'available')::integer = 0 then format('%s is sold out.', s ->> 'name')
    else format('Only %s left of %s.', s ->> 'available', s ->> 'name') end, ' ') from jsonb_array_elements(shortage) as s;
$$;

create function public.current_prices(cart public.reservation_cart, stock public.stock_item[]) returns jsonb
language sql immutable as $$
  select jsonb_agg(jsonb_build_object('id', (stock[at]).id, 'price_cents', (stock[at]).cents)) from unnest(cart.lines);
$$;

-- Decide: null, or why this buyer may not have these tickets now.
create function public.limit_refusal(cart public.reservation_cart, tickets integer, cents bigint, shortage jsonb,
  stock public.stock_item[], address public.address_use, settings public.shop_settings) returns jsonb
language plpgsql stable as $$
begin
  if cart.recent_orders >= settings.max_orders_per_buyer then
    return public.refusal('rate_limited', 'Too many orders at once. Please wait a moment and try again.',
      jsonb_build_object('retry_after_seconds',
        greatest(1, ceil(extract(epoch from cart.oldest_recent + interval '1 minute' - now()))::integer)));
  elsif address.orders >= settings.max_orders_per_address then
    return public.refusal('rate_limited', 'Too many orders are coming from your network. Please wait a moment and try again.',
      jsonb_build_object('retry_after_seconds', 10));
  elsif tickets + cart.owned_tickets > settings.max_tickets_per_buyer then
    return public.refusal('too_many_units', format('At most %s tickets per buyer.', settings.max_tickets_per_buyer),
      jsonb_build_object('limit', settings.max_tickets_per_buyer, 'owned', cart.owned_tickets));
  elsif shortage <> '[]' then
    return public.refusal('insufficient_stock', public.shortage_message(shortage), jsonb_build_object('items', shortage));
  elsif cents <> cart.total_cents then
    return public.refusal('price_changed',
      format('The price has changed: the total is now $%s.', to_char(cents / 100.0, 'FM999,999,990.00')),
      jsonb_build_object('total_cents', cents, 'items', public.current_prices(cart, stock)));
  elsif tickets > address.room + cart.held_tickets then
    return public.refusal('rate_limited',
      'Too many unpaid tickets are being held from your network. Please try again in a few minutes.',
      jsonb_build_object('retry_after_seconds', 30));
  end if;
  return null;
end $$;

-- Decide: attendees who name no ticket type get tickets in the order of the items.
create function public.seat_attendees(attendees jsonb, lines public.cart_line[], stock public.stock_item[]) returns jsonb
language sql immutable as $$
  select jsonb_agg(attendees -> (n - 1)::integer || jsonb_build_object('ticket_type_id', id) order by n)
  from (
    select (stock[l.at]).id as id, row_number() over (order by l.o) as n
    from unnest(lines) with ordinality as l (at, quantity, id, kind, included, o), generate_series(1, l.quantity)
    where ((stock[l.at]).kind).needs_attendee
  ) as seat;
$$;

-- Write: one statement for each table.
create function public.write_orders(carts jsonb, placed public.placed_order[], stock public.stock_item[], replaced uuid[],
  expires timestamptz, discounted boolean, settings public.shop_settings, places_matter boolean) returns void
language plpgsql as $$
begin
  insert into public.orders (id, user_id, status, total_amount, buyer_full_name, buyer_email, buyer_phone_number,
      attendees, ticket_count, hold_expires_at, idempotency_key, request_hash, discount_amount, promo_code_id, promo_code,
      fee_amount, fee_name, fee_is_refunded)
    select o.id, (cart ->> 'user_id')::uuid, 'pending', o.cents / 100.0, cart #>> '{buyer,name}', cart #>> '{buyer,email}',
      cart #>> '{buyer,phone}', coalesce(o.attendees, cart -> 'attendees'), o.tickets, expires,
      cart ->> 'idempotency_key', cart ->> 'request_hash', coalesce((o.price).discount, 0) / 100.0, (o.price).promo_id,
      (o.price).promo_code, coalesce((o.price).fee, 0) / 100.0, case when (o.price).fee > 0 then btrim(settings.fee_name) end,
      settings.fee_is_refunded
    from unnest(placed) as o
    cross join lateral (select carts -> (o.n - 1) as cart) as c;
  insert into public.order_addresses (order_id, address, room)
    select o.id, carts -> (o.n - 1) ->> 'address', public.address_room('pending', o.tickets, o.cents) from unnest(placed) as o
    where carts -> (o.n - 1) ->> 'address' is not null;
  insert into public.order_items (order_id, position, product_id, kind, name, quantity, unit_price, included, discount)
    select o.id, l.position, (stock[l.at]).id, ((stock[l.at]).kind).kind, (stock[l.at]).name, l.quantity,
      case when l.included then 0 else (stock[l.at]).cents / 100.0 end, l.included,
      coalesce((o.price).discounts[l.position], 0) / 100.0
    from unnest(placed) as o
    cross join lateral unnest(o.lines) with ordinality as l (at, quantity, id, kind, included, position);

  -- The old holds' stock returns first: the stock checks apply after every single update.
  if cardinality(replaced) > 0 then perform public.cancel_pending_orders(replaced, 'replaced'); end if;
  if places_matter then perform public.claim_places((o).id) from unnest(placed) as o; end if;
  if discounted then
    perform public.move_promo_uses(array(select (o).id from unnest(placed) as o where (o.price).promo_id is not null), 1, 0);
  end if;
  update public.products p set current_inventory = current_inventory - l.quantity, held = held + l.quantity
    from (select (stock[at]).id as id, sum(quantity)::integer as quantity
      from unnest(placed) as o, unnest(o.lines) as l group by 1) as l
    where p.id = l.id;
end $$;

-- Reserves an array of carts, each of which succeeds or fails alone, and returns an array in the same order. One call is one
-- transaction: the server batches the carts of many buyers because all of them want the same few rows.
--
-- cart: {user_id, idempotency_key, request_hash, items: [{type, id, quantity}],
--        attendees: [{name, email, ticket_type_id}], buyer: {name, email, phone}, total_cents, address, promo_code}
--       Attendees that name no ticket type are in the order of the items; either all name one or none does.
-- answer: {ok: true, order_id, total_cents, hold_expires_at, status, replayed} or {ok: false, code, message, details}
--
-- The planner settings apply to all stages and, with the fences, keep the queries on their indexes: each connection plans once,
-- often while the tables are still empty, and a plan that was cheap then made a batch thirty times slower later.
create function public.reserve_orders(carts jsonb) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
  set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  kinds constant jsonb := public.kinds_sold();
  settings public.shop_settings;
  expires timestamptz;
  shop_sale text;
  problems text[];
  busy integer[];  -- carts whose buyer another transaction has locked
  holds uuid[];
  names_promo boolean;  -- a cart of the batch names a promo code
  takes_fee boolean;
  discounted_hold boolean := false;
  places_matter boolean := false;  -- of the waitlist, offered to a buyer or used by a hold
  promos public.promo_use[] := '{}';
  price public.cart_price;
  stock public.stock_item[];
  available integer[];  -- of each item in the stock, after the carts decided so far
  vip_parking integer;
  addresses public.address_use[];
  cart public.reservation_cart;
  twin integer;  -- an earlier cart of the same buyer that was placed
  total record;
  answer jsonb;
  answers jsonb[] := '{}';
  id uuid;
  placed public.placed_order[] := '{}';
  placed_by uuid[] := '{}';  -- each placed cart's buyer, at its place in the batch
  replaced uuid[] := '{}';
begin
  if jsonb_typeof(carts) is distinct from 'array' or jsonb_array_length(carts) > 64 then
    raise exception 'carts must be an array of at most 64' using errcode = '22023';
  end if;
  select * into strict settings from public.shop_settings;
  expires := now() + settings.hold_duration;
  takes_fee := public.takes_fee(settings);
  shop_sale := public.sale_state(settings.on_sale, settings.sale_opens_at, settings.sale_closes_at);
  if not settings.on_sale and exists (select from public.festival where status = 'cancelled') then shop_sale := 'cancelled'; end if;
  select coalesce(array_agg(public.cart_problem(value, settings.max_tickets_per_buyer, kinds) order by n), '{}'),
      coalesce(bool_or(value ? 'promo_code'), false)
    into problems, names_promo from jsonb_array_elements(carts) with ordinality as e (value, n);

  select * into problems, busy, holds from public.lock_buyers(carts, problems);
  if holds <> '{}' then
    select bool_or(promo_code_id is not null), bool_or(has_place) into discounted_hold, places_matter
      from public.orders where orders.id = any (holds);
  end if;
  if names_promo or discounted_hold then promos := public.lock_promo_codes(carts, holds); end if;
  stock := public.lock_cart_stock(carts, problems, holds, settings.vip_includes_parking);

  select array_agg(s.available order by s.ordinality), min(s.ordinality) filter (where s.comes_with_vip),
      places_matter or bool_or(s.has_line)
    into available, vip_parking, places_matter from unnest(stock) with ordinality as s;
  select array_agg(a) into addresses from public.read_addresses(carts, settings) as a;

  for cart in select * from public.read_carts(carts, problems, holds, stock, addresses) loop
    twin := array_position(placed_by, cart.user_id);
    if cart.n = any (busy) then
      answer := public.busy_refusal();
    elsif problems[cart.n] is not null then
      answer := public.refusal('invalid_request', problems[cart.n]);
    elsif cart.known_order is not null or twin is not null then
      answer := public.repeated_answer(cart, carts -> (twin - 1), answers[twin]);
    elsif shop_sale <> 'open' then
      answer := public.refusal('sales_closed', public.sale_refusal(shop_sale, settings.sale_opens_at),
        jsonb_build_object('state', shop_sale));
    else
      if places_matter then cart.held_lines := cart.held_lines || public.offered_lines(cart, stock); end if;
      total := public.add_up_cart(cart, stock, vip_parking, available);
      price := null;
      if names_promo and total.refusal is null and carts -> (cart.n - 1) ? 'promo_code' then
        price := public.price_cart(cart, carts -> (cart.n - 1), promos, stock, total.cents);
        total.cents := price.cents;
      end if;
      if takes_fee and price.refusal is null then
        price.fee := public.fee_cents(settings, total.cents, total.tickets);
        total.cents := total.cents + price.fee;
      end if;
      answer := coalesce(total.refusal, price.refusal, public.limit_refusal(cart, total.tickets, total.cents, total.shortage,
        stock, addresses[cart.address_at], settings));
    end if;

    if answer is null then
      id := gen_random_uuid();
      answer := jsonb_build_object('ok', true, 'order_id', id, 'total_cents', total.cents, 'hold_expires_at', expires,
        'status', 'pending', 'replayed', false);
      -- Stock that this buyer gave back is not available to the rest of the batch while people wait for it.
      available := case when places_matter then public.behind_the_line(total.available, available, stock) else total.available end;
      placed := placed || row(id, cart.n, total.cents, total.tickets,
        case when cart.attendee_types is null then public.seat_attendees(carts -> (cart.n - 1) -> 'attendees', cart.lines, stock) end,
        case when total.includes_parking then cart.lines || row(vip_parking, 1, null, null, true)::public.cart_line
          else cart.lines end, price)::public.placed_order;
      if promos <> '{}' then promos := public.take_promo_use(promos, cart.user_id, price.promo_id); end if;
      placed_by[cart.n] := cart.user_id;
      replaced := replaced || cart.held_orders;
      if cart.address_at is not null then
        addresses[cart.address_at].orders := addresses[cart.address_at].orders + 1;
        addresses[cart.address_at].room := addresses[cart.address_at].room + cart.held_tickets - total.tickets;
      end if;
    end if;
    answers := answers || answer;
  end loop;

  if cardinality(placed) > 0 then
    perform public.write_orders(carts, placed, stock, replaced, expires, names_promo, settings, places_matter);
  end if;
  if names_promo then perform public.count_wrong_codes(carts, answers); end if;
  return to_jsonb(answers);
end $$;

revoke execute on function public.kinds_sold(), public.items_problem(jsonb, jsonb), public.length_problem(jsonb),
  public.cart_problem(jsonb, integer, jsonb),
  public.refusal(text, text, jsonb), public.busy_refusal(), public.lock_buyers(jsonb, text[]),
  public.lock_cart_stock(jsonb, text[], uuid[], boolean), public.read_addresses(jsonb, public.shop_settings),
  public.read_carts(jsonb, text[], uuid[], public.stock_item[], public.address_use[]),
  public.repeated_answer(public.reservation_cart, jsonb, jsonb),
  public.add_up_cart(public.reservation_cart, public.stock_item[], integer, integer[]), public.shortage_message(jsonb),
  public.current_prices(public.reservation_cart, public.stock_item[]),
  public.limit_refusal(public.reservation_cart, integer, bigint, jsonb, public.stock_item[], public.address_use,
    public.shop_settings),
  public.seat_attendees(jsonb, public.cart_line[], public.stock_item[]),
  public.write_orders(jsonb, public.placed_order[], public.stock_item[], uuid[], timestamptz, boolean, public.shop_settings, boolean),
  public.reserve_orders(jsonb)
  from public, anon, authenticated;
