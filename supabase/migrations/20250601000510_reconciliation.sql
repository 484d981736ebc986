-- How far the reconcile job has compared the provider's payments with ours, so that it works off a backlog larger than one run,
-- even across restarts. One row.

create table public.reconciliation (
  id boolean primary key default true check (id),
  -- A completed pass has looked at every payment older than this; null before the first.
  complete_to timestamptz,
  -- The pass under way, newest first: when it began, how far back it goes, and the last intent it has seen.
  began_at timestamptz,
  created_from timestamptz,
  after_intent text check (length(after_intent) <= 255),
  constraint reconciliation_pass_is_whole check (
    (began_at is null) = (created_from is null) and (began_at is null) = (after_intent is null))
);
insert into public.reconciliation default values;

alter table public.reconciliation enable row level security;
revoke all on public.reconciliation from anon, authenticated;
create policy "Nobody but the service reads how far reconciling came" on public.reconciliation
  for all to anon, authenticated using (false) with check (false);
