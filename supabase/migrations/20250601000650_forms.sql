-- The two public forms: vendors who apply and companies that ask about sponsoring.

create table public.vendor_applications (
  id uuid primary key default gen_random_uuid(),
  booth_name text not null check (length(btrim(booth_name)) between 1 and 200 and public.is_one_line(booth_name)),
  contact_name text not null check (length(btrim(contact_name)) between 1 and 200 and public.is_one_line(contact_name)
    and not public.has_link(contact_name)),
  contact_email text not null check (public.is_email(contact_email)),
  contact_phone text not null check (public.is_phone(contact_phone) and length(btrim(contact_phone)) <= 50),
  vendor_type text not null check (vendor_type in ('food', 'retail', 'art', 'other')),
  description text not null check (length(description) <= 5000),
  products text not null check (length(products) <= 5000),
  description_of_goods text not null,
  -- Objects of the bucket vendor-pictures, in the vendor's order.
  pictures text[] not null default '{}' check (cardinality(pictures) <= 5),
  booth_size_requested text check (length(booth_size_requested) <= 200),
  special_requests text check (length(special_requests) <= 5000),
  status text not null default 'pending_review'
    check (status in ('pending_review', 'under_review', 'approved', 'rejected')),
  submission_date timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1 -- refuses the second of two editors
);
create index vendor_applications_pictures on public.vendor_applications using gin (pictures);
create index vendor_applications_newest on public.vendor_applications (submission_date desc, id);
create index vendor_applications_by_status on public.vendor_applications (status, submission_date desc, id);
create index vendor_applications_search on public.vendor_applications using gin (booth_name extensions.gin_trgm_ops,
  contact_name extensions.gin_trgm_ops, contact_email extensions.gin_trgm_ops);
create trigger vendor_applications_touch before update on public.vendor_applications
  for each row execute function public.touch_updated_at();
create trigger vendor_applications_audit after update of status on public.vendor_applications
  for each row when (old.status is distinct from new.status) execute function public.audit_change();

create function public.bump_version() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
create trigger vendor_applications_version before update on public.vendor_applications
  for each row execute function public.bump_version();

-- Pictures arrive before their application. Nobody may write to the bucket: visitors get a URL for each picture (the function
-- vendor-picture), which limits how many come from one network.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
  values ('vendor-pictures', 'vendor-pictures', false, 2097152, array['image/webp', 'image/jpeg']);
create policy "Admins see vendors' pictures" on storage.objects
  for select to authenticated using (bucket_id = 'vendor-pictures' and (select public.is_admin()));

create function public.require_pictures() returns trigger
language plpgsql set search_path = '' as $$
begin
  if exists (select from unnest(new.pictures) as named (path) where not exists (
    select from storage.objects o where o.bucket_id = 'vendor-pictures' and o.name = named.path)) then
    raise exception 'A picture has not arrived. Please remove it or add it again.' using errcode = '23514',
      constraint = 'vendor_applications_pictures_arrived';
  end if;
  return new;
end $$;
create trigger vendor_applications_pictures before insert or update of pictures on public.vendor_applications
  for each row when (new.pictures <> '{}') execute function public.require_pictures();

-- Pictures at least six hours old that no application names. Remove them through the storage API, which removes the bytes too.
create function public.abandoned_vendor_pictures(p_limit integer default 100) returns setof text
language sql stable set search_path = '' as $$
  select o.name from storage.objects o
  where o.bucket_id = 'vendor-pictures' and o.created_at < now() - interval '6 hours'
    and not exists (select from public.vendor_applications a where a.pictures @> array[o.name])
  order by o.created_at limit p_limit
$$;

create table public.sponsor_inquiries (
  id uuid primary key default gen_random_uuid(),
  company_name text not null check (length(btrim(company_name)) between 1 and 200 and public.is_one_line(company_name)),
  contact_name text not null check (length(btrim(contact_name)) between 1 and 200 and public.is_one_line(contact_name)
    and not public.has_link(contact_name)),
  email text not null check (public.is_email(email)),
  phone text not null check (public.is_phone(phone) and length(btrim(phone)) <= 50),
  sponsorship_level text check (sponsorship_level in ('silver', 'gold', 'platinum', 'custom')),
  message text check (length(message) <= 5000),
  created_at timestamptz not null default now()
);
create index sponsor_inquiries_newest on public.sponsor_inquiries (created_at desc, id);
create index sponsor_inquiries_search on public.sponsor_inquiries using gin (company_name extensions.gin_trgm_ops,
  contact_name extensions.gin_trgm_ops, email extensions.gin_trgm_ops);

