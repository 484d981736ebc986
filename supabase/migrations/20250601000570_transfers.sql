-- Passing a ticket on, and correcting whom it admits (docs/decisions/051). A ticket's user_id is the account that holds it now,
-- null for a holder without one. Both raise the issue number, so that the previous code is void at every gate.
--
-- Lock order: the account, the recipient's address (advisory), the order, its tickets, its transfers.

create table public.ticket_transfers (
  id uuid primary key default gen_random_uuid(),
  -- Shared by tickets that were offered together, along with the link and the mail.
  offer_id uuid not null,
  ticket_id uuid not null references public.entry_codes (id),
  order_id uuid not null references public.orders (id),
  ticket_name text not null,
  -- SHA-256 of the link's token, which only the mail contains; null until the mail goes out.
  token_hash bytea,
  from_user_id uuid references auth.users (id) on delete set null,
  from_name text not null,
  from_attendee text not null,
  to_name text not null check (length(btrim(to_name)) between 1 and 200 and public.is_one_line(to_name)),
  to_email text not null check (public.is_email(to_email)),
  -- The account that accepted, if any.
  to_user_id uuid references auth.users (id) on delete set null,
  -- Accepted without an account, and not claimed by one since. to_user_id is null too once the account is deleted.
  without_account boolean not null default false,
  state text not null default 'offered' check (state in ('offered', 'accepted', 'recalled', 'expired')),
  expired_because text check (expired_because in ('not_accepted', 'refunded', 'scanned')),
  -- Of the code that accepting created.
  issue_number integer,
  offered_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint ticket_transfers_ended_when check ((state = 'offered') = (ended_at is null)),
  constraint ticket_transfers_expired_why check ((state = 'expired') = (expired_because is not null)),
  constraint ticket_transfers_accepted_as check ((state = 'accepted') = (issue_number is not null))
);
create unique index ticket_transfers_one_offer on public.ticket_transfers (ticket_id) where state = 'offered';
create index ticket_transfers_of_ticket on public.ticket_transfers (ticket_id, offered_at);
create index ticket_transfers_of_offer on public.ticket_transfers (offer_id);
create index ticket_transfers_by_token on public.ticket_transfers (token_hash);
create index ticket_transfers_of_order on public.ticket_transfers (order_id);
create index ticket_transfers_from_user on public.ticket_transfers (from_user_id, offered_at);
create index ticket_transfers_to_user on public.ticket_transfers (to_user_id);
create index ticket_transfers_kept on public.ticket_transfers (lower(to_email)) where without_account;
create index ticket_transfers_to_address on public.ticket_transfers (lower(to_email), offered_at);

create table public.attendee_corrections (
  id uuid primary key default gen_random_uuid(),
  ticket_id uuid not null references public.entry_codes (id),
  order_id uuid not null references public.orders (id),
  corrected_by uuid, -- no foreign key: the history outlives the account
  by_admin boolean not null,
  reason text check (length(btrim(reason)) between 1 and 200),
  old_name text not null,
  old_email text not null,
  new_name text not null,
  new_email text not null,
  corrected_at timestamptz not null default now(),
  constraint attendee_corrections_admin_says_why check (not by_admin or reason is not null)
);
create index attendee_corrections_of_ticket on public.attendee_corrections (ticket_id, corrected_at);
create index attendee_corrections_of_order on public.attendee_corrections (order_id);
create index attendee_corrections_by_user on public.attendee_corrections (corrected_by, corrected_at);

alter table public.ticket_transfers enable row level security;
alter table public.attendee_corrections enable row level security;
revoke all on public.ticket_transfers, public.attendee_corrections from anon, authenticated;
grant select (id, offer_id, ticket_id, order_id, ticket_name, from_user_id, from_name, from_attendee, to_name, to_email, to_user_id,
  state, expired_because, issue_number, offered_at, ended_at) on public.ticket_transfers to authenticated;
grant select on public.attendee_corrections to authenticated;
create policy "People read the transfers they offered or accepted" on public.ticket_transfers
  for select to authenticated using (from_user_id = (select auth.uid()) or to_user_id = (select auth.uid()));
create policy "Admins and finance read all transfers" on public.ticket_transfers
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "People read the corrections they made" on public.attendee_corrections
  for select to authenticated using (corrected_by = (select auth.uid()));
create policy "Admins and finance read all corrections" on public.attendee_corrections
  for select to authenticated using ((select public.has_role('admin', 'finance')));

