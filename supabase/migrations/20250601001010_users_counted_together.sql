-- Registrations are counted once for a statement. Counted row by row (000700), an import of many accounts updated one row of
-- user_days as often, and looked through all its former versions each time: 75,000 accounts took over a minute.

drop trigger count_registrations on auth.users;
drop function public.count_user();

create function public.count_registrations() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.user_days as d (day, users)
    select public.festival_day(coalesce(created_at, now())), count(*) from added group by 1 order by 1
    on conflict (day) do update set users = d.users + excluded.users;
  return null;
end $$;
create trigger count_registrations after insert on auth.users
  referencing new table as added for each statement execute function public.count_registrations();

create function public.uncount_registrations() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.user_days d set users = d.users - gone.users
    from (select public.festival_day(coalesce(created_at, now())) as day, count(*) as users from removed group by 1) as gone
    where d.day = gone.day;
  return null;
end $$;
create trigger uncount_registrations after delete on auth.users
  referencing old table as removed for each statement execute function public.uncount_registrations();

revoke execute on function public.count_registrations(), public.uncount_registrations() from public, anon, authenticated;
