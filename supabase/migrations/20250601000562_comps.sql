-- Comps: tickets given away to named guests with an address, each with a recorded reason. One order per guest, confirmed at once
-- and free. They take stock like sold tickets, but are counted separately.

-- One issue of comps: who, why, and how many.
create table public.guest_lists (
  id uuid primary key, -- from the browser: a retry finds the issue by it
  reason text not null check (length(btrim(reason)) between 1 and 500),
  ticket_type_id uuid not null references public.products (id),
  guests integer not null check (guests between 1 and 200),
  request_hash text not null,
  issued_by uuid references auth.users (id) on delete set null,
  issued_by_email text not null,
  created_at timestamptz not null default now()
);
create trigger guest_lists_audit after insert on public.guest_lists
  for each row execute function public.audit_change();

create table public.comps (
  order_id uuid primary key references public.orders (id),
  guest_list_id uuid not null references public.guest_lists (id),
  created_at timestamptz not null default now(),
  revoke_reason text check (length(btrim(revoke_reason)) between 1 and 500)
);
create index comps_of_list on public.comps (guest_list_id);
create index comps_newest on public.comps (created_at desc, order_id);

alter table public.guest_lists enable row level security;
alter table public.comps enable row level security;
revoke all on public.guest_lists, public.comps from anon, authenticated;
grant select on public.guest_lists, public.comps to authenticated;
create policy "Admins read the guest lists" on public.guest_lists
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the comps" on public.comps
  for select to authenticated using ((select public.is_admin()));

-- What is wrong with a list of guests [{name, email}], or null. The limits are those of contract/schemas.
create function public.guests_problem(p_guests jsonb) returns text
language sql immutable set search_path = '' as $$
  select case
    when jsonb_typeof(p_guests) is distinct from 'array' or jsonb_array_length(p_guests) not between 1 and 200
      then 'A list can have 1 to 200 guests.'
    else (select format('Guest %s: %s', n, case when not named then 'a name is required'
          when public.has_link(g ->> 'name') then 'a name cannot contain a web address'
          when g ->> 'name' like '%@%' then 'a name cannot contain @' else 'a valid email is required' end)
        from jsonb_array_elements(p_guests) with ordinality as l (g, n)
        cross join lateral (select coalesce(length(btrim(g ->> 'name')) between 1 and 200 and public.is_one_line(g ->> 'name'), false)) as c (named)
        where not named or public.has_link(g ->> 'name') or g ->> 'name' like '%@%' or not public.is_email(coalesce(public.plain_email(g ->> 'email'), ''))
        order by n limit 1)
  end;
$$;

-- Gives each guest a ticket of the type; if fewer are left than guests, nobody gets one. Repeated with the same key, it returns the
-- same answer; if the list has changed since it was issued with that key, it refuses with the hint issued_before.
-- answer: {issued, replayed}
create function public.issue_comps(p_key uuid, p_reason text, p_ticket_type_id uuid, p_guests jsonb) returns jsonb
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
declare
  asked constant text := md5(concat_ws(' ', p_reason, p_ticket_type_id, p_guests));
  cancelled constant boolean := public.is_cancelled();
  problem constant text := public.guests_problem(p_guests);
  known public.guest_lists;
  lines public.order_line[];
  people jsonb;
begin
  perform public.require_admin();
  if p_key is null or length(btrim(coalesce(p_reason, ''))) not between 1 and 500 then
    raise exception 'Enter a reason (up to 500 characters).' using errcode = '22023';
  elsif problem is not null then
    raise exception '%', problem using errcode = '22023';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('comps ' || p_key, 0)); -- a double tap
  select * into known from public.guest_lists where id = p_key;
  if known.id is not null then
    if known.request_hash <> asked then
      raise exception 'Comps were already issued, without your latest changes.' using errcode = 'PT409', hint = 'issued_before';
    end if;
    return jsonb_build_object('issued', known.guests, 'replayed', true);
  end if;

  if cancelled then perform public.refuse_if_cancelled(); end if;
  lines := public.direct_lines(jsonb_build_array(jsonb_build_object('type', 'ticket', 'id', p_ticket_type_id, 'quantity', 1)), true);
  select jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'name', public.plain_line(g ->> 'name'), 'email', public.plain_email(g ->> 'email')) order by n)
    into people from jsonb_array_elements(p_guests) with ordinality as l (g, n);
  insert into public.guest_lists (id, reason, ticket_type_id, guests, request_hash, issued_by, issued_by_email)
    values (p_key, btrim(p_reason), p_ticket_type_id, jsonb_array_length(people), asked, auth.uid(), coalesce(public.mail_of(auth.uid()), ''));
  perform public.write_direct_orders('comp', people, lines);
  -- A microsecond apart, so that lists, newest first, keep the pasted order.
  insert into public.comps (order_id, guest_list_id, created_at)
    select (p ->> 'id')::uuid, p_key, now() - n * interval '1 microsecond' from jsonb_array_elements(people) with ordinality as l (p, n);
  return jsonb_build_object('issued', jsonb_array_length(people), 'replayed', false);
