// A new account, however its owner came: by mail, phone or provider, anonymously, or created by an administrator.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import type { AuthParts } from "../parts.ts";
import {
  findUserById,
  insertIdentity,
  insertUser,
  type NewIdentity,
  type NewUser,
  type UserRow,
} from "./queries.ts";

export type NewAccount = Partial<Omit<NewUser, "appMetadata">> & {
  readonly identities: readonly NewIdentity[];
  /** Added to provider and providers, which come from the identities. */
  readonly appMetadata?: Readonly<Record<string, unknown>> | undefined;
  /** Stored as given. */
  readonly userMetadata?: Readonly<Record<string, unknown>>;
};

/** Creates the user with its identities, in the caller's transaction. Undefined when the address, phone number or id is taken. */
export async function createUser(
  parts: AuthParts,
  tx: Executor,
  given: NewAccount,
  now: Date,
): Promise<UserRow | undefined> {
  const id = given.id ?? randomUUID();
  const providers = [...new Set(given.identities.map(({ provider }) => provider))];
  const user: NewUser = {
    id,
    email: given.email ?? null,
    phone: given.phone ?? null,
    encryptedPassword: given.encryptedPassword ?? null,
    emailConfirmedAt: given.emailConfirmedAt ?? null,
    phoneConfirmedAt: given.phoneConfirmedAt ?? null,
    invitedAt: given.invitedAt ?? null,
    appMetadata: {
      ...(providers.length > 0 && { provider: providers[0], providers }),
      ...given.appMetadata,
    },
    userMetadata: given.userMetadata ?? {},
    aud: parts.settings.JWT_AUD,
    role: given.role || parts.settings.JWT_DEFAULT_GROUP_NAME,
    isAnonymous: given.isAnonymous ?? false,
    isSsoUser: given.isSsoUser ?? false,
  };
  if (!(await insertUser(tx, user, now))) return undefined;
  for (const { provider, providerId = id, data } of given.identities) {
    await insertIdentity(tx, { userId: id, provider, providerId, data: { sub: providerId, ...data } }, now);
  }
  return findUserById(tx, id, "no lock");
}
