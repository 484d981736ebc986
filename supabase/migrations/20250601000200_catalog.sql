-- What is for sale, with its stock on the row: available, held by pending orders, sold in confirmed ones. The checks make
-- overselling impossible on any path. Whether something is on sale is the organizer's decision, independent of its stock: units
-- that return from expired holds and refunds do not reopen a stopped sale, and the festival's date does not close one.

-- The rules by name (PRODUCT 5.3). Generated columns store their result for the rows on sale; an order item keeps the name it was
-- sold under, and with it the result.
create function public.names_vip(p_name text) returns boolean language sql immutable as $$ select p_name ilike '%vip%' $$;
create function public.names_general(p_name text) returns boolean language sql immutable as $$ select p_name ilike '%general%' $$;

-- 'open', 'paused', 'upcoming' or 'ended', for the shop and for each row. contract/shop/sale applies the same rule to a row it has read.
create function public.sale_state(p_on_sale boolean, p_opens_at timestamptz, p_closes_at timestamptz) returns text
language sql stable as $$
  select case when p_closes_at <= now() then 'ended' when not p_on_sale then 'paused'
    when p_opens_at > now() then 'upcoming' else 'open' end
$$;

-- What it means to be of a kind. Another kind of thing to sell is a row here.
create table public.product_kinds (
  kind text primary key,
  position integer not null unique, -- in lists
  label text not null, -- one unit, as a sentence names it
  plural text not null,
  title text not null, -- all of them, as a heading
  admits text not null, -- who or what one code admits
  -- Each unit admits one named person: it becomes a ticket, and counts toward the limits of tickets.
  needs_attendee boolean not null,
  has_code boolean not null, -- each unit has an entry code, and the gate lists it
  is_vehicle boolean not null default false, -- its code admits a vehicle, whose plate the gate writes down
  one_per_order boolean not null, -- in the shop; the door sells any number
  unique (kind, needs_attendee) -- for entry_codes
);
insert into public.product_kinds
    (kind, position, label, plural, title, admits, needs_attendee, has_code, is_vehicle, one_per_order) values
  ('ticket', 1, 'ticket', 'tickets', 'Tickets', 'person', true, true, false, false),
  ('parking', 2, 'parking pass', 'parking passes', 'Parking', 'vehicle', false, true, true, true);
alter table public.product_kinds enable row level security;
revoke all on public.product_kinds from anon, authenticated;
grant select on public.product_kinds to anon, authenticated;
create policy "Everybody reads the kinds of products" on public.product_kinds
  for select to anon, authenticated using (true);

