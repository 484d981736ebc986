// The page's only Supabase client. It loads on first use: 55 kB that a visitor who only reads never fetches. The session is
// in local storage under SESSION_KEY, so the page can tell without the client whether there may be one.
import { supabaseAddress } from "./env.ts";
import { readText } from "../browser/stored-json.ts";
import type { Supabase } from "./supabase-client.ts";

export type { Supabase } from "./supabase-client.ts";

export const SESSION_KEY = "houston-culture-festival:session";

let client: Promise<Supabase> | undefined;
const waiting = new Set<(supabase: Supabase) => void>();

/** Whether this browser holds the PKCE verifier of a flow, where auth-js looks for it: each named flow has its own slot. */
export function hasFlow(flow: string | null): boolean {
  const slot = flow === null ? SESSION_KEY : `${SESSION_KEY}-flow-${flow}`;
  return readText("local", `${slot}-code-verifier`) !== undefined;
}

/** Rejects when the script cannot be fetched. A failed load is retried on the next call. */
export function getSupabase(): Promise<Supabase> {
  client ??= load().catch((error: unknown) => {
    client = undefined;
    throw error;
  });
  return client;
}

/** Calls back once the client exists, without loading it. Returns a function that stops waiting. */
export function onSupabaseLoaded(callback: (supabase: Supabase) => void): () => void {
  waiting.add(callback);
  void client?.then((supabase) => waiting.delete(callback) && callback(supabase));
  return () => waiting.delete(callback);
}

async function load(): Promise<Supabase> {
  const { createSupabase } = await import("./supabase-client.ts");
  // Evaluate it and use it in two tasks, so that a phone can respond to a tap in between.
  await new Promise((done) => setTimeout(done));
  const supabase = createSupabase(supabaseAddress(), SESSION_KEY);
  for (const callback of waiting) callback(supabase);
  waiting.clear();
  return supabase;
}
