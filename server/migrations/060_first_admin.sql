-- The first administrator's initial password hash: while it is still in use, the start-up text shows the password.
create table server_migrations.first_admin (
  user_id uuid primary key references auth.users (id) on delete cascade,
  encrypted_password text not null
);
