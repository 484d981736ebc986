-- Who is online is counted by the database's clock: a visitor's own may be wrong, or say so on purpose.
create trigger site_visits_touch before update on public.site_visits
  for each row execute function public.touch_updated_at();
