-- Messages from the organizers to the people who bought or hold tickets. The recipients are decided when it is sent: each address
-- is a row with its own state, so that a message to thousands continues after a crash, nobody gets it twice because another address
-- failed, and bounces are visible.

create table public.messages (
  id uuid primary key default gen_random_uuid(),
  subject text not null check (length(subject) <= 150 and public.is_one_line(subject)),
  -- An empty line separates paragraphs.
  body text not null check (body ~ '\S' and length(body) <= 5000),
  audience jsonb not null, -- as message_audience takes it
  sent_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now(),
  stopped_at timestamptz
);
create index messages_newest on public.messages (created_at desc, id);
create trigger messages_audit after insert or update on public.messages
  for each row execute function public.audit_change();

create table public.message_recipients (
  message_id uuid not null references public.messages (id) on delete cascade,
  number integer not null,
  name text not null,
  email text not null,
  -- sending: a drainer has claimed it. The time since then shows that the drainer died.
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'sent', 'bounced')),
  problem text,
  -- For a message about a moved or cancelled day: how they paid for their own order. Null: they did not order.
  paid text check (paid in ('online', 'door', 'nothing')),
  changed_at timestamptz not null default now(),
  primary key (message_id, number)
);
create index message_recipients_by_state on public.message_recipients (message_id, state);
create index message_recipients_sent on public.message_recipients (lower(email), changed_at desc) where state = 'sent';

-- Addresses that refused a mail, at once or in a report that reached the mail server later. The latest report for each.
create table public.mail_bounces (
  email text primary key check (email = lower(email)),
  reason text not null,
  bounced_at timestamptz not null default now()
);

-- Addresses whose owners want no messages, as keyed one-way hashes: the opt-out needs no account, outlives one, and names no one.
create table public.message_opt_outs (
  address_hash bytea primary key
);

alter table public.messages enable row level security;
alter table public.message_recipients enable row level security;
alter table public.mail_bounces enable row level security;
alter table public.message_opt_outs enable row level security;
revoke all on public.messages, public.message_recipients, public.mail_bounces, public.message_opt_outs from anon, authenticated;
grant select on public.messages, public.message_recipients, public.mail_bounces to authenticated;
create policy "Admins read the messages" on public.messages for select to authenticated using ((select public.is_admin()));
create policy "Admins read who got a message" on public.message_recipients
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read what bounced" on public.mail_bounces for select to authenticated using ((select public.is_admin()));
create policy "Nobody but the messages reads who opted out" on public.message_opt_outs
  for all to anon, authenticated using (false) with check (false);

-- The token in a message's links: the address's hash, and a hash of that, so that nobody can make one up. It names no one, and
-- keeps working when the server's keys are replaced.
create function public.opt_out_token(p_email text) returns text
language sql stable set search_path = '' as $$
  select hash || left(encode(public.address_hash(hash), 'hex'), 32) from encode(public.address_hash(p_email), 'hex') as hash
$$;

-- Whether the address behind a token gets messages, after the change if p_wanted says one: 'receiving' or 'opted_out', 'unknown' if
-- the token is not one of ours.
create function public.answer_opt_out(p_token text, p_wanted boolean default null) returns text
language plpgsql volatile set search_path = '' as $$
declare
  hash constant text := left(p_token, 64);
begin
  if coalesce(p_token, '') !~ '^[0-9a-f]{96}$' or substr(p_token, 65) <> left(encode(public.address_hash(hash), 'hex'), 32) then
    return 'unknown';
  end if;
  if p_wanted then
    delete from public.message_opt_outs where address_hash = decode(hash, 'hex');
  elsif not p_wanted then
    insert into public.message_opt_outs (address_hash) values (decode(hash, 'hex')) on conflict do nothing;
  end if;
  return case when exists (select from public.message_opt_outs where address_hash = decode(hash, 'hex')) then 'opted_out' else 'receiving' end;
end $$;

