// Visit records in the database, sent in batches (record_visits). Each call carries the tab's session in a header:
// row-level security lets a visitor write only their own rows.
import { supabaseAddress } from "#lib/api/env.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { unlessLeft } from "#lib/browser/leaving.ts";
import { browserName, deviceType } from "./device.ts";
import { visitSession } from "./session.ts";

export interface VisitedPage {
  path: string;
  referrer: string;
  userId: string | null;
}

export interface Visit extends VisitedPage {
  id: string;
  /** How long the visit has lasted. */
  seconds: number;
}

/** One call covers leaving a page and arriving at the next, or passing through several. */
const GATHER_MS = 500;

const gathered = new Map<string, Visit>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Sends the visit with the next batch. A failure only logs a console warning: the visitor sees nothing. */
export function record(visit: Visit): void {
  gathered.set(visit.id, visit);
  timer ??= setTimeout(() => void send(false), GATHER_MS);
}

/** Sends the batch now, in a request that outlives the page. */
export function sendBeforeLeaving(): void {
  if (gathered.size > 0) void send(true);
}

async function send(leaving: boolean): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  const visits = [...gathered.values()];
  gathered.clear();
  try {
    const { url, anonKey } = supabaseAddress();
    // A page being left cannot wait for the session: its visits have their user already, or stay anonymous.
    const user = leaving ? undefined : await signedInAs(visits);
    const response = await fetch(`${url}/rest/v1/rpc/record_visits`, {
      method: "POST",
      keepalive: true,
      priority: "low",
      headers: {
        apikey: anonKey,
        authorization: `Bearer ${user?.token ?? anonKey}`,
        "content-type": "application/json",
        "x-visit-session": visitSession(),
      },
      body: JSON.stringify({ p_visits: visits.map((visit) => rowOf(visit, user?.id)) }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  } catch (error) {
    // oxlint-disable-next-line no-console -- PRODUCT 10.3: a warning in the log and nothing on the page
    unlessLeft(() => console.warn("Could not record the visit:", error));
  }
}

/** Does not load the client when no visit has a user: only signed-in pages have already loaded it. */
async function signedInAs(visits: readonly Visit[]): Promise<{ id: string; token: string } | undefined> {
  if (visits.every(({ userId }) => userId === null)) return undefined;
  const { session } = (await (await getSupabase()).auth.getSession()).data;
  return session ? { id: session.user.id, token: session.access_token } : undefined;
}

/**
 * A visit of another user is sent without its user, because only its duration is new and no one may write in another's
 * name.
 */
function rowOf({ id, path, referrer, userId, seconds }: Visit, callerId: string | undefined) {
  return {
    id,
    user_id: userId === callerId ? userId : null,
    page_path: path.slice(0, 500),
    referrer: referrer ? referrer.slice(0, 2000) : null,
    user_agent: navigator.userAgent.slice(0, 1000),
    device_type: deviceType(window.innerWidth),
    browser_name: browserName(navigator.userAgent),
    visit_duration: Math.min(seconds, 86_400),
  };
}
