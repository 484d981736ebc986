-- What is for sale, with its stock on the row: available, held by pending orders, sold in confirmed ones. The checks make
-- overselling impossible whichever door is used.

create table public.ticket_types (
  id uuid primary key default gen_random_uuid(),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text not null default '',
  price numeric(10, 2) not null check (price between 0 and 99999.99),
  current_inventory integer not null check (current_inventory >= 0),
  total_inventory integer not null check (total_inventory >= 0),
  held integer not null default 0 check (held >= 0),
  sold integer not null default 0 check (sold >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1, -- tells the second of two editors
  constraint ticket_types_stock check (current_inventory + held + sold <= total_inventory)
) with (fillfactor = 50); -- the hottest rows of all: room for updates within the page

create table public.parking_passes (
  id uuid primary key default gen_random_uuid(),
  type_name text not null check (length(btrim(type_name)) between 1 and 120),
  description text not null default '',
  price numeric(10, 2) not null check (price between 0 and 99999.99),
  current_inventory integer not null check (current_inventory >= 0),
  total_inventory integer not null check (total_inventory >= 0),
  held integer not null default 0 check (held >= 0),
  sold integer not null default 0 check (sold >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1,
  constraint parking_passes_stock check (current_inventory + held + sold <= total_inventory)
) with (fillfactor = 50);

create function public.touch_updated_at() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  return new;
end $$;

create trigger ticket_types_touch before update on public.ticket_types
  for each row execute function public.touch_updated_at();
create trigger parking_passes_touch before update on public.parking_passes
  for each row execute function public.touch_updated_at();

-- Bounds with a message that says which was broken. A sale moves stock between available, held and sold and leaves their sum;
-- only an edit changes the sum, a price or a text: only that is checked, counted as a version and written to the audit log.
create function public.check_inventory_edit() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.price not between 0 and 99999.99 then
    raise exception 'Price must be between 0 and 99,999.99.' using errcode = '23514';
  elsif new.total_inventory < 0 or new.current_inventory < 0 then
    raise exception 'Available and total must be 0 or more.' using errcode = '23514';
  elsif new.total_inventory < new.sold + new.held then
    raise exception 'Total must be at least %: that many are sold or held.', new.sold + new.held using errcode = '23514';
  elsif new.current_inventory > new.total_inventory - new.sold - new.held then
    raise exception 'Available can be at most %: total minus sold and held.', new.total_inventory - new.sold - new.held
      using errcode = '23514';
  end if;
  new.version := old.version + 1;
  return new;
end $$;
create trigger ticket_types_edit before update on public.ticket_types
  for each row when ((old.name, old.description, old.price, old.total_inventory,
      old.current_inventory + old.held + old.sold) is distinct from
    (new.name, new.description, new.price, new.total_inventory, new.current_inventory + new.held + new.sold))
  execute function public.check_inventory_edit();
create trigger parking_passes_edit before update on public.parking_passes
  for each row when ((old.type_name, old.description, old.price, old.total_inventory,
      old.current_inventory + old.held + old.sold) is distinct from
    (new.type_name, new.description, new.price, new.total_inventory, new.current_inventory + new.held + new.sold))
  execute function public.check_inventory_edit();
create trigger ticket_types_audit after update on public.ticket_types
  for each row when ((old.name, old.description, old.price, old.total_inventory,
      old.current_inventory + old.held + old.sold) is distinct from
    (new.name, new.description, new.price, new.total_inventory, new.current_inventory + new.held + new.sold))
  execute function public.audit_change();
create trigger parking_passes_audit after update on public.parking_passes
  for each row when ((old.type_name, old.description, old.price, old.total_inventory,
      old.current_inventory + old.held + old.sold) is distinct from
    (new.type_name, new.description, new.price, new.total_inventory, new.current_inventory + new.held + new.sold))
  execute function public.audit_change();

alter table public.ticket_types enable row level security;
alter table public.parking_passes enable row level security;

revoke all on public.ticket_types, public.parking_passes from anon, authenticated;
grant select on public.ticket_types, public.parking_passes to anon, authenticated;
-- Held and sold move with orders only.
grant update (name, description, price, current_inventory, total_inventory) on public.ticket_types to authenticated;
grant update (type_name, description, price, current_inventory, total_inventory) on public.parking_passes to authenticated;

create policy "Everybody reads ticket types" on public.ticket_types
  for select to anon, authenticated using (true);
create policy "Admins edit ticket types" on public.ticket_types
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));
create policy "Everybody reads parking passes" on public.parking_passes
  for select to anon, authenticated using (true);
create policy "Admins edit parking passes" on public.parking_passes
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));

alter publication supabase_realtime add table public.ticket_types, public.parking_passes;
