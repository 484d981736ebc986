-- Holding and releasing stock.
--
-- The lock order, everywhere, so that nothing can deadlock. Other comments refer to this list.
--   1. Advisory locks: the festival's change (is_cancelled), then the attempt, then the buyer (a batch of carts takes many, and
--      waits for none: reserve_orders), then transfers of and to
--   2. orders by id; at the door, the till
--   3. an order's payments, then their refunds
--   4. promo codes by id
--   5. entries of the waitlist
--   6. products by id
-- Entry codes are locked at any point after their order. The exceptions, none of which can deadlock:
--   - Payments and refunds after stock (take_back). Other transactions lock them under their order's lock, or lock nothing after them
--     (mark_refund).
--   - Entries after stock. Offered and waiting ones are taken with skip locked (units_for, claim_places, offer_type,
--     offer_place). One that an order has claimed (cancel_pending_orders, issue_orders) is only changed under that order's lock:
--     deleting an account locks its orders before its entries.
--   - An account's row in auth.users before its tickets, its transfers, its entries and their stock, when the account is deleted.
--     Others need the row only after those, so the deletion first takes a lock that they hold by then (lock_departure).
--     An offer of a place needs it while it holds stock, and takes it with skip locked.
--     An account that no buyer uses needs none: a gate device's, a day after its end (remove_device_accounts in 855), or one that
--     nobody ever signed in to (deleteUnclaimed and forgetUnconfirmed in server/src/auth/account/queries.ts).
--   - The account's visits before all of these, when it is deleted: a report of visits locks nothing else but the account's row.
--   - A sale at the door locks its till before its order, which nobody else can see yet.
--
-- Advisory locks have names, hashed as hashtextextended(name, 0): numbers would hide collisions.
--   festival change               it is moved or cancelled; shared by every path to a ticket
--   buyer ID                      one buyer's carts and payments
--   refund attempt KEY, comps KEY a button that is pressed twice
--   transfers of ID, transfers to ADDRESS, subjects of KEY    what a limit counts
--   keep_an_admin, refund run, waiting room, gate_counts, gate_device_names    one at a time
--   storage BUCKET/NAME, payments_sandbox KEY    the server's own
--
-- Orders are locked for no key update: writers exclude each other, but let the foreign keys of other tables pass. Only a confirmation
-- locks for update (confirm_order).
--
-- A sale may begin on tables that were analyzed while they were empty, and functions keep the plans made then until the next
-- analysis. So these functions, and those in the migrations that follow, find rows by index regardless of statistics
-- (enable_seqscan = off). The planner pushes a predicate into a subquery unless a fence (offset 0) stops it; without the fence it
-- scans the index of all pending orders to find one buyer's few.

