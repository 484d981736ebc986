-- Who may do what: one role per user. Everything else calls is_admin() or has_role(). A trigger logs each change an administrator
-- makes, with before, after, address and browser, so that no path can skip it.

-- The service may use everything these migrations create; the platform no longer grants anything automatically. Each table and
-- function comes with its own grants to visitors and users.
alter default privileges in schema public grant select, insert, update, delete on tables to service_role;
alter default privileges in schema public grant usage, select on sequences to service_role;
alter default privileges in schema public grant execute on functions to service_role;

create table public.user_roles (
  user_id uuid primary key references auth.users (id) on delete cascade,
  role text not null check (role in ('admin', 'user', 'finance', 'gate')),
  created_at timestamptz not null default now(),
  expires_at timestamptz, -- null: for good
  -- The invitation that created this account for one device at the gate; null for people.
  invitation_id uuid,
  -- Gate staff whom an administrator allowed to sell at the door. Administrators need no permission.
  sells_at_door boolean not null default false,
  -- Otherwise the last administrator could expire.
  constraint user_roles_admin_stays check (role <> 'admin' or expires_at is null)
);
create index user_roles_by_role on public.user_roles (role);

-- A token works until it expires, up to an hour after its session ended. Where that is too long (ordering, paying, the back
-- office) this is checked as well: it is false once the user has signed out, been banned or been deleted. A token without a
-- session was signed by hand with the project's secret.
create function public.is_live_session(p_user uuid, p_session uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select (p_session is null
      or exists (select from auth.sessions
                 where id = p_session and user_id = p_user and (not_after is null or not_after > now())))
    and not exists (select from auth.users where id = p_user and (deleted_at is not null or banned_until > now()));
$$;

-- The same for many at once: [{"user_id", "session_id"}]. Answers in their order.
create function public.live_sessions(p_sessions jsonb) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(public.is_live_session((asked ->> 'user_id')::uuid, (asked ->> 'session_id')::uuid)
      order by position), '[]')
    from jsonb_array_elements(p_sessions) with ordinality as sessions (asked, position);
$$;

-- For policies, which call it as the requesting role: is_live_session of the caller.
create function public.has_live_session() returns boolean
language sql stable security definer set search_path = '' as $$
  select public.is_live_session(auth.uid(), (auth.jwt() ->> 'session_id')::uuid);
$$;

-- Whether a token may join live channels. As on the platform it may until it expires, even if its session has ended; but a role's work
-- ends with the session, and everything with a ban or the account. Private channels ask their policies as well.
create function public.may_join_live(p_user uuid, p_session uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select public.is_live_session(p_user, p_session)
    or (public.is_live_session(p_user, null) and exists (select from auth.users where id = p_user)
      and not exists (select from public.user_roles where user_id = p_user and role <> 'user'));
$$;
revoke execute on function public.is_live_session(uuid, uuid), public.live_sessions(jsonb), public.has_live_session(),
  public.may_join_live(uuid, uuid) from public, anon, authenticated;
grant execute on function public.has_live_session() to anon, authenticated;

-- ── The second step ────────────────────────────────────────────────────────────────────────────────────────────────

-- The roles that require a second step at sign-in. The gate's phones are exempt until an administrator adds them.
create table public.staff_settings (
  only_row boolean primary key default true check (only_row),
  two_step_roles text[] not null default '{}'
    constraint staff_settings_roles check (two_step_roles <@ array['admin', 'finance', 'gate'])
);
insert into public.staff_settings default values;

-- Whether a session of this assurance level (the token's `aal`) lacks the second step that the account has set up for itself.
create function public.lacks_own_step(p_user uuid, p_aal text) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(p_aal, '') <> 'aal2'
    and exists (select from auth.mfa_factors where user_id = p_user and status = 'verified');
$$;

-- The same for work in a role: the organizer may require the step of everybody in that role. At the gate, only that requirement
-- counts.
create function public.lacks_second_step(p_role text, p_user uuid, p_aal text) returns boolean
language sql stable security definer set search_path = '' as $$
  select (coalesce(p_aal, '') <> 'aal2' and exists (select from public.staff_settings where p_role = any (two_step_roles)))
    or (p_role <> 'gate' and public.lacks_own_step(p_user, p_aal));
$$;

-- Policies call it as the requesting role.
create function public.took_own_step() returns boolean
language sql stable security definer set search_path = '' as $$
  select not public.lacks_own_step(auth.uid(), auth.jwt() ->> 'aal');
$$;

-- What the account's pages need to know about the signed-in user's second step.
create function public.second_step() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'is_set_up', exists (select from auth.mfa_factors where user_id = auth.uid() and status = 'verified'),
    'is_taken', coalesce(auth.jwt() ->> 'aal', '') = 'aal2',
    'is_required', exists (select from public.user_roles r, public.staff_settings s
      where r.user_id = auth.uid() and r.role = any (s.two_step_roles) and (r.expires_at is null or r.expires_at > now())));
$$;

create function public.require_live_session() returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if not public.is_live_session(auth.uid(), (auth.jwt() ->> 'session_id')::uuid) then
    raise exception 'The session has ended. Please sign in again.' using errcode = '42501';
  elsif not public.took_own_step() then
    raise exception 'This requires two-step verification.' using errcode = '42501', hint = 'insufficient_aal';
  end if;
end $$;
revoke execute on function public.require_live_session(), public.lacks_own_step(uuid, text),
  public.lacks_second_step(text, uuid, text), public.took_own_step(), public.second_step() from public, anon, authenticated;
grant execute on function public.second_step() to authenticated;
grant execute on function public.took_own_step() to anon, authenticated;

-- For edge functions, many sessions at once: [{"user_id", "session_id", "aal"}]. True if the session lives and its sign-in is
-- complete. Answers in their order.
create function public.usable_sessions(p_sessions jsonb) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(public.is_live_session((asked ->> 'user_id')::uuid, (asked ->> 'session_id')::uuid)
      and not public.lacks_own_step((asked ->> 'user_id')::uuid, asked ->> 'aal') order by position), '[]')
    from jsonb_array_elements(p_sessions) with ordinality as sessions (asked, position);
