-- What the services' own statements may reach beyond service_role's rights, which api_server inherits: the tables that GoTrue,
-- storage-api and realtime keep. It may create and own nothing.
grant usage on schema auth, storage, realtime, server_migrations to api_server;
grant select, insert, update, delete on all tables in schema auth, storage, realtime to api_server;
grant usage, select on all sequences in schema auth, storage, realtime to api_server;
grant execute on all functions in schema auth, storage, realtime to api_server;
