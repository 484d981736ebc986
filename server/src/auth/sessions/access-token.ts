// The answer to every way of signing in: an access token with the session's claims, and the refresh token.
import type { UserRow } from "../account/queries.ts";
import { userView, type UserView } from "../account/user-view.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import type { AuthenticationMethod } from "./queries.ts";

/** GoTrue's AccessTokenResponse. */
export interface SignedIn {
  readonly access_token: string;
  readonly token_type: "bearer";
  readonly expires_in: number;
  readonly expires_at: number;
  readonly refresh_token: string;
  readonly user: UserView;
  /** Set after signing in through a provider. */
  readonly provider_token?: string;
  readonly provider_refresh_token?: string;
}

export interface Granted {
  readonly user: UserRow;
  readonly session: { readonly id: string; readonly aal: string };
  /** Newest first. */
  readonly methods: readonly AuthenticationMethod[];
  readonly refreshToken: string;
}

export function answerWithTokens(
  parts: AuthParts,
  caller: AuthCaller,
  { user, session, methods, refreshToken }: Granted,
): SignedIn {
  const { settings } = parts;
  const issuedAt = Math.floor(parts.clock.now() / 1000);
  const expiresAt = issuedAt + settings.JWT_EXP;
  const claims = {
    iss: settings.JWT_ISSUER || `${caller.apiUrl}/auth/v1`,
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
    amr: withIdentityProvider(user, methods),
    session_id: session.id,
    is_anonymous: user.is_anonymous,
  };
  return {
    access_token: parts.tokens.sign(claims),
    token_type: "bearer",
    expires_in: settings.JWT_EXP,
    expires_at: expiresAt,
    refresh_token: refreshToken,
    user: userView(user),
  };
}

/** GoTrue names the identity provider only where the account has exactly one. */
function withIdentityProvider(user: UserRow, methods: readonly AuthenticationMethod[]) {
  const [only, ...more] = user.identities;
  const first = methods.at(-1);
  if (first?.method !== "sso/saml" || more.length > 0 || !only?.provider.startsWith("sso:")) return methods;
  return [...methods.slice(0, -1), { ...first, provider: only.provider.slice("sso:".length) }];
}
