// Whose account a request is about: that of the access token's user, or of the user an administrator names.
import type { Executor } from "../../postgres/executor.ts";
import { refuse } from "../errors.ts";
import { isUuid } from "../http/requests.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { findSession, lockSession, type SessionRow } from "../sessions/queries.ts";
import { isBanned } from "../sessions/sessions.ts";
import { findUserById, type UserRow } from "./queries.ts";

export interface Account {
  readonly user: UserRow;
  /** Undefined for a token that belongs to no session (signed by hand with the project's secret). */
  readonly session: SessionRow | undefined;
}

/** The user of the request's access token. A token outlives its session by up to an hour and is refused here. */
export async function requireAccount(parts: AuthParts, caller: AuthCaller): Promise<Account> {
  if (!caller.hasBearer) throw refuse("no_authorization");
  const { sub, session_id: sessionId } = caller.claims;
  if (!sub) throw refuse("bad_jwt", "invalid claim: missing sub claim");
  if (!isUuid(sub)) throw refuse("bad_jwt", "invalid claim: sub claim must be a UUID", { status: 400 });
  if (sessionId !== undefined && !isUuid(sessionId)) {
    throw refuse("bad_jwt", "invalid claim: session_id claim must be a UUID");
  }
  const [user, session] = await Promise.all([
    findUserById(parts.database, sub, "no lock"),
    sessionId === undefined ? undefined : findSession(parts.database, sessionId),
  ]);
  const usable = requireUsable(parts, user);
  if (sessionId !== undefined && session?.user_id !== usable.id) throw refuse("session_not_found");
  return { user: usable, session };
}

function requireUsable({ clock }: AuthParts, user: UserRow | undefined): UserRow {
  if (!user || user.deleted_at) {
    throw refuse("user_not_found", "User from sub claim in JWT does not exist", { status: 403 });
  }
  if (isBanned(user, new Date(clock.now()))) throw refuse("user_banned");
  return user;
}

/**
 * The user of an account that was checked before, locked with its session in the transaction that changes it. Refuses where the
 * user has been banned since, or the session has ended or lost its second step: a request can be made to wait for seconds, by
 * filling the queues for hashing and for the database.
 */
export async function requireAgain(
  parts: AuthParts,
  tx: Executor,
  checked: Account,
  lock: "for update" | "no lock" = "for update",
): Promise<UserRow> {
  const user = requireUsable(parts, await findUserById(tx, checked.user.id, lock));
  if (checked.session === undefined) return user;
  const session = await (lock === "for update" ? lockSession : findSession)(tx, checked.session.id);
  if (!session) throw refuse("session_not_found");
  if (checked.session.aal === "aal2" && session.aal !== "aal2") throw refuse("insufficient_aal");
  return user;
}

/**
 * The account of a caller who wants to change it: all endpoints that do, and none else, come here or to requireNamedAccount. Refuses
 * accounts that an administrator keeps (`unchangeable` in their app metadata), as those of shared devices.
 */
export async function requireOwnAccount(parts: AuthParts, caller: AuthCaller): Promise<Account> {
  const account = await requireAccount(parts, caller);
  if (account.user.raw_app_meta_data?.["unchangeable"] === true) {
    throw refuse("no_authorization", "This account can only be changed by an administrator", { status: 403 });
  }
  return account;
}

/**
 * As above, but refuses anonymous accounts: whoever loses the session loses the account, so nothing that guards it may be
 * added.
 */
export async function requireNamedAccount(parts: AuthParts, caller: AuthCaller): Promise<Account> {
  const account = await requireOwnAccount(parts, caller);
  if (account.user.is_anonymous) {
    throw refuse("no_authorization", "Anonymous user not allowed to perform these actions", { status: 403 });
  }
  return account;
}

/** Whether the session has not taken the account's second step; an account without a factor has none. */
export const lacksSecondStep = ({ user, session }: Account): boolean =>
  session?.aal !== "aal2" && user.factors.some(({ status }) => status === "verified");

/** Refuses with `message` where that is so. */
export function requireSecondStep(account: Account, message: string, status = 403): void {
  if (lacksSecondStep(account)) throw refuse("insufficient_aal", message, { status });
}

/** The user of an administrator's request. */
export async function requireUser(parts: AuthParts, id: string): Promise<UserRow> {
  if (!isUuid(id)) throw refuse("validation_failed", "user_id must be an UUID", { status: 404 });
  const user = await findUserById(parts.database, id, "no lock");
  if (!user) throw refuse("user_not_found");
  return user;
}
