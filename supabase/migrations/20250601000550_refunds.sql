-- Refunds: each is a row in refunds and work in the outbox, which calls the provider; mark_refund records the answer.

-- The reasons an administrator may give, as in contract/shop/refund-reasons; 'other' needs a note.
create function public.require_refund_reason(p_reason text, p_note text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if p_reason is null or p_reason not in ('requested_by_admin', 'requested_by_buyer', 'event_cancelled', 'event_changed', 'duplicate',
      'fraudulent', 'goodwill', 'other') then
    raise exception 'Choose one of the reasons for a refund.' using errcode = '22023';
  end if;
  if length(p_note) > 500 or (p_reason = 'other' and coalesce(btrim(p_note), '') = '') then
    raise exception 'Enter a reason (up to 500 characters).' using errcode = '22023';
  end if;
end $$;

-- ── Lines: what a refund returned of each order item ───────────────────────────────────────────────────────────────
-- A line with units takes them back; one without is money alone, and its units stay valid. All lines of a refund add up to its
-- amount, and all that count add up to the refunded money of the order item. A line with units counts even if the refund fails: the
-- units are gone, and the money is owed until a retry returns it. A line of money alone counts only while its refund has not failed.

create function public.line_of(p_item public.order_items, p_units integer, p_cents bigint) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('order_item_id', p_item.id, 'product_id', p_item.product_id, 'kind', p_item.kind, 'name', p_item.name,
    'quantity', p_units, 'unit_price', p_item.unit_price, 'included', p_item.included, 'amount', p_cents / 100.0);
$$;

create function public.lines_cents(p_lines jsonb) returns integer
language sql immutable set search_path = '' as $$
  select coalesce(sum((line ->> 'amount')::numeric * 100), 0)::integer from jsonb_array_elements(p_lines) as line;
$$;

-- One line for each order item.
create function public.merge_lines(p_lines jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select coalesce(jsonb_agg(line || jsonb_build_object('quantity', units, 'amount', amount) order by place), '[]') from (
    select (array_agg(line order by n))[1] as line, min(n) as place, sum((line ->> 'quantity')::integer) as units,
      sum((line ->> 'amount')::numeric) as amount
    from jsonb_array_elements(p_lines) with ordinality as l (line, n) group by line ->> 'order_item_id') as merged;
$$;

-- Splits cents in proportion to the weights: the largest remainders get the cents that are left over.
create function public.split_cents(p_cents bigint, p_weights bigint[]) returns bigint[]
language sql immutable set search_path = '' as $$
  select array_agg(share + case when place <= left_over then 1 else 0 end order by n) from (
    select n, share, p_cents - sum(share) over () as left_over, row_number() over (order by rest desc, n) as place from (
      select n, p_cents * weight / total as share, p_cents * weight % total as rest
      from (select n, weight, greatest(sum(weight) over (), 1)::bigint as total from unnest(p_weights) with ordinality as w (weight, n)) as w
    ) as shares) as ranked;
$$;

-- Money alone, spread over what is left of the order's items.
create function public.money_lines(p_order_id uuid, p_cents bigint) returns jsonb
language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  places integer[];
  weights bigint[];
  total bigint;
begin
  select array_agg(position order by position), array_agg(public.line_left(i) * 100 order by position), sum(public.line_left(i) * 100)
    into places, weights, total from public.order_items i where order_id = p_order_id;
  if p_cents > total then
    raise exception 'Only $% of this payment is left to refund.', (total / 100.0)::numeric(10, 2) using errcode = '23514';
  end if;
  return (select coalesce(jsonb_agg(public.line_of(i, 0, share) order by i.position) filter (where share > 0), '[]')
    from unnest(places, public.split_cents(p_cents, weights)) as s (place, share)
    join public.order_items i on i.order_id = p_order_id and i.position = s.place);
end $$;

-- Adds the lines to the refunded units and money of the order's items (p_sign 1), or takes them off again (-1).
create function public.book_lines(p_order public.orders, p_lines jsonb, p_sign integer) returns void
language sql volatile set search_path = '' set enable_seqscan = off as $$
  with booked as (
    -- If the order ends, what a failed refund still owes is returned with it, but was booked before.
    select i.id, p_sign * l.quantity as units, least(p_sign * l.amount, public.line_left(i)) as amount
    from jsonb_to_recordset(p_lines) as l (order_item_id uuid, quantity integer, amount numeric)
    join public.order_items i on i.order_id = p_order.id and i.id = l.order_item_id
  ), returned as (
    insert into public.order_returns (order_item_id, units, amount) select id, units, amount from booked where (units, amount) <> (0, 0)
  )
  update public.order_items i set refunded = refunded + units, refunded_amount = refunded_amount + amount from booked b where b.id = i.id;
$$;

-- Books the fee's part the same way.
create function public.book_fee(p_order public.orders, p_cents bigint) returns void
language sql volatile set search_path = '' as $$
  update public.orders set fee_refunded = fee_refunded + p_cents / 100.0 where id = p_order.id and p_cents <> 0;
$$;

-- Money alone: no unit was taken back with it.
create function public.is_money_alone(p_lines jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select not exists (select from jsonb_array_elements(p_lines) as line where line ->> 'quantity' <> '0');
$$;

create function public.money_of(p_lines jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select coalesce(jsonb_agg(line order by n), '[]') from jsonb_array_elements(p_lines) with ordinality as l (line, n)
    where line ->> 'quantity' = '0';
$$;

-- ── Refunds ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- p_items: as in refunds.items.
create function public.queue_refund(p_payment_intent_id text, p_order_id uuid, p_cents integer, p_reason text,
  p_items jsonb default '[]', p_fee_cents bigint default 0, p_note text default null, p_run_id uuid default null)
returns uuid
language plpgsql set search_path = '' as $$
declare
  refund uuid;
begin
  insert into public.refunds (payment_intent_id, order_id, amount, reason, items, fee, run_id)
    values (p_payment_intent_id, p_order_id, p_cents / 100.0, p_reason, p_items, p_fee_cents / 100.0, p_run_id)
    returning id into refund;
  insert into public.refund_notes (refund_id, note) select refund, btrim(p_note) where btrim(p_note) <> '';
  update public.payments set status = 'refund_pending' where payment_intent_id = p_payment_intent_id;
  insert into public.outbox (kind, payload, dedupe_key) values
    ('refund', jsonb_build_object('refund_id', refund, 'payment_intent_id', p_payment_intent_id, 'order_id', p_order_id,
      'cents', p_cents, 'reason', p_reason), 'refund:' || refund);
  return refund;
end $$;

-- Records the provider's answer about a refund. p_status: pending, succeeded or failed. It may arrive twice or late: a final status
-- stays, except that a succeeded refund may fail later, when the buyer's bank returns the money. Returns whether the answer counted.
create function public.mark_refund(p_refund_id uuid, p_provider_refund_id text, p_status text, p_failure text default null)
returns boolean
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  o public.orders;
  r public.refunds;
begin
  if p_status = 'failed' then
    select ordered.* into o from public.orders ordered join public.refunds f on f.order_id = ordered.id where f.id = p_refund_id
      for no key update of ordered;
  end if;
  -- One at a time: the sum below would leave out a refund of this payment that another transaction is marking.
  perform from public.payments p join public.refunds f using (payment_intent_id) where f.id = p_refund_id
    for no key update of p;
  update public.refunds
    set status = p_status, provider_refund_id = coalesce(p_provider_refund_id, provider_refund_id),
      failure_message = case when p_status = 'failed' then left(p_failure, 500) end,
      succeeded_at = case when p_status = 'succeeded' then now() end
    where id = p_refund_id and (status = 'pending' or (status = 'succeeded' and p_status = 'failed')) returning * into r;
  if not found then return false; end if;
  update public.payments p
    set status = case when given.pending then 'refund_pending' when given.amount >= p.amount then 'refunded'
      when given.amount > 0 then 'partially_refunded' else 'succeeded' end
    from (
      select bool_or(status = 'pending') as pending, coalesce(sum(amount) filter (where status = 'succeeded'), 0) as amount
      from public.refunds where payment_intent_id = r.payment_intent_id
    ) as given
    where p.payment_intent_id = r.payment_intent_id;
  -- The buyer is told that the money is on its way only once the provider has accepted it, and only of a refund that we asked for.
  if p_status <> 'failed' then
    insert into public.outbox (kind, payload, dedupe_key)
      select 'refund_mail', payload - 'payment_intent_id', 'refund_mail:' || r.id from public.outbox where dedupe_key = 'refund:' || r.id
      on conflict (dedupe_key) do nothing;
  end if;
  if p_status = 'failed' then
    perform public.queue_mails_instead(r);
    if o.status in ('confirmed', 'completed') then
      perform public.book_lines(o, public.money_of(r.items), -1);
      if public.is_money_alone(r.items) then perform public.book_fee(o, -(r.fee * 100)::bigint); end if;
    end if;
    -- It was marked as handled on the assumption that this money had gone back.
    update public.orders set acknowledged_at = null where id = r.order_id and acknowledged_at is not null;
    insert into public.audit_logs (action_type, table_name, record_id, new_values)
      values ('ERROR_REFUND_FAILED', 'orders', r.order_id::text, jsonb_build_object('refund_id', r.id, 'amount', r.amount,
        'currency', (select currency from public.payments where payment_intent_id = r.payment_intent_id), 'failure', r.failure_message));
  end if;
  return true;
end $$;

-- One mail for each attendee's address: those attendees have the codes in their own mails. The buyer gets one about all tickets that
-- were not passed on and all extras, unless the mail of a refund says it to them (p_is_told). A code becomes void only once, so an
-- address's first void code names its mail.
create function public.queue_void_mails(p_order_id uuid, p_code_ids uuid[], p_is_told boolean) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  insert into public.outbox (kind, payload, dedupe_key)
    select 'void_mail', jsonb_build_object('order_id', p_order_id, 'email', m.email,
        'code_ids', jsonb_agg(m.id order by m.position, m.id)),
      format('void_mail:%s:%s', (array_agg(m.id order by m.position, m.id))[1], m.email)
    from (
      select distinct c.id, k.position, lower(person.email) as email
      from public.orders o join public.entry_codes c on c.order_id = o.id join public.product_kinds k using (kind)
      cross join lateral (values (c.attendee_email), (case when not c.has_attendee
        or (o.channel = 'online' and (c.transferred_issue is null or c.user_id = o.user_id)) then o.buyer_email end)) as person (email)
      where o.id = p_order_id and c.id = any (p_code_ids) and person.email <> ''
        and (not p_is_told or lower(person.email) <> lower(o.buyer_email))
    ) as m
    group by m.email
    on conflict (dedupe_key) do nothing;
end $$;

-- For a refund that will not be mailed soon: its codes are void all the same. Writes nothing if a mail has already said so.
create function public.queue_mails_instead(p_refund public.refunds) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  if exists (select from public.outbox where dedupe_key = 'refund_mail:' || p_refund.id) then return; end if;
  perform public.queue_void_mails(p_refund.order_id,
    array(select id from public.entry_codes
      where order_id = p_refund.order_id and voided_at = greatest(p_refund.created_at, checked_in_at)),
    false);
end $$;

-- The locked order, with the parts chosen for the refund.
create type public.refund_choice as (
  placed public.orders,
  bought public.order_items[],
  void uuid[],    -- tickets
  extras uuid[], -- order items of what has no attendee
  ends boolean    -- no ticket is left
);

-- If no tickets or extras are named, everything not refunded yet. Included parking goes with the last VIP ticket, and all extras
-- with the last ticket.
create function public.choose_refund(p_order_id uuid, p_ticket_ids uuid[], p_extra_item_ids uuid[]) returns public.refund_choice
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  whole constant boolean := p_ticket_ids is null and p_extra_item_ids is null;
  c public.refund_choice;
  o public.orders;
  valid uuid[]; -- order items of the tickets that stay
begin
  select * into o from public.orders where id = p_order_id for no key update;
  if not found then raise exception 'The order does not exist.' using errcode = 'PT404'; end if;
  if o.status not in ('confirmed', 'completed') or (o.channel = 'online' and o.total_amount > 0
      and not exists (select from public.payments where payment_intent_id = o.payment_intent_id)) then
    raise exception 'Only a paid order can be refunded.' using errcode = '23514';
  end if;
  c.placed := o;
  c.void := array(select id from public.tickets
    where order_id = o.id and voided_at is null and (whole or id = any (p_ticket_ids)));
  c.bought := array(select i from public.order_items i where order_id = o.id);
  c.extras := array(select id from unnest(c.bought) as i join public.product_kinds k using (kind)
    where not k.needs_attendee and not included and refunded < quantity and id = any (p_extra_item_ids));
  if not whole and (c.void || c.extras = '{}' or cardinality(c.void) <> coalesce(cardinality(p_ticket_ids), 0)
    or cardinality(c.extras) <> coalesce(cardinality(p_extra_item_ids), 0)) then
    raise exception 'Choose tickets or paid extras of this order that are not refunded yet.' using errcode = '23514';
  end if;
  -- The name at purchase counts: parking came with it, whatever the type is called since.
  valid := array(select order_item_id from public.tickets where order_id = o.id and voided_at is null and id <> all (c.void));
  c.ends := valid = '{}';
  c.extras := c.extras || array(select id from unnest(c.bought) as i join public.product_kinds k using (kind)
    where not k.needs_attendee and refunded < quantity and id <> all (c.extras) and (c.ends or (included
      and not exists (select from unnest(c.bought) as v where v.id = any (valid) and public.names_vip(v.name)))));
  return c;
end $$;

-- The lines of the choice. A unit returns its share of what is left of its order item, at most its price; an order that ends
-- returns all that no refund has returned yet, and with it what a failed refund still owes.
create function public.lines_of_choice(p_choice public.refund_choice) returns jsonb
language sql stable set search_path = '' set enable_seqscan = off as $$
  select coalesce(jsonb_agg(public.line_of(i.item, units, case
        when p_choice.ends and (p_choice.placed).channel <> 'online' then left_cents
        when p_choice.ends then (public.line_net(i.item) * 100)::bigint - returned
        else least(left_cents - left_cents * (left_units - units) / greatest(left_units, 1), units * (item).unit_price * 100)::bigint end)
      order by (item).position) filter (where units > 0 or p_choice.ends and (public.line_net(i.item) * 100)::bigint > returned), '[]')
  from (select i as item, i.quantity - i.refunded as left_units, (public.line_left(i) * 100)::bigint as left_cents
    from unnest(p_choice.bought) as i) as i
  cross join lateral (select case when (item).id = any (p_choice.extras) then left_units
    else (select count(*) from public.tickets t where t.order_item_id = (item).id and t.id = any (p_choice.void)) end::integer as units) as u
  cross join lateral (select coalesce(sum((line ->> 'amount')::numeric * 100), 0)::bigint as returned
    from public.refunds r, jsonb_array_elements(r.items) as line
    where p_choice.ends and r.order_id = (p_choice.placed).id and r.status <> 'failed' and line ->> 'order_item_id' = (item).id::text) as g;
$$;

-- In cents: what is left of the payment, and the parts of the fee that are returned with the choice or kept when the order ends.
create type public.fee_share as (remaining bigint, returned bigint, kept bigint);

-- For a part of the order, the fee is returned in proportion, rounded down; with the last ticket, all that no refund has returned.
create function public.fee_of_choice(p_choice public.refund_choice, p_cents bigint) returns public.fee_share
language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  o constant public.orders := p_choice.placed;
  share public.fee_share := (0, 0, 0);
  unreturned bigint; -- of the fee
begin
  select (p.amount - coalesce(g.amount, 0)) * 100, (o.fee_amount - coalesce(g.fee, 0)) * 100 into share.remaining, unreturned
    from public.payments p
    left join lateral (select sum(r.amount) as amount, sum(r.fee) as fee from public.refunds r
      where r.payment_intent_id = p.payment_intent_id and r.status <> 'failed') as g on true
    where p.payment_intent_id = o.payment_intent_id;
  share.remaining := coalesce(share.remaining, 0);
  if o.fee_amount = 0 or unreturned is null then return share; end if;
  if not o.fee_is_refunded then
    share.kept := unreturned;
  elsif p_choice.ends then
    share.returned := unreturned;
  else
    share.returned := coalesce(((o.fee_amount - o.fee_refunded) * 100)::bigint * p_cents
      / nullif((select sum(public.line_left(i)) * 100 from unnest(p_choice.bought) as i)::bigint, 0), 0);
  end if;
  return share;
end $$;

-- Takes the lines of the choice off the order: its stock returns, the codes stop working and their pictures are removed.
-- p_fee_cents: the part of the fee that is, or already was, returned with them. p_is_told: the buyer gets the mail of a refund.
create function public.void_choice(p_choice public.refund_choice, p_lines jsonb, p_fee_cents bigint, p_is_told boolean) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  o public.orders := p_choice.placed;
  codes uuid[];
begin
  update public.orders set ticket_count = ticket_count - cardinality(p_choice.void),
      status = case when p_choice.ends then 'cancelled' else status end,
      cancel_reason = case when p_choice.ends then
        case o.channel when 'door' then 'voided' when 'comp' then 'revoked' else 'refunded' end end,
      cancelled_at = case when p_choice.ends then now() end
    where id = o.id returning status into o.status;
  perform public.book_lines(o, p_lines, 1);
  if p_choice.ends and o.fee_is_refunded then
    update public.orders set fee_refunded = fee_amount where id = o.id;
  else
    perform public.book_fee(o, p_fee_cents);
  end if;
  if p_choice.ends and o.promo_code_id is not null then perform public.move_promo_uses(array[o.id], 0, -1); end if;
  perform public.move_stock(array_agg(row(product_id, quantity)::public.stock_units), 1, 0, -1)
    from jsonb_to_recordset(p_lines) as l (product_id uuid, quantity integer) where quantity > 0;
  with voided as (
    update public.entry_codes
      set voided_at = greatest(now(), checked_in_at), issue_number = issue_number + 1, qr_code_data = null, qr_code_url = null
      where id = any (array(select id from public.entry_codes
        where order_id = o.id and voided_at is null and (id = any (p_choice.void) or order_item_id = any (p_choice.extras))
        order by id for no key update)) -- as write_codes locks them
      returning id
  ) select coalesce(array_agg(id), '{}') into codes from voided;
  perform public.queue_void_mails(o.id, codes, p_is_told);
end $$;

-- Takes back a whole order (if no tickets or extras are named: everything not refunded yet), or single tickets and paid extras
-- (order items), and queues the refund of their money. An order without tickets ends, and its extras with it. An order that was
-- not paid through the provider gets the same taken back but no refund: the caller returns the money.
create function public.take_back(p_order_id uuid, p_ticket_ids uuid[], p_extra_item_ids uuid[],
  p_reason text default 'requested_by_admin', p_note text default null, p_run_id uuid default null) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  c constant public.refund_choice := public.choose_refund(p_order_id, p_ticket_ids, p_extra_item_ids);
  o constant public.orders := c.placed;
  lines constant jsonb := public.lines_of_choice(c);
  fee constant public.fee_share := public.fee_of_choice(c, public.lines_cents(lines));
  cents integer := public.lines_cents(lines) + fee.returned;
begin
  -- The remainder is negative when a bank took all of it while a refund was under way, which the provider then refuses.
  if o.channel = 'online' and c.ends then
    cents := greatest(fee.remaining - fee.kept, 0);
  elsif o.channel = 'online' and cents > fee.remaining then
    raise exception 'Only $% of this payment is left to refund.', (greatest(fee.remaining, 0) / 100.0)::numeric(10, 2) using errcode = '23514';
  end if;
  -- A kept fee stays only as far as the provider has not already returned it.
  perform public.void_choice(c, lines,
    fee.returned + case when c.ends then least(greatest(fee.kept - fee.remaining, 0), fee.kept) else 0 end,
    o.channel = 'online' and cents > 0);
  if o.channel = 'online' and cents > 0 then
    perform public.queue_refund(o.payment_intent_id, o.id, cents, p_reason, lines, least(fee.returned, cents), p_note, p_run_id);
  elsif o.channel = 'online' then
    -- Their money has already gone back: record on that refund what it was for.
    update public.refunds set items = public.merge_lines(items || lines),
        fee = least(amount, greatest(amount - public.lines_cents(items || lines) / 100.0, 0))
      where id = (select id from public.refunds where payment_intent_id = o.payment_intent_id and status <> 'failed'
        order by created_at desc, id limit 1);
  end if;
  -- What has failed so far is returned with the rest, if there is a rest. A refund that fails from now on is owed beside it.
  if c.ends and cents > 0 then
    update public.refunds set superseded = true where payment_intent_id = o.payment_intent_id and status = 'failed';
  end if;
  perform public.write_audit('UPDATE', 'orders', o.id::text, jsonb_build_object('status', o.status),
    jsonb_build_object('refunded', (cents / 100.0)::numeric(10, 2), 'whole_order', p_ticket_ids is null and p_extra_item_ids is null,
      'items', lines, 'reason', p_reason, 'note', p_note, 'run_id', p_run_id,
      'status', case when c.ends then 'cancelled' else o.status end));
  return jsonb_build_object('refunded_cents', cents, 'items', lines);
end $$;

-- In cents, what this attempt returned before, if its answer was lost or the button was pressed twice; null for a new attempt. A null
-- amount matches any.
create function public.refund_of_attempt(p_key uuid, p_order_id uuid, p_cents integer default null) returns integer
language plpgsql set search_path = '' as $$
declare
  made public.refund_attempts;
begin
  perform pg_advisory_xact_lock(hashtextextended('refund attempt ' || p_key, 0)); -- a double press
  select * into made from public.refund_attempts where key = p_key;
  if made.order_id <> p_order_id or made.cents <> p_cents then
    raise exception 'This refund was already made for another amount or order. Check the order again.' using errcode = 'PT409';
  end if;
  return made.cents;
end $$;

-- p_key names the attempt: repeated, it returns the same answer.
create function public.refund_order(p_order_id uuid, p_ticket_ids uuid[] default null, p_extra_item_ids uuid[] default null,
  p_reason text default 'requested_by_admin', p_note text default null, p_key uuid default null) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  cents integer;
begin
  perform public.require_finance();
  perform public.require_refund_reason(p_reason, p_note);
  perform public.require_online(p_order_id);
  if p_key is not null then cents := public.refund_of_attempt(p_key, p_order_id); end if;
  if cents is null then
    cents := public.take_back(p_order_id, p_ticket_ids, p_extra_item_ids, p_reason, p_note) -> 'refunded_cents';
    if p_key is not null then insert into public.refund_attempts values (p_key, p_order_id, cents); end if;
  end if;
  return jsonb_build_object('refunded_cents', cents);
end $$;

create function public.require_online(p_order_id uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  if exists (select from public.orders where id = p_order_id and channel <> 'online') then
    raise exception 'Only online orders are refunded here. Void door sales at the till, and revoke comps.'
      using errcode = '23514';
  end if;
end $$;

-- A free amount: every ticket stays valid. It is spread over the order's items, so that revenue stays exact by type; any excess
-- over their price belongs to the fee. p_key names the attempt: repeated, it returns no more money. p_left_cents is what the screen
-- showed as left: if another refund was made since, this one is refused.
create function public.refund_amount(p_key uuid, p_order_id uuid, p_cents integer, p_reason text, p_note text default null,
  p_left_cents integer default null) returns void
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  o public.orders;
  of_items bigint;
  of_fee bigint;
  lines jsonb;
begin
  perform public.require_finance();
  perform public.require_refund_reason(p_reason, p_note);
  perform public.require_online(p_order_id);
  if p_key is null then raise exception 'A refund needs a key.' using errcode = '22023'; end if;
  if p_cents is null or p_cents < 1 then
    raise exception 'Enter an amount of at least one cent.' using errcode = '22023';
  end if;
  if public.refund_of_attempt(p_key, p_order_id, p_cents) is not null then return; end if;
  select * into o from public.orders where id = p_order_id for no key update;
  if not found then raise exception 'The order does not exist.' using errcode = 'PT404'; end if;
  if o.status not in ('confirmed', 'completed') then
    raise exception 'Only a paid order can be refunded.' using errcode = '23514';
  end if;
  of_items := (select sum(public.line_left(i)) * 100 from public.order_items i where order_id = o.id);
  of_fee := (o.fee_amount - o.fee_refunded) * 100;
  if p_left_cents <> of_items + of_fee then
    raise exception 'Something was refunded in the meantime: $% is left. Check the order again.',
      ((of_items + of_fee) / 100.0)::numeric(10, 2) using errcode = 'PT409';
  elsif p_cents > of_items + of_fee then
    raise exception 'Only $% of this payment is left to refund.', ((of_items + of_fee) / 100.0)::numeric(10, 2) using errcode = '23514';
  end if;
  of_fee := greatest(p_cents - of_items, 0);
  lines := public.money_lines(o.id, p_cents - of_fee);
  perform public.book_lines(o, lines, 1);
  perform public.book_fee(o, of_fee);
  perform public.queue_refund(o.payment_intent_id, o.id, p_cents, p_reason, lines, of_fee, p_note);
  insert into public.refund_attempts values (p_key, o.id, p_cents);
  perform public.write_audit('UPDATE', 'orders', o.id::text, null, jsonb_build_object('refunded', (p_cents / 100.0)::numeric(10, 2),
    'amount_alone', true, 'items', lines, 'reason', p_reason, 'note', p_note));
end $$;

-- Voids tickets and extras for which the provider has already returned money. That refund's money covers them first; any excess
-- stays spread over the rest of the order. This cannot void the last ticket: that ends the order, and refund_order returns what is
-- left.
create function public.void_for_refund(p_refund_id uuid, p_ticket_ids uuid[], p_extra_item_ids uuid[], p_note text default null)
returns void
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  r public.refunds;
  c public.refund_choice;
  before jsonb;
  gone jsonb;
  moved integer;
begin
  perform public.require_finance();
  perform public.require_refund_reason('requested_by_admin', p_note);
  select order_id into r.order_id from public.refunds where id = p_refund_id;
  if not found then raise exception 'The refund does not exist.' using errcode = 'PT404'; end if;
  c := public.choose_refund(r.order_id, coalesce(p_ticket_ids, '{}'), coalesce(p_extra_item_ids, '{}'));
  select * into r from public.refunds where id = p_refund_id for no key update;
  before := public.money_of(r.items);
  moved := public.lines_cents(before);
  if r.status = 'failed' or r.reason not in ('refunded_at_provider', 'dispute_lost') or moved = 0 then
    raise exception 'This refund has no unassigned money left.' using errcode = '23514';
  end if;
  if c.ends then
    raise exception 'These are the last tickets. Refund the whole order instead, which also refunds the rest of its money.'
      using errcode = '23514';
  end if;
  perform public.book_lines(c.placed, before, -1);
  c.bought := array(select i from public.order_items i where order_id = r.order_id);
  gone := public.lines_of_choice(c);
  if public.lines_cents(gone) > moved then gone := public.cut_lines(gone, moved); end if;
  perform public.void_choice(c, gone, 0, false);
  before := public.money_lines(r.order_id, moved - public.lines_cents(gone));
  perform public.book_lines(c.placed, before, 1);
  update public.refunds set items = public.merge_lines(
      (select coalesce(jsonb_agg(l), '[]') from jsonb_array_elements(items) as l where l ->> 'quantity' <> '0') || gone || before)
    where id = r.id;
  perform public.write_audit('UPDATE', 'orders', r.order_id::text, null,
    jsonb_build_object('voided', true, 'refund_id', r.id, 'items', gone, 'note', p_note));
end $$;

-- The lines of a failed refund, for the one that follows it. Its units are still booked; its money alone is not.
create function public.rebooked_lines(p_order public.orders, p_failed public.refunds) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  lines jsonb := public.money_of(p_failed.items);
begin
  if lines = '[]' or p_order.status not in ('confirmed', 'completed') then return p_failed.items; end if;
  lines := public.money_lines(p_order.id, public.lines_cents(lines));
  perform public.book_lines(p_order, lines, 1);
  if public.is_money_alone(p_failed.items) then perform public.book_fee(p_order, (p_failed.fee * 100)::bigint); end if;
  return public.merge_lines((select coalesce(jsonb_agg(l), '[]') from jsonb_array_elements(p_failed.items) as l
    where l ->> 'quantity' <> '0') || lines);
end $$;

-- Money that the provider refused to return, that nobody has requested again, that no later refund includes, and that has not gone back
-- in another way since.
create function public.is_owed(p_refund public.refunds) returns boolean language sql stable
return p_refund.status = 'failed' and not p_refund.superseded and not exists (select from public.refunds a where a.retry_of = p_refund.id)
  and p_refund.amount + (select coalesce(sum(g.amount), 0) from public.refunds g
    where g.payment_intent_id = p_refund.payment_intent_id and g.status <> 'failed')
    <= (select p.amount from public.payments p where p.payment_intent_id = p_refund.payment_intent_id);

-- In cents: what the order's buyer is still owed, because refunds failed or ran out of attempts.
create function public.owed_cents(p_order_id uuid) returns integer
language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return (select coalesce(sum(r.amount * 100), 0) from public.refunds r where r.order_id = p_order_id
    and case r.status when 'failed' then public.is_owed(r) when 'pending' then exists (
      select from public.outbox w where w.dedupe_key = 'refund:' || r.id and w.dead_at is not null) end);
end $$;

-- Requests a refund again, as a new refund, after the provider refused it; one that ran out of attempts is retried as it is.
create function public.retry_refund(p_refund_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_finance();
  perform public.ask_again(p_refund_id);
end $$;

create function public.ask_again(p_refund_id uuid) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  o public.orders;
  r public.refunds;
  retry uuid;
begin
  -- Locks the order first, as refund_order does; only then is the refund's status final.
  select * into o from public.orders where id = (select order_id from public.refunds where id = p_refund_id) for no key update;
  perform from public.payments p join public.refunds f using (payment_intent_id) where f.id = p_refund_id
    for no key update of p;
  if not found then raise exception 'The refund does not exist.' using errcode = 'PT404'; end if;
  select * into r from public.refunds where id = p_refund_id;
  if r.status = 'pending' then
    update public.outbox set dead_at = null, attempts = 0, next_attempt_at = now()
      where dedupe_key = 'refund:' || r.id and dead_at is not null;
    if not found then raise exception 'This refund is still in progress.' using errcode = '23514'; end if;
  else
    if r.superseded then
      raise exception 'This money is part of the refund that ended the order.' using errcode = '23514';
    end if;
    if not public.is_owed(r) then raise exception 'This money has already been refunded.' using errcode = '23514'; end if;
    insert into public.refunds (payment_intent_id, order_id, amount, reason, items, fee, retry_of, run_id)
      values (r.payment_intent_id, r.order_id, r.amount, r.reason,
        case when o.payment_intent_id = r.payment_intent_id then public.rebooked_lines(o, r) else r.items end, r.fee, r.id, r.run_id)
      returning id into retry;
    insert into public.refund_notes (refund_id, note) select retry, note from public.refund_notes where refund_id = r.id;
    update public.payments set status = 'refund_pending' where payment_intent_id = r.payment_intent_id;
    insert into public.outbox (kind, payload, dedupe_key)
      values ('refund', jsonb_build_object('refund_id', retry, 'payment_intent_id', r.payment_intent_id, 'order_id', r.order_id,
        'cents', (r.amount * 100)::integer, 'reason', r.reason), 'refund:' || retry);
  end if;
  perform public.write_audit('UPDATE', 'orders', r.order_id::text, null, jsonb_build_object('refund_retried', r.amount));
end $$;

-- Notifies the organizers once for each reason and p_about, and again for another p_turn of it. p_order_id is null if no order of ours
-- has the payment.
create function public.notify_organizers(p_reason text, p_order_id uuid, p_payment_intent_id text, p_about text, p_turn text default null)
returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.outbox (kind, payload, dedupe_key)
    values ('admin_alert_mail', jsonb_build_object('order_id', p_order_id, 'reason', p_reason,
      'payment_intent_id', p_payment_intent_id), format('admin_alert_mail:%s:%s%s', p_reason, p_about, ':' || p_turn))
    on conflict (dedupe_key) do nothing;
  if not found then return; end if;
  insert into public.audit_logs (action_type, table_name, record_id, new_values)
    values (case when p_order_id is null or p_reason in ('dispute_opened', 'dispute_due', 'dispute_lost', 'foreign_currency') then 'CRITICAL_' else 'UPDATE_' end
        || upper(p_reason), case when p_order_id is null then 'payments' else 'orders' end,
      coalesce(p_order_id::text, p_payment_intent_id), jsonb_build_object('payment_intent_id', p_payment_intent_id, 'provider_id', p_about));
end $$;

revoke execute on function public.require_refund_reason(text, text), public.line_of(public.order_items, integer, bigint),
  public.lines_cents(jsonb), public.merge_lines(jsonb), public.split_cents(bigint, bigint[]), public.money_lines(uuid, bigint),
  public.book_lines(public.orders, jsonb, integer), public.money_of(jsonb),
  public.queue_refund(text, uuid, integer, text, jsonb, bigint, text, uuid), public.refund_of_attempt(uuid, uuid, integer), public.mark_refund(uuid, text, text, text),
  public.queue_void_mails(uuid, uuid[], boolean), public.queue_mails_instead(public.refunds), public.choose_refund(uuid, uuid[], uuid[]),
  public.lines_of_choice(public.refund_choice), public.void_choice(public.refund_choice, jsonb, bigint, boolean), public.book_fee(public.orders, bigint), public.is_money_alone(jsonb),
  public.fee_of_choice(public.refund_choice, bigint),
  public.take_back(uuid, uuid[], uuid[], text, text, uuid), public.require_online(uuid),
  public.rebooked_lines(public.orders, public.refunds), public.is_owed(public.refunds), public.owed_cents(uuid), public.ask_again(uuid),
  public.notify_organizers(text, uuid, text, text, text)
  from public, anon, authenticated;
revoke execute on function public.refund_order(uuid, uuid[], uuid[], text, text, uuid), public.refund_amount(uuid, uuid, integer, text, text, integer),
  public.void_for_refund(uuid, uuid[], uuid[], text), public.retry_refund(uuid) from public, anon;
grant execute on function public.refund_order(uuid, uuid[], uuid[], text, text, uuid), public.refund_amount(uuid, uuid, integer, text, text, integer),
  public.void_for_refund(uuid, uuid[], uuid[], text), public.retry_refund(uuid) to authenticated;
