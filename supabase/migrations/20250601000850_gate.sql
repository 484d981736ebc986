-- The gate: who lets people in, where, and the outcome of each scan. A device decides alone while it is offline, so the server
-- records what happened and never changes who was let in: one code has one admission, and a second one is a conflict with both
-- places and times (docs/decisions/040). Everything goes through the functions of the next migrations;
-- devices read no table.

create table public.gate_entrances (
  id uuid primary key default gen_random_uuid(),
  name text not null check (length(btrim(name)) between 1 and 60),
  admits text not null check (admits in ('tickets', 'parking', 'both')),
  -- Null: every ticket type; for an express lane, every VIP type. Parking is not limited by them.
  ticket_type_ids uuid[],
  is_express boolean not null default false,
  is_open boolean not null default true,
  created_at timestamptz not null default now()
);
create unique index gate_entrances_one_name on public.gate_entrances (lower(btrim(name)));
insert into public.gate_entrances (id, name, admits, is_express) values
  ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3001', 'Main Entrance', 'tickets', false),
  ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3002', 'VIP Express', 'tickets', true),
  ('0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3003', 'Parking', 'parking', false);

create table public.gate_settings (
  only_row boolean primary key default true check (only_row),
  doors_open_at timestamptz, -- null: open
  doors_close_at timestamptz,
  reentry boolean not null default false,
  -- Set when the date moves after the doors opened: admissions from before it do not count (move_gate).
  counts_from timestamptz,
  constraint gate_settings_doors check (doors_close_at > doors_open_at)
);
insert into public.gate_settings default values;

-- Whoever opens the doors earlier lets people in earlier: nobody is let in at a time that does not count.
create function public.count_from_doors() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.counts_from := least(new.counts_from, coalesce(new.doors_open_at, now()));
  return new;
end $$;
create trigger gate_settings_count before update of doors_open_at on public.gate_settings
  for each row when (new.counts_from is not null) execute function public.count_from_doors();
revoke execute on function public.count_from_doors() from public, anon, authenticated;

create table public.gate_invitations (
  id uuid primary key default gen_random_uuid(),
  token_hash bytea not null unique,
  label text not null check (length(btrim(label)) between 1 and 60),
  -- If set, its devices work there and nowhere else.
  entrance_id uuid references public.gate_entrances (id) on delete set null,
  phones integer not null default 1 check (phones between 1 and 200),
  created_by uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by uuid
);
alter table public.user_roles add foreign key (invitation_id) references public.gate_invitations (id);
create index user_roles_of_invitation on public.user_roles (invitation_id) where invitation_id is not null;

-- The devices that opened an invitation. A place stays taken when its device's account is gone.
create table public.gate_places (
  invitation_id uuid not null references public.gate_invitations (id),
  phone text not null, -- the address of the account it gets, always the same: redeem-gate-invitation
  primary key (invitation_id, phone)
);

create table public.gate_devices (
  id uuid primary key, -- created on the device
  name text not null check (length(name) between 1 and 64), -- at most 60 typed, and the number that tells it apart
  user_id uuid references auth.users (id) on delete set null,
  session_id uuid,
  invitation_id uuid references public.gate_invitations (id),
  phone text, -- of an invitation's place, which outlives the account
  entrance_id uuid references public.gate_entrances (id) on delete set null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- Scans it had not handed in at its last contact, and how far its clock was behind ours.
  pending integer not null default 0 check (pending >= 0),
  clock_offset_ms bigint,
  left_at timestamptz,
  revoked_at timestamptz,
  revoked_by uuid
) with (fillfactor = 50);
create unique index gate_devices_one_name on public.gate_devices (lower(name)) where revoked_at is null and left_at is null;
create index gate_devices_of_user on public.gate_devices (user_id);
create index gate_devices_revoked on public.gate_devices (session_id) where revoked_at is not null;
create index gate_devices_of_phone on public.gate_devices (phone) where phone is not null;

-- Why a scan lets nobody in or out. The list is contract/gate's gateRefusals.
create function public.is_gate_refusal(p_reason text) returns boolean language sql immutable
return p_reason in ('already_in', 'void', 'old_code', 'not_today', 'closed', 'wrong_entrance', 'unknown', 'not_inside');
revoke execute on function public.is_gate_refusal(text) from public, anon, authenticated;

create table public.admissions (
  id uuid primary key, -- the scan's, created on the device
  code_id uuid not null references public.entry_codes (id),
  device_id uuid references public.gate_devices (id), -- null: by the back office
  device_name text not null, -- its name at the time
  entrance_id uuid references public.gate_entrances (id) on delete set null,
  admitted_by uuid, -- no foreign key: an invitation's accounts are deleted after it ends
  admitted_at timestamptz not null,
  received_at timestamptz not null default now(),
  is_offline boolean not null default false,
  -- The earlier admission of the same code.
  conflicts_with uuid references public.admissions (id),
  -- The reason for which the server would have refused it: contract/gate's codeRefusals.
  despite text check (despite in ('void', 'old_code', 'not_today', 'closed', 'wrong_entrance')),
  plate text check (length(plate) between 1 and 20),
  left_at timestamptz,
  out_scan_id uuid,
  out_device_id uuid references public.gate_devices (id),
  out_entrance_id uuid references public.gate_entrances (id) on delete set null,
  out_undo_scan_id uuid,
  undone_at timestamptz,
  undone_by uuid,
  undo_reason text,
  undo_scan_id uuid,
  constraint admissions_in_order check (admitted_at <= received_at),
  constraint admissions_undone_why check ((undone_at is null) = (undo_reason is null))
) with (fillfactor = 80);
-- One code, one admission.
create unique index admissions_one_of_code on public.admissions (code_id)
  where conflicts_with is null and undone_at is null and left_at is null;
