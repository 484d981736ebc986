-- The `auth` schema in the shape of GoTrue's own migrations: same tables, columns, indexes and functions, so that SQL written for
-- the platform works here. Only the server's service connection reads the tables; any role may ask who sent the request.

create schema if not exists auth;
grant usage on schema auth to anon, authenticated, service_role, supabase_auth_admin;

create type auth.aal_level as enum ('aal1', 'aal2', 'aal3');
create type auth.code_challenge_method as enum ('s256', 'plain');
create type auth.one_time_token_type as enum (
  'confirmation_token', 'reauthentication_token', 'recovery_token',
  'email_change_token_new', 'email_change_token_current', 'phone_change_token'
);

create table auth.users (
  instance_id uuid,
  id uuid primary key,
  aud varchar(255),
  role varchar(255),
  email varchar(255),
  encrypted_password varchar(255),
  email_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_token varchar(255) default '',
  confirmation_sent_at timestamptz,
  recovery_token varchar(255) default '',
  recovery_sent_at timestamptz,
  email_change_token_new varchar(255) default '',
  email_change varchar(255) default '',
  email_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb,
  raw_user_meta_data jsonb,
  is_super_admin boolean,
  created_at timestamptz,
  updated_at timestamptz,
  phone text unique default null,
  phone_confirmed_at timestamptz,
  phone_change text default '',
  phone_change_token varchar(255) default '',
  phone_change_sent_at timestamptz,
  confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
  email_change_token_current varchar(255) default '',
  email_change_confirm_status smallint default 0 check (email_change_confirm_status between 0 and 2),
  banned_until timestamptz,
  reauthentication_token varchar(255) default '',
  reauthentication_sent_at timestamptz,
  is_sso_user boolean not null default false,
  deleted_at timestamptz,
  is_anonymous boolean not null default false
);
comment on table auth.users is 'Auth: Stores user login data within a secure schema.';

create unique index users_email_partial_key on auth.users (email) where is_sso_user = false;
create index users_instance_id_idx on auth.users (instance_id);
create index users_instance_id_email_idx on auth.users (instance_id, lower(email));
create index users_is_anonymous_idx on auth.users (is_anonymous);
create index users_created_at_idx on auth.users (created_at, id);
-- GoTrue leaves '' or digits (typed codes) out of the unique indexes of its token columns.
create unique index confirmation_token_idx on auth.users (confirmation_token)
  where confirmation_token !~ '^[0-9 ]*$';
create unique index recovery_token_idx on auth.users (recovery_token) where recovery_token !~ '^[0-9 ]*$';
create unique index email_change_token_current_idx on auth.users (email_change_token_current)
  where email_change_token_current !~ '^[0-9 ]*$';
create unique index email_change_token_new_idx on auth.users (email_change_token_new)
  where email_change_token_new !~ '^[0-9 ]*$';
create unique index reauthentication_token_idx on auth.users (reauthentication_token)
  where reauthentication_token !~ '^[0-9 ]*$';

create table auth.identities (
  provider_id text not null,
  user_id uuid not null references auth.users (id) on delete cascade,
  identity_data jsonb not null,
  provider text not null,
  last_sign_in_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  email text generated always as (lower(identity_data ->> 'email')) stored,
  id uuid primary key default gen_random_uuid(),
  unique (provider_id, provider)
);
create index identities_user_id_idx on auth.identities (user_id);
create index identities_email_idx on auth.identities (email text_pattern_ops);

create table auth.sessions (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz,
  updated_at timestamptz,
  factor_id uuid,
  aal auth.aal_level,
  not_after timestamptz,
  refreshed_at timestamp without time zone,
  user_agent text,
  ip inet,
  tag text
);
create index sessions_user_id_idx on auth.sessions (user_id);
create index sessions_not_after_idx on auth.sessions (not_after desc);
create index user_id_created_at_idx on auth.sessions (user_id, created_at);

create table auth.mfa_amr_claims (
  session_id uuid not null references auth.sessions (id) on delete cascade,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  authentication_method text not null,
  id uuid primary key,
  constraint mfa_amr_claims_session_id_authentication_method_pkey unique (session_id, authentication_method)
);

create table auth.refresh_tokens (
  instance_id uuid,
  id bigserial primary key,
  token varchar(255) constraint refresh_tokens_token_unique unique,
  user_id varchar(255),
  revoked boolean,
  created_at timestamptz,
  updated_at timestamptz,
  parent varchar(255),
  session_id uuid references auth.sessions (id) on delete cascade
);
create index refresh_tokens_instance_id_user_id_idx on auth.refresh_tokens (instance_id, user_id);
create index refresh_tokens_parent_idx on auth.refresh_tokens (parent);
create index refresh_tokens_session_id_revoked_idx on auth.refresh_tokens (session_id, revoked);
create index refresh_tokens_updated_at_idx on auth.refresh_tokens (updated_at desc);

