-- The realtime schema in Supabase's shape. Changes of the tables in the publication reach whoever may select the rows;
-- policies on realtime.messages say who may use a private channel.

create schema if not exists realtime;

-- No row stays here: whoever joins a private channel is asked what a row of its topic would allow, and rolled back.
create table realtime.messages (
  id uuid primary key default gen_random_uuid(),
  topic text not null,
  extension text not null,
  event text,
  payload jsonb,
  private boolean default false,
  inserted_at timestamp not null default now(),
  updated_at timestamp not null default now()
);
alter table realtime.messages enable row level security;

-- For those policies: the topic being joined.
create function realtime.topic() returns text
language sql stable set search_path = '' as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;

grant usage on schema realtime to anon, authenticated, service_role;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;
grant execute on function realtime.topic() to anon, authenticated, service_role;

-- Empty: each migration that creates a table says whether its changes are published.
do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
end $$;
