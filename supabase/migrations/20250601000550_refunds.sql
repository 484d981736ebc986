-- Refunds: each is a row in refunds and work in the outbox, which calls the provider; mark_refund records the answer.

-- p_items: as in refunds.items.
create function public.queue_refund(p_payment_intent_id text, p_order_id uuid, p_cents integer, p_reason text,
  p_items jsonb default '[]', p_fee numeric default 0) returns void
language plpgsql set search_path = '' as $$
declare
  refund uuid;
begin
  insert into public.refunds (payment_intent_id, order_id, amount, reason, items, fee)
    values (p_payment_intent_id, p_order_id, p_cents / 100.0, p_reason, p_items, p_fee) returning id into refund;
  update public.payments set status = 'refund_pending' where payment_intent_id = p_payment_intent_id;
  insert into public.outbox (kind, payload, dedupe_key) values
    ('refund', jsonb_build_object('refund_id', refund, 'payment_intent_id', p_payment_intent_id, 'order_id', p_order_id,
      'cents', p_cents, 'reason', p_reason), 'refund:' || refund),
    ('refund_mail', jsonb_build_object('refund_id', refund, 'order_id', p_order_id, 'cents', p_cents, 'reason', p_reason),
      'refund_mail:' || refund);
end $$;

-- Records the provider's answer about a refund. p_status: pending, succeeded or failed. It may come twice or late: a final status
-- stays, except that a refund that succeeded may fail later, when the buyer's bank returns the money.
create function public.mark_refund(p_refund_id uuid, p_provider_refund_id text, p_status text) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  r public.refunds;
begin
  -- One at a time: two refunds of one payment marked at once would miss each other in the sum below.
  perform from public.payments p join public.refunds f using (payment_intent_id) where f.id = p_refund_id
    for no key update of p;
  update public.refunds
    set status = p_status, provider_refund_id = coalesce(p_provider_refund_id, provider_refund_id),
      succeeded_at = case when p_status = 'succeeded' then now() end
    where id = p_refund_id and (status = 'pending' or (status = 'succeeded' and p_status = 'failed')) returning * into r;
  if not found then return; end if;
  update public.payments p
    set status = case when given.pending then 'refund_pending' when given.amount >= p.amount then 'refunded'
      when given.amount > 0 then 'partially_refunded' else 'succeeded' end
    from (
      select bool_or(status = 'pending') as pending, coalesce(sum(amount) filter (where status = 'succeeded'), 0) as amount
      from public.refunds where payment_intent_id = r.payment_intent_id
    ) as given
    where p.payment_intent_id = r.payment_intent_id;
  if p_status = 'failed' then
    insert into public.audit_logs (action_type, table_name, record_id, new_values)
      values ('ERROR_REFUND_FAILED', 'refunds', r.id::text,
        jsonb_build_object('order_id', r.order_id, 'amount', r.amount));
  end if;
end $$;

-- One mail for each attendee's address that is not the buyer's: they hold the codes in mails of their own. The buyer of an online
-- order gets the refund's mail instead; who got a comp or paid nothing hears of it here. A ticket becomes void once, so that the
-- first of an address names its mail.
create function public.queue_void_mails(p_order_id uuid, p_ticket_ids uuid[]) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  insert into public.outbox (kind, payload, dedupe_key)
    select 'void_mail', jsonb_build_object('order_id', p_order_id, 'email', lower(t.attendee_email),
        'ticket_ids', jsonb_agg(t.id order by t.id)), 'void_mail:' || (array_agg(t.id order by t.id))[1]
    from public.tickets t join public.orders o on o.id = p_order_id
    where t.id = any (p_ticket_ids)
      and t.attendee_email <> ''
      and (o.channel <> 'online' or o.total_amount = 0 or lower(t.attendee_email) <> lower(o.buyer_email))
    group by lower(t.attendee_email)
    on conflict (dedupe_key) do nothing;
end $$;

