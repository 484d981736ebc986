// The official client in a real page: the package's own build for browsers, on a page of the site's origin, with its methods
// called from outside. Answers come back as JSON, so an error is its name, code, status and message.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import type { SupabaseClient } from "@supabase/supabase-js";

type Auth = SupabaseClient["auth"];

const folder = dirname(createRequire(import.meta.url).resolve("@supabase/supabase-js"));
const packed = readFileSync(join(folder, "umd/supabase.js"), "utf8");

declare const supabase: typeof import("@supabase/supabase-js");
declare global {
  interface Window {
    clients: Record<string, Auth>;
    authEvents: string[];
  }
}

export interface ClientInPage {
  readonly visitor: Auth;
  readonly service: Auth;
  /** The methods called so far, as `mfa.enroll` or `auth.signUp`. */
  readonly called: ReadonlySet<string>;
  /** The events that the visitor's listener has received. */
  events(): Promise<readonly string[]>;
}

export async function openClients(
  page: Page,
  { API_URL, ANON_KEY, SERVICE_ROLE_KEY }: Readonly<Record<string, string>>,
): Promise<ClientInPage> {
  await page.addInitScript({ content: `${packed}\nglobalThis.supabase = supabase;` });
  await page.goto("/robots.txt");
  await page.evaluate(
    ([url, anonKey, serviceKey]) => {
      const client = (key: string, storageKey: string) =>
        supabase.createClient(url!, key, {
          auth: { storageKey, flowType: "pkce", experimental: { recoveryCodes: true } },
        }).auth;
      window.clients = { visitor: client(anonKey!, "visitor"), service: client(serviceKey!, "service") };
      window.authEvents = [];
      window.clients.visitor!.onAuthStateChange((event) => window.authEvents.push(event));
    },
    [API_URL, ANON_KEY, SERVICE_ROLE_KEY],
  );
  const called = new Set(["auth.onAuthStateChange"]);
  const callsOf = (who: string) =>
    remote((path, args) => {
      called.add(path.length === 1 ? `auth.${path[0]}` : path.join("."));
      return page.evaluate(callInPage, { who, path, args });
    }) as Auth;
  return {
    visitor: callsOf("visitor"),
    service: callsOf("service"),
    called,
    events: () => page.evaluate(() => window.authEvents),
  };
}

/** Looks like an object of any depth, whose methods are called remotely. */
function remote(call: (path: string[], args: unknown[]) => unknown, path: string[] = []): unknown {
  return new Proxy(() => {}, {
    get: (_, name) => remote(call, [...path, String(name)]),
    apply: (_, __, args: unknown[]) => call(path, args),
  });
}

async function callInPage({ who, path, args }: { who: string; path: string[]; args: unknown[] }) {
  let owner: unknown;
  let part: unknown = window.clients[who];
  for (const name of path) {
    owner = part;
    part = (part as Record<string, unknown>)[name];
  }
  const answer: unknown = await (part as (...args: unknown[]) => unknown).apply(owner, args);
  if (typeof answer !== "object" || answer === null) return answer;
  const { error, ...rest } = answer as { error?: (Error & { code?: string; status?: number }) | null };
  const told = error && { name: error.name, code: error.code, status: error.status, message: error.message };
  return JSON.parse(JSON.stringify({ ...rest, error: told })) as unknown;
}
