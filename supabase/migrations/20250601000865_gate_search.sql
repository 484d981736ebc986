-- Finding people and codes by name, mail, number or plate, and what was scanned last.

-- The orders and codes that a text names, each from an index: words of names and mail, as the back office finds orders
-- (docs/decisions/013), the first or last characters of an order's or a code's number as it is shown, or the beginning of a plate.
create function public.find_gate_codes(p_text text) returns table (code_id uuid)
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  most constant integer := 150; -- 20 of these are shown
  asked constant tsquery := public.words_asked(p_text);
  whole constant tsquery := case when public.folded(p_text) ~ '(^|\s)\S{1,2}(\s|$)' then public.words_asked(p_text, true) end;
  digits constant text := lower(regexp_replace(p_text, '[#[:space:]-]', '', 'g'));
  hex constant boolean := digits ~ '^[0-9a-f]{4,32}$';
  first constant uuid := case when hex then rpad(digits, 32, '0')::uuid end;
  last constant uuid := case when hex then rpad(digits, 32, 'f')::uuid end;
  letters constant text := public.plate_letters(p_text);
  orders uuid[];
begin
  -- A short word begins many names and few are shown: whole words come first, so that Ng is not lost among every Nguyen.
  if whole is not null then
    orders := array(select w.order_id from public.order_words w where w.words @@ whole limit most);
    return query
      (select c.id from public.entry_codes c where c.order_id = any (orders) limit most);
  end if;
  -- A word that every order has is found often enough among a thousand orders. Only a rarer one is worth the index, which reads all
  -- its matches before it returns the first.
  orders := array(select few.order_id from (select * from public.order_words order by order_id limit 1000) as few
    where few.words @@ asked limit most);
  if cardinality(orders) < most then
    orders := array(select w.order_id from public.order_words w where w.words @@ asked limit most);
  end if;
  orders := orders || array(select o.id from public.orders o where hex and o.id between first and last limit most);
  return query
    (select c.id from public.entry_codes c where c.order_id = any (orders) limit most)
    union (select c.id from public.entry_codes c
      where length(letters) >= 2 and c.plate is not null and public.plate_letters(c.plate) like letters || '%' limit most);
  if hex then
    return query
      (select c.id from public.entry_codes c where c.id between first and last limit most);
    if length(digits) < 8 then
      orders := array(select w.order_id from public.order_words w where reverse(left(w.order_id::text, 8)) like reverse(digits) || '%' limit most);
      return query
        (select c.id from public.entry_codes c where c.order_id = any (orders) limit most)
        union (select c.id from public.entry_codes c where reverse(left(c.id::text, 8)) like reverse(digits) || '%' limit most);
    end if;
  end if;
end $$;

-- By name, mail, order, plate, or the number of a code. A person whose own name or code matches comes first, and of those one
-- who has the words as whole words; then the others of the order, then refunded ones. A parking entrance finds nobody by a ticket. `would` is what a scan at the device's entrance would answer,
-- so that no person is offered in vain.
create function public.gate_search(p_device_id uuid, p_text text, p_limit integer default 20) returns jsonb
language plpgsql security definer set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  sought constant text := btrim(left(p_text, 100));
  most constant integer := least(greatest(p_limit, 1), 50);
  asked constant tsquery := public.words_asked(sought);
  whole constant tsquery := public.words_asked(sought, true);
  device constant public.gate_devices := public.require_gate_device(p_device_id);
  here public.gate_entrances;
  named uuid[];
