-- The roles that requests run as, in Supabase's shape, and the extensions that Supabase offers too. Roles belong to the whole
-- cluster, which may hold more databases (tests, a second installation), so each role is created only if it is missing, and losing
-- a race to create it is not an error.

create function pg_temp.ensure_role(role_name text, attributes text) returns void
language plpgsql as $$
begin
  if not exists (select from pg_roles where rolname = role_name) then
    execute format('create role %I %s', role_name, attributes);
  end if;
exception
  when duplicate_object or unique_violation then null; -- another database of this cluster created it first
end $$;

-- What a request may be: a visitor, a signed-in user, or the service itself.
select pg_temp.ensure_role('anon', 'nologin noinherit');
select pg_temp.ensure_role('authenticated', 'nologin noinherit');
select pg_temp.ensure_role('service_role', 'nologin noinherit bypassrls');

-- What the server signs in as. Neither role owns or may create anything. Requests come as `authenticator`, which has no rights of
-- its own and may only become one of the three above. The services' own statements come as `api_server`, whose grants are in
-- 090_logins.sql. The database's owner is only for migrations and replication.
select pg_temp.ensure_role('authenticator', 'login noinherit');
select pg_temp.ensure_role('api_server', 'login bypassrls');

-- The owners the platform gives its schemas; SQL written for the platform names them.
select pg_temp.ensure_role('supabase_auth_admin', 'nologin noinherit');
select pg_temp.ensure_role('supabase_storage_admin', 'nologin noinherit');
select pg_temp.ensure_role('supabase_realtime_admin', 'nologin noinherit');

-- Does nothing if the membership exists: a role that is not a superuser may be a member without the right to grant the membership.
-- PostgreSQL 16 makes a role's creator a member that may not become it; 15 has no such members.
create function pg_temp.ensure_member(role_name text, member_name text) returns void
language plpgsql as $$
begin
  if not exists (select from pg_auth_members m where roleid = role_name::regrole
      and member = (select oid from pg_roles where rolname = member_name)
      and coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)) then
    execute format('grant %I to %I', role_name, member_name);
  end if;
end $$;

-- `current_user` may be an ordinary role of an existing PostgreSQL, which must be a member to `set role`.
select pg_temp.ensure_member(role_name, member_name)
from unnest(array['anon', 'authenticated', 'service_role']) role_name,
  unnest(array['authenticator', 'api_server', current_user]) member_name
where not (member_name = current_user and (select rolsuper from pg_roles where rolname = current_user));
select pg_temp.ensure_member('authenticator', 'api_server'); -- to cancel what a request left running

create schema if not exists extensions;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists citext with schema extensions;
grant usage on schema extensions to anon, authenticated, service_role;

-- As on the platform since 2026, nothing in `public` is granted automatically: the migration that creates a table also grants
-- access to it.
grant usage on schema public to anon, authenticated, service_role;
