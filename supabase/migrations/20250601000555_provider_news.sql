-- What happens to a payment at the provider without us: money returned in its own back office, and disputes.

-- The same units for less money.
create function public.cut_lines(p_lines jsonb, p_cents bigint) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_agg(line || jsonb_build_object('amount', share / 100.0) order by n)
  from (select array_agg((line ->> 'amount')::numeric * 100 order by n)::bigint[] as weights
    from jsonb_array_elements(p_lines) with ordinality as l (line, n)) as w,
  rows from (jsonb_array_elements(p_lines), unnest(public.split_cents(p_cents, w.weights))) with ordinality as l (line, share, n);
$$;

-- The payment that a provider's notice is about. If no order has it, there are no books to change: returns null and, if money
-- moved, notifies the organizers once about p_about, the refund or dispute.
create function public.payment_in_news(p_payment_intent_id text, p_about text, p_reason text, p_moved boolean) returns public.payments
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  paid public.payments;
begin
  select * into paid from public.payments where payment_intent_id = p_payment_intent_id;
  if paid.status = 'failed' then
    -- The notice that a later attempt succeeded has not arrived yet. The provider repeats this one until it is accepted.
    raise exception 'This payment has not been confirmed yet.' using errcode = 'PT409';
  end if;
  if paid.status is null and p_moved then
    perform public.notify_organizers(p_reason, null, p_payment_intent_id, p_about);
  end if;
  return paid;
end $$;

-- Money that the provider returned without us: refunded in its own back office, or lost in a dispute. Recorded once under the
-- provider's id, and the organizers are notified. When it returns the last of the payment, the whole order is taken back. A repeated
-- report voids no ticket that a refund of ours by amount has left valid. A part settles a failed refund of the same amount; otherwise it
-- is money alone, until void_for_refund says what it was for. In a currency other than the payment's, the sum means nothing here:
-- the organizers are notified, and the books do not change.
create function public.record_provider_refund(p_payment_intent_id text, p_provider_refund_id text, p_cents integer,
  p_status text, p_reason text, p_currency text default null) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  paid public.payments;
  o public.orders;
  refund uuid;
  is_new boolean := false;
  counts boolean;
  succeeded integer;
begin
  paid := public.payment_in_news(p_payment_intent_id, p_provider_refund_id,
    case p_reason when 'dispute_lost' then 'unknown_dispute' else 'unknown_refund' end, p_status <> 'failed');
  if paid.status is null then return; end if;
  if paid.currency <> p_currency then
    if p_status <> 'failed' then
      perform public.notify_organizers('foreign_currency', paid.order_id, p_payment_intent_id, p_provider_refund_id);
    end if;
    return;
  end if;
  select * into o from public.orders where id = paid.order_id for no key update;
  select id into refund from public.refunds where provider_refund_id = p_provider_refund_id;
  if refund is null then
    insert into public.refunds (payment_intent_id, order_id, amount, reason, provider_refund_id)
      values (p_payment_intent_id, o.id, p_cents / 100.0, p_reason, p_provider_refund_id) returning id into refund;
    is_new := true;
    if p_status <> 'failed' then
      perform public.notify_organizers(p_reason, o.id, p_payment_intent_id, p_provider_refund_id);
    end if;
  end if;
  counts := public.mark_refund(refund, p_provider_refund_id, p_status);
  if o.payment_intent_id is distinct from p_payment_intent_id then return; end if;
  if o.status not in ('confirmed', 'completed') then
    if o.cancel_reason = 'refunded' and is_new and p_status <> 'failed' then perform public.book_fee_returned(o, refund); end if;
    return;
  end if;
  succeeded := 100 * (select coalesce(sum(amount), 0) from public.refunds
    where payment_intent_id = p_payment_intent_id and status = 'succeeded');
  if counts and p_status = 'succeeded' and succeeded >= paid.amount * 100 then
    perform public.take_back(o.id, null, null);
  elsif is_new and p_status <> 'failed' then
    perform public.book_provider_refund(o, refund);
  end if;
