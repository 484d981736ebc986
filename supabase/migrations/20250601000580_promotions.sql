-- Promo codes: an amount or a share off the tickets of an order. A use is counted like stock, in the transaction that places the
-- order: held with its hold, used once it is confirmed, free again when it is cancelled or wholly refunded.

-- Codes as they are stored and compared: people type either case, and copy spaces.
create function public.promo_text(p_code text) returns text language sql immutable as $$ select upper(btrim(p_code)) $$;

create table public.promo_codes (
  id uuid primary key default gen_random_uuid(),
  code text not null unique check (code ~ '^[A-Z0-9][A-Z0-9_-]{2,39}$'),
  note text not null default '' check (length(note) <= 200), -- for the organizers
  amount_off numeric(10, 2) check (amount_off between 0.01 and 99999.99), -- of an order, once
  percent_off integer check (percent_off between 1 and 100),
  ticket_type_ids uuid[] not null default '{}', -- empty: all of them
  max_uses integer check (max_uses between 1 and 1000000), -- orders
  max_uses_per_buyer integer check (max_uses_per_buyer between 1 and 1000),
  is_paused boolean not null default false,
  opens_at timestamptz,
  closes_at timestamptz,
  held integer not null default 0 check (held >= 0), -- by pending orders
  used integer not null default 0 check (used >= 0), -- by paid ones
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1, -- refuses the second of two editors
  constraint promo_codes_one_kind check (num_nonnulls(amount_off, percent_off) = 1),
  constraint promo_codes_uses check (held + used <= max_uses)
) with (fillfactor = 50);
create index promo_codes_newest on public.promo_codes (created_at desc, id);
create trigger promo_codes_touch before update on public.promo_codes
  for each row execute function public.touch_updated_at();

-- Checks an edit, with a message that says what is wrong with it and its column as the detail; sales only move uses and are not edits.
create function public.check_promo_code() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.code := public.promo_text(new.code);
  if new.code !~ '^[A-Z0-9][A-Z0-9_-]{2,39}$' then
    raise exception 'A code must have 3 to 40 letters, digits, hyphens and underscores.' using errcode = '23514', detail = 'code';
  elsif exists (select from public.promo_codes where code = new.code and id <> new.id) then
    raise exception 'The code % already exists.', new.code using errcode = '23505', detail = 'code';
  elsif num_nonnulls(new.amount_off, new.percent_off) <> 1 then
    raise exception 'Enter either an amount off or a percentage off.' using errcode = '23514';
  elsif new.amount_off not between 0.01 and 99999.99 then
    raise exception 'The amount off must be between 0.01 and 99,999.99.' using errcode = '23514', detail = 'amount_off';
  elsif new.percent_off not between 1 and 100 then
    raise exception 'The percentage must be from 1 to 100.' using errcode = '23514', detail = 'percent_off';
  elsif new.max_uses not between 1 and 1000000 then
    raise exception 'The limit must be from 1 to 1,000,000.' using errcode = '23514', detail = 'max_uses';
  elsif new.max_uses_per_buyer not between 1 and 1000 then
    raise exception 'Maximum per buyer must be from 1 to 1,000.' using errcode = '23514', detail = 'max_uses_per_buyer';
  elsif new.max_uses < new.held + new.used then
    raise exception 'The limit must be at least %: that many orders have used the code.', new.held + new.used
      using errcode = '23514', detail = 'max_uses';
  elsif new.max_uses_per_buyer > new.max_uses then
    raise exception 'Maximum per buyer can''t exceed %, the maximum for all buyers combined.', new.max_uses
      using errcode = '23514', detail = 'max_uses_per_buyer';
  elsif new.closes_at <= new.opens_at then
    raise exception 'The code must end after it begins.' using errcode = '23514', detail = 'closes_at';
  elsif exists (select from unnest(new.ticket_type_ids) as t (id) where t.id not in (select id from public.ticket_types)) then
    raise exception 'One of the ticket types does not exist.' using errcode = '23514';
  end if;
  if tg_op = 'UPDATE' then new.version := old.version + 1; end if;
  return new;