-- The recipients of a message, each address once. p_audience: {people: buyers | attendees | everybody, type_ids: ticket types and
-- parking passes, empty for all of them, state: valid | not_in | in | refunded}. An order or a ticket counts if any part of it is
-- of one of these types and in this state. Guests of comps are no buyers, but everybody includes their parking. The name is the
-- buyer's if the address bought something. It is empty if the address stands for several attendees, or was left at the door, where
-- nobody gives a name. Only the announcement of a change goes to those who opted out too.
create function public.message_audience(p_audience jsonb) returns table (email text, name text, opted_out boolean)
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  people constant text := p_audience ->> 'people';
  state constant text := p_audience ->> 'state';
  types uuid[];
begin
  if coalesce(people, '') not in ('buyers', 'attendees', 'everybody') or coalesce(state, '') not in ('valid', 'not_in', 'in', 'refunded')
    or jsonb_typeof(coalesce(p_audience -> 'type_ids', '[]')) <> 'array' then
    raise exception 'Choose who the message goes to.' using errcode = '22023';
  end if;
  types := array(select jsonb_array_elements_text(coalesce(p_audience -> 'type_ids', '[]')))::uuid[];
  return query
    select distinct on (lower(reached.email)) reached.email,
      case when reached.is_buyer or min(reached.name) over same = max(reached.name) over same then reached.name else '' end,
      public.address_hash(reached.email) in (select address_hash from public.message_opt_outs)
    from (
      select unit.at, person.email, person.who = 'buyers' as is_buyer, case when o.channel = 'door' then '' else person.name end as name
      from (
        select order_id, product_id as type_id, checked_in_at, voided_at, attendee_email as email, attendee_name as name, created_at as at
          from public.entry_codes
      ) as unit
      join public.orders o on o.id = unit.order_id
      cross join lateral (values ('buyers', o.buyer_email, o.buyer_full_name), ('attendees', unit.email, unit.name))
        as person (who, email, name)
      where people in (person.who, 'everybody') and not (people = 'buyers' and o.channel = 'comp') and (types = '{}' or unit.type_id = any (types))
        and (state = 'refunded') = (unit.voided_at is not null)
        and (state not in ('in', 'not_in') or (state = 'in') = (unit.checked_in_at is not null))
    ) as reached
    where reached.email like '%_@_%'
    window same as (partition by lower(reached.email))
    order by lower(reached.email), reached.is_buyer desc, reached.at desc;
end $$;

-- How many people a message would reach, the first few of them, and how many it leaves out because they opted out.
create function public.preview_message_audience(p_audience jsonb) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_admin();
  return (select jsonb_build_object('recipients', count(*) filter (where not a.opted_out),
      'opted_out', count(*) filter (where a.opted_out),
      'examples', coalesce(jsonb_agg(a.email order by a.email) filter (where not a.opted_out and a.nth <= 3), '[]'))
    from (select email, opted_out, row_number() over (partition by opted_out order by email) as nth
      from public.message_audience(p_audience)) as a);
end $$;

-- One piece of work for every 20 addresses, if any of them is still waiting.
create function public.queue_message_mails(p_message_id uuid) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.outbox (kind, payload, dedupe_key)
    select 'message_mails', jsonb_build_object('message_id', p_message_id, 'batch', batch),
      format('message_mails:%s:%s:%s', p_message_id, batch, gen_random_uuid())
    from (select distinct (number - 1) / 20 as batch from public.message_recipients
      where message_id = p_message_id and state in ('waiting', 'sending')) as batches order by batch;
end $$;

create function public.check_message(p_subject text, p_body text) returns void
language plpgsql set search_path = '' as $$
begin
  if public.is_one_line(p_subject) is not true or length(p_subject) > 150 then
    raise exception 'Enter a subject on one line (up to 150 characters).' using errcode = '22023';
  end if;
  if coalesce(p_body, '') !~ '\S' or length(p_body) > 5000 then
    raise exception 'Enter a message (up to 5,000 characters).' using errcode = '22023';
  end if;
end $$;
revoke execute on function public.check_message(text, text) from public, anon, authenticated;