create table public.products (
  id uuid primary key default gen_random_uuid(),
  kind text not null default 'ticket' references public.product_kinds (kind),
  name text not null check (length(btrim(name)) between 1 and 120),
  is_vip boolean not null generated always as (kind = 'ticket' and public.names_vip(name)) stored,
  -- The parking that VIP takes, and that the shop offers with the tickets.
  is_general boolean not null generated always as (kind = 'parking' and public.names_general(name)) stored,
  description text not null default '' check (length(description) <= 500),
  price numeric(10, 2) not null, -- bounded by check_inventory_edit
  on_sale boolean not null default true,
  sale_opens_at timestamptz,
  sale_closes_at timestamptz,
  is_hidden boolean not null default false, -- neither listed nor sold
  current_inventory integer not null check (current_inventory >= 0),
  total_inventory integer not null check (total_inventory >= 0),
  held integer not null default 0 check (held >= 0),
  sold integer not null default 0 check (sold >= 0),
  -- The waitlist: units that people wait for, who get returned stock first, and those of the held units that are offered to them.
  waiting integer not null default 0 check (waiting >= 0),
  offered integer not null default 0 check (offered >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1, -- refuses the second of two editors
  constraint products_stock check (current_inventory + held + sold <= total_inventory),
  constraint products_offers_are_held check (offered <= held)
) with (fillfactor = 50); -- the hottest rows of all: room for updates within the page
-- Buyers could not tell two of the same name apart. Hidden ones may share it.
create unique index products_one_name on public.products (kind, lower(btrim(name))) where not is_hidden;
create unique index products_one_general on public.products (is_general) where is_general;

-- The products of a kind under the specification's names, read and written as tables.
create view public.ticket_types with (security_invoker) as
  select id, name, is_vip, description, price, on_sale, sale_opens_at, sale_closes_at, is_hidden, current_inventory, total_inventory,
    held, sold, waiting, offered, created_at, updated_at, version
  from public.products where kind = 'ticket';
-- A row that is inserted through parking_passes gets its kind from the default of this view's column. A trigger instead of the
-- insert would set it too, but PostgreSQL has no upsert through such a view.
create view public.parking_products with (security_invoker) as select * from public.products where kind = 'parking';
alter view public.parking_products alter column kind set default 'parking';
create view public.parking_passes with (security_invoker) as
  select id, name as type_name, is_general, description, price, on_sale, sale_opens_at, sale_closes_at, is_hidden, current_inventory,
    total_inventory, held, sold, created_at, updated_at, version
  from public.parking_products;

create function public.touch_updated_at() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  return new;
end $$;

create trigger products_touch before update on public.products
  for each row execute function public.touch_updated_at();

create function public.check_sale_window() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.sale_closes_at <= new.sale_opens_at then
    raise exception 'Sales must close after they open.' using errcode = '23514', detail = 'sale_closes_at';
  end if;
  return new;
end $$;
create trigger products_window before insert or update of sale_opens_at, sale_closes_at on public.products
  for each row execute function public.check_sale_window();

-- Checks an edit's bounds, with a message that says which one was broken, and its column as the detail, which tells a form the
-- field. A sale only moves stock between available, held and
-- sold. An edit changes their sum, a price, a text or the sale window, so edits alone are checked here, given a version and
-- written to the audit log. The table's own checks prevent overselling; prices are bounded only here.
create function public.check_inventory_edit() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.price < 0 then
    raise exception 'Price must be at least $0.00.' using errcode = '23514', detail = 'price';
  elsif new.price > 99999.99 then
    raise exception 'Price can be at most $99,999.99.' using errcode = '23514', detail = 'price';
  elsif new.price > 0 and new.price < 0.50 then
    raise exception 'Price must be $0.00 (free) or at least $0.50, the minimum card charge.'
      using errcode = '23514', detail = 'price';
  elsif tg_op = 'UPDATE' and old.current_inventory > 0 and new.current_inventory < 0 then
    raise exception 'Available cannot be below 0: % are available, and this removes %.', old.current_inventory,
      old.current_inventory - new.current_inventory using errcode = '23514', detail = 'current_inventory';
  elsif new.total_inventory < 0 or new.current_inventory < 0 then
    raise exception 'Available and total cannot be below 0.' using errcode = '23514',
      detail = case when new.current_inventory < 0 then 'current_inventory' else 'total_inventory' end;
  elsif new.total_inventory > 1000000 then
    raise exception 'Total can be at most 1,000,000.' using errcode = '23514', detail = 'total_inventory';
  elsif new.total_inventory < new.sold + new.held then
    raise exception 'Total must be at least %: that many are sold or held.', new.sold + new.held
      using errcode = '23514', detail = 'total_inventory';
  elsif new.current_inventory > new.total_inventory - new.sold - new.held then
    raise exception 'Available can be at most %: total minus sold and held.', new.total_inventory - new.sold - new.held
      using errcode = '23514', detail = 'current_inventory';
  elsif not new.is_hidden and exists (select from public.products p
      where p.kind = new.kind and lower(btrim(p.name)) = lower(btrim(new.name)) and not p.is_hidden and p.id <> new.id) then
    raise exception 'A % named "%" already exists.',
      (select label || case when needs_attendee then ' type' else '' end from public.product_kinds where kind = new.kind), btrim(new.name)
      using errcode = '23505', detail = 'name';
  elsif new.kind = 'parking' and public.names_general(new.name)
    and exists (select from public.products where is_general and id <> new.id) then
    raise exception 'A general parking pass already exists: only one name may contain "general".'
      using errcode = '23514', detail = 'name';
  end if;
  if tg_op = 'UPDATE' then new.version := old.version + 1; end if;
  return new;
end $$;
create trigger products_added before insert on public.products
  for each row execute function public.check_inventory_edit();
create trigger products_edit before update on public.products
  for each row when ((old.name, old.description, old.price, old.on_sale, old.sale_opens_at, old.sale_closes_at, old.is_hidden,
      old.total_inventory, old.current_inventory + old.held + old.sold) is distinct from
    (new.name, new.description, new.price, new.on_sale, new.sale_opens_at, new.sale_closes_at, new.is_hidden,
      new.total_inventory, new.current_inventory + new.held + new.sold))
  execute function public.check_inventory_edit();
create trigger products_audit_added after insert on public.products
  for each row execute function public.audit_change();
create trigger products_audit after update on public.products
  for each row when (old.version <> new.version) execute function public.audit_change();

alter table public.products enable row level security;
revoke all on public.products, public.ticket_types, public.parking_products, public.parking_passes from anon, authenticated;
grant select on public.products, public.ticket_types, public.parking_products, public.parking_passes to anon, authenticated;
-- Held and sold change only with orders. A product keeps its kind.
grant insert (kind, name, description, price, on_sale, sale_opens_at, sale_closes_at, is_hidden, current_inventory, total_inventory),
  update (name, description, price, on_sale, sale_opens_at, sale_closes_at, is_hidden, current_inventory, total_inventory)
  on public.products to authenticated;
grant insert (name, description, price, on_sale, sale_opens_at, sale_closes_at, is_hidden, current_inventory, total_inventory),
  update (name, description, price, on_sale, sale_opens_at, sale_closes_at, is_hidden, current_inventory, total_inventory)
  on public.ticket_types, public.parking_products to authenticated;
grant insert (type_name, description, price, on_sale, sale_opens_at, sale_closes_at, is_hidden, current_inventory, total_inventory),
  update (type_name, description, price, on_sale, sale_opens_at, sale_closes_at, is_hidden, current_inventory, total_inventory)
  on public.parking_passes to authenticated;

create policy "Everybody reads the products on show" on public.products
  for select to anon, authenticated using (not is_hidden);
create policy "Admins read hidden products" on public.products
  for select to authenticated using ((select public.is_admin()));
create policy "Admins add products" on public.products
  for insert to authenticated with check ((select public.is_admin()));
create policy "Admins edit products" on public.products
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));

