-- The festival is canceled or moved: one call publishes the change, writes to everybody who holds or bought a ticket, and returns
-- the money, to everybody or on request. The mails and refunds go out in batches, like any message and refund run.

create table public.festival_changes (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('moved', 'cancelled')),
  starts_at_before timestamptz not null,
  starts_at timestamptz not null,
  refunds text not null check (refunds in ('everybody', 'on_request', 'none')),
  -- The deadline for buyers to request the money of an order placed before the change.
  ask_until timestamptz,
  message_id uuid references public.messages (id),
  refund_run_id uuid references public.refund_runs (id),
  request_hash text not null,
  announced_by uuid references auth.users (id) on delete set null,
  announced_at timestamptz not null default now(),
  constraint festival_changes_asked_until check ((refunds = 'on_request') = (ask_until is not null))
);
create trigger festival_changes_audit after insert on public.festival_changes
  for each row execute function public.audit_change();

alter table public.festival_changes enable row level security;
revoke all on public.festival_changes from anon, authenticated;
grant select on public.festival_changes to authenticated;
create policy "Admins and finance read the festival's changes" on public.festival_changes
  for select to authenticated using ((select public.has_role('admin', 'finance')));

-- What a change would start, {people, orders, cents}, and what it leaves out: {comps, door_orders, door_cents}. What moves with the
-- date, and does not: {let_in, has_opened, has_doors, codes, sale_ends: [{name, closes_at, moves}]}; a null name is the whole shop's.
create function public.preview_festival_change() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_admin();
  return (select jsonb_build_object('people', (select count(*) from public.message_audience(
      '{"people": "everybody", "state": "valid", "type_ids": []}')), 'orders', s.orders, 'cents', s.cents, 'disputed', s.disputed,
      'comps', left_over.comps, 'door_orders', left_over.door_orders, 'door_cents', left_over.door_cents,
      'code_is_fixed', public.festival_code_is_fixed(),
      'let_in', (select count(*) from public.tickets where checked_in_at is not null and voided_at is null),
      'has_opened', (select public.gate_has_opened(f) from public.festival f),
      'has_doors', (select doors_open_at is not null from public.gate_settings),
      'codes', (select jsonb_agg(plural order by position) from public.product_kinds where has_code),
      'sale_ends', (select coalesce(jsonb_agg(jsonb_build_object('name', sale.name, 'closes_at', sale.closes_at,
          'moves', public.ends_with_festival(sale.closes_at, f)) order by sale.name nulls first), '[]')
        from public.festival f cross join (select null as name, sale_closes_at as closes_at from public.shop_settings
          union all select name, sale_closes_at from public.products where not is_hidden) as sale
        where sale.closes_at is not null))
    from public.run_sums('{}') as s cross join (
      select count(*) filter (where channel = 'comp') as comps, count(*) filter (where channel = 'door') as door_orders,
          coalesce(sum(100 * total_amount) filter (where channel = 'door'), 0)::bigint as door_cents
        from public.orders where channel <> 'online' and status in ('confirmed', 'completed')) as left_over);
end $$;

-- p_version: of the section 'facts' as read. p_facts: its new content, with its status, its notice and, when it is moved, its
-- dates. p_id comes from the browser: sent again after a lost answer, it does nothing twice, and different content under the same
-- id is refused.
create function public.announce_festival_change(p_id uuid, p_version integer, p_facts jsonb, p_refunds text, p_ask_until timestamptz,
  p_subject text, p_body text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  kind constant text := p_facts ->> 'status';
  asked constant text := md5(concat_ws(' ', p_facts, p_refunds, p_ask_until at time zone 'UTC', p_subject, p_body));
  before constant timestamptz := (select starts_at from public.festival);
  known text;
  run uuid;
begin
  perform public.require_admin();
  perform pg_advisory_xact_lock(hashtextextended('festival change', 0));
  select request_hash into known from public.festival_changes where id = p_id;
  if known = asked then return; end if;
  if known is not null then
    raise exception 'Already announced, with different text. Reload and review it.' using errcode = 'PT409';
  end if;
  if coalesce(kind, '') not in ('moved', 'cancelled') then
    raise exception 'Choose whether the festival is rescheduled or canceled.' using errcode = '22023';
  end if;
  if coalesce(p_refunds, '') not in ('everybody', 'on_request', 'none') then
    raise exception 'Choose who gets a refund.' using errcode = '22023';
  end if;
  if p_refunds = 'on_request' and (p_ask_until is null or p_ask_until <= now()) then
    raise exception 'Choose a date until which buyers can claim a refund.' using errcode = '22023';
  end if;
  perform public.publish_festival_section('facts', p_version, p_facts);
  if kind = 'moved' and before = (select starts_at from public.festival) then
    raise exception 'Enter the new date.' using errcode = '22023';
  end if;
  insert into public.messages (id, subject, body, audience, sent_by)
    values (p_id, p_subject, p_body, '{"people": "everybody", "state": "valid", "type_ids": []}', auth.uid());
  insert into public.message_recipients (message_id, number, name, email, paid)
    select p_id, row_number() over (order by a.email), a.name, a.email, own.paid
    from public.message_audience('{"people": "everybody", "state": "valid", "type_ids": []}') as a
    left join (select lower(buyer_email) as email, case when bool_or(channel = 'online' and total_amount > 0) then 'online'
          when bool_or(total_amount > 0) then 'door' else 'nothing' end as paid
        from public.orders where status in ('confirmed', 'completed') group by 1) as own on own.email = lower(a.email);
  perform public.queue_message_mails(p_id);
  if p_refunds = 'everybody' and (select orders from public.run_sums('{}')) > 0 then
    run := public.open_refund_run('{}', case kind when 'cancelled' then 'event_cancelled' else 'event_changed' end);
  end if;
  insert into public.festival_changes (id, kind, starts_at_before, starts_at, refunds, ask_until, message_id, refund_run_id,
      request_hash, announced_by, announced_at)
    select p_id, kind, before, f.starts_at, p_refunds, case p_refunds when 'on_request' then p_ask_until end, p_id, run,
      asked, auth.uid(), clock_timestamp()
    from public.festival f;
end $$;

-- A cancelled festival sells nothing, however it was cancelled: the sale stops, and every hold is over. As with any expired hold,
-- the job asks the provider first and cancels what is not paid; what was paid is refunded (confirm_order).
create function public.stop_sale_of_cancelled() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('festival change', 0));
  update public.shop_settings set on_sale = false where on_sale;
  -- Another transaction that has locked an order decides it now; otherwise its hold runs out normally.
  update public.orders set hold_expires_at = least(hold_expires_at, now()), expiry_check_at = null
    where id = any (array(select id from public.orders where status = 'pending' order by id for no key update skip locked));
  -- A place on the waitlist holds stock as well.
  update public.waitlist_entries set offer_expires_at = least(offer_expires_at, now())
    where id = any (array(select id from public.waitlist_entries where state = 'offered' order by id for no key update skip locked));
  return null;