-- Sends a message to everybody it reaches at this moment, except those who opted out. p_id comes from the browser: a second press,
-- or a retry after a lost answer, sends nothing twice, and a different text under the same id is refused. Returns the number of
-- recipients.
create function public.send_message(p_id uuid, p_subject text, p_body text, p_audience jsonb) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  reached integer;
begin
  perform public.require_admin();
  perform public.check_message(p_subject, p_body);
  insert into public.messages (id, subject, body, audience, sent_by)
    values (p_id, btrim(p_subject), btrim(p_body), p_audience, auth.uid()) on conflict (id) do nothing;
  if found then
    insert into public.message_recipients (message_id, number, name, email)
      select p_id, row_number() over (order by a.email), a.name, a.email from public.message_audience(p_audience) as a
      where not a.opted_out;
    perform public.queue_message_mails(p_id);
  elsif not exists (select from public.messages
      where id = p_id and (subject, body, audience) = (btrim(p_subject), btrim(p_body), p_audience)) then
    raise exception 'The message is already going out, without your latest changes.' using errcode = 'PT409';
  end if;
  select count(*) into reached from public.message_recipients where message_id = p_id;
  if reached = 0 then raise exception 'This selection has no recipients.' using errcode = '23514'; end if;
  return reached;
end $$;