-- With conflicts_with: the valid admission is found without reading the conflicts.
create index admissions_of_code on public.admissions (code_id, conflicts_with);
-- Partial: most admissions have neither, and each index entry adds to a scan's time.
create unique index admissions_let_out on public.admissions (out_scan_id) where out_scan_id is not null;
create unique index admissions_out_undone on public.admissions (out_undo_scan_id) where out_undo_scan_id is not null;
create unique index admissions_undone on public.admissions (undo_scan_id) where undo_scan_id is not null;
create index admissions_newest on public.admissions (entrance_id, admitted_at); -- of one entrance; of all by skipping from one to the next
create index admissions_left on public.admissions (out_entrance_id, left_at) where left_at is not null;
create index admissions_conflicts on public.admissions (conflicts_with) where conflicts_with is not null;
create index admissions_despite on public.admissions (received_at) where despite is not null;
create index admissions_taken_back on public.admissions (undone_at) where undone_at is not null;

create table public.gate_refusals (
  id uuid primary key, -- the scan's
  device_id uuid not null references public.gate_devices (id),
  device_name text not null,
  entrance_id uuid references public.gate_entrances (id) on delete set null,
  reason text not null check (public.is_gate_refusal(reason)),
  detail text check (length(detail) <= 200),
  code_id uuid, -- null: unknown
  scanned_at timestamptz not null,
  received_at timestamptz not null default now()
);
create index gate_refusals_newest on public.gate_refusals (scanned_at);
create index gate_refusals_received on public.gate_refusals (received_at);

-- gate_counts's last count, and how long it took. Unlogged: a crash costs one count.
create unlogged table public.gate_counts_cache (
  only_row boolean primary key default true check (only_row),
  counted_at timestamptz not null,
  took interval not null,
  counts jsonb not null
);

-- The letters and digits of a license plate, which is found by the first two or more of them (contract/names has the same rule).
create function public.plate_letters(p_plate text) returns text language sql immutable set search_path = '' as $$
  select regexp_replace(public.folded(p_plate), public.between_words(), '', 'g');
$$;
revoke execute on function public.plate_letters(text) from public, anon, authenticated;

create index entry_codes_by_plate on public.entry_codes (public.plate_letters(plate) text_pattern_ops) where plate is not null;

-- The public halves of all keys that ever signed an entry code: a rotated key's half stays, so that sold codes stay valid.
create table public.entry_keys (
  id text primary key, -- RFC 7638's thumbprint
  public_jwk jsonb not null check (public_jwk ->> 'x' is not null and not public_jwk ? 'd'),
  created_at timestamptz not null default now()
);

create trigger gate_entrances_audit after insert or update or delete on public.gate_entrances
  for each row execute function public.audit_change();
create trigger gate_settings_audit after update on public.gate_settings
  for each row execute function public.audit_change();

alter table public.gate_entrances enable row level security;
alter table public.gate_settings enable row level security;
alter table public.gate_invitations enable row level security;
alter table public.gate_places enable row level security;
alter table public.gate_devices enable row level security;
alter table public.admissions enable row level security;
alter table public.gate_refusals enable row level security;
alter table public.entry_keys enable row level security;
alter table public.gate_counts_cache enable row level security;
create policy "Nobody but the gate's board reads what it counted" on public.gate_counts_cache
  for all to anon, authenticated using (false) with check (false);
create policy "Nobody but the gate's functions reads the places" on public.gate_places
  for all to anon, authenticated using (false) with check (false);
revoke all on public.gate_entrances, public.gate_settings, public.gate_invitations, public.gate_places, public.gate_devices, public.admissions,
  public.gate_refusals, public.entry_keys, public.gate_counts_cache from anon, authenticated;
grant select on public.gate_entrances, public.gate_settings, public.gate_devices, public.admissions, public.gate_refusals,
  public.entry_keys to authenticated;
grant select (id, label, entrance_id, phones, created_by, created_at, expires_at, revoked_at, revoked_by)
  on public.gate_invitations to authenticated;
grant insert (name, admits, ticket_type_ids, is_express, is_open), update (name, admits, ticket_type_ids, is_express, is_open),
  delete on public.gate_entrances to authenticated;
grant update (doors_open_at, doors_close_at, reentry) on public.gate_settings to authenticated;

create policy "Admins and the gate read the entrances" on public.gate_entrances
  for select to authenticated using ((select public.has_role('admin', 'gate')));
create policy "Admins add entrances" on public.gate_entrances
  for insert to authenticated with check ((select public.is_admin()));
create policy "Admins change entrances" on public.gate_entrances
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));
create policy "Admins remove entrances" on public.gate_entrances
  for delete to authenticated using ((select public.is_admin()));
create policy "Admins and the gate read the gate's settings" on public.gate_settings
  for select to authenticated using ((select public.has_role('admin', 'gate')));
create policy "Admins change the gate's settings" on public.gate_settings
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));
create policy "Admins read the gate's invitations" on public.gate_invitations
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the gate's devices" on public.gate_devices
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the admissions" on public.admissions
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the refusals" on public.gate_refusals
  for select to authenticated using ((select public.is_admin()));
create policy "Admins read the entry keys" on public.entry_keys
  for select to authenticated using ((select public.is_admin()));
