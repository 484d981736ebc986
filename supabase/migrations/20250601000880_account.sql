-- What people may do with their own account besides signing in: see and end its sessions, export their data, and delete it. The
-- rules are here; second factors and passkeys belong to the auth service.

-- A second step that was set up protects orders too: the first step alone can read none of them.
create policy "A second step that was set up comes first" on public.orders
  as restrictive for select to authenticated using ((select public.took_own_step()));
create policy "A second step that was set up comes first" on public.entry_codes
  as restrictive for select to authenticated using ((select public.took_own_step()));
create policy "A second step that was set up comes first" on public.ticket_transfers
  as restrictive for select to authenticated using ((select public.took_own_step()));
create policy "A second step that was set up comes first" on public.attendee_corrections
  as restrictive for select to authenticated using ((select public.took_own_step()));
create policy "A second step that was set up comes first" on public.waitlist_entries
  as restrictive for select to authenticated using ((select public.took_own_step()));

-- Writes an account's actions to the auth service's own log, in the same shape.
create function public.write_account_audit(p_action text, p_log_type text, p_traits jsonb default null) returns void
language sql volatile set search_path = '' as $$
  insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
    values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(),
      json_build_object('action', p_action, 'actor_id', auth.uid(), 'actor_username', coalesce(public.mail_of(auth.uid()), ''),
        'actor_via_sso', false, 'log_type', p_log_type, 'traits', p_traits), now(), coalesce(public.request_address(), ''));
$$;

-- ── Sessions ───────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Most recently used first. `is_this` marks the calling session.
create function public.list_my_sessions()
returns table (id uuid, created_at timestamptz, last_seen_at timestamptz, user_agent text, address text, is_this boolean)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_live_session();
  return query select s.id, s.created_at, coalesce(s.refreshed_at at time zone 'UTC', s.created_at), left(s.user_agent, 300),
      host(s.ip), s.id = (auth.jwt() ->> 'session_id')::uuid
    from auth.sessions s
    where s.user_id = auth.uid() and (s.not_after is null or s.not_after > now())
    order by 6 desc, 3 desc limit 100;
end $$;

