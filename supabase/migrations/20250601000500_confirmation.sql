-- From payment to tickets. Three paths confirm (browser, webhook, reconcile job), in any order and any number of times.

-- Takes the stock of a cancelled order again, and the use of its promo code; or returns why it cannot.
create function public.retake_stock(p_order_id uuid) returns text
language plpgsql set search_path = '' as $$
declare
  discounted constant boolean := (select promo_code_id is not null from public.orders where id = p_order_id);
begin
  if discounted and not public.has_promo_use(p_order_id) then return 'promo_used_up'; end if;
  perform public.lock_stock(array_agg(product_id)) from public.order_items where order_id = p_order_id;
  -- Its own waitlist place counts for it again. Everybody else in line comes first.
  perform public.claim_places(id) from public.orders where id = p_order_id and has_place;
  if exists (
    select from (select product_id, sum(quantity) as quantity
      from public.order_items where order_id = p_order_id group by 1) as i
    join public.products p on p.id = i.product_id
    cross join lateral (select coalesce(sum(w.offered), 0) as units from public.waitlist_entries w
      where w.order_id = p_order_id and w.state = 'claimed' and w.ticket_type_id = p.id) as own
    where i.quantity > own.units + greatest(p.current_inventory - p.waiting - own.units, 0)
  ) then
    perform public.restore_places(array[p_order_id]);
    return 'sold_out';
  end if;
  if discounted then perform public.move_promo_uses(array[p_order_id], 1, 0); end if;
  perform public.move_stock(public.units_of(array[p_order_id]), -1, 1, 0);
  return null;
end $$;

-- Moves stock from held to sold, creates the entry code of each unit and queues the mails, all in the caller's transaction. The caller
-- has locked the orders and checked that each one's payment intent, null where nothing is due, paid what is due.
create function public.issue_orders(p_order_ids uuid[], p_payment_intent_ids text[]) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  discounted boolean;
  with_place boolean;
begin
  with issued as (
    update public.orders o
      set status = 'confirmed', confirmed_at = now(), payment_intent_id = paid.intent_id, cancel_reason = null, cancelled_at = null
      from unnest(p_order_ids, p_payment_intent_ids) as paid (order_id, intent_id)
      where o.id = any (p_order_ids) and o.id = paid.order_id returning o.promo_code_id, o.has_place
  ) select bool_or(promo_code_id is not null), bool_or(has_place) into discounted, with_place from issued;
  insert into public.entry_codes (order_id, order_item_id, product_id, kind, user_id, position, attendee_name, attendee_email)
    select order_id, unit.item_id, product_id, unit.kind, unit.user_id, unit.position, person.attendee ->> 'name', person.attendee ->> 'email'
    from (
      select o.id as order_id, o.user_id, i.id as item_id, i.product_id, i.kind, n as position,
        row_number() over (partition by o.id, i.product_id order by i.position, n) as nth
      from public.orders o join public.order_items i on i.order_id = o.id join public.product_kinds k using (kind),
        generate_series(1, i.quantity) as n
      where o.id = any (p_order_ids) and i.order_id = any (p_order_ids) and k.has_code
    ) as unit
    -- The table refuses a kind that needs an attendee without one.
    left join (
      select o.id as order_id, attendee, (attendee ->> 'ticket_type_id')::uuid as product_id,
        row_number() over (partition by o.id, (attendee ->> 'ticket_type_id')::uuid order by n) as nth
      from public.orders o, jsonb_array_elements(o.attendees) with ordinality as a (attendee, n)
      where o.id = any (p_order_ids)
    ) as person using (order_id, product_id, nth);
  insert into public.outbox (kind, payload, dedupe_key)
    select 'order_mail', jsonb_build_object('order_id', id), 'order_mail:' || id from unnest(p_order_ids) as id
    union all
    select distinct 'attendee_mail', jsonb_build_object('order_id', o.id, 'email', lower(a ->> 'email')),
      'attendee_mail:' || o.id || ':' || lower(a ->> 'email')
    from public.orders o, jsonb_array_elements(o.attendees) as a
    where o.id = any (p_order_ids) and lower(a ->> 'email') <> lower(o.buyer_email)
    on conflict (dedupe_key) do nothing;

  -- The hot rows come last, so that they are locked for the shortest time.
  if discounted then perform public.move_promo_uses(p_order_ids, -1, 1); end if;
  perform public.move_stock(public.units_of(p_order_ids), 0, -1, 1);
  if with_place then perform public.use_places(id) from public.orders where id = any (p_order_ids) and has_place; end if;
end $$;

