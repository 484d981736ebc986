-- Selling at the door: tickets for cash, or for a card charged on a separate terminal, from the shop's stock. The order is created
-- confirmed, in one transaction. A till records what the seller took: it is opened with a float and closed with what was counted.

-- ── Who sells ───────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Whether a user may sell in a session of this assurance level (the token's `aal`): an administrator, or gate staff with their
-- permission, who took the second step that their role requires. Everything about the door asks this.
create function public.may_sell_at_door(p_user_id uuid, p_aal text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.user_roles
    where user_id = p_user_id and (role = 'admin' or (role = 'gate' and sells_at_door))
      and (expires_at is null or expires_at > now()) and not public.lacks_second_step(role, user_id, p_aal));
$$;

create function public.require_seller() returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_live_session();
  if public.may_sell_at_door(auth.uid(), auth.jwt() ->> 'aal') then return; end if;
  -- One by one: of an administrator who works at the gate, the gate asks less than the till does.
  perform public.ask_for_second_step('admin');
  perform public.ask_for_second_step('gate');
  raise exception 'Only administrators, and gate staff with their permission, may sell at the door.' using errcode = '42501';
end $$;

-- ── Tills ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- One person's time at a till.
create table public.till_shifts (
  id uuid primary key default gen_random_uuid(),
  seller_id uuid references auth.users (id) on delete set null,
  seller_email text not null,
  opened_at timestamptz not null default now(),
  -- Change in the drawer at the beginning.
  float_amount numeric(10, 2) not null check (float_amount between 0 and 99999.99),
  closed_at timestamptz,
  counted_amount numeric(10, 2) check (counted_amount between 0 and 9999999.99),
  -- What the drawer should have held at closing: float and cash taken, without cash given back.
  expected_amount numeric(10, 2),
  note text not null default '' check (length(note) <= 500),
  constraint till_shifts_closed_counted check (num_nonnulls(closed_at, counted_amount, expected_amount) in (0, 3))
);
create unique index till_shifts_one_open on public.till_shifts (seller_id) where closed_at is null;
create index till_shifts_newest on public.till_shifts (opened_at desc, id);

-- What a till took for an order, or gave back for a voided one.
create table public.till_payments (
  id uuid primary key, -- from the browser, whose retry finds the sale or the void by it
  shift_id uuid not null references public.till_shifts (id),
  order_id uuid not null references public.orders (id),
  kind text not null check (kind in ('sale', 'refund')),
  method text not null check (method in ('cash', 'card')),
  amount numeric(10, 2) not null check (amount >= 0), -- 0 for free tickets
  -- For a refund: why, and who.
  reason text check (length(btrim(reason)) between 1 and 500),
  refunded_by uuid references auth.users (id) on delete set null,
  refunded_by_email text,
  created_at timestamptz not null default now(),
  constraint till_payments_refund_why check ((kind = 'refund') = (reason is not null)),
  unique (order_id, kind)
);
create index till_payments_of_shift on public.till_payments (shift_id);
create index till_payments_newest on public.till_payments (created_at desc, id);

create trigger till_shifts_audit after insert or update on public.till_shifts
  for each row execute function public.audit_change();
-- Sales are logged as orders; a refund is a person's decision.
create trigger till_payments_audit after insert on public.till_payments
  for each row when (new.kind = 'refund') execute function public.audit_change();

alter table public.till_shifts enable row level security;
alter table public.till_payments enable row level security;
revoke all on public.till_shifts, public.till_payments from anon, authenticated;
grant select on public.till_shifts, public.till_payments to authenticated;
create policy "Admins and finance read the tills" on public.till_shifts
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Admins and finance read what tills took" on public.till_payments
  for select to authenticated using ((select public.has_role('admin', 'finance')));

-- What a shift took and gave back, and what should be in its drawer, in dollars.
create function public.till_sums(p_shift public.till_shifts) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('sales', count(*) filter (where kind = 'sale'), 'voids', count(*) filter (where kind = 'refund'),
    'cash', coalesce(sum(amount) filter (where kind = 'sale' and method = 'cash'), 0),
    'card', coalesce(sum(amount) filter (where kind = 'sale' and method = 'card'), 0),
    'cash_back', coalesce(sum(amount) filter (where kind = 'refund' and method = 'cash'), 0),
    'card_back', coalesce(sum(amount) filter (where kind = 'refund' and method = 'card'), 0),
    'expected', p_shift.float_amount
      + coalesce(sum(case kind when 'sale' then amount else -amount end) filter (where method = 'cash'), 0))
  from public.till_payments where shift_id = p_shift.id;
$$;

-- Units and money of each item over some shifts, without what was voided in them. A void of another shift's sale may leave money
-- without units: at another price.
create function public.till_items(p_shift_ids uuid[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('name', name, 'units', units, 'amount', amount) order by amount desc, name), '[]') from (
    select i.name, sum(case p.kind when 'sale' then i.quantity else -i.quantity end) as units,
      sum(case p.kind when 'sale' then i.quantity else -i.quantity end * i.unit_price) as amount
    from public.till_payments p join public.order_items i using (order_id)
    where p.shift_id = any (p_shift_ids) group by 1) as sold
  where units <> 0 or amount <> 0;
$$;

-- Opens the caller's till, or returns the open one: the second tap of a double tap does nothing.
create function public.open_till(p_float numeric) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  shift uuid;
begin
  perform public.require_seller();
  if p_float is null or p_float not between 0 and 99999.99 then
    raise exception 'The starting change must be from $0.00 to $99,999.99.' using errcode = '22023';
  end if;
  insert into public.till_shifts (seller_id, seller_email, float_amount)
    values (auth.uid(), coalesce(public.mail_of(auth.uid()), ''), p_float)
    on conflict (seller_id) where closed_at is null do nothing returning id into shift;
  return coalesce(shift, (select id from public.till_shifts where seller_id = auth.uid() and closed_at is null));
end $$;

-- Closes the caller's own till or, for an administrator, any till. Repeated with the same sum, it returns the same answer.
create function public.close_till(p_shift_id uuid, p_counted numeric, p_note text default '') returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  shift public.till_shifts;
begin
  perform public.require_seller();
  if p_counted is null or p_counted not between 0 and 9999999.99 then
    raise exception 'Enter the counted cash.' using errcode = '22023';
  end if;
  -- A sale under way locks the shift too: it either counts or comes too late.
  select * into shift from public.till_shifts
    where id = p_shift_id and (seller_id = auth.uid() or public.is_admin()) for no key update;
  if not found then raise exception 'This till is not yours.' using errcode = 'PT404'; end if;
  if shift.closed_at is null then
    update public.till_shifts set closed_at = now(), counted_amount = p_counted, note = btrim(coalesce(p_note, '')),
        expected_amount = (public.till_sums(shift) ->> 'expected')::numeric
      where id = shift.id returning * into shift;
  elsif shift.counted_amount <> p_counted then
    raise exception 'This till was already closed with $% counted.', shift.counted_amount using errcode = 'PT409';
  end if;
  return jsonb_build_object('expected', shift.expected_amount, 'counted', shift.counted_amount,
    'difference', shift.counted_amount - shift.expected_amount);
end $$;

-- ── Orders that are created confirmed: sold at the door, or given away ──────────────────────────────────────────────────

-- The lines of one order, for items [{type, id, quantity}]: read without a lock, and compared with the stock's rows in take_direct.
-- Comps may be of hidden types and of types off sale.
create function public.direct_lines(p_items jsonb, p_is_comp boolean) returns public.order_line[]
language plpgsql stable set search_path = '' as $$
declare
  lines public.order_line[];
  off record;
  general public.products;
begin
  if public.items_problem(p_items) is not null
    or p_items @? 'strict $[*] ? (!(@.id like_regex "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"))' then
    raise exception 'Choose what to sell: whole numbers of at least 1.' using errcode = '22023';
  end if;
  with asked as (
    select (i ->> 'id')::uuid as id, i ->> 'type' as kind, sum((i -> 'quantity')::integer)::integer as quantity
    from jsonb_array_elements(p_items) as i group by 1, 2
  )
  select array_agg(row(p.id, kind, k.needs_attendee, p.name, a.quantity, case when p_is_comp then 0 else p.price end,
      false)::public.order_line order by k.position, p.price desc, p.id) into lines
    from asked a join public.products p using (id, kind) join public.product_kinds k using (kind) where p_is_comp or not p.is_hidden;
  if coalesce(cardinality(lines), 0) <> (select count(distinct i -> 'id') from jsonb_array_elements(p_items) as i) then
    raise exception 'One of the items is no longer for sale.' using errcode = 'PT409';
  end if;
  if not p_is_comp then
    select s.name, s.state, s.sale_opens_at into off from (
      select name, sale_opens_at, public.sale_state(on_sale, sale_opens_at, sale_closes_at) as state from public.products
        where id in (select product_id from unnest(lines))) as s where s.state <> 'open' order by s.name limit 1;
    if found then
      raise exception '%', public.sale_refusal(off.state, off.sale_opens_at, off.name) using errcode = 'PT409';
    end if;
  end if;
  if exists (select from public.products where id in (select product_id from unnest(lines)) and is_vip) then
    select p.* into general from public.products p, public.shop_settings s where p.is_general and s.vip_includes_parking;
    if general.id in (select product_id from unnest(lines)) then
      raise exception 'VIP tickets already include general parking.' using errcode = 'PT409';
    elsif general.id is not null then
      lines := lines || row(general.id, general.kind, false, general.name, 1, 0, true)::public.order_line;
    end if;
  end if;
  return lines;
end $$;

-- Moves units from available to sold, all or none. `p_orders` orders have these lines. The stock comes last, so that it is
-- locked for the shortest time.
create function public.take_direct(p_channel text, p_lines public.order_line[], p_orders integer) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  short text;
begin
  perform public.lock_stock(array_agg(product_id)) from unnest(p_lines);
  short := public.shortage_message((
    select jsonb_agg(jsonb_build_object('name', s.name, 'available', s.available) order by s.name) from (
      select case when l.included then 'The parking included with VIP' else l.name end as name, l.quantity,
        p.current_inventory as available
      from unnest(p_lines) as l join public.products p on p.id = l.product_id
    ) as s where s.quantity * p_orders > s.available));
  if short is not null then raise exception '%', short using errcode = 'PT409'; end if;
  if p_channel = 'door' and exists (
    select from unnest(p_lines) as l join public.products p on p.id = l.product_id where not l.included and l.price <> p.price) then
    raise exception 'A price just changed. Check the total again.' using errcode = 'PT409';
  end if;
  perform public.move_stock(array_agg(row(product_id, quantity * p_orders)::public.stock_units), -1, 0, 1) from unnest(p_lines);
end $$;

-- Writes one confirmed order with these lines for each person [{id, name, email}], with its entry codes and, where there is an
-- address, its mail.
create function public.write_direct_orders(p_channel text, p_people jsonb, p_lines public.order_line[], p_key text default null,
  p_hash text default null) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.orders (id, channel, status, confirmed_at, total_amount, buyer_full_name, buyer_email, buyer_phone_number,
      attendees, ticket_count, idempotency_key, request_hash)
    select (p ->> 'id')::uuid, p_channel, 'confirmed', now(), sums.amount, p ->> 'name', p ->> 'email', '',
      (select coalesce(jsonb_agg(jsonb_build_object('name', p ->> 'name', 'email', p ->> 'email', 'ticket_type_id', l.product_id)), '[]')
        from unnest(p_lines) as l, generate_series(1, l.quantity) where l.needs_attendee),
      sums.tickets, p_key, p_hash
    from jsonb_array_elements(p_people) as p cross join (
      select sum(quantity * price) as amount, coalesce(sum(quantity) filter (where needs_attendee), 0) as tickets from unnest(p_lines)) as sums;
  insert into public.order_items (order_id, position, product_id, kind, name, quantity, unit_price, included)
    select (p ->> 'id')::uuid, l.position, l.product_id, l.kind, l.name, l.quantity, l.price, l.included
    from jsonb_array_elements(p_people) as p
    cross join unnest(p_lines) with ordinality as l (product_id, kind, needs_attendee, name, quantity, price, included, position);
  insert into public.entry_codes (order_id, order_item_id, product_id, kind, position, attendee_name, attendee_email)
    select i.order_id, i.id, i.product_id, i.kind, n, case when k.needs_attendee then p ->> 'name' end,
      case when k.needs_attendee then p ->> 'email' end
    from jsonb_array_elements(p_people) as p
    join public.order_items i on i.order_id = (p ->> 'id')::uuid
    join public.product_kinds k on k.kind = i.kind and k.has_code, generate_series(1, i.quantity) as n;
  insert into public.outbox (kind, payload, dedupe_key)
    select 'order_mail', jsonb_build_object('order_id', p ->> 'id'), 'order_mail:' || (p ->> 'id')
    from jsonb_array_elements(p_people) as p where p ->> 'email' <> '';
  perform public.take_direct(p_channel, p_lines, jsonb_array_length(p_people));
end $$;

-- ── The sale ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Sells at the door, in the caller's open till. p_key comes from the browser: repeated after a lost answer, it finds the sale; with
-- other items, it is refused. p_total_cents is what the seller asked for, and must equal SQL's total.
-- answer: {order_id, total_cents, replayed}
create function public.sell_at_door(p_key uuid, p_items jsonb, p_method text, p_total_cents integer) returns jsonb
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  asked constant text := md5(concat_ws(' ', p_items, p_method, p_total_cents));
  cancelled constant boolean := public.is_cancelled();
  most constant integer := (select max_units_per_door_sale from public.shop_settings);
  shift uuid;
  sold public.orders;
  lines public.order_line[];
  total numeric;
begin
  -- Locked first: one seller's sales run one after another, and none slips in while the till is being closed.
  select id into shift from public.till_shifts where seller_id = auth.uid() and closed_at is null for no key update;
  select o.* into sold from public.till_payments p join public.till_shifts s on s.id = p.shift_id join public.orders o on o.id = p.order_id
    where p.id = p_key and s.seller_id = auth.uid();
  if sold.id is not null then
    if sold.request_hash <> asked then
      raise exception 'This sale was already made with other items. Start a new one.' using errcode = 'PT409';
    end if;
    return jsonb_build_object('order_id', sold.id, 'total_cents', (sold.total_amount * 100)::integer, 'replayed', true);
  end if;
  -- After the lookup: a repeated call finds its sale even if the seller's role or session has ended since, so a refusal means no sale.
  perform public.require_seller();
  if p_key is null or p_method is null or p_method not in ('cash', 'card') then
    raise exception 'A door sale needs a key and is paid in cash or by card.' using errcode = '22023';
  elsif exists (select from public.till_payments where id = p_key) then
    raise exception 'This key belongs to another sale. Begin a new one.' using errcode = 'PT409';
  elsif cancelled then
    perform public.refuse_if_cancelled();
  elsif shift is null then
    raise exception 'Your till is closed. Open it to sell.' using errcode = 'PT409';
  end if;

  lines := public.direct_lines(p_items, false);
  if (select sum(quantity) from unnest(lines) as l where not l.included) > most then
    raise exception 'Limit: % per sale. Split it into two sales.', most using errcode = 'PT409';
  end if;
  total := (select sum(quantity * price) from unnest(lines));
  if total * 100 is distinct from p_total_cents then
    raise exception 'The price has changed: the total is now $%.', total using errcode = 'PT409';
  end if;
  sold.id := gen_random_uuid();
  perform public.write_direct_orders('door',
    jsonb_build_array(jsonb_build_object('id', sold.id, 'name', 'Door sale #' || left(sold.id::text, 8), 'email', '')), lines, p_key::text, asked);
  insert into public.till_payments (id, shift_id, order_id, kind, method, amount)
    values (p_key, shift, sold.id, 'sale', p_method, total);
  return jsonb_build_object('order_id', sold.id, 'total_cents', (total * 100)::integer, 'replayed', false);
end $$;

-- Whether a user may see the codes of a door sale: its seller while they may sell, and administrators.
create function public.may_show_door_sale(p_user_id uuid, p_order_id uuid, p_aal text) returns boolean
language sql stable set search_path = '' as $$
  select exists (select from public.till_payments p join public.till_shifts s on s.id = p.shift_id
      where p.order_id = p_order_id and p.kind = 'sale'
        and (s.seller_id = p_user_id or exists (select from public.user_roles where user_id = p_user_id and role = 'admin')))
    and public.may_sell_at_door(p_user_id, p_aal);
$$;

-- Sends the codes of a door sale to an address, which becomes the buyer's address.
create function public.mail_door_sale(p_order_id uuid, p_email text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  email constant text := public.plain_email(coalesce(p_email, ''));
begin
  perform public.require_seller();
  if not public.is_email(email) then
    raise exception 'Valid email is required' using errcode = '22023';
  elsif not public.may_show_door_sale(auth.uid(), p_order_id, auth.jwt() ->> 'aal') then
    raise exception 'We couldn''t find this sale among yours.' using errcode = 'PT404';
  end if;
  update public.orders set buyer_email = email where id = p_order_id and status in ('confirmed', 'completed');
  if not found then raise exception 'This sale was voided, so it has no tickets to send.' using errcode = '23514'; end if;
  update public.tickets set attendee_email = email where order_id = p_order_id and attendee_email = '';
  perform public.queue_order_mail(p_order_id);
end $$;

-- Takes back a whole door sale: the tickets stop working, the stock returns, and the money is given back from the till that
-- took it or, once that is closed, from the caller's own.
create function public.void_door_sale(p_order_id uuid, p_reason text, p_key uuid default gen_random_uuid()) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  sale public.till_payments;
  shift uuid;
  held numeric;
begin
  perform public.require_admin();
  if length(btrim(coalesce(p_reason, ''))) not between 1 and 500 then
    raise exception 'Enter a reason (up to 500 characters).' using errcode = '22023';
  end if;
  -- Order, then till, then stock: a sale holds its till while it waits for stock.
  perform from public.orders where id = p_order_id and channel = 'door' for no key update;
  select * into sale from public.till_payments where order_id = p_order_id and kind = 'sale';
  if sale.id is null then raise exception 'We couldn''t find this door sale.' using errcode = 'PT404'; end if;
  if exists (select from public.till_payments where order_id = p_order_id and kind = 'refund' and id = p_key) then
    return jsonb_build_object('method', sale.method, 'amount', sale.amount);
  elsif exists (select from public.till_payments where order_id = p_order_id and kind = 'refund') then
    raise exception 'This door sale was already voided.' using errcode = 'PT409';
  elsif exists (select from public.till_payments where id = p_key) then
    raise exception 'This key belongs to another payment. Begin again.' using errcode = 'PT409';
  end if;
  select id into shift from public.till_shifts where id = sale.shift_id and closed_at is null for no key update;
  if shift is null then
    select id into shift from public.till_shifts where seller_id = auth.uid() and closed_at is null for no key update;
  end if;
  if shift is null then
    raise exception 'The till that took this money is closed. Open your own till to pay this refund.' using errcode = 'PT409';
  end if;
  held := (select (public.till_sums(s) ->> 'expected')::numeric from public.till_shifts s where s.id = shift);
  if sale.method = 'cash' and sale.amount > held then
    raise exception 'This till holds $% in cash, and the sale was $%. Refund it from a till that holds enough.', held, sale.amount
      using errcode = 'PT409';
  end if;
  perform public.take_back(p_order_id, null, null);
  insert into public.till_payments (id, shift_id, order_id, kind, method, amount, reason, refunded_by, refunded_by_email)
    values (p_key, shift, p_order_id, 'refund', sale.method, sale.amount, btrim(p_reason), auth.uid(),
      coalesce(public.mail_of(auth.uid()), ''));
  perform public.write_audit('UPDATE', 'orders', p_order_id::text, null,
    jsonb_build_object('voided', sale.amount, 'method', sale.method, 'reason', btrim(p_reason)));
  return jsonb_build_object('method', sale.method, 'amount', sale.amount);
end $$;

-- ── What the screens show ───────────────────────────────────────────────────────────────────────────────────────────────

-- The caller's till: what is for sale and how much is left, the open shift and its last sales.
create function public.get_till() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  shift public.till_shifts;
begin
  perform public.require_seller();
  select * into shift from public.till_shifts where seller_id = auth.uid() and closed_at is null;
  return jsonb_build_object(
    'most', (select max_units_per_door_sale from public.shop_settings),
    'vip_includes_parking', (select vip_includes_parking from public.shop_settings),
    'items', (select coalesce(jsonb_agg(jsonb_build_object('type', kind, 'id', id, 'name', name, 'price', price,
        'available', current_inventory, 'is_vip', is_vip, 'is_general', is_general, 'sale_opens_at', sale_opens_at,
        'sale', public.sale_state(on_sale, sale_opens_at, sale_closes_at)) order by k.position, price, id), '[]')
      from public.products join public.product_kinds k using (kind) where not is_hidden),
    'shift', case when shift.id is not null then jsonb_build_object('id', shift.id, 'opened_at', shift.opened_at,
        'float', shift.float_amount) || public.till_sums(shift) end,
    'recent', (select coalesce(jsonb_agg(to_jsonb(r) order by r.at desc), '[]') from (
      select p.order_id, p.created_at as at, p.method, p.amount, o.status = 'cancelled' as is_void,
        (select string_agg(i.quantity || ' × ' || i.name, ', ' order by i.position) from public.order_items i
          where i.order_id = p.order_id) as items
      from public.till_payments p join public.orders o on o.id = p.order_id
      where p.shift_id = shift.id and p.kind = 'sale' order by p.created_at desc limit 20) as r));
end $$;

-- Every shift opened on these days of the festival's calendar (null: any day), newest first, and their totals by person and by
-- item. At most 500 shifts, which a hundred tills open in five days.
create function public.get_till_report(p_from date default null, p_to date default null) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  found public.till_shifts[];
begin
  perform public.require_finance();
  found := array(select s from public.till_shifts s
    where (p_from is null or public.festival_day(opened_at) >= p_from) and (p_to is null or public.festival_day(opened_at) <= p_to)
    order by opened_at desc, id limit 500);
  return jsonb_build_object(
    'items', public.till_items(array(select id from unnest(found))),
    'shifts', (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'seller', s.seller_email, 'opened_at', s.opened_at,
        'closed_at', s.closed_at, 'float', s.float_amount, 'counted', s.counted_amount, 'note', s.note,
        'difference', s.counted_amount - s.expected_amount, 'items', public.till_items(array[s.id]))
        || public.till_sums(s) order by s.opened_at desc, s.id), '[]') from unnest(found) as s));
end $$;

revoke execute on function public.may_sell_at_door(uuid, text), public.require_seller(),
  public.till_sums(public.till_shifts), public.till_items(uuid[]), public.direct_lines(jsonb, boolean),
  public.take_direct(text, public.order_line[], integer),
  public.write_direct_orders(text, jsonb, public.order_line[], text, text), public.may_show_door_sale(uuid, uuid, text)
  from public, anon, authenticated;
revoke execute on function public.open_till(numeric), public.close_till(uuid, numeric, text),
  public.sell_at_door(uuid, jsonb, text, integer), public.mail_door_sale(uuid, text), public.void_door_sale(uuid, text, uuid),
  public.get_till(), public.get_till_report(date, date) from public, anon;
grant execute on function public.open_till(numeric), public.close_till(uuid, numeric, text),
  public.sell_at_door(uuid, jsonb, text, integer), public.mail_door_sale(uuid, text), public.void_door_sale(uuid, text, uuid),
  public.get_till(), public.get_till_report(date, date) to authenticated;
