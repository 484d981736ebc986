// Creates the page's Supabase client. In one file with the library, so that no page loads it before it needs a client.
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "contract/database";
import { readText } from "../browser/stored-json.ts";
import type { SupabaseAddress } from "./env.ts";
import { NOT_RENEWED } from "./causes.ts";
import { fetchInTime } from "./time-limit.ts";

export type Supabase = SupabaseClient<Database>;

/** Requests to the auth service that are still in flight. */
const underWay = new Set<Promise<unknown>>();
/** A caller that reads a response may send another request. How long to wait for that. */
const READING_MS = 50;

const isAuth = (input: Parameters<typeof fetch>[0]) =>
  (input instanceof Request ? input.url : String(input)).includes("/auth/v1/");

const watchedFetch: typeof fetch = (input, init) => {
  const answer = fetchInTime(input, init);
  if (isAuth(input)) {
    const read: Promise<unknown> = Promise.allSettled([answer]).then(
      () => new Promise((done) => setTimeout(done, READING_MS)),
    );
    underWay.add(read);
    void read.then(() => underWay.delete(read));
  }
  return answer;
};

/**
 * auth-js compares a session's end with this device's clock. By the server's time a session would be over from the start for a clock
 * that is an hour ahead, and every call would renew it.
 */
async function dueByThisClock(answer: Response): Promise<Response> {
  const body = await answer
    .clone()
    .json()
    .catch(() => null);
  if (typeof body?.expires_in !== "number" || body.expires_at === undefined) return answer;
  const session = { ...body, expires_at: Math.round(Date.now() / 1000) + body.expires_in };
  return Response.json(session, { status: answer.status, headers: answer.headers });
}

/**
 * auth-js drops the stored session when the server refuses a user, also if another session has been stored since the request was sent.
 * It drops none after a 503.
 */
const fetchFor =
  (storageKey: string): typeof fetch =>
  async (input, init) => {
    const answer = await watchedFetch(input, init);
    if (answer.ok && isAuth(input)) return dueByThisClock(answer);
    const isRefused = answer.status === 401 || answer.status === 403;
    if (!isRefused || init?.method !== "GET" || !answer.url.endsWith("/auth/v1/user")) return answer;
    const token = new Headers(init.headers).get("Authorization")?.replace("Bearer ", "") ?? "";
    const isStored = readText("local", storageKey)?.includes(token) ?? true;
    return isStored ? answer : new Response(answer.body, { status: 503 });
  };

/**
 * The public key never stands in for a session that is due and could not be renewed, which auth-js reads as none: such a call fails like
 * one without a network. Its caller cannot tell, because supabase-js adds the key.
 */
const signedFetch =
  (fetch: typeof globalThis.fetch, storageKey: string, anonKey: string): typeof globalThis.fetch =>
  async (input, init) => {
    const isPublic = new Headers(init?.headers).get("Authorization") === `Bearer ${anonKey}`;
    if (isPublic && !isAuth(input) && readText("local", storageKey) !== undefined)
      throw new TypeError(NOT_RENEWED);
    return fetch(input, init);
  };

/** Resolves once no request to the auth service is in flight. Requests of an ended session would be refused. */
export async function authAtRest(): Promise<void> {
  while (underWay.size > 0) await Promise.all(underWay);
}

export function createSupabase({ url, anonKey }: SupabaseAddress, storageKey: string): Supabase {
  const supabase: Supabase = createClient<Database>(url, anonKey, {
    auth: {
      storageKey,
      persistSession: true,
      autoRefreshToken: true,
      detectSessionInUrl: true,
      // Links in mails carry a code that only this browser can exchange: see session/auth-landing.ts.
      flowType: "pkce",
      experimental: {
        recoveryCodes: true,
        // A link then finds its own secret among the last five: requesting another mail, even in vain, keeps the earlier mails
        // valid.
        appendPkceFlowIdToRedirects: true,
      },
    },
    // The query cache retries reads (query.ts); if the client retried too, a dead network would go unnoticed for 24 s.
    db: { retry: false },
    global: { fetch: signedFetch(fetchFor(storageKey), storageKey, anonKey) },
    realtime: {
      // Throwing keeps the last token, with which the server refuses a join until the session is renewed.
      accessToken: async () => {
        const { data } = await supabase.auth.getSession();
        if (!data.session && readText("local", storageKey) !== undefined) throw new Error(NOT_RENEWED);
        return data.session?.access_token ?? anonKey;
      },
    },
  });
  return supabase;
}
