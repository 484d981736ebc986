// Names a new second step: no one types a name, and the auth service requires each to be unique.
import { getSupabase } from "#lib/api/supabase.ts";
import { secondStepProblem } from "#lib/session/second-step-codes.ts";

/** Removes unfinished factors of this kind, which would block the name. Returns a message when that fails. */
export async function freeName(
  kind: "totp" | "phone" | "webauthn",
  wanted: string,
): Promise<{ name: string } | { problem: string }> {
  const { mfa } = (await getSupabase()).auth;
  const { data, error } = await mfa.listFactors();
  if (error) return { problem: secondStepProblem(error)! };
  const { all } = data;
  const left = all.filter(({ status, factor_type }) => status === "unverified" && factor_type === kind);
  for (const { id } of left) {
    const { error: refused } = await mfa.unenroll({ factorId: id });
    // Already gone: another tab removed it, or it had expired.
    if (refused && refused.code !== "mfa_factor_not_found") return { problem: secondStepProblem(refused)! };
  }
  const taken = new Set(all.flatMap((factor) => (left.includes(factor) ? [] : [factor.friendly_name])));
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted} ${number}`;
  return { name };
}
