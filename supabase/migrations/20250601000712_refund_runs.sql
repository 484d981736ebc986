-- Refunds of many orders at once. A run is a row: which orders it covers, how far it is, and whether it was stopped. The job that
-- drains the outbox decides one order per call (advance_refund_run), each in its own transaction, so that a run survives a
-- crash, returns no money twice, and holds no lock that a sale waits for.

create table public.refund_runs (
  id uuid primary key default gen_random_uuid(),
  -- {status, item_id, tag, placed_from, placed_to, order_ids}, all optional: run_orders.
  filter jsonb not null check (jsonb_typeof(filter) = 'object'),
  reason text not null,
  note text check (length(note) between 1 and 500),
  state text not null default 'running' check (state in ('running', 'stopped', 'done')),
  started_by uuid references auth.users (id) on delete set null,
  -- Orders paid or tagged later are not part of it. The moment the orders were counted, not when the transaction began: it may have
  -- waited for payments that have been counted.
  started_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  -- The orders and money it was started for.
  orders_found integer not null,
  cents_found bigint not null,
  -- What it has decided so far. A skipped order could no longer be refunded: refund_run_skips has the reason.
  orders_refunded integer not null default 0,
  cents_refunded bigint not null default 0,
  orders_skipped integer not null default 0,
  -- How often the next order has failed.
  tries integer not null default 0,
  -- The last order that was decided.
  cursor_at timestamptz,
  cursor_id uuid,
  -- Refunds that had failed by then are requested again, in the order of their ids.
  retry_before timestamptz,
  retry_cursor uuid,
  constraint refund_runs_done_when check ((state = 'done') = (finished_at is not null))
);
create index refund_runs_newest on public.refund_runs (started_at desc, id);
create index refund_runs_running on public.refund_runs (started_at) where state = 'running';
create trigger refund_runs_touch before update on public.refund_runs
  for each row execute function public.touch_updated_at();
create trigger refund_runs_audit_start after insert on public.refund_runs
  for each row execute function public.audit_change();
create trigger refund_runs_audit_state after update on public.refund_runs
  for each row when ((old.state, old.retry_before) is distinct from (new.state, new.retry_before))
  execute function public.audit_change();

create table public.refund_run_skips (
  run_id uuid not null references public.refund_runs (id) on delete cascade,
  order_id uuid not null references public.orders (id),
  message text not null,
  skipped_at timestamptz not null default now(),
  primary key (run_id, order_id)
);

alter table public.refunds add constraint refunds_run foreign key (run_id) references public.refund_runs (id);
create index refunds_of_run on public.refunds (run_id, status, id, created_at) include (amount) where run_id is not null;

alter table public.refund_runs enable row level security;
alter table public.refund_run_skips enable row level security;
revoke all on public.refund_runs, public.refund_run_skips from anon, authenticated;
grant select on public.refund_runs, public.refund_run_skips to authenticated;
create policy "Admins and finance read the refund runs" on public.refund_runs
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Admins and finance read what refund runs skipped" on public.refund_run_skips
  for select to authenticated using ((select public.has_role('admin', 'finance')));

-- ── Which orders a run covers ──────────────────────────────────────────────────────────────────────────────────────

create function public.check_run_filter(p_filter jsonb) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if p_filter is null or jsonb_typeof(p_filter) <> 'object'
    or exists (select from jsonb_object_keys(p_filter) as k where k not in ('status', 'item_id', 'tag', 'placed_from', 'placed_to', 'order_ids'))
    or jsonb_typeof(coalesce(p_filter -> 'order_ids', '[]')) <> 'array'
    or jsonb_array_length(coalesce(p_filter -> 'order_ids', '[]')) > 10000 then
    raise exception 'This choice of orders is not valid.' using errcode = '22023';
  end if;
end $$;

