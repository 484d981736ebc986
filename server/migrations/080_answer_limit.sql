-- How the REST service ends a query whose answer grows too large, before PostgreSQL has built and sent it.

-- Requests may run as any role that was granted to authenticator.
create schema server_rest;
grant usage on schema server_rest to public;

-- Always raises. It is used in a filter that evaluates it for the first row beyond the limit.
create function server_rest.refuse_answer(most_bytes bigint) returns boolean
language plpgsql volatile set search_path = '' as $$
begin
  raise exception 'The answer is too large' using
    errcode = 'program_limit_exceeded',
    detail = format('An answer, or a list embedded in it, may have %s bytes here.', most_bytes),
    hint = 'Ask for fewer rows or columns with limit, Range or select.';
end $$;
grant execute on function server_rest.refuse_answer to public;
