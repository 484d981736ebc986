-- The outcome of each scan, decided here or by a device alone. gate_scan calls record_scan for one scan after the other: read it, find
-- its code, decide, write, answer. Devices decide by the same rules in the same order (decide.ts in the site), which
-- supabase/tests/gate/same-rules.test.ts compares.

-- ── Reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A scan as sent, as far as it can be read. An action that makes no sense is null.
create type public.sent_scan as (
  sent_id text, id uuid, code_id uuid, issue_number integer, action text, decided text, at timestamptz, entrance_id uuid, plate text,
  reason text, undoes uuid
);

-- p_bound_since: since when the device may scan only at its entrance, or null. A code signed for another festival is refused,
-- even if the device would admit it; one that it admitted while offline is recorded as an old code.
create function public.read_scan(p_scan jsonb, p_device public.gate_devices, p_bound_since timestamptz) returns public.sent_scan
language plpgsql stable set search_path = '' as $$
declare
  scan public.sent_scan;
begin
  scan.sent_id := left(p_scan ->> 'id', 100);
  scan.id := public.id_in(p_scan ->> 'id');
  scan.code_id := public.id_in(p_scan ->> 'code_id');
  scan.decided := p_scan ->> 'decided';
  scan.at := now();
  if scan.decided is not null and p_scan ->> 'at' ~ '^\d{1,14}(\.\d{1,9})?$' then
    scan.at := least(now(), to_timestamp((p_scan ->> 'at')::numeric / 1000));
  end if;
  scan.entrance_id := p_device.entrance_id;
  if p_scan ->> 'entrance_id' is not null and (p_bound_since is null or (scan.decided is not null and scan.at < p_bound_since)) then
    scan.entrance_id := coalesce(
      (select id from public.gate_entrances where id = public.id_in(p_scan ->> 'entrance_id')), scan.entrance_id);
  end if;
  scan.plate := left(nullif(upper(btrim(p_scan ->> 'plate')), ''), 20);
  scan.reason := left(nullif(btrim(p_scan ->> 'reason'), ''), 200);
  scan.undoes := public.id_in(p_scan ->> 'undoes');
  -- An invalid number matches no code.
  scan.issue_number := case when p_scan ->> 'issue_number' ~ '^\d{1,9}$' then (p_scan ->> 'issue_number')::integer
    when p_scan ->> 'issue_number' is not null then 0 end;
  scan.action := case when public.is_gate_refusal(scan.decided) then 'refused'
    when p_scan ->> 'action' in ('in', 'out', 'undo', 'refused') then p_scan ->> 'action' end;
  if p_scan ->> 'event' <> (select code from public.festival) then
    scan.issue_number := 0;
    if scan.decided is null then
      scan.action := 'refused';
      scan.decided := 'unknown';
      scan.reason := 'other_festival';
    end if;
  end if;
  return scan;
end $$;

-- The admission that counts: the one that is still in, or else the last that went out. Without a search path, so that it becomes
-- part of the query.
create function public.valid_admission(p_code_id uuid) returns setof public.admissions
language sql stable as $$
  select * from public.admissions where code_id = p_code_id and conflicts_with is null and undone_at is null
    order by left_at is not null, admitted_at desc limit 1
$$;

-- Since when a code's holder has been in, and through which entrance; null if they may come in. Without a search path, so that it
-- becomes part of the query: planned for each of a page's 5,000 rows, it exceeded the statement's time limit.
create function public.current_admission(p_code_id uuid, p_checked_in_at timestamptz)
returns table (since timestamptz, entrance_id uuid, admission_id uuid, out_id uuid, last_in_at timestamptz)
language sql stable as $$
  select case when a.id is null then p_checked_in_at when a.left_at is not null and s.reentry then null else a.admitted_at end,
      a.entrance_id, a.id, case when a.left_at is not null then a.out_scan_id end, a.admitted_at
    from public.gate_settings s
    left join lateral (select * from public.valid_admission(p_code_id) where p_checked_in_at is not null) as a on true
$$;

-- ── Deciding and writing ────────────────────────────────────────────────────────────────────────────────────────────────

-- What is wrong with a code at an entrance at that time, the most serious first, or null. Without an issue number the person was
-- found by search.
create function public.code_refusal(p_code public.entry_codes, p_issue_number integer, p_entrance_id uuid, p_at timestamptz) returns text
language plpgsql stable set search_path = '' as $$
declare
  settings public.gate_settings;
  here public.gate_entrances;
