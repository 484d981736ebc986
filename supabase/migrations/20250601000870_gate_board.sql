-- What the organizers see of the gate during the festival, and what they do there by hand.

-- Whether counting takes so long that screens share a count: from about 40,000 people.
create function public.is_large_gate() returns boolean
language sql stable set search_path = '' as $$
  select pg_relation_size('public.admissions') + pg_relation_size('public.entry_codes') > 32 * 1024 * 1024
$$;

-- The board's counts over all codes. At a large festival, one screen counts for all, and not again for twenty times as long as the
-- count took: at most a twentieth of a core, however many watch (200,000 tickets, 150,000 of them in: a third of a second).
create function public.gate_counts() returns jsonb
language plpgsql volatile set search_path = '' set work_mem = '64MB' as $$
declare
  hour_ago constant timestamptz := date_trunc('minute', now()) - interval '59 minutes';
  began constant timestamptz := clock_timestamp();
  is_large constant boolean := public.is_large_gate();
  kept public.gate_counts_cache;
  found jsonb;
begin
  if is_large then
    select * into kept from public.gate_counts_cache;
    if began < kept.counted_at + kept.took * 20
        or (kept.counts is not null and not pg_try_advisory_xact_lock(hashtextextended('gate_counts', 0))) then
      return kept.counts;
    end if;
  end if;
  with let_in as materialized (
    select code_id as id, bool_or(conflicts_with is null and left_at is null) as is_inside
      from public.admissions where undone_at is null group by 1
  ), types as (
    select c.product_id as type_id, count(*) filter (where voided_at is null) as valid, count(l.id) as admitted, count(*) filter (where is_inside) as inside,
        count(*) filter (where voided_at is null and l.id is null) as to_come
      from public.entry_codes c left join let_in l using (id) group by 1
  ), places as (
    select coalesce(entrance_id, device_id) as id, count(*) as admitted from public.admissions
      where undone_at is null group by grouping sets ((entrance_id), (device_id))
  ), minutes as (
    select minute, entrance_id, sum(admitted) as admitted, sum(refused) as refused from (
      select date_trunc('minute', admitted_at) as minute, entrance_id, 1 as admitted, 0 as refused
        from public.admissions where undone_at is null and admitted_at >= hour_ago
      union all select date_trunc('minute', scanned_at), entrance_id, 0, 1 from public.gate_refusals where scanned_at >= hour_ago) as each
    group by 1, 2
  )
  select jsonb_build_object(
    'admitted', (select coalesce(sum(admitted), 0) from types), 'inside', (select coalesce(sum(inside), 0) from types),
    'types', (select coalesce(jsonb_object_agg(type_id, to_jsonb(types) - 'type_id'), '{}') from types),
    'places', (select coalesce(jsonb_object_agg(id, admitted) filter (where id is not null), '{}') from places),
    'inflow', (select coalesce(jsonb_agg(jsonb_build_object('minute', public.epoch_ms(minute), 'entrance_id', entrance_id,
      'admitted', admitted, 'refused', refused) order by minute, entrance_id), '[]') from minutes)) into found;
  if is_large then
    insert into public.gate_counts_cache as c (counted_at, took, counts) values (clock_timestamp(), clock_timestamp() - began, found)
      on conflict (only_row) do update set counted_at = excluded.counted_at, took = excluded.took, counts = excluded.counts;
  end if;
  return found;
end $$;

-- Everything on the gate's board. Refusals are those of the last 24 hours.
create function public.gate_board() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  day_ago constant timestamptz := now() - interval '24 hours';
  nobody constant jsonb := '{"valid": 0, "admitted": 0, "inside": 0, "to_come": 0}';
  counts jsonb;
