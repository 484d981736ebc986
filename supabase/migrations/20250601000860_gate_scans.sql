-- The outcome of each scan, decided at the server or by a phone alone: read, decide, write, answer.

-- Since when a code's holder has been in, and through which entrance; null if they may come in. Without a search path, so that it
-- becomes part of the query: planned for each of a page's 5,000 rows, it exceeded the statement's time limit.
create function public.current_admission(p_code_id uuid, p_checked_in_at timestamptz)
returns table (since timestamptz, entrance_id uuid, admission_id uuid, out_id uuid, last_in_at timestamptz)
language sql stable as $$
  select case when a.id is null then p_checked_in_at when a.left_at is not null and s.reentry then null else a.admitted_at end,
      a.entrance_id, a.id, case when a.left_at is not null then a.out_scan_id end, a.admitted_at
    from public.gate_settings s
    left join lateral (select * from public.admissions
      where p_checked_in_at is not null and code_id = p_code_id and conflicts_with is null and undone_at is null
      order by left_at is not null, admitted_at desc limit 1) as a on true
$$;

-- A scan as sent, then what was found about it, then its outcome. Arrays of these pass from step to step: a table for them would
-- cost each scan a write.
create type public.scan_decision as (
  position bigint, round bigint, sent_id text, id uuid, code_id uuid, issue_number integer, action text, at timestamptz, decided text,
  entrance_id uuid, plate text, reason text, undoes uuid,
  known_id uuid, -- the code's, if it exists
  admission_id uuid,
  verdict text, detail text, despite text, first_id uuid, is_new boolean
);

-- Scans of one code are decided one after another, in rounds, except for neighbours that do not affect each other's outcome: people
-- let in offline, and refusals. A repeated id waits until the others are written. p_bound_since: since when the device may scan only
-- at its entrance, or null. A code signed for another festival is refused, whatever the device would do; one that it has admitted
-- alone is an old code.
create function public.parse_scans(p_scans jsonb, p_entrance_id uuid, p_bound_since timestamptz) returns public.scan_decision[]
language sql stable set search_path = '' as $$
  with read as (
      select n, left(scan ->> 'id', 100) as sent_id,
        public.id_in(scan ->> 'id') as id,
        public.id_in(scan ->> 'code_id') as code_id,
        coalesce(scan ->> 'event' <> f.code, false) as is_foreign,
        -- An invalid number matches no code.
        case when scan ->> 'event' <> f.code then 0 when scan ->> 'issue_number' is null then null
          when scan ->> 'issue_number' ~ '^\d{1,9}$' then (scan ->> 'issue_number')::integer else 0 end as issue_number,
        scan ->> 'action' as action, scan ->> 'decided' as decided,
        case when scan ->> 'at' ~ '^\d{1,14}(\.\d{1,9})?$' then to_timestamp((scan ->> 'at')::numeric / 1000) end as at,
        (select e.id from public.gate_entrances e where e.id = public.id_in(scan ->> 'entrance_id')) as entrance_id,
        left(nullif(upper(btrim(scan ->> 'plate')), ''), 20) as plate,
        left(nullif(btrim(scan ->> 'reason'), ''), 200) as reason,
        public.id_in(scan ->> 'undoes') as undoes
      from jsonb_array_elements(p_scans) with ordinality as scans (scan, n) cross join public.festival f
  ), named as (
    select *, case when public.is_gate_refusal(decided) or (is_foreign and decided is null) then 'refused'
          when action in ('in', 'out', 'undo', 'refused') then action else 'malformed' end as act,
        case when id is null then 1 else row_number() over (partition by id order by n) end as nth_of_id
      from read
  ), compared as (
    select *, case when act in ('refused', 'malformed') then act = lag(act) over of_code
          when act = 'in' and decided = 'admitted' then lag(act) over of_code = 'in' and lag(decided) over of_code = 'admitted'
          end as goes_along
      from named window of_code as (partition by coalesce(code_id, id) order by n)
  ), counted as (
    select *, count(*) filter (where goes_along is not true) over (partition by coalesce(code_id, id) order by n) as step from compared
  )
  select array(
    select row(n, dense_rank() over (order by nth_of_id, step), sent_id, id, code_id, issue_number, act,
        case when decided is null then now() else least(coalesce(at, now()), now()) end,
        case when is_foreign then coalesce(decided, 'unknown') else decided end,
        coalesce(case when p_bound_since is null or decided is not null and at < p_bound_since then entrance_id end, p_entrance_id),
        plate, case when is_foreign and decided is null then 'other_festival' else reason end, undoes,
        null, null, null, null, null, null, null)::public.scan_decision
    from counted)
