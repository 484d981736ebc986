-- The waiting room works for a crowd that is there before any statistics of it are. Its functions (000920, 000980) were planned
-- while the line was short, and joined many people with many places row by row: seconds for a call at 5,000 places,
-- and where the renewal was planned from the wrong end, for ever; an order walked the whole line. A place is now looked up by
-- its holder, its id or an array of numbers, fenced (`offset 0`) from conditions that another index promises to know, and
-- what is left to join is hashed.

-- A refusal costs a server half of what an order does, so a few seconds more of queue serve more people than a line.
alter table public.shop_settings alter waiting_room_seconds set default 5;
update public.shop_settings set waiting_room_seconds = 5 where waiting_room_seconds = 3;

create or replace function public.advance_waiting_room() returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  moment constant timestamptz := clock_timestamp();
  admission constant interval := '10 minutes';  -- to sign in, fill in the attendees and order
  room public.waiting_room;
  load record;
  elapsed double precision;
  free integer;
  admitted integer := 0;
begin
  select * into room from public.waiting_room for update skip locked;
  if not found then return; end if;
  select * into load from public.sale_load();
  if room.opened_at is null then
    if load.under_way > load.most then
      update public.waiting_room
        set opened_at = moment, advanced_at = moment, admitted_per_second = load.per_second;
    end if;
    return;
  end if;

  elapsed := extract(epoch from moment - room.advanced_at);
  if elapsed < 0.4 then return; end if;
  delete from public.waiting_places where kept_until <= moment;
  delete from public.sale_pace where reported_at < moment - interval '1 minute';
  -- Two thirds of what would open the room are under way or about to be. Who was let in needs a moment to come, and some
  -- never do: for three seconds each counts half. (000980 let in at the pace of the sale and forgot them at once: waves.)
  free := floor(load.most * 2 / 3 - load.under_way
    - (select count(*) from public.waiting_places where spent_at is null and admitted_at > moment - interval '3 seconds') / 2.0);
  if free > 0 then
    update public.waiting_places set admitted_at = moment, kept_until = moment + admission
      where number = any (array(
        select number from public.waiting_places
        where admitted_at is null and spent_at is null and present_until > moment order by number limit free));
    get diagnostics admitted = row_count;
  end if;
  update public.waiting_room set advanced_at = moment,
    admitted_per_second = room.admitted_per_second
      + (admitted / elapsed - room.admitted_per_second) * (1 - exp(-elapsed / 15)),
    opened_at = case when load.under_way > load.most / 2 or exists (
        select from public.waiting_places where admitted_at is null and spent_at is null and present_until > moment)
      then room.opened_at end;
end $$;

create or replace function public.seat_newcomers(visits jsonb, keeping interval) returns void
language plpgsql set search_path = '' set enable_seqscan = off set enable_nestloop = off as $$
declare
  moment timestamptz := clock_timestamp();
  v record;
  own public.waiting_places;
  shown public.waiting_places;
