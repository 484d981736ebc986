// The auth service calls of the second step, apart from codes.
import { getSupabase } from "#lib/api/supabase.ts";
import { secondStepProblem } from "#lib/session/second-step-codes.ts";

export interface KnownFactor {
  readonly id: string;
  readonly type: "totp" | "phone" | "webauthn";
  readonly name: string;
}

const TYPES: readonly string[] = ["totp", "phone", "webauthn"] satisfies KnownFactor["type"][];

/** The session user's verified factors. */
export async function factorsHere(): Promise<KnownFactor[]> {
  const { data } = await (await getSupabase()).auth.getSession();
  const verified = data.session?.user.factors?.filter(({ status }) => status === "verified") ?? [];
  return verified
    .filter(({ factor_type }) => TYPES.includes(factor_type))
    .map(({ id, factor_type, friendly_name }) => ({
      id,
      type: factor_type as KnownFactor["type"],
      name: friendly_name ?? "",
    }));
}

export async function verifyRecoveryCode(code: string): Promise<string | undefined> {
  const { error } = await (await getSupabase()).auth.mfa.recoveryCodes.verify({ code });
  return error?.code === "mfa_verification_failed"
    ? "That code is wrong or was already used."
    : secondStepProblem(error);
}

export async function confirmWithKey(factorId: string): Promise<string | undefined> {
  const { error } = await (await getSupabase()).auth.mfa.webauthn.authenticate({ factorId });
  return error === null ? undefined : "The security key was not confirmed. Please try again.";
}
