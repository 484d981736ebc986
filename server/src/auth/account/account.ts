// The signed-in user's own account: changing it and signing out.
import type { Executor } from "../../postgres/executor.ts";
import { audit } from "../audit.ts";
import { beginEmailChange } from "./email-change.ts";
import { refuse } from "../errors.ts";
import { endSessionsBelowAal2 } from "../factors/queries.ts";
import type { Challenge } from "../links/flows.ts";
import { deleteOneTimeTokens } from "../links/queries.ts";
import { checkMailInterval, checkTextInterval } from "../limits/send-limits.ts";
import { notifyOwner } from "../mails/notices.ts";
import type { AuthCaller, AuthParts } from "../parts.ts";
import { type Channel, parseChannel, requirePhones } from "../texts/phone.ts";
import { merged } from "./metadata.ts";
import { requireSamePassword, withNewPassword } from "./new-password.ts";
import { beginPhoneChange } from "./phone-change.ts";
import { findUserById, updateUser, type UserChanges, type UserRow } from "./queries.ts";
import {
  type Account,
  lacksSecondStep,
  requireAccount,
  requireOwnAccount,
  requireAgain,
  requireSecondStep,
} from "./require-account.ts";
import { deleteSessions } from "../sessions/queries.ts";
import { parseEmail, parsePhone } from "../http/requests.ts";
import { userView, type UserView } from "./user-view.ts";

export interface AccountChanges {
  readonly email: string;
  readonly phone: string;
  readonly channel: string;
  readonly password?: string | undefined;
  /** The old password, or a nonce, when the session is not fresh. */
  readonly current_password?: string | undefined;
  readonly nonce: string;
  readonly data?: Record<string, unknown> | undefined;
  readonly app_metadata?: Record<string, unknown> | undefined;
}

/** The requested changes, checked; undefined members stay. */
interface Wanted {
  readonly email: string | undefined;
  readonly phone: { readonly phone: string; readonly channel: Channel } | undefined;
  readonly data: Record<string, unknown> | undefined;
}

/** A new password ends all other sessions; a new address waits for both confirmations, a new number for its code. */
export async function changeAccount(
  parts: AuthParts,
  caller: AuthCaller,
  given: AccountChanges,
  challenge?: Challenge,
): Promise<UserView> {
  const account = await requireOwnAccount(parts, caller);
  const wanted = checkChanges(parts, account, given);
  const { password } = given;
  const { session } = account;
  const now = new Date(parts.clock.now());

  const work = (encryptedPassword?: string) =>
    parts.database.transaction(async (tx) => {
      const requireUser = encryptedPassword === undefined ? requireAgain : requireSamePassword;
      const current = await requireUser(parts, tx, account);
      const changes: UserChanges = {};
      if (encryptedPassword !== undefined) {
        changes.encrypted_password = encryptedPassword;
        await afterPassword(parts, tx, caller, { user: current, session });
      }
      if (wanted.data) changes.raw_user_meta_data = merged("data", current.raw_user_meta_data, wanted.data);
      await updateUser(tx, current.id, changes, now);
      await beginMoves(parts, tx, caller, { ...current, ...changes } as UserRow, wanted, challenge);
      await audit(parts, tx, caller, "user_modified", current);
      return (await findUserById(tx, current.id, "no lock"))!;
    });
  const change = (hash?: string) =>
    given.email === "" && given.phone === "" ? work(hash) : parts.evenly(() => work(hash));
  const user = await (password === undefined
    ? change()
    : withNewPassword(parts, caller, account, { ...given, password }, change));
  parts.outbox.poke();
  return userView(user);
}

function checkChanges(parts: AuthParts, account: Account, given: AccountChanges): Wanted {
  const { user } = account;
  const email = given.email === "" ? undefined : parseEmail(given.email);
  const phone = given.phone === "" ? undefined : parsePhone(given.phone);
  if (phone !== undefined) requirePhones(parts, "Phone logins are disabled");
  const channel = parseChannel(parts, phone === undefined ? "" : given.channel);
  if (given.app_metadata) throw refuse("not_admin", "Updating app_metadata requires admin privileges");
  const isMove = (email ?? user.email) !== user.email || (phone ?? user.phone) !== user.phone;
  const isGuarded = isMove || Boolean(given.password);
  if (user.is_sso_user && (isGuarded || given.nonce !== "")) throw refuse("user_sso_managed");
  if (isGuarded) {
    const message = "AAL2 session is required to update email or password when MFA is enabled.";
    requireSecondStep(account, message, 401);
  }
  if (user.is_anonymous && given.password && email === undefined && phone === undefined) {
    throw refuse(
      "validation_failed",
      "Updating password of an anonymous user without an email or phone is not allowed",
      { status: 422 },
    );
  }
  return {
    email: email === user.email ? undefined : email,
    phone: phone === undefined || phone === user.phone ? undefined : { phone, channel },
    data: given.data,
  };
}

async function afterPassword(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  { user, session }: Account,
): Promise<void> {
  await deleteSessions(tx, user.id, session === undefined ? "all" : { except: session.id });
  // A reset mailed earlier must not undo this one.
  await deleteOneTimeTokens(tx, user.id, ["recovery_token", "reauthentication_token"]);
  await audit(parts, tx, caller, "user_updated_password", user);
  if (user.encrypted_password) await notifyOwner(parts, tx, user, "password_changed");
}

/** Sends what confirms the new address or number. */
async function beginMoves(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  { email, phone }: Wanted,
  challenge: Challenge | undefined,
): Promise<void> {
  if (email !== undefined) {
    await checkMailInterval(parts, tx, "email change", user.email ?? user.id, caller);
    await beginEmailChange(parts, tx, caller, user, email, challenge);
  }
  if (phone) {
    await checkTextInterval(parts, tx, "phone change", user.phone ?? user.id, caller);
    const current = (await findUserById(tx, user.id, "no lock"))!;
    await beginPhoneChange(parts, tx, caller, current, phone);
  }
}

/**
 * Access tokens already issued stay valid until they expire, but can no longer be refreshed. A session that has not taken its
 * account's second step ends none that has: whoever knows only the password must not keep the owner signed out.
 */
export async function signOut(parts: AuthParts, caller: AuthCaller, scope: string): Promise<void> {
  if (scope !== "global" && scope !== "local" && scope !== "others") {
    throw refuse("validation_failed", `Unsupported logout scope "${scope}"`);
  }
  const account = await requireAccount(parts, caller);
  const { user, session } = account;
  if (scope === "others")
    requireSecondStep(account, "AAL2 session is required to end others when MFA is enabled");
  await parts.database.transaction(async (tx) => {
    if (scope !== "local") await requireAgain(parts, tx, account);
    await audit(parts, tx, caller, "logout", user);
    if (session === undefined) await deleteSessions(tx, user.id, "all");
    else if (scope === "local") await deleteSessions(tx, user.id, { only: session.id });
    else if (scope === "others") await deleteSessions(tx, user.id, { except: session.id });
    else if (lacksSecondStep(account)) await endSessionsBelowAal2(tx, user.id);
    else await deleteSessions(tx, user.id, "all");
  });
}