begin
  if not exists (
    select from jsonb_to_recordset(visits) as n (place uuid, user_id uuid, visitor text)
    where not exists (select from public.waiting_places p
      where p.holder = coalesce(n.user_id::text, n.visitor) and p.spent_at is null and p.kept_until > moment
        and (n.place is null or p.id = n.place) offset 0)
  ) then return; end if;
  -- One call after the other: numbers follow arrival over all processes, and nobody gets two.
  perform pg_advisory_xact_lock(hashtextextended('waiting room', 0));
  moment := clock_timestamp();

  for v in
    select * from jsonb_to_recordset(visits) as n (place uuid, user_id uuid, visitor text)
    where user_id is not null
      and exists (select from public.waiting_places p where p.id = n.place and p.user_id is null offset 0)
  loop
    select * into own from public.waiting_places
      where holder = v.user_id::text and spent_at is null and kept_until > moment;
    select * into shown from public.waiting_places where id = v.place for update;
    continue when (shown.user_id is null and shown.visitor = v.visitor and shown.spent_at is null
      and shown.kept_until > moment) is not true;
    -- Of two places a buyer keeps the better one.
    if (own.admitted_at is null, own.number) < (shown.admitted_at is null, shown.number) then
      delete from public.waiting_places where id = shown.id;
    else
      delete from public.waiting_places where holder = v.user_id::text and spent_at is null;
      update public.waiting_places set user_id = v.user_id where id = shown.id;
    end if;
  end loop;

  delete from public.waiting_places
    where spent_at is null and kept_until <= moment and holder = any (array(
      select coalesce(n.user_id::text, n.visitor) from jsonb_to_recordset(visits) as n (user_id uuid, visitor text)));
  insert into public.waiting_places (user_id, visitor, address, present_until, kept_until)
    select user_id, case when user_id is null then visitor end, address, moment, moment + keeping
    from (
      select first.*, row_number() over (partition by address, user_id is null order by n) as nth
      from (
        select distinct on (coalesce(user_id::text, visitor)) user_id, visitor, address, n
        from rows from (jsonb_to_recordset(visits) as (place uuid, user_id uuid, visitor text, address text))
          with ordinality as n (place, user_id, visitor, address, n)
        where place is null and not exists (select from public.waiting_places p
          where p.holder = coalesce(n.user_id::text, n.visitor) and p.spent_at is null offset 0)
        order by coalesce(user_id::text, visitor), n
      ) as first
    ) as newcomer
    left join (
      select address, count(*) as people from public.waiting_places
      where user_id is null and spent_at is null and present_until > moment
        and address = any (array(select n.address from jsonb_to_recordset(visits) as n (address text)))
      group by address
    ) as seated using (address)
    -- A crowd behind one address may wait without accounts, a flood may not: as many as it may place orders in a minute.
    where user_id is not null
      or nth + coalesce(people, 0) <= (select max_orders_per_address from public.shop_settings)
    order by n;
end $$;

create or replace function public.visit_waiting_room(visits jsonb, pace jsonb default null) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off set enable_nestloop = off as $$
declare
  -- Who is far back asks every 20 seconds, who is near the front every 2. A tunnel, a phone in a pocket and the time it
  -- takes to sign in lose no place.
  grace constant interval := '15 seconds';
  keeping constant interval := '15 minutes';
  moment timestamptz;
  room public.waiting_room;
  excused boolean[];
  waiting jsonb;  -- the visits of all others
  answers jsonb;
