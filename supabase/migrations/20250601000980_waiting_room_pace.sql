-- The waiting room lets in at the pace of the sale. Before (000920) it filled up the space there was and then waited up to five
-- seconds for people who did not come, or had not asked yet: at twice the load of a sale its servers stood idle.

-- Opens the room, lets people in, closes it: whichever process looks, one at a time.
create or replace function public.advance_waiting_room() returns void
language plpgsql set search_path = '' as $$
declare
  moment constant timestamptz := clock_timestamp();
  admission constant interval := '10 minutes';  -- to sign in, fill in the attendees and order
  room public.waiting_room;
  load record;
  elapsed double precision;
  free double precision;
  wanted double precision;
  admitted integer := 0;
begin
  select * into room from public.waiting_room for update skip locked;
  if not found then return; end if;
  select * into load from public.sale_load();
  if room.opened_at is null then
    if load.under_way > load.most then
      update public.waiting_room
        set opened_at = moment, advanced_at = moment, admitted_per_second = load.per_second;
    end if;
    return;
  end if;

  elapsed := extract(epoch from moment - room.advanced_at);
  if elapsed < 0.4 then return; end if;
  delete from public.waiting_places where kept_until <= moment;
  delete from public.sale_pace where reported_at < moment - interval '1 minute';
  -- At the pace of the sale: twice as fast while nothing is under way, not at all with half of what opens the room. That
  -- settles at a quarter, also when up to half of those who are let in never come. Five a second are never too many.
  free := load.most / 2 - load.under_way;
  wanted := least(free, greatest(load.per_second, 5) * elapsed * 2 * free / (load.most / 2));
  if wanted >= 1 then
    update public.waiting_places set admitted_at = moment, kept_until = moment + admission
      where number in (
        select number from public.waiting_places
        where admitted_at is null and spent_at is null and present_until > moment order by number limit floor(wanted));
    get diagnostics admitted = row_count;
  elsif wanted > 0 and elapsed < 5 then
    return;  -- a slow sale: the time that has passed counts until there is room for one
  end if;
  update public.waiting_room set advanced_at = moment,
    admitted_per_second = room.admitted_per_second
      + (admitted / elapsed - room.admitted_per_second) * (1 - exp(-elapsed / 15)),
    opened_at = case when load.under_way > load.most / 2 or exists (
        select from public.waiting_places where admitted_at is null and spent_at is null and present_until > moment)
      then room.opened_at end;
end $$;
