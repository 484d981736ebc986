-- What the festival is: date, place, schedule, answers, texts of pages. Organizers edit it section by section as a draft and publish it;
-- everybody reads what is published. Pages, mails, calendars, entry codes and the gate follow these rows (docs/decisions/050), so
-- a moved date moves everywhere and another year's festival is an edit.

create table public.festival_sections (
  id text primary key check (public.festival_shapes() -> id is not null),
  content jsonb not null, -- published; bounded by check_festival_section
  -- Not yet published and perhaps incomplete: its bounds are checked when it is published.
  draft jsonb check (jsonb_typeof(draft) = 'object' and length(draft::text) <= 200000),
  version integer not null default 1, -- detects the second of two editors
  updated_at timestamptz not null default now(),
  updated_by uuid,
  published_at timestamptz not null default now(),
  published_by uuid
);

-- The facts as SQL, mails and the gate read them: one row, written by publishing the section 'facts' and by nothing else.
create table public.festival (
  only_row boolean primary key default true check (only_row),
  title text not null,
  tagline text not null,
  organizer text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- Statistics count days in this zone (festival_day), so it cannot be edited.
  time_zone text not null default 'America/Chicago' check (time_zone = 'America/Chicago'),
  place text not null,
  address text not null,
  email text not null,
  phone text not null,
  transfer_days_before integer not null check (transfer_days_before between 0 and 365),
  code text not null, -- part of what an entry code signs
  status text not null check (status in ('planned', 'moved', 'cancelled')),
  constraint festival_ends_after_start check (ends_at > starts_at)
);

-- A cancelled festival sells and gives away nothing: every path to a ticket calls this before it locks any row. The change itself
-- takes the same lock, so that a sale either ends before the change and is refunded with the others, or sees it.
create function public.is_cancelled() returns boolean
language plpgsql set search_path = '' as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('festival change', 0));
  return exists (select from public.festival where status = 'cancelled');
end $$;

create function public.refuse_if_cancelled() returns void
language plpgsql set search_path = '' as $$
begin
  if public.is_cancelled() then
    raise exception 'The festival is canceled. No tickets are sold, given away or transferred.' using errcode = '23514';
  end if;
end $$;
revoke execute on function public.is_cancelled(), public.refuse_if_cancelled() from public, anon, authenticated;

-- Valid entry codes are signed for the festival's code: under another one, the gate would refuse them all.
create function public.festival_code_is_fixed() returns boolean
language plpgsql set search_path = '' as $$
begin
  return exists (select from public.entry_codes where voided_at is null);
end $$;

create function public.check_festival_section() returns trigger
language plpgsql set search_path = '' as $$
declare
  problem text := public.shape_problem(new.content, (public.festival_shapes() -> new.id)::jsonb,
    case when new.id = 'facts' then '{}' else public.fact_names() end);
