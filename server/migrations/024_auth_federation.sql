-- Signing in through other providers, in the shape of GoTrue's migrations: SAML identity providers with the addresses they answer
-- for, and pending requests to them and to OAuth providers.

create table auth.sso_providers (
  id uuid primary key,
  resource_id text,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  disabled boolean,
  constraint "resource_id not empty" check (resource_id is null or char_length(resource_id) > 0)
);
comment on table auth.sso_providers is
  'Auth: Manages SSO identity provider information; see saml_providers for SAML.';
create unique index sso_providers_resource_id_idx on auth.sso_providers (lower(resource_id));

create table auth.sso_domains (
  id uuid primary key,
  sso_provider_id uuid not null references auth.sso_providers (id) on delete cascade,
  domain text not null,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  constraint "domain not empty" check (char_length(domain) > 0)
);
create index sso_domains_sso_provider_id_idx on auth.sso_domains (sso_provider_id);
create unique index sso_domains_domain_idx on auth.sso_domains (lower(domain));

create table auth.saml_providers (
  id uuid primary key,
  sso_provider_id uuid not null references auth.sso_providers (id) on delete cascade,
  entity_id text not null unique,
  metadata_xml text not null,
  metadata_url text,
  attribute_mapping jsonb,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  name_id_format text,
  constraint "metadata_xml not empty" check (char_length(metadata_xml) > 0),
  constraint "metadata_url not empty" check (metadata_url is null or char_length(metadata_url) > 0),
  constraint "entity_id not empty" check (char_length(entity_id) > 0)
);
create index saml_providers_sso_provider_id_idx on auth.saml_providers (sso_provider_id);

create table auth.saml_relay_states (
  id uuid primary key,
  sso_provider_id uuid not null references auth.sso_providers (id) on delete cascade,
  request_id text not null,
  for_email text,
  redirect_to text,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  flow_state_id uuid references auth.flow_state (id) on delete cascade,
  constraint "request_id not empty" check (char_length(request_id) > 0)
);
create index saml_relay_states_sso_provider_id_idx on auth.saml_relay_states (sso_provider_id);
create index saml_relay_states_for_email_idx on auth.saml_relay_states (for_email);
create index saml_relay_states_created_at_idx on auth.saml_relay_states (created_at desc);

-- The server's own pending requests to OAuth providers. `code_verifier` is sealed (platform/keys/at-rest.ts).
create table auth.oauth_client_states (
  id uuid primary key,
  provider_type text not null,
  code_verifier text,
  created_at timestamptz not null
);
create index idx_oauth_client_states_created_at on auth.oauth_client_states (created_at);

-- Providers that an administrator added (/admin/custom-providers). `client_secret` is sealed.
create table auth.custom_oauth_providers (
  id uuid primary key default gen_random_uuid(),
  provider_type text not null check (provider_type in ('oauth2', 'oidc')),
  identifier text not null unique check (identifier ~ '^custom:[a-z0-9][a-z0-9:_-]{0,48}$'),
  name text not null check (char_length(name) between 1 and 100),
  client_id text not null check (char_length(client_id) between 1 and 512),
  client_secret text not null,
  acceptable_client_ids text[] not null default '{}',
  scopes text[] not null default '{}',
  pkce_enabled boolean not null default true,
  attribute_mapping jsonb not null default '{}',
  authorization_params jsonb not null default '{}',
  custom_claims_allowlist text[] not null default '{}',
  enabled boolean not null default true,
  email_optional boolean not null default false,
  issuer text,
  discovery_url text,
  skip_nonce_check boolean not null default false,
  authorization_url text,
  token_url text,
  userinfo_url text,
  jwks_uri text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (provider_type <> 'oidc' or issuer is not null),
  check (provider_type <> 'oauth2'
    or (authorization_url is not null and token_url is not null and userinfo_url is not null))
);

-- From here on ours, not GoTrue's: hashes of the assertions that have signed a user in, kept until they could not be delivered
-- anyway.
create table auth.saml_used_assertions (
  assertion text primary key,
  usable_until timestamptz not null
);
create index saml_used_assertions_usable_until_idx on auth.saml_used_assertions (usable_until);
