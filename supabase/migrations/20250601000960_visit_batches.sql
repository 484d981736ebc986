-- One call for everything a tab has to say: pages it came to, and how long it stayed on others. Runs as the visitor, so
-- the policies and grants of site_visits decide: own session, own name, and of a known visit only its duration.

-- The browser names its visits itself: it need not wait for an answer before it can tell of one again.
grant insert (id) on public.site_visits to anon, authenticated;

-- p_visits: [{id, page_path, referrer, user_agent, device_type, browser_name, user_id, visit_duration}]
create function public.record_visits(p_visits jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if jsonb_typeof(p_visits) is distinct from 'array' or jsonb_array_length(p_visits) > 50 then
    raise exception 'p_visits must be an array of at most 50' using errcode = '22023';
  end if;
  insert into public.site_visits as v
      (id, session_id, user_id, page_path, referrer, user_agent, device_type, browser_name, visit_duration)
    select distinct on (id) id, public.visit_session(), user_id, page_path, referrer, user_agent, device_type, browser_name,
      coalesce(visit_duration, 0)
    from jsonb_to_recordset(p_visits) as said (id uuid, user_id uuid, page_path text, referrer text, user_agent text,
      device_type text, browser_name text, visit_duration integer)
    order by id, visit_duration desc nulls last
    on conflict (id) do update set visit_duration = greatest(v.visit_duration, excluded.visit_duration);
end $$;
revoke execute on function public.record_visits(jsonb) from public;
grant execute on function public.record_visits(jsonb) to anon, authenticated;
