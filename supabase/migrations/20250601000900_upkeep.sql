-- Background work: the outbox of mails and calls to the provider, rate limits across all processes, and the deletion of old rows.

create table public.outbox (
  id bigint generated always as identity primary key,
  kind text not null,
  -- Money and mail are drained separately, so that neither waits for the other's provider, and a message to thousands delays
  -- neither. A kind without a lane cannot be written.
  lane text not null generated always as (case
    when kind in ('refund', 'cancel_intent') then 'money'
    when kind in ('order_mail', 'attendee_mail', 'refund_mail', 'void_mail', 'transfer_mail', 'ticket_mail', 'replaced_mail',
      'thanks_mail', 'vendor_decision_mail', 'admin_alert_mail', 'waitlist_mail', 'message_test_mail',
      'second_steps_mail', 'account_deleted_mail', 'staff_invitation_mail') then 'mail'
    when kind = 'message_mails' then 'bulk'
  end) stored,
  payload jsonb not null,
  -- Writing the same work twice does nothing and is not an error.
  dedupe_key text not null unique,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  last_error text,
  done_at timestamptz,
  dead_at timestamptz,
  created_at timestamptz not null default now()
);
-- Money is claimed without delay, however many mails wait.
create index outbox_due on public.outbox (lane, next_attempt_at)
  where done_at is null and dead_at is null;
-- The order's page lists what happened to it.
create index outbox_of_order on public.outbox ((payload ->> 'order_id'));
create index outbox_of_message on public.outbox ((payload ->> 'message_id')) where kind = 'message_mails';
create index outbox_decisions on public.outbox ((payload ->> 'application_id'), id) where kind = 'vendor_decision_mail';

create unlogged table public.rate_limits (
  key text primary key,
  hits timestamptz[] not null,
  updated_at timestamptz not null default now()
);

alter table public.outbox enable row level security;
alter table public.rate_limits enable row level security;
revoke all on public.outbox, public.rate_limits from anon, authenticated;
grant select on public.outbox to authenticated;
create policy "Admins read the outbox" on public.outbox
  for select to authenticated using ((select public.is_admin()));
-- Refunds that ran out of attempts, which finance may retry.
create policy "Finance reads the refunds in the outbox" on public.outbox
  for select to authenticated using (kind = 'refund' and (select public.has_role('finance')));
create policy "Nobody but the service reads rate limits" on public.rate_limits
  for all to anon, authenticated using (false) with check (false);

-- Claims work by moving its next attempt into the future: if a drainer dies, the next one takes over after this lease. An array
-- picks the rows once: as a join, the subquery could run again for each row and exceed its limit. Without a lane, it claims from
-- all lanes.
create function public.claim_outbox(p_limit integer default 20, p_lane text default null)
returns table (id bigint, kind text, payload jsonb, attempts integer)
language sql set search_path = '' set enable_seqscan = off as $$
  update public.outbox o set attempts = o.attempts + 1, next_attempt_at = now() + interval '2 minutes'
  where o.id = any (array(
    select due.id from unnest(case when p_lane is null then array['money', 'mail', 'bulk'] else array[p_lane] end) as lanes (lane)
    cross join lateral (
      select w.id from public.outbox w
      where w.done_at is null and w.dead_at is null and w.next_attempt_at <= now()
        and w.lane = lanes.lane
      order by w.next_attempt_at limit least(p_limit, 100) for update skip locked
    ) as due
    limit least(p_limit, 100)
  ))
  returning o.id, o.kind, o.payload, o.attempts;
$$;

create function public.complete_outbox(p_ids bigint[]) returns void
language sql volatile set search_path = '' set enable_seqscan = off as $$
  update public.outbox set done_at = now(), last_error = null where id = any (p_ids) and done_at is null;
$$;

-- Back-off doubles from 5 s to one hour; after 14 attempts (about 5 hours) the work is dead, which the back office shows.
create function public.fail_outbox(p_id bigint, p_error text) returns void
language plpgsql volatile set search_path = '' set enable_seqscan = off as $$
declare
  failed public.outbox;
