-- What the organizers do with an order besides returning its money: cancel it, mail its tickets again, add notes and tags, and
-- correct the buyer. Each is kept with its author and time.

create table public.order_notes (
  id uuid primary key default gen_random_uuid(),
  order_id uuid not null references public.orders (id) on delete cascade,
  body text not null check (length(btrim(body)) between 1 and 2000),
  author_id uuid references auth.users (id) on delete set null,
  author_email text not null,
  created_at timestamptz not null default now()
);
create index order_notes_of_order on public.order_notes (order_id, created_at);
create trigger order_notes_audit after insert on public.order_notes
  for each row execute function public.audit_change();

-- Short labels, in lower case: they group orders in the list.
create table public.order_tags (
  order_id uuid not null references public.orders (id) on delete cascade,
  tag text not null check (length(tag) between 1 and 30 and tag = lower(btrim(tag))),
  created_at timestamptz not null default now(),
  primary key (order_id, tag)
);
create index order_tags_by_tag on public.order_tags (tag, order_id);

alter table public.order_notes enable row level security;
alter table public.order_tags enable row level security;
revoke all on public.order_notes, public.order_tags from anon, authenticated;
grant select on public.order_notes, public.order_tags to authenticated;
create policy "Admins and finance read the notes" on public.order_notes
  for select to authenticated using ((select public.has_role('admin', 'finance')));
create policy "Admins and finance read the tags" on public.order_tags
  for select to authenticated using ((select public.has_role('admin', 'finance')));