begin
  perform public.require_admin();
  counts := public.gate_counts();
  return (
    with refused as materialized (
      select * from public.gate_refusals where scanned_at >= day_ago
    ), twice as materialized (
      select * from public.admissions where conflicts_with is not null and undone_at is null
    ), against as materialized (
      select * from public.admissions where despite is not null and undone_at is null
    )
    select jsonb_build_object('now', public.epoch_ms(now()), 'settings', public.gate_settings_json(),
      'totals', jsonb_build_object('admitted', counts -> 'admitted', 'inside', counts -> 'inside',
        'conflicts', (select count(*) from twice), 'despite', (select count(*) from against),
        'refused', (select count(*) from refused),
        'undone', (select count(*) from public.admissions where undone_at is not null)),
      'inflow', counts -> 'inflow',
      'types', (select coalesce(jsonb_agg(jsonb_build_object('id', y.id, 'name', y.name, 'kind', y.kind, 'is_vehicle', k.is_vehicle)
          || coalesce(counts -> 'types' -> y.id::text, nobody) order by k.position, y.price, y.id), '[]')
        from public.products y join public.product_kinds k using (kind) where k.has_code),
      'entrances', (select coalesce(jsonb_agg(public.gate_entrance_json(e) || jsonb_build_object(
          'admitted', coalesce(counts -> 'places' -> e.id::text, '0'),
          'refused', (select count(*) from refused where entrance_id = e.id)) order by e.created_at, e.id), '[]') from public.gate_entrances e),
      'refused', (select coalesce(jsonb_agg(jsonb_build_object('reason', reason, 'count', turned_away) order by turned_away desc, reason), '[]')
        from (select reason, count(*) as turned_away from refused group by 1) as reasons),
      'last_refused', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'reason', r.reason, 'detail', r.detail,
          'at', public.epoch_ms(r.scanned_at), 'entrance', e.name, 'device', r.device_name, 'name', w.person ->> 'name', 'type', w.person ->> 'type')
          order by r.scanned_at desc, r.id), '[]')
        from (select * from refused order by scanned_at desc, id limit 20) as r
        left join public.gate_entrances e on e.id = r.entrance_id
        cross join lateral (select public.gate_person(r.code_id) as person) as w),
      'conflicts', (select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'code_id', a.code_id,
          'kind', w.person ->> 'kind', 'name', w.person ->> 'name', 'type', w.person ->> 'type', 'order_id', c.order_id,
          'first', pair.places -> 0, 'second', pair.places -> 1)
          order by a.received_at desc, a.id), '[]')
        from (select * from twice order by received_at desc, id limit 200) as a
        join public.admissions f on f.id = a.conflicts_with
        -- By the time of admission, not by which device handed it in first.
        cross join lateral (select jsonb_agg(jsonb_build_object('at', public.epoch_ms(each.admitted_at), 'entrance', e.name,
            'device', each.device_name) order by each.admitted_at, each.id) as places
          from unnest(array[f, a::public.admissions]) as each left join public.gate_entrances e on e.id = each.entrance_id) as pair
        join public.entry_codes c on c.id = a.code_id
        cross join lateral (select public.gate_person(a.code_id) as person) as w),
      'despite', (select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'reason', a.despite, 'code_id', a.code_id,
          'kind', w.person ->> 'kind', 'name', w.person ->> 'name', 'type', w.person ->> 'type', 'order_id', c.order_id,
          'at', public.epoch_ms(a.admitted_at), 'entrance', e.name, 'device', a.device_name) order by a.received_at desc, a.id), '[]')
        from (select * from against order by received_at desc, id limit 200) as a
        left join public.gate_entrances e on e.id = a.entrance_id
        join public.entry_codes c on c.id = a.code_id
        cross join lateral (select public.gate_person(a.code_id) as person) as w),
      'devices', (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'name', d.name,
          'user', case when not public.is_device_account(u.email) then u.email end, 'invitation', i.label,
          'entrance_id', d.entrance_id, 'last_seen_at', public.epoch_ms(d.last_seen_at), 'pending', d.pending,
          'clock_offset_ms', d.clock_offset_ms, 'lost', coalesce(public.gate_access_lost(d.user_id),
            case when d.revoked_at is not null or exists (select from public.gate_devices o
              where o.revoked_at is not null and (o.session_id = d.session_id
                or o.phone = d.phone)) then 'device_revoked' end), 'revoked_at', public.epoch_ms(d.revoked_at),
          'admitted', coalesce(counts -> 'places' -> d.id::text, '0')) order by d.last_seen_at desc, d.id), '[]')
        from public.gate_devices d left join auth.users u on u.id = d.user_id left join public.gate_invitations i on i.id = d.invitation_id
        -- A device that still calls after signing out counts as active; calls that were under way then do not.
        where d.left_at is null or d.pending > 0 or d.last_seen_at > d.left_at + interval '10 seconds'),
      'invitations', (select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'label', i.label, 'entrance_id', i.entrance_id,
          'created_at', public.epoch_ms(i.created_at), 'expires_at', public.epoch_ms(i.expires_at), 'revoked_at', public.epoch_ms(i.revoked_at), 'phones', i.phones,
          'devices', (select count(*) from public.gate_devices where invitation_id = i.id)) order by i.created_at desc, i.id), '[]')
        from public.gate_invitations i where i.expires_at > now() - interval '7 days')));