alter publication supabase_realtime add table public.products;

-- ── Broadcasting what is left ──────────────────────────────────────────────────────────────────────────────────────

-- The stock last broadcast to /tickets. Not each change of the rows: a sale changes them hundreds of times a second, and a
-- notification inside its transaction would make commits wait for each other (docs/decisions/072).
create unlogged table public.stock_broadcast (
  only_row boolean primary key default true check (only_row),
  sent jsonb not null
);
alter table public.stock_broadcast enable row level security;
revoke all on public.stock_broadcast from anon, authenticated;
create policy "Nobody but the service reads what was sent" on public.stock_broadcast
  for all to anon, authenticated using (false) with check (false);

create policy "Everybody hears how much is left" on realtime.messages
  for select to anon, authenticated using (realtime.topic() = 'stock' and extension = 'broadcast');

-- Called every two seconds; true when something was sent. From `versions`, a page learns that what it has read was edited.
create function public.broadcast_stock() returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  stock jsonb;
begin
  select jsonb_build_object('left', coalesce(jsonb_object_agg(id, jsonb_build_object('current_inventory', current_inventory,
      'waiting', waiting)), '{}'), 'versions', coalesce(sum(version), 0))
    into stock from public.products where not is_hidden;
  insert into public.stock_broadcast as known (sent) values (stock)
    on conflict (only_row) do update set sent = excluded.sent where known.sent <> excluded.sent;
  if found then perform realtime.send(stock, 'left', 'stock', true); end if;
  return found;
