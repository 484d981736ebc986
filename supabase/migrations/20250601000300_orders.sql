-- The order's life: pending holds stock, confirmed is paid with every ticket issued, completed is scanned in, cancelled
-- says why. Nobody but the functions of the next migrations writes here.

create table public.shop_settings (
  only_row boolean primary key default true check (only_row),
  hold_duration interval not null default '15 minutes' check (hold_duration > '0'),
  max_tickets_per_buyer integer not null default 20 check (max_tickets_per_buyer between 1 and 500),
  -- In a sliding minute. A crowd behind one address must be able to buy, so that limit is far wider.
  max_orders_per_buyer integer not null default 5 check (max_orders_per_buyer between 1 and 1000000),
  max_orders_per_address integer not null default 300 check (max_orders_per_address between 1 and 1000000),
  -- Of all tickets, what one address may hold unpaid; it earns room by paying (reserve_orders).
  address_hold_share numeric not null default 0.05 check (address_hold_share between 0.0001 and 1),
  idempotency_retention interval not null default '72 hours'
);
insert into public.shop_settings default values;

create table public.orders (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references auth.users (id) on delete set null,
  status text not null default 'pending' check (status in ('pending', 'confirmed', 'completed', 'cancelled')),
  total_amount numeric(10, 2) not null check (total_amount >= 0),
  buyer_full_name text not null,
  buyer_email text not null,
  buyer_phone_number text not null,
  -- [{name, email}], one for each ticket, in the order of the items; tickets are issued from it.
  attendees jsonb not null default '[]' check (jsonb_typeof(attendees) = 'array'),
  stripe_session_id text unique,
  payment_intent_id text unique,
  ticket_count integer not null default 0,
  -- Where the order was placed from; forgotten after two days.
  client_address text,
  hold_expires_at timestamptz,
  -- When the expiry job looks again at an order whose payment is still under way.
  expiry_check_at timestamptz,
  cancel_reason text check (cancel_reason in
    ('hold_expired', 'replaced', 'abandoned', 'payment_failed', 'unfulfillable', 'refunded', 'cancelled_by_admin')),
  confirmed_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint orders_pending_holds check (status <> 'pending' or hold_expires_at is not null),
  constraint orders_cancelled_why check ((status = 'cancelled') = (cancel_reason is not null)),
  constraint orders_confirmed_when check (status not in ('confirmed', 'completed') or confirmed_at is not null)
);
create index orders_of_user on public.orders (user_id, created_at desc);
create index orders_of_address on public.orders (client_address, created_at desc);
create index orders_newest on public.orders (created_at desc, id);
create index orders_by_status on public.orders (status, created_at desc, id);
create index orders_pending on public.orders (coalesce(expiry_check_at, hold_expires_at)) where status = 'pending';

create table public.order_items (
  id uuid primary key default gen_random_uuid(),
  order_id uuid not null references public.orders (id) on delete cascade,
  position integer not null,
  ticket_type_id uuid references public.ticket_types (id),
  parking_pass_id uuid references public.parking_passes (id),
  name text not null,
  quantity integer not null check (quantity > 0),
  unit_price numeric(10, 2) not null check (unit_price >= 0),
  constraint order_items_one_kind check (num_nonnulls(ticket_type_id, parking_pass_id) = 1),
  unique (order_id, position)
);
create index order_items_ticket_type on public.order_items (ticket_type_id);
create index order_items_parking_pass on public.order_items (parking_pass_id);

create table public.tickets (
  id uuid primary key default gen_random_uuid(),
  order_id uuid not null references public.orders (id),
  order_item_id uuid not null references public.order_items (id),
  ticket_type_id uuid not null references public.ticket_types (id),
  user_id uuid references auth.users (id) on delete set null,
  -- The how-manieth of its order item: a ticket cannot be issued twice.
  position integer not null,
  attendee_name text not null,
  attendee_email text not null,
  issue_number integer not null default 1 check (issue_number > 0),
  qr_code_data text,
  qr_code_url text,
  checked_in_at timestamptz,
  is_checked_in boolean not null generated always as (checked_in_at is not null) stored,
  created_at timestamptz not null default now(),
  unique (order_item_id, position)
);
create index tickets_of_user on public.tickets (user_id, created_at desc);
create index tickets_of_order on public.tickets (order_id);