-- The deadline for corrections by the holder: when the doors open or, if no such time is set, when the festival begins.
create function public.corrections_close_at() returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
begin
  return (select coalesce(s.doors_open_at, f.starts_at) from public.gate_settings s, public.festival f);
end $$;

-- Refuses a name or an address that no order could be placed with, in the same words (cart_problem).
create function public.require_attendee(p_name text, p_email text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if public.is_one_line(p_name) is not true or length(p_name) > 200 then
    raise exception 'Name is required' using errcode = '22023';
  elsif public.has_link(p_name) then
    raise exception 'A name cannot contain a web address' using errcode = '22023';
  end if;
  if not public.is_email(coalesce(p_email, '')) then
    raise exception 'Valid email is required' using errcode = '22023';
  end if;
end $$;

-- p_news: offered, accepted, withdrawn (recalled or refunded), expired.
create function public.queue_transfer_mail(p_transfer_ids uuid[], p_news text, p_email text) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.outbox (kind, payload, dedupe_key)
    select 'transfer_mail', jsonb_build_object('order_id', r.order_id, 'transfer_ids', p_transfer_ids, 'news', p_news, 'email', p_email),
      format('transfer_mail:%s:%s', p_news, r.id)
    from public.ticket_transfers r where r.id = p_transfer_ids[1] and p_email is not null
    on conflict (dedupe_key) do nothing;
end $$;

-- Tells each of these addresses once that the code is void. p_known: addresses that need no notice.
create function public.queue_replaced_mails(p_ticket public.tickets, p_emails text[], p_known text[]) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.outbox (kind, payload, dedupe_key)
    select 'replaced_mail', jsonb_build_object('order_id', (p_ticket).order_id, 'email', min(e), 'ticket_id', (p_ticket).id,
        'attendee', (p_ticket).attendee_name), format('replaced_mail:%s:%s:%s', (p_ticket).id, (p_ticket).issue_number, lower(e))
    from unnest(p_emails) as e
    where e <> '' and not exists (select from unnest(p_known) as k where lower(k) = lower(e))
    group by lower(e);
end $$;

-- A new code for the person whom the ticket admits from now on. The person whom the old one admitted is told that it is void. p_known:
-- as above.
create function public.reissue_ticket(p_ticket public.tickets, p_name text, p_email text, p_known text[]) returns integer
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  update public.tickets set attendee_name = p_name, attendee_email = p_email, issue_number = issue_number + 1,
      qr_code_data = null, qr_code_url = null
    where id = (p_ticket).id;
  perform public.queue_replaced_mails(p_ticket, array[(p_ticket).attendee_email], p_known || p_email);
  return (p_ticket).issue_number + 1;
end $$;

-- New codes for what else an order has: its parking. False if it has none.
create function public.reissue_others(p_order_id uuid) returns boolean
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  update public.entry_codes set issue_number = issue_number + 1, qr_code_data = null, qr_code_url = null
    where id = any (array(select id from public.entry_codes where order_id = p_order_id and not has_attendee and voided_at is null
      order by id for no key update));
  return found;
end $$;

-- p_why: transferred, corrected, asked.
create function public.queue_ticket_mail(p_order_id uuid, p_ticket_ids uuid[], p_email text, p_why text) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.outbox (kind, payload, dedupe_key)
    values ('ticket_mail', jsonb_build_object('order_id', p_order_id, 'ticket_ids', p_ticket_ids, 'email', p_email, 'why', p_why),
      format('ticket_mail:%s:%s', p_order_id, gen_random_uuid()));
end $$;

-- Locks the order of these tickets, then the tickets. Refuses if one of them is not held by the caller (null: any holder), is void,
-- or has been let in.
create function public.lock_held_tickets(p_ticket_ids uuid[], p_holder uuid) returns setof public.tickets
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  held public.tickets[];
  order_ids constant uuid[] := array(select distinct order_id from public.tickets where id = any (p_ticket_ids));
begin
  if cardinality(order_ids) > 1 then raise exception 'Choose tickets of one order.' using errcode = '22023'; end if;
  perform from public.orders where id = any (order_ids) for no key update;
  held := array(select t from public.tickets t where id = any (p_ticket_ids) and (p_holder is null or user_id = p_holder) order by id for update);
  if cardinality(held) = 0 or cardinality(held) <> (select count(distinct id) from unnest(p_ticket_ids) as id) then
    raise exception 'We couldn''t find this ticket among yours.' using errcode = 'PT404';
  end if;
  if exists (select from unnest(held) where voided_at is not null) then
    raise exception 'A refunded ticket is no longer valid.' using errcode = '23514';
  end if;
  if exists (select from unnest(held) where checked_in_at is not null) then
    raise exception 'This ticket has already been scanned at the gate.' using errcode = '23514';
  end if;
  return query select * from unnest(held);
end $$;

-- ── Transfers ──────────────────────────────────────────────────────────────────────────────────────────────────────

-- Why these tickets may not be offered now, or null. Per 24 hours: 3 offers of a ticket, 10 to an address, and 30 of a person
-- (offer_transfer), each an unsolicited mail.
create function public.offer_refusal(p_ticket_ids uuid[], p_email text) returns text
language sql stable set search_path = '' as $$
  select case
    when exists (select from public.ticket_transfers where ticket_id = any (p_ticket_ids) and offered_at > now() - interval '1 day'
        group by ticket_id having count(*) >= 3)
      then 'A ticket can be offered 3 times a day. Please try again tomorrow.'
    when (select count(distinct offer_id) from public.ticket_transfers
        where lower(to_email) = lower(p_email) and offered_at > now() - interval '1 day') >= 10
      then 'This address was offered too many tickets today. Please try again tomorrow.' end
$$;

-- Offers tickets of one order to a person, who is mailed a link. They stay the caller's, with their codes, until they are accepted.
create function public.offer_transfer(p_ticket_ids uuid[], p_name text, p_email text) returns uuid
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  caller constant uuid := auth.uid();
  address constant text := public.plain_email(p_email);
  offer constant uuid := gen_random_uuid();
  closes timestamptz;
  o public.orders;
  offered uuid[];
  refusal text;
begin
  perform public.require_live_session();
  perform public.require_attendee(p_name, address);
  perform public.refuse_if_cancelled();
  closes := public.transfers_close_at(); -- after a change that this waited for
  if coalesce(cardinality(p_ticket_ids), 0) not between 1 and 500 then
    raise exception 'Choose at least one ticket.' using errcode = '22023';
  end if;
  -- One at a time, so that the limits count all of them.
  perform pg_advisory_xact_lock(hashtextextended('transfers of ' || caller, 0));
  perform pg_advisory_xact_lock(hashtextextended('transfers to ' || lower(address), 0));
  perform from public.lock_held_tickets(p_ticket_ids, caller);
  if now() >= (select ends_at from public.festival) then raise exception 'The festival is over.' using errcode = '23514'; end if;
  if now() >= closes then
    raise exception 'Tickets could be transferred until %.', public.central_time(closes) using errcode = '23514';
  end if;
  if exists (select from public.ticket_transfers where ticket_id = any (p_ticket_ids) and state = 'offered') then
    raise exception 'This ticket has already been offered. Cancel the offer first.' using errcode = 'PT409';
  end if;
  select * into o from public.orders where id = (select order_id from public.tickets where id = p_ticket_ids[1]);
  if lower(address) = lower(public.mail_of(caller)) or (o.user_id = caller and lower(address) = lower(o.buyer_email)) then
    raise exception 'That is your own address. The ticket is already yours.' using errcode = '23514';
  end if;
  refusal := public.offer_refusal(p_ticket_ids, address);
  if refusal is null and not public.consume_person_limit('offers', caller, 30, 86400) then
    refusal := 'You have offered tickets 30 times today. Please try again tomorrow.';
  end if;
  if refusal is not null then raise exception '%', refusal using errcode = 'PT429'; end if;
  with made as (
    insert into public.ticket_transfers (offer_id, ticket_id, order_id, ticket_name, from_user_id, from_name, from_attendee, to_name, to_email)
      select offer, t.id, o.id, y.name, caller, case when o.user_id = caller then o.buyer_full_name else t.attendee_name end,
        t.attendee_name, public.plain_line(p_name), address
      from public.tickets t join public.products y on y.id = t.ticket_type_id where t.id = any (p_ticket_ids)
      returning id
  ) select array_agg(id order by id) into offered from made;
  perform public.queue_transfer_mail(offered, 'offered', address);
  return offer;
end $$;

-- Possible until the offer is accepted. The link's recipient is notified.
create function public.recall_transfer(p_offer_id uuid) returns void
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  notified uuid[];
  recalled integer;
begin
  perform public.require_live_session();
  perform from public.orders where id = (select order_id from public.ticket_transfers
    where offer_id = p_offer_id and from_user_id = auth.uid() limit 1) for no key update;
  if not found then raise exception 'We couldn''t find this transfer among yours.' using errcode = 'PT404'; end if;
  with gone as (
    update public.ticket_transfers set state = 'recalled', ended_at = now() where offer_id = p_offer_id and state = 'offered'
      returning id, token_hash
  ) select count(*), array_agg(id order by id) filter (where token_hash is not null) into recalled, notified from gone;
  if recalled = 0 then
    raise exception '%', (select case state when 'accepted' then 'The ticket has already been accepted.' when 'recalled' then 'You have already canceled the offer.'
        else 'The offer has ended, and the ticket is still yours.' end
      from public.ticket_transfers where offer_id = p_offer_id order by state limit 1) using errcode = 'PT409';
  end if;
  perform public.queue_transfer_mail(notified, 'withdrawn', (select to_email from public.ticket_transfers where id = notified[1]));
end $$;

-- Stores the hash of the token that the offer's mail carries; false if the offer has ended.
create function public.arm_transfer(p_offer_id uuid, p_token text) returns boolean
language plpgsql set search_path = '' as $$
begin
  perform from public.orders where id = (select order_id from public.ticket_transfers where offer_id = p_offer_id limit 1) for no key update;
  update public.ticket_transfers set token_hash = sha256(convert_to(p_token, 'UTF8')) where offer_id = p_offer_id and state = 'offered';
  return found;
end $$;

create function public.masked_mail(p_email text) returns text
language sql immutable set search_path = '' as $$
  select regexp_replace(p_email, '^(.).*@', '\1•••@')
$$;

-- What a link offers, for its bearer: {state, ...}. p_user_id: the viewer, if signed in. States: unknown; offered; closed (the time
-- for accepting is over, or the festival is cancelled); own (the viewer offered it); yours, kept and taken (accepted by the
-- viewer's account, by a person without an account, by another account even if it is deleted since); gone (accepted, and since then
-- reissued, passed on or void); recalled; expired.
create function public.look_up_transfer(p_token text, p_user_id uuid default null) returns jsonb
language sql stable security definer set search_path = '' set enable_seqscan = off as $$
  with linked as (
    select r.*, t.user_id, t.attendee_name, t.voided_at, t.transferred_issue, t.issue_number as current_issue, f.status = 'cancelled' as is_off
      from public.ticket_transfers r join public.tickets t on t.id = r.ticket_id cross join public.festival f
      where r.token_hash = sha256(convert_to(p_token, 'UTF8'))
  ), said as (
    select *, case state
        when 'offered' then case when is_off or now() >= public.transfers_close_at() then 'closed' when from_user_id = p_user_id then 'own' else 'offered' end
        when 'accepted' then case when voided_at is not null or transferred_issue <> issue_number then 'gone'
          when user_id is null and without_account then case when current_issue = issue_number then 'kept' else 'gone' end when user_id = p_user_id then 'yours' else 'taken' end
        else state end as says
      from linked
  ), first as (
    -- The tickets of an offer end together, except for refunds and scans: an open one decides.
    select * from said order by state <> 'offered', state <> 'accepted', says = 'gone', state, id limit 1
  )
  select coalesce((select jsonb_build_object('state', f.says, 'because', coalesce(f.expired_because, case when f.says = 'closed' and f.is_off then 'cancelled' end),
      'from_name', f.from_name, 'to_name', f.to_name, 'to_email', public.masked_mail(f.to_email), 'closes_at', public.transfers_close_at(), 'offer_id', f.offer_id,
      'is_own_mail', coalesce(lower(public.mail_of(p_user_id)) = lower(f.to_email), false),
      'tickets', (select jsonb_agg(jsonb_build_object('id', s.ticket_id, 'name', s.ticket_name) order by s.ticket_name, s.ticket_id)
        from said s where s.says = f.says))
    from first f), '{"state": "unknown"}')
$$;

-- Tickets accepted without an account move to the account whose confirmed address they were sent to, when that account views its
-- tickets.
create function public.claim_kept_tickets() returns integer
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  caller constant uuid := auth.uid();
  address constant text := (select lower(email) from auth.users where id = caller and email_confirmed_at is not null);
  kept uuid[];
begin
  perform public.require_live_session();
  if address is null then return 0; end if;
  kept := array(select r.id from public.ticket_transfers r
    where lower(r.to_email) = address and r.without_account);
  if kept = '{}' then return 0; end if;
  perform from public.orders where id in (select order_id from public.ticket_transfers where id = any (kept)) order by id for no key update;
  -- One that was passed on, corrected or refunded since no longer belongs to this holder.
  kept := array(select r.id from public.ticket_transfers r join public.tickets t on t.id = r.ticket_id
    where r.id = any (kept) and r.without_account and t.user_id is null and t.voided_at is null
      and t.issue_number = r.issue_number);
  update public.tickets set user_id = caller where id in (select ticket_id from public.ticket_transfers where id = any (kept));
  update public.ticket_transfers set to_user_id = caller, without_account = false where id = any (kept);
  return cardinality(kept);
end $$;

-- Gives the tickets of a link to the account or, without one, to the bearer of their new codes. Answers like look_up_transfer, with
-- state accepted when this call did it. Tickets accepted without an account may move to an account with the same address later.
create function public.accept_transfer(p_token text, p_user_id uuid default null) returns jsonb
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  found jsonb;
  r public.ticket_transfers;
  t public.tickets;
  known text[];
  accepted uuid[] := '{}';
  taken uuid[] := '{}';
begin
  perform public.is_cancelled(); -- waits for a change that is being announced: the lookup below then sees it
  -- Lock the order before deciding about its tickets: when two people accept at once, the second finds it accepted.
  perform from public.orders where id = (select order_id from public.ticket_transfers
    where token_hash = sha256(convert_to(p_token, 'UTF8')) limit 1) for no key update;
  found := public.look_up_transfer(p_token, p_user_id);
  if found ->> 'state' = 'kept' and p_user_id is not null and (found ->> 'is_own_mail')::boolean then
    update public.tickets set user_id = p_user_id
      where id = any (array(select (k ->> 'id')::uuid from jsonb_array_elements(found -> 'tickets') as k));
    update public.ticket_transfers set to_user_id = p_user_id, without_account = false
      where offer_id = (found ->> 'offer_id')::uuid and state = 'accepted' and ticket_id in (
        select (k ->> 'id')::uuid from jsonb_array_elements(found -> 'tickets') as k);
    return found || '{"state": "accepted"}';
  end if;
  if found ->> 'state' <> 'offered' then return found; end if;
  for r in select * from public.ticket_transfers where offer_id = (found ->> 'offer_id')::uuid and state = 'offered' order by ticket_id loop
    select * into t from public.tickets where id = r.ticket_id for update;
    known := array[public.mail_of(r.from_user_id), (select o.buyer_email from public.orders o where o.id = r.order_id and o.user_id = r.from_user_id)];
    update public.tickets set user_id = p_user_id, transferred_issue = t.issue_number + 1 where id = t.id;
    update public.ticket_transfers set state = 'accepted', ended_at = now(), to_user_id = p_user_id, without_account = p_user_id is null,
        issue_number = public.reissue_ticket(t, r.to_name, r.to_email, known)
      where id = r.id;
    accepted := accepted || r.id;
    taken := taken || t.id;
  end loop;
  perform public.queue_ticket_mail(r.order_id, taken, r.to_email, 'transferred');
  perform public.queue_transfer_mail(accepted, 'accepted', public.mail_of(r.from_user_id));
  return found || '{"state": "accepted"}';
end $$;

-- Mails the codes again to a holder who accepted without an account, at most three times an hour. Answers like look_up_transfer,
-- with whether it sent them.
create function public.resend_transfer(p_token text) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  found constant jsonb := public.look_up_transfer(p_token);
  r public.ticket_transfers;
begin
  if found ->> 'state' <> 'kept' or not public.consume_rate_limit('resend-transfer:' || (found ->> 'offer_id'), 3, 3600) then
    return found || '{"sent": false}';
  end if;
  select * into r from public.ticket_transfers where offer_id = (found ->> 'offer_id')::uuid limit 1;
  perform public.queue_ticket_mail(r.order_id, array(select (k ->> 'id')::uuid from jsonb_array_elements(found -> 'tickets') as k),
    r.to_email, 'asked');
  return found || '{"sent": true}';
end $$;

-- Offers end at the deadline for accepting, and the people who made them are notified. In batches, by clean_up; accept_transfer
-- checks the deadline itself. Returns how many ended.
create function public.expire_transfers(p_limit integer) returns integer
language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  due uuid[];
  ended integer;
  offers integer;
begin
  if now() < public.transfers_close_at() then return 0; end if;
  due := array(select id from public.ticket_transfers where state = 'offered' limit p_limit);
  if due = '{}' then return 0; end if;
  perform from public.orders where id = any (array(select order_id from public.ticket_transfers where id = any (due)))
    order by id for no key update;
  with gone as (
    update public.ticket_transfers set state = 'expired', expired_because = 'not_accepted', ended_at = now()
      where id = any (due) and state = 'offered' returning id, offer_id, from_user_id
  )
  select sum(units), count(notified) into ended, offers from (
    select count(*) as units, public.queue_transfer_mail(array_agg(id order by id), 'expired',
      public.mail_of((array_agg(from_user_id))[1])) as notified
    from gone group by offer_id) as sums;
  return ended;
end $$;

-- A ticket that was refunded or scanned can no longer be accepted. The recipient of a refunded ticket's link is notified.
create function public.end_offers() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  notified integer;
begin
  if not exists (select from public.ticket_transfers where state = 'offered') then return null; end if;
  with gone as (
    update public.ticket_transfers r set state = 'expired', ended_at = now(),
        expired_because = case when t.voided_at is not null then 'refunded' else 'scanned' end
      from after t where r.ticket_id = t.id and r.state = 'offered' and (t.voided_at is not null or t.checked_in_at is not null)
      returning r.id, r.offer_id, r.expired_because, r.token_hash, r.to_email
  )
  select count(mail) into notified from (
    select public.queue_transfer_mail(array_agg(id order by id), 'withdrawn', min(to_email)) as mail
    from gone where expired_because = 'refunded' and token_hash is not null group by offer_id) as mails;
  return null;
end $$;
create trigger entry_codes_end_offers after update on public.entry_codes
  referencing old table as before new table as after for each statement execute function public.end_offers();

-- ── Corrections ────────────────────────────────────────────────────────────────────────────────────────────────────

-- Why its holder may not correct the ticket this way, or null.
create function public.correction_refusal(p_ticket public.tickets, p_name text, p_email text) returns text
language plpgsql stable set search_path = '' as $$
declare
  closed constant boolean := now() >= public.transfers_close_at();
  first_name text;
  first_email text;
begin
  if exists (select from public.ticket_transfers where ticket_id = (p_ticket).id and state = 'offered') then
    return 'This ticket is offered to someone. Cancel the offer first.';
  end if;
  if now() >= public.corrections_close_at() then
    return format('Names and email addresses could be changed until %s.', public.central_time(public.corrections_close_at()));
  end if;
  if (select count(*) from public.attendee_corrections where ticket_id = (p_ticket).id and corrected_by = auth.uid() and not by_admin) >= 3 then
    return 'You have changed this ticket three times. The organizers can still help you.';
  end if;
  -- Several small corrections could amount to a transfer: what counts is whom the ticket named when transfers closed.
  select old_name, old_email into first_name, first_email from public.attendee_corrections
    where ticket_id = (p_ticket).id and not by_admin and corrected_at >= public.transfers_close_at() order by corrected_at limit 1;
  if closed and public.folded(p_name) <> public.folded(coalesce(first_name, (p_ticket).attendee_name))
    and lower(p_email) <> lower(coalesce(first_email, (p_ticket).attendee_email)) then
    return format('Changing both the name and the address is a transfer, and transfers closed on %s. Change only one of them.',
      public.central_time(public.transfers_close_at()));
  end if;
  return null;
end $$;

-- Corrects the name or the address on a ticket and mails the new code there. Its holder may do so three times; an administrator at
-- any time, with a reason. p_was: {name, email} as the editor saw them.
create function public.correct_attendee(p_ticket_id uuid, p_name text, p_email text, p_reason text default null, p_was jsonb default null)
  returns jsonb
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  by_admin constant boolean := p_reason is not null;
  new_name constant text := public.plain_line(p_name);
  new_email constant text := public.plain_email(p_email);
  o public.orders;
  t public.tickets;
  refusal text;
begin
  if by_admin then perform public.require_admin(); else perform public.require_live_session(); end if;
  if by_admin and length(btrim(p_reason)) not between 1 and 200 then
    raise exception 'Enter a reason (up to 200 characters).' using errcode = '22023';
  end if;
  perform public.require_attendee(new_name, new_email);
  select * into t from public.lock_held_tickets(array[p_ticket_id], case when not by_admin then auth.uid() end);
  if (t.attendee_name, t.attendee_email) = (new_name, new_email) then
    raise exception 'Nothing has changed.' using errcode = '23514';
  end if;
  perform public.require_unchanged(p_was, t.attendee_name, t.attendee_email);
  if not by_admin then
    refusal := public.correction_refusal(t, new_name, new_email);
    if refusal is not null then raise exception '%', refusal using errcode = '23514'; end if;
    if not public.consume_person_limit('correct', auth.uid(), 30, 3600) then
      raise exception 'Too many changes at once. Please try again in an hour.' using errcode = 'PT429';
    end if;
    -- The address may be a stranger's, who is mailed each time. As often as offers.
    if lower(new_email) is distinct from lower(public.mail_of(auth.uid()))
      and not public.consume_rate_limit('correct to:' || md5(lower(new_email)), 10, 86400) then
      raise exception 'Too many tickets were emailed to this address today. Please try again tomorrow.' using errcode = 'PT429';
    end if;
  end if;
  insert into public.attendee_corrections (ticket_id, order_id, corrected_by, by_admin, reason, old_name, old_email, new_name, new_email)
    values (t.id, t.order_id, auth.uid(), by_admin, btrim(p_reason), t.attendee_name, t.attendee_email, new_name, new_email);
  select * into o from public.orders where id = t.order_id;
  -- A comp's buyer is its guest: later mails about the order go to the right person too.
  update public.orders set buyer_full_name = new_name, buyer_email = new_email where id = o.id and o.channel = 'comp';
  -- Holders know what they correct themselves. What an administrator corrects is news to whoever had the code: also to the holder,
  -- and to the buyer, whose mails have the code unless the ticket was passed on.
  perform public.reissue_ticket(t, new_name, new_email, case when not by_admin then array[public.mail_of(t.user_id), o.buyer_email] end);
  -- The parking of a comp is its guest's: another guest is mailed both codes.
  if o.channel = 'comp' and lower(new_email) <> lower(t.attendee_email) and public.reissue_others(o.id) then
    insert into public.outbox (kind, payload, dedupe_key)
      values ('order_mail', jsonb_build_object('order_id', o.id), format('order_mail:%s:%s', o.id, gen_random_uuid()));
  else
    perform public.queue_ticket_mail(o.id, array[t.id], new_email, 'corrected');
  end if;
  if by_admin then
    perform public.queue_replaced_mails(t, array[public.mail_of(t.user_id), case when t.transferred_issue is null then o.buyer_email end],
      array[t.attendee_email, new_email]);
    perform public.write_audit('UPDATE', 'tickets', t.id::text, jsonb_build_object('name', t.attendee_name, 'email', t.attendee_email),
      jsonb_build_object('name', new_name, 'email', new_email, 'reason', btrim(p_reason), 'order_id', t.order_id));
  end if;
  return jsonb_build_object('ticket_id', t.id, 'name', new_name, 'email', new_email);
end $$;

revoke execute on function public.require_attendee(text, text),
  public.queue_transfer_mail(uuid[], text, text), public.queue_replaced_mails(public.tickets, text[], text[]),
  public.reissue_others(uuid), public.reissue_ticket(public.tickets, text, text, text[]),
  public.queue_ticket_mail(uuid, uuid[], text, text), public.lock_held_tickets(uuid[], uuid),
  public.offer_refusal(uuid[], text), public.arm_transfer(uuid, text), public.masked_mail(text),
  public.look_up_transfer(text, uuid), public.accept_transfer(text, uuid), public.resend_transfer(text),
  public.expire_transfers(integer), public.correction_refusal(public.tickets, text, text) from public, anon, authenticated;
revoke execute on function public.claim_kept_tickets(), public.offer_transfer(uuid[], text, text), public.recall_transfer(uuid),
  public.corrections_close_at(), public.correct_attendee(uuid, text, text, text, jsonb) from public, anon;
grant execute on function public.claim_kept_tickets(), public.offer_transfer(uuid[], text, text), public.recall_transfer(uuid),
  public.corrections_close_at(), public.correct_attendee(uuid, text, text, text, jsonb) to authenticated;
