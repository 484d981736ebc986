-- Limits that count over all processes, mails queued with the row they are about, and what is thrown away when it is old.

-- At most p_limit different subjects in the window; one that was let in may come again (retries of one payment).
create function public.consume_subject_limit(p_key text, p_subject text, p_limit integer, p_window_seconds integer)
returns boolean language plpgsql volatile set search_path = '' as $$
declare
  most_retries constant integer := 20;
begin
  -- Calls about one key look and count one after the other: ten at once about a new subject are one subject.
  perform pg_advisory_xact_lock(hashtextextended(p_key, 7));
  if exists (select from public.rate_limits where key = p_key || ':' || p_subject
      and updated_at > clock_timestamp() - make_interval(secs => p_window_seconds)) then
    return public.consume_rate_limit(p_key || ':' || p_subject, most_retries, p_window_seconds);
  end if;
  return public.consume_rate_limit(p_key, p_limit, p_window_seconds)
    and public.consume_rate_limit(p_key || ':' || p_subject, most_retries, p_window_seconds);
end $$;

-- Whatever door a form comes through, its thanks are queued in the same transaction.
create function public.thank_the_sender() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.outbox (kind, payload, dedupe_key)
    values (tg_argv[0], jsonb_build_object(tg_argv[1], new.id), tg_argv[0] || ':' || new.id);
  return null;
end $$;
create trigger vendor_applications_thank after insert on public.vendor_applications
  for each row execute function public.thank_the_sender('vendor_mail', 'application_id');
create trigger sponsor_inquiries_thank after insert on public.sponsor_inquiries
  for each row execute function public.thank_the_sender('sponsor_mail', 'inquiry_id');

-- Small batches, so that no sale waits for it; answers how many rows went, so that the caller knows when it is done.
create function public.clean_up(p_limit integer default 500) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  gone integer;
  total integer := 0;
begin
  delete from public.idempotency_keys where ctid = any (array(
    select k.ctid from public.idempotency_keys k, public.shop_settings s
    where k.created_at < now() - s.idempotency_retention limit p_limit for update of k skip locked));
  get diagnostics gone = row_count; total := total + gone;
  delete from public.rate_limits where ctid = any (array(
    select ctid from public.rate_limits where updated_at < now() - interval '1 hour' limit p_limit for update skip locked));
  get diagnostics gone = row_count; total := total + gone;
  delete from public.outbox where ctid = any (array(
    select ctid from public.outbox where done_at < now() - interval '30 days' limit p_limit for update skip locked));
  get diagnostics gone = row_count; total := total + gone;
  delete from public.visit_sessions where ctid = any (array(
    select ctid from public.visit_sessions where day < (now() - interval '2 days')::date limit p_limit for update skip locked));
  get diagnostics gone = row_count; total := total + gone;
  update public.orders set client_address = null where ctid = any (array(
    select ctid from public.orders where client_address is not null and created_at < now() - interval '2 days'
      and status <> 'pending' limit p_limit for update skip locked));
  get diagnostics gone = row_count;
  return total + gone;
end $$;

revoke execute on function public.consume_subject_limit(text, text, integer, integer), public.thank_the_sender(),
  public.clean_up(integer) from public, anon, authenticated;