$$;

-- The outcome of each scan of one round. Several of one code are either all admissions of an offline device, of which the first may
-- be valid and the others conflict with it, or all refusals. "limit 1" and conditions within a lookup make it one index lookup for
-- each scan that needs it, and "offset 0" computes each verdict once: together this cut the time to a third (a thousand scans: from
-- 91 ms to 27 ms).
create function public.decide_scans(p_device public.gate_devices, p_scans public.scan_decision[]) returns public.scan_decision[]
language sql stable set search_path = '' as $$
  select array(
    select row(scan.position, scan.round, scan.sent_id, scan.id, scan.code_id, scan.issue_number, scan.action, m.at,
      scan.decided, scan.entrance_id, scan.plate, scan.reason, scan.undoes,
      code.id,
      -- The admission that an out or an undo refers to; a refusal takes back what the server had admitted under its id.
      case when scan.action = 'undo' then mine.id when scan.action = 'out' then last.id when scan.action = 'refused' then same.id end,
      v.verdict,
      case when b.is_taken then 'malformed'
        when v.verdict = 'unknown' then coalesce(said.detail, case when scan.action = 'malformed' or scan.id is null then 'malformed'
        when scan.action = 'refused' then scan.reason else 'not_in_books' end)
        when v.verdict = 'old_code' and scan.issue_number < code.transferred_issue then 'transferred'
        when v.verdict = 'closed' and f.is_cancelled then 'cancelled' end,
      case when v.verdict = 'admitted' then coalesce(same.despite, case when same.id is null and not m.is_past then c.flaw end) end,
      case when v.verdict = 'admitted' and same.id is not null then same.conflicts_with
        when v.verdict = 'admitted' and m.is_past then null
        when v.verdict in ('admitted', 'already_in') and c.is_in and last.id is not null then last.id
        when v.verdict = 'admitted' and v.is_new
          then nullif(first_value(scan.id) over (
            partition by scan.code_id, v.verdict = 'admitted' and v.is_new and not m.is_past and not (c.is_in and last.id is not null)
            order by scan.position), scan.id) end,
      v.is_new)::public.scan_decision
    from unnest(p_scans) as scan
    cross join public.gate_settings s
    cross join (select status = 'cancelled' as is_cancelled from public.festival) as f
    left join lateral (select * from public.entry_codes where id = scan.code_id limit 1) as code on true
    left join public.products y on y.id = code.product_id
    left join public.gate_entrances e on e.id = scan.entrance_id
    left join lateral (select * from public.admissions where id = scan.id limit 1) as same on true
    left join lateral (select * from public.gate_refusals where id = scan.id limit 1) as said on true
    -- A scan is never dated before its code or its device was created, whatever the device's clock says. Other devices' clocks may
    -- differ from this one's by seconds, and this device's own queue is in order.
    -- is_past: from a day that the festival has left since. It is recorded, neither judged nor counted.
    cross join lateral (select at, at + interval '10 seconds' as latest, coalesce(at < s.counts_from, false) as is_past
      from (select least(now(), greatest(scan.at, (p_device).created_at, code.created_at)) as at) as dated) as m
    left join lateral (select a.id, a.left_at, a.admitted_at, a.device_id, a.out_device_id from public.admissions a
      where a.code_id = code.id and a.conflicts_with is null and a.undone_at is null
      order by a.left_at is not null, a.admitted_at desc limit 1) as last on true
    -- An undo may name what it undoes, a way in or a way out. Otherwise it prefers this device's own admission to the valid one, and
    -- takes back nobody whom another device admitted after it.
    left join lateral (select a.id, a.left_at is not null and a.out_scan_id = scan.undoes as is_out from public.admissions a
      where a.code_id = code.id and a.undone_at is null and scan.action = 'undo' and (a.id = scan.undoes or (a.out_scan_id = scan.undoes and a.left_at is not null)
        or scan.undoes is null and (a.device_id = (p_device).id or a.admitted_at <= m.latest))
      order by a.device_id = (p_device).id desc, a.conflicts_with is null desc, a.admitted_at desc limit 1) as mine on true
    left join lateral (select a.id, a.code_id from public.admissions a
      where scan.action = 'out' and a.out_scan_id = scan.id limit 1) as let_out on true
    left join lateral (select a.id, a.code_id from public.admissions a
      where scan.action in ('undo', 'refused') and a.undo_scan_id = scan.id
      union all select a.id, a.code_id from public.admissions a
      where scan.action = 'undo' and a.out_undo_scan_id = scan.id limit 1) as undone on true
    cross join lateral (select
      -- A scan's id belongs to one code, and an admission's to one device: otherwise it would answer "admitted" and record nothing.
      -- A refusal may become an admission on another device: a newly opened phone hands in what it holds.
      same.id is not null and (same.device_id is distinct from (p_device).id or same.code_id is distinct from scan.code_id)
        or coalesce(said.code_id <> scan.code_id, false)
        or coalesce(let_out.code_id <> scan.code_id, false)
        or coalesce(undone.code_id <> scan.code_id, false) as is_taken) as b
    cross join lateral (select
      -- One decided before the way out came after a first admission that was still in.
      (last.left_at is null or not s.reentry
          or coalesce(scan.decided = 'admitted' and last.out_device_id is distinct from (p_device).id and m.latest < last.left_at, false))
        and (last.id is not null or code.checked_in_at is not null) as is_in,
      case when code.voided_at is not null then 'void'
        when scan.issue_number <> code.issue_number then 'old_code'
        when f.is_cancelled then 'closed'
        when m.at < s.doors_open_at or m.at >= s.doors_close_at then 'not_today'
        when not e.is_open then 'closed'
        when e.id is not null and not public.entrance_admits(e, code.has_attendee, code.product_id, y.is_vip) then 'wrong_entrance' end as flaw) as c
    cross join lateral (select case
      -- Reported before: nothing happens twice. But the device's decision counts: an admission made because our refusal came too
      -- late is recorded, and a refusal although we had admitted takes the admission back.
      when scan.id is null or scan.action = 'malformed' or b.is_taken then 'malformed'
      when let_out.id is not null then 'let out before'
      when undone.id is not null then 'undone before'
      when same.id is not null and scan.action = 'in' then 'admitted before'
      when said.id is not null and not (scan.action = 'in' and scan.decided = 'admitted') and same.id is null then 'refused before'
      when scan.action = 'refused' then 'refused'
      when code.id is null then 'unknown'
      when scan.action in ('undo', 'out') then scan.action
      when scan.decided = 'admitted' then 'admitted'
      when c.flaw in ('void', 'old_code') then 'flaw'
      when c.is_in then 'already_in'
      when c.flaw is not null then 'flaw'
      else 'admitted' end as situation offset 0) as w
    cross join lateral (select case w.situation
        when 'malformed' then 'unknown'
        when 'let out before' then 'let_out'
        when 'undone before' then case when scan.action = 'undo' then 'undone' else coalesce(said.reason, scan.decided) end
        when 'admitted before' then 'admitted'
        when 'refused before' then said.reason
        when 'refused' then case when public.is_gate_refusal(scan.decided) then scan.decided else 'unknown' end
        when 'undo' then case when mine.id is null then 'not_inside'
          -- A person who has come in again meanwhile is already in.
          when mine.is_out and last.left_at is null then 'already_in' else 'undone' end
        when 'out' then case when last.id is not null and last.left_at is null
          and (last.device_id = (p_device).id or last.admitted_at <= m.latest) then 'let_out' else 'not_inside' end
        when 'flaw' then c.flaw
        else w.situation end as verdict,
      w.situation not in ('malformed', 'let out before', 'undone before', 'admitted before', 'refused before') as is_new offset 0) as v
    order by scan.position)
