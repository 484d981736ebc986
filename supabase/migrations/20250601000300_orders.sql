-- The shop's settings, and orders with their items, entry codes and payments. The states of an order: pending holds stock,
-- confirmed is paid with every ticket issued, completed is scanned in, cancelled has a reason. Only functions write orders.

create table public.shop_settings (
  only_row boolean primary key default true check (only_row),
  -- Long before the provider forgets the key that finds an order's payment, after 24 hours (decision 004).
  hold_duration interval not null default '15 minutes' check (hold_duration > '0' and hold_duration <= '12 hours'),
  max_tickets_per_buyer integer not null default 20 check (max_tickets_per_buyer between 1 and 500),
  -- Per sliding minute. A crowd behind one address must be able to buy, so that limit is far wider.
  max_orders_per_buyer integer not null default 5 check (max_orders_per_buyer between 1 and 1000000),
  max_orders_per_address integer not null default 300 check (max_orders_per_address between 1 and 1000000),
  -- The share of all tickets that one address may hold unpaid; paying earns it more (reserve_orders).
  address_hold_share numeric not null default 0.05 check (address_hold_share between 0.0001 and 1),
  -- Tickets and parking passes per door sale: catches a mistyped number before it costs money.
  max_units_per_door_sale integer not null default 20 check (max_units_per_door_sale between 1 and 500),
  on_sale boolean not null default true,
  sale_opens_at timestamptz,
  sale_closes_at timestamptz,
  vip_includes_parking boolean not null default true,
  -- A fee or tax on each order of the shop, as its own line; none while all three amounts are 0. An order that costs nothing has no
  -- fee.
  fee_name text not null default 'Service fee' check (length(btrim(fee_name)) between 1 and 40),
  fee_percent numeric(4, 2) not null default 0 check (fee_percent between 0 and 50), -- of the items, after the discount
  fee_per_ticket numeric(6, 2) not null default 0 check (fee_per_ticket between 0 and 999.99),
  fee_per_order numeric(6, 2) not null default 0 check (fee_per_order between 0 and 999.99),
  fee_is_refunded boolean not null default true, -- with the tickets; applies to orders placed from then on
  -- Whether prices are shown with it, as 16 CFR 464 demands for live events; otherwise it is shown beside each.
  fee_in_prices boolean not null default true,
  waitlist_offer_duration interval not null default '12 hours' check (waitlist_offer_duration > '0'),
  -- The waiting room opens when placing the orders under way would take longer than this. A refusal costs a server half as much as
  -- an order, so a few more seconds of queue serve more people than a line.
  waiting_room_seconds integer not null default 5 check (waiting_room_seconds between 1 and 600)
);
insert into public.shop_settings default values;
create trigger shop_settings_audit after update on public.shop_settings
  for each row execute function public.audit_change();
create trigger shop_settings_window before update of sale_opens_at, sale_closes_at on public.shop_settings
  for each row execute function public.check_sale_window();

-- The fee on an order, in cents, as feeCents in contract/shop/sale computes it. p_cents: what the items cost after the discount. One expression
-- without a search path, so that it is inlined.
create function public.fee_cents(settings public.shop_settings, p_cents bigint, p_tickets integer) returns bigint
language sql immutable as $$
  select case when p_cents = 0 then 0 else (settings.fee_per_order * 100)::bigint + (settings.fee_per_ticket * 100)::bigint * p_tickets
    + div(p_cents * (settings.fee_percent * 100) + 5000, 10000)::bigint end
$$;

revoke execute on function public.fee_cents(public.shop_settings, bigint, integer) from public, anon, authenticated;

-- The public part of the settings: whether the shop is selling, what VIP includes, and the fee, null when there is none.
-- vip_parking_left is the parking VIP can still claim, null when it claims none. From festival_status, an open page learns that it
-- is out of date.
create function public.get_sale() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('now', now(), 'on_sale', on_sale, 'sale_opens_at', sale_opens_at, 'sale_closes_at', sale_closes_at,
    'festival_status', (select status from public.festival), 'vip_includes_parking', vip_includes_parking,
    'vip_parking_left', case when vip_includes_parking then (select current_inventory from public.products where is_general) end,
    'fee', case when fee_percent + fee_per_ticket + fee_per_order > 0 then jsonb_build_object('name', btrim(fee_name), 'percent', fee_percent,
      'per_ticket', fee_per_ticket, 'per_order', fee_per_order, 'is_refunded', fee_is_refunded,
      'in_prices', fee_in_prices) end)
  from public.shop_settings s
$$;