$$;

-- Likewise: the caller's role in the back office; null if they work elsewhere, no longer work here, or have not taken the second
-- step.
create function public.office_role(p_user_id uuid, p_aal text) returns text
language sql stable security definer set search_path = '' as $$
  select role from public.user_roles
    where user_id = p_user_id and role in ('admin', 'finance') and (expires_at is null or expires_at > now())
      and not public.lacks_second_step(role, p_user_id, p_aal);
$$;
revoke execute on function public.usable_sessions(jsonb), public.office_role(uuid, text) from public, anon, authenticated;

-- True if the caller has one of these roles, it has not expired, and the second step it requires was taken. Security definers,
-- because the policies on user_roles call them and would otherwise call themselves.
create function public.has_role(variadic p_roles text[]) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.user_roles
      where user_id = auth.uid() and role = any (p_roles) and (expires_at is null or expires_at > now())
        and not public.lacks_second_step(case when 'gate' = any (p_roles) then 'gate' else role end, user_id, auth.jwt() ->> 'aal'))
    and public.is_live_session(auth.uid(), (auth.jwt() ->> 'session_id')::uuid);
$$;

-- The address of an account; null once it is gone.
create function public.mail_of(p_user_id uuid) returns text
language sql stable security definer set search_path = '' as $$
  select email from auth.users where id = p_user_id
$$;

revoke execute on function public.mail_of(uuid) from public, anon, authenticated;

create function public.is_admin() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.user_roles where user_id = auth.uid() and role = 'admin'
      and not public.lacks_second_step('admin', user_id, auth.jwt() ->> 'aal'))
    and public.is_live_session(auth.uid(), (auth.jwt() ->> 'session_id')::uuid);
$$;

-- Raises for a caller who has the role but not the second step; does nothing for anybody else.
create function public.ask_for_second_step(variadic p_roles text[]) returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if exists (select from public.user_roles where user_id = auth.uid() and role = any (p_roles)
      and (expires_at is null or expires_at > now()) and public.lacks_second_step(
        case when 'gate' = any (p_roles) then 'gate' else role end, user_id, auth.jwt() ->> 'aal')) then
    raise exception 'This requires two-step verification.' using errcode = '42501', hint = 'insufficient_aal';
  end if;
end $$;

create function public.require_admin() returns void
language plpgsql stable set search_path = '' as $$
begin
  if public.is_admin() then return; end if;
  perform public.ask_for_second_step('admin');
  raise exception 'Only administrators may do this.' using errcode = '42501';
end $$;