-- Sends the message only to the administrator, as it will look.
create function public.send_message_test(p_subject text, p_body text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_admin();
  perform public.check_message(p_subject, p_body);
  insert into public.outbox (kind, payload, dedupe_key)
    select 'message_test_mail', jsonb_build_object('email', u.email, 'subject', btrim(p_subject), 'body', btrim(p_body),
      'token', public.opt_out_token(u.email)), 'message_test_mail:' || gen_random_uuid()
    from auth.users u where u.id = auth.uid();
end $$;

-- Stops a message: mails already with the mail server go out, but no others.
create function public.stop_message(p_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_admin();
  update public.messages set stopped_at = now() where id = p_id and stopped_at is null;
end $$;

-- Resumes a message that was stopped or given up. p_bounced: addresses that bounced are tried once more.
create function public.resume_message(p_id uuid, p_bounced boolean default false) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_admin();
  perform from public.messages where id = p_id for update;
  update public.messages set stopped_at = null where id = p_id and stopped_at is not null;
  if p_bounced then
    update public.message_recipients set state = 'waiting', problem = null, changed_at = now()
      where message_id = p_id and state = 'bounced';
  end if;
  -- Queued work continues anyway; two pieces of work for one batch share it.
  perform public.queue_message_mails(p_id);
end $$;

-- What a drainer sends now: the waiting addresses of a batch, and those that a drainer abandoned ten minutes ago. None once the
-- message is stopped. token: of the links out; null for the announcement of a change, which has none.
create function public.claim_message_mails(p_message_id uuid, p_batch integer)
returns table (number integer, name text, email text, subject text, body text, change jsonb, token text)
language plpgsql volatile set search_path = '' as $$
declare
  announces constant boolean := exists (select from public.festival_changes where message_id = p_message_id);
begin
  -- Those who have opted out since are no longer recipients.
  if not announces then
    delete from public.message_recipients r where r.message_id = p_message_id and r.number between p_batch * 20 + 1 and p_batch * 20 + 20
      and r.state = 'waiting' and public.address_hash(r.email) in (select address_hash from public.message_opt_outs);
  end if;
  return query
    update public.message_recipients r set state = 'sending', changed_at = now()
    from public.messages m
    where m.id = p_message_id and m.stopped_at is null and r.message_id = m.id
      and r.number between p_batch * 20 + 1 and p_batch * 20 + 20
      and (r.state = 'waiting' or (r.state = 'sending' and r.changed_at < now() - interval '10 minutes'))
    -- A mail about a moved or cancelled day says more: where the tickets are, and who gets money back.
    returning r.number, r.name, r.email, m.subject, m.body, (select jsonb_build_object('kind', c.kind, 'ask_until', c.ask_until,
        'refunds', c.refunds, 'paid', r.paid)
      from public.festival_changes c where c.message_id = m.id), case when not announces then public.opt_out_token(r.email) end;
  if not found and exists (select from public.message_recipients r join public.messages m on m.id = r.message_id
      where m.id = p_message_id and m.stopped_at is null and r.number between p_batch * 20 + 1 and p_batch * 20 + 20
        and r.state = 'sending') then
    raise exception 'These emails are still being sent.' using errcode = 'PT409';
  end if;
end $$;

-- p_state: sent, bounced, or waiting when it is to be retried.
create function public.settle_message_mail(p_message_id uuid, p_number integer, p_state text, p_problem text default null)
returns void
language sql volatile set search_path = '' as $$
  update public.message_recipients set state = p_state, problem = left(p_problem, 500), changed_at = now()
    where message_id = p_message_id and number = p_number;
$$;

-- Records that an address refused a mail. p_reported: in a later report, so that the newest message it got in the last week is
-- marked too.
create function public.record_mail_bounce(p_email text, p_reason text, p_reported boolean default false) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into public.mail_bounces (email, reason) values (lower(p_email), left(p_reason, 500))
    on conflict (email) do update set reason = excluded.reason, bounced_at = excluded.bounced_at;
  if not p_reported then return; end if;
  update public.message_recipients set state = 'bounced', problem = left(p_reason, 500), changed_at = now()
    where (message_id, number) = (select r.message_id, r.number from public.message_recipients r
      where lower(r.email) = lower(p_email) and r.state = 'sent' and r.changed_at > now() - interval '7 days'
      order by r.changed_at desc limit 1);
end $$;

-- A page of messages, newest first, each with its progress. working: work is left that continues automatically.
create function public.list_messages(p_search text default null, page_size integer default 25, p_after_at timestamptz default null,
  p_after_id uuid default null, page_offset integer default 0) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := public.search_pattern(p_search);
  listed jsonb;
  found bigint;
begin
  perform public.require_admin();
  select jsonb_agg(to_jsonb(page) order by page.created_at desc, page.id) into listed from (
    select m.id, m.subject, m.body, m.audience, m.created_at, m.stopped_at,
      (select u.email from auth.users u where u.id = m.sent_by) as sent_by, c.waiting, c.sent, c.bounced,
      exists (select from public.outbox w where w.kind = 'message_mails' and w.payload ->> 'message_id' = m.id::text
        and w.done_at is null and w.dead_at is null) as working
    from (select * from public.messages
      where (pattern is null or subject ilike pattern)
        and (p_after_id is null or (created_at <= p_after_at and (created_at < p_after_at or id > p_after_id)))
      order by created_at desc, id limit least(greatest(page_size, 1), 500) offset greatest(page_offset, 0)) as m
    cross join lateral (select count(*) filter (where state in ('waiting', 'sending')) as waiting,
        count(*) filter (where state = 'sent') as sent, count(*) filter (where state = 'bounced') as bounced
      from public.message_recipients where message_id = m.id) as c) as page;
  select count(*) into found from (select from public.messages where pattern is null or subject ilike pattern
    limit public.most_counted() + 1) as counted;
  return public.list_answer(listed, found);
end $$;

-- The addresses a message did not reach, and why: the first 500.
create function public.list_message_bounces(p_message_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_admin();
  return (select coalesce(jsonb_agg(to_jsonb(b) order by b.email), '[]') from (
    select name, email, problem, changed_at from public.message_recipients
    where message_id = p_message_id and state = 'bounced' order by email limit 500) as b);
end $$;

revoke execute on function public.opt_out_token(text), public.answer_opt_out(text, boolean),
  public.message_audience(jsonb), public.queue_message_mails(uuid),
  public.claim_message_mails(uuid, integer), public.settle_message_mail(uuid, integer, text, text),
  public.record_mail_bounce(text, text, boolean) from public, anon, authenticated;
revoke execute on function public.preview_message_audience(jsonb), public.send_message(uuid, text, text, jsonb),
  public.send_message_test(text, text), public.stop_message(uuid), public.resume_message(uuid, boolean),
  public.list_messages(text, integer, timestamptz, uuid, integer), public.list_message_bounces(uuid) from public, anon;
grant execute on function public.preview_message_audience(jsonb), public.send_message(uuid, text, text, jsonb),
  public.send_message_test(text, text), public.stop_message(uuid), public.resume_message(uuid, boolean),
  public.list_messages(text, integer, timestamptz, uuid, integer), public.list_message_bounces(uuid) to authenticated;
