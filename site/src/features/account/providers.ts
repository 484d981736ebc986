// Which providers people may sign in through here: the server says it in its settings.
import { z } from "zod";
import { supabaseAddress } from "#lib/api/env.ts";

const NAMES = {
  google: "Google",
  apple: "Apple",
  facebook: "Facebook",
  github: "GitHub",
  keycloak: "Your Organization",
} as const;

export interface SignInProvider {
  readonly id: keyof typeof NAMES;
  readonly name: string;
}

const settings = z.object({ external: z.record(z.string(), z.boolean()) });

/** In a fixed order. None when the server cannot be asked: signing in with a password does not depend on it. */
export async function offeredProviders(): Promise<SignInProvider[]> {
  const { url, anonKey } = supabaseAddress();
  const answer = await fetch(`${url}/auth/v1/settings`, { headers: { apikey: anonKey } });
  const { external } = settings.parse(await answer.json());
  const ids = Object.keys(NAMES) as SignInProvider["id"][];
  return ids.filter((id) => external[id]).map((id) => ({ id, name: NAMES[id] }));
}
