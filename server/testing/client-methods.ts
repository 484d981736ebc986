// Every auth method of the installed official client, read from the client itself: a new method fails the tests that
// compare this list with what they know.
import type { SupabaseClient } from "@supabase/supabase-js";

/** Internal, although visible in JavaScript: helpers that the other methods call. */
const INNER =
  /^auth\.(logger|fetch|fetchJwk|linkIdentity(OAuth|IdToken)|signInWith(Ethereum|Solana))$|^admin\.fetch$/;

/** Names like `mfa.enroll`; methods of the client itself like `auth.signUp`. `client` needs the experiments switched on. */
export function clientMethods(client: SupabaseClient["auth"]): string[] {
  const parts = { mfa: client.mfa, passkey: client.passkey, oauth: client.oauth, admin: client.admin };
  return [
    ...methodsOf(client, "auth"),
    ...Object.entries(parts).flatMap(([name, part]) => methodsOf(part, name)),
    ...methodsOf(client.mfa.webauthn, "mfa.webauthn"),
    ...methodsOf(client.mfa.recoveryCodes, "mfa.recoveryCodes"),
    ...(["mfa", "oauth", "customProviders", "passkey"] as const).flatMap((name) =>
      methodsOf(client.admin[name], `admin.${name}`),
    ),
  ];
}

function methodsOf(part: object, name: string): string[] {
  const names = new Set<string>();
  for (let at = part; at !== Object.prototype; at = Object.getPrototypeOf(at) as object)
    for (const own of Object.getOwnPropertyNames(at)) {
      const isMethod = typeof (part as Record<string, unknown>)[own] === "function";
      if (isMethod && own !== "constructor" && !own.startsWith("_")) names.add(`${name}.${own}`);
    }
  return [...names].filter((method) => !INNER.test(method));
}
