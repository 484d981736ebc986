-- How /health learns whether the database takes writes, wherever its disk is. A row that is updated in place shows that it is not
-- read-only, but goes on for hours on a full disk: what is asked besides is new room. A list larger than its memory takes it in a
-- temporary file, which is gone with the statement: no catalogue row, and no lock that anybody else waits for.
create schema server_health;
grant usage on schema server_health to service_role;

create table server_health.written (
  at timestamptz not null
);
insert into server_health.written values (now());

-- Several servers may ask at once: whoever waits for another half a second leaves it to that one.
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
