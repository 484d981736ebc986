-- The gate: who lets people in, where, and what came of each scan. A phone decides alone while it is offline, so the server
-- writes down what happened and never changes who was let in: one code has one admission, and a second one is a conflict with
-- both places and times (docs/decisions/040). Everything goes through the functions below; phones read no table.

create table public.gate_entrances (
  id uuid primary key default gen_random_uuid(),
  name text not null check (length(btrim(name)) between 1 and 60),
  admits text not null check (admits in ('tickets', 'parking', 'both')),
  -- Null: every ticket type; for an express lane, every VIP type.
  ticket_type_ids uuid[],
  is_express boolean not null default false,
  is_open boolean not null default true,
  created_at timestamptz not null default now()
);
create unique index gate_entrances_one_name on public.gate_entrances (lower(btrim(name)));
insert into public.gate_entrances (id, name, admits, is_express) values
  ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3001', 'Main Entrance', 'tickets', false),
  ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3002', 'VIP Express', 'tickets', true),
  ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3003', 'Parking', 'parking', false);

create table public.gate_settings (
  only_row boolean primary key default true check (only_row),
  doors_open_at timestamptz, -- null: open
  doors_close_at timestamptz,
  reentry boolean not null default false,
  constraint gate_settings_doors check (doors_close_at > doors_open_at)
);
insert into public.gate_settings default values;

create table public.gate_invitations (
  id uuid primary key default gen_random_uuid(),
  token_hash bytea not null unique,
  label text not null check (length(btrim(label)) between 1 and 60),
  -- Set: its phones work there and nowhere else.
  entrance_id uuid references public.gate_entrances (id) on delete set null,
  phones integer not null default 1 check (phones between 1 and 200),
  created_by uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by uuid
);
alter table public.user_roles add foreign key (invitation_id) references public.gate_invitations (id);
create index user_roles_of_invitation on public.user_roles (invitation_id) where invitation_id is not null;

create table public.gate_devices (
  id uuid primary key, -- made on the device
  name text not null check (length(name) between 1 and 64),
  user_id uuid references auth.users (id) on delete set null,
  session_id uuid,
  invitation_id uuid references public.gate_invitations (id),
  entrance_id uuid references public.gate_entrances (id) on delete set null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- Scans it had not handed in when it was last heard, and how far its clock was behind ours.
  pending integer not null default 0 check (pending >= 0),
  clock_offset_ms bigint,
  left_at timestamptz,
  revoked_at timestamptz,
  revoked_by uuid
) with (fillfactor = 50);
create unique index gate_devices_one_name on public.gate_devices (lower(name)) where revoked_at is null and left_at is null;
create index gate_devices_of_user on public.gate_devices (user_id);
create index gate_devices_revoked on public.gate_devices (session_id) where revoked_at is not null;

create table public.admissions (
  id uuid primary key, -- the scan's, made on the device
  ticket_id uuid references public.tickets (id),
  permit_id uuid references public.parking_permits (id),
  device_id uuid references public.gate_devices (id), -- null: by the back office
  device_name text not null, -- what it was called then
  entrance_id uuid references public.gate_entrances (id) on delete set null,
  admitted_by uuid, -- no foreign key: an invitation's accounts go when it has ended
  admitted_at timestamptz not null,
  received_at timestamptz not null default now(),
  is_offline boolean not null default false,
  -- The admission of the same code that was there first.
  conflicts_with uuid references public.admissions (id),
  -- What the server would have refused it for.
  despite text check (despite in ('void', 'old_code', 'not_today', 'closed', 'wrong_entrance')),
  plate text check (length(plate) between 1 and 20),
  left_at timestamptz,
  out_scan_id uuid,
  out_device_id uuid references public.gate_devices (id),
  out_entrance_id uuid references public.gate_entrances (id) on delete set null,
  out_undo_scan_id uuid,
  undone_at timestamptz,
  undone_by uuid,
  undo_reason text,
  undo_scan_id uuid,
  constraint admissions_one_code check (num_nonnulls(ticket_id, permit_id) = 1),
  constraint admissions_in_order check (admitted_at <= received_at),
  constraint admissions_undone_why check ((undone_at is null) = (undo_reason is null))
) with (fillfactor = 80);
-- One code, one admission.
create unique index admissions_one_of_ticket on public.admissions (ticket_id)
  where conflicts_with is null and undone_at is null and left_at is null and ticket_id is not null;
create unique index admissions_one_of_permit on public.admissions (permit_id)
  where conflicts_with is null and undone_at is null and left_at is null and permit_id is not null;
-- With conflicts_with: the one that stands is found without reading the conflicts.
create index admissions_of_ticket on public.admissions (ticket_id, conflicts_with) where ticket_id is not null;
create index admissions_of_permit on public.admissions (permit_id, conflicts_with) where permit_id is not null;
-- Partial: most admissions have neither, and each entry of an index costs a scan time.
create unique index admissions_let_out on public.admissions (out_scan_id) where out_scan_id is not null;
create unique index admissions_out_undone on public.admissions (out_undo_scan_id) where out_undo_scan_id is not null;
create unique index admissions_undone on public.admissions (undo_scan_id) where undo_scan_id is not null;
create index admissions_newest on public.admissions (admitted_at);
create index admissions_left on public.admissions (left_at) where left_at is not null;
create index admissions_conflicts on public.admissions (conflicts_with) where conflicts_with is not null;
create index admissions_despite on public.admissions (received_at) where despite is not null;
create index admissions_taken_back on public.admissions (undone_at) where undone_at is not null;

create table public.gate_refusals (
  id uuid primary key, -- the scan's
  device_id uuid not null references public.gate_devices (id),
  device_name text not null,
  entrance_id uuid references public.gate_entrances (id) on delete set null,
  reason text not null check (reason in
    ('already_in', 'void', 'old_code', 'unknown', 'not_today', 'closed', 'wrong_entrance', 'not_inside')),
  detail text check (length(detail) <= 200),
  -- No foreign keys: a refusal is written for what nobody knows.
  ticket_id uuid,
  permit_id uuid,
  scanned_at timestamptz not null,
  received_at timestamptz not null default now()
);
create index gate_refusals_newest on public.gate_refusals (scanned_at);
create index gate_refusals_received on public.gate_refusals (received_at);

-- What gate_counts last counted, and how long that took. Unlogged: a crash costs one count.
create unlogged table public.gate_counted (
  only_row boolean primary key default true check (only_row),
  counted_at timestamptz not null,
  took interval not null,
  counts jsonb not null
);

-- By the beginning of a plate (gate_search).
create index parking_permits_by_plate on public.parking_permits (plate text_pattern_ops) where plate is not null;

-- The public halves of the keys that ever signed an entry code: a rotated key's stays, so that sold codes stay good.
create table public.entry_keys (
  id text primary key, -- RFC 7638's thumbprint
  public_jwk jsonb not null check (public_jwk ->> 'x' is not null and not public_jwk ? 'd'),
  created_at timestamptz not null default now()
);

create trigger gate_entrances_audit after insert or update or delete on public.gate_entrances
  for each row execute function public.audit_change();
create trigger gate_settings_audit after update on public.gate_settings
  for each row execute function public.audit_change();

alter table public.gate_entrances enable row level security;
alter table public.gate_settings enable row level security;
alter table public.gate_invitations enable row level security;
alter table public.gate_devices enable row level security;
alter table public.admissions enable row level security;
alter table public.gate_refusals enable row level security;
alter table public.entry_keys enable row level security;
alter table public.gate_counted enable row level security;
create policy "Nobody but the gate's board reads what it counted" on public.gate_counted
  for all to anon, authenticated using (false) with check (false);
revoke all on public.gate_entrances, public.gate_settings, public.gate_invitations, public.gate_devices, public.admissions,
  public.gate_refusals, public.entry_keys, public.gate_counted from anon, authenticated;
grant select on public.gate_entrances, public.gate_settings, public.gate_devices, public.admissions, public.gate_refusals,
  public.entry_keys to authenticated;
grant select (id, label, entrance_id, phones, created_by, created_at, expires_at, revoked_at, revoked_by)
  on public.gate_invitations to authenticated;
grant insert (name, admits, ticket_type_ids, is_express, is_open), update (name, admits, ticket_type_ids, is_express, is_open),
  delete on public.gate_entrances to authenticated;
grant update (doors_open_at, doors_close_at, reentry) on public.gate_settings to authenticated;

create policy "Admins and the gate read the entrances" on public.gate_entrances
  for select to authenticated using ((select public.has_role('admin', 'gate')));
create policy "Admins add entrances" on public.gate_entrances
  for insert to authenticated with check ((select public.is_admin()));
create policy "Admins change entrances" on public.gate_entrances
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));
create policy "Admins remove entrances" on public.gate_entrances
  for delete to authenticated using ((select public.is_admin()));
create policy "Admins and the gate read the gate's settings" on public.gate_settings
  for select to authenticated using ((select public.has_role('admin', 'gate')));
