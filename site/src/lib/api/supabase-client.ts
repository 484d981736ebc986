// How the page's Supabase client is made. In one file with the library, so that no page sends it before there is a client to make.
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "contract/database";
import type { SupabaseAddress } from "./env.ts";

export type Supabase = SupabaseClient<Database>;

/** What was asked of the auth service and has no answer yet. */
const underWay = new Set<Promise<unknown>>();
/** Whoever reads an answer may go on asking: how long until they have. */
const READING_MS = 50;

const watchedFetch: typeof fetch = (input, init) => {
  const answer = fetch(input, init);
  const address = input instanceof Request ? input.url : String(input);
  if (address.includes("/auth/v1/")) {
    const read: Promise<unknown> = Promise.allSettled([answer]).then(
      () => new Promise((done) => setTimeout(done, READING_MS)),
    );
    underWay.add(read);
    void read.then(() => underWay.delete(read));
  }
  return answer;
};

/** Resolves once the auth service is asked nothing. Nobody is answered any more whose session has ended. */
export async function authAtRest(): Promise<void> {
  while (underWay.size > 0) await Promise.all(underWay);
}

export const createSupabase = ({ url, anonKey }: SupabaseAddress, storageKey: string): Supabase =>
  createClient<Database>(url, anonKey, {
    auth: {
      storageKey,
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
    global: { fetch: watchedFetch },
  });
