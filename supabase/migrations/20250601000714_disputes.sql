-- Disputes: money that a buyer's bank holds back until the organiser has answered. One row each, as the provider last reported it;
-- record_dispute and record_provider_refund handle the consequences.

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
  updated_at timestamptz not null default now(),
  is_open boolean not null generated always as (status not in ('won', 'lost', 'warning_closed', 'prevented')) stored
);
create index disputes_by_deadline on public.disputes (is_open desc, evidence_due_by, id);
create index disputes_of_payment on public.disputes (payment_intent_id);

alter table public.disputes enable row level security;
revoke all on public.disputes from anon, authenticated;
grant select on public.disputes to authenticated;
create policy "Admins and finance read the disputes" on public.disputes
  for select to authenticated using ((select public.has_role('admin', 'finance')));

-- Events arrive late and in any order: an ended dispute stays ended. A dispute of a payment that is not ours changes nothing.
create function public.note_dispute(p_dispute_id text, p_payment_intent_id text, p_cents integer, p_currency text, p_reason text,
  p_status text, p_evidence_due_by timestamptz, p_opened_at timestamptz) returns void
language sql volatile set search_path = '' set enable_seqscan = off as $$
  insert into public.disputes as d (id, payment_intent_id, order_id, amount, currency, reason, status, evidence_due_by, opened_at)
    select p_dispute_id, p.payment_intent_id, p.order_id, p_cents / 100.0, p_currency, p_reason, p_status, p_evidence_due_by, p_opened_at
    from public.payments p where p.payment_intent_id = p_payment_intent_id
  on conflict (id) do update set amount = excluded.amount, reason = excluded.reason, status = excluded.status,
      evidence_due_by = coalesce(excluded.evidence_due_by, d.evidence_due_by), updated_at = now()
    where d.is_open;
$$;

create function public.dispute_notice() returns interval
language sql immutable set search_path = '' as $$ select interval '3 days' $$;

-- Alerts the organisers once about each open dispute whose deadline is near. Called by a job.
create function public.alert_due_disputes() returns integer
language sql volatile set search_path = '' as $$
  select count(public.notify_organisers('dispute_due', d.order_id, d.payment_intent_id, d.id))::integer
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

revoke execute on function public.note_dispute(text, text, integer, text, text, text, timestamptz, timestamptz),
  public.dispute_notice(), public.alert_due_disputes() from public, anon, authenticated;
revoke execute on function public.list_disputes() from public, anon;
grant execute on function public.list_disputes() to authenticated;
