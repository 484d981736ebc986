-- The devices at the gate: how one is registered, what it needs to decide alone, and who may use it at all. Administrators
-- invite them and take their access away.

-- Milliseconds, as devices count.
create function public.epoch_ms(p_at timestamptz) returns bigint language sql immutable
return floor(extract(epoch from p_at) * 1000)::bigint;

-- Whom an entrance admits, whether it is open or closed. contract/gate has the same rule (entranceAdmits), for devices that are
-- offline.
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

-- With the published facts: a device opened before they changed decides by the festival's code and shows its name.
create function public.gate_settings_json() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('doors_open_at', public.epoch_ms(doors_open_at), 'doors_close_at', public.epoch_ms(doors_close_at),
    'reentry', reentry, 'is_cancelled', f.status = 'cancelled', 'facts', s.content)
    from public.gate_settings cross join public.festival f cross join public.festival_sections s where s.id = 'facts'
$$;

-- On this error, the device drops names and lists but keeps its queue. Null: the user may work, but this sign-in has ended.
create function public.refuse_gate_access(p_why text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception '%', case coalesce(p_why, 'session_ended') when 'session_ended' then 'The session has ended. Please sign in again.'
      when 'device_revoked' then 'This device can no longer scan.'
      when 'invitation_revoked' then 'This phone''s invitation was revoked.'
      when 'invitation_ended' then 'This phone''s invitation has ended.'
      when 'unknown_device' then 'This device isn''t registered to this account.'
      else 'This account does not have gate access.' end
    using errcode = '42501', detail = 'gate_access_removed', hint = coalesce(p_why, 'session_ended');
end $$;

-- The device whose account this is, or null: an account of an invitation belongs to one device.
create function public.invited_phone(p_user_id uuid) returns text
language sql stable set search_path = '' as $$
  select email from (select public.mail_of(p_user_id) as email offset 0) as account where public.is_device_account(email)
$$;

-- Since when a device is revoked, or null. The user of a revoked device cannot continue under another device id in the same session, nor
-- in a new one with an invitation's account, which belongs to that device alone.
create function public.device_revoked_at(p_device_id uuid) returns timestamptz
language sql stable set search_path = '' as $$
  select min(revoked_at) from public.gate_devices
    where revoked_at is not null and (id = p_device_id or session_id = (auth.jwt() ->> 'session_id')::uuid
      or phone = (select public.invited_phone(auth.uid())))
$$;

-- Why a user may not work at the gate, or null.
create function public.gate_access_lost(p_user_id uuid) returns text
language sql stable security definer set search_path = '' as $$
  select case when r.user_id is null or (r.role not in ('admin', 'gate')) then 'role_removed'
      when i.revoked_at is not null then 'invitation_revoked'
      when r.expires_at <= now() then case when i.id is null then 'role_removed' else 'invitation_ended' end end
    from (select p_user_id as id) as u left join public.user_roles r on r.user_id = u.id
    left join public.gate_invitations i on i.id = r.invitation_id
$$;

-- The caller's own device. A revoked one is refused to everybody, except that an administrator may hand in the scans it still holds;
-- its revoked_at is then also that of another device of the session.
create function public.require_gate_device(p_device_id uuid, p_hands_in boolean default false) returns public.gate_devices
language plpgsql stable set search_path = '' as $$
declare
  device public.gate_devices;
  revoked_at timestamptz;
begin
  if not public.has_role('admin', 'gate') then
    perform public.ask_for_second_step('admin', 'gate');
    perform public.refuse_gate_access(public.gate_access_lost(auth.uid()));
  end if;
  select * into device from public.gate_devices where id = p_device_id;
  revoked_at := public.device_revoked_at(p_device_id);
  if revoked_at is not null and (device.id is null or not p_hands_in or not public.is_admin()) then
    perform public.refuse_gate_access('device_revoked');
  end if;
  if device.id is null or (device.user_id is distinct from auth.uid() and device.revoked_at is null) then
    perform public.refuse_gate_access('unknown_device');
  end if;
  device.revoked_at := revoked_at;
  return device;
end $$;

-- "Gate 3", or "Gate 3 (2)" when another device has that name.
create function public.free_device_name(p_device_id uuid, p_name text) returns text
language plpgsql set search_path = '' as $$
declare
  wanted constant text := coalesce(nullif(left(btrim(regexp_replace(p_name, '[[:cntrl:]]', '', 'g')), 60), ''), 'Device');
  name text;
begin
  perform pg_advisory_xact_lock(hashtextextended('gate_device_names', 0));
  name := (select taken.name from (
      select case when n = 1 then wanted else format('%s (%s)', wanted, n) end as name, n from generate_series(1, 999) as n) as taken
    where not exists (select from public.gate_devices d where lower(d.name) = lower(taken.name) and d.id <> p_device_id
      and d.revoked_at is null and d.left_at is null)
    order by n limit 1);
  if name is null then raise exception 'Too many phones are named "%". Choose another name.', wanted using errcode = '23514'; end if;
  return name;
end $$;

-- A device whose storage is cleared is a new device; an account at the gate may sign in on a whole crew's.
create function public.refuse_many_devices(p_user_id uuid) returns void
language plpgsql stable set search_path = '' as $$
declare
  own_phone constant text := public.invited_phone(p_user_id);
begin
  if (select count(*) from public.gate_devices where (user_id = p_user_id or phone = own_phone) and created_at > now() - interval '1 day')
      >= (case when own_phone is null then 200 else 5 end) then
    raise exception 'This account has registered too many devices today. Ask an administrator for an invitation.' using errcode = '23514';
  end if;
end $$;

-- Registers a device or renews it; if a name or entrance is left out, the old one stays. Names are given one at a time: a device whose
-- turn does not come tries again, instead of waiting for as long as another one's request may run.
create function public.gate_open(p_device_id uuid, p_name text default null, p_entrance_id uuid default null,
  p_pending integer default null) returns jsonb
language plpgsql security definer set search_path = '' set lock_timeout = '1500ms' as $$
declare
  caller constant uuid := auth.uid();
  session constant uuid := (auth.jwt() ->> 'session_id')::uuid;
  role public.user_roles;
  bound_to uuid;
  was public.gate_devices;
  device public.gate_devices;
begin
  if not public.has_role('admin', 'gate') then
    perform public.ask_for_second_step('admin', 'gate');
    perform public.refuse_gate_access(public.gate_access_lost(auth.uid()));
  end if;
  if p_device_id is null then raise exception 'A device needs an id.' using errcode = '22023'; end if;
  if p_entrance_id is not null and not exists (select from public.gate_entrances where id = p_entrance_id) then
    raise exception 'This entrance no longer exists. Choose another one.' using errcode = '22023';
  end if;
  select * into role from public.user_roles where user_id = caller;
  bound_to := (select entrance_id from public.gate_invitations where id = role.invitation_id);
  select * into was from public.gate_devices where id = p_device_id for update;
  if public.device_revoked_at(p_device_id) is not null then perform public.refuse_gate_access('device_revoked'); end if;
  -- A shared device changes hands once its last user has signed out or may no longer work at the gate.
  if not public.is_admin() and was.user_id <> caller and was.left_at is null and exists (select from public.user_roles r
      where r.user_id = was.user_id and r.role in ('admin', 'gate') and (r.expires_at is null or r.expires_at > now())) then
    perform public.refuse_gate_access('unknown_device');
  end if;
  if was.id is null then perform public.refuse_many_devices(caller); end if;
  insert into public.gate_devices as d (id, name, user_id, session_id, invitation_id, phone, entrance_id, pending)
    values (p_device_id, public.free_device_name(p_device_id, coalesce(p_name, was.name)), caller, session, role.invitation_id,
      public.invited_phone(caller), coalesce(bound_to, p_entrance_id), greatest(coalesce(p_pending, 0), 0))
    on conflict (id) do update set last_seen_at = now(), left_at = null, pending = greatest(coalesce(p_pending, d.pending), 0),
      user_id = excluded.user_id, invitation_id = excluded.invitation_id, phone = excluded.phone, session_id = excluded.session_id, name = excluded.name,
      entrance_id = coalesce(bound_to, p_entrance_id, d.entrance_id)
    returning * into device;
  return jsonb_build_object('now', public.epoch_ms(clock_timestamp()),
    'device', jsonb_build_object('id', device.id, 'name', device.name, 'entrance_id', device.entrance_id,
      'renamed', p_name is not null and lower(device.name) <> lower(btrim(p_name)), 'is_bound', bound_to is not null),
    'entrances', public.gate_entrances_json(),
    'settings', public.gate_settings_json(),
    'types', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name, 'kind', kind, 'is_vip', is_vip, 'is_vehicle', k.is_vehicle) order by k.position, price, id), '[]')
      from public.products join public.product_kinds k using (kind) where k.has_code),
    'keys', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'jwk', public_jwk) order by created_at, id), '[]') from public.entry_keys),
    -- Once their second step is taken: the till asks for it.
    'role', role.role, 'sells_at_door', public.may_sell_at_door(caller, 'aal2'), 'expires_at', public.epoch_ms(role.expires_at));