-- Orders of the online shop that were paid by then and match, newest first, after the last one decided. Days are the festival's. A run
-- asks this until its end: an order that was paid or tagged since was not in the preview that was agreed to.
create function public.run_orders(p_filter jsonb, p_before timestamptz, p_limit integer, p_after_at timestamptz default null,
  p_after_id uuid default null) returns setof public.orders
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  ids constant uuid[] := array(select jsonb_array_elements_text(p_filter -> 'order_ids')::uuid);
  placed_from constant timestamptz := (p_filter ->> 'placed_from')::date::timestamp at time zone 'America/Chicago';
  placed_to constant timestamptz := ((p_filter ->> 'placed_to')::date + 1)::timestamp at time zone 'America/Chicago';
begin
  return query select o.* from public.orders o
    where o.status in ('confirmed', 'completed') and o.channel = 'online' and o.total_amount > 0 and o.created_at < p_before
      and o.confirmed_at < p_before
      and (p_filter ->> 'status' is null or o.status = p_filter ->> 'status')
      and (p_filter -> 'order_ids' is null or o.id = any (ids))
      and (p_filter ->> 'tag' is null or o.id in (select g.order_id from public.order_tags g where g.tag = p_filter ->> 'tag'
        and g.created_at < p_before))
      and (placed_from is null or o.created_at >= placed_from) and (placed_to is null or o.created_at < placed_to)
      and (p_filter ->> 'item_id' is null or exists (select from public.order_items i where i.order_id = o.id
        and i.refunded < i.quantity and (p_filter ->> 'item_id')::uuid = i.product_id))
      and (p_after_id is null or (o.created_at <= p_after_at and (o.created_at < p_after_at or o.id > p_after_id)))
    order by o.created_at desc, o.id limit p_limit;
end $$;

-- In cents: what an ending order returns of its payment. A kept fee is not returned; neither is anything if a bank took all of it
-- while a refund was under way (see take_back).
create function public.left_of_payment(p_order public.orders, p_paid numeric, p_given numeric) returns bigint language sql immutable
return greatest(0, 100 * (p_paid - coalesce(p_given, 0)
  - case when p_order.fee_is_refunded then 0 else p_order.fee_amount - p_order.fee_refunded end))::bigint;

-- The number of orders, what is left of their payments, and how many of these are in an open dispute.
create function public.run_sums(p_filter jsonb, out orders integer, out cents bigint, out disputed integer)
language sql stable set search_path = '' as $$
  select count(*)::integer, coalesce(sum(public.left_of_payment(o, p.amount, g.given)), 0)::bigint,
    count(*) filter (where o.id in (select d.order_id from public.disputes d where d.is_open))::integer
  from public.run_orders(p_filter, clock_timestamp(), null) as o
  join public.payments p on p.payment_intent_id = o.payment_intent_id
  left join (select payment_intent_id, sum(amount) as given from public.refunds where status <> 'failed' group by 1) as g
    on g.payment_intent_id = p.payment_intent_id;
$$;

-- What a run with this filter would do: {orders, cents, disputed, inside, rows}, with a page of the orders and how many of the guests were let in. Door sales and comps match no run.
create function public.preview_refund_run(p_filter jsonb, page_size integer default 25, p_after_at timestamptz default null,
  p_after_id uuid default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  listed jsonb;
begin
  perform public.require_finance();
  perform public.check_run_filter(p_filter);
  select coalesce(jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id), '[]') into listed from (
    select o.id, o.buyer_full_name, o.buyer_email, o.status, o.created_at, public.left_of_payment(o, p.amount, (select sum(r.amount)
        from public.refunds r where r.payment_intent_id = p.payment_intent_id and r.status <> 'failed')) as cents,
      (select coalesce(string_agg(i.quantity - i.refunded || ' × ' || i.name, ', ' order by i.position), '')
        from public.order_items i where i.order_id = o.id and i.refunded < i.quantity) as items,
      exists (select from public.disputes d where d.order_id = o.id and d.is_open) as is_disputed
    from public.run_orders(p_filter, clock_timestamp(), least(greatest(page_size, 1), 100), p_after_at, p_after_id) as o
    join public.payments p on p.payment_intent_id = o.payment_intent_id) as page;
  return (select jsonb_build_object('orders', s.orders, 'cents', s.cents, 'disputed', s.disputed, 'rows', listed, 'inside', (
      select count(*) from public.tickets t where t.is_checked_in and t.voided_at is null
        and t.order_id in (select o.id from public.run_orders(p_filter, clock_timestamp(), null) as o)))
    from public.run_sums(p_filter) as s);