-- A time as people read it.
create function public.central_time(p_at timestamptz) returns text
language sql stable set search_path = '' as $$
  select to_char(p_at at time zone 'America/Chicago', 'FMMonth FMDD, YYYY, FMHH12:MI AM "Central Time"')
$$;

-- Why something is not on sale, for people to read. p_name: the item's name, or null for the whole shop.
create function public.sale_refusal(p_state text, p_opens_at timestamptz, p_name text default null) returns text
language sql stable as $$
  select case p_state
    when 'cancelled' then 'The festival is canceled. No tickets are sold.'
    when 'paused' then case when p_name is null then 'Sales are paused.' else format('%s is not on sale at the moment.', p_name) end
    when 'upcoming' then format(case when p_name is null then 'Sales open on %2$s.' else '%1$s goes on sale on %2$s.' end, p_name,
      public.central_time(p_opens_at))
    else case when p_name is null then 'Sales have ended.' else format('The sale of %s has ended.', p_name) end end
$$;
revoke execute on function public.central_time(timestamptz), public.sale_refusal(text, timestamptz, text)
  from public, anon, authenticated;

create table public.orders (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references auth.users (id) on delete set null,
  status text not null default 'pending' check (status in ('pending', 'confirmed', 'completed', 'cancelled')),
  has_place boolean not null default false, -- it uses a place of the waitlist
  -- The items' prices, minus the discount, plus the fee.
  total_amount numeric(10, 2) not null check (total_amount >= 0),
  discount_amount numeric(10, 2) not null default 0 check (discount_amount >= 0), -- the sum of its items' discounts
  fee_amount numeric(10, 2) not null default 0 check (fee_amount >= 0),
  fee_name text, -- as it was shown
  fee_is_refunded boolean not null default true, -- as it was when the order was placed
  fee_refunded numeric(10, 2) not null default 0,
  -- The promo code that gave the discount, and its text at the time. No foreign key: every reservation would pay for the check, and
  -- a code is never deleted.
  promo_code_id uuid,
  promo_code text,
  buyer_full_name text not null,
  buyer_email text not null,
  buyer_phone_number text not null,
  -- [{name, email, ticket_type_id}], one for each ticket: who gets a ticket of which type.
  attendees jsonb not null default '[]' check (jsonb_typeof(attendees) = 'array'),
  stripe_session_id text unique,
  payment_intent_id text unique,
  -- Excludes refunded tickets: this is what counts toward the limits.
  ticket_count integer not null default 0,
  hold_expires_at timestamptz,
  -- When the expiry job looks again at an order whose payment is still under way.
  expiry_check_at timestamptz,
  cancel_reason text check (cancel_reason in
    ('hold_expired', 'replaced', 'abandoned', 'payment_failed', 'unfulfillable', 'refunded', 'cancelled_by_admin', 'voided',
      'revoked')),
  confirmed_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A browser's retry finds its order by this key; a changed body under the same key is refused. Deciding a cart reads the
  -- buyer's orders anyway, so the key needs no table, index or foreign key of its own.
  idempotency_key text,
  request_hash text,
  -- How it was sold: by the shop, at the door, or given away. Door and comp orders are created confirmed: they hold nothing, and
  -- belong to no account. If their buyer has no email address, it is empty.
  channel text not null default 'online' check (channel in ('online', 'door', 'comp')),
  acknowledged_at timestamptz, -- when an administrator dealt with a paid order that could not be fulfilled
  names_until timestamptz, -- when its names are removed, as promised to a buyer who deleted their account
  constraint orders_pending_holds check (status <> 'pending' or hold_expires_at is not null),
  constraint orders_cancelled_why check ((status = 'cancelled') = (cancel_reason is not null)),
  constraint orders_confirmed_when check (status not in ('confirmed', 'completed') or confirmed_at is not null),
  constraint orders_fee_refunded check (fee_refunded between 0 and fee_amount),
  constraint orders_channel check (channel = 'online' or (user_id is null and status <> 'pending')),
  constraint orders_comp_is_free check (channel <> 'comp' or total_amount = 0)
);
create index orders_of_user on public.orders (user_id, created_at desc);
create index orders_newest on public.orders (created_at desc, id);
create index orders_by_status on public.orders (status, created_at desc, id);
create index orders_pending on public.orders (coalesce(expiry_check_at, hold_expires_at)) where status = 'pending';
create index orders_to_handle on public.orders (created_at desc, id) where cancel_reason = 'unfulfillable' and acknowledged_at is null;
create index orders_failed on public.orders (created_at desc, id) where cancel_reason in ('payment_failed', 'unfulfillable');
-- For sums over all that was sold: orders have wide rows.
create index orders_sold on public.orders (id) include (confirmed_at, channel, fee_amount, fee_refunded) where confirmed_at is not null;
create index orders_by_promo_code on public.orders (promo_code_id, user_id) where promo_code_id is not null;