-- Takes back a whole order (without tickets and parking named: everything not refunded yet), or single tickets and paid parking
-- (order items) at what was paid for them, and queues the refund of what has not been refunded yet. The stock returns, the codes stop
-- working and their pictures are removed. Included parking is taken back with the last VIP ticket. An order without tickets ends,
-- and its parking and the use of its promo code with it. An order that was not paid through the provider gets the same back but no
-- refund: whoever calls this for one returns the money.
create function public.take_back(p_order_id uuid, p_ticket_ids uuid[], p_parking_item_ids uuid[]) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  whole constant boolean := p_ticket_ids is null and p_parking_item_ids is null;
  o public.orders;
  paid public.payments;
  void uuid[];     -- tickets
  permits uuid[];  -- of parking
  parking uuid[];  -- order items
  bought public.order_items[];
  valid uuid[];    -- order items of the tickets that stay
  ends boolean;
  lines jsonb;     -- as in refunds.items
  amount numeric;
  paid_before numeric; -- for what the order consists of now
  fee numeric := 0;    -- the part of the fee that goes back
  kept numeric;        -- the part that stays when the order ends
  remaining numeric; -- of the payment, after every refund that has not failed
begin
  select * into o from public.orders where id = p_order_id for update;
  if not found then raise exception 'The order does not exist.' using errcode = 'PT404'; end if;
  select * into paid from public.payments where payment_intent_id = o.payment_intent_id;
  if o.status not in ('confirmed', 'completed')
    or (o.channel = 'online' and o.total_amount > 0 and paid.payment_intent_id is null) then
    raise exception 'Only a paid order can be refunded.' using errcode = '23514';
  end if;

  void := array(select id from public.tickets
    where order_id = o.id and voided_at is null and (whole or id = any (p_ticket_ids)));
  bought := array(select i from public.order_items i where order_id = o.id);
  parking := array(select id from unnest(bought) as i
    where parking_pass_id is not null and not included and refunded < quantity and id = any (p_parking_item_ids));
  if not whole and (void || parking = '{}' or cardinality(void) <> coalesce(cardinality(p_ticket_ids), 0)
    or cardinality(parking) <> coalesce(cardinality(p_parking_item_ids), 0)) then
    raise exception 'Choose tickets or paid parking of this order that are not refunded yet.' using errcode = '23514';
  end if;
  valid := array(select order_item_id from public.tickets where order_id = o.id and voided_at is null and id <> all (void));
  ends := valid = '{}';
  parking := parking || array(select id from unnest(bought) as i
    where parking_pass_id is not null and refunded < quantity and id <> all (parking) and (ends or (included
      and not exists (select from unnest(bought) as v where v.id = any (valid) and public.names_vip(v.name)))));
  select coalesce(jsonb_agg(jsonb_build_object('order_item_id', id, 'ticket_type_id', ticket_type_id, 'parking_pass_id', parking_pass_id,
      'name', name, 'quantity', units, 'unit_price', unit_price, 'discount', off) order by position), '[]'),
      sum(units * unit_price - off)
    into lines, amount
    from unnest(bought) as i
    cross join lateral (select case when i.id = any (parking) then i.quantity - i.refunded
      else (select count(*) from public.tickets t where t.order_item_id = i.id and t.id = any (void)) end::integer as units) as u
    cross join lateral (select public.units_discount(i.discount, i.quantity, i.refunded, units) as off) as d
    where units > 0;
  remaining := paid.amount - (select coalesce(sum(r.amount), 0) from public.refunds r
    where r.payment_intent_id = paid.payment_intent_id and r.status <> 'failed');
  -- The fee goes back with what bore it: of a part, in proportion, rounded down; with the last ticket, what is left of it.
  if o.fee_amount > 0 and o.fee_is_refunded then
    paid_before := (select sum((quantity - refunded) * unit_price
        - public.units_discount(discount, quantity, refunded, quantity - refunded)) from unnest(bought) as i);
    fee := case when ends then o.fee_amount - o.fee_refunded
      else coalesce(trunc((o.fee_amount - o.fee_refunded) * amount / nullif(paid_before, 0), 2), 0) end;
    amount := amount + fee;
  end if;
  if ends and o.channel = 'online' then
    -- A fee that stays is no part of what is left.
    amount := greatest(coalesce(remaining, 0) - case when o.fee_is_refunded then 0 else o.fee_amount end, 0);
    fee := least(fee, amount);
  elsif amount > remaining then
    raise exception 'Only $% of this payment is left to refund.', remaining using errcode = '23514';
  end if;

  -- An order that ends subtracts what was left of it from the sales totals by trigger.
  update public.orders set ticket_count = ticket_count - cardinality(void),
      status = case when ends then 'cancelled' else status end, fee_refunded = fee_refunded + case when ends then 0 else fee end,
      cancel_reason = case when ends then case o.channel when 'door' then 'voided' when 'comp' then 'revoked' else 'refunded' end end, cancelled_at = case when ends then now() end
    where id = o.id;
  if not ends then
    perform public.add_sales(item_id, is_ticket, -units, -revenue, o.channel) from (
      select coalesce(ticket_type_id, parking_pass_id) as item_id, ticket_type_id is not null as is_ticket, sum(quantity) as units,
        sum(quantity * unit_price - discount) as revenue
      from jsonb_to_recordset(lines) as l (ticket_type_id uuid, parking_pass_id uuid, quantity integer, unit_price numeric,
        discount numeric)
      group by 1, 2 order by 1) as sums;
    if fee > 0 then perform public.add_fees(-fee); end if;
  else
    if o.fee_amount > 0 then
      -- A fee that stays does so as far as the provider has not given it back by itself.
      kept := case when o.fee_is_refunded then 0 else least(o.fee_amount, remaining) end;
      update public.orders set fee_refunded = fee_amount - kept where id = o.id;
      if not o.fee_is_refunded and kept < o.fee_amount then perform public.add_fees(kept - o.fee_amount); end if;
    end if;
    if o.promo_code_id is not null then perform public.move_promo_uses(array[o.id], 0, -1); end if;
  end if;
  perform public.lock_stock(array_agg(ticket_type_id), array_agg(parking_pass_id))
    from jsonb_to_recordset(lines) as l (ticket_type_id uuid, parking_pass_id uuid);
  update public.ticket_types t set sold = sold - l.units, current_inventory = current_inventory + l.units
    from (select ticket_type_id, sum(quantity)::integer as units
      from jsonb_to_recordset(lines) as l (ticket_type_id uuid, quantity integer) group by 1) as l
    where t.id = l.ticket_type_id;
  update public.parking_passes p set sold = sold - l.units, current_inventory = current_inventory + l.units
    from (select parking_pass_id, sum(quantity)::integer as units
      from jsonb_to_recordset(lines) as l (parking_pass_id uuid, quantity integer) group by 1) as l
    where p.id = l.parking_pass_id;
  update public.order_items i set refunded = refunded + l.quantity
    from jsonb_to_recordset(lines) as l (order_item_id uuid, quantity integer)
    where i.order_id = o.id and i.id = l.order_item_id;
  update public.tickets
    set voided_at = greatest(now(), checked_in_at), issue_number = issue_number + 1, qr_code_data = null, qr_code_url = null
    where id = any (void);
  with voided as (
    update public.parking_permits
      set voided_at = greatest(now(), checked_in_at), issue_number = issue_number + 1, qr_code_data = null, qr_code_url = null
      where order_id = o.id and order_item_id = any (parking) and voided_at is null returning id
  ) select coalesce(array_agg(id), '{}') into permits from voided;

  if void || permits <> '{}' then
    insert into public.outbox (kind, payload, dedupe_key)
      values ('remove_qr_codes', jsonb_build_object('order_id', o.id, 'code_ids', void || permits),
        'remove_qr_codes:' || (void || permits)[1]);
  end if;
  perform public.queue_void_mails(o.id, void);
  if amount > 0 and o.channel = 'online' then
    perform public.queue_refund(paid.payment_intent_id, o.id, (amount * 100)::integer, 'requested_by_admin', lines, fee);
  end if;
  perform public.write_audit('UPDATE', 'orders', o.id::text, jsonb_build_object('status', o.status),
    jsonb_build_object('refunded', amount, 'whole_order', whole, 'items', lines,
      'status', case when ends then 'cancelled' else o.status end));
  return jsonb_build_object('refunded_cents', (amount * 100)::integer, 'items', lines);
