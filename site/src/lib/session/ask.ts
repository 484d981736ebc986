// Asks the database something for a person, to whom a failure is a sentence: also when the page could not load the client.
import type { Failure } from "../api/refusal.ts";
import { getSupabase, type Supabase } from "../api/supabase.ts";
import { refusalWords } from "./refusal-words.ts";

export type Answer<T> = { data: T; error: null } | { data: null; error: Failure };

/** @throws Error with a sentence to show; its cause is what came back */
export async function ask<T>(request: (supabase: Supabase) => PromiseLike<Answer<T>>): Promise<T> {
  const { data, error } = await getSupabase()
    .then(request)
    .catch((failure: Failure) => ({ data: null, error: failure }));
  if (error) throw new Error(refusalWords(error), { cause: error });
  return data;
}