-- Orders and their money.
create function public.require_finance() returns void
language plpgsql stable set search_path = '' as $$
begin
  if public.has_role('admin', 'finance') then return; end if;
  perform public.ask_for_second_step('admin', 'finance');
  raise exception 'Only administrators and finance may do this.' using errcode = '42501';
end $$;

-- Whether another administrator can sign in now.
create function public.has_other_admin(p_user_id uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.user_roles r join auth.users u on u.id = r.user_id
    where r.role = 'admin' and r.user_id <> p_user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now()));
$$;
revoke execute on function public.has_other_admin(uuid) from public, anon, authenticated;

create function public.keep_an_admin() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- Granting an account the role it already has also sets the column.
  if tg_op = 'UPDATE' and new.user_id <> old.user_id then
    raise exception 'A role can''t move to another account.' using errcode = '23514';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('keep_an_admin', 0)); -- two admins demoting each other
  if old.role = 'admin' and (tg_op = 'DELETE' or new.role <> 'admin')
    and not public.has_other_admin(old.user_id) then
    raise exception 'The last administrator cannot be demoted or removed.' using errcode = '23514';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
-- Permission to sell ends with the role: a person who returns to the gate needs it again.
create function public.drop_leave_to_sell() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.sells_at_door := false;
  return new;
end $$;
create trigger user_roles_drop_leave before insert or update on public.user_roles
  for each row when (new.role <> 'gate' and new.sells_at_door) execute function public.drop_leave_to_sell();

create trigger user_roles_keep_an_admin before update or delete on public.user_roles
  for each row execute function public.keep_an_admin();

-- Our own server then closes the live channels of the user named here.
create function public.notify_demotion() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('session_ended', json_build_object('user_id', old.user_id)::text);
  return null;
end $$;
create trigger user_roles_notify_removal after delete on public.user_roles
  for each row when (old.role <> 'user') execute function public.notify_demotion();
create trigger user_roles_notify_demotion after update on public.user_roles
  for each row when (old.role <> 'user'
    and (old.role, old.expires_at) is distinct from (new.role, new.expires_at) and new.role <> 'admin')
  execute function public.notify_demotion();

alter table public.user_roles enable row level security;
revoke all on public.user_roles from anon, authenticated;
grant select, delete on public.user_roles to authenticated;
grant insert (user_id, role, expires_at, sells_at_door), update (user_id, role, expires_at, sells_at_door) on public.user_roles to authenticated;

create policy "Users read their own role" on public.user_roles
  for select to authenticated using (user_id = (select auth.uid()));
create policy "Admins read all roles" on public.user_roles
  for select to authenticated using ((select public.is_admin()));
create policy "Admins give roles" on public.user_roles
  for insert to authenticated with check ((select public.is_admin()));
create policy "Admins change roles" on public.user_roles
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));
create policy "Admins remove roles" on public.user_roles
  for delete to authenticated using ((select public.is_admin()));

-- A user whose role changes sees other screens at once. Broadcast, because a published table sends the key of a deleted row,
-- here a user's id, to every subscriber.
create policy "Users hear of their own role" on realtime.messages
  for select to authenticated using (realtime.topic() = 'role:' || (select auth.uid()) and extension = 'broadcast'
    and (select public.has_live_session()));
create function public.broadcast_role() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'changed', 'role:' || coalesce(new.user_id, old.user_id), true);
  return null;
end $$;
revoke execute on function public.broadcast_role() from public, anon, authenticated;
create trigger user_roles_broadcast after insert or update or delete on public.user_roles
  for each row execute function public.broadcast_role();

-- ── Audit ──────────────────────────────────────────────────────────────────────────────────────────────────────────

create table public.audit_logs (
  id uuid primary key default gen_random_uuid(),
  admin_user_id uuid,
  action_type text not null,
  table_name text,
  record_id text,
  old_values jsonb,
  new_values jsonb,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  -- The kind of action, as the screen's filter names it, errors first. A browser's failed read is not an error of the shop.
  kind text not null generated always as (case
    when action_type like 'FETCH\_ERROR\_%' then 'Other'
    when action_type ~* 'ERROR|CRITICAL' then 'Errors'
    when action_type ~* 'CREATE|INSERT' then 'Create'
    when action_type ~* 'UPDATE' then 'Update'
    when action_type ~* 'DELETE' then 'Delete'
    else 'Other' end) stored
);
create index audit_logs_newest on public.audit_logs (created_at desc, id);
create index audit_logs_by_kind on public.audit_logs (kind, created_at desc, id);
-- The order's page lists what happened to it.
create index audit_logs_of_record on public.audit_logs (record_id);
-- Trigrams: a list's search matches anywhere in a text.
create extension if not exists pg_trgm with schema extensions;
create index audit_logs_search on public.audit_logs
  using gin (action_type extensions.gin_trgm_ops, table_name extensions.gin_trgm_ops);

