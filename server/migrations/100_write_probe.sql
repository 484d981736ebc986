-- How /health learns whether the database takes writes. A row that is updated in place shows that it is not read-only, but goes
-- on for hours on a full disk: what is asked here is new room, which truncate and insert take each time.
create schema server_health;
grant usage on schema server_health to service_role;

create table server_health.written (
  filling text not null,
  at timestamptz not null default now()
);
-- As it is, neither compressed nor apart: eight pages.
alter table server_health.written alter column filling set storage plain;

-- Several servers may ask at once: whoever waits for another half a second leaves it to that one.
create function server_health.write() returns void
language plpgsql security definer set search_path = '' set lock_timeout = '500ms' as $$
begin
  truncate server_health.written;
  insert into server_health.written (filling) select repeat('x', 7000) from generate_series(1, 8);
exception when lock_not_available then
  return;
end $$;
revoke execute on function server_health.write() from public;
grant execute on function server_health.write() to service_role;