end $$;
create trigger festival_stop_sale after update of status on public.festival
  for each row when (new.status = 'cancelled' and old.status <> 'cancelled') execute function public.stop_sale_of_cancelled();

-- Both triggers take the lock: the statement's before it locks the row, which a cancellation also wants. The row is then judged by
-- what was decided meanwhile.
create function public.keep_cancelled_closed() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if public.is_cancelled() and tg_level = 'ROW' then
    raise exception 'The festival is canceled. Sales cannot reopen.' using errcode = '23514';
  end if;
  return new;
end $$;
create trigger shop_settings_wait_for_change before update of on_sale on public.shop_settings
  for each statement execute function public.keep_cancelled_closed();
create trigger shop_settings_stay_closed before update of on_sale on public.shop_settings
  for each row when (new.on_sale and not old.on_sale) execute function public.keep_cancelled_closed();

-- The change under which an order's money may be requested now, if any: the newest, announced after the order was paid. Guests who
-- were let in before it may ask too, as its mail says; those let in after it have used their tickets.
create function public.refund_offer_of(p_order public.orders) returns public.festival_changes
language sql stable set search_path = '' as $$
  select c from public.festival_changes c
    where c.ask_until > now() and c.announced_at > p_order.confirmed_at
      and p_order.status in ('confirmed', 'completed') and p_order.channel = 'online' and p_order.total_amount > 0
      and not exists (select from public.tickets t where t.order_id = p_order.id and t.checked_in_at > c.announced_at)
    order by c.announced_at desc limit 1;
$$;

-- Which of the caller's orders may be refunded on request: {order id: {until, cents, passed_on: [{ticket, to}]}}. cents is what
-- would be returned; passed_on lists the valid tickets that others hold, and the person to whom the caller last gave each.
create function public.get_refund_offers() returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_object_agg(o.id, jsonb_build_object('until', (offer.c).ask_until,
      'cents', (select public.left_of_payment(o, p.amount, (select sum(r.amount) from public.refunds r
          where r.payment_intent_id = p.payment_intent_id and r.status <> 'failed'))
        from public.payments p where p.payment_intent_id = o.payment_intent_id),
      'passed_on', (select coalesce(jsonb_agg(jsonb_build_object('ticket', g.ticket_name, 'to', g.to_name) order by g.ticket_name, g.ticket_id), '[]')
        from (select distinct on (r.ticket_id) r.ticket_id, r.ticket_name, r.to_name
          from public.ticket_transfers r join public.tickets t on t.id = r.ticket_id
          where r.order_id = o.id and r.state = 'accepted' and r.from_user_id = o.user_id
            and t.voided_at is null and t.user_id is distinct from o.user_id
          order by r.ticket_id, r.ended_at desc) as g))) filter (where (offer.c).ask_until is not null), '{}')
    from public.orders o cross join lateral (select public.refund_offer_of(o) as c) as offer
    where o.user_id = auth.uid() and (select public.took_own_step());
$$;

-- Returns the money of an order to the buyer who requests it, because the festival was moved or cancelled.
create function public.request_refund(p_order_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  o public.orders;
  offer public.festival_changes;
begin
  perform public.require_live_session();
  select * into o from public.orders where id = p_order_id and user_id = auth.uid() for no key update;
  if not found then raise exception 'The order does not exist.' using errcode = 'PT404'; end if;
  offer := public.refund_offer_of(o);
  if offer.id is null then
    raise exception 'You cannot refund this order yourself. Write to the organizers.' using errcode = '23514';
  end if;
  return public.take_back(o.id, null, null, case offer.kind when 'cancelled' then 'event_cancelled' else 'event_changed' end) - 'items';
end $$;

revoke execute on function public.refund_offer_of(public.orders) from public, anon, authenticated;
revoke execute on function public.preview_festival_change(),
  public.announce_festival_change(uuid, integer, jsonb, text, timestamptz, text, text), public.get_refund_offers(),
  public.request_refund(uuid) from public, anon;
grant execute on function public.preview_festival_change(),
  public.announce_festival_change(uuid, integer, jsonb, text, timestamptz, text, text), public.get_refund_offers(),
  public.request_refund(uuid) to authenticated;
