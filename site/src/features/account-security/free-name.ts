// What a new second step is called: nobody types a name, and the auth service wants each to have one of its own.
import { getSupabase } from "#lib/api/supabase.ts";
import { secondStepProblem } from "#lib/session/second-step.ts";

/** Removes what was begun of this kind and left, which is in the way of its name. Answers with a sentence where that fails. */
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
    // Gone already: another tab was first, or its time was over.
    if (refused && refused.code !== "mfa_factor_not_found") return { problem: secondStepProblem(refused)! };
  }
  const taken = new Set(all.flatMap((factor) => (left.includes(factor) ? [] : [factor.friendly_name])));
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted} ${number}`;
  return { name };
}
