-- The first administrator's initial password hash: while it is still in use, the start-up text shows the password.
create table server_migrations.first_admin (
  user_id uuid primary key references auth.users (id) on delete cascade,
  encrypted_password text not null
);
grant select, insert on server_migrations.first_admin to api_server;

-- Notifies the processes that show the password when it changes.
create function server_migrations.notify_first_password() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('first_password', '') from server_migrations.first_admin where user_id = new.id;
  return null;
end $$;
create trigger users_notify_first_password after update of encrypted_password on auth.users
  for each row execute function server_migrations.notify_first_password();