end $$;

-- Takes a comp back: its code stops working, and the ticket is for sale again.
create function public.revoke_comp(p_order_id uuid, p_reason text) returns void
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
begin
  perform public.require_admin();
  if length(btrim(coalesce(p_reason, ''))) not between 1 and 500 then
    raise exception 'Enter a reason (up to 500 characters).' using errcode = '22023';
  end if;
  perform from public.orders where id = p_order_id and channel = 'comp' for no key update;
  if not found then raise exception 'This comp does not exist.' using errcode = 'PT404'; end if;
  update public.comps set revoke_reason = btrim(p_reason) where order_id = p_order_id and revoke_reason is null;
  if not found then raise exception 'This comp was already revoked.' using errcode = 'PT409'; end if;
  perform public.take_back(p_order_id, null, null);
  perform public.write_audit('UPDATE', 'orders', p_order_id::text, null, jsonb_build_object('revoked', true, 'reason', btrim(p_reason)));
end $$;

-- A page of comps, newest first, with how many there are of each state, and how many parking passes came with them.
create function public.list_comps(p_search text default null, p_state text default null, page_size integer default 25,
  p_after_at timestamptz default null, p_after_id uuid default null, page_offset integer default 0) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := public.search_pattern(p_search);
  name_pattern constant text := public.search_pattern(public.folded(p_search));
  size constant integer := least(greatest(page_size, 1), 500);
  listed jsonb;
  found bigint;
begin
  perform public.require_admin();
  -- Comps are few, so a count reads them all.
  with all_comps as (
    select c.order_id as id, c.created_at, o.buyer_full_name as name, o.buyer_email as email, t.name as type, l.reason,
      l.issued_by_email as issued_by, c.revoke_reason,
      exists (select from public.order_items i where i.order_id = c.order_id and i.included) as includes_parking,
      case when o.status = 'cancelled' then 'revoked' when o.status = 'completed' then 'in' else 'valid' end as state
    from public.comps c join public.guest_lists l on l.id = c.guest_list_id join public.orders o on o.id = c.order_id
      join public.products t on t.id = l.ticket_type_id
    where pattern is null or public.folded(o.buyer_full_name) like name_pattern or o.buyer_email ilike pattern or l.reason ilike pattern
  ), page as (
    select * from all_comps
    where (p_state is null or state = p_state)
      and (p_after_id is null or (created_at <= p_after_at and (created_at < p_after_at or id > p_after_id)))
    order by created_at desc, id limit size offset greatest(page_offset, 0)
  )
  select (select jsonb_agg(to_jsonb(page) order by created_at desc, id) from page),
    (select count(*) from (select from all_comps where p_state is null or state = p_state limit public.most_counted() + 1) as c)
    into listed, found;
  return public.list_answer(listed, found) || jsonb_build_object('by_state', (
    select jsonb_build_object('valid', count(*) filter (where o.status = 'confirmed'), 'in', count(*) filter (where o.status = 'completed'),
      'revoked', count(*) filter (where o.status = 'cancelled'))
    from public.comps c join public.orders o on o.id = c.order_id),
    'parking_given', (select count(*) from public.comps c join public.entry_codes e on e.order_id = c.order_id where not e.has_attendee and e.voided_at is null));
end $$;

revoke execute on function public.guests_problem(jsonb) from public, anon, authenticated;
revoke execute on function public.issue_comps(uuid, text, uuid, jsonb), public.revoke_comp(uuid, text),
  public.list_comps(text, text, integer, timestamptz, uuid, integer) from public, anon;
grant execute on function public.issue_comps(uuid, text, uuid, jsonb), public.revoke_comp(uuid, text),
  public.list_comps(text, text, integer, timestamptz, uuid, integer) to authenticated;
