// The second step's calls to the auth service. Each answers why it was refused, or nothing.
import type { AuthError } from "@supabase/supabase-js";
import { getSupabase } from "#lib/api/supabase.ts";
import { AuthFailure, failureMessage } from "../auth-calls.ts";

export interface KnownFactor {
  readonly id: string;
  readonly type: "totp" | "phone" | "webauthn";
  readonly name: string;
}

const TYPES: readonly string[] = ["totp", "phone", "webauthn"] satisfies KnownFactor["type"][];

/** Those of the session's user that may be asked for. */
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

const refusals: Readonly<Record<string, string>> = {
  mfa_verification_failed: "That code is not right. Codes change every half minute, and each works once.",
  mfa_challenge_expired: "That took too long. Please try again.",
  mfa_ip_address_mismatch: "Your connection changed meanwhile. Please try again.",
  mfa_recovery_codes_locked: "Too many wrong codes. Please wait a quarter of an hour.",
  over_request_rate_limit: "Too many wrong codes. Please wait a few minutes.",
  over_sms_send_rate_limit: "A code is on its way. Please wait a minute before you ask for another one.",
};

function problemOf(error: AuthError | null): string | undefined {
  return error === null ? undefined : (refusals[error.code ?? ""] ?? failureMessage(new AuthFailure(error)));
}

/** With the challenge of a message that was sent, otherwise with one of its own. */
export async function verifyCode(factorId: string, code: string, challengeId?: string) {
  const { mfa } = (await getSupabase()).auth;
  const { error } = await (challengeId === undefined
    ? mfa.challengeAndVerify({ factorId, code })
    : mfa.verify({ factorId, challengeId, code }));
  return problemOf(error);
}

export async function verifyRecoveryCode(code: string): Promise<string | undefined> {
  const { error } = await (await getSupabase()).auth.mfa.recoveryCodes.verify({ code });
  return error?.code === "mfa_verification_failed"
    ? "That code is not right, or it was used already."
    : problemOf(error);
}

export async function sendCode(factorId: string): Promise<{ challengeId: string } | { problem: string }> {
  const { data, error } = await (await getSupabase()).auth.mfa.challenge({ factorId, channel: "sms" });
  return error === null ? { challengeId: data.id } : { problem: problemOf(error)! };
}

export async function confirmWithKey(factorId: string): Promise<string | undefined> {
  const { error } = await (await getSupabase()).auth.mfa.webauthn.authenticate({ factorId });
  return error === null ? undefined : "The security key was not confirmed. Please try again.";
}
