import { readText } from "../browser/stored-json.ts";
import { NOT_RENEWED } from "./causes.ts";
import { getSupabase, SESSION_KEY, type Supabase } from "./supabase.ts";

/**
 * The client, to join a channel: its session is renewed first if it is due.
 * @throws Error when it cannot be, or without the client
 */
export async function getRenewedSupabase(): Promise<Supabase> {
  const supabase = await getSupabase();
  const { data } = await supabase.auth.getSession();
  if (!data.session && readText("local", SESSION_KEY) !== undefined) throw new Error(NOT_RENEWED);
  return supabase;
}