begin
  update public.outbox
    set last_error = left(p_error, 2000),
      next_attempt_at = now() + least(interval '5 seconds' * power(2, attempts - 1), interval '1 hour'),
      dead_at = case when attempts >= 14 then now() end
    where id = p_id and done_at is null and dead_at is null
    returning * into failed;
  if failed.dead_at is not null then
    insert into public.audit_logs (action_type, table_name, record_id, new_values)
      values ('CRITICAL_OUTBOX_DEAD', 'outbox', failed.id::text,
        jsonb_build_object('kind', failed.kind, 'error', failed.last_error));
    if failed.kind = 'refund' then
      perform public.queue_mails_instead(r) from public.refunds r where r.id = (failed.payload ->> 'refund_id')::uuid;
      -- As in mark_refund.
      update public.orders set acknowledged_at = null where id = (failed.payload ->> 'order_id')::uuid and acknowledged_at is not null;
    end if;
  end if;
end $$;

-- What the mails of these orders show, and no more: whole rows as JSON took three times as long.
create function public.orders_to_mail(p_order_ids uuid[]) returns setof jsonb
language sql stable set search_path = '' set enable_seqscan = off as $$
  select jsonb_build_object('id', o.id, 'user_id', o.user_id, 'status', o.status, 'channel', o.channel,
    'buyer_full_name', o.buyer_full_name, 'buyer_email', o.buyer_email, 'total_amount', o.total_amount,
    'discount_amount', o.discount_amount, 'promo_code', o.promo_code,
    'fee_amount', o.fee_amount, 'fee_name', o.fee_name, 'fee_refunded', o.fee_refunded,
    'order_items', (
      select coalesce(jsonb_agg(jsonb_build_object('name', i.name, 'quantity', i.quantity, 'unit_price', i.unit_price,
        'included', i.included, 'refunded', i.refunded, 'refunded_amount', i.refunded_amount) order by i.position), '[]')
      from public.order_items i where i.order_id = o.id),
    'codes', (
      select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'user_id', c.user_id, 'product_id', c.product_id,
        'issue_number', c.issue_number, 'transferred_issue', c.transferred_issue, 'voided_at', c.voided_at,
        'attendee_name', c.attendee_name, 'attendee_email', c.attendee_email,
        'qr_code_data', c.qr_code_data, 'qr_code_url', c.qr_code_url,
        'products', jsonb_build_object('name', p.name), 'product_kinds', to_jsonb(k)) order by k.position, i.position, c.position), '[]')
      from public.entry_codes c join public.order_items i on i.id = c.order_item_id
        join public.products p on p.id = c.product_id join public.product_kinds k on k.kind = c.kind
      where c.order_id = o.id and c.voided_at is null))
  from public.orders o where o.id = any (p_order_ids)
$$;

-- A sliding window: at most p_limit calls within the last p_window_seconds, across all server processes. Calls with the same key are
-- counted one after another: each waits for the row of the one before.
create function public.consume_rate_limit(p_key text, p_limit integer, p_window_seconds integer) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  at constant timestamptz := clock_timestamp();
  allowed boolean;
begin
  insert into public.rate_limits as r (key, hits) values (p_key, array[at])
    on conflict (key) do update set updated_at = now(), hits = (
      select coalesce(array_agg(hit order by hit), '{}') || case when count(*) < p_limit then array[at] else '{}' end
      from unnest(r.hits) as hit where hit > at - make_interval(secs => p_window_seconds))
    returning at = any (hits) into allowed;
  return allowed;
end $$;

-- At most p_limit different subjects in the window; an allowed subject may come again (retries of one payment).
create function public.consume_subject_limit(p_key text, p_subject text, p_limit integer, p_window_seconds integer)
returns boolean language plpgsql volatile set search_path = '' as $$
declare
  most_retries constant integer := 20;
