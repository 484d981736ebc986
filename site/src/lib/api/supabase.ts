// The page's only Supabase client. It loads on first use: 55 kB that a visitor who only reads never fetches. The session is
// in local storage under SESSION_KEY, so the page can tell whether there may be one without the client.
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "contract/database";
import { supabaseAddress } from "./env.ts";
import { readText } from "../browser/stored-json.ts";

export type Supabase = SupabaseClient<Database>;

export const SESSION_KEY = "houston-culture-festival:session";

let client: Promise<Supabase> | undefined;
const waiting = new Set<(supabase: Supabase) => void>();

/** Whether this browser holds the PKCE verifier of a flow, where auth-js looks for it: each named flow has its own slot. */
export function hasFlow(flow: string | null): boolean {
  const slot = flow === null ? SESSION_KEY : `${SESSION_KEY}-flow-${flow}`;
  return readText("local", `${slot}-code-verifier`) !== undefined;
}

/** Rejects when the script cannot be fetched; a failed load is retried on the next call. */
export function getSupabase(): Promise<Supabase> {
  client ??= load().catch((error: unknown) => {
    client = undefined;
    throw error;
  });
  return client;
}

/** Calls back once the client exists, without loading it. Returns how to stop waiting. */
export function onSupabaseLoaded(callback: (supabase: Supabase) => void): () => void {
  waiting.add(callback);
  void client?.then((supabase) => waiting.delete(callback) && callback(supabase));
  return () => waiting.delete(callback);
}

async function load(): Promise<Supabase> {
  const { createClient } = await import("@supabase/supabase-js");
  // Run it and use it in two tasks, so a phone can answer a tap in between.
  await new Promise((done) => setTimeout(done));
  const { url, anonKey } = supabaseAddress();
  const supabase = createClient<Database>(url, anonKey, {
    auth: {
      storageKey: SESSION_KEY,
      persistSession: true,
      autoRefreshToken: true,
      detectSessionInUrl: true,
      // Links in mails carry a code that only this browser can exchange: see session/auth-landing.ts.
      flowType: "pkce",
      experimental: {
        recoveryCodes: true,
        // A link then finds its own secret among the last five: asking again, even in vain, leaves the earlier mails good.
        appendPkceFlowIdToRedirects: true,
      },
    },
    // The query cache retries reads (query.ts); with both, a dead network would go unnoticed for 24 s.
    db: { retry: false },
  });
  for (const callback of waiting) callback(supabase);
  waiting.clear();
  return supabase;
}