create policy "Admins change the gate's settings" on public.gate_settings
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));
create policy "Admins read the gate's invitations" on public.gate_invitations
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the gate's devices" on public.gate_devices
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the admissions" on public.admissions
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the refusals" on public.gate_refusals
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the entry keys" on public.entry_keys
  for select to authenticated using ((select public.is_admin()));

-- ── Words ──────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Milliseconds, as devices count.
create function public.gate_ms(p_at timestamptz) returns bigint language sql immutable
return floor(extract(epoch from p_at) * 1000)::bigint;

-- Whom it is for, open or closed. contract/gate says the same (entranceAdmits), for devices that are offline.
create function public.entrance_admits(p_entrance public.gate_entrances, p_is_ticket boolean, p_type_id uuid, p_is_vip boolean)
returns boolean language sql immutable
return case when not p_is_ticket then p_entrance.admits <> 'tickets'
  when p_entrance.admits = 'parking' then false
  when p_entrance.ticket_type_ids is not null then p_type_id = any (p_entrance.ticket_type_ids)
  else p_is_vip or not p_entrance.is_express end;

create function public.gate_entrance_json(p_entrance public.gate_entrances) returns jsonb language sql immutable
return jsonb_build_object('id', p_entrance.id, 'name', p_entrance.name, 'admits', p_entrance.admits,
  'ticket_type_ids', to_jsonb(p_entrance.ticket_type_ids), 'is_express', p_entrance.is_express, 'is_open', p_entrance.is_open);

create function public.gate_entrances_json() returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(public.gate_entrance_json(e) order by e.created_at, e.id), '[]') from public.gate_entrances e
$$;

create function public.gate_settings_json() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('doors_open_at', public.gate_ms(doors_open_at), 'doors_close_at', public.gate_ms(doors_close_at),
    'reentry', reentry) from public.gate_settings
$$;

-- ── Devices ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- The device then drops names and lists, and keeps its queue.
create function public.refuse_gate(p_why text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception '%', case p_why when 'device_revoked' then 'This device may no longer scan.'
      when 'invitation_revoked' then 'The invitation of this phone was taken back.'
      when 'invitation_ended' then 'The invitation of this phone has ended.'
      when 'unknown_device' then 'This device has not been opened by this account.'
      else 'This account may not work at the gate.' end
    using errcode = '42501', detail = 'gate_access_removed', hint = p_why;
end $$;

-- Whoever holds a revoked phone cannot go on under another device id of the same session.
create function public.is_revoked_session() returns boolean
language sql stable set search_path = '' as $$
  select exists (select from public.gate_devices
    where session_id = (auth.jwt() ->> 'session_id')::uuid and revoked_at is not null)
$$;

-- Why a user may not work at the gate; null: may.
create function public.gate_access_lost(p_user_id uuid) returns text
language sql stable security definer set search_path = '' as $$
  select case when r.user_id is null or (r.role not in ('admin', 'gate')) then 'role_removed'
      when i.revoked_at is not null then 'invitation_revoked'
      when r.expires_at <= now() then case when i.id is null then 'role_removed' else 'invitation_ended' end end
    from (select p_user_id as id) as u left join public.user_roles r on r.user_id = u.id
    left join public.gate_invitations i on i.id = r.invitation_id
$$;

-- The caller's own device. An administrator may hand in what a revoked one still holds.
create function public.require_gate_device(p_device_id uuid) returns public.gate_devices
language plpgsql stable set search_path = '' as $$
declare
  device public.gate_devices;
begin
  if not public.has_role('admin', 'gate') then perform public.refuse_gate(public.gate_access_lost(auth.uid())); end if;
  select * into device from public.gate_devices where id = p_device_id;
  if device.id is null
      or (device.user_id is distinct from auth.uid() and (device.revoked_at is null or not public.is_admin())) then
    perform public.refuse_gate('unknown_device');
  end if;
  if (device.revoked_at is not null or public.is_revoked_session()) and not public.is_admin() then
    perform public.refuse_gate('device_revoked');
  end if;
  return device;
end $$;

-- "Gate 3", or "Gate 3 2" when another device has that name.
create function public.free_device_name(p_device_id uuid, p_name text) returns text
language plpgsql set search_path = '' as $$
declare
  wanted constant text := coalesce(nullif(left(btrim(regexp_replace(p_name, '[[:cntrl:]]', '', 'g')), 60), ''), 'Device');
begin
  perform pg_advisory_xact_lock(hashtextextended('gate_device_names', 0));
  return (select name from (
      select case when n = 1 then wanted else wanted || ' ' || n end as name, n from generate_series(1, 999) as n) as names
    where not exists (select from public.gate_devices d where lower(d.name) = lower(names.name) and d.id <> p_device_id
      and d.revoked_at is null and d.left_at is null)
    order by n limit 1);
end $$;

-- Registers a device or renews it; a name or entrance that is left out stays as it was.
create function public.gate_open(p_device_id uuid, p_name text default null, p_entrance_id uuid default null,
  p_pending integer default null) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
  session constant uuid := (auth.jwt() ->> 'session_id')::uuid;
  administers constant boolean := public.is_admin();
  role public.user_roles;
  bound_to uuid;
  was public.gate_devices;
  device public.gate_devices;
begin
  if not public.has_role('admin', 'gate') then perform public.refuse_gate(public.gate_access_lost(auth.uid())); end if;
  if p_device_id is null then raise exception 'A device needs an id.' using errcode = '22023'; end if;
  if p_entrance_id is not null and not exists (select from public.gate_entrances where id = p_entrance_id) then
    raise exception 'This entrance does not exist any more. Choose another one.' using errcode = '22023';
  end if;
  select * into role from public.user_roles where user_id = caller;
  bound_to := (select entrance_id from public.gate_invitations where id = role.invitation_id);
  select * into was from public.gate_devices where id = p_device_id for update;
  if not administers then
    if was.revoked_at is not null or public.is_revoked_session() then perform public.refuse_gate('device_revoked'); end if;
    -- A shared phone changes hands once its last user has signed out or may no longer work at the gate.
    if was.user_id <> caller and was.left_at is null and exists (select from public.user_roles r where r.user_id = was.user_id
        and r.role in ('admin', 'gate') and (r.expires_at is null or r.expires_at > now())) then
      perform public.refuse_gate('unknown_device');
    end if;
  end if;
  insert into public.gate_devices as d (id, name, user_id, session_id, invitation_id, entrance_id, pending)
    values (p_device_id, public.free_device_name(p_device_id, coalesce(p_name, was.name)), caller, session, role.invitation_id,
      coalesce(bound_to, p_entrance_id), greatest(coalesce(p_pending, 0), 0))
    on conflict (id) do update set last_seen_at = now(), left_at = null, pending = coalesce(greatest(p_pending, 0), d.pending),
      -- A revoked device stays its user's, who goes on once it is restored. The session that lost it is remembered, and its name
      -- may be another's by now.
      user_id = case when d.revoked_at is null then excluded.user_id else d.user_id end,
      invitation_id = case when d.revoked_at is null then excluded.invitation_id else d.invitation_id end,
      session_id = case when d.revoked_at is null then excluded.session_id else d.session_id end,
      name = case when d.revoked_at is null then excluded.name else d.name end,
      entrance_id = coalesce(bound_to, p_entrance_id, d.entrance_id)
    returning * into device;
  return jsonb_build_object('now', public.gate_ms(clock_timestamp()),
    'device', jsonb_build_object('id', device.id, 'name', device.name, 'entrance_id', device.entrance_id,
      'renamed', p_name is not null and lower(device.name) <> lower(btrim(p_name)), 'is_revoked', device.revoked_at is not null, 'is_bound', bound_to is not null),
    'entrances', public.gate_entrances_json(),
    'settings', public.gate_settings_json(),
    'types', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name, 'kind', kind, 'is_vip', is_vip) order by kind desc, price, id), '[]')
      from (select id, name, 'ticket' as kind, is_vip, price from public.ticket_types
        union all select id, type_name, 'parking', false, price from public.parking_passes) as types),
    'keys', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'jwk', public_jwk) order by created_at, id), '[]') from public.entry_keys),
    'role', role.role, 'expires_at', public.gate_ms(role.expires_at));
end $$;

