// A sign-up that nobody confirmed, used or was invited to. Anyone can make one with an address or a number of somebody else, so
// it does not keep the owner from moving an account there, and gives way once the owner has proven the address.
import type { Executor } from "../../postgres/executor.ts";
import { keptBy } from "../admin/deletion.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { deleteUnclaimed, type UserRow } from "./queries.ts";

/** For the user who has just proven to own `value`, in the transaction that gives it to them. */
export async function releaseUnclaimed(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  by: "email" | "phone",
  value: string,
): Promise<void> {
  const id = await deleteUnclaimed(tx, by, value, user.id).catch((error: unknown) => {
    throw keptBy(error) ? refuse(`${by}_exists`, undefined, { cause: error }) : error;
  });
  if (id === undefined) return;
  await audit(parts, tx, caller, "user_deleted", user, { user_id: id, [`user_${by}`]: value });
}
