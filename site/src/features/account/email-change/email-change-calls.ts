// The auth service calls for changing the account's address. Each throws an AuthFailure with a message to show.
import { supabaseAddress } from "#lib/api/env.ts";
import { getSupabase, SESSION_KEY } from "#lib/api/supabase.ts";
import { ask } from "#lib/session/ask.ts";
import type { SupabaseClient } from "@supabase/supabase-js";
import { refuse } from "../auth-calls.ts";

/** Where the links of the mails lead. */
const landing = () => ({ emailRedirectTo: `${location.origin}/dashboard?way=email` });

export async function askForAddress(email: string): Promise<void> {
  const { auth } = await getSupabase();
  refuse((await auth.updateUser({ email }, landing())).error);
}

/** `email`: the current address. */
export async function mailChangeAgain(email: string, captchaToken: string | undefined): Promise<void> {
  const { auth } = await getSupabase();
  const options = { ...landing(), ...(captchaToken !== undefined && { captchaToken }) };
  refuse((await auth.resend({ type: "email_change", email, options })).error);
}

/**
 * Confirms one of the addresses with the code sent to it. This page keeps its session: the code creates a separate one, which has not
 * passed the second step.
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

/** A separate client, so that this page does not adopt its session. One for all codes, because the library warns about a second. */
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
 * Updates the session here with the new address, if it was confirmed elsewhere.
 * @returns which of the two addresses alone has confirmed; undefined when the server did not say
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