end $$;
revoke execute on function public.broadcast_stock() from public, anon, authenticated;

-- The question an edit raises, or null: the new name changes what is included, or the total more than doubles.
create function public.inventory_question(p_kind text, p_name text, p_new_name text, p_included boolean, p_total integer,
  p_add_total integer) returns text
language plpgsql immutable set search_path = '' as $$
declare
  includes constant boolean := case p_kind when 'ticket' then public.names_vip(p_new_name)
    when 'parking' then public.names_general(p_new_name) else false end;
  renaming text;
begin
  if includes <> p_included then
    renaming := format(case
      when p_kind = 'ticket' and includes then
        'Each order with "%s" will take a general parking pass and include it at no charge.'
      when p_kind = 'ticket' then
        'Orders with "%s" will no longer include general parking: its name has no "VIP" in it.'
      when includes then
        '"%s" will be the general parking pass: offered beside the tickets, and included with VIP.'
      else
        '"%s" will no longer be the general parking pass: it is not offered beside the tickets, and VIP comes without parking.'
      end, p_new_name);
  end if;
  return nullif(concat_ws(' ', renaming, case when p_total > 0 and p_add_total > p_total then
    format('The total of "%s" goes from %s to %s.', p_name, to_char(p_total, 'FM9,999,999'),
      to_char(p_total::bigint + p_add_total, 'FM9,999,999,999')) end), '');
end $$;

-- An administrator's edit during a running sale. Stock changes by a number of units, so orders placed since the editor looked do
-- not matter. p_changes holds the other columns: name, price, on_sale, is_hidden, sale_opens_at and
-- sale_closes_at. p_version is the version the editor saw, null when only units are added. An edit that raises a question is
-- saved only with p_sure.
-- answer: {outcome: 'saved' | 'conflict'} or {outcome: 'asks', question}
create function public.edit_inventory(p_id uuid, p_changes jsonb default '{}', p_add_available integer default 0,
  p_add_total integer default 0, p_version integer default null, p_sure boolean default false) returns jsonb
language plpgsql set search_path = '' as $$
declare
  was public.products;
  question text;
begin
  perform public.require_admin();
  select * into was from public.products where id = p_id for no key update;
  if was.version is null or was.version <> p_version then return '{"outcome": "conflict"}'; end if;
  question := public.inventory_question(was.kind, was.name, coalesce(p_changes ->> 'name', was.name), was.is_vip or was.is_general,
    was.total_inventory, p_add_total);
  if question is not null and not p_sure then return jsonb_build_object('outcome', 'asks', 'question', question); end if;

  -- Columns that p_changes does not name keep their values.
  update public.products p set name = to_be.name, price = to_be.price, on_sale = to_be.on_sale, is_hidden = to_be.is_hidden,
      sale_opens_at = to_be.sale_opens_at, sale_closes_at = to_be.sale_closes_at,
      current_inventory = p.current_inventory + p_add_available, total_inventory = p.total_inventory + p_add_total
    from jsonb_populate_record(was, p_changes) as to_be where p.id = p_id;
  return '{"outcome": "saved"}';
end $$;

revoke execute on function public.sale_state(boolean, timestamptz, timestamptz) from public, anon, authenticated;
revoke execute on function public.names_vip(text), public.names_general(text),
  public.inventory_question(text, text, text, boolean, integer, integer),
  public.edit_inventory(uuid, jsonb, integer, integer, integer, boolean) from public, anon;
grant execute on function public.names_vip(text), public.names_general(text),
  public.inventory_question(text, text, text, boolean, integer, integer),
  public.edit_inventory(uuid, jsonb, integer, integer, integer, boolean) to authenticated;