begin
  if p_code.voided_at is not null then return 'void'; end if;
  if p_issue_number <> p_code.issue_number then return 'old_code'; end if;
  if (select status = 'cancelled' from public.festival) then return 'closed'; end if;
  select * into settings from public.gate_settings;
  if p_at < settings.doors_open_at or p_at >= settings.doors_close_at then return 'not_today'; end if;
  select * into here from public.gate_entrances where id = p_entrance_id;
  if not found then return null; end if;
  if not here.is_open then return 'closed'; end if;
  if not public.entrance_admits(here, p_code.has_attendee, p_code.product_id,
      (select is_vip from public.products where id = p_code.product_id)) then return 'wrong_entrance'; end if;
  return null;
end $$;

-- first_id: the earlier admission of the same code, with which this one is a conflict.
create type public.scan_verdict as (result text, detail text, despite text, first_id uuid);
create function public.verdict(p_result text, p_detail text default null, p_despite text default null, p_first_id uuid default null)
returns public.scan_verdict language sql immutable
return row(p_result, p_detail, p_despite, p_first_id)::public.scan_verdict;

-- Whom a scan does not let in or out, and why.
create function public.refuse_scan(p_device public.gate_devices, p_scan public.sent_scan, p_code public.entry_codes, p_reason text,
  p_detail text default null) returns public.scan_verdict
language plpgsql set search_path = '' as $$
declare
  detail constant text := case
    when p_reason = 'unknown' then p_detail
    when p_reason = 'old_code' and p_scan.issue_number < p_code.transferred_issue then 'transferred'
    when p_reason = 'closed' and (select status = 'cancelled' from public.festival) then 'cancelled' end;
begin
  insert into public.gate_refusals (id, device_id, device_name, entrance_id, reason, detail, code_id, scanned_at)
    values (p_scan.id, p_device.id, p_device.name, p_scan.entrance_id, p_reason, detail, p_code.id, p_scan.at)
    on conflict (id) do nothing;
  return public.verdict(p_reason, detail);
end $$;

-- What the scan's id says already, or null if it is new: nothing happens twice. But the device's decision counts: an admission made
-- because our refusal came too late is new, and so is a refusal although we had admitted. An id belongs to one code, and an
-- admission's to one device: otherwise it would answer "admitted" and record nothing. A refusal may become an admission on another
-- device: a newly opened device hands in what it holds.
create function public.recorded_verdict(p_device public.gate_devices, p_scan public.sent_scan) returns public.scan_verdict
language plpgsql stable set search_path = '' as $$
declare
  let_in public.admissions;
  refused public.gate_refusals;
  changed public.admissions; -- by a scan out or an undo with this id
begin
  if p_scan.id is null or p_scan.action is null then return public.verdict('unknown', 'malformed'); end if;
  select * into let_in from public.admissions where id = p_scan.id;
  select * into refused from public.gate_refusals where id = p_scan.id;
  if p_scan.action = 'out' then
    select * into changed from public.admissions where out_scan_id = p_scan.id;
  elsif p_scan.action in ('undo', 'refused') then
    select * into changed from public.admissions where undo_scan_id = p_scan.id or out_undo_scan_id = p_scan.id;
  end if;
  if let_in.id is not null and (let_in.device_id is distinct from p_device.id or let_in.code_id is distinct from p_scan.code_id)
      or refused.code_id <> p_scan.code_id or changed.code_id <> p_scan.code_id then
    return public.verdict('unknown', 'malformed');
  end if;
  if changed.id is not null and p_scan.action = 'out' then return public.verdict('let_out'); end if;
  if changed.id is not null and p_scan.action = 'undo' then return public.verdict('undone'); end if;
  if let_in.id is not null and p_scan.action = 'in' then
    return public.verdict('admitted', p_despite => let_in.despite, p_first_id => let_in.conflicts_with);
  end if;
  if refused.id is not null and (let_in.id is null or changed.id is not null)
      and not (p_scan.action = 'in' and p_scan.decided = 'admitted') then
    return public.verdict(refused.reason, refused.detail);
  end if;
  return null;
end $$;