-- Confirms a paid order and issues it, in one transaction.
-- p_user_id is set when a buyer calls, and then only that buyer's order is found. p_amount_cents counts the smallest unit of
-- p_currency. Money in another currency is refunded, and the order stays as it is: it has not been paid.
-- Answers {status: confirmed | already_confirmed | refund_queued | not_found, order_id}, and for refund_queued why: reason.
--
-- The limit of tickets per buyer was checked when the order was placed. An ended hold makes room for another order, so a late
-- payment is checked again, with everything bought or held since.
create function public.confirm_order(p_order_id uuid, p_payment_intent_id text, p_amount_cents integer,
  p_user_id uuid default null, p_currency text default 'usd') returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  cancelled constant boolean := public.is_cancelled();
  o public.orders;
  paid public.payments;
  refusal text;
begin
  -- One buyer's carts and payments are decided one after another (reserve_orders): otherwise five late payments would not count
  -- each other's tickets.
  perform pg_advisory_xact_lock(hashtextextended('buyer ' || user_id, 0)) from public.orders
    where id = p_order_id and user_id is not null;
  -- For update, as nowhere else: issue_orders writes payment_intent_id, which is unique and therefore a key to PostgreSQL, whether or
  -- not its value changes. The lock for that is taken here, before any stock: a foreign key of another transaction may hold the key.
  select * into o from public.orders where id = p_order_id for update;
  if not found or (p_user_id is not null and o.user_id is distinct from p_user_id) then
    return jsonb_build_object('status', 'not_found', 'order_id', p_order_id);
  end if;

  select * into paid from public.payments where payment_intent_id = p_payment_intent_id;
  if paid.status in ('succeeded', 'refund_pending', 'partially_refunded', 'refunded') then
    if o.status in ('confirmed', 'completed') and o.payment_intent_id = p_payment_intent_id then
      return jsonb_build_object('status', 'already_confirmed', 'order_id', o.id);
    end if;
    return jsonb_build_object('status', 'refund_queued', 'order_id', o.id, 'reason', (select r.reason
      from public.refunds r where r.payment_intent_id = p_payment_intent_id order by r.created_at limit 1));
  end if;
  insert into public.payments (payment_intent_id, order_id, amount, currency, status, succeeded_at)
    values (p_payment_intent_id, o.id, p_amount_cents / 100.0, p_currency, 'succeeded', now())
    on conflict (payment_intent_id) do update
      set status = 'succeeded', amount = excluded.amount, currency = excluded.currency, succeeded_at = excluded.succeeded_at;

  refusal := case
    when p_currency <> 'usd' then 'currency_differs'
    when o.status in ('confirmed', 'completed') then 'paid_twice'
    when p_amount_cents <> o.total_amount * 100 then 'amount_differs'
    when cancelled then 'festival_cancelled'
    when o.status = 'cancelled' and o.cancel_reason in ('refunded', 'cancelled_by_admin') then 'order_cancelled'
    when o.status = 'cancelled' and o.ticket_count + (
        select coalesce(sum(ticket_count), 0) from public.orders where user_id = o.user_id and status <> 'cancelled'
      ) + (select coalesce(sum(ticket_count), 0) from public.former_orders(o.user_id)) > (select max_tickets_per_buyer from public.shop_settings) then 'too_many_tickets'
    when o.status = 'cancelled' then public.retake_stock(o.id)
  end;
  if refusal is not null then
    perform public.queue_refund(p_payment_intent_id, o.id, p_amount_cents, refusal);
    if o.status = 'pending' and refusal <> 'currency_differs' then
      perform public.cancel_pending_orders(array[o.id], 'unfulfillable');
    elsif o.status = 'cancelled' and refusal <> 'currency_differs' and o.cancel_reason not in ('refunded', 'cancelled_by_admin') then
      -- What an administrator dealt with was an earlier payment.
      update public.orders set cancel_reason = 'unfulfillable', cancelled_at = now(), acknowledged_at = null where id = o.id;
    end if;
    insert into public.audit_logs (action_type, table_name, record_id, new_values)
      values ('CRITICAL_PAYMENT_REFUNDED', 'orders', o.id::text, jsonb_build_object('reason', refusal,
        'payment_intent_id', p_payment_intent_id, 'amount', p_amount_cents / 100.0, 'currency', p_currency));
    insert into public.outbox (kind, payload, dedupe_key)
      values ('admin_alert_mail', jsonb_build_object('order_id', o.id, 'reason', refusal,
        'payment_intent_id', p_payment_intent_id), 'admin_alert_mail:' || p_payment_intent_id)
      on conflict (dedupe_key) do nothing;
    return jsonb_build_object('status', 'refund_queued', 'order_id', o.id, 'reason', refusal);
  end if;

  perform public.issue_orders(array[o.id], array[p_payment_intent_id]);
  return jsonb_build_object('status', 'confirmed', 'order_id', o.id);
