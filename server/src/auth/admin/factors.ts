// Another's second factors, as an administrator sees and removes them: a lost phone must not lose an account.
import { audit, SERVICE_ACTOR } from "../audit.ts";
import { isDuplicate } from "../account/email-change.ts";
import { type FactorRow, findUserById, type UserRow } from "../account/queries.ts";
import { factorView } from "../account/user-view.ts";
import { refuse } from "../errors.ts";
import { isUuid, parsePhone } from "../http/requests.ts";
import type { AuthParts, Caller } from "../parts.ts";
import { deleteFactor, renameFactor, weakenSessions } from "./queries.ts";

/** What the session of a factor says of it. */
const METHODS = { totp: "totp", phone: "mfa/phone", webauthn: "mfa/webauthn" } as const;

export const listFactors = (user: UserRow) => user.factors.map(factorView);

function requireFactor(user: UserRow, id: string): FactorRow {
  if (!isUuid(id)) throw refuse("validation_failed", "factor_id must be an UUID", { status: 404 });
  const factor = user.factors.find((one) => one.id === id.toLowerCase());
  if (!factor) throw refuse("mfa_factor_not_found");
  return factor;
}

/** Sessions that it made stronger are as weak as before. */
export async function removeFactor(parts: AuthParts, caller: Caller, user: UserRow, id: string) {
  const factor = requireFactor(user, id);
  await parts.database.transaction(async (tx) => {
    await audit(parts, tx, caller, "factor_deleted", user, { user_id: user.id, factor_id: factor.id });
    await weakenSessions(tx, user.id, factor.id, METHODS[factor.factor_type]);
    if (!(await deleteFactor(tx, user.id, factor.id))) throw refuse("mfa_factor_not_found");
  });
  return factorView(factor);
}

export async function editFactor(
  parts: AuthParts,
  caller: Caller,
  user: UserRow,
  id: string,
  given: { friendly_name: string; phone: string },
) {
  const factor = requireFactor(user, id);
  const changesPhone = given.phone !== "" && factor.factor_type === "phone";
  const changes = {
    name: given.friendly_name || undefined,
    phone: changesPhone ? parsePhone(given.phone) : undefined,
  };
  return parts.database.transaction(async (tx) => {
    await renameFactor(tx, factor.id, changes, new Date(parts.clock.now())).catch((error: unknown) => {
      throw isDuplicate(error) ? refuse("mfa_factor_name_conflict", undefined, { cause: error }) : error;
    });
    await audit(parts, tx, caller, "factor_updated", SERVICE_ACTOR, {
      ...{ user_id: user.id, factor_id: factor.id, factor_type: factor.factor_type },
    });
    const after = await findUserById(tx, user.id, "no lock");
    return factorView(after!.factors.find((one) => one.id === factor.id)!);
  });
}
