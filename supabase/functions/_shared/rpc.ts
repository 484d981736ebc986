// Calls the SQL functions that hold the festival's rules through the API, as on the platform.
import type { SupabaseClient } from "@supabase/supabase-js";

/** The database refused or could not be reached. `code` is the SQLSTATE or PostgREST's code, when there is one. */
export class DatabaseFailure extends Error {
  readonly code: string | undefined;

  constructor(what: string, error: { message: string; code?: string }) {
    super(`${what}: ${error.message}`, { cause: error });
    this.name = "DatabaseFailure";
    this.code = error.code;
  }
}

/** Calls a SQL function; the caller states the shape of its answer. */
export async function rpc<T>(
  supabase: SupabaseClient,
  name: string,
  args: Record<string, unknown>,
): Promise<T> {
  const { data, error } = await supabase.rpc(name, args);
  if (error) throw new DatabaseFailure(name, error);
  return data as T;
}

/** The rows of a query builder, or a DatabaseFailure. */
export async function rowsOf<T>(
  what: string,
  query: PromiseLike<{ data: T | null; error: { message: string; code?: string } | null }>,
): Promise<T> {
  const { data, error } = await query;
  if (error) throw new DatabaseFailure(what, error);
  return data as T;
}