end $$;

-- Locks orders before their tickets, as a scan does.
create function public.lock_order_of_code(p_code_id uuid) returns void
language sql volatile set search_path = '' as $$
  select from public.orders where id in (select order_id from public.entry_codes where id = p_code_id) for no key update
$$;

-- An administrator lets a code in without a device, regardless of doors and entrances, but never a refunded one.
create function public.check_in_code(p_code_id uuid, p_reason text) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  reason constant text := left(nullif(btrim(p_reason), ''), 200);
  code public.entry_codes;
  made uuid;
begin
  perform public.require_admin();
  if reason is null then raise exception 'Enter a reason.' using errcode = '22023'; end if;
  perform public.lock_order_of_code(p_code_id);
  select * into code from public.entry_codes where id = p_code_id for update;
  if not found then
    raise exception 'This ticket does not exist.' using errcode = 'PT404';
  elsif code.voided_at is not null then
    raise exception 'This ticket is no longer valid.' using errcode = '22023';
  elsif exists (select from public.current_admission(code.id, code.checked_in_at) i
      left join public.admissions a on a.id = i.admission_id where i.since is not null and a.left_at is null) then
    raise exception 'This ticket is already checked in.' using errcode = '22023';
  end if;
  insert into public.admissions (id, code_id, device_name, admitted_by, admitted_at)
    values (gen_random_uuid(), code.id, 'Back office', auth.uid(), now()) returning id into made;
  update public.entry_codes set checked_in_at = coalesce(checked_in_at, now()) where id = code.id;
  perform public.write_audit('CREATE', 'admissions', made::text, null, jsonb_build_object('reason', reason,
    'code_id', code.id, 'name', public.admitted_name(code.id)));
  return made;
end $$;

