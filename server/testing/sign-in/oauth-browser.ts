// An auth client with a browser around it, for ways of signing in that go through a provider.
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { API, type TestAuth } from "../auth.ts";
import { visit } from "./oidc-issuer.ts";

export const CALLBACK = `${API}/auth/v1/callback`;
/** The page of the site where people end up. */
export const LANDING = `${API}/auth/callback`;

/** A client in its own browser. */
export function browser(auth: TestAuth, flowType: "pkce" | "implicit" = "pkce"): SupabaseClient {
  const kept = new Map<string, string>();
  return createClient(API, auth.tokens.sign({ role: "anon" }), {
    auth: {
      flowType,
      autoRefreshToken: false,
      detectSessionInUrl: false,
      storage: {
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => void kept.set(key, value),
        removeItem: (key) => void kept.delete(key),
      },
    },
    global: { fetch: (input, init) => auth.fetch(new Request(input, { ...init, redirect: "manual" })) },
  });
}

export const pathOf = (url: URL | string) => new URL(url).href.slice(`${API}/auth/v1`.length);

export interface Landed {
  readonly at: string;
  readonly query: Readonly<Record<string, string>>;
  readonly fragment: Readonly<Record<string, string>>;
}

export function landed(location: string | null): Landed {
  const url = new URL(location!);
  return {
    at: url.origin + url.pathname,
    query: Object.fromEntries(url.searchParams),
    fragment: Object.fromEntries(new URLSearchParams(url.hash.slice(1))),
  };
}

/** Where `signInWithOAuth` would send a page. */
export async function startOAuth(
  client: SupabaseClient,
  provider: string,
  options: object = {},
): Promise<string> {
  const { data, error } = await client.auth.signInWithOAuth({
    provider: provider as "google",
    options: { redirectTo: LANDING, skipBrowserRedirect: true, ...options },
  });
  if (error) throw error;
  return data.url;
}

/** Follows one of our addresses to the provider and back to the callback, without opening that. */
export async function toCallback(auth: TestAuth, url: string) {
  const away = await auth.call("GET", pathOf(url));
  if (away.status !== 302) throw new Error(`auth answers ${away.status}: ${JSON.stringify(away.body)}`);
  return visit(away.headers.get("location")!, CALLBACK);
}

/** Opens the callback as the provider makes the browser do it. */
export async function openCallback(
  auth: TestAuth,
  { url, form }: { readonly url: URL; readonly form?: URLSearchParams },
): Promise<Landed> {
  const answer = form
    ? await auth.call("POST", pathOf(url), form.toString(), undefined, {
        "content-type": "application/x-www-form-urlencoded",
      })
    : await auth.call("GET", pathOf(url));
  return landed(answer.headers.get("location"));
}

/** The whole flow, until the client has the session. */
export async function signInAt(auth: TestAuth, client: SupabaseClient, provider: string) {
  const { query } = await openCallback(auth, await toCallback(auth, await startOAuth(client, provider)));
  return client.auth.exchangeCodeForSession(query.code ?? JSON.stringify(query));
}
