-- Inviting staff by mail, each to one role. The mail's link is the auth service's own invitation (function invite-staff); its user
-- gets the role in the transaction that confirms their address.

-- One mail address with a domain, as zod's email() in contract/schemas: no part of it may be read as a second address or as a display
-- name. It has neither a backslash nor a double quote, so that a JSON path can have it (cart_problem). No search path, so that both are
-- inlined.
create function public.email_pattern() returns text language sql immutable as $$
  select '^([A-Za-z0-9_''+-]+[.])*[A-Za-z0-9_''+-]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*[.])+[A-Za-z][A-Za-z]+$'
$$;
create function public.is_email(p_text text) returns boolean language sql immutable as $$
  select p_text ~ public.email_pattern() and length(p_text) <= 254
$$;

-- Text on one line, without control characters: a name in a mail may not begin a paragraph of its own. As in contract/schemas. Joiners
-- and direction marks stay, which names in some writing systems need. No search path, so that it is inlined.
create function public.is_one_line(p_text text) returns boolean language sql immutable as $$
  select p_text !~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]'
$$;
-- A web address, which mail programs turn into a link. No person's name has one, and a buyer's name is in mails to people who did not
-- order anything. As in contract/schemas and cart_problem. A domain alone stays: "J.Smith" looks like one. No search path, so that it is
-- inlined.
create function public.has_link(p_text text) returns boolean language sql immutable as $$
  select p_text ~* '://|(^|[^a-z0-9])www\.|[a-z0-9-]\.[a-z][a-z]+/'
$$;
revoke execute on function public.email_pattern(), public.is_email(text), public.is_one_line(text), public.has_link(text) from public, anon;
-- An administrator's decision on an application checks its row again.
grant execute on function public.email_pattern(), public.is_email(text), public.is_one_line(text), public.has_link(text) to authenticated;

create table public.staff_invitations (
  id uuid primary key default gen_random_uuid(),
  email text not null check (email = lower(email) and public.is_email(email)),
  role text not null check (role in ('admin', 'finance', 'gate')),
  invited_by uuid, -- no foreign key: the invitation outlives the account
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  accepted_at timestamptz,
  accepted_by uuid references auth.users (id) on delete set null,
  revoked_at timestamptz,
  revoked_by uuid
);
create unique index staff_invitations_open on public.staff_invitations (email)
  where accepted_at is null and revoked_at is null;
create index staff_invitations_newest on public.staff_invitations (created_at desc);

create trigger staff_invitations_audit after insert or update on public.staff_invitations
  for each row execute function public.audit_change();

alter table public.staff_invitations enable row level security;
revoke all on public.staff_invitations from anon, authenticated;
grant select on public.staff_invitations to authenticated;
create policy "Admins read the staff's invitations" on public.staff_invitations
  for select to authenticated using ((select public.is_admin()));

-- A confirmed account gets its role in the user list instead. An unconfirmed account does not block an invitation: a stranger may
-- have signed up with the address.
create function public.invite_staff(p_email text, p_role text) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  wanted constant text := lower(btrim(p_email));
  invitation uuid;
begin
  perform public.require_admin();
  if not public.is_email(coalesce(wanted, '')) then
    raise exception 'Valid email is required' using errcode = '22023';
  elsif exists (select from auth.users where email = wanted and email_confirmed_at is not null) then
    raise exception 'An account with this address already exists. Give it the role in the list.' using errcode = '23505';
  end if;
  update public.staff_invitations set revoked_at = now(), revoked_by = auth.uid()
    where email = wanted and accepted_at is null and revoked_at is null and expires_at <= now();
  begin
    insert into public.staff_invitations (email, role, invited_by) values (wanted, p_role, auth.uid()) returning id into invitation;
  exception
    when check_violation then
      raise exception 'An invitation needs one of the staff''s roles.' using errcode = '22023';
    when unique_violation then
      raise exception 'There is an open invitation for this address.' using errcode = '23505';
  end;
  return invitation;
end $$;

-- The link in the mail still opens an account, but nothing more than a buyer's.
create function public.revoke_staff_invitation(p_id uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_admin();
  update public.staff_invitations set revoked_at = now(), revoked_by = auth.uid()
    where id = p_id and accepted_at is null and revoked_at is null;
  return found;
end $$;

-- Extends the invitation by seven days and queues its mail, unless one is already waiting or was queued within a minute. Returns 'sent', 'sent_before',
-- 'not_open' or 'has_account'. Called by the function invite-staff.
create function public.send_staff_invitation(p_id uuid) returns text
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off as $$
declare
  invited text;
begin
  update public.staff_invitations set expires_at = now() + interval '7 days'
    where id = p_id and accepted_at is null and revoked_at is null returning email into invited;
  if not found then return 'not_open'; end if;
  if exists (select from auth.users where email = invited and email_confirmed_at is not null) then return 'has_account'; end if;
  insert into public.outbox (kind, payload, dedupe_key)
    select 'staff_invitation_mail', jsonb_build_object('invitation_id', p_id), 'staff_invitation_mail:' || gen_random_uuid()
    where public.consume_rate_limit('staff_invitation:' || p_id, 1, 60) and not exists (select from public.outbox where done_at is null and dead_at is null and lane = 'mail'
      and kind = 'staff_invitation_mail' and payload ->> 'invitation_id' = p_id::text);
  return case when found then 'sent' else 'sent_before' end;
end $$;

-- Confirming an invited address gives the role, unless somebody else may have access to the account: a stranger can sign up with
-- the address, before or after the invitation. An account opened by the invitation's link has no password; one with a password was
-- opened some other way. Supabase's platform writes a password that nobody knows just before it confirms the address, in the same
-- transaction.
create function public.note_invited_password() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform set_config('staff.invited_password', new.id::text, true);
  return null;
end $$;
create trigger users_note_invited_password after update of encrypted_password on auth.users
  for each row when (new.invited_at is not null and new.email_confirmed_at is null
    and coalesce(old.encrypted_password, '') = '' and new.encrypted_password <> '')
  execute function public.note_invited_password();

create function public.accept_staff_invitation() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  invitation public.staff_invitations;
begin
  if new.encrypted_password <> '' and current_setting('staff.invited_password', true) is distinct from new.id::text then
    return null;
  end if;
  select * into invitation from public.staff_invitations
    where email = new.email and accepted_at is null and revoked_at is null and expires_at > now() for update;
  if not found then return null; end if;
  insert into public.user_roles (user_id, role) values (new.id, invitation.role) on conflict (user_id) do nothing;
  update public.staff_invitations set accepted_at = now(), accepted_by = new.id where id = invitation.id;
  return null;
end $$;
create trigger users_accept_staff_invitation after update of email_confirmed_at on auth.users
  for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null and new.invited_at is not null
    and new.phone_confirmed_at is null)
  execute function public.accept_staff_invitation();

revoke execute on function public.invite_staff(text, text), public.revoke_staff_invitation(uuid),
  public.send_staff_invitation(uuid), public.accept_staff_invitation(), public.note_invited_password() from public, anon, authenticated;
grant execute on function public.invite_staff(text, text), public.revoke_staff_invitation(uuid) to authenticated;