end $$;

create function public.refund_order(p_order_id uuid, p_ticket_ids uuid[] default null, p_parking_item_ids uuid[] default null)
returns jsonb
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_finance();
  if exists (select from public.orders where id = p_order_id and channel <> 'online') then
    raise exception 'Only what was paid online is refunded here. Void a door sale at the till, and revoke a comp.'
      using errcode = '23514';
  end if;
  return public.take_back(p_order_id, p_ticket_ids, p_parking_item_ids) - 'items';
end $$;

-- Money that the provider returned without us: refunded in its own back office, or lost in a dispute. Recorded once under the
-- provider's id, and the organisers are notified. When nothing of the payment is left, the whole order is taken back; after a
-- partial refund they decide what it was for.
create function public.record_provider_refund(p_payment_intent_id text, p_provider_refund_id text, p_cents integer,
  p_status text, p_reason text) returns void
language plpgsql set search_path = '' as $$
declare
  paid public.payments;
  o public.orders;
  refund uuid;
  taken jsonb;
begin
  select * into paid from public.payments where payment_intent_id = p_payment_intent_id;
  if not found then return; end if;
  select * into o from public.orders where id = paid.order_id for update;
  select id into refund from public.refunds where provider_refund_id = p_provider_refund_id;
  if refund is null then
    insert into public.refunds (payment_intent_id, order_id, amount, reason, provider_refund_id)
      values (p_payment_intent_id, o.id, p_cents / 100.0, p_reason, p_provider_refund_id) returning id into refund;
    if p_status <> 'failed' then
      perform public.notify_organisers(p_reason, o.id, p_payment_intent_id, p_provider_refund_id);
    end if;
  end if;
  perform public.mark_refund(refund, p_provider_refund_id, p_status);
  if o.status in ('confirmed', 'completed') and o.payment_intent_id = p_payment_intent_id and paid.amount <= (select sum(amount) from public.refunds
      where payment_intent_id = p_payment_intent_id and status = 'succeeded') then
    taken := public.take_back(o.id, null, null);
    update public.refunds set items = taken -> 'items' where id = refund;
  end if;
