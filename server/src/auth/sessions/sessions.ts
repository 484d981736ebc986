// Sessions: what signing in creates, the access token's claims, and refreshing. A session is a family of refresh tokens of
// which one is active; using an older one after its grace period means it was stolen, and ends the family.
import { randomBytes, randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import type { Caller, AuthParts } from "../parts.ts";
import { findUserById, updateUser, type UserRow } from "../account/queries.ts";
import {
  type AuthenticationMethod,
  findActiveRefreshToken,
  findMethods,
  findRefreshToken,
  insertRefreshToken,
  insertSession,
  lockSessionOfToken,
  revokeRefreshToken,
  revokeSessionTokens,
  type SessionRow,
  touchSession,
} from "./queries.ts";
import { userView, type UserView } from "../account/user-view.ts";

/** The answer to every way of signing in (GoTrue's AccessTokenResponse). */
export interface SignedIn {
  readonly access_token: string;
  readonly token_type: "bearer";
  readonly expires_in: number;
  readonly expires_at: number;
  readonly refresh_token: string;
  readonly user: UserView;
}

/** Opens a session inside the caller's transaction. */
export async function openSession(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  user: UserRow,
  method: "password" | "otp",
): Promise<SignedIn> {
  const now = new Date(parts.clock.now());
  const sessionId = randomUUID();
  const refreshToken = newRefreshToken();
  await Promise.all([
    insertSession(
      tx,
      { id: sessionId, userId: user.id, userAgent: caller.userAgent, ip: caller.ip, method },
      now,
    ),
    insertRefreshToken(tx, { token: refreshToken, parent: null, userId: user.id, sessionId }, now),
    updateUser(tx, user.id, { last_sign_in_at: now }, now),
  ]);
  const signedIn = { ...user, last_sign_in_at: now, updated_at: now };
  const methods = [{ method, timestamp: Math.floor(now.getTime() / 1000) }];
  return answer(parts, caller, signedIn, { id: sessionId, aal: "aal1" }, methods, refreshToken);
}

/** Exchanges a refresh token for the next pair of tokens. */
export async function refreshSession(parts: AuthParts, caller: Caller, token: string): Promise<SignedIn> {
  if (token === "") throw refuse("validation_failed", "refresh_token is required");
  const now = new Date(parts.clock.now());
  const outcome = await parts.database.transaction(async (tx) => {
    const session = await lockSessionOfToken(tx, token);
    const found = session && (await findRefreshToken(tx, token));
    if (!session || !found) throw refuse("refresh_token_not_found");
    const user = await findUserById(tx, session.user_id, "no lock");
    if (!user || user.deleted_at) throw refuse("refresh_token_not_found");
    if (isBanned(user, now))
      throw refuse("user_banned", "Invalid Refresh Token: User Banned", { status: 400 });
    refuseEndedSession(parts, session, now);

    let issued: string | undefined;
    if (found.revoked) {
      const active = await findActiveRefreshToken(tx, session.id);
      const answerWasLost = active?.parent === found.token;
      const inGrace = now.getTime() <= found.updated_at.getTime() + parts.policy.refreshReuseSeconds * 1000;
      if (!active || (!answerWasLost && !inGrace)) {
        // Committed, not thrown: the revocation must outlive the refusal.
        await revokeSessionTokens(tx, session.id, now);
        await audit(parts, tx, caller, "token_revoked", user);
        return "reused";
      }
      issued = active.token;
    } else {
      issued = newRefreshToken();
      await Promise.all([
        revokeRefreshToken(tx, found.token, now),
        insertRefreshToken(
          tx,
          { token: issued, parent: found.token, userId: user.id, sessionId: session.id },
          now,
        ),
      ]);
    }
    const [methods] = await Promise.all([
      findMethods(tx, session.id),
      touchSession(tx, session.id, { userAgent: caller.userAgent, ip: caller.ip }, now),
      audit(parts, tx, caller, "token_refreshed", user),
    ]);
    return answer(parts, caller, user, session, methods, issued);
  });
  if (outcome === "reused") throw refuse("refresh_token_already_used");
  return outcome;
}

/** Ended by a date of its own, by its age, or because nobody used it. */
function refuseEndedSession({ policy }: AuthParts, session: SessionRow, now: Date): void {
  const isOver = (start: Date, seconds: number) => start.getTime() + seconds * 1000 <= now.getTime();
  const { sessionMaxSeconds, sessionIdleSeconds } = policy;
  if (session.not_after && session.not_after <= now) throw refuse("session_expired");
  if (sessionMaxSeconds !== undefined && isOver(session.created_at, sessionMaxSeconds)) {
    throw refuse("session_expired");
  }
  if (isOver(session.refreshed_at ?? session.created_at, sessionIdleSeconds)) {
    throw refuse("session_expired", "Invalid Refresh Token: Session Expired (Inactivity)");
  }
}

export const isBanned = (user: UserRow, now: Date) => user.banned_until !== null && user.banned_until > now;

const newRefreshToken = () => randomBytes(18).toString("base64url");

async function answer(
  parts: AuthParts,
  caller: Caller,
  user: UserRow,
  session: { id: string; aal: string },
  methods: readonly AuthenticationMethod[],
  refreshToken: string,
): Promise<SignedIn> {
  const issuedAt = Math.floor(parts.clock.now() / 1000);
  const expiresAt = issuedAt + parts.policy.accessTokenSeconds;
  const accessToken = parts.tokens.sign({
    iss: `${caller.apiUrl}/auth/v1`,
    sub: user.id,
    aud: user.aud,
    exp: expiresAt,
    iat: issuedAt,
    email: user.email ?? "",
    phone: user.phone ?? "",
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    role: user.role,
    aal: session.aal,
    amr: methods,
    session_id: session.id,
    is_anonymous: user.is_anonymous,
  });
  return {
    access_token: accessToken,
    token_type: "bearer",
    expires_in: parts.policy.accessTokenSeconds,
    expires_at: expiresAt,
    refresh_token: refreshToken,
    user: userView(user),
  };
}
