-- The waiting room (docs/decisions/008): when orders come faster than they can be served, everybody who comes from then on takes a
-- numbered place and is admitted at the pace of the sale. A place belongs to one account, or to one visitor until they sign in,
-- admits once, and is spent in the transaction of the reservation. All processes share these tables.
--
-- It has to work for a crowd that arrives before PostgreSQL has any statistics of it. With row-by-row joins, a call took seconds
-- at 5,000 places, and sometimes did not end. So a place is looked up by its holder, its id or an array of numbers, fenced
-- (offset 0) from conditions for which the planner would choose another index, and the remaining joins are hash joins
-- (enable_nestloop = off).

create table public.waiting_room (
  only_row boolean primary key default true check (only_row),
  opened_at timestamptz,  -- null while orders are served as they come
  advanced_at timestamptz not null default now(),
  admitted_per_second double precision not null default 0  -- smoothed over a quarter of a minute, for the estimate
);
insert into public.waiting_room default values;

-- How many orders each process serves; old reports do not count. Unlogged: a crash of the database also ends the orders under way.
create unlogged table public.sale_pace (
  process uuid primary key,
  under_way integer not null,
  per_second double precision,  -- null until measured
  reported_at timestamptz not null default now()
);

create table public.waiting_places (
  number bigint generated always as identity primary key,
  id uuid not null unique default gen_random_uuid(),
  user_id uuid references auth.users (id) on delete cascade,
  visitor text,  -- hash of the secret that an anonymous visitor's browser keeps
  -- Its holder: the account or, as long as there is none, the visitor.
  holder text not null generated always as (coalesce(user_id::text, visitor)) stored,
  address text,
  -- A holder who has been silent for longer than expected is neither counted nor admitted until they ask again.
  present_until timestamptz not null,
  kept_until timestamptz not null,  -- after this it is removed
  admitted_at timestamptz,
  spent_at timestamptz
) with (fillfactor = 60);
create unique index waiting_places_of_holder on public.waiting_places (holder) where spent_at is null;
create index waiting_places_of_address on public.waiting_places (address) where user_id is null and spent_at is null;
create index waiting_places_line on public.waiting_places (number) where admitted_at is null and spent_at is null;

alter table public.waiting_room enable row level security;
alter table public.sale_pace enable row level security;
alter table public.waiting_places enable row level security;
revoke all on public.waiting_room, public.sale_pace, public.waiting_places from anon, authenticated;
create policy "Nobody but the service reads the waiting room" on public.waiting_room
  for all to anon, authenticated using (false) with check (false);
create policy "Nobody but the service reads the pace of the sale" on public.sale_pace
  for all to anon, authenticated using (false) with check (false);
create policy "Nobody but the service reads the places" on public.waiting_places
  for all to anon, authenticated using (false) with check (false);

-- Orders under way in all processes, how many are placed in a second, and how many may be under way before the room opens.
create function public.sale_load(out under_way integer, out per_second double precision, out most double precision)
language sql volatile set search_path = '' as $$
  select under_way, per_second,
    -- One batch of carts is never a queue.
    greatest(64, per_second * (select waiting_room_seconds from public.shop_settings))
  from (
    select coalesce(sum(under_way), 0)::integer as under_way,
      -- What the processes at work can do; a modest 200 a second for one that has not been measured.
      greatest(coalesce(sum(coalesce(per_second, 200)) filter (where under_way > 0), sum(per_second), 200), 0.01) as per_second
    from public.sale_pace where reported_at > clock_timestamp() - interval '10 seconds'
  ) as reports;
$$;

-- Opens the room, admits people and closes it: in any process, one at a time.
create function public.advance_waiting_room() returns void
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
        set opened_at = moment, advanced_at = moment, admitted_per_second = load.per_second where only_row;
    end if;
    return;
  end if;

  elapsed := extract(epoch from moment - room.advanced_at);
  if elapsed < 0.4 then return; end if;
  delete from public.waiting_places where kept_until <= moment;
  delete from public.sale_pace where reported_at < moment - interval '1 minute';
  -- Keeps the orders under way at two thirds of the number that would open the room. Admitted people need a moment to order, and
  -- some never do: each counts as half an order for three seconds. When they did not count at all, they came in waves.
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
      then room.opened_at end
    where only_row;
end $$;

-- Gives newcomers their places, in the order of the array, and moves the places of visitors who have signed in to their accounts.
create function public.seat_newcomers(visits jsonb, keeping interval) returns void
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
  -- One call at a time: numbers follow the order of arrival over all processes, and nobody gets two.
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
    -- A buyer with two places keeps the better one.
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
    -- Limits waiting visitors without an account to as many per address as it may place orders in a minute: room for a crowd, not
    -- for a flood.
    where user_id is not null
      or nth + coalesce(people, 0) <= (select max_orders_per_address from public.shop_settings)
    order by n;
end $$;

-- A buyer who has a live hold, or repeats an order, does not wait.
create function public.needs_no_turn(p_user_id uuid, p_key text) returns boolean
language sql stable set search_path = '' set enable_seqscan = off as $$
  -- Fenced: otherwise the planner scans the index of all pending orders.
  select exists (
    select from (
      select status, hold_expires_at, idempotency_key from public.orders where user_id = p_user_id offset 0
    ) as own
    where idempotency_key = p_key or (status = 'pending' and hold_expires_at > now()));
$$;