-- The phone is put away: its name is free again.
create function public.gate_leave(p_device_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_gate_device(p_device_id);
  update public.gate_devices set left_at = now(), last_seen_at = now() where id = p_device_id;
end $$;

-- Not with every scan: twenty devices would write a row each time somebody walks in.
create function public.hear_device(p_device public.gate_devices, p_pending integer, p_device_now bigint) returns void
language sql volatile set search_path = '' as $$
  update public.gate_devices d set last_seen_at = now(), left_at = null, pending = coalesce(greatest(p_pending, 0), d.pending),
      clock_offset_ms = coalesce(public.gate_ms(clock_timestamp()) - p_device_now, d.clock_offset_ms)
    where d.id = (p_device).id and ((p_device).last_seen_at < now() - interval '5 seconds'
      or (p_device).pending is distinct from coalesce(greatest(p_pending, 0), (p_device).pending));
$$;

-- ── The list that a device decides from while it is offline ──────────────────────────────────────────────────────────

-- Everything valid or void with its state, in pages, and then only what changed. p_since is what the last answer called
-- "upto"; null, or one from another life of the database (restarted, restored), begins a whole list.
--
-- A change is listed once its transaction and all older ones have ended: below the oldest that is under way, nothing more can
-- appear. A whole list is read by id, so that rows which a restored dump brought from far ahead are in it as well.
create function public.gate_list(p_device_id uuid, p_since text default null, p_limit integer default 5000) returns jsonb
language plpgsql security definer set search_path = '' set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
declare
  most constant integer := least(greatest(p_limit, 1), 5000);
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  life constant text := floor(extract(epoch from pg_postmaster_start_time()) * 1000)::bigint::text;
  told constant text[] := regexp_match(p_since, '^(\d{1,18})\.(\d{1,19})\.(all|new)\.([0-9a-f-]{36})$');
  settled constant xid8 := pg_snapshot_xmin(pg_current_snapshot());
  reset constant boolean := told is null or told[1] <> life or not pg_input_is_valid(told[4], 'uuid')
    or told[2]::numeric > settled::text::numeric;
  whole constant boolean := reset or told[3] = 'all';
  since constant xid8 := case when reset then settled else told[2]::xid8 end;
  after constant uuid := case when reset then nobody else told[4]::uuid end;
  rows jsonb;
  listed integer;
  last_xid xid8;
  last_id uuid;
begin
  perform public.hear_device(public.require_gate_device(p_device_id), null, null);
  with page as materialized (
    select * from (
      (select id, true as is_ticket, changed_xid from public.tickets where whole and id > after order by id limit most)
      union all (select id, false, changed_xid from public.parking_permits where whole and id > after order by id limit most)
      union all (select id, true, changed_xid from public.tickets
        where not whole and (changed_xid, id) > (since, after) and changed_xid < settled order by changed_xid, id limit most)
      union all (select id, false, changed_xid from public.parking_permits
        where not whole and (changed_xid, id) > (since, after) and changed_xid < settled order by changed_xid, id limit most)
    ) as either
    order by case when not whole then changed_xid end, id limit most
  ), full_page as (
    select page.id, page.changed_xid, jsonb_build_array(t.id, 'ticket', t.ticket_type_id, t.issue_number,
        (t.voided_at is not null)::integer, public.gate_ms(i.since), i.entrance_id, t.attendee_name, t.attendee_email,
        left(t.order_id::text, 8), null) as line
      from page join public.tickets t on t.id = page.id and page.is_ticket
      cross join lateral public.gate_inside(t.id, null, t.checked_in_at) as i
    union all
    select page.id, page.changed_xid, jsonb_build_array(p.id, 'parking', p.parking_pass_id, p.issue_number,
        (p.voided_at is not null)::integer, public.gate_ms(i.since), i.entrance_id, o.buyer_full_name, o.buyer_email,
        left(p.order_id::text, 8), p.plate)
      from page join public.parking_permits p on p.id = page.id and not page.is_ticket
      join public.orders o on o.id = p.order_id
      cross join lateral public.gate_inside(null, p.id, p.checked_in_at) as i
  )
  select coalesce(jsonb_agg(line), '[]'), count(*),
      (array_agg(id order by case when not whole then changed_xid end desc, id desc))[1], max(changed_xid)
    into rows, listed, last_id, last_xid from full_page;
  return jsonb_build_object('now', public.gate_ms(clock_timestamp()), 'reset', reset, 'more', listed = most, 'rows', rows,
    'entrances', public.gate_entrances_json(), 'settings', public.gate_settings_json(),
    'upto', concat_ws('.', life, case when whole then since when listed = most then last_xid else settled end,
      case when whole and listed = most then 'all' else 'new' end,
      case when listed = most then last_id else nobody end));
end $$;

-- Since when a code's holder is in, and through which entrance; null for who may come in. Without a search path of its own, so
-- that it becomes part of the query: planned for each of a page's 5,000 rows, it outlasted the statement's time.
create function public.gate_inside(p_ticket_id uuid, p_permit_id uuid, p_checked_in_at timestamptz)
returns table (since timestamptz, entrance_id uuid, admission_id uuid, out_id uuid)
language sql stable as $$
  select case when a.id is null then p_checked_in_at when a.left_at is not null and s.reentry then null else a.admitted_at end,
      a.entrance_id, a.id, case when a.left_at is not null then a.out_scan_id end
    from public.gate_settings s
    left join lateral (select * from (
        select * from public.admissions where ticket_id = p_ticket_id and conflicts_with is null and undone_at is null
        union all select * from public.admissions where permit_id = p_permit_id and conflicts_with is null and undone_at is null) as either
      where p_checked_in_at is not null
      order by left_at is not null, admitted_at desc limit 1) as a on true
$$;

-- ── Scans ──────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A scan as it was sent, then what was found of it, then what came of it. Arrays of it go from step to step: a table of
-- their own would cost each scan a write.
create type public.gate_look as (
  nth bigint, round bigint, sent text, id uuid, code_id uuid, issue_number integer, action text, at timestamptz, decided text,
  entrance_id uuid, plate text, reason text, undoes uuid,
  ticket_id uuid, permit_id uuid, admission_id uuid,
  verdict text, detail text, despite text, first_id uuid, is_new boolean
);

-- Scans of one code are decided one after the other, in rounds, but for neighbours of which none changes what comes of the next:
-- people let in offline, and refusals. A repeated id waits until the others are written.
create function public.read_scans(p_scans jsonb, p_entrance_id uuid, p_is_bound boolean) returns public.gate_look[]
language sql stable set search_path = '' as $$
  with read as (
      select n, left(scan ->> 'id', 100) as sent,
        case when pg_input_is_valid(scan ->> 'id', 'uuid') then (scan ->> 'id')::uuid end as id,
        case when pg_input_is_valid(scan ->> 'code_id', 'uuid') then (scan ->> 'code_id')::uuid end as code_id,
        -- A number that is none fits no code.
        case when scan ->> 'issue_number' is null then null
          when pg_input_is_valid(scan ->> 'issue_number', 'integer') then (scan ->> 'issue_number')::integer else 0 end as issue_number,
        scan ->> 'action' as action, scan ->> 'decided' as decided,
        case when scan ->> 'at' ~ '^\d{1,14}(\.\d{1,9})?$' then to_timestamp((scan ->> 'at')::numeric / 1000) end as at,
        case when not p_is_bound and pg_input_is_valid(scan ->> 'entrance_id', 'uuid') then (select e.id from public.gate_entrances e where e.id = (scan ->> 'entrance_id')::uuid) end as entrance_id,
        left(nullif(upper(btrim(scan ->> 'plate')), ''), 20) as plate,
        left(nullif(btrim(scan ->> 'reason'), ''), 200) as reason,
        case when pg_input_is_valid(scan ->> 'undoes', 'uuid') then (scan ->> 'undoes')::uuid end as undoes
      from jsonb_array_elements(p_scans) with ordinality as scans (scan, n)
  ), named as (
    select *, case when decided in ('already_in', 'void', 'old_code', 'unknown', 'not_today', 'closed', 'wrong_entrance', 'not_inside') then 'refused'
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
    select row(n, dense_rank() over (order by nth_of_id, step), sent, id, code_id, issue_number, act,
        case when decided is null then now() else least(coalesce(at, now()), now()) end, decided,
        coalesce(entrance_id, p_entrance_id), plate, reason, undoes,
        null, null, null, null, null, null, null, null)::public.gate_look
    from counted)
$$;

-- What comes of each scan of one round. Several of one code are all admissions of an offline device, of which the first may
-- stand and the others conflict with it, or all refusals. "limit 1" and conditions within a look-up make it one of an index for
-- each scan that needs it, and "offset 0" makes a verdict once: together a third of the time (a thousand scans: 91 ms to 27).
create function public.decide_scans(p_device public.gate_devices, p_looks public.gate_look[]) returns public.gate_look[]
language sql stable set search_path = '' as $$
  select array(
    select row(l.nth, l.round, l.sent, l.id, l.code_id, l.issue_number, l.action, b.at, l.decided, l.entrance_id, l.plate, l.reason, l.undoes,
      t.id, p.id,
      -- What an out or an undo is about; a refusal takes back what the server had admitted under its id.
      case when l.action = 'undo' then mine.id when l.action = 'out' then last.id when l.action = 'refused' then same.id end,
      v.verdict,
      case when b.is_taken then 'malformed'
        when v.verdict = 'unknown' then coalesce(said.detail, case when l.action = 'malformed' or l.id is null then 'malformed'
        when l.action = 'refused' then l.reason else 'not_in_books' end) end,
      case when v.verdict = 'admitted' then coalesce(same.despite, case when same.id is null then c.flaw end) end,
      case when v.verdict = 'admitted' and same.id is not null then same.conflicts_with
        when v.verdict in ('admitted', 'already_in') and c.is_in and last.id is not null then last.id
        when v.verdict = 'admitted' and v.is_new
          then nullif(first_value(l.id) over (partition by l.code_id, v.verdict = 'admitted' and v.is_new order by l.nth), l.id) end,
      v.is_new)::public.gate_look
    from unnest(p_looks) as l
    cross join public.gate_settings s
    left join lateral (select * from public.tickets where id = l.code_id limit 1) as t on true
    left join lateral (select * from public.parking_permits where id = l.code_id limit 1) as p on true
    left join public.ticket_types ty on ty.id = t.ticket_type_id
    left join public.gate_entrances e on e.id = l.entrance_id
    left join lateral (select * from public.admissions where id = l.id limit 1) as same on true
    left join lateral (select * from public.gate_refusals where id = l.id limit 1) as said on true
    -- Two look-ups, not one with "or": an id is a ticket's or a permit's, and the other one costs nothing.
    left join lateral (select a.id, a.left_at from (
        select * from public.admissions where ticket_id = t.id and conflicts_with is null and undone_at is null
        union all select * from public.admissions where permit_id = p.id and conflicts_with is null and undone_at is null) as a
      order by a.left_at is not null, a.admitted_at desc limit 1) as last on true
    -- What is undone may be named, a way in or a way out. Otherwise it is this device's own admission before the one that stands.
    left join lateral (select a.id, a.left_at is not null and a.out_scan_id = l.undoes as is_out from (
        select * from public.admissions where ticket_id = t.id and undone_at is null
        union all select * from public.admissions where permit_id = p.id and undone_at is null) as a
      where l.action = 'undo' and (l.undoes is null or a.id = l.undoes or (a.out_scan_id = l.undoes and a.left_at is not null))
      order by a.device_id = (p_device).id desc, a.conflicts_with is null desc, a.admitted_at desc limit 1) as mine on true
    left join lateral (select a.id, a.ticket_id, a.permit_id from public.admissions a
      where l.action = 'out' and a.out_scan_id = l.id limit 1) as let_out on true
    left join lateral (select a.id, a.ticket_id, a.permit_id from public.admissions a
      where l.action in ('undo', 'refused') and a.undo_scan_id = l.id
      union all select a.id, a.ticket_id, a.permit_id from public.admissions a
      where l.action = 'undo' and a.out_undo_scan_id = l.id limit 1) as undone on true
    cross join lateral (select
      -- Nobody is scanned before their ticket was made or the device was, whatever its clock says.
      least(now(), greatest(l.at, (p_device).created_at, t.created_at, p.created_at)) as at,
      -- A scan's id belongs to one code, and an admission's to one device: it would else answer "admitted" and write nothing
      -- down. A refusal may become an admission on another device: a phone that was opened anew hands in what it holds.
      same.id is not null and (same.device_id is distinct from (p_device).id or coalesce(same.ticket_id, same.permit_id) is distinct from l.code_id)
        or coalesce(coalesce(said.ticket_id, said.permit_id) <> l.code_id, false)
        or coalesce(coalesce(let_out.ticket_id, let_out.permit_id) <> l.code_id, false)
        or coalesce(coalesce(undone.ticket_id, undone.permit_id) <> l.code_id, false) as is_taken) as b
    cross join lateral (select
      coalesce(last.left_at is null or not s.reentry, false) and (last.id is not null or coalesce(t.checked_in_at, p.checked_in_at) is not null) as is_in,
      case when coalesce(t.voided_at, p.voided_at) is not null then 'void'
        when l.issue_number <> coalesce(t.issue_number, p.issue_number) then 'old_code'
        when b.at < s.doors_open_at or b.at >= s.doors_close_at then 'not_today'
        when not e.is_open then 'closed'
        when e.id is not null and not public.entrance_admits(e, t.id is not null, coalesce(t.ticket_type_id, p.parking_pass_id), coalesce(ty.is_vip, false))
          then 'wrong_entrance' end as flaw) as c
    cross join lateral (select case
      -- Said before: nothing happens twice. But the device acts: who was let in because our refusal came too late is written
      -- down, and who was refused although we had admitted them is taken back.
      when l.id is null or l.action = 'malformed' or b.is_taken then 'malformed'
      when let_out.id is not null then 'let out before'
      when undone.id is not null then 'undone before'
      when same.id is not null and l.action = 'in' then 'admitted before'
      when said.id is not null and not (l.action = 'in' and l.decided = 'admitted') and same.id is null then 'refused before'
      when l.action = 'refused' then 'refused'
      when t.id is null and p.id is null then 'unknown'
      when l.action in ('undo', 'out') then l.action
      when l.decided = 'admitted' then 'admitted'
      when c.flaw in ('void', 'old_code') then 'flaw'
      when c.is_in then 'already_in'
      when c.flaw is not null then 'flaw'
      else 'admitted' end as situation offset 0) as w
    cross join lateral (select case w.situation
        when 'malformed' then 'unknown'
        when 'let out before' then 'let_out'
        when 'undone before' then case when l.action = 'undo' then 'undone' else coalesce(said.reason, l.decided) end
        when 'admitted before' then 'admitted'
        when 'refused before' then said.reason
        when 'refused' then case when l.decided in ('already_in', 'void', 'old_code', 'unknown', 'not_today', 'closed', 'wrong_entrance', 'not_inside') then l.decided else 'unknown' end
        when 'undo' then case when mine.id is null then 'not_inside'
          -- Who came in again meanwhile is in already.
          when mine.is_out and last.left_at is null then 'already_in' else 'undone' end
        when 'out' then case when last.id is not null and last.left_at is null then 'let_out' else 'not_inside' end
        when 'flaw' then c.flaw
        else w.situation end as verdict,
      w.situation not in ('malformed', 'let out before', 'undone before', 'admitted before', 'refused before') as is_new offset 0) as v
    order by l.nth)
$$;

-- Who stands in for an admission that was undone or left: the earliest conflict after it is a conflict no more. Then the
-- tickets say since when somebody is in.
create function public.settle_codes(p_ticket_ids uuid[], p_permit_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  update public.admissions a set conflicts_with = null
  from (
    select distinct on (c.ticket_id, c.permit_id) c.id
    from public.admissions c join public.admissions f on f.id = c.conflicts_with
    where (c.ticket_id = any (p_ticket_ids) or c.permit_id = any (p_permit_ids)) and c.undone_at is null and c.left_at is null
      and (f.undone_at is not null or c.admitted_at >= f.left_at)
      and not exists (select from public.admissions o where (o.ticket_id = c.ticket_id or o.permit_id = c.permit_id)
        and o.conflicts_with is null and o.undone_at is null and o.left_at is null)
    order by c.ticket_id, c.permit_id, c.admitted_at, c.id
  ) as promoted where a.id = promoted.id;
  -- Further conflicts are with the one that stands now.
  update public.admissions c set conflicts_with = o.id
    from public.admissions f, public.admissions o
    where f.id = c.conflicts_with and f.undone_at is not null and (c.ticket_id = any (p_ticket_ids) or c.permit_id = any (p_permit_ids))
      and (o.ticket_id = c.ticket_id or o.permit_id = c.permit_id) and o.id <> c.id
      and o.conflicts_with is null and o.undone_at is null and o.left_at is null;
  update public.tickets t set checked_in_at = (select min(admitted_at) from public.admissions a
      where a.ticket_id = t.id and a.undone_at is null and a.admitted_at <= coalesce(t.voided_at, 'infinity'))
    where t.id = any (p_ticket_ids);
  update public.parking_permits p set checked_in_at = (select min(admitted_at) from public.admissions a
      where a.permit_id = p.id and a.undone_at is null and a.admitted_at <= coalesce(p.voided_at, 'infinity'))
    where p.id = any (p_permit_ids);
end $$;

-- Whom an audit entry is about.
create function public.admitted_name(p_ticket_id uuid) returns text
language sql stable set search_path = '' as $$
  select coalesce((select attendee_name from public.tickets where id = p_ticket_id), 'a vehicle')
$$;

-- Lock, decide, write; each step is one statement for all scans of a round.
create function public.take_scans(p_device public.gate_devices, p_looks public.gate_look[]) returns jsonb
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  codes constant uuid[] := array(select code_id from unnest(p_looks) where code_id is not null);
  rounds constant bigint[] := array(select distinct round from unnest(p_looks) order by round);
  turn bigint;
  looks public.gate_look[];
  done public.gate_look[] := '{}';
  news integer;
begin
  perform from public.orders where id = any (array(
      select order_id from public.tickets where id = any (codes)
      union select order_id from public.parking_permits where id = any (codes)))
    order by id for no key update;
  foreach turn in array rounds loop
    looks := public.decide_scans(p_device,
      case when cardinality(rounds) = 1 then p_looks else array(select l from unnest(p_looks) as l where l.round = turn) end);
    select count(*) into news from unnest(looks) where is_new and verdict = 'admitted';
    if news > 0 then
      delete from public.gate_refusals r using unnest(looks) as l
        where r.id = l.id and l.is_new and l.verdict = 'admitted' and l.decided is not null;
      insert into public.admissions (id, ticket_id, permit_id, device_id, device_name, entrance_id, admitted_by, admitted_at, is_offline,
          conflicts_with, despite, plate)
        select id, ticket_id, permit_id, (p_device).id, (p_device).name, entrance_id, auth.uid(), at, decided is not null, first_id, despite, plate
        from unnest(looks) where is_new and verdict = 'admitted';
      -- The earliest let-in, whichever was handed in first.
      update public.tickets t set checked_in_at = least(t.checked_in_at, l.at)
        from (select ticket_id, min(at) as at, bool_or(first_id is null) as stands
          from unnest(looks) where is_new and verdict = 'admitted' and ticket_id is not null group by ticket_id) as l
        where t.id = l.ticket_id and (l.stands or l.at < t.checked_in_at) and (t.voided_at is null or l.at <= t.voided_at);
      if exists (select from unnest(looks) where is_new and verdict = 'admitted' and permit_id is not null) then
        update public.parking_permits p set plate = coalesce(l.plate, p.plate),
            checked_in_at = case when p.voided_at is null or l.at <= p.voided_at then least(p.checked_in_at, l.at) else p.checked_in_at end
          from (select permit_id, min(at) as at,
              (array_agg(plate order by nth desc) filter (where plate is not null))[1] as plate
            from unnest(looks) where is_new and verdict = 'admitted' and permit_id is not null group by permit_id) as l
          where p.id = l.permit_id;
      end if;
    end if;
    if news < cardinality(looks) then
      if exists (select from unnest(looks) where is_new and (verdict in ('let_out', 'undone') or admission_id is not null)) then
        update public.admissions a set left_at = greatest(l.at, a.admitted_at), out_scan_id = l.id,
            out_device_id = (p_device).id, out_entrance_id = l.entrance_id
          from unnest(looks) as l where a.id = l.admission_id and l.is_new and l.verdict = 'let_out';
        update public.admissions a set left_at = null, out_undo_scan_id = l.id
          from unnest(looks) as l where a.id = l.admission_id and l.is_new and l.verdict = 'undone' and l.undoes = a.out_scan_id;
        get diagnostics news = row_count;
        if news > 0 then
          perform public.write_audit('UPDATE', 'admissions', a.id::text, jsonb_build_object('is_out', true),
              jsonb_build_object('is_out', false, 'undone', coalesce(l.reason, 'No reason given'), 'ticket_id', a.ticket_id,
                'permit_id', a.permit_id, 'device', (p_device).name, 'name', public.admitted_name(a.ticket_id)))
            from unnest(looks) as l join public.admissions a on a.out_undo_scan_id = l.id where l.is_new;
        end if;
        with undone as (
          update public.admissions a set undone_at = now(), undone_by = auth.uid(), undo_scan_id = l.id,
              undo_reason = case when l.action = 'undo' then coalesce(l.reason, 'No reason given') else 'Refused on the device' end
            from unnest(looks) as l
            where a.id = l.admission_id and l.is_new and a.undone_at is null
              and (l.action = 'refused' or (l.action = 'undo' and l.verdict = 'undone' and (l.undoes is null or l.undoes = a.id)))
            returning a.id, a.ticket_id, a.permit_id, a.admitted_at, a.undo_reason
        )
        select count(public.write_audit('UPDATE', 'admissions', u.id::text, jsonb_build_object('admitted_at', u.admitted_at),
            jsonb_build_object('undone', u.undo_reason, 'ticket_id', u.ticket_id, 'permit_id', u.permit_id, 'device', (p_device).name,
              'name', public.admitted_name(u.ticket_id))))
          into news from undone u;
        perform public.settle_codes(
          array(select ticket_id from unnest(looks) where is_new and ticket_id is not null and admission_id is not null),
          array(select permit_id from unnest(looks) where is_new and permit_id is not null and admission_id is not null));
      end if;
      insert into public.gate_refusals (id, device_id, device_name, entrance_id, reason, detail, ticket_id, permit_id, scanned_at)
        select id, (p_device).id, (p_device).name, entrance_id, verdict, detail, ticket_id, permit_id, at
        from unnest(looks) where is_new and verdict not in ('admitted', 'let_out', 'undone')
        on conflict (id) do nothing;
    end if;
    done := done || looks;
  end loop;
  return public.scan_answers(done);
end $$;

-- As the gate shows a ticket's or permit's holder. Parking that comes with VIP is one pass an order: it is said of one of the order's
-- VIP tickets, the one of the lowest id, so that a phone finds the same one in its list.
create function public.gate_person(p_ticket_id uuid, p_permit_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('kind', 'ticket', 'name', t.attendee_name, 'type', ty.name, 'is_vip', ty.is_vip,
      'includes_parking', ty.is_vip and t.voided_at is null and exists (select from public.order_items i
        where i.order_id = t.order_id and i.included and i.refunded < i.quantity)
        and not exists (select from public.tickets o join public.ticket_types oy on oy.id = o.ticket_type_id
          where o.order_id = t.order_id and o.id < t.id and o.voided_at is null and oy.is_vip),
      'order', left(t.order_id::text, 8), 'code', left(t.id::text, 8), 'plate', null)
    from public.tickets t join public.ticket_types ty on ty.id = t.ticket_type_id where t.id = p_ticket_id
  union all
  select jsonb_build_object('kind', 'parking', 'name', o.buyer_full_name, 'type', y.type_name, 'is_vip', false,
      'includes_parking', false, 'order', left(p.order_id::text, 8), 'code', left(p.id::text, 8), 'plate', p.plate)
    from public.parking_permits p join public.parking_passes y on y.id = p.parking_pass_id join public.orders o on o.id = p.order_id
    where p.id = p_permit_id
$$;

-- Short for what a device had decided itself; for who waits at the gate, everything that is shown.
create function public.scan_answers(p_looks public.gate_look[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', l.sent, 'result', l.verdict)
      || case when l.detail is not null then jsonb_build_object('detail', l.detail) else '{}' end
      || case when l.despite is not null then jsonb_build_object('despite', l.despite) else '{}' end
      || case when l.verdict = 'admitted' and l.first_id is not null then jsonb_build_object('conflict', true, 'at', public.gate_ms(l.at)) else '{}' end
      || case when l.first_id is not null then (
          select jsonb_build_object('first', jsonb_build_object('id', a.id, 'at', public.gate_ms(a.admitted_at), 'entrance', e.name, 'device', a.device_name))
          from public.admissions a left join public.gate_entrances e on e.id = a.entrance_id where a.id = l.first_id)
        -- In without an admission of ours: somebody wrote it down in SQL.
        when l.verdict = 'already_in' and l.decided is null then (
          select jsonb_build_object('first', jsonb_build_object('at', public.gate_ms(checked_in_at), 'entrance', null, 'device', null)) from (
            select checked_in_at from public.tickets where id = l.ticket_id
            union all select checked_in_at from public.parking_permits where id = l.permit_id) as code)
        else '{}' end
      || case when l.decided is null and l.verdict = 'not_today' then (
          select jsonb_build_object('opens_at', public.gate_ms(doors_open_at), 'closes_at', public.gate_ms(doors_close_at))
          from public.gate_settings) else '{}' end
      || case when l.decided is null and l.verdict = 'wrong_entrance' then (
          select jsonb_build_object('entrances', coalesce(jsonb_agg(e.name order by e.created_at, e.name), '[]')) from public.gate_entrances e
          left join public.tickets t on t.id = l.ticket_id left join public.ticket_types ty on ty.id = t.ticket_type_id
          where e.is_open and public.entrance_admits(e, t.id is not null, t.ticket_type_id, coalesce(ty.is_vip, false))) else '{}' end
      || case when l.decided is null and num_nonnulls(l.ticket_id, l.permit_id) = 1
          then jsonb_build_object('person', public.gate_person(l.ticket_id, l.permit_id)) else '{}' end
      order by l.nth), '[]')
    from unnest(p_looks) as l
$$;

-- Halves what cannot be written until the scan that breaks it is alone. What its data breaks would break it for ever, and its
-- device hands in its queue from the front: it is kept in the audit log, whole, and answered, so that those behind it come in.
-- What only happens to fail now (a lock, a full disk) is left out, and sent again. It stops early enough for the answer.
create function public.take_what_goes(p_device public.gate_devices, p_looks public.gate_look[]) returns jsonb
language plpgsql set search_path = '' as $$
declare
  half constant integer := cardinality(p_looks) / 2;
begin
  if clock_timestamp() > statement_timestamp() + interval '4 seconds' then return '[]'; end if;
  return public.take_scans(p_device, p_looks);
exception when others then
  if half > 0 then
    return public.take_what_goes(p_device, p_looks[:half]) || public.take_what_goes(p_device, p_looks[half + 1:]);
  end if;
  -- Transactions rolled back, lack of memory or disk, locks, interventions, and the system's own errors.
  if sqlstate ~ '^(40|53|55|57|58)' then return '[]'; end if;
  perform public.write_audit('ERROR_GATE_SCAN', 'gate_devices', (p_device).id::text, null, jsonb_build_object('name', (p_device).name,
    'scan', to_jsonb(p_looks[1]), 'error', left(sqlerrm, 500)));
  return case when p_looks[1].decided is null or sqlstate !~ '^(22|23|P0)' then '[]'
    else jsonb_build_array(jsonb_build_object('id', p_looks[1].sent, 'result', 'unknown', 'detail', 'not_recorded')) end;
end $$;

-- At most 1,000 scans, in the order in which they happened. What is missing from the answer was not written down, and the device
-- sends it again: scans that cannot be written, and those of the rounds after the 40th (somebody in and out a thousand times),
-- which would outlast the statement's time. Its statements are planned once a connection: planning them anew with each scan took
-- two thirds of its time (9 ms of the processor, 3 without).
create function public.gate_scan(p_device_id uuid, p_scans jsonb, p_pending numeric default 0, p_device_now numeric default null)
returns jsonb
language plpgsql security definer set search_path = '' set plan_cache_mode = force_generic_plan as $$
declare
  device constant public.gate_devices := public.require_gate_device(p_device_id);
  looks public.gate_look[];
begin
  if jsonb_typeof(p_scans) is distinct from 'array' or jsonb_array_length(p_scans) > 1000 then
    raise exception 'p_scans must be a list of at most 1,000 scans.' using errcode = '22023';
  end if;
  if p_pending > 2147483647 then raise exception 'p_pending must be a number of scans.' using errcode = '22023'; end if;
  if abs(p_device_now) > 8640000000000000 then -- the end of time in JavaScript
    raise exception 'p_device_now must be a time in milliseconds.' using errcode = '22023';
  end if;
  perform public.hear_device(device, greatest(p_pending, 0)::integer, p_device_now::bigint);
  looks := public.read_scans(p_scans, device.entrance_id, device.invitation_id is not null and exists (
    select from public.gate_invitations where id = device.invitation_id and entrance_id is not null));
  if exists (select from unnest(looks) where round > 40) then
    looks := array(select l from unnest(looks) as l where l.round <= 40 order by l.nth);
  end if;
  return jsonb_build_object('results', public.take_what_goes(device, looks), 'now', public.gate_ms(clock_timestamp()));
end $$;

-- The orders and codes that a text names, each from an index: words of names and mail as the back office finds orders
-- (docs/decisions/013), the first or last characters of an order's or a code's number, the beginning of a plate.
create function public.gate_named(p_text text) returns table (code_id uuid)
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  most constant integer := 500;
  asked constant tsquery := public.words_asked(p_text);
  digits constant text := lower(regexp_replace(p_text, '[#[:space:]-]', '', 'g'));
  hex constant boolean := digits ~ '^[0-9a-f]{4,32}$';
  first constant uuid := case when hex then rpad(digits, 32, '0')::uuid end;
  last constant uuid := case when hex then rpad(digits, 32, 'f')::uuid end;
  plate_begins constant text := regexp_replace(upper(btrim(p_text)), '([\\%_])', '\\\1', 'g') || '%';
  orders uuid[];
begin
  orders := array((select w.order_id from public.order_words w where w.words @@ asked limit most)
    union all (select o.id from public.order_tallies t, unnest(t.unworded) as new (order_id), lateral (
        select * from public.orders where id = new.order_id offset 0) as o
      where public.search_words(o.buyer_full_name, o.buyer_email, o.buyer_phone_number, o.attendees) @@ asked limit most)
    union all (select o.id from public.orders o where hex and o.id between first and last limit most));
  return query
    (select t.id from public.tickets t where t.order_id = any (orders) limit most)
    union (select p.id from public.parking_permits p where p.order_id = any (orders) limit most)
    union (select p.id from public.parking_permits p where p.plate like plate_begins limit most);
  if hex then
    return query
      (select t.id from public.tickets t where t.id between first and last limit most)
      union (select p.id from public.parking_permits p where p.id between first and last limit most);
    if length(digits) <= 12 then -- the end of an id has no hyphen
      orders := array(select o.id from public.orders o where reverse(o.id::text) like reverse(digits) || '%' limit most);
      return query
        (select t.id from public.tickets t where t.order_id = any (orders) limit most)
        union (select p.id from public.parking_permits p where p.order_id = any (orders) limit most)
        union (select t.id from public.tickets t where reverse(t.id::text) like reverse(digits) || '%' limit most)
        union (select p.id from public.parking_permits p where reverse(p.id::text) like reverse(digits) || '%' limit most);
    end if;
  end if;
end $$;

-- By name, mail, order, plate, or the number of a code. Whose own name or code it is comes first; then the others of the order, and
-- at last who was refunded. A parking entrance finds permits alone. `would` is what a scan at the device's entrance would answer,
-- so that nobody is offered in vain.
create function public.gate_search(p_device_id uuid, p_text text, p_limit integer default 20) returns jsonb
language plpgsql security definer set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  sought constant text := btrim(left(p_text, 100));
  most constant integer := least(greatest(p_limit, 1), 50);
  device constant public.gate_devices := public.require_gate_device(p_device_id);
  here public.gate_entrances;
  named uuid[];
begin
  perform public.hear_device(device, null, null);
  select * into here from public.gate_entrances where id = device.entrance_id;
  if length(sought) >= 2 then named := array(select distinct code_id from public.gate_named(sought)); end if;
  return (select jsonb_build_object('now', public.gate_ms(clock_timestamp()), 'people', coalesce(jsonb_agg(
      public.gate_person(f.ticket_id, f.permit_id) || jsonb_build_object('id', coalesce(f.ticket_id, f.permit_id), 'type_id', f.type_id,
        'issue_number', f.issue_number, 'email', f.email, 'is_void', f.is_void, 'admitted_at', public.gate_ms(i.since),
        'entrance_id', i.entrance_id, 'admission_id', i.admission_id, 'out_id', i.out_id, 'is_in', i.since is not null,
        'would', case when f.is_void then 'void' when i.since is not null then 'already_in'
          when now() < s.doors_open_at or now() >= s.doors_close_at then 'not_today' when not here.is_open then 'closed'
          when here.id is not null and not public.entrance_admits(here, f.ticket_id is not null, f.type_id, f.is_vip) then 'wrong_entrance'
          else 'admitted' end)
      order by f.is_void, f.is_own desc, f.name, f.ticket_id, f.permit_id), '[]'))
    from (
      select c.*, coalesce(public.search_words(c.name, c.email, null, null) @@ public.words_asked(sought), false) as is_own from (
        select t.id as ticket_id, null::uuid as permit_id, t.ticket_type_id as type_id, t.issue_number, t.attendee_name as name,
            t.attendee_email as email, t.voided_at is not null as is_void, t.checked_in_at, ty.is_vip
          from public.tickets t join public.ticket_types ty on ty.id = t.ticket_type_id
          where t.id = any (named) and here.admits is distinct from 'parking'
        union all
        select null, p.id, p.parking_pass_id, p.issue_number, o.buyer_full_name, o.buyer_email, p.voided_at is not null, p.checked_in_at, false
          from public.parking_permits p join public.orders o on o.id = p.order_id where p.id = any (named)) as c
      order by is_void, is_own desc, name, ticket_id, permit_id limit most
    ) as f
    cross join public.gate_settings s
    cross join lateral public.gate_inside(f.ticket_id, f.permit_id, f.checked_in_at) as i);
end $$;

-- Who came and went lately at the device's entrance or by the device, newest first: what can be undone. `id` is what `undoes` names.
create function public.gate_recent(p_device_id uuid, p_limit integer default 30) returns jsonb
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  device constant public.gate_devices := public.require_gate_device(p_device_id);
  most constant integer := least(greatest(p_limit, 1), 100);
  today constant timestamptz := public.festival_day(now())::timestamp at time zone 'America/Chicago';
begin
  perform public.hear_device(device, null, null);
  return (select jsonb_build_object('now', public.gate_ms(clock_timestamp()), 'scans', coalesce(jsonb_agg(
      jsonb_build_object('id', r.id, 'action', r.action, 'at', public.gate_ms(r.at), 'entrance', e.name, 'device', r.device_name,
        'is_own', r.device_id is not distinct from device.id, 'is_undone', r.is_undone,
        'code_id', coalesce(r.ticket_id, r.permit_id), 'person', public.gate_person(r.ticket_id, r.permit_id))
      order by r.at desc, r.id), '[]'))
    from (
      (select a.id, 'in' as action, a.admitted_at as at, a.undone_at is not null as is_undone, a.entrance_id, a.device_id, a.device_name,
          a.ticket_id, a.permit_id
        from public.admissions a
        where a.admitted_at >= today and (a.device_id = device.id or a.entrance_id = device.entrance_id)
        order by a.admitted_at desc limit most)
      union all (select a.out_scan_id, 'out', a.left_at, a.undone_at is not null, a.out_entrance_id, a.out_device_id, d.name,
          a.ticket_id, a.permit_id
        from public.admissions a left join public.gate_devices d on d.id = a.out_device_id
        where a.left_at >= today and (a.out_device_id = device.id or a.out_entrance_id = device.entrance_id)
        order by a.left_at desc limit most)
      order by at desc, id limit most) as r
    left join public.gate_entrances e on e.id = r.entrance_id);
end $$;

-- ── The back office ────────────────────────────────────────────────────────────────────────────────────────────────

-- Whether counting takes so long that screens share a count: some 40,000 people.
create function public.is_large_gate() returns boolean
language sql stable set search_path = '' as $$
  select pg_relation_size('public.admissions') + pg_relation_size('public.tickets') > 32 * 1024 * 1024
$$;

-- What the board counts over all codes. At a large festival one screen counts for all, and then not again for twenty times as
-- long as it took: at most a twentieth of a core, however many watch (200,000 tickets, 150,000 of them in: a third of a second).
create function public.gate_counts() returns jsonb
language plpgsql volatile set search_path = '' set work_mem = '64MB' as $$
declare
  hour_ago constant timestamptz := date_trunc('minute', now()) - interval '59 minutes';
  began constant timestamptz := clock_timestamp();
  is_large constant boolean := public.is_large_gate();
  kept public.gate_counted;
  found jsonb;
begin
  if is_large then
    select * into kept from public.gate_counted;
    if began < kept.counted_at + kept.took * 20
        or (kept.counts is not null and not pg_try_advisory_xact_lock(hashtextextended('gate_counts', 0))) then
      return kept.counts;
    end if;
  end if;
  with let_in as materialized (
    select coalesce(ticket_id, permit_id) as id, bool_or(conflicts_with is null and left_at is null) as is_inside
      from public.admissions where undone_at is null group by 1
  ), codes as (
    select id, ticket_type_id as type_id, voided_at is null as is_valid from public.tickets
    union all select id, parking_pass_id, voided_at is null from public.parking_permits
  ), types as (
    select type_id, count(*) filter (where is_valid) as valid, count(l.id) as admitted, count(*) filter (where is_inside) as inside,
        count(*) filter (where is_valid and l.id is null) as to_come
      from codes c left join let_in l using (id) group by 1
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
    'inflow', (select coalesce(jsonb_agg(jsonb_build_object('minute', public.gate_ms(minute), 'entrance_id', entrance_id,
      'admitted', admitted, 'refused', refused) order by minute, entrance_id), '[]') from minutes)) into found;
  if is_large then
    insert into public.gate_counted as c (counted_at, took, counts) values (clock_timestamp(), clock_timestamp() - began, found)
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
    select jsonb_build_object('now', public.gate_ms(now()), 'settings', public.gate_settings_json(),
      'totals', jsonb_build_object('admitted', counts -> 'admitted', 'inside', counts -> 'inside',
        'conflicts', (select count(*) from twice), 'despite', (select count(*) from against),
        'refused', (select count(*) from refused),
        'undone', (select count(*) from public.admissions where undone_at is not null)),
      'inflow', counts -> 'inflow',
      'types', (select coalesce(jsonb_agg(jsonb_build_object('id', y.id, 'name', y.name, 'kind', y.kind)
          || coalesce(counts -> 'types' -> y.id::text, nobody) order by y.kind desc, y.price, y.id), '[]')
        from (select id, name, 'ticket' as kind, price from public.ticket_types
          union all select id, type_name, 'parking', price from public.parking_passes) as y),
      'entrances', (select coalesce(jsonb_agg(public.gate_entrance_json(e) || jsonb_build_object(
          'admitted', coalesce(counts -> 'places' -> e.id::text, '0'),
          'refused', (select count(*) from refused where entrance_id = e.id)) order by e.created_at, e.id), '[]') from public.gate_entrances e),
      'refused', (select coalesce(jsonb_agg(jsonb_build_object('reason', reason, 'count', turned_away) order by turned_away desc, reason), '[]')
        from (select reason, count(*) as turned_away from refused group by 1) as reasons),
      'last_refused', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'reason', r.reason, 'detail', r.detail,
          'at', public.gate_ms(r.scanned_at), 'entrance', e.name, 'device', r.device_name, 'name', w.person ->> 'name', 'type', w.person ->> 'type')
          order by r.scanned_at desc, r.id), '[]')
        from (select * from refused order by scanned_at desc, id limit 20) as r
        left join public.gate_entrances e on e.id = r.entrance_id
        cross join lateral (select public.gate_person(r.ticket_id, r.permit_id) as person) as w),
      'conflicts', (select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'code_id', coalesce(a.ticket_id, a.permit_id),
          'kind', w.person ->> 'kind', 'name', w.person ->> 'name', 'type', w.person ->> 'type', 'order_id', coalesce(t.order_id, p.order_id),
          'first', pair.places -> 0, 'second', pair.places -> 1)
          order by a.received_at desc, a.id), '[]')
        from (select * from twice order by received_at desc, id limit 200) as a
        join public.admissions f on f.id = a.conflicts_with
        -- By when it was, not by which phone handed it in first.
        cross join lateral (select jsonb_agg(jsonb_build_object('at', public.gate_ms(each.admitted_at), 'entrance', e.name,
            'device', each.device_name) order by each.admitted_at, each.id) as places
          from unnest(array[f, a::public.admissions]) as each left join public.gate_entrances e on e.id = each.entrance_id) as pair
        left join public.tickets t on t.id = a.ticket_id left join public.parking_permits p on p.id = a.permit_id
        cross join lateral (select public.gate_person(a.ticket_id, a.permit_id) as person) as w),
      'despite', (select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'reason', a.despite, 'code_id', coalesce(a.ticket_id, a.permit_id),
          'kind', w.person ->> 'kind', 'name', w.person ->> 'name', 'type', w.person ->> 'type', 'order_id', coalesce(t.order_id, p.order_id),
          'at', public.gate_ms(a.admitted_at), 'entrance', e.name, 'device', a.device_name) order by a.received_at desc, a.id), '[]')
        from (select * from against order by received_at desc, id limit 200) as a
        left join public.gate_entrances e on e.id = a.entrance_id
        left join public.tickets t on t.id = a.ticket_id left join public.parking_permits p on p.id = a.permit_id
        cross join lateral (select public.gate_person(a.ticket_id, a.permit_id) as person) as w),
      'devices', (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'name', d.name,
          'user', case when not public.is_device_account(u.email) then u.email end, 'invitation', i.label,
          'entrance_id', d.entrance_id, 'last_seen_at', public.gate_ms(d.last_seen_at), 'pending', d.pending,
          'clock_offset_ms', d.clock_offset_ms, 'lost', coalesce(public.gate_access_lost(d.user_id),
            case when d.revoked_at is not null or exists (select from public.gate_devices o
              where o.session_id = d.session_id and o.revoked_at is not null) then 'device_revoked' end), 'revoked_at', public.gate_ms(d.revoked_at),
          'admitted', coalesce(counts -> 'places' -> d.id::text, '0')) order by d.last_seen_at desc, d.id), '[]')
        from public.gate_devices d left join auth.users u on u.id = d.user_id left join public.gate_invitations i on i.id = d.invitation_id
        where d.left_at is null or d.pending > 0),
      'invitations', (select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'label', i.label, 'entrance_id', i.entrance_id,
          'created_at', public.gate_ms(i.created_at), 'expires_at', public.gate_ms(i.expires_at), 'revoked_at', public.gate_ms(i.revoked_at), 'phones', i.phones,
          'devices', (select count(*) from public.gate_devices where invitation_id = i.id)) order by i.created_at desc, i.id), '[]')
        from public.gate_invitations i where i.expires_at > now() - interval '7 days')));
