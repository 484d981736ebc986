insert into auth.users (id, email) values ('00000000-0000-4000-8000-000000000001', 'seed@todo.test');
insert into public.todos (owner, task) values ('00000000-0000-4000-8000-000000000001', 'Someone else''s');