end $$;

-- On an ended order, the provider can still return only a kept fee, besides what a failed refund owes.
create function public.book_fee_returned(p_order public.orders, p_refund_id uuid) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  fee_cents bigint;
begin
  select 100 * greatest(least(sum(r.amount) - (p.amount - (p_order.fee_amount - p_order.fee_refunded)),
      p_order.fee_amount - p_order.fee_refunded), 0) into fee_cents
    from public.payments p join public.refunds r using (payment_intent_id)
    where p.payment_intent_id = p_order.payment_intent_id and r.status <> 'failed' group by p.amount;
  perform public.book_fee(p_order, fee_cents);
  update public.refunds set fee = fee_cents / 100.0 where id = p_refund_id and fee_cents > 0;
end $$;

create function public.book_provider_refund(p_order public.orders, p_refund_id uuid) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  given public.refunds;
  owed public.refunds;
  lines jsonb;
  free bigint; -- cents of the items that no refund has returned
  fee_cents bigint;
begin
  select * into given from public.refunds where id = p_refund_id;
  select f.* into owed from public.refunds f
    where f.payment_intent_id = given.payment_intent_id and f.status = 'failed' and f.amount = given.amount
      and not exists (select from public.refunds a where a.retry_of = f.id)
    order by f.created_at limit 1;
  if owed.id is null then
    free := (select sum(public.line_left(i)) * 100 from public.order_items i where order_id = p_order.id);
    lines := public.money_lines(p_order.id, least(given.amount * 100, free)::bigint);
    -- Anything above the items' price belongs to the fee.
    fee_cents := least(greatest(given.amount * 100 - free, 0), (p_order.fee_amount - p_order.fee_refunded) * 100);
    perform public.book_lines(p_order, lines, 1);
    perform public.book_fee(p_order, fee_cents);
  else
    lines := public.rebooked_lines(p_order, owed);
    fee_cents := owed.fee * 100;
  end if;
  update public.refunds set items = lines, fee = fee_cents / 100.0, retry_of = owed.id where id = p_refund_id;
end $$;

-- ── Disputes: money that a buyer's bank holds back until the organizer has answered ────────────────────────────────────

-- One row each, as the provider last reported it; record_dispute and record_provider_refund handle the consequences.
create table public.disputes (
  id text primary key, -- the provider's
  payment_intent_id text not null references public.payments (payment_intent_id),
  order_id uuid not null references public.orders (id),
  amount numeric(10, 2) not null,
  currency text not null,
  reason text not null,
  status text not null,
  evidence_due_by timestamptz, -- the last moment at which the provider accepts an answer
  opened_at timestamptz not null,
  reported_at timestamptz not null, -- when the provider said so
  updated_at timestamptz not null default now(),
  is_open boolean not null generated always as (status not in ('won', 'lost', 'warning_closed', 'prevented')) stored
);
create index disputes_by_deadline on public.disputes (is_open desc, evidence_due_by, id);
create index disputes_of_order on public.disputes (order_id) where is_open;
create index disputes_of_payment on public.disputes (payment_intent_id);

alter table public.disputes enable row level security;
revoke all on public.disputes from anon, authenticated;
grant select on public.disputes to authenticated;
create policy "Admins and finance read the disputes" on public.disputes
  for select to authenticated using ((select public.has_role('admin', 'finance')));

-- A bank's question, which has taken no money.
create function public.is_inquiry(p_status text) returns boolean language sql immutable return p_status like 'warning\_%';

-- Events arrive late and in any order: older news changes nothing, and an ended dispute stays ended. Only an inquiry, closed or not,
-- may become a chargeback: that takes the money, so the organizers are notified again. A dispute of a payment that is not ours changes
-- nothing.
create function public.note_dispute(p_dispute_id text, p_payment_intent_id text, p_cents integer, p_currency text, p_reason text,
  p_status text, p_evidence_due_by timestamptz, p_opened_at timestamptz, p_reported_at timestamptz) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  before text;
  noted public.disputes;