-- The address an order was placed from, kept for two days. In its own table, so that deleting it changes no order that dashboards
-- watch. It has no foreign key: every reservation would pay for the check.
create table public.order_addresses (
  order_id uuid primary key,
  address text not null,
  placed_at timestamptz not null default now(),
  -- How the order changes the number of tickets its address may hold unpaid: minus its own while it is pending, plus twice as
  -- many once it is paid, zero when it is cancelled or cost nothing. Stored because reserve_orders adds up as many as a thousand.
  room integer not null
) with (fillfactor = 80);
create index order_addresses_newest on public.order_addresses (address, placed_at desc);
alter table public.order_addresses enable row level security;
revoke all on public.order_addresses from anon, authenticated;
create policy "Nobody but the service reads where orders come from" on public.order_addresses
  for all to anon, authenticated using (false) with check (false);

create function public.address_room(p_status text, p_tickets integer, p_amount numeric) returns integer
language sql immutable as $$
  select case when p_status = 'pending' then -p_tickets when p_status = 'cancelled' or p_amount = 0 then 0 else 2 * p_tickets end;
$$;

create function public.update_address_room() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
begin
  update public.order_addresses set room = public.address_room(new.status, new.ticket_count, new.total_amount)
    where order_id = new.id;
  return null;
end $$;
create trigger orders_address_room after update of status, ticket_count on public.orders
  for each row when ((old.status, old.ticket_count) is distinct from (new.status, new.ticket_count))
  execute function public.update_address_room();
revoke execute on function public.address_room(text, integer, numeric) from public, anon, authenticated;

-- The words that an order search matches, from its buyer, its attendees and its tickets' present holders (write_order_words). They
-- are written once an order is no longer pending, so that a reservation does not pay for them: pending orders are few enough to be
-- searched without (decision 013). In its own table, since every change of an order would write its index again.
create table public.order_words (
  order_id uuid primary key references public.orders (id) on delete cascade,
  words tsvector not null
);
create index order_words_search on public.order_words using gin (words);
-- People read out either end of the number that they see, the first 8 characters. The index is not on the orders: there it took 7 to
-- 12 percent of PostgreSQL's processor time from the reservation to the tickets, since each change of an order writes it again.
create index order_words_by_end on public.order_words (reverse(left(order_id::text, 8)) text_pattern_ops);
alter table public.order_words enable row level security;
revoke all on public.order_words from anon, authenticated;
create policy "Nobody but the service reads the words of orders" on public.order_words
  for all to anon, authenticated using (false) with check (false);

-- What limits count of a person who deletes their account and comes back with the same address: a keyed one-way hash of it, for as
-- long as the order keeps its names (forget_deleted_buyers).
create table public.former_buyers (
  order_id uuid primary key references public.orders (id) on delete cascade,
  address_hash bytea not null
);
create index former_buyers_by_address on public.former_buyers (address_hash);
create table public.address_key (
  only_row boolean primary key default true check (only_row),
  key bytea not null default sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea)
);
insert into public.address_key default values;
alter table public.former_buyers enable row level security;
alter table public.address_key enable row level security;
revoke all on public.former_buyers, public.address_key from anon, authenticated;
create policy "Nobody but the limits reads former buyers" on public.former_buyers
  for all to anon, authenticated using (false) with check (false);
create policy "Nobody reads the key of the addresses' hashes" on public.address_key
  for all to anon, authenticated using (false) with check (false);

create function public.address_hash(p_email text) returns bytea
language sql stable strict security definer set search_path = '' as $$
  select sha256(key || sha256(key || convert_to(lower(p_email), 'UTF8'))) from public.address_key
$$;

-- The orders that still count of the former account of this user's address.
create function public.former_orders(p_user_id uuid) returns setof public.orders
language sql stable security definer set search_path = '' as $$
  select o.* from public.former_buyers f join public.orders o on o.id = f.order_id
    where f.address_hash = public.address_hash(public.mail_of(p_user_id)) and o.status <> 'cancelled'
$$;

create function public.remember_former_buyer() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.former_buyers (order_id, address_hash)
    select id, public.address_hash(old.email) from public.orders
      where user_id = old.id and status <> 'cancelled' and old.email is not null;
  return old;
end $$;
create trigger users_remember_former_buyer before delete on auth.users
  for each row execute function public.remember_former_buyer();
