// Inviting someone by mail: the account becomes theirs once they open the link.
import { administrator, audit } from "../audit.ts";
import { createUser } from "../account/new-user.ts";
import { findUserByEmail, findUserById, updateUser, type UserRow } from "../account/queries.ts";
import { userView, type UserView } from "../account/user-view.ts";
import { refuse } from "../errors.ts";
import { parseEmail } from "../http/requests.ts";
import { type FreshLink, prepareLink } from "../links/links.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import type { Executor } from "../../postgres/executor.ts";

export interface Invitation {
  readonly email: string;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** GoTrue's POST /invite. An account that is not yet confirmed may be invited again. */
export async function invite(parts: AuthParts, caller: AuthCaller, given: Invitation): Promise<UserView> {
  const email = parseEmail(given.email);
  const { user } = await parts.database.transaction((tx) =>
    inviteIn(parts, tx, caller, { ...given, email }, "mailed"),
  );
  parts.outbox.poke();
  return userView(user);
}

/** Runs in the caller's transaction. `email` is parsed. */
export async function inviteIn(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  { email, data = {} }: Invitation,
  how: "mailed" | "handed over",
): Promise<{ user: UserRow; link: FreshLink }> {
  const now = new Date(parts.clock.now());
  const known = await findUserByEmail(tx, email, "for update");
  if (known?.email_confirmed_at) throw refuse("email_exists");
  const user = known ?? (await createUser(parts, tx, newcomer(email, data), now));
  if (!user) throw refuse("email_exists");
  const traits = { user_id: user.id, user_email: email };
  await audit(parts, tx, caller, "user_invited", administrator(caller), traits);
  await updateUser(tx, user.id, { invited_at: now }, now);
  const link = await prepareLink(parts, tx, caller, user, {
    kind: "invite",
    to: email,
    mailed: how === "mailed",
  });
  return { user: (await findUserById(tx, user.id, "no lock"))!, link };
}

/** An account an administrator creates: its metadata is what the administrator gave. */
const newcomer = (email: string, data: Readonly<Record<string, unknown>>) => ({
  email,
  userMetadata: data,
  identities: [{ provider: "email", data: { email, email_verified: false, phone_verified: false } }],
});
