-- Inviting staff by mail, each to one role. The mail's link is the auth service's own invitation (function invite-staff); its user
-- gets the role in the transaction that confirms their address.

-- What a person types about themselves, as in contract/people: an email address, and a name that mails may show.

-- RFC 3492: the letters that mail servers use for a label of a domain. One that would be too long for a domain stays as it is.
create function public.punycode(p_label text) returns text language plpgsql immutable strict set search_path = '' as $$
declare
  letters constant integer[] := array(select ascii(letter) from regexp_split_to_table(p_label, '') with ordinality as l (letter, at) order by at);
  encoded text := 'xn--' || regexp_replace(p_label, '[^\u0001-\u007f]', '', 'g');
  done integer := length(encoded) - 4;
  is_first boolean := true;
  point integer := 128;
  bias integer := 72;
  delta integer := 0;
  letter integer;
  rest integer;
  edge integer;
  place integer;
begin
  if length(p_label) > 63 or p_label !~ '[^\u0001-\u007f]' then return p_label; end if;
  if done > 0 then encoded := encoded || '-'; end if;
  while done < cardinality(letters) loop
    letter := (select min(l) from unnest(letters) as l where l >= point);
    delta := delta + (letter - point) * (done + 1);
    point := letter;
    foreach letter in array letters loop
      if letter < point then delta := delta + 1; end if;
      continue when letter <> point;
      rest := delta;
      place := 36;
      loop
        edge := greatest(1, least(26, place - bias));
        exit when rest < edge;
        encoded := encoded || chr(case when edge + (rest - edge) % (36 - edge) < 26 then 97 else 22 end + edge + (rest - edge) % (36 - edge));
        rest := (rest - edge) / (36 - edge);
        place := place + 36;
      end loop;
      encoded := encoded || chr(case when rest < 26 then 97 else 22 end + rest);
      done := done + 1;
      delta := delta / case when is_first then 700 else 2 end;
      delta := delta + delta / done;
      place := 0;
      while delta > 455 loop
        delta := delta / 35;
        place := place + 36;
      end loop;
      bias := place + 36 * delta / (delta + 38);
      delta := 0;
      is_first := false;
    end loop;
    delta := delta + 1;
    point := point + 1;
  end loop;
  return encoded;
end $$;

-- The address without invisible characters (zero-width and no-break spaces, direction marks), out of what mail programs copy with
-- it ("Ann Lee <ann@x.example>,"), and with its domain in ASCII.
-- Parameters pass through it before they are stored or compared.
create function public.plain_email(p_text text) returns text language plpgsql immutable strict set search_path = '' as $$
declare
  copied constant text := regexp_replace(
    regexp_replace(p_text, '[\u00a0\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]', '', 'g'), '^\s+|\s*[,;]?\s*$', '', 'g');
  email constant text := regexp_replace(coalesce(substring(copied from '^[^<>]*<([^<>]*)>$'), copied), '^\s+|\s+$', '', 'g');
  domain constant text := substring(email from '^[^@]*@([^@]+)$');
begin
  if domain is null or domain !~ '[^\u0001-\u007f]' then return email; end if;
  return split_part(email, '@', 1) || '@' || (select string_agg(public.punycode(label), '.' order by at)
    from regexp_split_to_table(translate(lower(normalize(domain, NFKC)), '。', '.'), '[.]') with ordinality as l (label, at));
end $$;

-- An address as the HTML standard has it, with a domain: no part of it may be read as a second address or as a display name. It has
-- neither a backslash nor a double quote, so that a JSON path can have it (cart_problem). Bounded repetitions are slow, so the length of
-- the domain's labels is looked at separately. No search path, so that both are inlined.
create function public.email_pattern() returns text language sql immutable as $$
  select '^[A-Za-z0-9.!#$%&''*+/=?^_`{|}~-]+@[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)+$'
$$;
create function public.is_email(p_text text) returns boolean language sql immutable as $$
  select p_text ~ public.email_pattern() and length(p_text) <= 254 and (length(p_text) < 66 or p_text !~ '@.*[^.]{64}')
$$;

