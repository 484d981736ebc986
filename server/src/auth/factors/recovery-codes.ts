// Recovery codes: a set of ten that stand in for a lost phone. Each works once; the database keeps keyed hashes, so the codes are
// shown when they are made and never again. They are never the only second factor.
import { randomInt, randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import type { UserRow } from "../account/queries.ts";
import { requireAgain, requireNamedAccount } from "../account/require-account.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { notifyOwner } from "../mails/notices.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import type { SignedIn } from "../sessions/sessions.ts";
import { checkRoom, requireSession } from "./enrollment.ts";
import { deleteFactor, insertFactor, lockFactors, lowerSessions } from "./queries.ts";
import {
  type CodeSet,
  countCodes,
  findCodeSet,
  findUnusedCode,
  insertCodeSet,
  setCodeFailures,
  replaceCodes,
  useCode,
} from "./recovery-queries.ts";
import { METHOD_OF_FACTOR } from "./methods.ts";
import { raise } from "./verification.ts";

const NAME = "Recovery codes";
/** 32 letters and digits that cannot be mistaken for one another: five bits each. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** Accepts what people type: drops the blanks and hyphens that aid reading, and converts to capitals. */
const normal = (code: string) => code.replaceAll(/[\s-]/g, "").toUpperCase();

const newCode = (length: number) =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** Salted by set: the same code of two people has two hashes. */
const hashOf = ({ atRest }: AuthParts, setId: string, code: string) => atRest.hash(`${setId} ${code}`);

function newCodes(parts: AuthParts, setId: string): { codes: string[]; hashes: string[] } {
  const { MFA_RECOVERY_CODES_COUNT: count, MFA_RECOVERY_CODES_CODE_LENGTH: length } = parts.settings;
  const codes = new Set<string>();
  while (codes.size < count) codes.add(newCode(length));
  return { codes: [...codes], hashes: [...codes].map((code) => hashOf(parts, setId, code)) };
}

const notEnrolled = () =>
  refuse("mfa_factor_not_found", "The user has not enrolled recovery codes", { status: 404 });

/** How many are left, never which ones. */
export async function recoveryCodesStatus(parts: AuthParts, caller: AuthCaller) {
  const { user } = await requireNamedAccount(parts, caller);
  const set = await findCodeSet(parts.database, user.id);
  if (!set) throw notEnrolled();
  return { id: set.mfa_factor_id, type: "recovery_code", ...(await countCodes(parts.database, set.id)) };
}

export async function generateRecoveryCodes(
  parts: AuthParts,
  caller: AuthCaller,
  given: { friendly_name: string },
) {
  if (!parts.settings.MFA_RECOVERY_CODES_ENROLL_ENABLED)
    throw refuse("mfa_recovery_codes_enroll_not_enabled");
  const account = await requireAal2(parts, caller, "generate");
  const { user } = account;
  const now = new Date(parts.clock.now());
  const friendlyName = given.friendly_name || NAME;
  const [factorId, setId] = [randomUUID(), randomUUID()];
  const { codes, hashes } = newCodes(parts, setId);
  await parts.database.transaction(async (tx) => {
    await requireAgain(parts, tx, account);
    if (await findCodeSet(tx, user.id)) {
      throw refuse(
        "mfa_verified_factor_exists",
        "Recovery codes are already enrolled for this user, use regenerate to rotate them",
      );
    }
    const factors = await checkRoom(parts, tx, user.id, { friendlyName, isAal2: true });
    if (!factors.some(({ status }) => status === "verified")) {
      throw refuse(
        "mfa_recovery_codes_sole_factor",
        "At least one other verified factor is required to generate recovery codes",
      );
    }
    const factor = {
      id: factorId,
      userId: user.id,
      type: "recovery_code",
      friendlyName,
      status: "verified",
    } as const;
    await insertFactor(tx, factor, now);
    await insertCodeSet(tx, { id: setId, userId: user.id, factorId, hashes }, now);
    const traits = { factor_id: factorId, count: codes.length };
    await audit(parts, tx, caller, "generate_recovery_codes", user, traits);
    await notifyOwner(parts, tx, user, "recovery_codes_created");
  });
  parts.outbox.poke();
  return { id: factorId, type: "recovery_code", friendly_name: friendlyName, total: codes.length, codes };
}

/** Replaces the existing codes, which stop working. */
export async function regenerateRecoveryCodes(parts: AuthParts, caller: AuthCaller) {
  if (!parts.settings.MFA_RECOVERY_CODES_ENROLL_ENABLED)
    throw refuse("mfa_recovery_codes_enroll_not_enabled");
  const account = await requireAal2(parts, caller, "regenerate");
  const { user } = account;
  const made = await parts.database.transaction(async (tx) => {
    await requireAgain(parts, tx, account);
    const set = await findCodeSet(tx, user.id, "for update");
    if (!set) throw notEnrolled();
    const { codes, hashes } = newCodes(parts, set.id);
    await replaceCodes(tx, set.id, hashes, new Date(parts.clock.now()));
    const traits = { factor_id: set.mfa_factor_id, count: codes.length };
    await audit(parts, tx, caller, "generate_recovery_codes", user, traits);
    await notifyOwner(parts, tx, user, "recovery_codes_replaced");
    return {
      id: set.mfa_factor_id,
      type: "recovery_code",
      friendly_name: set.friendly_name ?? NAME,
      total: codes.length,
      codes,
    };
  });
  parts.outbox.poke();
  return made;
}

/** Uses a code up; the session becomes aal2. */
export async function verifyRecoveryCode(
  parts: AuthParts,
  caller: AuthCaller,
  given: { code: string },
): Promise<SignedIn> {
  const { user, session } = await requireSession(parts, caller);
  if (!parts.settings.MFA_RECOVERY_CODES_VERIFY_ENABLED)
    throw refuse("mfa_recovery_codes_verify_not_enabled");
  const code = normal(given.code);
  if (code === "") throw refuse("validation_failed", "Code needs to be non-empty");
  const outcome = await parts.database.transaction(async (tx) => {
    await lockFactors(tx, user.id);
    // Locked, so that simultaneous guesses are counted one after the other.
    const set = await findCodeSet(tx, user.id, "for update");
    if (!set) return "wrong";
    const now = parts.clock.now();
    const wait = (set.verification_locked_until?.getTime() ?? 0) - now;
    if (wait > 0)
      throw refuse("mfa_recovery_codes_locked", undefined, { retryAfter: Math.ceil(wait / 1000) });
    const codeId = await findUnusedCode(tx, set.id, hashOf(parts, set.id, code));
    if (codeId !== undefined) return use(parts, tx, caller, { user, sessionId: session.id, set, codeId });
    await setCodeFailures(tx, set, lockOf(parts, set, now));
    return "wrong";
  });
  // Committed, not thrown: the count must outlive the refusal.
  if (outcome === "wrong") throw refuse("mfa_verification_failed", "Invalid recovery code entered");
  parts.outbox.poke();
  return outcome;
}

function lockOf({ settings }: AuthParts, set: CodeSet, now: number) {
  const wasLocked = set.verification_locked_until !== null;
  const failures = wasLocked ? 1 : set.failed_verification_count + 1;
  const locked = failures >= settings.MFA_RECOVERY_CODES_MAX_VERIFY_ATTEMPTS;
  const until = locked ? new Date(now + settings.MFA_RECOVERY_CODES_LOCKOUT_DURATION * 1000) : null;
  return { failures, until };
}

async function use(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  by: { user: UserRow; sessionId: string; set: CodeSet; codeId: string },
): Promise<SignedIn> {
  const { user, sessionId, set } = by;
  await useCode(tx, by.codeId, new Date(parts.clock.now()));
  await setCodeFailures(tx, set, { failures: 0, until: null });
  const { remaining } = await countCodes(tx, set.id);
  await audit(parts, tx, caller, "mfa_code_login", user, { factor_id: set.mfa_factor_id, remaining });
  await notifyOwner(parts, tx, user, "recovery_code_used", String(remaining));
  const factor = { id: set.mfa_factor_id };
  return raise(parts, tx, caller, { user, sessionId, factor, method: METHOD_OF_FACTOR.recovery_code });
}

export async function deleteRecoveryCodes(parts: AuthParts, caller: AuthCaller): Promise<{ id: string }> {
  const account = await requireAal2(parts, caller, "delete");
  const { user, session } = account;
  const removed = await parts.database.transaction(async (tx) => {
    await requireAgain(parts, tx, account);
    const set = await findCodeSet(tx, user.id, "for update");
    if (!set) throw notEnrolled();
    const gone = { userId: user.id, factorId: set.mfa_factor_id, method: METHOD_OF_FACTOR.recovery_code };
    await lowerSessions(tx, { ...gone, keep: session.id });
    await deleteFactor(tx, set.mfa_factor_id);
    await audit(parts, tx, caller, "recovery_codes_deleted", user, { factor_id: set.mfa_factor_id });
    await notifyOwner(parts, tx, user, "recovery_codes_removed");
    return { id: set.mfa_factor_id };
  });
  parts.outbox.poke();
  return removed;
}

async function requireAal2(parts: AuthParts, caller: AuthCaller, what: string) {
  const account = await requireSession(parts, caller);
  if (account.session.aal !== "aal2") {
    throw refuse("insufficient_aal", `AAL2 required to ${what} recovery codes`, { status: 403 });
  }
  return account;
}
