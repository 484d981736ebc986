// Removing a factor: by its owner, and by an administrator with the service key.
import { isDuplicate } from "../account/email-change.ts";
import type { UserRow } from "../account/queries.ts";
import { requireAgain, requireUser } from "../account/require-account.ts";
import { administrator, audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { parsePhone } from "../http/requests.ts";
import { notifyOwner } from "../mails/notices.ts";
import { METHOD_OF_FACTOR, WORDS_OF_FACTOR } from "./methods.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { requireFactor } from "./challenges.ts";
import { requireSession } from "./enrollment.ts";
import { deleteFactor, findFactors, lockFactors, lowerSessions, updateFactor } from "./queries.ts";

/** Sessions that the factor raised fall back to aal1. */
export async function removeFactor(
  parts: AuthParts,
  caller: AuthCaller,
  id: string,
): Promise<{ id: string }> {
  const account = await requireSession(parts, caller);
  const { user, session } = account;
  const factor = await requireFactor(parts.database, user.id, id);
  if (factor.factor_type === "recovery_code") {
    throw refuse(
      "validation_failed",
      "Recovery codes cannot be unenrolled with this endpoint, use DELETE /factors/recovery-codes",
      { status: 422 },
    );
  }
  const isVerified = factor.status === "verified";
  if (isVerified && session.aal !== "aal2") {
    throw refuse("insufficient_aal", "AAL2 required to unenroll verified factor", { status: 422 });
  }
  await parts.database.transaction(async (tx) => {
    await requireAgain(parts, tx, account);
    if (isVerified) {
      const others = (await findFactors(tx, user.id)).filter(
        (one) => one.id !== factor.id && one.status === "verified",
      );
      const codes = others.some(({ factor_type }) => factor_type === "recovery_code");
      if (codes && others.length === 1) {
        throw refuse(
          "mfa_recovery_codes_sole_factor",
          "Recovery codes cannot be the only verified factor. Please enroll another factor before unenrolling this one or delete your recovery codes.",
        );
      }
    }
    await lowerSessions(tx, {
      userId: user.id,
      factorId: factor.id,
      method: METHOD_OF_FACTOR[factor.factor_type],
    });
    await deleteFactor(tx, factor.id);
    const traits = { factor_id: factor.id, factor_status: factor.status, session_id: session.id };
    await audit(parts, tx, caller, "factor_unenrolled", user, traits);
    if (isVerified)
      await notifyOwner(parts, tx, user, "mfa_factor_unenrolled", WORDS_OF_FACTOR[factor.factor_type]);
  });
  parts.outbox.poke();
  return { id: factor.id };
}

/** For an administrator: the user's factors as the owner sees them. */
export async function factorsOfUser(parts: AuthParts, userId: string): Promise<UserRow["factors"]> {
  return (await requireUser(parts, userId)).factors;
}

/** For an administrator: when a user has lost a factor. Recovery codes are removed along with the last other factor. */
export async function removeFactorOfUser(
  parts: AuthParts,
  caller: AuthCaller,
  userId: string,
  id: string,
): Promise<UserRow["factors"][number]> {
  const user = await requireUser(parts, userId);
  const factor = await requireFactor(parts.database, user.id, id);
  await parts.database.transaction(async (tx) => {
    await lockFactors(tx, user.id);
    const left = (await findFactors(tx, user.id)).filter(
      (one) => one.id !== factor.id && one.status === "verified",
    );
    const gone = left.every(({ factor_type }) => factor_type === "recovery_code")
      ? [factor, ...left]
      : [factor];
    for (const one of gone) {
      await lowerSessions(tx, {
        userId: user.id,
        factorId: one.id,
        method: METHOD_OF_FACTOR[one.factor_type],
      });
      await deleteFactor(tx, one.id);
      await audit(parts, tx, caller, "factor_deleted", administrator(caller), {
        user_id: user.id,
        factor_id: one.id,
      });
    }
    if (factor.status === "verified")
      await notifyOwner(parts, tx, user, "mfa_factor_unenrolled", WORDS_OF_FACTOR[factor.factor_type]);
  });
  parts.outbox.poke();
  return user.factors.find((one) => one.id === factor.id)!;
}

/** For an administrator: changes the name, or the number of a phone. */
export async function editFactorOfUser(
  parts: AuthParts,
  caller: AuthCaller,
  userId: string,
  id: string,
  given: { friendly_name: string; phone: string },
): Promise<UserRow["factors"][number]> {
  const user = await requireUser(parts, userId);
  const factor = await requireFactor(parts.database, user.id, id);
  const phone = given.phone === "" ? undefined : parsePhone(given.phone);
  await parts.database.transaction(async (tx) => {
    const changes = {
      ...(given.friendly_name !== "" && { friendly_name: given.friendly_name }),
      ...(phone !== undefined && factor.factor_type === "phone" && { phone }),
    };
    await updateFactor(tx, factor.id, changes, new Date(parts.clock.now())).catch((error: unknown) => {
      throw isDuplicate(error) ? refuse("mfa_factor_name_conflict", undefined, { cause: error }) : error;
    });
    const traits = { user_id: user.id, factor_id: factor.id, factor_type: factor.factor_type };
    await audit(parts, tx, caller, "factor_updated", administrator(caller), traits);
  });
  return (await requireUser(parts, userId)).factors.find((one) => one.id === factor.id)!;
}
