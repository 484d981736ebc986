// Visit records in the database. Each request names the tab's session in a header: row-level security shows a visitor
// nobody's rows but their own.
import { supabaseAddress } from "#lib/env.ts";
import { getSupabase } from "#lib/supabase.ts";
import { browserName, deviceType } from "./device.ts";
import { visitSession } from "./session.ts";

const HEADER = "x-visit-session";

export interface VisitedPage {
  path: string;
  referrer: string;
  userId: string | null;
}

/** Returns the record's id. */
export async function insertVisit({ path, referrer, userId }: VisitedPage): Promise<string> {
  const supabase = await getSupabase();
  const session = visitSession();
  const { data, error } = await supabase
    .from("site_visits")
    .insert({
      session_id: session,
      user_id: userId,
      page_path: path.slice(0, 500),
      referrer: referrer ? referrer.slice(0, 2000) : null,
      user_agent: navigator.userAgent.slice(0, 1000),
      device_type: deviceType(window.innerWidth),
      browser_name: browserName(navigator.userAgent),
      visit_duration: 0,
    })
    .select("id")
    .setHeader(HEADER, session)
    .single();
  if (error) throw new Error(error.message);
  return data.id;
}

/** Not through the client: a page that goes away can only leave a request that outlives it. */
export async function saveDuration(id: string, seconds: number): Promise<void> {
  const { url, anonKey } = supabaseAddress();
  const response = await fetch(`${url}/rest/v1/site_visits?id=eq.${id}`, {
    method: "PATCH",
    keepalive: true,
    headers: {
      apikey: anonKey,
      authorization: `Bearer ${anonKey}`,
      "content-type": "application/json",
      [HEADER]: visitSession(),
    },
    body: JSON.stringify({
      visit_duration: Math.min(seconds, 86_400),
      updated_at: new Date().toISOString(),
    }),
  });
  if (!response.ok) throw new Error(`the visit was not updated: ${response.status}`);
}
