-- What an administrator may do about a person's sign-in: sign them out everywhere, remove lost second steps, block sign-in and lift
-- the block. The platform lets the owner of these functions write the auth service's tables too.

-- The account, locked as the auth service locks it. Administrators cannot do this to themselves: their own account page offers what
-- they may do.
create function public.lock_account(p_user_id uuid, p_reason text) returns auth.users
language plpgsql set search_path = '' as $$
declare
  account auth.users;
begin
  if length(btrim(coalesce(p_reason, ''))) not between 1 and 500 then
    raise exception 'Say in at most 500 characters what the reason is.' using errcode = '22023';
  elsif p_user_id = auth.uid() then
    raise exception 'This is your own account. Another administrator can do this for you.' using errcode = '23514';
  end if;
  select * into account from auth.users where id = p_user_id and deleted_at is null for no key update;
  if account.id is null then raise exception 'This account does not exist any more.' using errcode = '22023'; end if;
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

-- Recovery codes go too. Sessions end: otherwise a session that stopped before the second step would now be signed in, whoever it
-- belongs to.
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
  if removed is null then raise exception 'This account has no second step.' using errcode = '23514'; end if;
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
    raise exception 'Choose between 1 and 365 days, or for good.' using errcode = '22023';
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