revoke execute on function public.address_hash(text), public.former_orders(uuid), public.remember_former_buyer()
  from public, anon, authenticated;

-- A buyer's, vendor's or sponsor's phone number, as in contract/schemas: on one line, at least 10 characters, 7 of them digits. No
-- search path, so that it is inlined.
create function public.is_phone(p_text text) returns boolean language sql immutable as $$
  select length(btrim(p_text)) >= 10 and length(p_text) - length(translate(p_text, '0123456789', '')) >= 7
    and public.is_one_line(p_text)
$$;
revoke execute on function public.is_phone(text) from public, anon;
-- An administrator's decision on an application checks its row again.
grant execute on function public.is_phone(text) to authenticated;

-- How names are compared, in SQL and on a phone at the gate alike: contract/names has the same rule, which a test compares. Every
-- apostrophe is ' and every hyphen -, case and accents go (those of scripts in which they are accents), and letters that do not
-- decompose are listed. Not with [:alnum:] or the like, which JavaScript and other locales read otherwise. Most texts are ASCII, which
-- has only case and one apostrophe to fold.
create function public.folded(p_text text) returns text
language sql immutable set search_path = '' as $$
  select case when octet_length(p_text) = length(p_text) then translate(lower(p_text), '`', '''')
    else replace(replace(replace(replace(translate(lower(normalize(regexp_replace(normalize(regexp_replace(regexp_replace(regexp_replace(p_text,
      '[\u0060\u00b4\u02b9\u02bb-\u02bd\u02c8\u055a\u05f3\u05f4\u2018-\u201b\u2032\ua78c\uff07]', '''', 'g'),
      '[\u058a\u05be\u2010-\u2015\u2212\u30a0\ufe58\ufe63\uff0d]', '-', 'g'),
      '[\u00ad\u061c\u0640\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]', '', 'g'), NFKD),
      '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]', '', 'g'), NFC)),
    'đðøłħıŧəς', 'ddolhiteσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end
$$;

-- What stands between the words of a folded text.
create function public.between_words() returns text language sql immutable
return '[\u0001-/:-@\[-`{-\u00bf\u00d7\u00f7\u02b9-\u02ff\u055b-\u055f\u0589\u05c0\u05c3\u05c6\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965'
  || '\u1680\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d\u30fb\ufffd\U0001f000-\U0001fbff]+';

-- A letter of a script that has no spaces between words: Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean.
create function public.spaceless_letter() returns text language sql immutable
return '[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30fa\u30fc-\u312f\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]';