end $$;

-- Confirms at once the payments that nearly all are: in full, and of an order that is still pending. Many buyers pay in the same
-- second, and the stock's row is locked and updated once for all of them. payments: [{order_id, payment_intent_id, amount_cents,
-- currency, user_id}], with confirm_order's arguments. Answers in their order as confirm_order would, or null for one that it must
-- decide alone: a late or wrong payment, or one whose order or buyer another transaction has locked. Waiting for that one would keep
-- all the others waiting.
create function public.confirm_orders(payments jsonb) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  cancelled constant boolean := public.is_cancelled();
  asked uuid[];
  locked uuid[];
  issued uuid[];
  intents text[];
begin
  if jsonb_typeof(payments) is distinct from 'array' or jsonb_array_length(payments) > 64 then
    raise exception 'payments must be an array of at most 64' using errcode = '22023';
  end if;
  asked := array(select (paid ->> 'order_id')::uuid from jsonb_array_elements(payments) as paid);
  -- A repeated confirmation locks and writes nothing.
  locked := array(select id from (select id, status, user_id from public.orders where id = any (asked) offset 0) as o
    where status = 'pending' and not cancelled
      and (user_id is null or pg_try_advisory_xact_lock(hashtextextended('buyer ' || user_id, 0))));
  if locked <> '{}' then
    locked := array(select id from (
        select id, status from public.orders where id = any (locked) offset 0 for update skip locked) as o where status = 'pending');
    with recorded as (
      insert into public.payments as known (payment_intent_id, order_id, amount, currency, status, succeeded_at)
        select distinct on (o.id) paid.payment_intent_id, o.id, o.total_amount, paid.currency, 'succeeded', now()
        from jsonb_to_recordset(payments) as paid (order_id uuid, payment_intent_id text, amount_cents integer, currency text, user_id uuid)
        join public.orders o on o.id = paid.order_id
        where o.id = any (locked) and paid.amount_cents = o.total_amount * 100 and paid.currency = 'usd'
          and (paid.user_id is null or paid.user_id = o.user_id)
          and coalesce((select p.status from public.payments p where p.payment_intent_id = paid.payment_intent_id), 'failed') = 'failed'
      on conflict (payment_intent_id) do update
        set status = 'succeeded', amount = excluded.amount, currency = excluded.currency, succeeded_at = excluded.succeeded_at
      returning known.order_id, known.payment_intent_id
    ) select array_agg(order_id), array_agg(payment_intent_id) into issued, intents from recorded;
    if issued is not null then perform public.issue_orders(issued, intents); end if;
  end if;
  return (
    select jsonb_agg(case when o.status in ('confirmed', 'completed')
        and (select p.status <> 'failed' from public.payments p where p.payment_intent_id = paid.payment_intent_id)
      then jsonb_build_object('order_id', o.id, 'status', case when o.id = any (issued) then 'confirmed' else 'already_confirmed' end)
      end order by n)
    from rows from (jsonb_to_recordset(payments) as (order_id uuid, payment_intent_id text, user_id uuid)) with ordinality
      as paid (order_id, payment_intent_id, user_id, n)
    left join public.orders o on o.id = any (asked) and o.id = paid.order_id and o.payment_intent_id = paid.payment_intent_id
      and (paid.user_id is null or paid.user_id = o.user_id));
end $$;

-- Confirms an order that costs nothing, by its prices or by a promo code: the buyer's call is enough while the order is pending.
-- Answers {status: confirmed | already_confirmed | not_free | cancelled | not_found, order_id}.
create function public.confirm_free_order(p_order_id uuid, p_user_id uuid) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  cancelled constant boolean := public.is_cancelled();
  o public.orders;
  outcome text;
begin
  perform pg_advisory_xact_lock(hashtextextended('buyer ' || p_user_id, 0));
  select * into o from public.orders where id = p_order_id and user_id = p_user_id for update; -- as in confirm_order
  outcome := case when o.id is null then 'not_found' when o.total_amount > 0 then 'not_free'
    when o.status = 'pending' and cancelled then 'cancelled' when o.status = 'pending' then 'confirmed' when o.status = 'cancelled' then 'cancelled' else 'already_confirmed' end;
  if outcome = 'confirmed' then perform public.issue_orders(array[o.id], array[null]); end if;
  return jsonb_build_object('status', outcome, 'order_id', p_order_id);
end $$;

