-- Who may do what: one role per user. Everything else asks is_admin().

create table public.user_roles (
  user_id uuid primary key references auth.users (id) on delete cascade,
  role text not null check (role in ('admin', 'user')),
  created_at timestamptz not null default now()
);
alter table public.user_roles enable row level security;

-- A definer, because policies on user_roles itself ask it and would otherwise call themselves.
create function public.is_admin() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.user_roles where user_id = auth.uid() and role = 'admin');
$$;

revoke all on public.user_roles from anon, authenticated;
grant select, insert, update, delete on public.user_roles to authenticated;

create policy "Users read their own role" on public.user_roles
  for select to authenticated using (user_id = (select auth.uid()));
create policy "Admins read all roles" on public.user_roles
  for select to authenticated using ((select public.is_admin()));
create policy "Admins give roles" on public.user_roles
  for insert to authenticated with check ((select public.is_admin()));
create policy "Admins change roles" on public.user_roles
  for update to authenticated using ((select public.is_admin())) with check ((select public.is_admin()));
create policy "Admins remove roles" on public.user_roles
  for delete to authenticated using ((select public.is_admin()));
