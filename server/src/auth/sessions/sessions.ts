// Sessions: creating one at sign-in, raising one with a second factor, and refreshing. A session is a family of refresh
// tokens of which one is active. Using an older one after its grace period means it was stolen, and ends the family.
import { randomBytes, randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import type { AuthCaller, AuthParts } from "../parts.ts";
import { findUserById, updateUser, type UserRow } from "../account/queries.ts";
import { answerWithTokens, type SignedIn } from "./access-token.ts";
import {
  type Aal,
  type AuthMethod,
  findActiveRefreshToken,
  findMethods,
  findRefreshToken,
  insertRefreshToken,
  insertSession,
  isNewestSession,
  lockSession,
  lockSessionOfToken,
  noteMethod,
  raiseSession,
  type RefreshTokenRow,
  revokeRefreshToken,
  revokeSessionTokens,
  type SessionRow,
  touchSession,
} from "./queries.ts";

export type { SignedIn } from "./access-token.ts";

/**
 * Opens a session inside the caller's transaction. `method` becomes its first `amr` claim. It ends at `notAfter` at the
 * latest, e.g. along with the assertion that began it.
 */
export async function issueSession(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  method: AuthMethod,
  { notAfter }: { readonly notAfter?: Date | undefined } = {},
): Promise<SignedIn> {
  const now = new Date(parts.clock.now());
  const sessionId = randomUUID();
  const refreshToken = newRefreshToken();
  const token = parts.atRest.hash(refreshToken);
  const { userAgent, ip } = caller;
  await Promise.all([
    insertSession(tx, { id: sessionId, userId: user.id, userAgent, ip, notAfter }, now),
    noteMethod(tx, sessionId, method, now),
    insertRefreshToken(tx, { token, parent: null, userId: user.id, sessionId }, now),
    updateUser(tx, user.id, { last_sign_in_at: now }, now),
  ]);
  return answerWithTokens(parts, caller, {
    user: { ...user, last_sign_in_at: now, updated_at: now },
    session: { id: sessionId, aal: "aal1" },
    methods: [{ method, timestamp: Math.floor(now.getTime() / 1000) }],
    refreshToken,
  });
}

/**
 * The session after another factor was verified in it, with new tokens; its earlier refresh tokens stop working. Runs in
 * the caller's transaction. Refuses with session_not_found when the session has ended meanwhile.
 */
export async function strengthenSession(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  sessionId: string,
  by: { method: AuthMethod; aal: Aal; factorId: string | null },
): Promise<SignedIn> {
  const now = new Date(parts.clock.now());
  const session = await lockSession(tx, sessionId);
  if (session?.user_id !== user.id) throw refuse("session_not_found");
  const refreshToken = newRefreshToken();
  await noteMethod(tx, session.id, by.method, now);
  await raiseSession(tx, session.id, by, now);
  await revokeSessionTokens(tx, session.id, now);
  const token = parts.atRest.hash(refreshToken);
  await insertRefreshToken(tx, { token, parent: null, userId: user.id, sessionId: session.id }, now);
  return answerWithTokens(parts, caller, {
    user,
    session: { id: session.id, aal: by.aal },
    methods: await findMethods(tx, session.id),
    refreshToken,
  });
}

/** Exchanges a refresh token for the next pair of tokens. */
export async function refreshSession(parts: AuthParts, caller: AuthCaller, token: string): Promise<SignedIn> {
  if (token === "") throw refuse("validation_failed", "refresh_token is required");
  const now = new Date(parts.clock.now());
  const stored = parts.atRest.hash(token);
  const outcome = await parts.database.transaction(async (tx) => {
    const session = await lockSessionOfToken(tx, stored);
    const found = session && (await findRefreshToken(tx, stored));
    if (!session || !found) throw refuse("refresh_token_not_found");
    const user = await findUserById(tx, session.user_id, "no lock");
    if (!user || user.deleted_at) throw refuse("refresh_token_not_found");
    if (isBanned(user, now))
      throw refuse("user_banned", "Invalid Refresh Token: User Banned", { status: 400 });
    await refuseEndedSession(parts, tx, user, session, now);

    const issued = await nextToken(parts, tx, { token, row: found }, now);
    if (issued === undefined) {
      // Committed, not thrown: the revocation must outlive the refusal.
      await revokeSessionTokens(tx, session.id, now);
      await audit(parts, tx, caller, "token_revoked", user);
      return "reused";
    }
    const [methods] = await Promise.all([
      findMethods(tx, session.id),
      touchSession(tx, session.id, { userAgent: caller.userAgent, ip: caller.ip }, now),
      audit(parts, tx, caller, "token_refreshed", user),
    ]);
    return answerWithTokens(parts, caller, { user, session, methods, refreshToken: issued });
  });
  if (outcome === "reused") throw refuse("refresh_token_already_used");
  return outcome;
}

/** The token to use from now on; undefined when `token` was already used and may not be sent again. */
async function nextToken(
  parts: AuthParts,
  tx: Executor,
  { token, row }: { token: string; row: RefreshTokenRow },
  now: Date,
): Promise<string | undefined> {
  const { settings, atRest } = parts;
  if (!row.revoked) {
    if (!settings.SECURITY_REFRESH_TOKEN_ROTATION_ENABLED) return token;
    const issued = atRest.next(token);
    await revokeRefreshToken(tx, row.token, now);
    const next = { parent: row.token, userId: row.user_id, sessionId: row.session_id };
    await insertRefreshToken(tx, { token: atRest.hash(issued), ...next }, now);
    return issued;
  }
  const active = await findActiveRefreshToken(tx, row.session_id);
  const answerWasLost = active?.parent === row.token;
  const graceEnds = row.updated_at.getTime() + settings.SECURITY_REFRESH_TOKEN_REUSE_INTERVAL * 1000;
  const mayReuse = settings.SECURITY_REFRESH_TOKEN_ALLOW_REUSE || now.getTime() <= graceEnds;
  if (!active || (!answerWasLost && !mayReuse)) return undefined;
  return descendant(parts, token, active.token);
}

/** How many refreshes behind a token may be: more than fit into any grace period. */
const LONGEST_CHAIN = 1000;

/** The token whose hash is `wanted`, which follows from `token` step by step. */
function descendant({ atRest }: AuthParts, token: string, wanted: string): string | undefined {
  let next = token;
  for (let step = 0; step < LONGEST_CHAIN; step++) {
    next = atRest.next(next);
    if (atRest.hash(next) === wanted) return next;
  }
  return undefined;
}

/**
 * Refuses a session past its own end date or maximum age, an idle one, one replaced by a newer session, or one without its
 * second step.
 */
async function refuseEndedSession(
  { settings }: AuthParts,
  tx: Executor,
  user: UserRow,
  session: SessionRow,
  now: Date,
): Promise<void> {
  const isOver = (start: Date, seconds: number) => start.getTime() + seconds * 1000 <= now.getTime();
  if (session.not_after && session.not_after <= now) throw refuse("session_expired");
  const { SESSIONS_TIMEBOX: timebox, SESSIONS_INACTIVITY_TIMEOUT: idle } = settings;
  if (timebox > 0 && isOver(session.created_at, timebox)) throw refuse("session_expired");
  if (idle > 0 && isOver(session.refreshed_at ?? session.created_at, idle)) {
    throw refuse("session_expired", "Invalid Refresh Token: Session Expired (Inactivity)");
  }
  const lowAal = settings.SESSIONS_ALLOW_LOW_AAL;
  const hasFactor = user.factors.some(({ status }) => status === "verified");
  if (lowAal !== undefined && session.aal === "aal1" && hasFactor && isOver(session.created_at, lowAal)) {
    throw refuse(
      "session_expired",
      "Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)",
    );
  }
  if (settings.SESSIONS_SINGLE_PER_USER && !(await isNewestSession(tx, session))) {
    throw refuse("session_expired", "Invalid Refresh Token: Session Expired (Revoked by Newer Login)");
  }
}

export const isBanned = (user: UserRow, now: Date) => user.banned_until !== null && user.banned_until > now;

/** 144 bits. */
const newRefreshToken = () => randomBytes(18).toString("base64url");