-- Queues the thank-you mail in the transaction that stores the form, however it arrives. Anyone may enter a stranger's address, so an
-- address is thanked three times in 24 hours; further forms are stored without a mail. Arguments: the form, which has its letter in
-- _shared/mail/letters, and the column of the address.
create function public.thank_the_sender() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  address constant text := to_jsonb(new) ->> tg_argv[1];
begin
  if public.consume_rate_limit('thanks:' || md5(lower(address)), 3, 86400) then
    insert into public.outbox (kind, payload, dedupe_key)
      values ('thanks_mail', jsonb_build_object('form', tg_argv[0], 'email', address), 'thanks_mail:' || new.id);
  end if;
  return null;
end $$;
create trigger vendor_applications_thank after insert on public.vendor_applications
  for each row execute function public.thank_the_sender('vendor', 'contact_email');
create trigger sponsor_inquiries_thank after insert on public.sponsor_inquiries
  for each row execute function public.thank_the_sender('sponsor', 'email');

-- The decision that the vendor was mailed last, null if none.
create function public.mailed_decision(p_application_id uuid) returns text
language plpgsql stable set search_path = '' as $$
begin
  return (select payload ->> 'status' from public.outbox
    where kind = 'vendor_decision_mail' and payload ->> 'application_id' = p_application_id::text and done_at is not null
    order by done_at desc limit 1);
end $$;

-- Queues the mail about a decision, with time to take the decision back. A later decision replaces a mail that was not tried yet. No
-- second mail is queued while one about the same decision may still go out, or if the vendor was mailed that decision last. If another
-- decision's mail was tried meanwhile, the new one is due only after it: by then that mail was sent, or never will be.
create function public.notify_vendor() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  is_repeated constant boolean := new.status is not distinct from public.mailed_decision(new.id);
  tried record;
begin
  delete from public.outbox where kind = 'vendor_decision_mail' and payload ->> 'application_id' = new.id::text
    and attempts = 0 and done_at is null;
  select max(next_attempt_at) as due, bool_or(payload ->> 'status' = new.status) as is_same into tried from public.outbox
    where kind = 'vendor_decision_mail' and payload ->> 'application_id' = new.id::text and done_at is null and dead_at is null;
  if new.status in ('approved', 'rejected') and tried.is_same is not true and (tried.due is not null or not is_repeated) then
    insert into public.outbox (kind, payload, dedupe_key, next_attempt_at)
      values ('vendor_decision_mail', jsonb_build_object('application_id', new.id, 'status', new.status),
        format('vendor_decision_mail:%s:%s', new.id, new.version),
        greatest(now() + interval '15 seconds', case when is_repeated then tried.due end));
  end if;
  return null;
end $$;
create trigger vendor_applications_decided after update of status on public.vendor_applications
  for each row when (old.status is distinct from new.status) execute function public.notify_vendor();

-- Whether the decision of a mail that is about to go out was changed by now, or is what the vendor was mailed last. Such a mail is
-- removed, so that it never counts as sent. The application's lock keeps a decision from returning meanwhile.
create function public.withdraw_decision_mail(p_application_id uuid, p_status text) returns boolean
language plpgsql set search_path = '' as $$
declare
  is_in_force boolean;
begin
  select status = p_status into is_in_force from public.vendor_applications where id = p_application_id for share;
  if is_in_force and public.mailed_decision(p_application_id) is distinct from p_status then return false; end if;
  delete from public.outbox where kind = 'vendor_decision_mail' and payload ->> 'application_id' = p_application_id::text
    and payload ->> 'status' = p_status and done_at is null and dead_at is null;
  return true;
end $$;

alter table public.vendor_applications enable row level security;
alter table public.sponsor_inquiries enable row level security;
revoke all on public.vendor_applications, public.sponsor_inquiries from anon, authenticated;
grant select on public.vendor_applications, public.sponsor_inquiries to authenticated;
grant update (status) on public.vendor_applications to authenticated;

create policy "Admins read vendor applications" on public.vendor_applications
  for select to authenticated using ((select public.is_admin()));
create policy "Admins decide on vendor applications" on public.vendor_applications
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));
create policy "Admins read sponsor inquiries" on public.sponsor_inquiries
  for select to authenticated using ((select public.is_admin()));

alter publication supabase_realtime add table public.vendor_applications;

revoke execute on function public.require_pictures(), public.abandoned_vendor_pictures(integer), public.thank_the_sender(),
  public.mailed_decision(uuid), public.withdraw_decision_mail(uuid, text) from public, anon, authenticated;
