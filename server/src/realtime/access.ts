// Whom a socket or channel acts for. Hides verification and Supabase's messages about a bad token.
import { z } from "zod";
import type { Clock } from "../platform/clock.ts";
import type { Claims, Tokens } from "../platform/keys/jwt.ts";
import { jsonObjectIn } from "../platform/keys/token-refusal.ts";

/** PostgreSQL would switch to any other role named in a token, up to the owner. */
const ROLES = new Set(["anon", "authenticated", "service_role"]);

/** Message for the client. */
export class AccessError extends Error {}

export const SESSION_ENDED = "Unauthorized: The session has ended";

/** A session that ended, or all sessions of a user. */
export interface Ended {
  readonly user_id: string;
  readonly session_id?: string;
}

export const concerns = (ended: Ended, claims: Claims) =>
  claims.sub === ended.user_id && (ended.session_id === undefined || claims.session_id === ended.session_id);

export interface Access {
  /**
   * Checks only signature, expiry and role, for an API key. A channel verifies the token it acts for. Throws AccessError.
   */
  verifyKey(token: string): Promise<Claims>;
  /** As verifyKey, and checks in the database that a signed-in user may still join. Throws AccessError. */
  verify(token: string): Promise<Claims>;
  /** Calls back once when the claims have expired. Returns a function that cancels it. */
  onExpiry(claims: Claims, callback: (message: string) => void): () => void;
}

const RECHECK = 5 * 60 * 1000; // setTimeout cannot wait for weeks, and clocks are corrected

/** `mayJoin`: whether a signed-in user's session is live, or ended without consequence for live channels. */
export function createAccess(
  tokens: Tokens,
  clock: Clock,
  mayJoin: (claims: Claims) => Promise<boolean>,
): Access {
  const expired = ({ exp = 0 }: { readonly exp?: number | undefined }) =>
    `Token has expired ${Math.max(0, Math.floor(clock.now() / 1000) - exp)} seconds ago`;

  async function verifyKey(token: string): Promise<Claims> {
    const claims = await tokens.verify(token);
    if (claims === "expired") throw new AccessError(`InvalidJWTToken: ${expired(contentOf(token))}`);
    if (claims !== "invalid" && claims.role === "") {
      throw new AccessError("InvalidJWTToken: Fields `role` and `exp` are required in JWT");
    }
    if (claims === "invalid" && !TOKEN.test(token)) {
      throw new AccessError("MalformedJWT: The token provided is not a valid JWT");
    }
    if (claims === "invalid" || !ROLES.has(claims.role)) {
      throw new AccessError("JwtSignatureError: Failed to validate JWT signature");
    }
    return claims;
  }

  return {
    verifyKey,

    async verify(token) {
      const claims = await verifyKey(token);
      if (claims.role === "authenticated" && !(await mayJoin(claims))) throw new AccessError(SESSION_ENDED);
      return claims;
    },

    onExpiry(claims, callback) {
      if (claims.exp === undefined) return () => {};
      let timer: NodeJS.Timeout;
      const wait = () => {
        const left = claims.exp! * 1000 - clock.now();
        if (left <= 0) return callback(expired(claims));
        timer = setTimeout(wait, Math.min(left, RECHECK));
        timer.unref();
      };
      wait();
      return () => clearTimeout(timer);
    },
  };
}

/** What a token looks like. The content of an unverified one is not parsed. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;

const content = z.object({ exp: z.number().optional() });

/** The content of a token whose signature is valid. */
const contentOf = (token: string) => content.parse(jsonObjectIn(token.split(".")[1]!));
