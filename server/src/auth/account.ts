// The signed-in user's own account: who a request belongs to, reading and changing oneself, and signing out.
import { audit } from "./audit.ts";
import { prepareEmailChange } from "./email-change.ts";
import { refuse } from "./errors.ts";
import { forgetLinks, mailLinks, type PreparedLink } from "./links.ts";
import type { Asker, AuthParts } from "./parts.ts";
import { checkStrength } from "./passwords.ts";
import {
  deleteSessions,
  findSession,
  findUserByEmail,
  findUserById,
  updateUser,
  type UserChanges,
  type UserRow,
} from "./queries.ts";
import { isUuid, parseEmail } from "./requests.ts";
import { userView, type UserView } from "./user-view.ts";

interface Account {
  readonly user: UserRow;
  /** Undefined for a token that belongs to no session (signed by hand with the project's secret). */
  readonly sessionId: string | undefined;
}

/** The user of the request's access token. A token outlives its session by up to an hour and is refused here. */
export async function requireAccount(parts: AuthParts, asker: Asker): Promise<Account> {
  const { sub, session_id: sessionId } = asker.claims;
  if (!sub) throw refuse("bad_jwt", "invalid claim: missing sub claim");
  if (!isUuid(sub)) throw refuse("bad_jwt", "invalid claim: sub claim must be a UUID");
  if (sessionId !== undefined && !isUuid(sessionId)) {
    throw refuse("bad_jwt", "invalid claim: session_id claim must be a UUID");
  }
  const [user, session] = await Promise.all([
    findUserById(parts.database, sub, "no lock"),
    sessionId === undefined ? undefined : findSession(parts.database, sessionId),
  ]);
  if (!user || user.deleted_at) {
    throw refuse("user_not_found", "User from sub claim in JWT does not exist", { status: 403 });
  }
  if (sessionId !== undefined && session?.user_id !== user.id) throw refuse("session_not_found");
  return { user, sessionId };
}

export interface AccountChanges {
  readonly email: string;
  readonly phone: string;
  readonly password?: string | undefined;
  readonly data?: Record<string, unknown> | undefined;
  readonly app_metadata?: Record<string, unknown> | undefined;
}

/** A new password ends all other sessions; a new address waits for both confirmations. */
export async function changeAccount(
  parts: AuthParts,
  asker: Asker,
  given: AccountChanges,
): Promise<UserView> {
  const { user: before, sessionId } = await requireAccount(parts, asker);
  const email = given.email === "" ? before.email : parseEmail(given.email);
  if (given.phone !== "") throw refuse("phone_provider_disabled", "Phone logins are disabled");
  if (given.app_metadata) throw refuse("not_admin", "Updating app_metadata requires admin privileges");
  const encryptedPassword =
    given.password === undefined ? undefined : await newPassword(parts, before, given.password);
  const now = new Date(parts.clock.now());

  const { user, links } = await parts.database.transaction(async (tx) => {
    const current = await findUserById(tx, before.id, "for update");
    if (!current) throw refuse("user_not_found");
    const changes: UserChanges = {};
    if (encryptedPassword !== undefined) {
      changes.encrypted_password = encryptedPassword;
      await deleteSessions(tx, current.id, sessionId === undefined ? "all" : { except: sessionId });
      await audit(parts, tx, asker, "user_updated_password", current);
    }
    if (given.data) changes.raw_user_meta_data = merged(current.raw_user_meta_data, given.data);
    let prepared: PreparedLink[] = [];
    if (email !== null && email !== current.email) {
      if (await findUserByEmail(tx, email, "no lock")) throw refuse("email_exists");
      prepared = await prepareEmailChange(parts, tx, current, email);
    }
    await updateUser(tx, current.id, changes, now);
    await audit(parts, tx, asker, "user_modified", current);
    return { user: (await findUserById(tx, current.id, "no lock"))!, links: prepared };
  });
  if (links.length > 0) {
    await mailLinks(parts, asker, links, (tx) =>
      forgetLinks(parts, tx, links, { email_change: "", email_change_confirm_status: 0 }),
    );
  }
  return userView(user);
}

async function newPassword(parts: AuthParts, user: UserRow, password: string): Promise<string> {
  checkStrength(password, parts.policy.passwordMinLength);
  if (await parts.passwords.matches(password, user.encrypted_password)) throw refuse("same_password");
  return parts.passwords.hash(password);
}

/** GoTrue's rule for metadata: members are replaced, a null removes one. */
export function merged(
  before: Readonly<Record<string, unknown>> | null,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries({ ...before, ...changes });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

/** Access tokens that are out already stay valid until they expire, but refresh nothing any more. */
export async function signOut(parts: AuthParts, asker: Asker, scope: string): Promise<void> {
  if (scope !== "global" && scope !== "local" && scope !== "others") {
    throw refuse("validation_failed", `Unsupported logout scope "${scope}"`);
  }
  const { user, sessionId } = await requireAccount(parts, asker);
  await parts.database.transaction(async (tx) => {
    await audit(parts, tx, asker, "logout", user);
    if (scope === "global" || sessionId === undefined) await deleteSessions(tx, user.id, "all");
    else await deleteSessions(tx, user.id, scope === "local" ? { only: sessionId } : { except: sessionId });
  });
}
