// Codes of a second step: sending, verifying, and the messages when they are refused. Used by both setup and sign-in.
import type { Failure } from "../api/refusal.ts";
import { getSupabase } from "../api/supabase.ts";
import { refusalWords } from "./refusal-words.ts";

const refusals: Readonly<Record<string, string>> = {
  mfa_challenge_expired: "That took too long. Please try again with a new code.",
  mfa_ip_address_mismatch: "Your connection changed in the meantime. Please try again with a new code.",
  mfa_recovery_codes_locked: "Too many wrong codes. Please wait and try again later.",
  mfa_verified_factor_exists: "You already use this number for two-step verification.",
  too_many_enrolled_mfa_factors: "You have the maximum number of verification methods. Remove one first.",
};

/** Undefined when there was no error. */
export function secondStepProblem(error: Failure | null): string | undefined {
  if (error === null) return undefined;
  if (error.code === "over_sms_send_rate_limit") return tooSoon(error.message);
  return refusals[error.code ?? ""] ?? refusalWords(error);
}

function tooSoon(message: string): string {
  const seconds = /after (\d+) seconds/.exec(message)?.[1];
  return seconds === undefined
    ? "Too many text messages were requested. Please wait a while."
    : `A code is on its way. You can request another in ${seconds} s.`;
}

/** A code from an authenticator app. */
export async function verifyAppCode(factorId: string, code: string): Promise<string | undefined> {
  const { error } = await (await getSupabase()).auth.mfa.challengeAndVerify({ factorId, code });
  return error?.code === "mfa_verification_failed"
    ? "That code is not right. Codes change every 30 seconds, and each works once."
    : secondStepProblem(error);
}

/** Sends a code to a phone. */
export async function sendCode(factorId: string): Promise<{ challengeId: string } | { problem: string }> {
  const { data, error } = await (await getSupabase()).auth.mfa.challenge({ factorId, channel: "sms" });
  return error === null ? { challengeId: data.id } : { problem: secondStepProblem(error)! };
}

/** `challengeId` belongs to the latest message. */
export async function verifyTextedCode(
  factorId: string,
  challengeId: string,
  code: string,
): Promise<string | undefined> {
  const { error } = await (await getSupabase()).auth.mfa.verify({ factorId, challengeId, code });
  return error?.code === "mfa_verification_failed"
    ? "That code is not right. Please enter the one in the newest message."
    : secondStepProblem(error);
}