$$;

-- Replaces an admission that was undone or left: the earliest conflict after it becomes valid. Then the codes record since when
-- their holders have been in.
create function public.recompute_admissions(p_code_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  update public.admissions a set conflicts_with = null
  from (
    select distinct on (c.code_id) c.id
    from public.admissions c join public.admissions f on f.id = c.conflicts_with
    where c.code_id = any (p_code_ids) and c.undone_at is null and c.left_at is null
      and (f.undone_at is not null or c.admitted_at >= f.left_at)
      and not exists (select from public.admissions o where o.code_id = c.code_id
        and o.conflicts_with is null and o.undone_at is null and o.left_at is null)
    order by c.code_id, c.admitted_at, c.id
  ) as promoted where a.id = promoted.id;
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

-- Lock all orders, then decide and write round by round. A write is one statement for all scans of a round, and is left out when no
-- scan needs it: most rounds only admit.
create function public.write_scans(p_device public.gate_devices, p_scans public.scan_decision[]) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  codes constant uuid[] := array(select code_id from unnest(p_scans) where code_id is not null);
  rounds constant bigint[] := array(select distinct round from unnest(p_scans) order by round);
  counted constant timestamptz := (select coalesce(counts_from, '-infinity') from public.gate_settings);
  turn bigint;
  scans public.scan_decision[];
  done public.scan_decision[] := '{}';
  admitted integer; -- new admissions of the round
  brought_back integer; -- exits undone
  taken_back integer; -- admissions undone; counted only so that each is logged
begin
  perform from public.orders where id = any (array(
      select order_id from public.entry_codes where id = any (codes)))
    order by id for no key update;
  foreach turn in array rounds loop
    scans := public.decide_scans(p_device,
      case when cardinality(rounds) = 1 then p_scans else array(select scan from unnest(p_scans) as scan where scan.round = turn) end);
    select count(*) into admitted from unnest(scans) where is_new and verdict = 'admitted';
    if admitted > 0 then
      delete from public.gate_refusals r using unnest(scans) as scan
        where r.id = scan.id and scan.is_new and scan.verdict = 'admitted' and scan.decided is not null;
      insert into public.admissions (id, code_id, device_id, device_name, entrance_id, admitted_by, admitted_at, is_offline,
          conflicts_with, despite, plate, undone_at, undo_reason)
        select id, known_id, (p_device).id, (p_device).name, entrance_id, auth.uid(), at, decided is not null, first_id, despite, plate,
            case when at < counted then now() end, case when at < counted then public.moved_reason() end
        from unnest(scans) where is_new and verdict = 'admitted';
      -- The earliest admission counts, whichever was handed in first.
      update public.entry_codes c set plate = case when k.is_vehicle then coalesce(scan.plate, c.plate) end,
          checked_in_at = case when c.voided_at is null or scan.at <= c.voided_at then least(c.checked_in_at, scan.at) else c.checked_in_at end
        from (select known_id, min(at) as at, bool_or(first_id is null) as stands,
            (array_agg(plate order by position desc) filter (where plate is not null))[1] as plate
          from unnest(scans) where is_new and verdict = 'admitted' and at >= counted group by known_id) as scan, public.product_kinds k
        where c.id = scan.known_id and k.kind = c.kind and ((k.is_vehicle and scan.plate is not null)
          or ((scan.stands or scan.at < c.checked_in_at) and (c.voided_at is null or scan.at <= c.voided_at)));
      -- The phone that let them in learns from its list that they are not in.
      if exists (select from unnest(scans) where is_new and verdict = 'admitted' and at < counted) then
        update public.entry_codes set changed_xid = pg_current_xact_id()
          where id = any (array(select known_id from unnest(scans) where is_new and verdict = 'admitted' and at < counted));
      end if;
    end if;
    if admitted < cardinality(scans) then
      if exists (select from unnest(scans) where is_new and (verdict in ('let_out', 'undone') or admission_id is not null)) then
        update public.admissions a set left_at = greatest(scan.at, a.admitted_at), out_scan_id = scan.id,
            out_device_id = (p_device).id, out_entrance_id = scan.entrance_id
          from unnest(scans) as scan where a.id = scan.admission_id and scan.is_new and scan.verdict = 'let_out';
        update public.admissions a set left_at = null, out_undo_scan_id = scan.id
          from unnest(scans) as scan where a.id = scan.admission_id and scan.is_new and scan.verdict = 'undone' and scan.undoes = a.out_scan_id;
        get diagnostics brought_back = row_count;
        if brought_back > 0 then
          perform public.write_audit('UPDATE', 'admissions', a.id::text, jsonb_build_object('is_out', true),
              jsonb_build_object('is_out', false, 'undone', coalesce(scan.reason, 'No reason given'), 'code_id', a.code_id,
                'device', (p_device).name, 'name', public.admitted_name(a.code_id)))
            from unnest(scans) as scan join public.admissions a on a.out_undo_scan_id = scan.id where scan.is_new;
        end if;
        with undone as (
          update public.admissions a set undone_at = now(), undone_by = auth.uid(), undo_scan_id = scan.id,
              undo_reason = case when scan.action = 'undo' then coalesce(scan.reason, 'No reason given') else 'Refused on the device' end
            from unnest(scans) as scan
            where a.id = scan.admission_id and scan.is_new and a.undone_at is null
              and (scan.action = 'refused' or (scan.action = 'undo' and scan.verdict = 'undone' and (scan.undoes is null or scan.undoes = a.id)))
            returning a.id, a.code_id, a.admitted_at, a.undo_reason
        )
        select count(public.write_audit('UPDATE', 'admissions', u.id::text, jsonb_build_object('admitted_at', u.admitted_at),
            jsonb_build_object('undone', u.undo_reason, 'code_id', u.code_id, 'device', (p_device).name,
              'name', public.admitted_name(u.code_id))))
          into taken_back from undone u;
        perform public.recompute_admissions(
          array(select known_id from unnest(scans) where is_new and known_id is not null and admission_id is not null));
      end if;
      insert into public.gate_refusals (id, device_id, device_name, entrance_id, reason, detail, code_id, scanned_at)
        select id, (p_device).id, (p_device).name, entrance_id, verdict, detail, known_id, at
        from unnest(scans) where is_new and verdict not in ('admitted', 'let_out', 'undone')
        on conflict (id) do nothing;
    end if;
    done := done || scans;
  end loop;
  return public.scan_answers(done);
end $$;

-- A code's holder as the gate shows them. Parking that comes with VIP is one pass per order: it is shown on one of the order's VIP
-- tickets, the one with the lowest id that was not passed on. Phones have the same rule (includesParking in the site).
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
create function public.scan_answers(p_scans public.scan_decision[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', scan.sent_id, 'result', scan.verdict)
      || case when scan.detail is not null then jsonb_build_object('detail', scan.detail) else '{}' end
      || case when scan.despite is not null then jsonb_build_object('despite', scan.despite) else '{}' end
      || case when scan.verdict = 'admitted' and scan.first_id is not null then jsonb_build_object('conflict', true, 'at', public.epoch_ms(scan.at)) else '{}' end
      || case when scan.first_id is not null then (
          select jsonb_build_object('first', jsonb_build_object('id', a.id, 'at', public.epoch_ms(a.admitted_at), 'entrance', e.name, 'device', a.device_name))
          from public.admissions a left join public.gate_entrances e on e.id = a.entrance_id where a.id = scan.first_id)
        -- In without an admission of ours: the check-in was written directly in SQL.
        when scan.verdict = 'already_in' and scan.decided is null then (
          select jsonb_build_object('first', jsonb_build_object('at', public.epoch_ms(checked_in_at), 'entrance', null, 'device', null))
          from public.entry_codes where id = scan.known_id)
        else '{}' end
      || case when scan.decided is null and scan.verdict = 'not_today' then (
          select jsonb_build_object('opens_at', public.epoch_ms(doors_open_at), 'closes_at', public.epoch_ms(doors_close_at))
          from public.gate_settings) else '{}' end
      || case when scan.decided is null and scan.verdict = 'wrong_entrance' then (
          select jsonb_build_object('entrances', coalesce(jsonb_agg(e.name order by e.created_at, e.name), '[]')) from public.gate_entrances e
          join public.entry_codes c on c.id = scan.known_id join public.products y on y.id = c.product_id
          where e.is_open and public.entrance_admits(e, c.has_attendee, y.id, y.is_vip)) else '{}' end
      || case when scan.decided is null and scan.known_id is not null
          -- The holder of an old code of a passed-on ticket does not learn who has it now.
          then jsonb_build_object('person', public.gate_person(scan.known_id)
            || case when scan.detail = 'transferred' then '{"name": ""}' else '{}' end::jsonb) else '{}' end
      order by scan.position), '[]')
    from unnest(p_scans) as scan
$$;

-- Halves a batch that cannot be written until the failing scan is alone. If its data is at fault, it would fail forever, and its
-- device hands in its queue from the front: it is logged whole in the audit log and answered, so that those behind it come in. A
-- scan that fails only for now (a lock, a full disk) is left out and sent again. It stops early enough to leave time for the
-- answer.
create function public.record_scans(p_device public.gate_devices, p_scans public.scan_decision[]) returns jsonb
language plpgsql set search_path = '' as $$
declare
  half constant integer := cardinality(p_scans) / 2;
begin
  if clock_timestamp() > statement_timestamp() + interval '4 seconds' then return '[]'; end if;
  return public.write_scans(p_device, p_scans);
exception when others then
  if half > 0 then
    return public.record_scans(p_device, p_scans[:half]) || public.record_scans(p_device, p_scans[half + 1:]);
  end if;
  -- Rolled-back transactions, lack of memory or disk, locks, interventions, and the system's own errors.
  if sqlstate ~ '^(40|53|55|57|58)' then return '[]'; end if;
  perform public.write_audit('ERROR_GATE_SCAN', 'gate_devices', (p_device).id::text, null, jsonb_build_object('name', (p_device).name,
    'scan', to_jsonb(p_scans[1]), 'error', left(sqlerrm, 500)));
  return case when p_scans[1].decided is null or sqlstate !~ '^(22|23|P0)' then '[]'
    else jsonb_build_array(jsonb_build_object('id', p_scans[1].sent_id, 'result', 'unknown', 'detail', 'not_recorded')) end;
end $$;

-- At most 1,000 scans, in the order in which they happened. The device resends scans that are missing from the answer, since they
-- were not recorded: scans that cannot be written, and those of the rounds after the 40th (a person in and out a thousand times),
-- which would exceed the statement's time limit. Of a revoked device, only what it decided alone before it was revoked is recorded:
-- the rest stays on it until it is restored, and a scan that asks now is refused. Statements are planned once per connection: planning them for each scan took two
-- thirds of its time (9 ms of processor time, 3 ms without).
create function public.gate_scan(p_device_id uuid, p_scans jsonb, p_pending numeric default 0, p_device_now numeric default null)
returns jsonb
language plpgsql security definer set search_path = '' set plan_cache_mode = force_generic_plan as $$
declare
  device public.gate_devices;
  scans public.scan_decision[];
  sent integer;
  results jsonb;
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
  -- Bound with its user's role: what waited on the phone from before was scanned elsewhere. A phone opened since then has nothing older.
  scans := public.parse_scans(p_scans, device.entrance_id, (
    select case when device.created_at < r.created_at then r.created_at else '-infinity' end
      from public.gate_invitations i left join public.user_roles r on r.user_id = device.user_id
      where i.id = device.invitation_id and i.entrance_id is not null));
  sent := cardinality(scans);
  if device.revoked_at is not null then
    scans := array(select scan from unnest(scans) as scan where scan.at < device.revoked_at order by scan.position);
    if cardinality(scans) = 0 then perform public.refuse_gate_access('device_revoked'); end if;
  end if;
  if exists (select from unnest(scans) where round > 40) then
    scans := array(select scan from unnest(scans) as scan where scan.round <= 40 order by scan.position);
  end if;
  results := public.record_scans(device, scans);
  -- What is not answered stays on the phone, too.
  perform public.record_device_contact(device,
    least(greatest(p_pending, 0) + sent - jsonb_array_length(results), 2147483647)::integer, p_device_now::bigint);
  return jsonb_build_object('results', results, 'now', public.epoch_ms(clock_timestamp()));
end $$;

revoke execute on function public.current_admission(uuid, timestamptz), public.parse_scans(jsonb, uuid, timestamptz),
  public.decide_scans(public.gate_devices, public.scan_decision[]), public.recompute_admissions(uuid[]),
  public.write_scans(public.gate_devices, public.scan_decision[]), public.record_scans(public.gate_devices, public.scan_decision[]),
  public.scan_answers(public.scan_decision[]), public.gate_person(uuid), public.moved_reason(),
  public.admitted_name(uuid) from public, anon, authenticated;
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
  with remembered as (update public.scans_broadcast set seen = pg_current_snapshot())
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