end $$;

-- Signs the device out, and makes its name free again.
create function public.gate_leave(p_device_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_gate_device(p_device_id);
  update public.gate_devices set left_at = now(), last_seen_at = now() where id = p_device_id;
end $$;

-- What a device that lost access still holds, so that the board knows: every other call of it is refused, and records nothing.
create function public.gate_waiting(p_device_id uuid, p_pending integer) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_live_session();
  update public.gate_devices set pending = greatest(coalesce(p_pending, pending), 0), last_seen_at = now()
    where id = p_device_id and user_id = auth.uid();
end $$;

-- Not with every scan: twenty devices would write a row each time a person walks in. A signed-out device stays signed out: a call
-- that gate_leave has overtaken would otherwise claim it again for the former user.
create function public.record_device_contact(p_device public.gate_devices, p_pending integer, p_device_now bigint) returns void
language sql volatile set search_path = '' as $$
  update public.gate_devices d set last_seen_at = now(), pending = greatest(coalesce(p_pending, d.pending), 0),
      clock_offset_ms = coalesce(public.epoch_ms(clock_timestamp()) - p_device_now, d.clock_offset_ms)
    where d.id = (p_device).id and ((p_device).last_seen_at < now() - interval '5 seconds'
      or (p_device).pending is distinct from greatest(coalesce(p_pending, (p_device).pending), 0));
$$;

-- The id that the text is, or null. PostgreSQL 15 has no pg_input_is_valid. No search path, so that it is inlined.
create function public.id_in(p_text text) returns uuid language sql immutable as $$
  select case when p_text like '________-____-____-____-____________'
      and p_text ~ '^[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+$' then p_text::uuid end
$$;
revoke execute on function public.id_in(text) from public, anon, authenticated;

-- Everything valid or void with its state, in pages, and then only what changed. p_since is the last answer's "upto"; null, or a
-- value from before the database was restarted or restored, begins a whole list. A dump may be restored into a cluster that keeps
-- running, whose transactions go on counting: then the tables have other files, or the database has another id.
--
-- A change is listed once its transaction and all older ones have ended: nothing more can appear below the oldest one under way. A
-- whole list is read by id, so that it includes rows that a restored dump brought from far ahead.
--
-- A row has only what its own changes mark. Whether a person who went out may come in again depends on the settings, which come with
-- every page, so the device decides that.
create function public.gate_list(p_device_id uuid, p_since text default null, p_limit integer default 5000) returns jsonb
language plpgsql security definer set search_path = '' set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
declare
  most constant integer := least(greatest(p_limit, 1), 5000);
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  life constant text := concat_ws('-', floor(extract(epoch from pg_postmaster_start_time()) * 1000)::bigint,
    (select oid from pg_database where datname = current_database()), pg_relation_filenode('public.entry_codes'));
  parts constant text[] := regexp_match(p_since, '^([\d-]+)\.(\d{1,19})\.(all|new)\.([0-9a-f-]{36})$');
  settled constant xid8 := pg_snapshot_xmin(pg_current_snapshot());
  reset constant boolean := parts is null or parts[1] <> life or public.id_in(parts[4]) is null
    or parts[2]::numeric > settled::text::numeric;
  whole constant boolean := reset or parts[3] = 'all';
  since constant xid8 := case when reset then settled else parts[2]::xid8 end;
  after constant uuid := case when reset then nobody else parts[4]::uuid end;
  rows jsonb;
  listed integer;
  last_xid xid8;
  last_id uuid;
begin
  perform public.record_device_contact(public.require_gate_device(p_device_id), null, null);
  with page as materialized (
    (select id, changed_xid from public.entry_codes where whole and id > after order by id limit most)
    union all (select id, changed_xid from public.entry_codes
      where not whole and (changed_xid, id) > (since, after) and changed_xid < settled order by changed_xid, id limit most)
  ), full_page as (
    select page.id, page.changed_xid, jsonb_build_array(c.id, c.kind, c.product_id, c.issue_number,
        (c.voided_at is not null)::integer, case when i.out_id is null then public.epoch_ms(i.since) end, i.entrance_id,
        coalesce(c.attendee_name, o.buyer_full_name), coalesce(c.attendee_email, o.buyer_email), left(c.order_id::text, 8), c.plate,
        c.transferred_issue, public.epoch_ms(i.last_in_at), item.included::integer, left(coalesce(i.out_id, i.admission_id)::text, 8)) as line
      from page join public.entry_codes c on c.id = page.id
      join public.orders o on o.id = c.order_id join public.order_items item on item.id = c.order_item_id
      cross join lateral public.current_admission(c.id, c.checked_in_at) as i
  )
  select coalesce(jsonb_agg(line), '[]'), count(*),
      (array_agg(id order by case when not whole then changed_xid end desc, id desc))[1], max(changed_xid)
    into rows, listed, last_id, last_xid from full_page;
  return jsonb_build_object('now', public.epoch_ms(clock_timestamp()), 'reset', reset, 'more', listed = most, 'rows', rows,
    'entrances', public.gate_entrances_json(), 'settings', public.gate_settings_json(),
    'upto', concat_ws('.', life, case when whole then since when listed = most then last_xid else settled end,
      case when whole and listed = most then 'all' else 'new' end,
      case when listed = most then last_id else nobody end));
end $$;

-- For a stolen device: from now on, it may neither scan nor read, nor open another device with its session.
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

-- A link for this many devices on one day, valid until that Central day ends. The token is shown once.
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
    raise exception 'An invitation can be for 1 to 200 phones.' using errcode = '22023';
  end if;
  if p_day is null or p_day < public.festival_day(now()) or p_day > public.festival_day(now()) + 366 then
    raise exception 'Choose today or a day within the next year.' using errcode = '22023';
  end if;
  insert into public.gate_invitations (token_hash, label, entrance_id, phones, created_by, expires_at)
    values (sha256(token::bytea), btrim(p_label), p_entrance_id, p_phones, auth.uid(), (p_day + 1)::timestamp at time zone 'America/Chicago')
    returning * into made;
  perform public.write_audit('CREATE', 'gate_invitations', made.id::text, null,
    jsonb_build_object('label', made.label, 'entrance_id', made.entrance_id, 'phones', made.phones, 'expires_at', made.expires_at));
  return jsonb_build_object('id', made.id, 'token', token, 'expires_at', public.epoch_ms(made.expires_at));
end $$;

-- Takes effect at once: its roles end with this transaction, and the roles' trigger closes live channels.
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

-- Whether this device has no place in the invitation and none is left.
create function public.is_full_invitation(p_id uuid, p_phones integer, p_phone text) returns boolean
language sql stable set search_path = '' as $$
  select count(*) >= p_phones and count(*) filter (where phone = p_phone) = 0 from public.gate_places where invitation_id = p_id
$$;

-- The account that an invitation created for a device; it may not have its role yet.
create function public.device_account(p_invitation_id uuid, p_email text) returns uuid
language sql stable security definer set search_path = '' as $$
  select id from auth.users
    where email = p_email and not is_sso_user and raw_app_meta_data ->> 'gate_invitation' = p_invitation_id::text
$$;

-- The invitation that a token opens; null if it is unknown, over or revoked. has_joined: this device already has its place.
create function public.find_gate_invitation(p_token text, p_email text) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', i.id, 'entrance_id', i.entrance_id, 'is_full', public.is_full_invitation(i.id, i.phones, p_email),
      'has_joined', exists (select from public.user_roles r
        where r.user_id = public.device_account(i.id, p_email) and r.invitation_id = i.id))
    from public.gate_invitations i
    where i.token_hash = sha256(convert_to(p_token, 'UTF8')) and i.revoked_at is null and i.expires_at > now()
