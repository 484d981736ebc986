// The account of someone who first signs in with a code. It has no password.
import type { Executor } from "../../postgres/executor.ts";
import { createUser, type NewAccount } from "../account/new-user.ts";
import type { UserRow } from "../account/queries.ts";
import { refuse } from "../errors.ts";
import { findSignUps, insertSignUp } from "../links/queries.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";

export interface CodeAccount extends Pick<
  NewAccount,
  "id" | "email" | "phone" | "emailConfirmedAt" | "phoneConfirmedAt"
> {
  readonly provider: "email" | "phone";
  readonly identity: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Finds the account by its address or number. */
  readonly find: () => Promise<UserRow | undefined>;
}

/** Creates the account or finds it: of two simultaneous requests for a new address, the second finds what the first created. */
export async function newCodeAccount(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  { provider, identity, metadata, find, ...given }: CodeAccount,
  now: Date,
): Promise<UserRow> {
  if (parts.settings.DISABLE_SIGNUP) throw refuse("signup_disabled");
  const account = {
    ...given,
    userMetadata: { ...metadata, ...identity },
    identities: [{ provider, data: identity }],
  };
  const user = (await createUser(parts, tx, account, now)) ?? (await find());
  if (!user) throw refuse("unexpected_failure", "Database error finding user");
  return user;
}

/** Stores what opening the code confirms. An account an administrator created has no sign-up and keeps its metadata. */
export async function keepCodeSignUp(
  tx: Executor,
  user: UserRow,
  { isNew, tokenHash, metadata }: { isNew: boolean; tokenHash: string; metadata: Record<string, unknown> },
  now: Date,
): Promise<void> {
  if (!isNew && (await findSignUps(tx, user.id)).length === 0) return;
  await insertSignUp(tx, { tokenHash, userId: user.id, encryptedPassword: null, metadata }, now);
}
