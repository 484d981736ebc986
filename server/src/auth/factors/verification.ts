// Answering a challenge, which raises the session to aal2. A right answer works once: it uses up the challenge and also the
// code, for any other challenge too. Wrong answers count like wrong passwords.
import { timingSafeEqual } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import type { UserRow } from "../account/queries.ts";
import { findUserById } from "../account/queries.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { type Guess, withGuess } from "../limits/back-off.ts";
import { notifyOwner } from "../mails/notices.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import type { AuthMethod } from "../sessions/queries.ts";
import { isBanned, type SignedIn, strengthenSession } from "../sessions/sessions.ts";
import { challengeExpired, openChallenge, requireFactor, requireRaisable } from "./challenges.ts";
import { requireSession, type SessionAccount } from "./enrollment.ts";
import { type FactorType, METHOD_OF_FACTOR, WORDS_OF_FACTOR } from "./methods.ts";
import {
  type ChallengeRow,
  deleteChallenge,
  deleteUnverifiedFactors,
  endSessionsBelowAal2,
  type FactorChanges,
  findFactor,
  findFactors,
  lockFactors,
  markChallengeVerified,
  type StoredFactor,
  updateFactor,
} from "./queries.ts";
import { stepOfCode } from "./totp.ts";
import type { Verdict } from "./verdict.ts";
import { checkWebAuthn, type WebAuthnAnswer } from "./webauthn.ts";

export interface FactorAnswer {
  readonly challenge_id: string;
  readonly code: string;
  readonly webauthn?: WebAuthnAnswer | undefined;
}

export async function verifyFactor(
  parts: AuthParts,
  caller: AuthCaller,
  id: string,
  given: FactorAnswer,
): Promise<SignedIn> {
  const { user, session } = await requireSession(parts, caller);
  const known = await requireFactor(parts.database, user.id, id);
  const type = answerable(parts, known, given);
  const guessed = { kind: "second step", subject: user.id, userId: () => user.id } as const;
  return withGuess(parts, caller, guessed, (guess) =>
    judgeAnswer(parts, caller, { user, session }, { known, type, given }, guess),
  );
}

async function judgeAnswer(
  parts: AuthParts,
  caller: AuthCaller,
  { user, session }: SessionAccount,
  { known, type, given }: { known: StoredFactor; type: ReturnType<typeof answerable>; given: FactorAnswer },
  guess: Guess,
): Promise<SignedIn> {
  const outcome = await parts.database.transaction(async (tx) => {
    await lockFactors(tx, user.id);
    // Locked: if the same code is sent twice at once, the second finds it used.
    const factor = await findFactor(tx, user.id, known.id, "for update");
    if (!factor) throw refuse("mfa_factor_not_found", "Factor not found");
    requireRaisable({ factors: await findFactors(tx, user.id) }, session, factor);
    const challenge = await openChallenge(parts, tx, caller, factor, given.challenge_id);
    if (challenge === "expired") return challenge;
    const verdict = await judge(parts, tx, factor, challenge, given);
    if ("refusal" in verdict) return verdict;
    await spend(parts, tx, factor, challenge, verdict.changes);
    const traits = { factor_id: factor.id, challenge_id: challenge.id, factor_type: type };
    await audit(parts, tx, caller, "verification_attempted", user, traits);
    await guess.isRight(tx);
    if (factor.status === "unverified")
      await notifyOwner(parts, tx, user, "mfa_factor_enrolled", WORDS_OF_FACTOR[type]);
    return raise(parts, tx, caller, { user, sessionId: session.id, factor, method: METHOD_OF_FACTOR[type] });
  });
  if (outcome === "expired") throw challengeExpired(given.challenge_id);
  if ("refusal" in outcome) {
    guess.isWrong();
    throw outcome.refusal;
  }
  parts.outbox.poke();
  return outcome;
}

/** Refuses a disabled factor type, and an answer of a different type than the factor. */
function answerable(
  { settings }: AuthParts,
  { factor_type: type }: StoredFactor,
  given: FactorAnswer,
): Exclude<FactorType, "recovery_code"> {
  if (given.code === "" && type !== "webauthn") {
    throw refuse("validation_failed", "Code needs to be non-empty");
  }
  if (type === "recovery_code") {
    throw refuse("validation_failed", "factor_type needs to be totp, phone, or webauthn");
  }
  if (type === "totp" && !settings.MFA_TOTP_VERIFY_ENABLED) throw refuse("mfa_totp_verify_not_enabled");
  if (type === "phone" && !settings.MFA_PHONE_VERIFY_ENABLED) throw refuse("mfa_phone_verify_not_enabled");
  if (type === "webauthn" && !settings.MFA_WEB_AUTHN_VERIFY_ENABLED) {
    throw refuse("mfa_webauthn_verify_not_enabled");
  }
  return type;
}

async function judge(
  parts: AuthParts,
  tx: Executor,
  factor: StoredFactor,
  challenge: ChallengeRow,
  given: FactorAnswer,
): Promise<Verdict> {
  switch (factor.factor_type) {
    case "totp":
      return judgeTotp(parts, factor, given.code);
    case "phone": {
      const code = challenge.otp_code && parts.atRest.open(challenge.otp_code, challenge.id);
      const isRight = code !== null && code !== undefined && sameText(code, given.code.trim());
      return isRight ? { changes: {} } : wrong("Invalid MFA Phone code entered");
    }
    default:
      return checkWebAuthn(parts, tx, factor, challenge, given.webauthn);
  }
}

function judgeTotp({ atRest, clock }: AuthParts, factor: StoredFactor, code: string): Verdict {
  const secret = factor.secret && atRest.open(factor.secret, factor.id);
  if (!secret) {
    throw refuse("unexpected_failure", "Database error verifying MFA TOTP secret");
  }
  const step = stepOfCode(secret, code, clock.now());
  // A code seen over a shoulder or by a page in between is worthless once it has been used.
  const isUsed =
    step !== undefined && factor.last_totp_step !== null && step <= Number(factor.last_totp_step);
  return step === undefined || isUsed
    ? wrong("Invalid TOTP code entered")
    : { changes: { last_totp_step: step } };
}

const wrong = (message: string): Verdict => ({ refusal: refuse("mfa_verification_failed", message) });

function sameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

async function spend(
  { clock }: AuthParts,
  tx: Executor,
  factor: StoredFactor,
  challenge: ChallengeRow,
  changes: FactorChanges,
): Promise<void> {
  const now = new Date(clock.now());
  if (factor.factor_type === "webauthn") await deleteChallenge(tx, challenge.id);
  else await markChallengeVerified(tx, challenge.id, now);
  await updateFactor(tx, factor.id, { ...changes, status: "verified" }, now);
}

/** The session becomes aal2; other sessions below aal2 end, and unfinished factors are deleted. */
export async function raise(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  by: {
    user: UserRow;
    sessionId: string;
    factor: Pick<StoredFactor, "id">;
    method: AuthMethod;
  },
): Promise<SignedIn> {
  const { user, sessionId, factor, method } = by;
  await deleteUnverifiedFactors(tx, user.id);
  // Read again: the factor is now verified, and the answer shows it.
  const current = (await findUserById(tx, user.id, "no lock"))!;
  if (isBanned(current, new Date(parts.clock.now()))) throw refuse("user_banned");
  const raised = { method, aal: "aal2", factorId: factor.id } as const;
  const signedIn = await strengthenSession(parts, tx, caller, current, sessionId, raised);
  await endSessionsBelowAal2(tx, user.id);
  return signedIn;
}