end $$;

-- ── The course of a run ────────────────────────────────────────────────────────────────────────────────────────────

-- Starts a run; the calling function checks the user's rights. {order_ids} for buyers who asked, {} for everybody.
create function public.open_refund_run(p_filter jsonb, p_reason text, p_note text default null, p_id uuid default gen_random_uuid())
  returns uuid
language plpgsql set search_path = '' as $$
declare
  opened uuid;
begin
  perform public.check_run_filter(p_filter);
  perform public.require_refund_reason(p_reason, p_note);
  insert into public.refund_runs (id, filter, reason, note, started_by, orders_found, cents_found)
    select p_id, p_filter, p_reason, nullif(btrim(p_note), ''), auth.uid(), orders, cents from public.run_sums(p_filter) where orders > 0
    returning id into opened;
  if opened is null then raise exception 'No paid order matches this choice.' using errcode = '23514'; end if;
  return opened;
end $$;

-- p_orders and p_cents are what the preview showed: the person who starts a run agreed to these and no others. p_id comes from the
-- browser: sent again after a lost answer, or pressed twice, it starts one run.
create function public.start_refund_run(p_id uuid, p_filter jsonb, p_reason text, p_note text, p_orders integer, p_cents bigint) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  now_found record;
begin
  perform public.require_finance();
  perform public.check_run_filter(p_filter);
  if p_id is null then raise exception 'A refund run needs an ID.' using errcode = '22023'; end if;
  perform pg_advisory_xact_lock(hashtextextended('refund run', 0));
  if exists (select from public.refund_runs where id = p_id and (filter, reason) = (p_filter, p_reason)) then return p_id; end if;
  if exists (select from public.refund_runs where id = p_id) then
    raise exception 'This run was already started for other orders. Check the list of runs.' using errcode = 'PT409';
  elsif exists (select from public.refund_runs where state = 'running' and filter = p_filter) then
    raise exception 'A run for the same orders is in progress. Check the list of runs.' using errcode = 'PT409';
  end if;
  select * into now_found from public.run_sums(p_filter);
  if (now_found.orders, now_found.cents) is distinct from (p_orders, p_cents) then
    raise exception 'The selection is now % orders and $%. Check it again.', now_found.orders,
      (now_found.cents / 100.0)::numeric(14, 2) using errcode = 'PT409';
  end if;
  return public.open_refund_run(p_filter, p_reason, p_note, p_id);
end $$;