begin
  if pace is not null then
    insert into public.sale_pace as s (process, under_way, per_second)
      values ((pace ->> 'process')::uuid, (pace ->> 'under_way')::integer, (pace ->> 'per_second')::double precision)
      on conflict (process) do update
        set under_way = excluded.under_way, per_second = excluded.per_second, reported_at = clock_timestamp();
  end if;
  select * into strict room from public.waiting_room;
  if room.opened_at is null then
    perform public.advance_waiting_room();
    select * into strict room from public.waiting_room;
  end if;
  if room.opened_at is not null then
    select array_agg(needless order by n), coalesce(jsonb_agg(value order by n) filter (where not needless), '[]')
      into excused, waiting
      from jsonb_array_elements(visits) with ordinality as v (value, n)
      cross join lateral (select value ->> 'key' is not null
        and public.needs_no_turn((value ->> 'user_id')::uuid, value ->> 'key') as needless) as e;
    perform public.seat_newcomers(waiting, keeping);
    perform public.advance_waiting_room();
    select * into strict room from public.waiting_room;
  end if;
  if room.opened_at is null then return '{"open": false, "answers": []}'; end if;

  moment := clock_timestamp();
  with visit as materialized (
    select n.n, n.place as shown, p.*
    from rows from (jsonb_to_recordset(waiting) as (place uuid, user_id uuid, visitor text))
      with ordinality as n (place, user_id, visitor, n)
    left join lateral (
      select number, id, user_id is not null as bound, admitted_at from public.waiting_places
      where holder = coalesce(n.user_id::text, n.visitor) and spent_at is null and kept_until > moment
        -- An account has one place, whichever it shows.
        and (n.user_id is not null or n.place is null or id = n.place)
      offset 0
    ) as p on true
  ), line as materialized (
    select number, row_number() over (order by number) - 1 as ahead from public.waiting_places
    where admitted_at is null and spent_at is null
      and (present_until > moment or number in (select number from visit))
      and exists (select from visit where number is not null and admitted_at is null)
  ), told as materialized (
    select visit.*, ahead, estimate, least(20, greatest(2, ceil(estimate * 0.7)))::integer as poll_after
    from visit left join line using (number)
    cross join lateral (
      select least(86400, ceil((ahead + 1) / greatest(room.admitted_per_second, 0.01)))::integer as estimate) as e
  ), renewed as (
    update public.waiting_places p
      set present_until = moment + make_interval(secs => poll_after) + grace, kept_until = moment + keeping
      from told
      where told.number = p.number and told.admitted_at is null and p.number = any (array(
        select number from public.waiting_places
        where number = any (array(select number from told)) and admitted_at is null for update skip locked))
  )
  select jsonb_agg(case
      when id is null and shown is not null then jsonb_build_object('gone',
        case when exists (select from public.waiting_places p where p.id = shown and p.spent_at is not null)
          then 'used' else 'expired' end)
      when id is null then '{"crowded": true}'
      else jsonb_build_object('id', id, 'bound', bound, 'admitted', admitted_at is not null,
        'ahead', coalesce(ahead, 0), 'estimated_seconds', coalesce(estimate, 0), 'poll_after_seconds', coalesce(poll_after, 2))
    end order by n) into answers from told;
  return jsonb_build_object('open', true, 'answers', (
    select coalesce(jsonb_agg(case when needless then '{"no_turn_needed": true}' else answers -> (nth - 1) end order by n), '[]')
    from (
      select n, needless, (count(*) filter (where not needless) over (order by n))::integer as nth
      from unnest(excused) with ordinality as e (needless, n)
    ) as v));
end $$;

create or replace function public.reserve_in_turn(carts jsonb) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  opened timestamptz;
  buyers uuid[];    -- null where there is none; reserve_orders refuses such a cart
  places bigint[];  -- admitted ones of these carts
  let_in integer[];
  spending uuid[];  -- the place of each cart that is let in, null where none is needed
  answers jsonb;
