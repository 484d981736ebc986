// How the page's Supabase client is made. In one file with the library, so that no page sends it before there is a client to make.
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "contract/database";
import type { SupabaseAddress } from "./env.ts";

export type Supabase = SupabaseClient<Database>;

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
  });