-- The answers to those who wait, in the order of their visits; their places are renewed. A stage of visit_waiting_room, which runs
-- under its planner settings.
create function public.answer_places(waiting jsonb, room public.waiting_room, keeping interval) returns jsonb
language plpgsql set search_path = '' as $$
declare
  -- A visitor far back asks every 20 seconds, one near the front every 2.
  grace constant interval := '15 seconds';
  moment constant timestamptz := clock_timestamp();
  answers jsonb;
begin
  with visit as materialized (
    select n.n, n.place as shown, p.*
    from rows from (jsonb_to_recordset(waiting) as (place uuid, user_id uuid, visitor text))
      with ordinality as n (place, user_id, visitor, n)
    left join lateral (
      select number, id, user_id is not null as bound, admitted_at from public.waiting_places
      where holder = coalesce(n.user_id::text, n.visitor) and spent_at is null and kept_until > moment
        -- An account has one place, whichever place it presents.
        and (n.user_id is not null or n.place is null or id = n.place)
      offset 0
    ) as p on true
  ), line as materialized (
    select number, row_number() over (order by number) - 1 as ahead from public.waiting_places
    where admitted_at is null and spent_at is null
      and (present_until > moment or number in (select number from visit))
      and exists (select from visit where number is not null and admitted_at is null)
  ), answered as materialized (
    select visit.*, ahead, estimate, least(20, greatest(2, ceil(estimate * 0.7)))::integer as poll_after
    from visit left join line using (number)
    cross join lateral (
      select least(86400, ceil((ahead + 1) / greatest(room.admitted_per_second, 0.01)))::integer as estimate) as e
  ), renewed as (
    update public.waiting_places p
      set present_until = moment + make_interval(secs => poll_after) + grace, kept_until = moment + keeping
      from answered
      where answered.number = p.number and answered.admitted_at is null and p.number = any (array(
        select number from public.waiting_places
        where number = any (array(select number from answered)) and admitted_at is null for update skip locked))
  )
  select jsonb_agg(case
      when id is null and shown is not null then jsonb_build_object('gone',
        case when exists (select from public.waiting_places p where p.id = shown and p.spent_at is not null)
          then 'used' else 'expired' end)
      when id is null then '{"crowded": true}'
      else jsonb_build_object('id', id, 'bound', bound, 'admitted', admitted_at is not null,
        'ahead', coalesce(ahead, 0), 'estimated_seconds', coalesce(estimate, 0), 'poll_after_seconds', coalesce(poll_after, 2))
    end order by n) into answers from answered;
  return answers;
end $$;

-- Visits to the room, as an array: each visitor takes a place or asks about their own.
--
-- visit: {place, user_id, visitor, address, key}: the signed place's id, if one was shown; the account, or the visitor's
--         hash; the idempotency key of a buyer who comes to order
-- pace: {process, under_way, per_second} of the calling process
-- result: {open, answers}; while the room is open an answer is
--         {id, bound, admitted, ahead, estimated_seconds, poll_after_seconds}, {gone: "used" | "expired"},
--         {crowded: true} or {no_turn_needed: true}
--
-- Renewing places skips rows that another call has locked (that call renews them too), and only one call advances the room at a
-- time: a call that holds a lock here never waits for another, so nothing can deadlock.
create function public.visit_waiting_room(visits jsonb, pace jsonb default null) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off set enable_nestloop = off as $$
declare
  -- Nobody loses their place in a tunnel, with the phone in a pocket, or while signing in.
  keeping constant interval := '15 minutes';
  room public.waiting_room;
  excused boolean[];
  waiting jsonb;  -- the other visits
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

  answers := public.answer_places(waiting, room, keeping);
  return jsonb_build_object('open', true, 'answers', (
    select coalesce(jsonb_agg(case when needless then '{"no_turn_needed": true}' else answers -> (nth - 1) end order by n), '[]')
    from (
      select n, needless, (count(*) filter (where not needless) over (order by n))::integer as nth
      from unnest(excused) with ordinality as e (needless, n)
    ) as v));
end $$;

-- reserve_orders, but while the room is open only for buyers whose turn it is: those who came before it opened, were admitted,
-- have a live hold, or repeat an order. The others are refused with `waiting_room`. No further round trip.
-- A cart may also contain `arrived_at` (milliseconds since the epoch) and `place` (of a visitor who has signed in).
create function public.reserve_in_turn(carts jsonb) returns jsonb
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

  select array_agg(public.uuid_of(value ->> 'user_id') order by n) into buyers
    from jsonb_array_elements(carts) with ordinality as e (value, n);
  -- Locked before any stock, and in one order.
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
    -- When two accounts present one visitor's place at once, it admits one of them.
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
  -- A cart that was refused for its contents may come again with the same place.
  update public.waiting_places p set spent_at = clock_timestamp(), kept_until = clock_timestamp() + interval '1 hour',
      user_id = buyers[l.n]
    from unnest(let_in, spending) with ordinality as l (n, place, i)
    where p.id = any (spending) and p.id = l.place and answers -> (i::integer - 1) @> '{"ok": true, "replayed": false}';
  return (
    select jsonb_agg(coalesce(answers -> (array_position(let_in, n::integer) - 1), jsonb_build_object('ok', false,
      'code', 'waiting_room', 'message', 'A lot of people are buying right now. You have a place in line.')) order by n)
    from jsonb_array_elements(carts) with ordinality as e (value, n));
end $$;

revoke execute on function public.sale_load(), public.advance_waiting_room(), public.seat_newcomers(jsonb, interval),
  public.needs_no_turn(uuid, text), public.answer_places(jsonb, public.waiting_room, interval),
  public.visit_waiting_room(jsonb, jsonb), public.reserve_in_turn(jsonb)
  from public, anon, authenticated;