begin
  select opened_at into strict opened from public.waiting_room;
  if opened is null then return public.reserve_orders(carts); end if;

  select array_agg(case when value ->> 'user_id' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      then (value ->> 'user_id')::uuid end order by n) into buyers
    from jsonb_array_elements(carts) with ordinality as e (value, n);
  -- Before any stock, and in one order.
  select array_agg(p.number) into places from jsonb_array_elements(carts) with ordinality as e (value, n)
    cross join lateral (
      (select number, admitted_at, spent_at from public.waiting_places
        where holder = buyers[n]::text and spent_at is null offset 0)
      union all
      (select number, admitted_at, spent_at from public.waiting_places where id = (value ->> 'place')::uuid offset 0)
    ) as p where p.admitted_at is not null and p.spent_at is null;
  perform from public.waiting_places where number = any (places) order by number for update;
  with cart as materialized (
    select n::integer as n, buyers[n] as buyer, value ->> 'idempotency_key' as key, (value ->> 'place')::uuid as shown,
      to_timestamp((value ->> 'arrived_at')::double precision / 1000) as arrived
    from jsonb_array_elements(carts) with ordinality as e (value, n)
  ), free as materialized (
    select id, holder, user_id from (select * from public.waiting_places where number = any (places) offset 0) as p
    where spent_at is null and kept_until > clock_timestamp()
  ), turn as (
    -- A visitor's place that two accounts show at once admits one of them.
    select distinct on (free.id) cart.n, free.id
    from cart join free on free.holder = buyer::text or (free.id = shown and free.user_id is null)
    order by free.id, cart.n
  ), place as (select n, (array_agg(id order by id))[1] as id from turn group by n)
  select array_agg(n order by n), array_agg(place.id order by n) into let_in, spending
  from cart left join place using (n)
  where case when place.id is not null or buyer is null or arrived < opened then true
    else public.needs_no_turn(buyer, cart.key) end;

  answers := case when let_in is null then '[]' else public.reserve_orders(
    (select jsonb_agg(carts -> (n - 1) order by i) from unnest(let_in) with ordinality as l (n, i))) end;
  -- Refused for its contents, a cart may come again with the same place.
  update public.waiting_places p set spent_at = clock_timestamp(), kept_until = clock_timestamp() + interval '1 hour',
      user_id = buyers[l.n]
    from unnest(let_in, spending) with ordinality as l (n, place, i)
    where p.id = any (spending) and p.id = l.place and answers -> (i::integer - 1) @> '{"ok": true, "replayed": false}';
  return (
    select jsonb_agg(coalesce(answers -> (array_position(let_in, n::integer) - 1), jsonb_build_object('ok', false,
      'code', 'waiting_room', 'message', 'Very many people are buying right now. You have a place in line.')) order by n)
    from jsonb_array_elements(carts) with ordinality as e (value, n));
end $$;

-- Which rows are worked on is chosen once. As a join (000600), the choosing could be planned to run again for each row, past its limit.

create or replace function public.claim_outbox(p_limit integer default 20)
returns table (id bigint, kind text, payload jsonb, attempts integer)
language sql set search_path = '' as $$
  update public.outbox o set attempts = o.attempts + 1, next_attempt_at = now() + interval '2 minutes'
  where o.id = any (array(
    select due.id from public.outbox due
    where due.done_at is null and due.dead_at is null and due.next_attempt_at <= now()
    order by due.next_attempt_at limit least(p_limit, 100) for update skip locked
  ))
  returning o.id, o.kind, o.payload, o.attempts;
$$;

create or replace function public.due_holds(p_limit integer default 50)
returns table (order_id uuid, user_id uuid, total_cents integer, payment_intent_id text)
language sql set search_path = '' as $$
  update public.orders o set expiry_check_at = now() + interval '1 minute'
  where o.id = any (array(
    select due.id from public.orders due
    where due.status = 'pending' and due.hold_expires_at <= now()
      and coalesce(due.expiry_check_at, due.hold_expires_at) <= now()
    order by coalesce(due.expiry_check_at, due.hold_expires_at) limit least(p_limit, 200) for update skip locked
  ))
  returning o.id, o.user_id, (o.total_amount * 100)::integer, o.payment_intent_id;
$$;

-- A sale may begin on tables that were analysed while they were empty, and its functions keep the plans made then until they
-- are analysed again: they find rows by their indexes all the same, as reserve_orders does.
alter function public.confirm_order(uuid, text, integer, uuid) set enable_seqscan = off;
alter function public.cancel_pending_orders(uuid[], text) set enable_seqscan = off;
alter function public.due_holds(integer) set enable_seqscan = off;
alter function public.expire_holds(uuid[]) set enable_seqscan = off;
alter function public.release_hold(uuid) set enable_seqscan = off;
alter function public.fail_payment(uuid, text, text) set enable_seqscan = off;
alter function public.refund_order(uuid, uuid[]) set enable_seqscan = off;
alter function public.mark_refund(uuid, text, text) set enable_seqscan = off;
alter function public.claim_outbox(integer) set enable_seqscan = off;
alter function public.complete_outbox(bigint) set enable_seqscan = off;
alter function public.fail_outbox(bigint, text) set enable_seqscan = off;
