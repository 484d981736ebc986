// The signed-in user's own account: who a request belongs to, reading and changing oneself, and signing out.
import { audit } from "../audit.ts";
import { checkBackOff, countGuess, forgetGuesses } from "../limits/back-off.ts";
import { beginEmailChange } from "./email-change.ts";
import { refuse } from "../errors.ts";
import type { Challenge } from "../links/flows.ts";
import { deleteOneTimeTokens } from "../links/queries.ts";
import { checkMailInterval } from "../links/links.ts";
import type { Caller, AuthParts } from "../parts.ts";
import { checkStrength } from "../passwords/passwords.ts";
import { merged } from "./metadata.ts";
import { findUserById, updateUser, type UserChanges, type UserRow } from "./queries.ts";
import { deleteSessions, findSession, type SessionRow } from "../sessions/queries.ts";
import { isUuid, parseEmail } from "../http/requests.ts";
import { isBanned } from "../sessions/sessions.ts";
import { userView, type UserView } from "./user-view.ts";

export interface Account {
  readonly user: UserRow;
  /** Undefined for a token that belongs to no session (signed by hand with the project's secret). */
  readonly session: SessionRow | undefined;
}

/** The user of the request's access token. A token outlives its session by up to an hour and is refused here. */
export async function requireAccount(parts: AuthParts, caller: Caller): Promise<Account> {
  if (!caller.hasBearer) throw refuse("no_authorization");
  const { sub, session_id: sessionId } = caller.claims;
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
  if (isBanned(user, new Date(parts.clock.now()))) throw refuse("user_banned");
  if (sessionId !== undefined && session?.user_id !== user.id) throw refuse("session_not_found");
  return { user, session };
}

export interface AccountChanges {
  readonly email: string;
  readonly phone: string;
  readonly password?: string | undefined;
  /** Asked for with a new password when the session is not fresh. */
  readonly current_password?: string | undefined;
  readonly data?: Record<string, unknown> | undefined;
  readonly app_metadata?: Record<string, unknown> | undefined;
}

/** A new password ends all other sessions; a new address waits for both confirmations. */
export async function changeAccount(
  parts: AuthParts,
  caller: Caller,
  given: AccountChanges,
  challenge?: Challenge,
): Promise<UserView> {
  const { user: before, session } = await requireAccount(parts, caller);
  const email = given.email === "" ? before.email : parseEmail(given.email);
  const changesSignIn = given.password !== undefined || given.phone !== "" || email !== before.email;
  if (changesSignIn) requireOwnStep(before, session);
  if (given.phone !== "") throw refuse("phone_provider_disabled", "Phone logins are disabled");
  if (given.app_metadata) throw refuse("not_admin", "Updating app_metadata requires admin privileges");
  const encryptedPassword =
    given.password === undefined
      ? undefined
      : await newPassword(parts, caller, { user: before, session }, given.password, given.current_password);
  const now = new Date(parts.clock.now());

  const work = () =>
    parts.database.transaction(async (tx) => {
      const current = await findUserById(tx, before.id, "for update");
      if (!current) throw refuse("user_not_found");
      const changes: UserChanges = {};
      if (encryptedPassword !== undefined) {
        changes.encrypted_password = encryptedPassword;
        await deleteSessions(tx, current.id, session === undefined ? "all" : { except: session.id });
        // A reset that was mailed before must not undo this one.
        await deleteOneTimeTokens(tx, current.id, ["recovery_token"]);
        await audit(parts, tx, caller, "user_updated_password", current);
      }
      if (given.data) changes.raw_user_meta_data = merged("data", current.raw_user_meta_data, given.data);
      if (email !== null && email !== current.email) {
        await checkMailInterval(parts, tx, "email change", current.email!, caller);
        await beginEmailChange(parts, tx, caller, current, email, challenge);
      }
      await updateUser(tx, current.id, changes, now);
      await audit(parts, tx, caller, "user_modified", current);
      return (await findUserById(tx, current.id, "no lock"))!;
    });
  const user = await (given.email === "" ? work() : parts.evenly(work));
  parts.outbox.poke();
  return userView(user);
}

/** Whoever knows the password alone must not lock out the owner of the second step. */
function requireOwnStep({ factors }: UserRow, session: SessionRow | undefined): void {
  const hasFactor = factors.some(({ status }) => status === "verified");
  if (!hasFactor || session?.aal === "aal2") return;
  throw refuse(
    "insufficient_aal",
    "AAL2 session is required to update email or password when MFA is enabled.",
  );
}

async function newPassword(
  parts: AuthParts,
  caller: Caller,
  account: Account,
  password: string,
  currentPassword: string | undefined,
): Promise<string> {
  const { user } = account;
  const asking = askedBy(caller, user);
  await checkStrength(password, parts.settings);
  await checkOwner(parts, caller, account, currentPassword);
  if (await parts.passwords.matches(password, user.encrypted_password, asking)) {
    throw refuse("same_password");
  }
  return parts.passwords.hash(password, asking);
}

/** By id: whoever is signed in does not wait behind strangers who try their address. */
const askedBy = (caller: Caller, user: Account["user"]) => ({ ip: caller.ip, account: user.id });

/** A stranger at a signed-in computer must not take the account: asks for the old password or a recent sign-in. */
async function checkOwner(
  parts: AuthParts,
  caller: Caller,
  { user, session }: Account,
  currentPassword: string | undefined,
): Promise<void> {
  if (currentPassword !== undefined) {
    const account = { email: user.email ?? user.id, id: user.id };
    const counted = await checkBackOff(parts, parts.database, caller, account);
    if (await parts.passwords.matches(currentPassword, user.encrypted_password, askedBy(caller, user))) {
      return forgetGuesses(parts.database, counted);
    }
    await countGuess(parts, caller, counted);
    throw refuse("invalid_credentials", "The current password is wrong");
  }
  const freshUntil = (session?.created_at.getTime() ?? 0) + parts.policy.freshSeconds * 1000;
  if (parts.clock.now() >= freshUntil) throw refuse("reauthentication_needed");
}

/** Access tokens that are out already stay valid until they expire, but refresh nothing any more. */
export async function signOut(parts: AuthParts, caller: Caller, scope: string): Promise<void> {
  if (scope !== "global" && scope !== "local" && scope !== "others") {
    throw refuse("validation_failed", `Unsupported logout scope "${scope}"`);
  }
  const { user, session } = await requireAccount(parts, caller);
  await parts.database.transaction(async (tx) => {
    await audit(parts, tx, caller, "logout", user);
    if (scope === "global" || session === undefined) await deleteSessions(tx, user.id, "all");
    else await deleteSessions(tx, user.id, scope === "local" ? { only: session.id } : { except: session.id });
  });
}