-- p_action: stop, resume, or retry (request again what the provider has refused so far).
create function public.steer_refund_run(p_run_id uuid, p_action text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  run public.refund_runs;
begin
  perform public.require_finance();
  select * into run from public.refund_runs where id = p_run_id for no key update;
  if not found then raise exception 'This refund run does not exist.' using errcode = 'PT404'; end if;
  if p_action = 'stop' and run.state = 'running' then
    update public.refund_runs set state = 'stopped' where id = run.id;
  elsif p_action = 'resume' and run.state = 'stopped' then
    update public.refund_runs set state = 'running' where id = run.id;
  elsif p_action = 'retry' and run.state <> 'stopped' and run.retry_before is null then
    update public.refund_runs set state = 'running', finished_at = null, retry_before = now(), retry_cursor = null where id = run.id;
  else
    raise exception 'The run is % now.', run.state using errcode = '23514';
  end if;
end $$;

-- Handles the next order of the oldest run under way, or requests the next of its failed refunds again: one per call. False when
-- there is nothing to do, or another process is doing it.
create function public.advance_refund_run() returns boolean
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  run public.refund_runs;
begin
  select * into run from public.refund_runs where state = 'running' order by started_at limit 1 for no key update skip locked;
  if not found then return false; end if;
  if run.retry_before is not null then
    perform public.retry_of_run(run);
  else
    perform public.refund_of_run(run);
  end if;
  return true;
end $$;

create function public.refund_of_run(p_run public.refund_runs) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  o public.orders;
  cents integer;
  refused text;
begin
  select * into o from public.run_orders(p_run.filter, p_run.started_at, 1, p_run.cursor_at, p_run.cursor_id);
  if not found then
    -- Move the cursor past every order, so that a retry after the end handles no order that has come to match since.
    update public.refund_runs set state = 'done', finished_at = now(), tries = 0, cursor_at = '-infinity',
        cursor_id = coalesce(cursor_id, id)
      where id = p_run.id;
    return;
  end if;
  begin
    cents := public.take_back(o.id, null, null, p_run.reason, p_run.note, p_run.id) -> 'refunded_cents';
  exception when check_violation then
    get stacked diagnostics refused = message_text;
    insert into public.refund_run_skips (run_id, order_id, message) values (p_run.id, o.id, refused) on conflict do nothing;
  end;
  update public.refund_runs set cursor_at = o.created_at, cursor_id = o.id, tries = 0,
      orders_refunded = orders_refunded + (refused is null)::integer, orders_skipped = orders_skipped + (refused is not null)::integer,
      cents_refunded = cents_refunded + coalesce(cents, 0)
    where id = p_run.id;
end $$;

create type public.stuck_refund as (refund public.refunds, message text);

-- Refunds of a run whose money only goes back if somebody asks again, and why: the provider refused it, or every attempt failed.
create function public.stuck_refunds(p_run_id uuid) returns setof public.stuck_refund
language plpgsql stable set search_path = '' set enable_seqscan = off as $$
begin
  return query select r, coalesce(r.failure_message, 'The provider gave no reason.') from public.refunds r
      where r.run_id = p_run_id and r.status = 'failed' and not exists (select from public.refunds a where a.retry_of = r.id)
        and public.is_owed(r)
    union all select r, w.last_error from public.refunds r join public.outbox w on w.dedupe_key = 'refund:' || r.id
      where r.run_id = p_run_id and r.status = 'pending' and w.dead_at is not null;
end $$;

-- The next of them after the cursor. Each step reads on in refunds_of_run, and looks at nothing that it has passed or requested: with
-- the status as a literal, the planner would read all that is pending.
create function public.next_retry(p_run public.refund_runs) returns setof public.refunds
language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  passed constant uuid := coalesce(p_run.retry_cursor, '00000000-0000-0000-0000-000000000000');
begin
  return query select next.* from unnest(array['failed', 'pending']) as state cross join lateral (
      select r.* from public.refunds r
        where r.run_id = p_run.id and r.status = state and r.id > passed and r.created_at < p_run.retry_before
          and case state when 'failed' then public.is_owed(r)
            else exists (select from public.outbox w where w.dedupe_key = 'refund:' || r.id and w.dead_at is not null) end
        order by r.id limit 1) as next
    order by next.id limit 1;
end $$;

create function public.retry_of_run(p_run public.refund_runs) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  r public.refunds;
begin
  select * into r from public.next_retry(p_run);
  if not found then
    update public.refund_runs set retry_before = null, retry_cursor = null, tries = 0 where id = p_run.id;
    return;
  end if;
  begin
    perform public.ask_again(r.id);
  exception when check_violation then null; -- returned some other way since
  end;
  update public.refund_runs set retry_cursor = r.id, tries = 0 where id = p_run.id;
end $$;

-- advance_refund_run failed with an unexpected error. After five failures, the order is skipped and the run continues.
create function public.refund_run_failed(p_error text) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  run public.refund_runs;
  failed_order uuid;
begin
  update public.refund_runs set tries = tries + 1
    where id = (select id from public.refund_runs where state = 'running' order by started_at limit 1 for no key update skip locked)
    returning * into run;
  if not found or run.tries < 5 then return; end if;
  if run.retry_before is not null then
    update public.refund_runs set tries = 0, retry_cursor = r.id from public.next_retry(run) as r where refund_runs.id = run.id
      returning r.order_id into failed_order;
  else
    update public.refund_runs set tries = 0, cursor_at = o.created_at, cursor_id = o.id, orders_skipped = orders_skipped + 1
      from public.run_orders(run.filter, run.started_at, 1, run.cursor_at, run.cursor_id) as o where refund_runs.id = run.id
      returning o.id into failed_order;
  end if;
  insert into public.refund_run_skips (run_id, order_id, message)
    select run.id, failed_order, left('Failed five times: ' || p_error, 500) where failed_order is not null on conflict do nothing;
end $$;

-- ── What the back office shows of runs ─────────────────────────────────────────────────────────────────────────────

-- A run with the provider's outcome of its refunds; a refund that was requested again counts as its retry. refused: what is stuck.
create function public.run_progress(p_run public.refund_runs, p_stuck public.stuck_refund[]) returns jsonb
language sql stable set search_path = '' set enable_seqscan = off as $$
  select to_jsonb(p_run) - 'tries' - 'cursor_at' - 'cursor_id' - 'retry_cursor' || jsonb_build_object(
    'started_by_email', (select u.email from auth.users u where u.id = p_run.started_by),
    'returned', given.refunds, 'returned_cents', given.cents, 'under_way', given.pending - stuck.pending,
    'refused', stuck.refunds, 'refused_cents', stuck.cents)
  from (select count(*) filter (where status = 'succeeded') as refunds, count(*) filter (where status = 'pending') as pending,
      coalesce(sum(amount * 100) filter (where status = 'succeeded'), 0)::bigint as cents
    from public.refunds where run_id = p_run.id) as given,
  (select count(*) as refunds, count(*) filter (where (refund).status = 'pending') as pending,
      coalesce(sum((refund).amount * 100), 0)::bigint as cents
    from unnest(p_stuck)) as stuck;
$$;

create function public.list_refund_runs() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_finance();
  return (select coalesce(jsonb_agg(public.run_progress(run, array(select s from public.stuck_refunds(run.id) as s)) order by run.started_at desc, run.id), '[]')
    from (select * from public.refund_runs order by started_at desc, id limit 20) as newest
    join public.refund_runs run using (id));
end $$;

-- Null if there is no such run. problems: what is stuck and what was skipped, at most 500 of each.
create function public.get_refund_run(p_run_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set enable_seqscan = off as $$
declare
  stuck constant public.stuck_refund[] := array(select s from public.stuck_refunds(p_run_id) as s);
begin
  perform public.require_finance();
  return (select public.run_progress(run, stuck) || jsonb_build_object('problems', (
      select coalesce(jsonb_agg(to_jsonb(p) order by p.at, p.order_id), '[]') from (
        (select o.id as order_id, o.buyer_full_name, ((s.refund).amount * 100)::bigint as cents, (s.refund).updated_at as at,
            true as refused, s.message
          from unnest(stuck) as s join public.orders o on o.id = (s.refund).order_id
          order by (s.refund).id limit 500)
        union all (select s.order_id, o.buyer_full_name, null, s.skipped_at, false, s.message
          from public.refund_run_skips s join public.orders o on o.id = s.order_id where s.run_id = run.id limit 500)) as p))
    from public.refund_runs run where run.id = p_run_id);
end $$;

revoke execute on function public.left_of_payment(public.orders, numeric, numeric), public.check_run_filter(jsonb), public.run_orders(jsonb, timestamptz, integer, timestamptz, uuid),
  public.run_sums(jsonb), public.open_refund_run(jsonb, text, text, uuid), public.advance_refund_run(),
  public.refund_of_run(public.refund_runs), public.stuck_refunds(uuid), public.next_retry(public.refund_runs), public.retry_of_run(public.refund_runs),
  public.refund_run_failed(text), public.run_progress(public.refund_runs, public.stuck_refund[])
  from public, anon, authenticated;
revoke execute on function public.preview_refund_run(jsonb, integer, timestamptz, uuid),
  public.start_refund_run(uuid, jsonb, text, text, integer, bigint), public.steer_refund_run(uuid, text), public.list_refund_runs(),
  public.get_refund_run(uuid) from public, anon;
grant execute on function public.preview_refund_run(jsonb, integer, timestamptz, uuid),
  public.start_refund_run(uuid, jsonb, text, text, integer, bigint), public.steer_refund_run(uuid, text), public.list_refund_runs(),
  public.get_refund_run(uuid) to authenticated;