-- After an admission was undone or left: the earliest conflict counts if it overlaps none that counts, as long as there is one. Ten
-- seconds between two devices' clocks count as none. Then the code records since when its holder has been in.
create function public.recompute_admissions(p_code_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  loop
    update public.admissions set conflicts_with = null where id in (
      select distinct on (c.code_id) c.id from public.admissions c
      where c.code_id = any (p_code_ids) and c.conflicts_with is not null and c.undone_at is null
        and not exists (select from public.admissions o where o.code_id = c.code_id and o.conflicts_with is null and o.undone_at is null
          and o.admitted_at + interval '10 seconds' < coalesce(c.left_at, 'infinity')
          and c.admitted_at + interval '10 seconds' < coalesce(o.left_at, 'infinity'))
      order by c.code_id, c.admitted_at, c.id);
    exit when not found;
  end loop;
  -- Further conflicts are now with the valid one.
  update public.admissions c set conflicts_with = o.id
    from public.admissions f, public.admissions o
    where f.id = c.conflicts_with and f.undone_at is not null and c.code_id = any (p_code_ids)
      and o.code_id = c.code_id and o.id <> c.id
      and o.conflicts_with is null and o.undone_at is null and o.left_at is null;
  update public.entry_codes c set checked_in_at = (select min(admitted_at) from public.admissions a
      where a.code_id = c.id and a.undone_at is null and a.admitted_at <= coalesce(c.voided_at, 'infinity'))
    where c.id = any (p_code_ids);
end $$;

-- Why admissions of a former date were taken back.
create function public.moved_reason() returns text
language sql stable set search_path = '' as $$
  select 'The festival was moved to ' || to_char(starts_at at time zone time_zone, 'FMMonth FMDD, YYYY') from public.festival
$$;

-- Whom or what an audit entry is about.
create function public.admitted_name(p_code_id uuid) returns text
language sql stable set search_path = '' as $$
  select coalesce(c.attendee_name, case when k.is_vehicle then 'a vehicle' else 'a ' || k.label end)
    from public.entry_codes c join public.product_kinds k using (kind) where c.id = p_code_id
$$;

-- Takes an admission back: by a device's scan, or by an administrator, who has none.
create function public.take_back_admission(p_admission_id uuid, p_reason text, p_device_name text, p_scan_id uuid default null) returns boolean
language plpgsql set search_path = '' as $$
declare
  undone public.admissions;
begin
  update public.admissions set undone_at = now(), undone_by = auth.uid(), undo_reason = p_reason, undo_scan_id = p_scan_id
    where id = p_admission_id and undone_at is null returning * into undone;
  if undone.id is null then return false; end if;
  perform public.recompute_admissions(array[undone.code_id]);
  perform public.write_audit('UPDATE', 'admissions', undone.id::text, jsonb_build_object('admitted_at', undone.admitted_at),
    jsonb_build_object('undone', p_reason, 'code_id', undone.code_id, 'device', p_device_name,
      'name', public.admitted_name(undone.code_id)));
  return true;
end $$;

-- Decides whether a person may come in. An admission that the device has already made is recorded in any case.
create function public.scan_in(p_device public.gate_devices, p_scan public.sent_scan, p_code public.entry_codes) returns public.scan_verdict
language plpgsql set search_path = '' as $$
declare
  settings constant public.gate_settings := (select s from public.gate_settings s);
  refusal constant text := public.code_refusal(p_code, p_scan.issue_number, p_scan.entrance_id, p_scan.at);
  let_in constant boolean := coalesce(p_scan.decided = 'admitted', false);
  -- Made before the festival moved to another date: recorded, but neither judged nor counted.
  is_past constant boolean := coalesce(p_scan.at < settings.counts_from, false);
  valid public.admissions;
  is_in boolean;
  verdict public.scan_verdict := public.verdict('admitted');
begin
  select * into valid from public.valid_admission(p_code.id);
  is_in := case when valid.id is null then p_code.checked_in_at is not null -- written directly in SQL
    when valid.left_at is null or not settings.reentry then true
    -- Let in before the way out, so they were still in. A device's own scans arrive in order, whatever its clock says.
    else let_in and valid.out_device_id is distinct from p_device.id and p_scan.at + interval '10 seconds' < valid.left_at end;

  if let_in and not is_past then
    verdict.despite := refusal;
    verdict.first_id := case when is_in then valid.id end;
  elsif let_in then null;
  elsif refusal in ('void', 'old_code') then return public.refuse_scan(p_device, p_scan, p_code, refusal);
  elsif is_in then return public.refuse_scan(p_device, p_scan, p_code, 'already_in');
  elsif refusal is not null then return public.refuse_scan(p_device, p_scan, p_code, refusal);
  end if;

  if p_scan.decided is not null then delete from public.gate_refusals where id = p_scan.id; end if;
  insert into public.admissions (id, code_id, device_id, device_name, entrance_id, admitted_by, admitted_at, is_offline, conflicts_with,
      despite, plate, undone_at, undo_reason)
    values (p_scan.id, p_code.id, p_device.id, p_device.name, p_scan.entrance_id, auth.uid(), p_scan.at, p_scan.decided is not null,
      verdict.first_id, verdict.despite, p_scan.plate, case when is_past then now() end, case when is_past then public.moved_reason() end);
  -- The earliest admission counts, whichever was handed in first. If nothing else changes, the device that let them in learns from its
  -- list that they are not in.
  update public.entry_codes c set
      checked_in_at = case when is_past or p_scan.at > c.voided_at then c.checked_in_at else least(c.checked_in_at, p_scan.at) end,
      plate = case when is_past then c.plate when k.is_vehicle then coalesce(p_scan.plate, c.plate) end
    from public.product_kinds k where k.kind = c.kind and c.id = p_code.id
      and (is_past or verdict.first_id is null or p_scan.at < c.checked_in_at or p_scan.plate is not null);
  return verdict;
end $$;

-- Scans of two devices are ordered by their times, and clocks may differ by ten seconds: an exit does not apply to a person whom
-- another device admitted after it. One that a device has decided alone may be from before the admission that counts. It ends a
-- conflict, or an admission that a later exit has ended, which then ends the next.
create function public.scan_out(p_device public.gate_devices, p_scan public.sent_scan, p_code public.entry_codes) returns public.scan_verdict
language plpgsql set search_path = '' as $$
declare
  ended record;
begin
  select a.*, n.id as next_id into ended from public.admissions a
    left join lateral (select c.id from public.admissions c
      where c.code_id = a.code_id and c.conflicts_with is not null and c.undone_at is null and c.left_at is null
        and c.admitted_at between p_scan.at and a.left_at
      order by c.admitted_at limit 1) as n on true
    where a.code_id = p_code.id and a.undone_at is null
      and (a.device_id = p_device.id or a.admitted_at <= p_scan.at + interval '10 seconds')
      and (a.conflicts_with is null and a.left_at is null
        or p_scan.decided is not null and (a.left_at is null
          or a.conflicts_with is null and n.id is not null and a.left_at > p_scan.at + interval '10 seconds'))
    order by a.conflicts_with is null and a.left_at is null desc, a.device_id is not distinct from p_device.id desc, a.admitted_at desc limit 1;
  if not found then return public.refuse_scan(p_device, p_scan, p_code, 'not_inside'); end if;
  update public.admissions set left_at = greatest(p_scan.at, admitted_at), out_scan_id = p_scan.id, out_device_id = p_device.id,
      out_entrance_id = p_scan.entrance_id
    where id = ended.id;
  update public.admissions set left_at = ended.left_at, out_scan_id = ended.out_scan_id, out_device_id = ended.out_device_id,
      out_entrance_id = ended.out_entrance_id
    where id = ended.next_id;
  perform public.recompute_admissions(array[p_code.id]);
  return public.verdict('let_out');
end $$;

-- An undo may name the entry or exit that it undoes. Otherwise it prefers this device's own admission to the valid one, and does not
-- undo an admission that another device made after it.
create function public.scan_undo(p_device public.gate_devices, p_scan public.sent_scan, p_code public.entry_codes) returns public.scan_verdict
language plpgsql set search_path = '' as $$
declare
  reason constant text := coalesce(p_scan.reason, 'No reason given');
  mine public.admissions;
begin
  select * into mine from public.admissions
    where code_id = p_code.id and undone_at is null and case
      when p_scan.undoes is null then device_id = p_device.id or admitted_at <= p_scan.at + interval '10 seconds'
      else id = p_scan.undoes or (out_scan_id = p_scan.undoes and left_at is not null) end
    order by device_id is not distinct from p_device.id desc, conflicts_with is null desc, admitted_at desc limit 1;
  if not found then return public.refuse_scan(p_device, p_scan, p_code, 'not_inside'); end if;
  if p_scan.undoes is null or p_scan.undoes = mine.id then
    perform public.take_back_admission(mine.id, reason, p_device.name, p_scan.id);
    return public.verdict('undone');
  end if;
  -- An exit. A person who has come in again meanwhile is already in.
  if exists (select from public.valid_admission(p_code.id) where left_at is null) then
    return public.refuse_scan(p_device, p_scan, p_code, 'already_in');
  end if;
  update public.admissions set left_at = null, out_undo_scan_id = p_scan.id where id = mine.id;
  perform public.recompute_admissions(array[p_code.id]);
  perform public.write_audit('UPDATE', 'admissions', mine.id::text, jsonb_build_object('is_out', true),
    jsonb_build_object('is_out', false, 'undone', reason, 'code_id', p_code.id, 'device', p_device.name,
      'name', public.admitted_name(p_code.id)));
  return public.verdict('undone');
end $$;

-- Records one scan and answers it. The caller has locked its order.
create function public.record_scan(p_device public.gate_devices, p_scan public.sent_scan) returns jsonb
language plpgsql set search_path = '' as $$
declare
  scan public.sent_scan := p_scan;
  code public.entry_codes;
  verdict public.scan_verdict;
begin
  select * into code from public.entry_codes where id = scan.code_id;
  -- Never dated before its code or its device was created, whatever the device's clock says.
  scan.at := least(now(), greatest(scan.at, p_device.created_at, code.created_at));
  verdict := public.recorded_verdict(p_device, scan);
  if verdict.result is not null then return public.scan_answer(scan, code, verdict); end if;

  if scan.action = 'refused' then
    -- Taken back if we had admitted.
    perform public.take_back_admission(scan.id, 'Refused on the device', p_device.name, scan.id);
    verdict := public.refuse_scan(p_device, scan, code,
      case when public.is_gate_refusal(scan.decided) then scan.decided else 'unknown' end, scan.reason);
  elsif code.id is null then verdict := public.refuse_scan(p_device, scan, code, 'unknown', 'not_in_books');
  elsif scan.action = 'undo' then verdict := public.scan_undo(p_device, scan, code);
  elsif scan.action = 'out' then verdict := public.scan_out(p_device, scan, code);
  else verdict := public.scan_in(p_device, scan, code);
  end if;
  return public.scan_answer(scan, code, verdict);
end $$;

-- ── Answering ───────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A code's holder as the gate shows them. Parking that comes with VIP is one pass per order: it is shown on one of the order's VIP
-- tickets, the one with the lowest id that was not passed on. Devices have the same rule (includesParking in the site).
create function public.gate_person(p_code_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('kind', c.kind, 'name', coalesce(c.attendee_name, o.buyer_full_name), 'type', y.name, 'is_vip', y.is_vip,
      'includes_parking', y.is_vip and c.voided_at is null and c.transferred_issue is null and exists (select from public.order_items i
        where i.order_id = c.order_id and i.included and i.refunded < i.quantity)
        and not exists (select from public.entry_codes f join public.products fy on fy.id = f.product_id
          where f.order_id = c.order_id and f.id < c.id and f.voided_at is null and f.transferred_issue is null and fy.is_vip),
      'order', left(c.order_id::text, 8), 'code', left(c.id::text, 8), 'plate', c.plate)
    from public.entry_codes c join public.products y on y.id = c.product_id join public.orders o on o.id = c.order_id where c.id = p_code_id
$$;

-- Short for decisions the device already made; complete for a person waiting at the gate.
create function public.scan_answer(p_scan public.sent_scan, p_code public.entry_codes, p_verdict public.scan_verdict) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  answer jsonb := jsonb_build_object('id', p_scan.sent_id, 'result', p_verdict.result);
  first_id uuid := p_verdict.first_id;
  first jsonb;
begin
  if p_verdict.detail is not null then answer := answer || jsonb_build_object('detail', p_verdict.detail); end if;
  if p_verdict.despite is not null then answer := answer || jsonb_build_object('despite', p_verdict.despite); end if;
  if first_id is not null then answer := answer || jsonb_build_object('conflict', true, 'at', public.epoch_ms(p_scan.at)); end if;
  if p_verdict.result = 'already_in' then first_id := (select id from public.valid_admission(p_code.id)); end if;
  if first_id is not null then
    first := (select jsonb_build_object('id', a.id, 'at', public.epoch_ms(a.admitted_at), 'entrance', e.name, 'device', a.device_name)
      from public.admissions a left join public.gate_entrances e on e.id = a.entrance_id where a.id = first_id);
    answer := answer || jsonb_build_object('first', first);
  end if;
  if p_scan.decided is not null then return answer; end if;

  if p_verdict.result = 'already_in' and first_id is null then -- checked in directly in SQL
    answer := answer || jsonb_build_object('first',
      jsonb_build_object('at', public.epoch_ms(p_code.checked_in_at), 'entrance', null, 'device', null));
  elsif p_verdict.result = 'not_today' then
    answer := answer || (select jsonb_build_object('opens_at', public.epoch_ms(doors_open_at), 'closes_at', public.epoch_ms(doors_close_at))
      from public.gate_settings);
  elsif p_verdict.result = 'wrong_entrance' then
    answer := answer || (select jsonb_build_object('entrances', coalesce(jsonb_agg(e.name order by e.created_at, e.name), '[]'))
      from public.gate_entrances e join public.products y on y.id = p_code.product_id
      where e.is_open and public.entrance_admits(e, p_code.has_attendee, y.id, y.is_vip));
  end if;
  if p_code.id is not null then answer := answer || jsonb_build_object('person', public.gate_person(p_code.id)); end if;
  -- The holder of an old code of a passed-on ticket does not learn who has it now.
  if p_verdict.detail = 'transferred' then answer := jsonb_set(answer, '{person,name}', '""'); end if;
  return answer;
end $$;

-- At most 1,000 scans, in the order in which they happened. The device resends scans that are missing from the answer, since they
-- were not recorded: those for which the statement's time does not suffice, and those that fail only for now (a lock, a full disk). A
-- scan whose data is at fault would fail forever, and its device hands in its queue from the front: it goes whole into the audit log
-- and is answered, so that those behind it come in.
--
-- Of a revoked device, only what it decided alone before it was revoked is recorded: the rest stays on it until it is restored, and a
-- scan that asks now is refused. Statements are planned once per connection: planning them for each scan took two thirds of its time.
create function public.gate_scan(p_device_id uuid, p_scans jsonb, p_pending numeric default 0, p_device_now numeric default null)
returns jsonb
language plpgsql security definer set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  device public.gate_devices;
  bound_since timestamptz;
  sent jsonb;
  scan public.sent_scan;
  answers jsonb[] := '{}';
  may_record boolean;
begin
  -- A move of the date takes back the admissions before it (move_gate): none may be under way.
  perform pg_advisory_xact_lock_shared(hashtextextended('festival change', 0));
  device := public.require_gate_device(p_device_id, true);
  if jsonb_typeof(p_scans) is distinct from 'array' or jsonb_array_length(p_scans) > 1000 then
    raise exception 'p_scans must be a list of at most 1,000 scans.' using errcode = '22023';
  end if;
  if p_pending > 2147483647 then raise exception 'p_pending must be a number of scans.' using errcode = '22023'; end if;
  if abs(p_device_now) > 8640000000000000 then -- the end of time in JavaScript
    raise exception 'p_device_now must be a time in milliseconds.' using errcode = '22023';
  end if;
  -- Bound with its user's role: what waited on the device from before was scanned elsewhere. A device opened since then has nothing older.
  bound_since := (select case when device.created_at < r.created_at then r.created_at else '-infinity' end
    from public.gate_invitations i left join public.user_roles r on r.user_id = device.user_id
    where i.id = device.invitation_id and i.entrance_id is not null);
  -- All orders before their codes and in one order, so that two devices that hand in scans of the same people cannot deadlock.
  perform from public.orders where id in (select order_id from public.entry_codes where id = any (array(
      select public.id_in(value ->> 'code_id') from jsonb_array_elements(p_scans))))
    order by id for no key update;
  may_record := device.revoked_at is null;
  for sent in select value from jsonb_array_elements(p_scans) loop
    exit when clock_timestamp() > statement_timestamp() + interval '4 seconds';
    scan := public.read_scan(sent, device, bound_since);
    continue when scan.at >= device.revoked_at;
    may_record := true;
    begin
      answers := answers || public.record_scan(device, scan);
    exception when others then
      -- Not a rolled-back transaction, lack of memory or disk, a lock, an intervention, or an error of the system.
      if sqlstate !~ '^(40|53|55|57|58)' then
        perform public.write_audit('ERROR_GATE_SCAN', 'gate_devices', device.id::text, null,
          jsonb_build_object('name', device.name, 'scan', sent, 'error', left(sqlerrm, 500)));
        if scan.decided is not null and sqlstate ~ '^(22|23|P0)' then
          answers := answers || public.scan_answer(scan, null, public.verdict('unknown', 'not_recorded'));
        end if;
      end if;
    end;
  end loop;
  if not may_record then perform public.refuse_gate_access('device_revoked'); end if;
  -- What is not answered stays on the device, too.
  perform public.record_device_contact(device,
    least(greatest(p_pending, 0) + jsonb_array_length(p_scans) - cardinality(answers), 2147483647)::integer, p_device_now::bigint);
  return jsonb_build_object('results', to_jsonb(answers), 'now', public.epoch_ms(clock_timestamp()));
end $$;

revoke execute on function public.read_scan(jsonb, public.gate_devices, timestamptz), public.valid_admission(uuid),
  public.current_admission(uuid, timestamptz), public.code_refusal(public.entry_codes, integer, uuid, timestamptz),
  public.verdict(text, text, text, uuid),
  public.refuse_scan(public.gate_devices, public.sent_scan, public.entry_codes, text, text),
  public.recorded_verdict(public.gate_devices, public.sent_scan), public.recompute_admissions(uuid[]), public.moved_reason(),
  public.admitted_name(uuid), public.take_back_admission(uuid, text, text, uuid),
  public.scan_in(public.gate_devices, public.sent_scan, public.entry_codes),
  public.scan_out(public.gate_devices, public.sent_scan, public.entry_codes),
  public.scan_undo(public.gate_devices, public.sent_scan, public.entry_codes),
  public.record_scan(public.gate_devices, public.sent_scan), public.gate_person(uuid),
  public.scan_answer(public.sent_scan, public.entry_codes, public.scan_verdict) from public, anon, authenticated;
revoke execute on function public.gate_scan(uuid, jsonb, numeric, numeric) from public, anon;
grant execute on function public.gate_scan(uuid, jsonb, numeric, numeric) to authenticated;

-- ── Scans, broadcast to the holder ──────────────────────────────────────────────────────────────────────────────────────

-- The transactions that the last broadcast had seen (docs/decisions/072). Unlogged: a crash loses only notices not sent yet.
create unlogged table public.scans_broadcast (
  only_row boolean primary key default true check (only_row),
  seen pg_snapshot not null
);
alter table public.scans_broadcast enable row level security;
revoke all on public.scans_broadcast from anon, authenticated;
create policy "Nobody but the service reads until when holders were notified" on public.scans_broadcast
  for all to anon, authenticated using (false) with check (false);

create policy "Holders hear of their own scans" on realtime.messages
  for select to authenticated using (realtime.topic() = 'scans:' || (select auth.uid()) and extension = 'broadcast'
    and (select public.has_live_session()));

-- Called every two seconds. Notifies holders that one of their passes was let in, or that this was undone, and returns how many. Finds the
-- rows by the transaction that changed them, even one that committed late, so neither a sale nor a scan does any work for it.
create function public.broadcast_scans() returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  before pg_snapshot;
  holders uuid[];
begin
  select seen into before from public.scans_broadcast for update; -- one server at a time
  -- The first run, or the first after restoring another cluster's dump, whose transaction ids are still in the future here.
  if before is null or pg_snapshot_xmax(before) > pg_snapshot_xmax(pg_current_snapshot()) then
    insert into public.scans_broadcast (seen) values (pg_current_snapshot()) on conflict (only_row) do update set seen = excluded.seen;
    return 0;
  end if;
  -- One statement, so that it records exactly the snapshot it saw.
  with remembered as (update public.scans_broadcast set seen = pg_current_snapshot() where only_row)
  select array_agg(distinct user_id) into holders from (
    select c.user_id from public.entry_codes c
      where c.changed_xid >= pg_snapshot_xmin(before) and c.changed_xid < pg_snapshot_xmax(pg_current_snapshot())
        and not pg_visible_in_snapshot(c.changed_xid, before)
        and (c.checked_in_at is not null or exists (select from public.admissions where code_id = c.id))) changed
    where user_id is not null;
  perform realtime.send('{}', 'scanned', 'scans:' || holder, true) from unnest(holders) as holder;
  return coalesce(cardinality(holders), 0);
end $$;
revoke execute on function public.broadcast_scans() from public, anon, authenticated;