alter table public.audit_logs enable row level security;
revoke all on public.audit_logs from anon, authenticated;
grant select on public.audit_logs to authenticated;
create policy "Admins read the audit log" on public.audit_logs
  for select to authenticated using ((select public.is_admin()));
alter publication supabase_realtime add table public.audit_logs;

create function public.request_header(p_name text) returns text
language sql stable set search_path = '' as $$
  select nullif(current_setting('request.headers', true), '')::json ->> p_name;
$$;

-- The address that a proxy wrote: the platform's first proxy overwrites cf-connecting-ip; our gateway removes it and sends one
-- address. In a longer list, the left is the client's own claim and the right is what the last proxy saw.
create function public.request_address() returns text
language sql stable set search_path = '' as $$
  select left(btrim(coalesce(public.request_header('cf-connecting-ip'),
    split_part(public.request_header('x-forwarded-for'), ',', -1))), 45);
$$;

-- The address that limits count: an IPv4 address, or the IPv6 network of one household or server.
create function public.request_network() returns text
language plpgsql stable set search_path = '' as $$
declare
  said constant text := public.request_address();
begin
  if said not like '%:%' then return said; end if;
  return host(network(set_masklen(said::inet, 64)));
exception when invalid_text_representation then
  return said;
end $$;

create function public.write_audit(p_action text, p_table text, p_record text, p_old jsonb, p_new jsonb) returns void
language sql volatile set search_path = '' as $$
  insert into public.audit_logs (admin_user_id, action_type, table_name, record_id, old_values, new_values, ip_address,
      user_agent)
    values (auth.uid(), p_action, p_table, p_record, p_old, p_new,
      public.request_address(), left(public.request_header('user-agent'), 500));
$$;

create function public.audit_change() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
begin
  perform public.write_audit(
    case tg_op when 'INSERT' then 'CREATE' else tg_op end, tg_table_name::text,
    coalesce(after, before) ->> (case when tg_table_name = 'user_roles' then 'user_id'
      when tg_table_name in ('shop_settings', 'gate_settings', 'staff_settings') then 'only_row' else 'id' end),
    before, after);
  return null;
end $$;

create trigger user_roles_audit after insert or update or delete on public.user_roles
  for each row execute function public.audit_change();

create trigger staff_settings_audit after update on public.staff_settings
  for each row execute function public.audit_change();

-- An administrator who requires the second step of administrators must have taken it, to be able to come back in.
create function public.keep_an_admin_in() returns trigger
language plpgsql set search_path = '' as $$
begin
  if auth.uid() is not null and coalesce(auth.jwt() ->> 'aal', '') <> 'aal2' then
    raise exception 'Set up two-step verification for yourself first, or you''ll be locked out.'
      using errcode = '23514', hint = 'insufficient_aal';
  end if;
  return new;
end $$;
create trigger staff_settings_keep_an_admin_in before update on public.staff_settings
  for each row when ('admin' = any (new.two_step_roles) and not 'admin' = any (old.two_step_roles))
  execute function public.keep_an_admin_in();

alter table public.staff_settings enable row level security;
revoke all on public.staff_settings from anon, authenticated;
grant select, update (two_step_roles) on public.staff_settings to authenticated;
create policy "Admins read the staff's settings" on public.staff_settings
  for select to authenticated using ((select public.is_admin()));
create policy "Admins change the staff's settings" on public.staff_settings
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));

revoke execute on function public.write_audit(text, text, text, jsonb, jsonb) from public, anon, authenticated;
-- Policies, views and defaults call these as the requesting role. PostgreSQL grants them to everybody by default, unless a project
-- has revoked that.
grant execute on function public.has_role(text[]), public.is_admin(), public.require_admin(), public.require_finance(),
  public.ask_for_second_step(text[]), public.request_header(text), public.request_address(), public.request_network() to anon, authenticated;
