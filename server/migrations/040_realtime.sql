-- The realtime schema in Supabase's shape. Changes to published tables reach users who may select the rows; policies on
-- realtime.messages decide who may use a private channel.

create schema if not exists realtime;

-- Broadcasts that SQL sends, kept three days for replay. A join of a private channel is checked against a row of its topic, which
-- is rolled back.
create table realtime.messages (
  id uuid primary key default gen_random_uuid(),
  topic text not null,
  extension text not null,
  event text,
  payload jsonb,
  -- Bytes instead of JSON.
  binary_payload bytea,
  private boolean default false,
  inserted_at timestamp not null default (now() at time zone 'utc'),
  updated_at timestamp not null default (now() at time zone 'utc'),
  -- Set if a stored message has already been broadcast: it is replayed, but not sent again. Nothing here sets it.
  broadcasted_at timestamp
);
create index messages_to_replay on realtime.messages (topic, inserted_at desc) where private and extension = 'broadcast';
create index messages_by_age on realtime.messages (inserted_at);
alter table realtime.messages enable row level security;

-- For those policies: the topic being joined.
create function realtime.topic() returns text
language sql stable set search_path = '' as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;

-- Notifies every server process, which reads the row if it has listeners on the topic. A longer topic cannot be joined.
create function realtime.announce_message() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.extension = 'broadcast' and new.event is not null and new.broadcasted_at is null and length(new.topic) <= 255 then
    perform pg_notify('realtime', json_build_object('kind', 'message', 'id', new.id, 'topic', new.topic,
      'private', coalesce(new.private, false))::text);
  end if;
  return null;
end $$;
create trigger announce_message after insert on realtime.messages
  for each row execute function realtime.announce_message();

-- As on the platform: a message that cannot be stored raises a warning and never fails the sender's transaction.
create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
language plpgsql set search_path = '' as $$
declare
  generated_id uuid := gen_random_uuid();
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (generated_id, case when payload ? 'id' then payload else jsonb_set(payload, '{id}', to_jsonb(generated_id)) end,
    event, topic, private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end $$;

create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
language plpgsql set search_path = '' as $$
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (payload, event, topic, private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end $$;

create function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record,
  level text default 'ROW'
) returns void
language plpgsql set search_path = '' as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(jsonb_build_object('old_record', old, 'record', new, 'operation', operation,
    'table', table_name, 'schema', table_schema), event_name, topic_name);
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end $$;

grant usage on schema realtime to anon, authenticated, service_role;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;
grant execute on function realtime.topic(), realtime.send(jsonb, text, text, boolean), realtime.send_binary(bytea, text, text, boolean),
  realtime.broadcast_changes(text, text, text, text, text, record, record, text) to anon, authenticated, service_role;

-- Empty: each migration that creates a table says whether its changes are published.
do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
end $$;
