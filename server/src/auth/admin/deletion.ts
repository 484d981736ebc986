// Deleting a user for good, or softly: the row stays and reveals nothing about them.
import { createHash } from "node:crypto";
import type { ServiceError } from "../../platform/errors.ts";
import type { Executor } from "../../postgres/executor.ts";
import { administrator, audit } from "../audit.ts";
import { deleteUser, type UserRow } from "../account/queries.ts";
import { refuse } from "../errors.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { blankUser } from "./queries.ts";

export async function removeUser(
  parts: AuthParts,
  caller: AuthCaller,
  user: UserRow,
  isSoft: boolean,
): Promise<void> {
  await parts.database.transaction(async (tx) => {
    const traits = { user_id: user.id, user_email: user.email, user_phone: user.phone };
    await audit(parts, tx, caller, "user_deleted", administrator(caller), traits);
    const work = isSoft ? blank(parts, tx, user) : destroy(tx, user);
    await work.catch((error: unknown) => {
      throw keptBy(error) ?? error;
    });
  });
}

async function destroy(tx: Executor, user: UserRow): Promise<void> {
  if (!(await deleteUser(tx, user.id))) throw refuse("user_not_found");
}

/** The address and number become free again; whatever refers to the user stays. */
async function blank(parts: AuthParts, tx: Executor, user: UserRow): Promise<void> {
  if (user.deleted_at) return;
  const veil = (value: string) =>
    createHash("sha256")
      .update(user.id + value)
      .digest("base64url");
  const identities = user.identities.map(({ id, provider, provider_id }) => ({
    id,
    provider_id: veil(`${provider}:${provider_id}`),
  }));
  const now = new Date(parts.clock.now());
  await blankUser(
    tx,
    user.id,
    { email: veil(user.email ?? ""), phone: veil(user.phone ?? "").slice(0, 15), identities },
    now,
  );
}

/** The refusal when a database rule prevents the deletion: rows that must not lose the user, or the last administrator. */
export function keptBy(error: unknown): ServiceError | undefined {
  const { code, table, message } = error as { code?: string; table?: string; message: string };
  if (code === "23503" || code === "23001") {
    return refuse("conflict", `The user cannot be deleted: ${table} still refers to them`, { cause: error });
  }
  return code === "23514" ? refuse("conflict", message, { cause: error }) : undefined;
}
