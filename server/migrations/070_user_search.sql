-- The index by which GoTrue lets a dashboard search its users, under GoTrue's name for it.
create extension if not exists pg_trgm with schema extensions;
create index idx_users_email_trgm on auth.users using gin (email extensions.gin_trgm_ops);
