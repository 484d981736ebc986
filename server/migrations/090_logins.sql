-- What the services' own statements may reach beyond service_role's rights, which festival_server inherits: the tables that GoTrue,
-- storage-api, realtime and the payment provider keep elsewhere. It may create and own nothing.
grant usage on schema auth, storage, realtime, payments_sandbox, server_migrations to festival_server;
grant select, insert, update, delete on all tables in schema auth, storage, realtime, payments_sandbox to festival_server;
grant usage, select on all sequences in schema auth, storage, realtime, payments_sandbox to festival_server;
grant execute on all functions in schema auth, storage, realtime to festival_server;
grant select, insert on server_migrations.first_admin to festival_server;
