-- The payments sandbox plays the payment provider, so it keeps the provider's records, separate from the festival's tables and out
-- of reach of every API role. Only the server's own connection reads and writes here.
create schema payments_sandbox;
revoke all on schema payments_sandbox from public;

create table payments_sandbox.objects (
  id text primary key,
  kind text not null,
  -- An intent's charges and refunds, and a Checkout Session's intent, share its root: they are locked and read together.
  root text not null,
  -- What the API returns and, separately, what it never returns (the card's scenario).
  body jsonb not null,
  hidden jsonb not null default '{}',
  created bigint not null,
  -- When the object next changes without a request: a late payment settles, an open session expires.
  due_at timestamptz,
  position bigint generated always as identity
);

create index objects_root on payments_sandbox.objects (root);
create index objects_newest_first on payments_sandbox.objects (kind, position desc);
create index objects_of_intent on payments_sandbox.objects ((body ->> 'payment_intent')) where kind in ('charge', 'refund');
create index objects_due on payments_sandbox.objects (due_at) where due_at is not null;

create table payments_sandbox.idempotency_keys (
  key text primary key,
  fingerprint text not null,
  status int not null,
  body json not null, -- json, not jsonb: a replay returns the same text
  created_at timestamptz not null default now()
);

create index idempotency_keys_oldest_first on payments_sandbox.idempotency_keys (created_at);

create table payments_sandbox.deliveries (
  event_id text primary key references payments_sandbox.objects (id) on delete cascade,
  attempts int not null default 0,
  next_attempt_at timestamptz default now(), -- null: delivered or given up
  delivered_at timestamptz,
  last_error text
);

create index deliveries_due on payments_sandbox.deliveries (next_attempt_at) where next_attempt_at is not null;

grant usage on schema payments_sandbox to api_server;
grant select, insert, update, delete on all tables in schema payments_sandbox to api_server;
grant usage, select on all sequences in schema payments_sandbox to api_server;