end $$;

-- A stolen phone: it may neither scan nor read from now on, nor open another device with its session.
create function public.revoke_gate_device(p_device_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  device public.gate_devices;
begin
  perform public.require_admin();
  update public.gate_devices set revoked_at = now(), revoked_by = auth.uid()
    where id = p_device_id and revoked_at is null returning * into device;
  if device.id is null then return; end if;
  perform public.write_audit('UPDATE', 'gate_devices', device.id::text, jsonb_build_object('name', device.name, 'revoked', false),
    jsonb_build_object('name', device.name, 'revoked', true));
end $$;

create function public.restore_gate_device(p_device_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  device public.gate_devices;
begin
  perform public.require_admin();
  update public.gate_devices set revoked_at = null, revoked_by = null, name = public.free_device_name(id, name)
    where id = p_device_id and revoked_at is not null returning * into device;
  if device.id is null then return; end if;
  perform public.write_audit('UPDATE', 'gate_devices', device.id::text, jsonb_build_object('name', device.name, 'revoked', true),
    jsonb_build_object('name', device.name, 'revoked', false));
end $$;

-- ── Checking in and out by hand ────────────────────────────────────────────────────────────────────────────────────

-- Orders before their tickets, as a scan locks them.
create function public.lock_code(p_code_id uuid) returns void
language sql volatile set search_path = '' as $$
  select from public.orders where id in (select order_id from public.tickets where id = p_code_id
    union all select order_id from public.parking_permits where id = p_code_id) for no key update
$$;

-- An administrator lets a ticket or permit in without a phone, whatever the doors and entrances say; never a refunded one.
create function public.check_in_code(p_code_id uuid, p_reason text) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  reason constant text := left(nullif(btrim(p_reason), ''), 200);
  ticket public.tickets;
  permit public.parking_permits;
  made uuid;
begin
  perform public.require_admin();
  if reason is null then raise exception 'Say why.' using errcode = '22023'; end if;
  perform public.lock_code(p_code_id);
  select * into ticket from public.tickets where id = p_code_id for update;
  select * into permit from public.parking_permits where id = p_code_id for update;
  if ticket.id is null and permit.id is null then
    raise exception 'There is no such ticket.' using errcode = 'PT404';
  elsif coalesce(ticket.voided_at, permit.voided_at) is not null then
    raise exception 'It was refunded and admits nobody.' using errcode = '22023';
  elsif exists (select from public.gate_inside(ticket.id, permit.id, coalesce(ticket.checked_in_at, permit.checked_in_at)) i
      left join public.admissions a on a.id = i.admission_id where i.since is not null and a.left_at is null) then
    raise exception 'It is in already.' using errcode = '22023';
  end if;
  insert into public.admissions (id, ticket_id, permit_id, device_name, admitted_by, admitted_at)
    values (gen_random_uuid(), ticket.id, permit.id, 'Back office', auth.uid(), now()) returning id into made;
  update public.tickets set checked_in_at = coalesce(checked_in_at, now()) where id = ticket.id;
  update public.parking_permits set checked_in_at = coalesce(checked_in_at, now()) where id = permit.id;
  perform public.write_audit('CREATE', 'admissions', made::text, null, jsonb_build_object('reason', reason,
    'ticket_id', ticket.id, 'permit_id', permit.id, 'name', public.admitted_name(ticket.id)));
  return made;
end $$;

-- An administrator takes a let-in back, whoever made it.
create function public.undo_admission(p_admission_id uuid, p_reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  reason constant text := left(nullif(btrim(p_reason), ''), 200);
  undone public.admissions;
begin
  perform public.require_admin();
  if reason is null then raise exception 'Say why.' using errcode = '22023'; end if;
  perform public.lock_code((select coalesce(ticket_id, permit_id) from public.admissions where id = p_admission_id));
  update public.admissions set undone_at = now(), undone_by = auth.uid(), undo_reason = reason
    where id = p_admission_id and undone_at is null returning * into undone;
  if undone.id is null then raise exception 'It was taken back already.' using errcode = '22023'; end if;
  perform public.settle_codes(array_remove(array[undone.ticket_id], null), array_remove(array[undone.permit_id], null));
  perform public.write_audit('UPDATE', 'admissions', undone.id::text, jsonb_build_object('admitted_at', undone.admitted_at),
    jsonb_build_object('undone', reason, 'ticket_id', undone.ticket_id, 'permit_id', undone.permit_id, 'device', 'Back office',
      'name', public.admitted_name(undone.ticket_id)));
end $$;

-- A link for so many phones of one day: good until that Central day has ended. The token is told once.
create function public.create_gate_invitation(p_label text, p_entrance_id uuid, p_day date, p_phones integer default 1) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  token constant text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  made public.gate_invitations;
begin
  perform public.require_admin();
  if length(btrim(coalesce(p_label, ''))) not between 1 and 60 then
    raise exception 'An invitation needs a label of at most 60 characters.' using errcode = '22023';
  end if;
  if p_phones is null or p_phones not between 1 and 200 then
    raise exception 'An invitation is for 1 to 200 phones.' using errcode = '22023';
  end if;
  if p_day is null or p_day < public.festival_day(now()) or p_day > public.festival_day(now()) + 366 then
    raise exception 'Choose today or a day of the next year.' using errcode = '22023';
  end if;
  insert into public.gate_invitations (token_hash, label, entrance_id, phones, created_by, expires_at)
    values (sha256(token::bytea), btrim(p_label), p_entrance_id, p_phones, auth.uid(), (p_day + 1)::timestamp at time zone 'America/Chicago')
    returning * into made;
  perform public.write_audit('CREATE', 'gate_invitations', made.id::text, null,
    jsonb_build_object('label', made.label, 'entrance_id', made.entrance_id, 'phones', made.phones, 'expires_at', made.expires_at));
  return jsonb_build_object('id', made.id, 'token', token, 'expires_at', public.gate_ms(made.expires_at));
end $$;

-- At once: its roles end with this transaction, and live channels are closed by the roles' trigger.
create function public.revoke_gate_invitation(p_invitation_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  ended public.gate_invitations;
begin
  perform public.require_admin();
  update public.gate_invitations set revoked_at = now(), revoked_by = auth.uid()
    where id = p_invitation_id and revoked_at is null returning * into ended;
  if ended.id is null then return; end if;
  update public.user_roles set expires_at = least(expires_at, now()) where invitation_id = ended.id;
  perform public.write_audit('UPDATE', 'gate_invitations', ended.id::text, jsonb_build_object('label', ended.label, 'revoked', false),
    jsonb_build_object('label', ended.label, 'revoked', true));
end $$;

-- ── For redeem-gate-invitation ─────────────────────────────────────────────────────────────────────────────────────

create function public.is_full_invitation(p_id uuid, p_phones integer) returns boolean
language sql stable set search_path = '' as $$
  select count(*) >= p_phones from public.user_roles where invitation_id = p_id
$$;

-- The invitation that a token opens; null alike when it is unknown, over or revoked.
create function public.find_gate_invitation(p_token text) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', id, 'entrance_id', entrance_id, 'is_full', public.is_full_invitation(id, phones)) from public.gate_invitations
    where token_hash = sha256(convert_to(p_token, 'UTF8')) and revoked_at is null and expires_at > now()
$$;

-- Gives a new device account its role; false when the invitation ended meanwhile, or is for no more phones.
create function public.join_gate_invitation(p_invitation_id uuid, p_user_id uuid) returns boolean
language plpgsql set search_path = '' as $$
declare
  invitation public.gate_invitations;
begin
  select * into invitation from public.gate_invitations
    where id = p_invitation_id and revoked_at is null and expires_at > now() for no key update;
  if not found or public.is_full_invitation(invitation.id, invitation.phones) then return false; end if;
  insert into public.user_roles (user_id, role, expires_at, invitation_id)
    values (p_user_id, 'gate', invitation.expires_at, invitation.id);
  return true;
end $$;

-- Device accounts go a day after their invitation has ended: until then a phone that comes back learns why it may not scan.
create function public.remove_device_accounts(p_limit integer) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  gone integer;
begin
  delete from auth.users where id = any (array(
    select user_id from public.user_roles where invitation_id is not null and expires_at < now() - interval '1 day' limit p_limit));
  get diagnostics gone = row_count;
  return gone;
end $$;

revoke execute on function public.gate_ms(timestamptz), public.entrance_admits(public.gate_entrances, boolean, uuid, boolean),
  public.gate_entrance_json(public.gate_entrances), public.gate_settings_json(), public.refuse_gate(text),
  public.is_revoked_session(), public.require_gate_device(uuid), public.free_device_name(uuid, text),
  public.hear_device(public.gate_devices, integer, bigint), public.gate_inside(uuid, uuid, timestamptz),
  public.read_scans(jsonb, uuid, boolean), public.decide_scans(public.gate_devices, public.gate_look[]),
  public.settle_codes(uuid[], uuid[]), public.take_scans(public.gate_devices, public.gate_look[]),
  public.take_what_goes(public.gate_devices, public.gate_look[]),
  public.scan_answers(public.gate_look[]), public.is_large_gate(), public.gate_counts(), public.gate_named(text),
  public.gate_person(uuid, uuid), public.gate_entrances_json(), public.gate_access_lost(uuid), public.admitted_name(uuid),
  public.lock_code(uuid), public.is_full_invitation(uuid, integer), public.find_gate_invitation(text),
  public.join_gate_invitation(uuid, uuid), public.remove_device_accounts(integer) from public, anon, authenticated;
revoke execute on function public.gate_open(uuid, text, uuid, integer), public.gate_leave(uuid),
  public.gate_list(uuid, text, integer), public.gate_scan(uuid, jsonb, numeric, numeric), public.gate_search(uuid, text, integer), public.gate_recent(uuid, integer),
  public.gate_board(), public.check_in_code(uuid, text), public.undo_admission(uuid, text), public.revoke_gate_device(uuid), public.restore_gate_device(uuid),
  public.create_gate_invitation(text, uuid, date, integer), public.revoke_gate_invitation(uuid) from public, anon;
grant execute on function public.gate_open(uuid, text, uuid, integer), public.gate_leave(uuid),
  public.gate_list(uuid, text, integer), public.gate_scan(uuid, jsonb, numeric, numeric), public.gate_search(uuid, text, integer), public.gate_recent(uuid, integer),
  public.gate_board(), public.check_in_code(uuid, text), public.undo_admission(uuid, text), public.revoke_gate_device(uuid), public.restore_gate_device(uuid),
  public.create_gate_invitation(text, uuid, date, integer), public.revoke_gate_invitation(uuid) to authenticated;