begin
  -- Calls with one key check and count one after another: ten at once with a new subject count as one subject.
  perform pg_advisory_xact_lock(hashtextextended('subjects of ' || p_key, 0));
  if exists (select from public.rate_limits where key = p_key || ':' || p_subject
      and updated_at > clock_timestamp() - make_interval(secs => p_window_seconds)) then
    return public.consume_rate_limit(p_key || ':' || p_subject, most_retries, p_window_seconds);
  end if;
  return public.consume_rate_limit(p_key, p_limit, p_window_seconds)
    and public.consume_rate_limit(p_key || ':' || p_subject, most_retries, p_window_seconds);
end $$;

-- The same for many callers at once: [{key, subject, limit, window_seconds}]. Answers in their order. Counted in the order of their
-- keys, so that two batches do not wait for each other.
create function public.consume_subject_limits(p_asked jsonb) returns jsonb
language sql volatile set search_path = '' as $$
  select jsonb_agg(allowed order by n) from (
    select n, public.consume_subject_limit(key, subject, "limit", window_seconds) as allowed from (
      select * from rows from (jsonb_to_recordset(p_asked) as (key text, subject text, "limit" integer, window_seconds integer))
        with ordinality as asked (key, subject, "limit", window_seconds, n) order by key offset 0
    ) as sorted offset 0
  ) as counted
$$;

-- The same for one person: by account, and by address, which stays theirs when they delete the account and sign up again.
create function public.consume_person_limit(p_key text, p_user_id uuid, p_limit integer, p_window_seconds integer) returns boolean
language sql volatile set search_path = '' as $$
  select bool_and(public.consume_rate_limit(p_key || ':' || person, p_limit, p_window_seconds))
  from unnest(array[p_user_id::text, encode(public.address_hash(public.mail_of(p_user_id)), 'hex')]) as person where person is not null
$$;

-- Deletes in small batches, so that no sale waits for it; returns how many rows were deleted, so that the caller knows when it is
-- done. An order keeps its idempotency key: it is a random number, and reserve_orders checks its age.
create function public.clean_up(p_limit integer default 500) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  gone integer;
  total integer := 0;
begin
  delete from public.rate_limits where ctid = any (array(
    select ctid from public.rate_limits where updated_at < now() - interval '1 day' limit p_limit for update skip locked));
  get diagnostics gone = row_count; total := total + gone;
  delete from public.outbox where ctid = any (array(
    select ctid from public.outbox where done_at < now() - interval '30 days'
      or (dead_at < now() - interval '30 days' and lane <> 'money') limit p_limit for update skip locked));
  get diagnostics gone = row_count; total := total + gone;
  delete from public.visit_sources where ctid = any (array(
    select ctid from public.visit_sources where hour < now() - interval '2 hours' limit p_limit for update skip locked));
  get diagnostics gone = row_count; total := total + gone;
  delete from public.site_visits where ctid = any (array(
    select ctid from public.site_visits where created_at < now() - interval '90 days' limit p_limit for update skip locked));
  get diagnostics gone = row_count; total := total + gone;
  delete from public.order_addresses where ctid = any (array(
    select ctid from public.order_addresses where placed_at < now() - interval '2 days' limit p_limit for update skip locked));
  get diagnostics gone = row_count; total := total + gone;
  delete from public.card_declines where ctid = any (array(
    select ctid from public.card_declines where declined_at < now() - interval '2 days' limit p_limit for update skip locked));
  get diagnostics gone = row_count; total := total + gone;
  delete from public.gate_refusals where ctid = any (array(
    select ctid from public.gate_refusals where received_at < now() - interval '30 days' limit p_limit for update skip locked));
  get diagnostics gone = row_count; total := total + gone;
  return total + public.expire_transfers(p_limit) + public.remove_device_accounts(p_limit)
    + public.forget_deleted_buyers(p_limit);
end $$;

revoke execute on function public.consume_rate_limit(text, integer, integer),
  public.consume_subject_limit(text, text, integer, integer), public.consume_subject_limits(jsonb), public.consume_person_limit(text, uuid, integer, integer),
  public.claim_outbox(integer, text), public.complete_outbox(bigint[]),
  public.fail_outbox(bigint, text), public.orders_to_mail(uuid[]), public.clean_up(integer) from public, anon, authenticated;