create table auth.one_time_tokens (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  token_type auth.one_time_token_type not null,
  token_hash text not null check (char_length(token_hash) > 0),
  relates_to text not null,
  created_at timestamp without time zone not null default now(),
  updated_at timestamp without time zone not null default now()
);
-- GoTrue keeps one token of each type. Here earlier links stay valid, so that nobody can invalidate another person's link by
-- requesting a new one.
create index one_time_tokens_user_id_token_type_idx on auth.one_time_tokens (user_id, token_type, created_at);
create index one_time_tokens_token_hash_hash_idx on auth.one_time_tokens using hash (token_hash);
create index one_time_tokens_relates_to_hash_idx on auth.one_time_tokens using hash (relates_to);

create table auth.flow_state (
  id uuid primary key,
  user_id uuid,
  -- Ours: the hash of the code, which only the opened link carries.
  auth_code text,
  code_challenge_method auth.code_challenge_method,
  code_challenge text,
  provider_type text not null,
  provider_access_token text,
  provider_refresh_token text,
  created_at timestamptz,
  updated_at timestamptz,
  authentication_method text not null,
  auth_code_issued_at timestamptz,
  invite_token text,
  referrer text,
  oauth_client_state_id uuid,
  linking_target_id uuid,
  -- Ours: the session that began the link.
  linking_session_id uuid,
  email_optional boolean not null default false,
  -- Ours: when the session that the code opens must end. An assertion of single sign-on may say so.
  session_not_after timestamptz
);
create index idx_auth_code on auth.flow_state (auth_code);
create index idx_user_id_auth_method on auth.flow_state (user_id, authentication_method);
create index flow_state_created_at_idx on auth.flow_state (created_at desc);

create table auth.audit_log_entries (
  instance_id uuid,
  id uuid primary key,
  payload json,
  created_at timestamptz,
  ip_address varchar(64) not null default ''
);
create index audit_logs_instance_id_idx on auth.audit_log_entries (instance_id);

-- From here on ours, not GoTrue's.

-- For the clean-up; entries arrive in order of time.
create index audit_log_entries_created_at_idx on auth.audit_log_entries using brin (created_at);

-- The short code sent with a one-time token, for typing. A link's token cannot be guessed; six digits can, so each wrong guess for
-- an address counts against every code it has (decision 068).
create table auth.one_time_codes (
  token_id uuid primary key references auth.one_time_tokens (id) on delete cascade,
  code_hash text not null,
  guesses smallint not null default 0
);

-- Sign-ups for an address or phone number that is not confirmed yet. The password counts only with proof (decision 017); it is null
-- for a sign-up that requested a code instead.
create table auth.sign_ups (
  token_hash text primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  encrypted_password varchar(255),
  raw_user_meta_data jsonb not null,
  created_at timestamptz not null
);
create index sign_ups_user_id_idx on auth.sign_ups (user_id);

-- Mails and text messages to send after the transaction that wrote them. A row is deleted once it is accepted or its content has
-- expired.
create table auth.mail_outbox (
  id uuid primary key default gen_random_uuid(),
  mail jsonb not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  send_until timestamptz not null,
  created_at timestamptz not null default now()
);
create index mail_outbox_next_attempt_at_idx on auth.mail_outbox (next_attempt_at);

-- Realtime closes the live channels of the sessions and users named here.
create function auth.notify_session_end() returns trigger language plpgsql set search_path = '' as $$
begin
  perform pg_notify('session_ended', json_build_object('user_id', old.user_id, 'session_id', old.id)::text);
  return null;
end $$;
create trigger sessions_notify_end after delete on auth.sessions
  for each row execute function auth.notify_session_end();

create function auth.notify_user_shut_out() returns trigger language plpgsql set search_path = '' as $$
begin
  perform pg_notify('session_ended', json_build_object('user_id', new.id)::text);
  return null;
end $$;
create trigger users_notify_shut_out after update of banned_until, deleted_at on auth.users
  for each row when (new.banned_until is not null or new.deleted_at is not null)
  execute function auth.notify_user_shut_out();

-- When a kind of mail was last requested for an address, known or unknown, so that the response does not reveal which addresses are
-- known. Addresses are stored as hashes. Unlogged, like the failures below: a crash may lose the last minutes.
create unlogged table auth.mail_requests (
  kind text not null,
  address_hash text not null,
  requested_at timestamptz not null,
  primary key (kind, address_hash)
);

-- Consecutive wrong passwords for an address, known or unknown, and wrong codes.
create unlogged table auth.sign_in_failures (
  account_hash text primary key,
  failures integer not null,
  failed_at timestamptz not null
);

-- Who sent the request, from the claims that the server sets for its transaction. The singular settings are those that PostgREST
-- wrote before version 9; the platform's functions still read them first.
create function auth.uid() returns uuid
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')
  )::uuid
$$;

create function auth.role() returns text
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role')
  )::text
$$;

create function auth.email() returns text
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email')
  )::text
$$;

create function auth.jwt() returns jsonb
language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;