end $$;
create trigger promo_codes_added before insert on public.promo_codes
  for each row execute function public.check_promo_code();
create trigger promo_codes_edit before update of code, note, amount_off, percent_off, ticket_type_ids, max_uses,
    max_uses_per_buyer, is_paused, opens_at, closes_at on public.promo_codes
  for each row execute function public.check_promo_code();
create trigger promo_codes_audit_added after insert on public.promo_codes
  for each row execute function public.audit_change();
create trigger promo_codes_audit after update on public.promo_codes
  for each row when (old.version <> new.version) execute function public.audit_change();

alter table public.promo_codes enable row level security;
revoke all on public.promo_codes from anon, authenticated;
grant select on public.promo_codes to authenticated;
grant insert (code, note, amount_off, percent_off, ticket_type_ids, max_uses, max_uses_per_buyer, is_paused, opens_at, closes_at),
  update (code, note, amount_off, percent_off, ticket_type_ids, max_uses, max_uses_per_buyer, is_paused, opens_at, closes_at)
  on public.promo_codes to authenticated;
create policy "Admins and finance read promo codes" on public.promo_codes
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Admins add promo codes" on public.promo_codes
  for insert to authenticated with check ((select public.is_admin()));
create policy "Admins edit promo codes" on public.promo_codes
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));

-- ── Their price ───────────────────────────────────────────────────────────────────────────────────────────────────────

-- What a code takes off each line of a cart, in cents; null when it applies to none of them. p_amounts: the price of each line it
-- applies to, and 0 for the others. p_total: of the whole cart. The cents add up exactly, and no line gets more than its price.
create function public.promo_discounts(p_amount_cents integer, p_percent integer, p_amounts bigint[], p_total bigint)
returns integer[]
language plpgsql immutable set search_path = '' as $$
declare
  price constant bigint := (select coalesce(sum(a), 0) from unnest(p_amounts) as a);
  off bigint := least(price, coalesce(p_amount_cents, (price * p_percent + 50) / 100));
begin
  if price = 0 then return null; end if;
  -- No card is charged less than 50 cents, so a smaller remainder is free too. Anything a code does not apply to costs nothing or
  -- at least that.
  if p_total - off < 50 then off := price; end if;
  return array(
    select (div(off * upto, price) - div(off * (upto - amount), price))::integer
    from (select amount::numeric, n, sum(amount) over (order by n) as upto
      from unnest(p_amounts) with ordinality as line (amount, n)) as lines order by n);
end $$;

create function public.wrong_code_limits(p_user text, p_address text, out key text, out most integer) returns setof record
language sql immutable set search_path = '' as $$
  select * from (values ('promo:' || p_user, 10), ('promo-address:' || p_address, 50)) as limits where column1 is not null;
$$;

