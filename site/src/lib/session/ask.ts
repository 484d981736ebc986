// Calls the database for a user, who sees a failure as a message, even when the page could not load the client.
import type { Failure } from "../api/refusal.ts";
import { getSupabase, type Supabase } from "../api/supabase.ts";
import { refusalWords } from "./refusal-words.ts";

export type Answer<T> = { data: T; error: null } | { data: null; error: Failure };

/** @throws Error with a message to show; its cause is the original error */
export async function ask<T>(request: (supabase: Supabase) => PromiseLike<Answer<T>>): Promise<T> {
  const { data, error } = await getSupabase()
    .then(request)
    .catch((failure: Failure) => ({ data: null, error: failure }));
  if (error) throw new Error(refusalWords(error), { cause: error });
  return data;
}
