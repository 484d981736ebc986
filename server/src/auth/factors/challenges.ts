// Challenges of second factors. Each is answered once, from the address that requested it, within its time.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import type { UserRow } from "../account/queries.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { isUuid } from "../http/requests.ts";
import { checkTextInterval, tooSoon } from "../limits/send-limits.ts";
import { newDigits } from "../links/codes.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { fillTemplate } from "../texts/codes.ts";
import { findFactorCredentials } from "../webauthn/queries.ts";
import { creationOptions, relyingParty, requestOptions } from "../webauthn/relying-party.ts";
import { requireSession } from "./enrollment.ts";
import {
  type ChallengeRow,
  deleteChallenge,
  findChallenge,
  findFactor,
  insertChallenge,
  type NewChallenge,
  type StoredFactor,
} from "./queries.ts";

/** The challenge's address column is not nullable; this stands for an address the gateway could not determine. */
const NO_ADDRESS = "0.0.0.0";
const addressOf = ({ ip }: AuthCaller) => ip ?? NO_ADDRESS;

/** The factor, if it belongs to the user. */
export async function requireFactor(tx: Executor, userId: string, id: string): Promise<StoredFactor> {
  if (!isUuid(id)) throw refuse("validation_failed", "factor_id must be an UUID", { status: 404 });
  const factor = await findFactor(tx, userId, id);
  if (!factor) throw refuse("mfa_factor_not_found", "Factor not found");
  return factor;
}

/**
 * Once one factor is verified, another may be set up only after the second step. Otherwise a factor planted before there was
 * one would let whoever planted it past that step.
 */
export function requireRaisable(
  { factors }: { readonly factors: readonly { readonly status: string }[] },
  { aal }: { readonly aal: string | null },
  { status }: StoredFactor,
): void {
  if (status === "verified" || aal === "aal2") return;
  if (factors.some((factor) => factor.status === "verified"))
    throw refuse("insufficient_aal", "AAL2 required to verify a new factor", { status: 403 });
}

export async function challengeFactor(
  parts: AuthParts,
  caller: AuthCaller,
  id: string,
  given: { channel: string },
) {
  const { user, session } = await requireSession(parts, caller);
  const factor = await requireFactor(parts.database, user.id, id);
  requireRaisable(user, session, factor);
  // Whoever verifies has a challenge and thus its full time: no code is refused while someone types it.
  const { MFA_FACTOR_EXPIRY_DURATION: seconds } = parts.settings;
  if (factor.status === "unverified" && factor.created_at.getTime() + seconds * 1000 < parts.clock.now())
    throw refuse("mfa_factor_not_found", "Factor not found");
  switch (factor.factor_type) {
    case "totp":
      if (!parts.settings.MFA_TOTP_VERIFY_ENABLED) throw refuse("mfa_totp_verify_not_enabled");
      return begin(parts, caller, user, factor, {});
    case "phone":
      if (!parts.settings.MFA_PHONE_VERIFY_ENABLED) throw refuse("mfa_phone_verify_not_enabled");
      return challengePhone(parts, caller, user, factor, given.channel);
    case "webauthn":
      if (!parts.settings.MFA_WEB_AUTHN_VERIFY_ENABLED) throw refuse("mfa_webauthn_verify_not_enabled");
      return challengeWebAuthn(parts, caller, user, factor);
    case "recovery_code":
      throw refuse("validation_failed", "factor_type needs to be totp, phone, or webauthn");
  }
}

async function begin(
  parts: AuthParts,
  caller: AuthCaller,
  user: UserRow,
  factor: StoredFactor,
  own: Pick<NewChallenge, "id" | "otpCode" | "webauthn">,
) {
  const now = new Date(parts.clock.now());
  const id = await parts.database.transaction(async (tx) => {
    const traits = { factor_id: factor.id, factor_status: factor.status };
    await audit(parts, tx, caller, "challenge_created", user, traits);
    return insertChallenge(tx, { ...own, factorId: factor.id, ip: addressOf(caller) }, now);
  });
  const expires_at = Math.floor(now.getTime() / 1000) + parts.settings.MFA_CHALLENGE_EXPIRY_DURATION;
  return { id, type: factor.factor_type, expires_at };
}

async function challengePhone(
  parts: AuthParts,
  caller: AuthCaller,
  user: UserRow,
  factor: StoredFactor,
  channel: string,
) {
  const { settings } = parts;
  if (channel !== "" && channel !== "sms") {
    throw refuse(
      "validation_failed",
      "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
    );
  }
  const waited = parts.clock.now() - (factor.last_challenged_at?.getTime() ?? -Infinity);
  const left = Math.ceil(settings.MFA_PHONE_MAX_FREQUENCY - waited / 1000);
  if (left > 0) throw tooSoon("over_sms_send_rate_limit", left);
  const phone = factor.phone!;
  // Limited by number as well: a factor can be removed and recreated in no time, and each text costs money.
  await parts.database.transaction((tx) => checkTextInterval(parts, tx, "second step", phone, caller));
  const id = randomUUID();
  const code = newDigits(settings.MFA_PHONE_OTP_LENGTH);
  const text = fillTemplate(settings.MFA_PHONE_TEMPLATE, code);
  const sealed = parts.atRest.seal(code, id);
  const own = { id, otpCode: sealed };
  if (!parts.sendSms) throw refuse("unexpected_failure", "Failed to get SMS provider");
  // Before the transaction: nothing waits for a provider while it holds row locks.
  await parts.sendSms(phone, text).catch((error: unknown) => {
    throw refuse("unexpected_failure", "error sending message", { cause: error });
  });
  return begin(parts, caller, user, factor, own);
}

/** Registers the key while the factor is being set up, and signs with it afterwards. */
async function challengeWebAuthn(parts: AuthParts, caller: AuthCaller, user: UserRow, factor: StoredFactor) {
  const party = relyingParty(parts);
  const known = await findFactorCredentials(parts.database, user.id);
  const isNew = factor.status === "unverified";
  const publicKey = isNew
    ? await creationOptions(party, user, known, { userVerification: "preferred" })
    : await requestOptions(party, known, "preferred");
  const { challenge } = publicKey;
  const begun = await begin(parts, caller, user, factor, { webauthn: { challenge } });
  return { ...begun, webauthn: { type: isNew ? "create" : "request", credential_options: { publicKey } } };
}

/**
 * The factor's challenge, if it may still be answered. An expired one is returned as "expired" rather than thrown, so that
 * its deletion is committed along with the refusal.
 */
export async function openChallenge(
  { settings, clock }: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  factor: StoredFactor,
  id: string,
): Promise<ChallengeRow | "expired"> {
  const challenge = isUuid(id) ? await findChallenge(tx, factor.id, id, addressOf(caller)) : undefined;
  if (!challenge) {
    throw refuse("mfa_factor_not_found", "MFA factor with the provided challenge ID not found", {
      status: 422,
    });
  }
  if (challenge.verified_at !== null || !challenge.is_same_address) {
    throw refuse("mfa_ip_address_mismatch");
  }
  if (challenge.created_at.getTime() + settings.MFA_CHALLENGE_EXPIRY_DURATION * 1000 < clock.now()) {
    await deleteChallenge(tx, challenge.id);
    return "expired";
  }
  return challenge;
}

export const challengeExpired = (id: string) =>
  refuse(
    "mfa_challenge_expired",
    `MFA challenge ${id} has expired, verify against another challenge or create a new challenge.`,
  );