create table public.payments (
  payment_intent_id text primary key,
  order_id uuid not null references public.orders (id),
  amount numeric(10, 2) not null,
  status text not null check (status in ('failed', 'succeeded', 'refund_pending', 'partially_refunded', 'refunded')),
  failure_message text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index payments_of_order on public.payments (order_id);

create table public.refunds (
  id uuid primary key default gen_random_uuid(),
  payment_intent_id text not null references public.payments (payment_intent_id),
  order_id uuid not null references public.orders (id),
  amount numeric(10, 2) not null check (amount > 0),
  reason text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  provider_refund_id text unique,
  failure_message text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index refunds_of_order on public.refunds (order_id);
create index refunds_of_payment on public.refunds (payment_intent_id);

-- The browser's retry finds its order here; a changed body under the same key is refused.
create table public.idempotency_keys (
  user_id uuid not null,
  key text not null check (length(key) between 1 and 200),
  request_hash text not null,
  order_id uuid not null references public.orders (id),
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotency_keys_age on public.idempotency_keys (created_at);

create trigger orders_touch before update on public.orders
  for each row execute function public.touch_updated_at();
create trigger payments_touch before update on public.payments
  for each row execute function public.touch_updated_at();
create trigger refunds_touch before update on public.refunds
  for each row execute function public.touch_updated_at();

-- cancelled to confirmed is the late payment whose stock could be taken again.
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

-- completed: every ticket of a confirmed order has been scanned in.
create function public.complete_scanned_order() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.orders o set status = case when s.open = 0 then 'completed' else 'confirmed' end
  from (
    select count(*) filter (where checked_in_at is null) as open from public.tickets where order_id = new.order_id
  ) s
  where o.id = new.order_id and o.status in ('confirmed', 'completed')
    and o.status <> case when s.open = 0 then 'completed' else 'confirmed' end;
  return null;
end $$;
create trigger tickets_complete_order after update of checked_in_at on public.tickets
  for each row when (old.checked_in_at is distinct from new.checked_in_at)
  execute function public.complete_scanned_order();

alter table public.shop_settings enable row level security;
alter table public.orders enable row level security;
alter table public.order_items enable row level security;
alter table public.tickets enable row level security;
alter table public.payments enable row level security;
alter table public.refunds enable row level security;
alter table public.idempotency_keys enable row level security;

revoke all on public.shop_settings, public.orders, public.order_items, public.tickets, public.payments, public.refunds,
  public.idempotency_keys from anon, authenticated;
grant select on public.shop_settings, public.orders, public.order_items, public.tickets, public.payments, public.refunds
  to authenticated;
grant update (hold_duration, max_tickets_per_buyer, max_orders_per_buyer, max_orders_per_address, address_hold_share) on public.shop_settings to authenticated;

create policy "Admins read the settings" on public.shop_settings
  for select to authenticated using ((select public.is_admin()));
create policy "Admins change the settings" on public.shop_settings
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));
create policy "Buyers read their own orders" on public.orders
  for select to authenticated using (user_id = (select auth.uid()));
create policy "Admins read all orders" on public.orders
  for select to authenticated using ((select public.is_admin()));
create policy "Buyers read the items of their own orders" on public.order_items
  for select to authenticated
  using (exists (select from public.orders o where o.id = order_id and o.user_id = (select auth.uid())));
create policy "Admins read all order items" on public.order_items
  for select to authenticated using ((select public.is_admin()));
create policy "Buyers read their own tickets" on public.tickets
  for select to authenticated using (user_id = (select auth.uid()));
create policy "Admins read all tickets" on public.tickets
  for select to authenticated using ((select public.is_admin()));
create policy "Buyers read the payments of their own orders" on public.payments
  for select to authenticated
  using (exists (select from public.orders o where o.id = order_id and o.user_id = (select auth.uid())));
create policy "Admins read all payments" on public.payments
  for select to authenticated using ((select public.is_admin()));
create policy "Buyers read the refunds of their own orders" on public.refunds
  for select to authenticated
  using (exists (select from public.orders o where o.id = order_id and o.user_id = (select auth.uid())));
create policy "Admins read all refunds" on public.refunds
  for select to authenticated using ((select public.is_admin()));
create policy "Nobody but the service reads idempotency keys" on public.idempotency_keys
  for all to anon, authenticated using (false) with check (false);

alter publication supabase_realtime add table public.orders;

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
  values ('ticket-qr-codes', 'ticket-qr-codes', true, 262144, array['image/png']);