end $$;

-- A dispute that was opened or won: nothing changes here, but somebody has to answer the provider.
create function public.record_dispute(p_payment_intent_id text, p_dispute_id text, p_status text) returns void
language plpgsql set search_path = '' as $$
declare
  disputed uuid;
begin
  select order_id into disputed from public.payments where payment_intent_id = p_payment_intent_id;
  if found then perform public.notify_organisers('dispute_' || p_status, disputed, p_payment_intent_id, p_dispute_id); end if;
end $$;

-- Notifies the organisers once for each reason and p_about.
create function public.notify_organisers(p_reason text, p_order_id uuid, p_payment_intent_id text, p_about text) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.outbox (kind, payload, dedupe_key)
    values ('admin_alert_mail', jsonb_build_object('order_id', p_order_id, 'reason', p_reason,
      'payment_intent_id', p_payment_intent_id), format('admin_alert_mail:%s:%s', p_reason, p_about))
    on conflict (dedupe_key) do nothing;
  if not found then return; end if;
  insert into public.audit_logs (action_type, table_name, record_id, new_values)
    values (case when p_reason in ('dispute_opened', 'dispute_lost') then 'CRITICAL_' else 'UPDATE_' end || upper(p_reason), 'orders',
      p_order_id::text, jsonb_build_object('payment_intent_id', p_payment_intent_id, 'provider_id', p_about));
end $$;

revoke execute on function public.queue_refund(text, uuid, integer, text, jsonb, numeric), public.mark_refund(uuid, text, text),
  public.queue_void_mails(uuid, uuid[]),
  public.take_back(uuid, uuid[], uuid[]), public.record_provider_refund(text, text, integer, text, text),
  public.record_dispute(text, text, text), public.notify_organisers(text, uuid, text, text)
  from public, anon, authenticated;
revoke execute on function public.refund_order(uuid, uuid[], uuid[]) from public, anon;
grant execute on function public.refund_order(uuid, uuid[], uuid[]) to authenticated;