begin
  select status into before from public.disputes where id = p_dispute_id for no key update;
  insert into public.disputes as d
      (id, payment_intent_id, order_id, amount, currency, reason, status, evidence_due_by, opened_at, reported_at)
    select p_dispute_id, p.payment_intent_id, p.order_id, p_cents / 100.0, p_currency, p_reason, p_status, p_evidence_due_by, p_opened_at,
      p_reported_at
    from public.payments p where p.payment_intent_id = p_payment_intent_id
  on conflict (id) do update set amount = excluded.amount, reason = excluded.reason, status = excluded.status,
      evidence_due_by = coalesce(excluded.evidence_due_by, d.evidence_due_by), reported_at = excluded.reported_at, updated_at = now()
    where d.reported_at <= excluded.reported_at and (d.is_open or d.status = 'warning_closed' and not public.is_inquiry(excluded.status))
    returning * into noted;
  if public.is_inquiry(before) and noted.is_open and not public.is_inquiry(noted.status) then
    perform public.notify_organizers('dispute_opened', noted.order_id, noted.payment_intent_id, noted.id, 'chargeback');
  end if;
end $$;

create function public.dispute_notice() returns interval
language sql immutable set search_path = '' as $$ select interval '3 days' $$;

-- Alerts the organizers once about each deadline of an open dispute that is near. Called by a job.
create function public.alert_due_disputes() returns integer
language sql volatile set search_path = '' as $$
  select count(public.notify_organizers('dispute_due', d.order_id, d.payment_intent_id, d.id,
    extract(epoch from d.evidence_due_by)::bigint::text))::integer
  from public.disputes d
  where d.is_open and d.status in ('needs_response', 'warning_needs_response')
    and d.evidence_due_by between now() and now() + public.dispute_notice();
$$;

-- Open ones first, by nearest deadline; at most 200.
create function public.list_disputes() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_finance();
  return (select coalesce(jsonb_agg(to_jsonb(page)), '[]') from (
    select d.id, d.order_id, o.buyer_full_name, (d.amount * 100)::bigint as cents, d.currency, d.reason, d.status, d.is_open,
      d.evidence_due_by, d.opened_at,
      d.is_open and d.status in ('needs_response', 'warning_needs_response')
        and d.evidence_due_by < now() + public.dispute_notice() as is_due
    from public.disputes d join public.orders o on o.id = d.order_id
    order by d.is_open desc, d.evidence_due_by, d.id limit 200) as page);
end $$;

-- A dispute that was opened or won: nothing changes here, but the organizers have to answer the provider. A closed dispute raises no
-- alert: a closed inquiry never took money, and reports of its opening may arrive late.
create function public.record_dispute(p_payment_intent_id text, p_dispute_id text, p_status text) returns void
language plpgsql set search_path = '' as $$
declare
  disputed uuid;
begin
  disputed := (public.payment_in_news(p_payment_intent_id, p_dispute_id, 'unknown_dispute', true)).order_id;
  if p_status = 'opened' and exists (select from public.disputes where id = p_dispute_id and not is_open) then return; end if;
  if disputed is not null then
    perform public.notify_organizers('dispute_' || p_status, disputed, p_payment_intent_id, p_dispute_id);
  end if;
end $$;

revoke execute on function public.cut_lines(jsonb, bigint), public.payment_in_news(text, text, text, boolean),
  public.record_provider_refund(text, text, integer, text, text, text), public.book_provider_refund(public.orders, uuid),
  public.book_fee_returned(public.orders, uuid), public.record_dispute(text, text, text), public.is_inquiry(text),
  public.note_dispute(text, text, integer, text, text, text, timestamptz, timestamptz, timestamptz),
  public.dispute_notice(), public.alert_due_disputes() from public, anon, authenticated;
revoke execute on function public.list_disputes() from public, anon;
grant execute on function public.list_disputes() to authenticated;
