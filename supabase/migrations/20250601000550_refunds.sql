-- Money that goes back: a row in refunds and work for the outbox, which asks the provider; mark_refund writes down its answer.

create function public.queue_refund(p_payment_intent_id text, p_order_id uuid, p_cents integer, p_reason text) returns void
language plpgsql set search_path = '' as $$
declare
  refund uuid;
begin
  insert into public.refunds (payment_intent_id, order_id, amount, reason)
    values (p_payment_intent_id, p_order_id, p_cents / 100.0, p_reason) returning id into refund;
  update public.payments set status = 'refund_pending' where payment_intent_id = p_payment_intent_id;
  insert into public.outbox (kind, payload, dedupe_key) values
    ('refund', jsonb_build_object('refund_id', refund, 'payment_intent_id', p_payment_intent_id, 'order_id', p_order_id,
      'cents', p_cents, 'reason', p_reason), 'refund:' || refund),
    ('refund_mail', jsonb_build_object('refund_id', refund, 'order_id', p_order_id, 'cents', p_cents, 'reason', p_reason),
      'refund_mail:' || refund);
end $$;

-- What the provider says of a refund. p_status: pending, succeeded or failed.
create function public.mark_refund(p_refund_id uuid, p_provider_refund_id text, p_status text) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  r public.refunds;
begin
  -- One after the other: two refunds of one payment marked at once would each miss the other in the sum below.
  perform from public.payments p join public.refunds f using (payment_intent_id) where f.id = p_refund_id
    for no key update of p;
  update public.refunds set status = p_status, provider_refund_id = coalesce(p_provider_refund_id, provider_refund_id)
    where id = p_refund_id and status <> 'succeeded' returning * into r;
  if not found then return; end if;
  if p_status = 'succeeded' then
    update public.payments p
      set status = case when (select sum(amount) from public.refunds
          where payment_intent_id = p.payment_intent_id and status = 'succeeded') >= p.amount
        then 'refunded' else 'partially_refunded' end
      where payment_intent_id = r.payment_intent_id;
  elsif p_status = 'failed' then
    insert into public.audit_logs (action_type, table_name, record_id, new_values)
      values ('ERROR_REFUND_FAILED', 'refunds', r.id::text,
        jsonb_build_object('order_id', r.order_id, 'amount', r.amount));
  end if;
end $$;

-- Refunds whole (p_ticket_ids null: the order ends, everything not yet refunded goes back) or single tickets at what
-- they cost. Their stock returns; parking goes with the whole order only.
create function public.refund_order(p_order_id uuid, p_ticket_ids uuid[] default null) returns jsonb
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  o public.orders;
  paid public.payments;
  refunded numeric;
  amount numeric;
  wanted integer;
begin
  perform public.require_admin();
  select * into o from public.orders where id = p_order_id for update;
  if not found then raise exception 'The order does not exist.' using errcode = 'P0002'; end if;
  select * into paid from public.payments where payment_intent_id = o.payment_intent_id;
  if o.status not in ('confirmed', 'completed') or paid.payment_intent_id is null then
    raise exception 'Only a paid order can be refunded.' using errcode = '23514';
  end if;
  select coalesce(sum(r.amount), 0) into refunded from public.refunds r
    where r.payment_intent_id = paid.payment_intent_id and r.status <> 'failed';

  if p_ticket_ids is null then
    amount := paid.amount - refunded;
    update public.orders set status = 'cancelled', cancel_reason = 'refunded', cancelled_at = now() where id = o.id;
    perform public.lock_stock(array_agg(ticket_type_id), array_agg(parking_pass_id))
      from public.order_items where order_id = o.id;
    update public.ticket_types t set sold = sold - u.units, current_inventory = current_inventory + u.units
      from (select ticket_type_id, count(*)::integer as units from public.tickets
        where order_id = o.id and voided_at is null group by 1) as u
      where t.id = u.ticket_type_id;
    update public.parking_passes p set sold = sold - i.units, current_inventory = current_inventory + i.units
      from (select parking_pass_id, sum(quantity)::integer as units from public.order_items
        where order_id = o.id group by 1) as i
      where p.id = i.parking_pass_id;
    update public.tickets set voided_at = now() where order_id = o.id and voided_at is null;
  else
    select count(distinct t.id), sum(i.unit_price) into wanted, amount
      from public.tickets t join public.order_items i on i.id = t.order_item_id
      where t.order_id = o.id and t.id = any (p_ticket_ids) and t.voided_at is null;
    if wanted is distinct from cardinality(p_ticket_ids) or wanted = 0 then
      raise exception 'Choose tickets of this order that are not refunded yet.' using errcode = '23514';
    end if;
    perform public.add_sales(ticket_type_id, true, -units, -revenue) from (
      select t.ticket_type_id, count(*) as units, sum(i.unit_price) as revenue
      from public.tickets t join public.order_items i on i.id = t.order_item_id
      where t.id = any (p_ticket_ids) group by 1 order by 1) as sums;
    perform public.lock_stock(array_agg(ticket_type_id), '{}') from public.tickets where id = any (p_ticket_ids);
    update public.ticket_types t set sold = sold - u.units, current_inventory = current_inventory + u.units
      from (select ticket_type_id, count(*)::integer as units from public.tickets
        where id = any (p_ticket_ids) group by 1) as u
      where t.id = u.ticket_type_id;
    update public.tickets set voided_at = now() where id = any (p_ticket_ids);
  end if;
  if amount > 0 then
    perform public.queue_refund(paid.payment_intent_id, o.id, (amount * 100)::integer, 'requested_by_admin');
  end if;
  perform public.write_audit('UPDATE', 'orders', o.id::text, jsonb_build_object('status', o.status),
    jsonb_build_object('refunded', amount, 'tickets', to_jsonb(p_ticket_ids),
      'status', case when p_ticket_ids is null then 'cancelled' else o.status end));
  return jsonb_build_object('refunded_cents', (coalesce(amount, 0) * 100)::integer);
end $$;

revoke execute on function public.queue_refund(text, uuid, integer, text), public.mark_refund(uuid, text, text)
  from public, anon, authenticated;
revoke execute on function public.refund_order(uuid, uuid[]) from public, anon;
grant execute on function public.refund_order(uuid, uuid[]) to authenticated;