-- Locks the stock rows that these orders touch, in the order that every function uses.
create function public.lock_stock(p_product_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  perform from public.products where id = any (p_product_ids) order by id for no key update;
end $$;

create type public.stock_units as (product_id uuid, units integer);

create function public.units_of(p_order_ids uuid[]) returns public.stock_units[]
language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return array(select row(product_id, quantity)::public.stock_units from public.order_items where order_id = any (p_order_ids));
end $$;

-- Moves units between available, held and sold: each is multiplied by 1, 0 or -1.
create function public.move_stock(p_units public.stock_units[], p_available integer, p_held integer, p_sold integer) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  perform public.lock_stock(array_agg(product_id)) from unnest(p_units);
  update public.products p set current_inventory = current_inventory + p_available * u.units,
      held = held + p_held * u.units, sold = sold + p_sold * u.units
    from (select product_id, sum(units)::integer as units from unnest(p_units) group by 1) as u where p.id = u.product_id;
end $$;

-- Cancels the orders that are still pending, returns their stock and the use of their promo code once, and queues the cancellation
-- of the provider's intent. A free order has no intent.
create function public.cancel_pending_orders(p_order_ids uuid[], p_reason text) returns integer
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  pending uuid[];
  discounted boolean;
  with_place boolean;
begin
  -- The status is checked outside the fence: inside, the planner would scan the index of all pending orders.
  select array_agg(id), bool_or(promo_code_id is not null), bool_or(has_place) into pending, discounted, with_place from (
    select id, status, promo_code_id, has_place from public.orders where id = any (p_order_ids) order by id offset 0 for no key update
  ) as locked where status = 'pending';
  if pending is null then return 0; end if;

  if discounted then perform public.move_promo_uses(pending, -1, 0); end if;
  perform public.move_stock(public.units_of(pending), 1, -1, 0);

  if with_place then perform public.restore_places(pending); end if;

  update public.orders o
    set status = 'cancelled', cancelled_at = now(),
      -- A declined card and no other is a failed payment, not a hold that merely ran out or a checkout that was left.
      cancel_reason = case
        when p_reason in ('hold_expired', 'abandoned')
          and exists (select from public.payments p where p.order_id = o.id and p.status = 'failed') then 'payment_failed'
        -- Its buyer ordered again first. Their clock may end the hold a moment before ours does.
        when p_reason = 'replaced' and o.hold_expires_at <= now() + interval '10 seconds' then 'hold_expired'
        else p_reason end
    where id = any (pending);
  insert into public.outbox (kind, payload, dedupe_key)
    select 'cancel_intent',
      jsonb_build_object('order_id', id, 'user_id', user_id, 'payment_intent_id', payment_intent_id,
        'total_cents', (total_amount * 100)::integer),
      'cancel_intent:' || id
    from public.orders where id = any (pending) and total_amount > 0
    on conflict (dedupe_key) do nothing;
  return cardinality(pending);
end $$;

-- How many tickets the caller may have: {max_tickets, bought, held, remaining}. Held tickets do not reduce what remains, because
-- a new order replaces the hold. Refunded tickets do not count. A visitor who has not signed in gets the maximum.
create function public.get_ticket_allowance() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('max_tickets', max_tickets_per_buyer, 'bought', bought, 'held', held,
    'remaining', greatest(max_tickets_per_buyer - bought, 0))
  from public.shop_settings, (
    select coalesce(sum(ticket_count) filter (where status in ('confirmed', 'completed')), 0)::integer as bought,
      coalesce(sum(ticket_count) filter (where status = 'pending'), 0)::integer as held
    from (select status, ticket_count from public.orders where user_id = auth.uid()
      union all select status, ticket_count from public.former_orders(auth.uid())) as o
  ) as own;
$$;

-- The buyer leaves the checkout: the hold ends now instead of after 15 minutes.
create function public.release_hold(p_order_id uuid) returns boolean
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
begin
  perform public.require_live_session();
  if not exists (select from public.orders where id = p_order_id and user_id = auth.uid()) then return false; end if;
  return public.cancel_pending_orders(array[p_order_id], 'abandoned') > 0;
end $$;

-- Orders whose hold is over and that were not checked in the last minute, oldest first. An array picks the rows once: as a join,
-- the subquery could run again for each row and exceed its limit.
create function public.due_holds(p_limit integer default 50)
returns table (order_id uuid, user_id uuid, total_cents integer, payment_intent_id text)
language sql set search_path = '' set enable_seqscan = off as $$
  update public.orders o set expiry_check_at = now() + interval '1 minute'
  where o.id = any (array(
    select due.id from public.orders due
    where due.status = 'pending' and due.hold_expires_at <= now()
      and coalesce(due.expiry_check_at, due.hold_expires_at) <= now()
    order by coalesce(due.expiry_check_at, due.hold_expires_at) limit least(p_limit, 200) for no key update skip locked
  ))
  returning o.id, o.user_id, (o.total_amount * 100)::integer, o.payment_intent_id;
$$;

-- The payment is under way: the hold stays until the provider has decided.
create function public.postpone_hold(p_order_id uuid, p_seconds integer) returns void
language sql volatile set search_path = '' as $$
  update public.orders set expiry_check_at = now() + make_interval(secs => p_seconds)
  where id = p_order_id and status = 'pending';
$$;

-- Cancels the orders whose hold is over. The caller has checked with the provider that none of them is paid.
create function public.expire_holds(p_order_ids uuid[]) returns integer
language sql volatile set search_path = '' set enable_seqscan = off as $$
  select public.cancel_pending_orders(
    array(select id from public.orders where id = any (p_order_ids) and hold_expires_at <= now()), 'hold_expired');
$$;

revoke execute on function public.lock_stock(uuid[]), public.units_of(uuid[]),
  public.move_stock(public.stock_units[], integer, integer, integer), public.cancel_pending_orders(uuid[], text),
  public.due_holds(integer), public.postpone_hold(uuid, integer), public.expire_holds(uuid[])
  from public, anon, authenticated;
revoke execute on function public.release_hold(uuid) from public, anon;
grant execute on function public.release_hold(uuid) to authenticated;
revoke execute on function public.get_ticket_allowance() from public;
grant execute on function public.get_ticket_allowance() to anon, authenticated;