-- Records a declined card. The hold stays, and the buyer may try another card; the tenth decline ends the order, since somebody is trying
-- stolen cards, and a person whose cards are all declined may order again. Returns whether it did. The order is locked first, as
-- everywhere: the foreign keys would lock it last, and deadlock with a confirmation of the same payment.
create function public.fail_payment(p_order_id uuid, p_payment_intent_id text, p_message text, p_event_id text,
  p_declined_at timestamptz) returns boolean
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  due constant numeric := (select total_amount from public.orders where id = p_order_id for no key update);
begin
  if due is null then return false; end if;
  insert into public.card_declines (event_id, order_id, declined_at) values (p_event_id, p_order_id, p_declined_at)
    on conflict (event_id) do nothing;
  insert into public.payments (payment_intent_id, order_id, amount, status, failure_message)
    values (p_payment_intent_id, p_order_id, due, 'failed', left(p_message, 500))
    on conflict (payment_intent_id) do update set failure_message = excluded.failure_message where payments.status = 'failed';
  return (select count(*) from public.card_declines where order_id = p_order_id) >= 10
    and public.cancel_pending_orders(array[p_order_id], 'payment_failed') > 0;
end $$;

-- Mails an order to its buyer again, at most once a minute to the same address: a second press, or a second person, sends no second mail.
create function public.queue_order_mail(p_order_id uuid) returns void
language plpgsql set search_path = '' as $$
declare
  address constant text := (select lower(buyer_email) from public.orders where id = p_order_id);
begin
  if not public.consume_rate_limit(format('order_mail_to:%s:%s', p_order_id, md5(address)), 1, 60) then
    raise exception 'This email was sent less than a minute ago.' using errcode = 'PT429';
  end if;
  insert into public.outbox (kind, payload, dedupe_key)
    values ('order_mail', jsonb_build_object('order_id', p_order_id), format('order_mail:%s:%s', p_order_id, gen_random_uuid()));
end $$;

-- The buyer requests all mails of the order again, their own and the attendees': at most three times an hour and six a day, since
-- they go to addresses that the buyer has typed. Tickets that were passed on are left out: only their holders can request those
-- mails.
create function public.mail_order_again(p_order_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  o public.orders;
begin
  perform public.require_live_session();
  select * into o from public.orders where id = p_order_id and user_id = auth.uid();
  if not found then raise exception 'We couldn''t find this order.' using errcode = 'PT404'; end if;
  if o.status not in ('confirmed', 'completed') then
    raise exception 'Only a paid order has tickets to send.' using errcode = '23514';
  end if;
  if not public.consume_rate_limit('order_mail:' || o.id, 3, 3600)
    or not public.consume_rate_limit('order_mail_day:' || o.id, 6, 86400) then
    raise exception 'These tickets were sent a moment ago. Check your spam folder, or try again in an hour.'
      using errcode = 'PT429';
  end if;
  insert into public.outbox (kind, payload, dedupe_key)
    values ('order_mail', jsonb_build_object('order_id', o.id), format('order_mail:%s:%s', o.id, gen_random_uuid()));
  insert into public.outbox (kind, payload, dedupe_key)
    select distinct on (lower(t.attendee_email)) 'attendee_mail',
      jsonb_build_object('order_id', o.id, 'email', lower(t.attendee_email)),
      format('attendee_mail:%s:%s:%s', o.id, lower(t.attendee_email), gen_random_uuid())
    from public.tickets t
    where t.order_id = o.id and t.voided_at is null and t.user_id = o.user_id
      and lower(t.attendee_email) <> lower(o.buyer_email);
end $$;

revoke execute on function public.queue_order_mail(uuid) from public, anon, authenticated;
revoke execute on function public.mail_order_again(uuid) from public, anon;
grant execute on function public.mail_order_again(uuid) to authenticated;
revoke execute on function public.retake_stock(uuid), public.issue_orders(uuid[], text[]),
  public.confirm_orders(jsonb), public.confirm_order(uuid, text, integer, uuid, text), public.confirm_free_order(uuid, uuid),
  public.fail_payment(uuid, text, text, text, timestamptz) from public, anon, authenticated;

-- How far the reconcile job has compared the provider's payments with ours, so that it works off a backlog larger than one run,
-- even across restarts. One row.

create table public.reconciliation (
  id boolean primary key default true check (id),
  -- A completed pass has looked at every payment older than this; null before the first.
  complete_to timestamptz,
  -- The pass under way, newest first: when it began, how far back it goes, and the last intent it has seen.
  began_at timestamptz,
  created_from timestamptz,
  after_intent text check (length(after_intent) <= 255),
  constraint reconciliation_pass_is_whole check (
    (began_at is null) = (created_from is null) and (began_at is null) = (after_intent is null))
);
insert into public.reconciliation default values;

alter table public.reconciliation enable row level security;
revoke all on public.reconciliation from anon, authenticated;
create policy "Nobody but the service reads how far reconciling came" on public.reconciliation
  for all to anon, authenticated using (false) with check (false);
