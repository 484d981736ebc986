// What a new second step is called: nobody types a name, and the auth service wants each to have one of its own.
import { getSupabase } from "#lib/api/supabase.ts";

/** Removes what was begun of this kind and left, which is in the way of its name. */
export async function freeName(kind: "totp" | "phone" | "webauthn", wanted: string): Promise<string> {
  const { mfa } = (await getSupabase()).auth;
  const all = (await mfa.listFactors()).data?.all ?? [];
  const left = all.filter(({ status, factor_type }) => status === "unverified" && factor_type === kind);
  for (const { id } of left) await mfa.unenroll({ factorId: id });
  const taken = new Set(all.flatMap((factor) => (left.includes(factor) ? [] : [factor.friendly_name])));
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted} ${number}`;
  return name;
}
