-- The role that owns the schema on the platform may read and write it here too, but not empty or drop a table.
grant select, insert, update, delete, references on all tables in schema auth to supabase_auth_admin;
grant all on all sequences in schema auth to supabase_auth_admin;
