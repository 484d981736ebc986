// What a change of the account's address asks the auth service for. Each throws an AuthFailure with a message to show.
import { supabaseAddress } from "#lib/api/env.ts";
import { getSupabase, SESSION_KEY } from "#lib/api/supabase.ts";
import { ask } from "#lib/session/ask.ts";
import type { SupabaseClient } from "@supabase/supabase-js";
import { refuse } from "./auth-calls.ts";

/** Where the links of the mails lead. */
const landing = () => ({ emailRedirectTo: `${location.origin}/dashboard?way=email` });

export async function askForAddress(email: string): Promise<void> {
  const { auth } = await getSupabase();
  refuse((await auth.updateUser({ email }, landing())).error);
}

/** `email`: the address as it still is. */
export async function mailChangeAgain(email: string, captchaToken: string | undefined): Promise<void> {
  const { auth } = await getSupabase();
  const options = { ...landing(), ...(captchaToken !== undefined && { captchaToken }) };
  refuse((await auth.resend({ type: "email_change", email, options })).error);
}

/**
 * Confirms one of the addresses with the code that it was sent. The session here stays as it is: the code brings one of its own, which
 * has taken no second step.
 */
export async function confirmAddress(email: string, code: string): Promise<"half" | "done"> {
  const { auth } = await clientAside();
  const { data, error } = await auth.verifyOtp({ email, token: code, type: "email_change" });
  refuse(error);
  if (!data.session) return "half";
  await auth.signOut({ scope: "local" });
  await (await getSupabase()).auth.refreshSession();
  return "done";
}

let aside: Promise<SupabaseClient> | undefined;

/** A client of its own, whose session this page shall not have; one for all codes, since the library warns of a second. */
function clientAside(): Promise<SupabaseClient> {
  aside ??= makeClientAside().catch((error: unknown) => {
    aside = undefined;
    throw error;
  });
  return aside;
}

async function makeClientAside(): Promise<SupabaseClient> {
  const { createClient } = await import("@supabase/supabase-js");
  const { url, anonKey } = supabaseAddress();
  const auth = { storageKey: `${SESSION_KEY}-aside`, persistSession: false, autoRefreshToken: false };
  return createClient(url, anonKey, { auth: { ...auth, detectSessionInUrl: false } });
}

/**
 * Brings the new address into the session here, if it was confirmed elsewhere.
 * @returns which of the two has confirmed alone; undefined when the server did not say
 */
export async function lookForChange(email: string): Promise<"current" | "new" | null | undefined> {
  const supabase = await getSupabase();
  const { data } = await supabase.auth.getUser();
  if (data.user && data.user.email !== email) {
    await supabase.auth.refreshSession();
    return undefined;
  }
  const { data: half, error } = await supabase.rpc("confirmed_half_of_my_email_change");
  if (error) return undefined;
  return half === "current" || half === "new" ? half : null;
}

/** The account keeps its address. */
export async function callOffChange(): Promise<void> {
  await ask((supabase) => supabase.rpc("call_off_my_email_change"));
  await (await getSupabase()).auth.refreshSession();
}
