-- The roles every request runs as, in Supabase's shape, and the extensions both worlds offer. Roles belong to the whole
-- cluster while tests and a second installation bring further databases, so each is made only where it is missing and a
-- race for it is no error.

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

-- What the server signs in as. Neither owns anything or may make anything. Requests come as `authenticator`, which has no
-- right of its own and may only become one of the three above; what the services ask for themselves comes as
-- `festival_server`, whose grants are in 090_logins.sql. The database's owner is for migrations and replication alone.
select pg_temp.ensure_role('authenticator', 'login noinherit');
select pg_temp.ensure_role('festival_server', 'login bypassrls');

-- The owners the platform gives its schemas; SQL written for the platform names them.
select pg_temp.ensure_role('supabase_auth_admin', 'nologin noinherit');
select pg_temp.ensure_role('supabase_storage_admin', 'nologin noinherit');
select pg_temp.ensure_role('supabase_realtime_admin', 'nologin noinherit');

-- Nothing where it is so already: whoever is no superuser may become a role without the right to grant it. PostgreSQL 16 makes
-- the creator of a role a member that may not become it; 15 knows no such members.
create function pg_temp.ensure_member(role_name text, member_name text) returns void
language plpgsql as $$
begin
  if not exists (select from pg_auth_members m where roleid = role_name::regrole
      and member = (select oid from pg_roles where rolname = member_name)
      and coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)) then
    execute format('grant %I to %I', role_name, member_name);
  end if;
end $$;

-- `current_user` may be an ordinary role of somebody's existing PostgreSQL, which must be a member to `set role`.
select pg_temp.ensure_member(role_name, member_name)
from unnest(array['anon', 'authenticated', 'service_role']) role_name,
  unnest(array['authenticator', 'festival_server', current_user]) member_name
where not (member_name = current_user and (select rolsuper from pg_roles where rolname = current_user));
select pg_temp.ensure_member('authenticator', 'festival_server'); -- who cancels what a request left running
select pg_temp.ensure_member('supabase_auth_admin', 'festival_server'); -- who runs an organiser's auth hooks

create schema if not exists extensions;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists citext with schema extensions;
grant usage on schema extensions to anon, authenticated, service_role;

-- As on the platform since 2026, nothing in `public` is granted by itself: whoever makes a table there says who may reach it.
grant usage on schema public to anon, authenticated, service_role;