-- A character that can be seen: neither a space nor what Unicode has fonts draw nothing for (Default_Ignorable_Code_Point). The
-- characters themselves, so that a JSON path can have it too (cart_problem).
create function public.seen_pattern() returns text language sql immutable as $$
  select U&'[^ \00A0\00AD\034F\061C\115F\1160\1680\17B4\17B5\180B-\180F\2000-\200F\2028-\202F\205F-\206F\2800\3000\3164\FE00-\FE0F\FEFF\FFA0\FFF0-\FFFB'
    '\+01BCA0-\+01BCA3\+01D173-\+01D17A\+0E0000-\+0E0FFF]'
$$;
-- Text that is seen, on one line, without control characters: a name in a mail may not begin a paragraph of its own, nor change the
-- order of what follows. Joiners and direction marks stay, which names in some writing systems need. No search path, so that it is
-- inlined.
create function public.is_one_line(p_text text) returns boolean language sql immutable as $$
  select p_text !~ '[\u0001-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]' and p_text ~ public.seen_pattern()
$$;
-- A name without spaces around it, nor several in a row, which a plain-text mail would show.
create function public.plain_line(p_text text) returns text language sql immutable as $$
  select regexp_replace(btrim(p_text), ' {2,}', ' ', 'g')
$$;
-- A web address, which mail programs turn into a link. No person's name has one, and a buyer's name is in mails to people who did not
-- order anything. A domain alone stays: "J.Smith" looks like one, and so does "Dr.King/Jr.", a title or an initial before a name. The
-- listed names are top-level domains, as are all of two letters: "X.Com/" is an address.
create function public.has_link(p_text text) returns boolean language sql immutable set search_path = '' as $$
  select regexp_replace(translate(normalize(p_text, NFKC), '。∕⁄', './/'),
    '(^|[^A-Za-z0-9.-])(?:[A-Z]|Dr|Jr|Mrs?|Ms|Prof|Rev|Sr|St)[.](?!([A-Z][a-z]|App|Biz|Bot|Cam|Cfd|Click|Cloud|Club|Com|Dev|Edu|Fun|Gov|'
    'Icu|Info|Ink|Int|Life|Link|Live|Mil|Mobi|Name|Net|One|Online|Org|Page|Pro|Sbs|Shop|Site|Space|Store|Tech|Test|Today|Top|Vip|Website|'
    'Win|Work|World|Xyz|Zip)(?![A-Za-z]))([A-Z][a-z]+)+(?![A-Za-z.])', '\1', 'g')
    ~* ':[/\\]{2}|(^|[^a-z0-9])www[.]|([a-z0-9-]|[^\u0001-\u007f])[.](xn--[a-z0-9-]+|([a-z]|[^\u0001-\u007f]){2,})(:[0-9]+)?([/\\]|[?#][^ ])'
$$;
-- Of a list of people {name}.
create function public.names_have_link(p_people jsonb) returns boolean language sql immutable set search_path = '' as $$
  select coalesce(bool_or(public.has_link(person ->> 'name')), false) from jsonb_array_elements(p_people) as person
$$;
revoke execute on function public.punycode(text), public.plain_email(text), public.email_pattern(), public.is_email(text), public.plain_line(text),
  public.seen_pattern(), public.is_one_line(text), public.has_link(text), public.names_have_link(jsonb) from public, anon;
-- An administrator's decision on an application checks its row again.
grant execute on function public.email_pattern(), public.is_email(text), public.seen_pattern(), public.is_one_line(text), public.has_link(text) to authenticated;

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
  wanted constant text := lower(public.plain_email(p_email));
  invitation uuid;
begin
  perform public.require_admin();
  if not public.is_email(coalesce(wanted, '')) then
    raise exception 'Valid email is required' using errcode = '22023';
  elsif exists (select from auth.users where email = wanted and email_confirmed_at is not null) then
    raise exception 'An account with this address already exists. Assign the role in the list.' using errcode = '23505';
  end if;
  update public.staff_invitations set revoked_at = now(), revoked_by = auth.uid()
    where email = wanted and accepted_at is null and revoked_at is null and expires_at <= now();
  begin
    insert into public.staff_invitations (email, role, invited_by) values (wanted, p_role, auth.uid()) returning id into invitation;
  exception
    when check_violation then
      raise exception 'Choose a staff role for the invitation.' using errcode = '22023';
    when unique_violation then
      raise exception 'This address already has a pending invitation.' using errcode = '23505';
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
