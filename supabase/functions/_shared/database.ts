// The one way from a function to SQL: a SQL function by its name, with the arguments and the answer of its definition. Two hosts
// answer it: the platform through the API, our own server with one statement (shop/src/functions/queries.ts).
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database, Json } from "contract/database";
import type { Answers } from "./answers.ts";

type Functions = Database["public"]["Functions"];
export type SqlFunction = keyof Functions;

/** Any argument may be null, and one of type jsonb takes whatever JSON can say. Those left out have their default. */
export type Arguments<Name extends SqlFunction> = [Functions[Name]["Args"]] extends [never]
  ? Record<string, never>
  : {
      [Key in keyof Functions[Name]["Args"]]: Json extends Functions[Name]["Args"][Key]
        ? unknown
        : Functions[Name]["Args"][Key] | null;
    };

/** JSON of no known shape is for its reader to check. */
export type Answer<Name extends SqlFunction> = Name extends keyof Answers
  ? Answers[Name]
  : Json extends Functions[Name]["Returns"]
    ? unknown
    : Functions[Name]["Returns"];

/** Runs as the service: row-level security does not apply. Rejects with a DatabaseFailure. */
export type Sql = <Name extends SqlFunction>(name: Name, args: Arguments<Name>) => Promise<Answer<Name>>;

/** The database refused or could not be reached. `code` is the SQLSTATE or PostgREST's code, when there is one. */
export class DatabaseFailure extends Error {
  readonly code: string | undefined;

  constructor(what: string, error: { message: string; code?: string }) {
    super(`${what}: ${error.message}`, { cause: error });
    this.name = "DatabaseFailure";
    this.code = error.code;
  }
}

/** Through the API, as on the platform. */
export function sqlThrough(supabase: SupabaseClient): Sql {
  return async (name, args) => {
    const { data, error } = await supabase.rpc(name, args);
    if (error) throw new DatabaseFailure(name, error);
    return data;
  };
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