-- Whether this account or address has tried too many wrong codes in the last ten minutes. Right ones are then refused as well.
create function public.guesses_codes(p_user text, p_address text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (select from public.wrong_code_limits(p_user, p_address) as l join public.rate_limits r using (key)
    where (select count(*) from unnest(r.hits) as hit where hit > now() - interval '10 minutes') >= l.most);
end $$;

-- After everything else in a batch, and in a fixed order, so that two batches cannot deadlock.
create function public.count_wrong_codes(carts jsonb, answers jsonb[]) returns void
language plpgsql set search_path = '' as $$
begin
  perform public.consume_rate_limit(key, most, 600) from (
    select l.key, l.most from unnest(answers) with ordinality as a (answer, n)
      cross join lateral public.wrong_code_limits(carts -> (n - 1)::integer ->> 'user_id', carts -> (n - 1)::integer ->> 'address') as l
      where answer #>> '{details,reason}' = 'invalid' order by 1 offset 0
  ) as wrong;
end $$;

-- What a code takes off these lines, in cents, or why this buyer may not use it; without a code, nothing. To strangers, a code that does
-- not exist, is paused, or is outside its time looks the same. The orders in p_replaced return their use.
create function public.promo_terms(p_code text, p_user uuid, p_address text, p_replaced uuid[], p_lines public.order_line[],
  out refusal jsonb, out id uuid, out code text, out discount bigint, out discounts integer[])
language plpgsql stable set search_path = '' as $$
declare
  promo public.promo_codes;
begin
  discount := 0;
  if p_code is null then return; end if;
  if public.guesses_codes(p_user::text, p_address) then
    refusal := public.refusal('rate_limited', 'Too many codes were tried. Please wait ten minutes, or continue without a code.',
      '{"retry_after_seconds": 600}');
    return;
  end if;
  select * into promo from public.promo_codes c where c.code = public.promo_text(p_code);
  id := promo.id;
  code := promo.code;
  if promo.id is null or public.sale_state(not promo.is_paused, promo.opens_at, promo.closes_at) <> 'open' then
    refusal := public.refusal('promo_code_refused', 'This code is not valid.', '{"reason": "invalid"}');
  elsif promo.held + promo.used - (select count(*) from (select o.promo_code_id from public.orders o where o.id = any (p_replaced) offset 0)
      as replaced where promo_code_id = promo.id) >= promo.max_uses then
    refusal := public.refusal('promo_code_refused', 'This code has been used up.', '{"reason": "used_up"}');
  elsif promo.max_uses_per_buyer <= (select count(*) from public.orders o where o.promo_code_id = promo.id and o.user_id = p_user
      and o.status <> 'cancelled' and o.id <> all (coalesce(p_replaced, '{}')))
    + (select count(*) from public.former_orders(p_user) as o where o.promo_code_id = promo.id) then
    refusal := public.refusal('promo_code_refused', 'You have already used this code as often as allowed.', '{"reason": "used_by_you"}');
  else
    discounts := public.promo_discounts((promo.amount_off * 100)::integer, promo.percent_off, array(
        select case when needs_attendee and (promo.ticket_type_ids = '{}' or product_id = any (promo.ticket_type_ids))
          then (price * 100)::bigint * quantity else 0 end from unnest(p_lines)),
      (select sum((price * 100)::bigint * quantity)::bigint from unnest(p_lines)));
    if discounts is null then
      refusal := public.refusal('promo_code_refused', 'This code does not apply to the tickets in your cart.',
        '{"reason": "not_applicable"}');
    end if;
    discount := (select coalesce(sum(d), 0) from unnest(discounts) as d);
  end if;
end $$;

-- Counts the uses of these orders' codes: pending ones hold, paid ones use.
create function public.move_promo_uses(p_order_ids uuid[], p_held integer, p_used integer) returns void
language plpgsql set search_path = '' as $$
begin
  perform from public.promo_codes where id in (select promo_code_id from public.orders where id = any (p_order_ids))
    order by id for no key update;
  update public.promo_codes c set held = held + p_held * o.orders, used = used + p_used * o.orders
    from (select promo_code_id, count(*)::integer as orders from public.orders
      where id = any (p_order_ids) and promo_code_id is not null group by 1) as o
    where c.id = o.promo_code_id;
end $$;

-- For a late payment: whether its order may use its code again. A code paused in the meantime is honored, as stock is.
create function public.has_promo_use(p_order_id uuid) returns boolean
language plpgsql set search_path = '' as $$
declare
  o public.orders;
  c public.promo_codes;
begin
  select * into o from public.orders where id = p_order_id;
  select * into c from public.promo_codes where id = o.promo_code_id for no key update;
  return coalesce(c.held + c.used < c.max_uses, true) and coalesce(c.max_uses_per_buyer > (select count(*) from public.orders
    where promo_code_id = c.id and user_id = o.user_id and status <> 'cancelled')
    + (select count(*) from public.former_orders(o.user_id) as f where f.promo_code_id = c.id), true);
end $$;

-- What a code would take off a cart, before an order is placed: [{id, quantity}]. Holds nothing: placing the order decides. An order
-- that holds this cart with this code keeps its discount, even if the code or the prices have changed since.
-- Answers {ok: true, code, discount_cents} or a refusal, as reserve_orders does.
-- Only for the service: a buyer who called it through the API could have the call rolled back, and the count of wrong codes with it.
create function public.quote_promo_code(p_user_id uuid, p_address text, p_code text, p_items jsonb) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  -- Fenced: otherwise the planner scans the index of all pending orders.
  held constant uuid[] := array(select id from (select id, status from public.orders where user_id = p_user_id offset 0) as own
    where status = 'pending');
  held_discount numeric;
  terms record;
begin
  select o.discount_amount into held_discount from public.orders o
    where o.id = any (held) and o.promo_code = public.promo_text(p_code) and o.hold_expires_at > now()
      and array(select format('%s %s', product_id, quantity) from public.order_items
          where order_id = o.id and not included order by 1)
        = array(select format('%s %s', lower(i ->> 'id'), (i -> 'quantity')::integer) from jsonb_array_elements(p_items) as i order by 1);
  if held_discount is not null then
    return jsonb_build_object('ok', true, 'code', public.promo_text(p_code), 'discount_cents', (held_discount * 100)::integer);
  end if;
  terms := public.promo_terms(p_code, p_user_id, p_address, held, array(
    select row(p.id, kind, k.needs_attendee, p.name, (i -> 'quantity')::integer, p.price, false)::public.order_line
    from jsonb_array_elements(p_items) as i join public.products p on p.id = public.uuid_of(i ->> 'id') and not p.is_hidden
      join public.product_kinds k using (kind)));
  perform public.count_wrong_codes(jsonb_build_array(jsonb_build_object('user_id', p_user_id, 'address', p_address)),
    array[terms.refusal]);
  return coalesce(terms.refusal, jsonb_build_object('ok', true, 'code', terms.code, 'discount_cents', terms.discount));
end $$;

-- ── The back office ───────────────────────────────────────────────────────────────────────────────────────────────────

create function public.promo_state(p_code public.promo_codes) returns text
language sql stable set search_path = '' as $$
  select case when p_code.used >= p_code.max_uses then 'used_up'
    else public.sale_state(not p_code.is_paused, p_code.opens_at, p_code.closes_at) end
$$;

-- Promo codes, newest first, with what they are worth and how often they are used.
create function public.list_promo_codes(p_search text default null, p_state text default null, page_size integer default 25,
  p_after_at timestamptz default null, p_after_id uuid default null, page_offset integer default 0) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := public.search_pattern(p_search);
  size constant integer := least(greatest(page_size, 1), 500);
  skipped constant integer := greatest(page_offset, 0);
  listed jsonb;
  found bigint;
begin
  perform public.require_finance();
  select jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id) into listed from (
    select c.id, c.code, c.note, c.amount_off, c.percent_off, c.ticket_type_ids, c.max_uses, c.max_uses_per_buyer, c.is_paused,
      c.opens_at, c.closes_at, c.held, c.used, c.created_at, c.version, public.promo_state(c) as state
    from public.promo_codes c
    where (pattern is null or code ilike pattern or note ilike pattern) and (p_state is null or public.promo_state(c) = p_state)
      and (p_after_id is null or (created_at <= p_after_at and (created_at < p_after_at or id > p_after_id)))
    order by created_at desc, id limit size offset skipped) as page;
  found := coalesce(jsonb_array_length(listed), 0);
  if found >= size or skipped > 0 or p_after_id is not null then
    select count(*) into found from (
      select from public.promo_codes c
      where (pattern is null or code ilike pattern or note ilike pattern) and (p_state is null or public.promo_state(c) = p_state)
      limit public.most_counted() + 1) as counted;
  end if;
  return public.list_answer(listed, found);
end $$;

revoke execute on function public.promo_text(text), public.check_promo_code(),
  public.promo_discounts(integer, integer, bigint[], bigint), public.guesses_codes(text, text), public.wrong_code_limits(text, text),
  public.count_wrong_codes(jsonb, jsonb[]), public.promo_terms(text, uuid, text, uuid[], public.order_line[]),
  public.move_promo_uses(uuid[], integer, integer), public.has_promo_use(uuid), public.quote_promo_code(uuid, text, text, jsonb), public.promo_state(public.promo_codes)
  from public, anon, authenticated;
revoke execute on function public.list_promo_codes(text, text, integer, timestamptz, uuid, integer) from public, anon;
grant execute on function public.list_promo_codes(text, text, integer, timestamptz, uuid, integer) to authenticated;