begin
  if problem is null and new.id = 'facts' then problem := public.festival_days_problem(new.content); end if;
  -- The lock waits for sales under way, and they for it (is_cancelled).
  if problem is null and new.id = 'facts' and tg_op = 'UPDATE' and old.content ->> 'code' <> new.content ->> 'code' then
    perform pg_advisory_xact_lock(hashtextextended('festival change', 0));
    if public.festival_code_is_fixed() then
      problem := 'code: Tickets were sold under "' || (old.content ->> 'code') || '", and the gate would refuse them with another code.';
    end if;
  end if;
  if problem is null and exists (select from jsonb_path_query(new.content, '$.**.file') named (file)
      where not exists (select from storage.objects o where o.bucket_id = 'festival-pictures' and o.name = named.file #>> '{}')) then
    problem := 'A picture is missing. Please choose it again.';
  end if;
  if problem is not null then raise exception '%', problem using errcode = '23514'; end if;
  return new;
end $$;

-- What is wrong with the days of facts whose fields are each valid, or null.
create function public.festival_days_problem(p_facts jsonb) returns text
language plpgsql immutable set search_path = '' as $$
declare
  lasts interval;
begin
  lasts := (p_facts ->> 'ends_at')::timestamp - (p_facts ->> 'starts_at')::timestamp;
  return case when lasts <= interval '0' then 'ends_at: The festival must end after it starts.'
    when lasts > interval '14 days' then 'ends_at: The festival lasts at most 14 days.' end;
exception when datetime_field_overflow then
  return 'starts_at: This date does not exist.';
end $$;

create function public.keep_facts() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  f constant jsonb := new.content;
begin
  insert into public.festival as known (title, tagline, organizer, starts_at, ends_at, place, address, email, phone,
      transfer_days_before, code, status)
    values (f ->> 'title', f ->> 'tagline', f ->> 'organizer', (f ->> 'starts_at')::timestamp at time zone 'America/Chicago',
      (f ->> 'ends_at')::timestamp at time zone 'America/Chicago', f ->> 'place',
      format('%s, %s, %s %s', f ->> 'street', f ->> 'city', f ->> 'region', f ->> 'postal_code'),
      f ->> 'email', f ->> 'phone', (f ->> 'transfer_days_before')::integer, f ->> 'code', f ->> 'status')
    on conflict (only_row) do update set (title, tagline, organizer, starts_at, ends_at, place, address, email, phone,
        transfer_days_before, code, status) = (excluded.title, excluded.tagline, excluded.organizer, excluded.starts_at,
        excluded.ends_at, excluded.place, excluded.address, excluded.email, excluded.phone, excluded.transfer_days_before,
        excluded.code, excluded.status);
  return null;
end $$;

-- Every process that serves pages listens for this.
create function public.notify_publication() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform public.write_audit('UPDATE', 'festival_sections', new.id, old.content, new.content);
  perform pg_notify('festival_published', new.id);
  return null;
end $$;

create trigger festival_sections_check before insert or update of content on public.festival_sections
  for each row execute function public.check_festival_section();
create trigger festival_sections_facts_added after insert on public.festival_sections
  for each row when (new.id = 'facts') execute function public.keep_facts();
create trigger festival_sections_facts after update of content on public.festival_sections
  for each row when (new.id = 'facts') execute function public.keep_facts();
create trigger festival_sections_published after update of content on public.festival_sections
  for each row when (old.content is distinct from new.content) execute function public.notify_publication();

alter table public.festival_sections enable row level security;
alter table public.festival enable row level security;
revoke all on public.festival_sections, public.festival from anon, authenticated;
grant select (id, content, published_at) on public.festival_sections to anon, authenticated;
grant select on public.festival to anon, authenticated;
create policy "Everybody reads what is published" on public.festival_sections for select to anon, authenticated using (true);
create policy "Everybody reads the facts" on public.festival for select to anon, authenticated using (true);

-- ── Reading ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- The content of the pages: {"facts": {…}, "faq": {…}, …}, and when the facts were last published: a calendar that has the date
-- moves it only for a later time. Runs as the owner, because nobody else may read who published.
create function public.get_festival() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_object_agg(id, content) || jsonb_build_object('published_at', max(published_at) filter (where id = 'facts' and published_by is not null))
    from public.festival_sections;
$$;

create function public.festival_facts() returns jsonb
language sql stable set search_path = '' as $$ select content from public.festival_sections where id = 'facts' $$;
revoke execute on function public.festival_facts() from public, anon, authenticated;

-- The deadline for passing a ticket on: this many days before the festival, at the hour it starts.
create function public.transfers_close_at() returns timestamptz
language sql stable set search_path = '' as $$
  select ((starts_at at time zone time_zone) - make_interval(days => transfer_days_before)) at time zone time_zone
    from public.festival;
$$;

create function public.festival_section_json(p_section public.festival_sections) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('id', p_section.id, 'content', p_section.content, 'draft', p_section.draft,
    'version', p_section.version, 'updated_at', p_section.updated_at, 'published_at', p_section.published_at,
    'updated_by', (select email from auth.users where id = p_section.updated_by),
    'published_by', (select email from auth.users where id = p_section.published_by));
$$;

create function public.get_festival_drafts() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform public.require_admin();
  return (select jsonb_agg(public.festival_section_json(s)) from public.festival_sections s);
end $$;

-- ── Pictures ───────────────────────────────────────────────────────────────────────────────────────────────────────

-- Pictures that sections name as "file". Everybody sees them, under names that are never used twice; administrators add them.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
  values ('festival-pictures', 'festival-pictures', true, 1048576, array['image/jpeg', 'image/png', 'image/webp']);
create policy "Admins see the festival's pictures" on storage.objects
  for select to authenticated using (bucket_id = 'festival-pictures' and (select public.is_admin()));
create policy "Admins add pictures of the festival" on storage.objects
  for insert to authenticated with check (bucket_id = 'festival-pictures' and (select public.is_admin()));

-- Pictures at least six hours old that nothing published and no draft names. Remove them through the storage API, which removes the
-- bytes too.
create function public.abandoned_festival_pictures(p_limit integer default 100) returns setof text
language sql stable set search_path = '' as $$
  with named as (
    select file #>> '{}' as name from public.festival_sections s, unnest(array[s.content, s.draft]) as texts,
      jsonb_path_query(texts, '$.**.file') file)
  select o.name from storage.objects o
  where o.bucket_id = 'festival-pictures' and o.created_at < now() - interval '6 hours'
    and o.name not in (select name from named where name is not null)
  order by o.created_at limit p_limit
$$;
revoke execute on function public.abandoned_festival_pictures(integer) from public, anon, authenticated;

-- ── Writing ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- The section, locked, if nobody has changed it since the caller read this version of it.
create function public.festival_section_at(p_section text, p_version integer) returns public.festival_sections
language plpgsql volatile set search_path = '' as $$
declare
  section public.festival_sections;
begin
  select * into section from public.festival_sections where id = p_section for update;
  if not found then raise exception 'This section does not exist.' using errcode = 'PT404'; end if;
  if section.version <> p_version then
    raise exception 'Someone else changed this section after you opened it.' using errcode = 'PT409',
      detail = public.festival_section_json(section)::text,
      hint = 'Nothing was lost: both versions are saved. Compare them and save again.';
  end if;
  return section;
end $$;

-- Saves a draft, or discards it if null. Returns the section as it is now.
create function public.save_festival_draft(p_section text, p_version integer, p_draft jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  section public.festival_sections;
begin
  perform public.require_admin();
  section := public.festival_section_at(p_section, p_version);
  update public.festival_sections set draft = nullif(p_draft, 'null'), version = version + 1, updated_at = now(),
    updated_by = auth.uid() where id = p_section returning * into section;
  return public.festival_section_json(section);
end $$;

-- Publishes this content for everybody and clears the draft.
create function public.publish_festival_section(p_section text, p_version integer, p_content jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  section public.festival_sections;
begin
  perform public.require_admin();
  -- The facts may cancel the festival: as in announce_festival_change, that lock comes before the section's.
  if p_section = 'facts' then perform pg_advisory_xact_lock(hashtextextended('festival change', 0)); end if;
  section := public.festival_section_at(p_section, p_version);
  update public.festival_sections set content = p_content, draft = null, version = version + 1, updated_at = now(),
    updated_by = auth.uid(), published_at = now(), published_by = auth.uid() where id = p_section returning * into section;
  return public.festival_section_json(section);
end $$;

revoke execute on function public.festival_days_problem(jsonb), public.festival_code_is_fixed(), public.get_festival(),
  public.transfers_close_at(), public.festival_section_json(public.festival_sections), public.get_festival_drafts(),
  public.festival_section_at(text, integer), public.save_festival_draft(text, integer, jsonb),
  public.publish_festival_section(text, integer, jsonb) from public, anon, authenticated;
grant execute on function public.get_festival(), public.transfers_close_at() to anon, authenticated;
grant execute on function public.get_festival_drafts(), public.save_festival_draft(text, integer, jsonb),
  public.publish_festival_section(text, integer, jsonb) to authenticated;