-- An administrator takes an admission back, regardless of who made it.
create function public.undo_admission(p_admission_id uuid, p_reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  reason constant text := left(nullif(btrim(p_reason), ''), 200);
begin
  perform public.require_admin();
  if reason is null then raise exception 'Enter a reason.' using errcode = '22023'; end if;
  perform public.lock_order_of_code((select code_id from public.admissions where id = p_admission_id));
  if not public.take_back_admission(p_admission_id, reason, 'Back office') then
    raise exception 'This check-in was already undone.' using errcode = '22023';
  end if;
end $$;

revoke execute on function public.is_large_gate(), public.gate_counts(),
  public.lock_order_of_code(uuid) from public, anon, authenticated;
revoke execute on function public.gate_board(), public.check_in_code(uuid, text),
  public.undo_admission(uuid, text) from public, anon;
grant execute on function public.gate_board(), public.check_in_code(uuid, text),
  public.undo_admission(uuid, text) to authenticated;

-- ── The date moves ──────────────────────────────────────────────────────────────────────────────────────────────────────

-- Takes back who was let in before that time: every row stays, as with any undo. Locks orders before their tickets, as a scan does.
create function public.take_back_admissions(p_before timestamptz) returns void
language plpgsql set search_path = '' as $$
declare
  codes uuid[];
begin
  perform from public.orders where id in (
      select c.order_id from public.entry_codes c where c.checked_in_at < p_before
        or c.id in (select a.code_id from public.admissions a where a.admitted_at < p_before and a.undone_at is null))
    order by id for no key update;
  with undone as (
    update public.admissions set undone_at = now(), undone_by = auth.uid(), undo_reason = public.moved_reason()
      where admitted_at < p_before and undone_at is null returning code_id
  ) select array_agg(code_id) into codes from (select code_id from undone
      union select id from public.entry_codes where checked_in_at < p_before) as taken;
  if codes is null then return; end if;
  perform public.recompute_admissions(codes);
  -- One entry, not one for each of thousands: the rows say the rest.
  perform public.write_audit('UPDATE', 'gate_settings', 'true',
    jsonb_build_object('let_in', cardinality(codes)),
    jsonb_build_object('let_in', 0, 'undone', public.moved_reason()));
end $$;

-- Whether the gate was used for this date: a move then begins a new day. During the festival a device may hold admissions that it has
-- not reported; before and long after it, devices are only being tried.
create function public.gate_has_opened(p_festival public.festival) returns boolean
language sql stable set search_path = '' as $$
  select exists (select from public.admissions where undone_at is null) or exists (select from public.entry_codes where checked_in_at is not null)
    or exists (select from public.gate_devices) and now() < p_festival.ends_at + interval '1 day'
      and now() >= coalesce(doors_open_at, public.festival_day(p_festival.starts_at)::timestamp at time zone p_festival.time_zone)
    from public.gate_settings
$$;

-- The gate's doors move with the day, at the same hours. A move after they opened begins a new day: guests who were let in may come
-- in again, also if a device reports it only later, and doors without times, which would go on admitting today, open with the new day.
create function public.move_gate() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  zone constant text := new.time_zone;
  day_before constant timestamp := date_trunc('day', old.starts_at at time zone zone);
  day constant timestamp := date_trunc('day', new.starts_at at time zone zone);
  begins constant timestamptz := day at time zone zone;
  opened boolean;
begin
  if day = day_before then return null; end if;
  perform pg_advisory_xact_lock(hashtextextended('festival change', 0));
  opened := public.gate_has_opened(old);
  update public.gate_settings set
    doors_open_at = (doors_open_at at time zone zone + (day - day_before)) at time zone zone,
    doors_close_at = (doors_close_at at time zone zone + (day - day_before)) at time zone zone
    where doors_open_at is not null or doors_close_at is not null;
  if opened then
    update public.gate_settings set counts_from = begins, doors_open_at = coalesce(doors_open_at,
      case when begins > now() and begins < coalesce(doors_close_at, 'infinity') then begins end)
      where only_row;
    perform public.take_back_admissions(begins);
  end if;
  return null;
end $$;

-- A sale that ends on one of the festival's days moves with them, at the same hour.
create function public.ends_with_festival(p_closes_at timestamptz, p_festival public.festival) returns boolean
language sql immutable as $$
  select coalesce(public.festival_day(p_closes_at) between public.festival_day(p_festival.starts_at) and public.festival_day(p_festival.ends_at), false)
$$;

create function public.move_sale_ends() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  zone constant text := new.time_zone;
  later constant interval := date_trunc('day', new.starts_at at time zone zone) - date_trunc('day', old.starts_at at time zone zone);
begin
  update public.shop_settings set sale_closes_at = (sale_closes_at at time zone zone + later) at time zone zone
    where public.ends_with_festival(sale_closes_at, old);
  update public.products set sale_closes_at = (sale_closes_at at time zone zone + later) at time zone zone
    where public.ends_with_festival(sale_closes_at, old);
  return null;
end $$;

-- In the order of their names: orders are locked before stock.
create trigger festival_move_gate after update of starts_at on public.festival
  for each row execute function public.move_gate();
create trigger festival_move_sale after update of starts_at on public.festival
  for each row when (old.starts_at <> new.starts_at) execute function public.move_sale_ends();
revoke execute on function public.take_back_admissions(timestamptz), public.gate_has_opened(public.festival), public.move_gate(),
  public.ends_with_festival(timestamptz, public.festival), public.move_sale_ends() from public, anon, authenticated;
