// The identity for a user's own address or number. A user who came without one, through a provider or anonymously, gets it
// with the first address they confirm.
import type { Executor } from "../../postgres/executor.ts";
import { insertIdentity, updateIdentity, updateUser, type UserRow } from "./queries.ts";

/** Merges `data` into it, or creates it and names its provider in the app metadata. */
export async function putOwnIdentity(
  tx: Executor,
  user: UserRow,
  provider: "email" | "phone",
  data: Record<string, unknown>,
  now: Date,
): Promise<void> {
  if (await updateIdentity(tx, user.id, provider, data, now)) return;
  const identity = { userId: user.id, provider, providerId: user.id, data: { sub: user.id, ...data } };
  await insertIdentity(tx, identity, now);
  const providers = [...new Set([...user.identities.map((each) => each.provider), provider])].toSorted();
  const before = user.raw_app_meta_data ?? {};
  const metadata = { ...before, provider: before["provider"] ?? provider, providers };
  await updateUser(tx, user.id, { raw_app_meta_data: metadata }, now);
}
