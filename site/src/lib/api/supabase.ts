// The one Supabase client of the page. It is loaded when first asked for: 55 kB that a visitor who only reads never
// fetches. The session lives in local storage under SESSION_KEY, so whether there may be one is known without it.
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "contract/database";
import { supabaseAddress } from "./env.ts";
import { readText } from "../browser/stored-json.ts";

export type Supabase = SupabaseClient<Database>;

export const SESSION_KEY = "houston-culture-festival:session";

let client: Promise<Supabase> | undefined;
const waiting = new Set<(supabase: Supabase) => void>();

/** Whether this browser keeps the secret of a flow, where auth-js looks for it: a named flow has a slot of its own. */
export function hasFlow(flow: string | null): boolean {
  const slot = flow === null ? SESSION_KEY : `${SESSION_KEY}-flow-${flow}`;
  return readText("local", `${slot}-code-verifier`) !== undefined;
}

/** Rejects when the script cannot be fetched; the next call tries again. */
export function getSupabase(): Promise<Supabase> {
  client ??= load().catch((error: unknown) => {
    client = undefined;
    throw error;
  });
  return client;
}

/** Calls back once the client exists, without asking for it. Returns the way to stop waiting. */
export function onSupabaseLoaded(callback: (supabase: Supabase) => void): () => void {
  waiting.add(callback);
  void client?.then((supabase) => waiting.delete(callback) && callback(supabase));
  return () => waiting.delete(callback);
}

async function load(): Promise<Supabase> {
  const { createClient } = await import("@supabase/supabase-js");
  // To run it and to use it are two tasks: a phone can answer a tap in between.
  await new Promise((done) => setTimeout(done));
  const { url, anonKey } = supabaseAddress();
  const supabase = createClient<Database>(url, anonKey, {
    auth: {
      storageKey: SESSION_KEY,
      persistSession: true,
      autoRefreshToken: true,
      detectSessionInUrl: true,
      // Mails lead back with a code that only this browser can exchange: see auth-landing.ts.
      flowType: "pkce",
    },
    // Reads are tried again by the query cache (query.ts); both together would keep a dead network secret for 24 s.
    db: { retry: false },
  });
  for (const callback of waiting) callback(supabase);
  waiting.clear();
  return supabase;
}
