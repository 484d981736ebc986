// Confirms that an address or a phone number belongs to its user.
import type { Executor } from "../../postgres/executor.ts";
import { findUserById, updateIdentity, updateUser, type UserRow } from "../account/queries.ts";
import { identityData, phoneIdentityData } from "../account/user-view.ts";
import type { Claimed } from "../sign-up/claims.ts";
import { deleteOneTimeTokens, deleteSignUps } from "./queries.ts";

/** `claim` replaces password and metadata. `kept`: the token that stays valid. */
export function confirmEmail(
  tx: Executor,
  user: UserRow,
  now: Date,
  claim?: Claimed,
  kept?: string,
): Promise<UserRow> {
  const verified = { email_verified: true };
  const data = claim ? identityData(user.id, user.email!, true) : verified;
  return confirm(tx, user, now, {
    column: "email_confirmed_at",
    provider: "email",
    data,
    verified,
    claim,
    kept,
  });
}

/** As above for a phone number. */
export function confirmPhone(tx: Executor, user: UserRow, now: Date, claim?: Claimed): Promise<UserRow> {
  const verified = { phone_verified: true };
  const data = claim ? phoneIdentityData(user.id, user.phone!, true) : verified;
  return confirm(tx, user, now, { column: "phone_confirmed_at", provider: "phone", data, verified, claim });
}

interface Confirmation {
  readonly column: "email_confirmed_at" | "phone_confirmed_at";
  readonly provider: "email" | "phone";
  readonly data: Record<string, unknown>;
  readonly verified: Record<string, boolean>;
  readonly claim: Claimed | undefined;
  readonly kept?: string | undefined;
}

async function confirm(
  tx: Executor,
  user: UserRow,
  now: Date,
  { column, provider, data, verified, claim, kept }: Confirmation,
): Promise<UserRow> {
  const changes = {
    [column]: now,
    raw_user_meta_data: { ...(claim ? claim.metadata : user.raw_user_meta_data), ...data },
    ...(claim && { encrypted_password: claim.encryptedPassword }),
  };
  await updateUser(tx, user.id, changes, now);
  await updateIdentity(tx, user.id, provider, verified, now);
  await deleteOneTimeTokens(tx, user.id, ["confirmation_token"], kept);
  await deleteSignUps(tx, user.id, claim?.waiting);
  return (await findUserById(tx, user.id, "no lock"))!;
}
