-- A project that is not this repository's own: everyone has a list of their own.
create table public.todos (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references auth.users (id) on delete cascade,
  task text not null check (length(task) between 1 and 200),
  done boolean not null default false
);

alter table public.todos enable row level security;
create policy "own todos" on public.todos to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
grant select, insert, update, delete on public.todos to authenticated;

create function public.count_open() returns bigint
language sql stable set search_path = '' as $$ select count(*) from public.todos where not done $$;
grant execute on function public.count_open() to authenticated;

alter publication supabase_realtime add table public.todos;

insert into storage.buckets (id, name) values ('notes', 'notes');
create policy "own notes" on storage.objects to authenticated
  using (bucket_id = 'notes' and owner_id = auth.uid()::text) with check (bucket_id = 'notes');