$$;

-- Gives a device account its role, once; false if the invitation has ended meanwhile, or has no devices left.
create function public.join_gate_invitation(p_invitation_id uuid, p_email text) returns boolean
language plpgsql set search_path = '' as $$
declare
  account constant uuid := public.device_account(p_invitation_id, p_email);
  invitation public.gate_invitations;
begin
  select * into invitation from public.gate_invitations
    where id = p_invitation_id and revoked_at is null and expires_at > now() for no key update;
  if not found or account is null then return false; end if;
  if exists (select from public.user_roles where user_id = account and invitation_id = invitation.id) then return true; end if;
  if public.is_full_invitation(invitation.id, invitation.phones, p_email) then return false; end if;
  insert into public.gate_places (invitation_id, phone) values (invitation.id, p_email) on conflict do nothing;
  insert into public.user_roles (user_id, role, expires_at, invitation_id)
    values (account, 'gate', invitation.expires_at, invitation.id);
  return true;
end $$;

-- Device accounts are deleted a day after their invitation ended: until then, a device that comes back learns why it may not scan.
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

revoke execute on function public.epoch_ms(timestamptz),
  public.entrance_admits(public.gate_entrances, boolean, uuid, boolean), public.gate_entrance_json(public.gate_entrances),
  public.gate_settings_json(), public.refuse_gate_access(text), public.device_revoked_at(uuid), public.require_gate_device(uuid, boolean),
  public.free_device_name(uuid, text), public.record_device_contact(public.gate_devices, integer, bigint),
  public.gate_entrances_json(), public.gate_access_lost(uuid), public.is_full_invitation(uuid, integer, text),
  public.invited_phone(uuid), public.refuse_many_devices(uuid),
  public.device_account(uuid, text), public.find_gate_invitation(text, text), public.join_gate_invitation(uuid, text),
  public.remove_device_accounts(integer) from public, anon, authenticated;
revoke execute on function public.gate_open(uuid, text, uuid, integer), public.gate_leave(uuid), public.gate_waiting(uuid, integer),
  public.gate_list(uuid, text, integer), public.revoke_gate_device(uuid), public.restore_gate_device(uuid),
  public.create_gate_invitation(text, uuid, date, integer), public.revoke_gate_invitation(uuid) from public, anon;
grant execute on function public.gate_open(uuid, text, uuid, integer), public.gate_leave(uuid), public.gate_waiting(uuid, integer),
  public.gate_list(uuid, text, integer), public.revoke_gate_device(uuid), public.restore_gate_device(uuid),
  public.create_gate_invitation(text, uuid, date, integer), public.revoke_gate_invitation(uuid) to authenticated;