-- False if it had already ended, or was never theirs.
create function public.end_my_session(p_session_id uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_live_session();
  delete from auth.sessions where id = p_session_id and user_id = auth.uid();
  if not found then return false; end if;
  perform public.write_account_audit('logout', 'account', jsonb_build_object('session_id', p_session_id));
  return true;
end $$;

-- ── A change of address ────────────────────────────────────────────────────────────────────────────────────────────────

-- Which address has already confirmed, 'current' or 'new'; null if neither has. The auth service only counts the confirmations, so
-- it is the address whose token is used up.
create function public.confirmed_half_of_my_email_change() returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  awaited text[];
begin
  perform public.require_live_session();
  select array_agg(distinct t.token_type::text) into awaited
    from auth.users u join auth.one_time_tokens t on t.user_id = u.id
    where u.id = auth.uid() and u.email_change <> '' and u.email_change_confirm_status = 1
      and t.token_type in ('email_change_token_current', 'email_change_token_new');
  return case awaited when '{email_change_token_new}' then 'current' when '{email_change_token_current}' then 'new' end;
end $$;

-- Keeps the address: the mailed links no longer work. False if no change was under way.
create function public.call_off_my_email_change() returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_live_session();
  -- The user before the tokens, in the auth service's lock order.
  update auth.users set email_change = '', email_change_confirm_status = 0, email_change_token_current = '',
      email_change_token_new = '', updated_at = now()
    where id = auth.uid() and email_change <> '';
  if not found then return false; end if;
  delete from auth.one_time_tokens
    where user_id = auth.uid() and token_type in ('email_change_token_current', 'email_change_token_new');
  perform public.write_account_audit('user_modified', 'user', jsonb_build_object('email_change', 'called off'));
  return true;
end $$;

-- ── Data export ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Everything that names the caller, newest first, at most 1,000 of a kind. Entry codes and secrets are left out: a person who finds
-- the file must not get in with it.
create function public.export_my_data() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
  most constant integer := 1000;
  account auth.users;
  passkeys jsonb := '[]';
begin
  perform public.require_live_session();
  if not public.consume_rate_limit('export:' || me, 10, 3600) then
    raise exception 'You have asked for your data ten times within an hour. Please try again later.' using errcode = 'PT429';
  end if;
  select * into strict account from auth.users where id = me;
  -- A project with an older auth service has no passkeys.
  if to_regclass('auth.webauthn_credentials') is not null then
    execute $q$select coalesce(jsonb_agg(jsonb_build_object('name', friendly_name, 'created_at', created_at, 'last_used_at', last_used_at)
      order by created_at), '[]') from auth.webauthn_credentials where user_id = $1$q$ into passkeys using me;
  end if;
  perform public.write_account_audit('user_data_exported', 'account');
  return (
    -- What has a code and names nobody, each kind under its own name: parking.
    select coalesce(jsonb_object_agg(k.kind, (
        select coalesce(jsonb_agg(to_jsonb(t) - '{user_id,attendee_name,attendee_email,has_attendee,transferred_issue,qr_code_data,qr_code_url,changed_xid}'::text[] order by t.created_at desc), '[]')
        from (select * from public.entry_codes where user_id = me and kind = k.kind order by created_at desc limit most) as t)), '{}')
      from public.product_kinds k where k.has_code and not k.needs_attendee
  ) || jsonb_build_object(
    'made_at', now(),
    'at_most_of_a_kind', most,
    'account', jsonb_build_object('id', account.id, 'email', account.email, 'phone', account.phone,
      'created_at', account.created_at, 'last_sign_in_at', account.last_sign_in_at,
      'details', account.raw_user_meta_data, 'role', (select role from public.user_roles where user_id = me)),
    'sign_in', jsonb_build_object(
      'ways', (select coalesce(jsonb_agg(jsonb_build_object('provider', provider, 'email', email, 'created_at', created_at,
        'last_sign_in_at', last_sign_in_at) order by created_at), '[]') from auth.identities where user_id = me),
      'second_steps', (select coalesce(jsonb_agg(jsonb_build_object('name', friendly_name, 'kind', factor_type, 'phone', phone,
        'status', status, 'created_at', created_at) order by created_at), '[]') from auth.mfa_factors where user_id = me),
      'passkeys', passkeys,
      'sessions', (select coalesce(jsonb_agg(jsonb_build_object('created_at', s.created_at, 'refreshed_at', s.refreshed_at,
        'browser', s.user_agent, 'address', host(s.ip)) order by s.created_at desc), '[]')
        from (select * from auth.sessions where user_id = me order by created_at desc limit most) as s)),
    'orders', (select coalesce(jsonb_agg(to_jsonb(o) - '{user_id,idempotency_key,request_hash,expiry_check_at,has_place,names_until}'::text[]
        || jsonb_build_object(
          'items', (select coalesce(jsonb_agg(to_jsonb(i) - 'order_id'), '[]') from public.order_items i where i.order_id = o.id),
          'payments', (select coalesce(jsonb_agg(to_jsonb(p) - 'order_id'), '[]') from public.payments p where p.order_id = o.id),
          'refunds', (select coalesce(jsonb_agg(jsonb_build_object('amount', r.amount, 'status', r.status, 'created_at', r.created_at)), '[]')
            from public.refunds r where r.order_id = o.id)) order by o.created_at desc), '[]')
      from (select * from public.orders where user_id = me order by created_at desc limit most) as o),
    'tickets', (select coalesce(jsonb_agg(to_jsonb(t) - '{user_id,qr_code_data,qr_code_url,changed_xid}'::text[] order by t.created_at desc), '[]')
      from (select * from public.tickets where user_id = me order by created_at desc limit most) as t),
    'transfers', (select coalesce(jsonb_agg(to_jsonb(t) - '{token_hash,from_user_id,to_user_id}'::text[]
        || jsonb_build_object('you', case when t.from_user_id = me then 'gave' else 'received' end) order by t.offered_at desc), '[]')
      from (select * from public.ticket_transfers where from_user_id = me or to_user_id = me order by offered_at desc limit most) as t),
    'corrections', (select coalesce(jsonb_agg(to_jsonb(c) - 'corrected_by' order by c.corrected_at desc), '[]')
      from (select * from public.attendee_corrections where corrected_by = me order by corrected_at desc limit most) as c),
    'waitlist', (select coalesce(jsonb_agg(to_jsonb(w) - 'user_id' order by w.created_at desc), '[]')
      from (select * from public.waitlist_entries where user_id = me order by created_at desc limit most) as w),
    'visits', (select coalesce(jsonb_agg(jsonb_build_object('page', v.page_path, 'at', v.created_at, 'seconds', v.visit_duration,
        'device', v.device_type, 'browser', v.browser_name, 'referrer', v.referrer) order by v.created_at desc), '[]')
      from (select * from public.site_visits where user_id = me order by created_at desc limit most) as v),
    'vendor_applications', (select coalesce(jsonb_agg(to_jsonb(a) - 'version' order by a.submission_date desc), '[]')
      from (select * from public.vendor_applications where lower(contact_email) = account.email and account.email_confirmed_at is not null
        order by submission_date desc limit most) as a),
    'sponsor_inquiries', (select coalesce(jsonb_agg(to_jsonb(a) order by a.created_at desc), '[]')
      from (select * from public.sponsor_inquiries where lower(email) = account.email and account.email_confirmed_at is not null
        order by created_at desc limit most) as a));
end $$;
create index site_visits_of_user on public.site_visits (user_id, created_at desc) where user_id is not null;

-- ── Leaving ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- When the user last proved who they are, by the token's `amr`. Null if the token does not say.
create function public.proved_at() returns timestamptz
language sql stable set search_path = '' as $$
  select to_timestamp(max((method ->> 'timestamp')::bigint))
    from jsonb_array_elements(case when jsonb_typeof(auth.jwt() -> 'amr') = 'array' then auth.jwt() -> 'amr' else '[]' end) as method
    where jsonb_typeof(method) = 'object' and method ->> 'method' <> 'token_refresh';
$$;

create function public.proved_lately() returns boolean
language sql stable set search_path = '' as $$
  select coalesce(public.proved_at() >= now() - interval '15 minutes', false);
$$;

-- 120 days after the festival by Houston's calendar, whose clocks change in between.
create function public.names_kept_until() returns timestamptz language sql stable set search_path = '' as $$
  select (ends_at at time zone 'America/Chicago' + interval '120 days') at time zone 'America/Chicago' from public.festival;
$$;

-- What deleting the account would mean: the unused tickets, whatever the festival's date, which does not close the gate; until when
-- paid orders keep the names, null if that is past; what stands in the way; and whether it needs a fresh sign-in.
create function public.preview_account_deletion() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_live_session();
  return jsonb_build_object(
    'tickets_to_come', (select count(*) from public.tickets
      where user_id = auth.uid() and voided_at is null and checked_in_at is null),
    'orders', (select count(*) from public.orders where user_id = auth.uid()),
    'names_until', (select until from public.names_kept_until() as until where until > now()),
    'refusal', case
      when public.is_device_account(public.mail_of(auth.uid())) then 'A gate phone''s account ends with its invitation.'
      when exists (select from public.user_roles where user_id = auth.uid() and role = 'admin')
        and not public.has_other_admin(auth.uid())
        then 'You are the last administrator. Make someone else an administrator first.'
      when exists (select from public.till_shifts where seller_id = auth.uid() and closed_at is null)
        then 'Your till is open. Close it first.'
      when exists (select from public.orders where user_id = auth.uid() and status = 'pending' and hold_expires_at > now())
        then 'You have an unpaid order. Pay for it or empty your cart, then try again.' end,
    'sign_in_first', not public.proved_lately());
end $$;

-- What is locked before the row of an account that is deleted: every transaction that needs that row and holds what the deletion
-- changes also holds one of these. A report of visits takes their rows by id, a cart or payment of this buyer the first of the
-- advisory locks, an offer of their tickets the second, and a payment, a scan or a transfer an order, which may be another buyer's. The
-- visits come first, so that a slow report does not keep this buyer from ordering. Called by the auth service too, when an administrator
-- deletes an account.
create function public.lock_departure(p_user_id uuid) returns void
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  perform from public.site_visits where user_id = p_user_id order by id for no key update;
  perform pg_advisory_xact_lock(hashtextextended('buyer ' || p_user_id, 0));
  perform pg_advisory_xact_lock(hashtextextended('transfers of ' || p_user_id, 0));
  perform from public.orders where id in (
      select id from public.orders where user_id = p_user_id
      union all select order_id from public.entry_codes where user_id = p_user_id
      union all select order_id from public.ticket_transfers where p_user_id in (from_user_id, to_user_id))
    order by id for no key update;
end $$;

-- Deletes the caller's account for good. Orders stay without it, as proof of payment; forget_deleted_buyers removes the names from
-- them later. Tickets stay valid, but nobody can see, transfer or print them any more: p_knowing_tickets confirms that this is
-- understood.
create function public.delete_my_account(p_email text, p_knowing_tickets boolean default false) returns void
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
  ahead jsonb;
begin
  perform public.require_live_session();
  -- Before any lock, so that a refused deletion blocks nobody.
  if not public.proved_lately() then
    raise exception 'Please sign in again first. This requires a sign-in within the last 15 minutes.'
      using errcode = '42501', hint = 'reauthentication_needed';
  elsif lower(public.plain_email(coalesce(p_email, ''))) is distinct from coalesce(public.mail_of(me), (select phone from auth.users where id = me)) then
    raise exception 'Enter your account''s address to delete it.' using errcode = '22023';
  end if;
  perform public.lock_departure(me);
  -- Another call of this may have deleted the account meanwhile. An order that is being placed is waited for, and then refuses.
  perform from auth.users where id = me for update;
  if not found then return; end if;
  ahead := public.preview_account_deletion();
  if ahead ->> 'refusal' is not null then
    raise exception '%', ahead ->> 'refusal' using errcode = '23514';
  elsif (ahead ->> 'tickets_to_come')::integer > 0 and not coalesce(p_knowing_tickets, false) then
    raise exception 'You still have unused tickets.' using errcode = '23514', hint = 'tickets_to_come';
  end if;
  perform public.write_account_audit('user_deleted', 'team', jsonb_build_object('user_id', me, 'orders_kept', ahead -> 'orders'));
  insert into public.outbox (kind, payload, dedupe_key)
    select 'account_deleted_mail', jsonb_build_object('email', email), 'account-deleted:' || me
      from auth.users where id = me and email_confirmed_at is not null;
  delete from auth.users where id = me;
end $$;

-- A trigger, because on every path of deleting an account the foreign key clears the order's user_id.
create function public.keep_promised_day() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.names_until := public.names_kept_until();
  return new;
end $$;
create trigger orders_promised_day before update of user_id on public.orders
  for each row when (old.user_id is not null and new.user_id is null) execute function public.keep_promised_day();

-- Removes names and addresses from orders whose account is gone: if nothing was paid, as soon as the provider says that nothing can be
-- any more (a bank may still approve a payment that was given up, which then needs its attendees), otherwise 120 days after the
-- festival, when card payments can no longer be disputed, and by the day that was named when the account was deleted: the festival's
-- date may be next year's by then. Amounts, items and dates stay for the books.
create index orders_to_forget on public.orders (id)
  where user_id is null and channel = 'online' and buyer_email <> 'deleted@account.invalid';

create function public.forget_deleted_buyers(p_limit integer default 500) returns integer
language plpgsql security definer set search_path = '' as $$ -- the service cannot read auth.users
declare
  gone constant text := 'Deleted account';
  chosen uuid[];
begin
  select coalesce(array_agg(o.id order by o.id), '{}') into chosen from (
    select o.id from public.orders o
    where o.user_id is null and o.channel = 'online' and o.buyer_email <> 'deleted@account.invalid'
      and ((o.status = 'cancelled' and not exists (select from public.payments p where p.order_id = o.id and p.status <> 'failed')
          and not exists (select from public.outbox w where w.dedupe_key = 'cancel_intent:' || o.id and w.done_at is null))
        or (o.status <> 'pending' and least(o.names_until, (select public.names_kept_until())) < now()))
    order by o.id limit p_limit for no key update skip locked) as o;
  update public.orders set buyer_full_name = gone, buyer_email = 'deleted@account.invalid', buyer_phone_number = '', attendees = '[]'
    where id = any (chosen);
  update public.tickets set attendee_name = gone, attendee_email = '' where order_id = any (chosen) and user_id is null;
  update public.ticket_transfers set from_name = gone, from_attendee = gone, to_name = gone, to_email = 'deleted@account.invalid'
    where order_id = any (chosen) and from_user_id is null and to_user_id is null;
  update public.attendee_corrections set old_name = gone, old_email = '', new_name = gone, new_email = ''
    where order_id = any (chosen) and corrected_by is not null
      and not exists (select from auth.users u where u.id = corrected_by);
  delete from public.former_buyers where order_id = any (chosen);
  return cardinality(chosen);
end $$;

revoke execute on function public.write_account_audit(text, text, jsonb), public.list_my_sessions(),
  public.end_my_session(uuid), public.confirmed_half_of_my_email_change(), public.call_off_my_email_change(),
  public.export_my_data(), public.proved_at(), public.proved_lately(), public.names_kept_until(), public.preview_account_deletion(), public.lock_departure(uuid), public.delete_my_account(text, boolean),
  public.keep_promised_day(), public.forget_deleted_buyers(integer) from public, anon, authenticated;
grant execute on function public.list_my_sessions(), public.end_my_session(uuid),
  public.confirmed_half_of_my_email_change(), public.call_off_my_email_change(), public.export_my_data(),
  public.preview_account_deletion(), public.delete_my_account(text, boolean) to authenticated;

-- ── What administrators do for one person ───────────────────────────────────────────────────────────────────────────────

-- Sign them out everywhere, remove lost second steps, block sign-in and lift the block. The platform lets the owner of these functions
-- write the auth service's tables too.

-- The account, locked as the auth service locks it. Administrators cannot do this to themselves: their own account page offers what
-- they may do.
create function public.lock_account(p_user_id uuid, p_reason text) returns auth.users
language plpgsql set search_path = '' as $$
declare
  account auth.users;
begin
  if length(btrim(coalesce(p_reason, ''))) not between 1 and 500 then
    raise exception 'Enter a reason (up to 500 characters).' using errcode = '22023';
  elsif p_user_id = auth.uid() then
    raise exception 'This is your own account. Another administrator can do this for you.' using errcode = '23514';
  end if;
  select * into account from auth.users where id = p_user_id and deleted_at is null for no key update;
  if account.id is null then raise exception 'This account no longer exists.' using errcode = '22023'; end if;
  return account;
end $$;

-- In both logs: the back office's, and the auth service's, which records what happened to accounts.
create function public.write_account_help(p_user_id uuid, p_action text, p_log_type text, p_old jsonb, p_new jsonb, p_reason text)
returns void language plpgsql set search_path = '' as $$
begin
  perform public.write_audit('UPDATE', 'users', p_user_id::text, p_old, p_new || jsonb_build_object('reason', btrim(p_reason)));
  perform public.write_account_audit(p_action, p_log_type, jsonb_build_object('user_id', p_user_id));
end $$;

-- Ends every session; triggers close their live channels. Returns how many there were.
create function public.end_sessions(p_user_id uuid) returns integer
language plpgsql set search_path = '' as $$
declare
  ended integer;
begin
  delete from auth.sessions where user_id = p_user_id;
  get diagnostics ended = row_count;
  return ended;
end $$;

create function public.sign_out_user(p_user_id uuid, p_reason text) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  account auth.users;
  ended integer;
begin
  perform public.require_admin();
  account := public.lock_account(p_user_id, p_reason);
  ended := public.end_sessions(account.id);
  perform public.write_account_help(account.id, 'logout', 'account', jsonb_build_object('sessions', ended),
    jsonb_build_object('sessions', 0), p_reason);
  return ended;
end $$;

-- Recovery codes go too. Sessions end: otherwise a session that stopped before the second step would now be signed in, even a
-- stranger's.
create function public.remove_second_steps(p_user_id uuid, p_reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  account auth.users;
  removed jsonb;
begin
  perform public.require_admin();
  account := public.lock_account(p_user_id, p_reason);
  with gone as (delete from auth.mfa_factors where user_id = account.id returning factor_type, created_at)
    select jsonb_agg(factor_type order by created_at) into removed from gone;
  if removed is null then raise exception 'This account has no two-step verification.' using errcode = '23514'; end if;
  perform public.end_sessions(account.id);
  perform public.write_account_help(account.id, 'factor_deleted', 'factor', jsonb_build_object('second_steps', removed),
    jsonb_build_object('second_steps', '[]'::jsonb), p_reason);
  if account.email_confirmed_at is not null then
    insert into public.outbox (kind, payload, dedupe_key)
      values ('second_steps_mail', jsonb_build_object('email', account.email), 'second-steps:' || gen_random_uuid());
  end if;
end $$;

-- For some days, or for good: a hundred years, since the auth service has no unlimited block.
create function public.block_user(p_user_id uuid, p_reason text, p_days integer default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  account auth.users;
  ends constant timestamptz := now() + case when p_days is null then interval '100 years' else make_interval(days => p_days) end;
begin
  perform public.require_admin();
  account := public.lock_account(p_user_id, p_reason);
  if p_days not between 1 and 365 then
    raise exception 'Choose 1 to 365 days, or permanently.' using errcode = '22023';
  end if;
  update auth.users set banned_until = ends, updated_at = now() where id = account.id;
  perform public.end_sessions(account.id);
  perform public.write_account_help(account.id, 'user_modified', 'user', jsonb_build_object('blocked_until', account.banned_until),
    jsonb_build_object('blocked_until', ends), p_reason);
end $$;

create function public.unblock_user(p_user_id uuid, p_reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  account auth.users;
begin
  perform public.require_admin();
  account := public.lock_account(p_user_id, p_reason);
  if account.banned_until is null or account.banned_until <= now() then
    raise exception 'This account is not blocked.' using errcode = '23514';
  end if;
  update auth.users set banned_until = null, updated_at = now() where id = account.id;
  perform public.write_account_help(account.id, 'user_modified', 'user', jsonb_build_object('blocked_until', account.banned_until),
    jsonb_build_object('blocked_until', null), p_reason);
end $$;

-- Also covers the auth service's own API, where a deleted account can keep its row. Deleting the row deletes its role, whose
-- trigger checks.
create function public.keep_an_admin_in_reach() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('keep_an_admin', 0)); -- two admins blocking each other
  if exists (select from public.user_roles where user_id = new.id and role = 'admin') and not public.has_other_admin(new.id) then
    raise exception 'The last administrator cannot be %.', tg_argv[0] using errcode = '23514';
  end if;
  return new;
end $$;
create trigger users_keep_an_admin before update of banned_until on auth.users
  for each row when (new.banned_until > now()) execute function public.keep_an_admin_in_reach('blocked');
create trigger users_keep_an_admin_undeleted before update of deleted_at on auth.users
  for each row when (new.deleted_at is not null) execute function public.keep_an_admin_in_reach('deleted');

revoke execute on function public.lock_account(uuid, text), public.write_account_help(uuid, text, text, jsonb, jsonb, text),
  public.end_sessions(uuid), public.sign_out_user(uuid, text), public.remove_second_steps(uuid, text),
  public.block_user(uuid, text, integer), public.unblock_user(uuid, text), public.keep_an_admin_in_reach()
  from public, anon, authenticated;
grant execute on function public.sign_out_user(uuid, text), public.remove_second_steps(uuid, text),
  public.block_user(uuid, text, integer), public.unblock_user(uuid, text) to authenticated;
