// Passkeys of an account: listed, renamed and removed, by their owner or by an administrator with the service key.
import { MAX_CREDENTIAL_NAME } from "contract/credentials";
import { requireAgain, requireNamedAccount, requireUser } from "../account/require-account.ts";
import { administrator, audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { isUuid } from "../http/requests.ts";
import { notifyOwner } from "../mails/notices.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { deletePasskey, findPasskey, findPasskeys, type PasskeyRow, renamePasskey } from "./queries.ts";
import { requireManagement } from "./registration.ts";

const listItem = (row: PasskeyRow) => ({
  id: row.id,
  ...(row.friendly_name !== "" && { friendly_name: row.friendly_name }),
  created_at: row.created_at,
  ...(row.last_used_at && { last_used_at: row.last_used_at }),
});

export async function listPasskeys(parts: AuthParts, caller: AuthCaller) {
  const { user } = await requireNamedAccount(parts, caller);
  return (await findPasskeys(parts.database, user.id)).map(listItem);
}

export async function editPasskey(
  parts: AuthParts,
  caller: AuthCaller,
  id: string,
  given: { friendly_name: string },
) {
  const { user } = await requireNamedAccount(parts, caller);
  const name = given.friendly_name;
  if (name === "") throw refuse("validation_failed", "friendly_name is required");
  if ([...name].length > MAX_CREDENTIAL_NAME) {
    throw refuse("validation_failed", `friendly_name must be ${MAX_CREDENTIAL_NAME} characters or less`);
  }
  const passkey = await requirePasskey(parts, user.id, id);
  const now = new Date(parts.clock.now());
  await parts.database.transaction(async (tx) => {
    await renamePasskey(tx, passkey.id, name, now);
    await audit(parts, tx, caller, "passkey_updated", user, { passkey_id: passkey.id });
  });
  return listItem({ ...passkey, friendly_name: name });
}

export async function removePasskey(parts: AuthParts, caller: AuthCaller, id: string): Promise<void> {
  const account = await requireManagement(parts, caller);
  const { user } = account;
  const passkey = await requirePasskey(parts, user.id, id);
  await parts.database.transaction(async (tx) => {
    await requireAgain(parts, tx, account);
    await deletePasskey(tx, passkey.id);
    await audit(parts, tx, caller, "passkey_deleted", user, { passkey_id: passkey.id });
    await notifyOwner(parts, tx, user, "passkey_deleted");
  });
  parts.outbox.poke();
}

/** For an administrator. */
export async function passkeysOfUser(parts: AuthParts, userId: string) {
  const user = await requireUser(parts, userId);
  return (await findPasskeys(parts.database, user.id)).map(listItem);
}

/** For an administrator. */
export async function removePasskeyOfUser(
  parts: AuthParts,
  caller: AuthCaller,
  userId: string,
  id: string,
): Promise<void> {
  const user = await requireUser(parts, userId);
  const passkey = await requirePasskey(parts, user.id, id);
  await parts.database.transaction(async (tx) => {
    await deletePasskey(tx, passkey.id);
    await audit(parts, tx, caller, "passkey_deleted", administrator(caller), {
      user_id: passkey.user_id,
      passkey_id: passkey.id,
    });
    await notifyOwner(parts, tx, user, "passkey_deleted");
  });
  parts.outbox.poke();
}

async function requirePasskey(parts: AuthParts, userId: string, id: string): Promise<PasskeyRow> {
  const passkey = isUuid(id) ? await findPasskey(parts.database, userId, id) : undefined;
  if (!passkey) throw refuse("validation_failed", "Passkey not found", { status: 404 });
  return passkey;
}
