-- What the festival is: date, place, schedule, answers, texts of pages. Organisers edit it section by section as a draft and publish it;
-- everybody reads what is published. Pages, mails, calendars, entry codes and the gate follow these rows (docs/decisions/050), so
-- a moved date moves everywhere and another year's festival is an edit.

create table public.festival_sections (
  id text primary key check (public.festival_shapes() ? id),
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
  organiser text not null,
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
  problem text := public.shape_problem(new.content, public.festival_shapes() -> new.id,
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
  insert into public.festival as known (title, tagline, organiser, starts_at, ends_at, place, address, email, phone,
      transfer_days_before, code, status)
    values (f ->> 'title', f ->> 'tagline', f ->> 'organiser', (f ->> 'starts_at')::timestamp at time zone 'America/Chicago',
      (f ->> 'ends_at')::timestamp at time zone 'America/Chicago', f ->> 'place',
      format('%s, %s, %s %s', f ->> 'street', f ->> 'city', f ->> 'region', f ->> 'postal_code'),
      f ->> 'email', f ->> 'phone', (f ->> 'transfer_days_before')::integer, f ->> 'code', f ->> 'status')
    on conflict (only_row) do update set (title, tagline, organiser, starts_at, ends_at, place, address, email, phone,
        transfer_days_before, code, status) = (excluded.title, excluded.tagline, excluded.organiser, excluded.starts_at,
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

-- ── The specified texts ────────────────────────────────────────────────────────────────────────────────────────────

-- The site is built with these; a line each section, because the build reads them here (site/first-content.ts).
insert into public.festival_sections (id, content) values
  ('facts', $json${
  "title": "Houston Culture Festival",
  "tagline": "That's So Houston",
  "description": "A one-day celebration of Houston: BBQ, fashion, line dancing, slab cars and music, under one big Texas sky.",
  "organiser": "Bayou City Social",
  "starts_at": "2025-06-27T11:00",
  "ends_at": "2025-06-27T22:00",
  "place": "Festival Grounds",
  "street": "500 Buffalo Bend",
  "city": "Houston",
  "region": "TX",
  "postal_code": "77002",
  "email": "hello@bayoucitysocial.example",
  "phone": "(713) 555-0127",
  "transfer_days_before": 14,
  "code": "hcf-2025",
  "status": "planned"
}$json$),
  ('home', $json${
  "lead": "A one-day celebration of everything Houston: BBQ, fashion, dancing, classic cars and music.",
  "stats": [
    {"figure": "1", "label": "Day"},
    {"figure": "1", "label": "Location"},
    {"figure": "30+", "label": "Artists"},
    {"figure": "5K", "label": "Attendees"}
  ],
  "about": "Smoke in the air, bass in your chest, candy paint in the sun. One day, every side of town, and everything that could only happen here.",
  "activities": [
    {
      "picture": "bbq",
      "title": "BBQ Cook-Off",
      "description": "Pitmasters from every ward tend the smokers all day. You taste, you argue, you vote."
    },
    {
      "picture": "market",
      "title": "Vendor Marketplace",
      "description": "Houston makers, streetwear, vinyl and art, row after row under the awnings."
    },
    {
      "picture": "dancing",
      "title": "Line Dancing",
      "description": "Zydeco, trail ride and two-step. Lessons on the hour, no partner needed."
    },
    {
      "picture": "slabs",
      "title": "Slab Car Show",
      "description": "Candy paint, swangas and popped trunks, rolling slow, loud and banging."
    },
    {
      "picture": "bull",
      "title": "Mechanical Bull Competition",
      "description": "Eight seconds is a long time. The best ride of the day goes home with the buckle."
    }
  ],
  "days": ["Saturday", "Sunday"],
  "join_title": "Join Us This Summer",
  "join_lead": "Come for the brisket, stay for the bass. Bring boots."
}$json$),
  ('schedule', $json${
  "summary": "From the Opening Ceremony at 11:00 AM to the headliner: the whole day of the {festival}, {date}.",
  "lead": "{date}, {hours}. Six reasons to come early and stay late.",
  "entries": [
    {"time": "11:00 AM", "title": "Opening Ceremony", "location": "Main Stage", "duration": 45, "type": "activity"},
    {
      "time": "12:00 PM",
      "title": "DJ Screw Tribute",
      "performer": "Chopped & Screwed All-Stars",
      "location": "Purple Room",
      "duration": 90,
      "type": "music"
    },
    {"time": "1:30 PM", "title": "Slab Parade", "location": "Festival Grounds", "duration": 60, "type": "activity"},
    {"time": "3:00 PM", "title": "Food Showcase", "location": "Food Court", "duration": 90, "type": "food"},
    {
      "time": "4:30 PM",
      "title": "Houston Legends Panel",
      "location": "Main Stage",
      "duration": 90,
      "type": "activity"
    },
    {
      "time": "6:30 PM",
      "title": "Headliner Performance",
      "performer": "TBA",
      "location": "Main Stage",
      "duration": 120,
      "type": "music"
    }
  ],
  "notes": [
    "Set times are in Central Time and may shift a little. Check the boards at each stage for the latest.",
    "Gates open at {opens}. The last entry is at 9:00 PM.",
    "The Purple Room fills up fast and opens its doors 15 minutes before each set.",
    "Rain or shine. In heavy weather, the program pauses and picks up where it left off."
  ]
}$json$),
  ('faq', $json${
  "lead": "Hold on tight. Here is what guests ask before they come.",
  "groups": [
    {
      "title": "General Information",
      "questions": [
        {
          "question": "When and where is the festival?",
          "answer": "The {festival} takes place on {date}, {hours}, on the {place} in {city}, Texas."
        },
        {
          "question": "Can I bring my children?",
          "answer": "Yes, it is a day for the whole family. Children under 10 are free with a ticketed adult."
        },
        {
          "question": "What happens if it rains?",
          "answer": "The festival takes place rain or shine. Bring a poncho, since umbrellas aren't allowed."
        }
      ]
    },
    {
      "title": "Tickets",
      "questions": [
        {
          "question": "Are tickets refundable?",
          "answer": "Tickets are non-refundable, but they are transferable up to {transfer_days} days before the festival."
        },
        {
          "question": "How do I get my tickets?",
          "answer": "After you pay, we'll email your QR codes. They're also in your account under My Tickets. Show one code per person at the gate."
        },
        {
          "question": "What does a VIP ticket include?",
          "answer": "The VIP deck, fast lane entry, and one general parking pass for each order."
        }
      ]
    },
    {
      "title": "Festival Experience",
      "questions": [
        {
          "question": "When can I eat?",
          "answer": "The Food Court is open from 11am to 10pm, with barbecue, tacos, crawfish, kolaches and plenty of meat-free dishes."
        },
        {"question": "Is alcohol served?", "answer": "Yes, only to guests aged 21 and over with valid ID."},
        {
          "question": "What can I bring?",
          "answer": "A small bag, an empty water bottle, sunscreen and your boots. Large backpacks are not permitted."
        }
      ]
    },
    {
      "title": "Parking & Transportation",
      "questions": [
        {
          "question": "Is there parking?",
          "answer": "Yes. Add a general parking pass to your order, one per order. Parking is included with VIP tickets."
        },
        {
          "question": "Can I come by bus or train?",
          "answer": "Please do! The grounds are a short walk from METRORail, and several bus lines run late."
        },
        {
          "question": "Where's the rideshare drop-off?",
          "answer": "In the lane beside the Main Entrance. Follow the signs from the street."
        }
      ]
    }
  ]
}$json$),
  ('map', $json${
  "summary": "Find the Main Stage, Food Court, Purple Room, Vendor Area and Main Entrance of the {festival}.",
  "hours": [{"day": "Saturday", "hours": "12pm-11pm"}, {"day": "Sunday", "hours": "11am-10pm"}],
  "areas": [
    {
      "place": "main-stage",
      "name": "Main Stage",
      "description": "The big one: the opening ceremony, the Houston Legends Panel and the headliner, with the skyline behind.",
      "tip": "Arrive 30 minutes early for headliners."
    },
    {
      "place": "food-court",
      "name": "Food Court",
      "description": "Smokers, taco trucks, crawfish and kolaches, with shade and long tables in the middle.",
      "tip": "Vendors rotate, check the schedule."
    },
    {
      "place": "purple-room",
      "name": "Purple Room",
      "description": "Slowed down and turned up: DJs, chopped and screwed sets, and the coldest air on the grounds."
    },
    {
      "place": "vendor-area",
      "name": "Vendor Area",
      "description": "The marketplace: local makers, fashion, records and art, plus charging stations for your phone."
    },
    {
      "place": "main-entrance",
      "name": "Main Entrance",
      "description": "Gates open at {opens}. Have your QR code ready. First aid is right inside."
    }
  ],
  "amenities": [
    {"sign": "restrooms", "text": "Restrooms"},
    {"sign": "first-aid", "text": "First aid station near the entrance"},
    {"sign": "water", "text": "Water refill stations"},
    {"sign": "charging", "text": "Charging stations near the vendor area"}
  ]
}$json$),
  ('tickets', $json${
  "lead": "{date}, {hours}. One ticket, the whole day: over 20 acts, the cook-off, the slabs and the marketplace.",
  "included": [
    {"icon": "music", "title": "Over 20 acts", "text": "Live music and DJs on the Main Stage and in the Purple Room."},
    {
      "icon": "food",
      "title": "BBQ Cook-Off",
      "text": "Entry to the cook-off and the Food Court. Plates are sold by the pitmasters."
    },
    {"icon": "cars", "title": "Slab Car Show", "text": "Candy paint, swangas and the Slab Parade up close."},
    {"icon": "market", "title": "Vendor Marketplace", "text": "Houston makers, fashion, records and art."},
    {
      "icon": "dance",
      "title": "Dance floor and bull",
      "text": "Line dancing lessons and the mechanical bull competition."
    }
  ],
  "questions": [
    {
      "question": "Do children need a ticket?",
      "answer": "Children under 10 are free with a ticketed adult. Ages 10 to 17 need a Youth ticket."
    },
    {
      "question": "Can I get a refund or transfer my ticket?",
      "answer": "Tickets are non-refundable but transferable up to {transfer_days} days before the festival."
    },
    {"question": "What if it rains?", "answer": "The festival goes on rain or shine."}
  ],
  "at_a_glance": ["{place}, {city}", "Children under 10 are free with a ticketed adult", "Rain or shine"]
}$json$),
  ('about', $json${
  "lead": "{festival} is {organizer}'s love letter to the city: its food, its dances, its cars, its sound. {tagline}.",
  "mission": "To put every side of Houston on one set of grounds, and let it dance with itself.",
  "mission_more": "Trail riders and slab riders, pitmasters and producers, church aunties and club kids: this city is the most mixed in the country and the proudest about it. We celebrate the culture that was made here, pay the people who make it, and hand it to whoever comes next.",
  "organizers": [
    "{organizer} is a local events company and social-wellness organization. We have produced over 50 events across the city, from block parties to sold-out halls, because people who gather feel better.",
    "This is the big one: a two-day weekend, Saturday and Sunday, with over 10,000 expected attendees across two days, dozens of local vendors and the best seat in town for the skyline."
  ],
  "team": [
    {
      "name": "Marisol Reyes",
      "role": "Founder and Festival Director",
      "words": "Grew up in the East End between a panadería and a sound system. Books the stages and tastes the brisket.",
      "portrait": "hoops"
    },
    {
      "name": "Andre Baptiste",
      "role": "Producer and Community Lead",
      "words": "Southside, third generation. Knows every slab line by its horn and every block captain by name.",
      "portrait": "hat"
    }
  ],
  "impact": [
    {"figure": "50+", "words": "events produced in neighborhoods all over Houston"},
    {"figure": "100%", "words": "of our food and market stalls run by people who live here"},
    {"figure": "Free", "words": "entry for children under 10 with a ticketed adult"}
  ],
  "impact_more": "Stages are staffed with trainees from local schools, leftovers go to the neighborhood fridges the same night, and a part of every ticket pays for dance and music lessons."
}$json$),
  ('vendors', $json${
  "lead": "Two days, Saturday and Sunday, and the whole city walking past your table. Food, fashion, records, art: bring what you make.",
  "benefits": [
    {
      "title": "A Crowd That Buys",
      "text": "Over 10,000 expected attendees across two days, hungry, curious and proud to spend it in town."
    },
    {
      "title": "A Real Booth",
      "text": "A 10 by 10 booth space with canopy, power and a wash station nearby. You bring the goods."
    },
    {
      "title": "Your Name Out Loud",
      "text": "Every vendor is on the map, in the program and on our channels before the weekend."
    },
    {"title": "Keep What You Make", "text": "A flat fee and no share of your sales. What you earn is yours."}
  ]
}$json$),
  ('sponsors', $json${
  "lead": "A two-day weekend of food, music, dance and candy paint. Stand with the culture while it is being made.",
  "benefits": [
    {
      "title": "Be Where Houston Is",
      "text": "Over 10,000 expected attendees across two days, from every zip code in the county."
    },
    {
      "title": "Be Part of It",
      "text": "No banners on a fence. Put your name on a stage, a cook-off, the slab line or the water stations."
    },
    {
      "title": "Do Some Good",
      "text": "Sponsorship pays for lessons, stage trainees and free tickets for neighborhood schools."
    }
  ],
  "levels": [
    {
      "level": "silver",
      "price": "$2,500",
      "perks": ["Logo on the website and the map", "10 festival tickets", "A thank-you from the stage"]
    },
    {
      "level": "gold",
      "price": "$5,000",
      "perks": ["Everything in Silver", "A 10 by 20 booth", "20 festival tickets", "Your name on the cook-off or the bull"]
    },
    {
      "level": "platinum",
      "price": "$10,000",
      "perks": [
        "Everything in Gold",
        "Your name on a stage",
        "40 tickets and 10 VIP",
        "A place in every campaign",
        "First choice next year"
      ]
    },
    {
      "level": "custom",
      "price": "Let's talk",
      "perks": ["Something no one has done yet", "Built around what you care about"]
    }
  ],
  "sponsors": []
}$json$),
  ('sharing', $json${}$json$);