-- A name's words, and what people type for them: O'Neal-Wu is found by its parts and by "onealwu", and a name written without
-- spaces from any of its letters on. A phone number is found by each group of digits and by all of them together.
-- Planned once: in a list that plans its own query for each search (force_custom_plan), every row would plan this again.
create function public.search_words(p_name text, p_email text, p_phone text, p_attendees jsonb) returns tsvector
language sql immutable set search_path = '' set plan_cache_mode = force_generic_plan as $$
  select case when said !~ public.spaceless_letter() and length(said) < 500 then array_to_tsvector(string_to_array(said, ' ')) else (
      select array_to_tsvector(array_agg(left(substr(word, n), 40))) from string_to_table(said, ' ') as word
      cross join lateral generate_series(1, case when word ~ public.spaceless_letter() then length(word) else 1 end) as n
      where n = 1 or substr(word, n, 1) ~ public.spaceless_letter()) end
  from (select public.folded(concat_ws(' ', p_name, jsonb_path_query_array(p_attendees, '$[*].name')::text)) as names offset 0) as people
  cross join lateral (select btrim(regexp_replace(concat_ws(' ', names, case when names ~ '[''-]' then translate(names, '''-', '') end,
    public.folded(concat_ws(' ', p_email, p_phone, regexp_replace(p_phone, '[^0-9]', '', 'g'),
      jsonb_path_query_array(p_attendees, '$[*].email')::text))), public.between_words(), ' ', 'g')) as said offset 0) as text;
$$;
revoke execute on function public.folded(text), public.between_words(), public.spaceless_letter(), public.search_words(text, text, text, jsonb) from public, anon, authenticated;

create table public.order_items (
  id uuid primary key default gen_random_uuid(),
  order_id uuid not null references public.orders (id) on delete cascade,
  position integer not null,
  product_id uuid not null references public.products (id),
  kind text not null, -- the product's: a buyer may not read one that was hidden since
  name text not null,
  quantity integer not null check (quantity > 0),
  unit_price numeric(10, 2) not null check (unit_price >= 0),
  -- Taken off the price of all its units together.
  discount numeric(10, 2) not null default 0,
  -- Parking that came with a VIP ticket: it is refunded with the last VIP ticket.
  included boolean not null default false,
  -- Refunded units of a paid order.
  refunded integer not null default 0 check (refunded between 0 and quantity),
  -- Money returned for this line, with its units or alone.
  refunded_amount numeric(10, 2) not null default 0,
  constraint order_items_refunded_amount check (refunded_amount between 0 and quantity * unit_price - discount),
  constraint order_items_discount check (discount between 0 and quantity * unit_price),
  -- With what the sums of sales read.
  unique (order_id, position) include (product_id, quantity, unit_price, discount, refunded, refunded_amount)
);
-- What was paid for a line, and the part not yet returned. No search path, so that they are inlined.
create function public.line_net(p_item public.order_items) returns numeric language sql immutable
return p_item.quantity * p_item.unit_price - p_item.discount;
create function public.line_left(p_item public.order_items) returns numeric language sql immutable
return public.line_net(p_item) - p_item.refunded_amount;
revoke execute on function public.line_net(public.order_items), public.line_left(public.order_items) from public, anon, authenticated;
create index order_items_of_product on public.order_items (product_id);

-- One unit that was sold or given, of a kind that has a code: what admits one person or one vehicle.
create table public.entry_codes (
  id uuid primary key default gen_random_uuid(),
  order_id uuid not null references public.orders (id),
  order_item_id uuid not null references public.order_items (id),
  product_id uuid not null references public.products (id),
  kind text not null default 'ticket', -- the product's
  -- The current holder: the buyer, the person who accepted it, or null for a holder without an account.
  user_id uuid references auth.users (id) on delete set null,
  -- Its position in the order item, from 1: a unit cannot be issued twice.
  position integer not null,
  -- The person it admits, if its kind needs one.
  attendee_name text,
  attendee_email text,
  has_attendee boolean not null generated always as (attendee_name is not null) stored,
  issue_number integer not null default 1 check (issue_number > 0),
  -- If it was passed on, its holder's first issue number: an older code belongs to a former holder.
  transferred_issue integer,
  qr_code_data text,
  qr_code_url text,
  plate text check (length(plate) between 1 and 20), -- of a vehicle
  checked_in_at timestamptz,
  is_checked_in boolean not null generated always as (checked_in_at is not null) stored,
  created_at timestamptz not null default now(),
  -- When it was refunded. A void one has no code, and its raised issue number makes every earlier code invalid.
  voided_at timestamptz,
  -- The transaction that last changed it (gate_list).
  changed_xid xid8 not null default pg_current_xact_id(),
  unique (order_item_id, position),
  constraint entry_codes_attendee_of_kind foreign key (kind, has_attendee) references public.product_kinds (kind, needs_attendee),
  constraint entry_codes_attendee check ((attendee_name is null) = (attendee_email is null)),
  constraint entry_codes_void_without_code check (voided_at is null or num_nonnulls(qr_code_data, qr_code_url) = 0),
  constraint entry_codes_void_stays_out check (checked_in_at <= voided_at)
);
create index entry_codes_of_user on public.entry_codes (user_id, created_at desc);
create index entry_codes_of_order on public.entry_codes (order_id);
create index entry_codes_by_end on public.entry_codes (reverse(left(id::text, 8)) text_pattern_ops); -- people read out its end
create index entry_codes_changed on public.entry_codes (changed_xid, id);

-- Those that admit a named person, read and written as a table.
create view public.tickets with (security_invoker) as
  select id, order_id, order_item_id, product_id as ticket_type_id, user_id, position, attendee_name, attendee_email, issue_number,
    transferred_issue, qr_code_data, qr_code_url, checked_in_at, is_checked_in, created_at, voided_at, changed_xid
  from public.entry_codes where has_attendee;

-- Called when an order stops being pending, and after every later change of its names and addresses. A change of a ticket's has locked
-- its order.
create function public.write_order_words(p_order_id uuid) returns void
language sql volatile set search_path = '' set enable_seqscan = off as $$
  insert into public.order_words (order_id, words)
    select o.id, public.search_words(o.buyer_full_name, o.buyer_email, o.buyer_phone_number, o.attendees
      || (select coalesce(jsonb_agg(jsonb_build_object('name', t.attendee_name, 'email', t.attendee_email)), '[]')
        from public.tickets t where t.order_id = o.id))
    from public.orders o where o.id = p_order_id
  on conflict (order_id) do update set words = excluded.words;
$$;
create function public.write_words_of_order() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform public.write_order_words(new.id);
  return null;
end $$;
create function public.write_words_of_ticket() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform public.write_order_words(new.order_id);
  return null;
end $$;
create trigger orders_write_first_words after insert on public.orders for each row when (new.status <> 'pending')
  execute function public.write_words_of_order();
create trigger orders_write_words after update of status, buyer_full_name, buyer_email, buyer_phone_number, attendees on public.orders
  for each row when (new.status <> 'pending' and (old.status = 'pending' or
    (old.buyer_full_name, old.buyer_email, old.buyer_phone_number, old.attendees)
      is distinct from (new.buyer_full_name, new.buyer_email, new.buyer_phone_number, new.attendees)))
  execute function public.write_words_of_order();
create trigger entry_codes_write_words after update of attendee_name, attendee_email on public.entry_codes for each row
  when ((old.attendee_name, old.attendee_email) is distinct from (new.attendee_name, new.attendee_email))
  execute function public.write_words_of_ticket();
revoke execute on function public.write_order_words(uuid), public.write_words_of_order(),
  public.write_words_of_ticket() from public, anon, authenticated;

-- The gates' lists read what changed since their last call, so a trigger marks every change.
create function public.mark_changed() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.changed_xid := pg_current_xact_id();
  return new;
end $$;
create trigger entry_codes_mark_changed before update on public.entry_codes
  for each row execute function public.mark_changed();

-- The lists show a code without an attendee under its buyer.
create function public.mark_codes_changed() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.entry_codes set changed_xid = pg_current_xact_id() where order_id = new.id and not has_attendee;
  return null;
end $$;
revoke execute on function public.mark_codes_changed() from public, anon, authenticated;
create trigger orders_mark_codes_changed after update of buyer_full_name, buyer_email on public.orders for each row
  when ((old.buyer_full_name, old.buyer_email) is distinct from (new.buyer_full_name, new.buyer_email))
  execute function public.mark_codes_changed();

create table public.payments (
  payment_intent_id text primary key,
  order_id uuid not null references public.orders (id),
  amount numeric(10, 2) not null, -- 1.00 is 100 of the currency's smallest unit
  currency text not null default 'usd',
  status text not null check (status in ('failed', 'succeeded', 'refund_pending', 'partially_refunded', 'refunded')),
  failure_message text, -- of the last attempt that failed; kept when a later one succeeds
  succeeded_at timestamptz, -- when it was confirmed here
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint payments_succeeded_when check (status = 'failed' or succeeded_at is not null)
);
create index payments_of_order on public.payments (order_id);

-- Each declined card, for two days: a payment keeps only its last failure, and the alarm counts them all (get_system_health).
create table public.card_declines (
  event_id text primary key, -- the provider's, which may report it more than once
  order_id uuid not null references public.orders (id) on delete cascade,
  declined_at timestamptz not null
);
create index card_declines_of_order on public.card_declines (order_id);
create index card_declines_newest on public.card_declines (declined_at);
alter table public.card_declines enable row level security;
revoke all on public.card_declines from anon, authenticated;
create policy "Nobody but the service reads declined cards" on public.card_declines
  for all to anon, authenticated using (false) with check (false);

create table public.refunds (
  id uuid primary key default gen_random_uuid(),
  payment_intent_id text not null references public.payments (payment_intent_id),
  order_id uuid not null references public.orders (id),
  amount numeric(10, 2) not null check (amount > 0),
  reason text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  provider_refund_id text unique,
  failure_message text,
  retry_of uuid unique references public.refunds (id), -- a failed refund is retried once; its retry may then be retried
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- What was refunded: [{order_item_id, product_id, kind, name, quantity, unit_price, included, amount}]. A quantity
  -- of 0 means money alone. Empty for a payment that bought nothing.
  items jsonb not null default '[]' check (jsonb_typeof(items) = 'array'),
  fee numeric(10, 2) not null default 0 check (fee between 0 and amount), -- the part of the amount that is the fee's
  run_id uuid, -- the refund run that it belongs to
  superseded boolean not null default false, -- it failed, and the refund that ended the order includes its money
  -- When the provider returned the money.
  succeeded_at timestamptz,
  constraint refunds_succeeded_when check ((status = 'succeeded') = (succeeded_at is not null))
);
-- Administrators' notes, for organizers only, and therefore not on the refund: buyers read their own refunds.
create table public.refund_notes (
  refund_id uuid primary key references public.refunds (id) on delete cascade,
  note text not null check (length(note) between 1 and 500)
);
create index refunds_of_order on public.refunds (order_id);
create index refunds_of_payment on public.refunds (payment_intent_id);
create index refunds_newest on public.refunds (created_at desc, id);
create index refunds_pending on public.refunds (updated_at) where status = 'pending';
-- What an attempt to refund returned, whether or not money went back. Its key comes from the requester's browser, whose retry finds
-- the answer by it.
create table public.refund_attempts (
  key uuid primary key,
  order_id uuid not null references public.orders (id),
  cents integer not null
);

create trigger orders_touch before update on public.orders
  for each row execute function public.touch_updated_at();
create trigger payments_touch before update on public.payments
  for each row execute function public.touch_updated_at();
create trigger refunds_touch before update on public.refunds
  for each row execute function public.touch_updated_at();

-- From cancelled to confirmed: a late payment whose stock was still available.
create function public.check_order_transition() returns trigger
language plpgsql set search_path = '' as $$
begin
  if (old.status, new.status) not in (
    ('pending', 'confirmed'), ('pending', 'cancelled'), ('confirmed', 'completed'), ('completed', 'confirmed'),
    ('confirmed', 'cancelled'), ('completed', 'cancelled'), ('cancelled', 'confirmed')
  ) then
    raise exception 'An order cannot go from % to %', old.status, new.status using errcode = '23514';
  end if;
  return new;
end $$;
create trigger orders_transition before update of status on public.orders
  for each row when (old.status is distinct from new.status) execute function public.check_order_transition();

-- completed: every ticket of a confirmed order that was not refunded has been scanned in; of an order without tickets, every
-- other code.
--
-- Every writer locks an order before its tickets (gate_scan, take_back). A plain update of codes has locked them already, so it
-- must not wait for the order: a refund that holds the order may be waiting for the ticket. It fails at once instead.
-- Per statement, not per row: a gate that was offline for an hour syncs a thousand scans in one statement.
create function public.complete_scanned_orders() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  scanned constant uuid[] := array(select distinct after.order_id from before join after using (id)
    where (before.checked_in_at, before.voided_at) is distinct from (after.checked_in_at, after.voided_at));
begin
  if scanned = '{}' then return null; end if;
  -- The status is read with the lock and compared outside: as a condition on the orders, it may be looked up by the index of all
  -- confirmed orders.
  update public.orders o set status = s.status
  from (
    select a.id, a.status as was, case when c.all_in then 'completed' else 'confirmed' end as status
    from (select id, status from public.orders where id = any (scanned) order by id offset 0 for no key update nowait) as a
    cross join lateral (select coalesce(bool_and(is_checked_in) filter (where has_attendee), bool_and(is_checked_in)) as all_in
      from public.entry_codes where order_id = a.id and voided_at is null) as c
  ) as s
  where o.id = s.id and s.was in ('confirmed', 'completed') and s.was <> s.status;
  return null;
end $$;
create trigger entry_codes_complete_orders after update on public.entry_codes
  referencing old table as before new table as after for each statement execute function public.complete_scanned_orders();

alter table public.shop_settings enable row level security;
alter table public.orders enable row level security;
alter table public.order_items enable row level security;
alter table public.entry_codes enable row level security;
alter table public.payments enable row level security;
alter table public.refunds enable row level security;
alter table public.refund_notes enable row level security;
alter table public.refund_attempts enable row level security;

revoke all on public.shop_settings, public.orders, public.order_items, public.entry_codes, public.tickets, public.payments,
  public.refunds, public.refund_notes, public.refund_attempts from anon, authenticated;
grant select on public.shop_settings, public.orders, public.order_items, public.entry_codes, public.tickets, public.payments,
  public.refunds, public.refund_notes to authenticated;
grant update (hold_duration, max_tickets_per_buyer, max_units_per_door_sale, max_orders_per_buyer, max_orders_per_address, address_hold_share,
  waiting_room_seconds,
  on_sale, sale_opens_at, sale_closes_at, vip_includes_parking,
  fee_name, fee_percent, fee_per_ticket, fee_per_order, fee_is_refunded, fee_in_prices, waitlist_offer_duration) on public.shop_settings to authenticated;

create policy "Admins read the settings" on public.shop_settings
  for select to authenticated using ((select public.is_admin()));
create policy "Admins change the settings" on public.shop_settings
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));
create policy "Buyers read their own orders" on public.orders
  for select to authenticated using (user_id = (select auth.uid()));
create policy "Admins and finance read all orders" on public.orders
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Buyers read the items of their own orders" on public.order_items
  for select to authenticated
  using (exists (select from public.orders o where o.id = order_id and o.user_id = (select auth.uid())));
create policy "Admins and finance read all order items" on public.order_items
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Holders read their entry codes" on public.entry_codes
  for select to authenticated using (user_id = (select auth.uid()));
create policy "Admins read all entry codes" on public.entry_codes
  for select to authenticated using ((select public.is_admin()));
create policy "Holders read the products of their entry codes" on public.products
  for select to authenticated
  using (exists (select from public.entry_codes c where c.product_id = products.id and c.user_id = (select auth.uid())));
create policy "Buyers read the payments of their own orders" on public.payments
  for select to authenticated
  using (exists (select from public.orders o where o.id = order_id and o.user_id = (select auth.uid())));
create policy "Admins and finance read all payments" on public.payments
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Buyers read the refunds of their own orders" on public.refunds
  for select to authenticated
  using (exists (select from public.orders o where o.id = order_id and o.user_id = (select auth.uid())));
create policy "Admins and finance read all refunds" on public.refunds
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Admins and finance read the notes of refunds" on public.refund_notes
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Nobody but the service reads the attempts to refund" on public.refund_attempts
  for all to anon, authenticated using (false) with check (false);

-- Entry codes without the code itself, for staff who answer questions about money. The view runs as its owner, who
-- bypasses the policies above, so that only the condition here decides.
create view public.order_codes with (security_barrier) as
  select id, order_id, order_item_id, product_id, kind, user_id, position, attendee_name, attendee_email, has_attendee, issue_number, plate,
    checked_in_at, is_checked_in, created_at, voided_at
  from public.entry_codes where (select public.has_role('admin', 'finance'));
revoke all on public.order_codes from anon, authenticated;
grant select on public.order_codes to authenticated;

alter publication supabase_realtime add table public.orders;

-- An order with all that belongs to it, as mails and receipts show it.
create function public.read_order(p_order_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(o) || jsonb_build_object(
    'order_items', (select coalesce(jsonb_agg(to_jsonb(i) order by i.position), '[]') from public.order_items i where i.order_id = o.id),
    'payments', (select coalesce(jsonb_agg(to_jsonb(p) order by p.created_at), '[]') from public.payments p where p.order_id = o.id),
    'refunds', (select coalesce(jsonb_agg(to_jsonb(r) || jsonb_build_object('payments', to_jsonb(p)) order by r.created_at), '[]')
      from public.refunds r join public.payments p using (payment_intent_id) where r.order_id = o.id))
  from public.orders o where o.id = p_order_id
$$;

-- An order's entry codes, or only one code, as mails, papers, wallets and pictures show them: by kind, each in the order of purchase.
create function public.read_codes(p_order_id uuid default null, p_id uuid default null) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(c) || jsonb_build_object('order_items', to_jsonb(i), 'products', to_jsonb(p), 'product_kinds', to_jsonb(k),
    'event', public.festival_facts() ->> 'code')
  from public.entry_codes c join public.order_items i on i.id = c.order_item_id
    join public.products p on p.id = c.product_id join public.product_kinds k on k.kind = c.kind
  where c.order_id = coalesce(p_order_id, (select order_id from public.entry_codes where id = p_id)) and (p_id is null or c.id = p_id)
  order by k.position, i.position, c.position
$$;

-- Writes these codes, except where the row has got another URL, and answers what the rows hold then. One that was refunded or reissued
-- since it was read is left out. Several codes are locked in the order of their ids.
create function public.write_codes(p_codes jsonb) returns setof jsonb
language sql set search_path = '' as $$
  select from public.entry_codes where id in (select (code ->> 'id')::uuid from jsonb_array_elements(p_codes) as code)
    order by id for no key update;
  update public.entry_codes as c set qr_code_data = w.token, qr_code_url = w.url
    from jsonb_to_recordset(p_codes) as w (id uuid, issue_number integer, old_url text, token text, url text)
    where c.id = w.id and c.issue_number = w.issue_number and c.qr_code_url is not distinct from w.old_url;
  select jsonb_build_object('id', c.id, 'token', c.qr_code_data, 'url', c.qr_code_url)
    from public.entry_codes as c join jsonb_to_recordset(p_codes) as w (id uuid, issue_number integer) using (id, issue_number)
$$;

-- Those of these payments that our books show as paid, refunded or not.
create function public.paid_intents(p_intent_ids text[]) returns setof text
language sql stable set search_path = '' as $$
  select payment_intent_id from public.payments where payment_intent_id = any (p_intent_ids) and status <> 'failed'
$$;
revoke execute on function public.read_order(uuid), public.read_codes(uuid, uuid), public.write_codes(jsonb),
  public.paid_intents(text[]) from public, anon, authenticated;

grant execute on function public.get_sale() to anon, authenticated;