begin
  perform public.record_device_contact(device, null, null);
  select * into here from public.gate_entrances where id = device.entrance_id;
  if length(sought) >= 2 then named := array(select distinct code_id from public.find_gate_codes(sought)); end if;
  return (select jsonb_build_object('now', public.epoch_ms(clock_timestamp()), 'people', coalesce(jsonb_agg(
      public.gate_person(f.id) || jsonb_build_object('id', f.id, 'type_id', f.type_id,
        'issue_number', f.issue_number, 'email', f.email, 'is_void', f.is_void, 'admitted_at', public.epoch_ms(i.since),
        'entrance_id', i.entrance_id, 'admission_id', i.admission_id, 'out_id', i.out_id,
        'last_in_at', public.epoch_ms(i.last_in_at), 'is_in', i.since is not null,
        'would', case when f.is_void then 'void' when i.since is not null then 'already_in'
          else coalesce(public.code_refusal(f.code, null, device.entrance_id, now()), 'admitted') end)
      order by f.is_void, f.is_own desc, f.is_whole desc, f.name, f.position, f.id), '[]'))
    from (
      with c as materialized (
        select c.id, c.product_id as type_id, c.issue_number, coalesce(c.attendee_name, o.buyer_full_name) as name,
            coalesce(c.attendee_email, o.buyer_email) as email, c.voided_at is not null as is_void, c.checked_in_at, c as code, k.position
          from public.entry_codes c join public.product_kinds k on k.kind = c.kind
          join public.orders o on o.id = c.order_id
          where c.id = any (named) and not (c.has_attendee and coalesce(here.admits = 'parking', false))),
      -- Once for all codes of a person: splitting a name into words costs more than finding it.
      people as materialized (select name, email, coalesce(words @@ asked, false) as is_own, coalesce(words @@ whole, false) as is_whole
        from (select distinct c.name, c.email from c) as each cross join lateral public.search_words(name, email, null, null) as words)
      select * from c join people using (name, email)
      order by is_void, is_own desc, is_whole desc, name, position, id limit most
    ) as f
    cross join lateral public.current_admission(f.id, f.checked_in_at) as i);
end $$;

-- Who came and went today at the device's entrance, newest first: what can be undone. `undoes` refers to `id`.
create function public.gate_recent(p_device_id uuid, p_limit integer default 30) returns jsonb
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  device constant public.gate_devices := public.require_gate_device(p_device_id);
  most constant integer := least(greatest(p_limit, 1), 100);
  today constant timestamptz := public.festival_day(now())::timestamp at time zone 'America/Chicago';
begin
  perform public.record_device_contact(device, null, null);
  return (select jsonb_build_object('now', public.epoch_ms(clock_timestamp()), 'scans', coalesce(jsonb_agg(
      jsonb_build_object('id', r.id, 'action', r.action, 'at', public.epoch_ms(r.at), 'entrance', e.name, 'device', r.device_name,
        'is_own', r.device_id is not distinct from device.id, 'is_undone', r.is_undone,
        'since', public.epoch_ms(r.since), 'code_id', r.code_id, 'person', public.gate_person(r.code_id))
      order by r.at desc, r.id), '[]'))
    from (
      (select a.id, 'in' as action, a.admitted_at as at, null::timestamptz as since, a.undone_at is not null as is_undone,
          a.entrance_id, a.device_id, a.device_name, a.code_id
        from public.admissions a
        where a.entrance_id = device.entrance_id and a.admitted_at >= today
        order by a.admitted_at desc limit most)
      union all (select a.out_scan_id, 'out', a.left_at, a.admitted_at, a.undone_at is not null, a.out_entrance_id, a.out_device_id,
          d.name, a.code_id
        from public.admissions a left join public.gate_devices d on d.id = a.out_device_id
        where a.out_entrance_id = device.entrance_id and a.left_at >= today
        order by a.left_at desc limit most)
      order by at desc, id limit most) as r
    left join public.gate_entrances e on e.id = r.entrance_id);
end $$;

revoke execute on function public.find_gate_codes(text) from public, anon, authenticated;
revoke execute on function public.gate_search(uuid, text, integer), public.gate_recent(uuid, integer) from public, anon;
grant execute on function public.gate_search(uuid, text, integer), public.gate_recent(uuid, integer) to authenticated;
