-- How /health checks that the database accepts writes, wherever its disk is. Updating a row in place shows that it is not
-- read-only, but keeps working for hours on a full disk, so new space is requested too: a list larger than work_mem takes it in a
-- temporary file, which is gone with the statement. That adds no catalog row and takes no lock that others wait for.
create schema server_health;
grant usage on schema server_health to service_role;

create table server_health.written (
  at timestamptz not null
);
insert into server_health.written values (now());

-- Several servers may call it at once: one that has waited half a second for another leaves the check to that one.
create function server_health.write() returns void
language plpgsql security definer set search_path = '' set lock_timeout = '500ms' set work_mem = '64kB' as $$
begin
  perform count(*) from generate_series(1, 10000); -- some 100 KB
  update server_health.written set at = now();
exception when lock_not_available then
  return;
end $$;
revoke execute on function server_health.write() from public;
grant execute on function server_health.write() to service_role;