create function public.add_order_note(p_order_id uuid, p_body text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_finance();
  if length(btrim(coalesce(p_body, ''))) not between 1 and 2000 then
    raise exception 'A note must have 1 to 2,000 characters.' using errcode = '22023';
  elsif not exists (select from public.orders where id = p_order_id) then
    raise exception 'The order does not exist.' using errcode = 'PT404';
  end if;
  insert into public.order_notes (order_id, body, author_id, author_email)
    values (p_order_id, btrim(p_body), auth.uid(), coalesce(public.mail_of(auth.uid()), ''));
end $$;

-- Puts a tag on an order, or takes it off. Repeating a call changes nothing.
create function public.tag_order(p_order_id uuid, p_tag text, p_on boolean default true) returns void
language plpgsql security definer set search_path = '' as $$
declare
  most constant integer := 10;
  named constant text := lower(btrim(regexp_replace(coalesce(p_tag, ''), '\s+', ' ', 'g')));
begin
  perform public.require_finance();
  if length(named) not between 1 and 30 then
    raise exception 'A tag must have 1 to 30 characters.' using errcode = '22023';
  end if;
  perform from public.orders where id = p_order_id for no key update;
  if not found then raise exception 'The order does not exist.' using errcode = 'PT404'; end if;
  if p_on then
    insert into public.order_tags (order_id, tag) values (p_order_id, named) on conflict do nothing;
    if found and (select count(*) from public.order_tags where order_id = p_order_id) > most then
      raise exception 'Limit: % tags per order.', most using errcode = '23514';
    end if;
  else
    delete from public.order_tags where order_id = p_order_id and tag = named;
  end if;
  if found then
    perform public.write_audit('UPDATE', 'orders', p_order_id::text, case when p_on then null else jsonb_build_object('tag', named) end,
      case when p_on then jsonb_build_object('tag', named) end);
  end if;
end $$;

-- Every tag in use and its number of orders: the choices of the list's filter.
create function public.list_order_tags() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_finance();
  return (select coalesce(jsonb_agg(jsonb_build_object('tag', tag, 'orders', orders) order by orders desc, tag), '[]')
    from (select tag, count(*) as orders from public.order_tags group by 1 order by 2 desc, 1 limit 200) as t);
end $$;

-- Refuses a correction of a name and an address that somebody else has corrected since its editor looked.
create function public.require_unchanged(p_was jsonb, p_name text, p_email text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if p_was is not null and (p_was ->> 'name', p_was ->> 'email') is distinct from (p_name, p_email) then
    raise exception 'Someone else changed this meanwhile: it is now % (%). Close this and open it again to change that.', p_name, p_email
      using errcode = 'PT409';
  end if;
end $$;
revoke execute on function public.require_unchanged(jsonb, text, text) from public, anon, authenticated;

-- Corrects an order's buyer. The audit log keeps both versions; p_send sends the tickets to the new address. An order paid online
-- stays with its account. p_was: {name, email} as the editor saw them.
create function public.change_buyer(p_order_id uuid, p_name text, p_email text, p_send boolean default false, p_was jsonb default null)
  returns void
language plpgsql security definer set search_path = '' as $$
declare
  o public.orders;
  name constant text := public.plain_line(coalesce(p_name, ''));
  email constant text := public.plain_email(coalesce(p_email, ''));
begin
  perform public.require_admin();
  if length(name) not between 1 and 200 or not public.is_one_line(name) then
    raise exception 'Name is required' using errcode = '22023';
  elsif public.has_link(name) then
    raise exception 'A name cannot contain a web address' using errcode = '22023';
  elsif not public.is_email(email) then
    raise exception 'Valid email is required' using errcode = '22023';
  end if;
  select * into o from public.orders where id = p_order_id for no key update;
  if not found then raise exception 'The order does not exist.' using errcode = 'PT404'; end if;
  if (o.buyer_full_name, o.buyer_email) is distinct from (name, email) then
    perform public.require_unchanged(p_was, o.buyer_full_name, o.buyer_email);
    update public.orders set buyer_full_name = name, buyer_email = email where id = o.id;
    perform public.write_audit('UPDATE', 'orders', o.id::text,
      jsonb_build_object('buyer_full_name', o.buyer_full_name, 'buyer_email', o.buyer_email),
      jsonb_build_object('buyer_full_name', name, 'buyer_email', email));
  end if;
  if p_send then perform public.resend_order_mail(o.id); end if;
end $$;

create function public.cancel_order(p_order_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_admin();
  if public.cancel_pending_orders(array[p_order_id], 'cancelled_by_admin') = 0 then
    raise exception 'Only pending orders can be canceled. Refund paid orders instead.' using errcode = '23514';
  end if;
  perform public.write_audit('UPDATE', 'orders', p_order_id::text, '{"status": "pending"}',
    '{"status": "cancelled", "cancel_reason": "cancelled_by_admin"}');
end $$;

create function public.resend_order_mail(p_order_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform public.require_finance();
  if not exists (select from public.orders where id = p_order_id and status in ('confirmed', 'completed')) then
    raise exception 'Only a paid order has tickets to send.' using errcode = '23514';
  end if;
  perform public.queue_order_mail(p_order_id);
  perform public.write_audit('UPDATE', 'orders', p_order_id::text, null, '{"mail": "resent"}');
end $$;

-- An administrator has dealt with a paid order that could not be fulfilled: the dashboard stops asking for one. p_handled false
-- takes that back. Of any other order, and repeated, it changes nothing. p_owed_cents: what the administrator was told is still owed.
create function public.acknowledge_order(p_order_id uuid, p_handled boolean default true, p_owed_cents integer default 0) returns void
language plpgsql security definer set search_path = '' as $$
declare
  owed integer;
begin
  perform public.require_admin();
  perform from public.orders
    where id = p_order_id and cancel_reason = 'unfulfillable' and (acknowledged_at is null) = p_handled for no key update;
  if not found then return; end if;
  owed := public.owed_cents(p_order_id);
  if p_handled and owed <> p_owed_cents then
    raise exception 'The buyer is still owed $%. Check the order again.', (owed / 100.0)::numeric(10, 2) using errcode = 'PT409';
  end if;
  update public.orders set acknowledged_at = case when p_handled then now() end where id = p_order_id;
  perform public.write_audit('UPDATE', 'orders', p_order_id::text, null, jsonb_build_object('acknowledged', p_handled)
    || case when p_handled and owed > 0 then jsonb_build_object('owed', (owed / 100.0)::numeric(10, 2)) else '{}' end);
end $$;

revoke execute on function public.add_order_note(uuid, text), public.tag_order(uuid, text, boolean), public.list_order_tags(),
  public.change_buyer(uuid, text, text, boolean, jsonb), public.cancel_order(uuid), public.resend_order_mail(uuid),
  public.acknowledge_order(uuid, boolean, integer) from public, anon;
grant execute on function public.add_order_note(uuid, text), public.tag_order(uuid, text, boolean), public.list_order_tags(),
  public.change_buyer(uuid, text, text, boolean, jsonb), public.cancel_order(uuid), public.resend_order_mail(uuid),
  public.acknowledge_order(uuid, boolean, integer) to authenticated;
