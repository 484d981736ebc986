// Signing in at a provider: sending the browser there, and handling what it brings back. Each attempt has a state, GoTrue's
// flow_state, that names its provider and works once. The provider's answer is trusted only with the verifier and nonce of
// that state.
import { createHash, randomUUID } from "node:crypto";
import * as oidc from "openid-client";
import type { Executor } from "../../postgres/executor.ts";
import { OAuthRefusal, refuse } from "../errors.ts";
import { withCode, withFragment } from "../http/redirects.ts";
import { isUuid } from "../http/requests.ts";
import { newAuthCode, type Challenge } from "../links/flows.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import type { UserRow } from "../account/queries.ts";
import type { Account } from "../account/require-account.ts";
import type { AuthMethod } from "../sessions/queries.ts";
import { issueSession, type SignedIn } from "../sessions/sessions.ts";
import { type External, externalAccount, externalOf } from "./external-account.ts";
import { linkIdentity, requireLinkingSession } from "./identities.ts";
import { acceptInvitation, invitedUser } from "./invitations.ts";
import {
  Configurations,
  type Pending,
  type ProviderPlan,
  redeemCode,
  authorizationUrl,
} from "./providers/provider.ts";
import type { ProvidedUser } from "./provided-user.ts";
import { planOf } from "./registry.ts";
import { answerState, deleteState, findState, insertState, type StateRow, takeVerifier } from "./queries.ts";

/** Shared by all requests: discovering an issuer costs two requests. */
const configurations = new Configurations();

export interface SignInRequest {
  readonly provider: string;
  readonly scopes: string;
  readonly challenge: Challenge | undefined;
  readonly inviteToken: string;
  /** Other parameters that the client wants passed to the provider. */
  readonly extra: Readonly<Record<string, string>>;
  /** Who links the provider's account to their own; undefined when signing in. */
  readonly linking?: Account;
}

/** The provider's address for this browser. `caller.redirectTo` is where the browser ends up. */
export async function beginSignIn(parts: AuthParts, caller: AuthCaller, asked: SignInRequest): Promise<URL> {
  const plan = await planOf(parts, asked.provider);
  if (asked.inviteToken !== "" && !(await invitedUser(parts, parts.database, asked.inviteToken))) {
    throw refuse("user_not_found", "User identified by token not found");
  }
  const id = randomUUID();
  const verifier = oidc.randomPKCECodeVerifier();
  const configuration = await configurations
    .of(plan, parts.clock.now())
    .catch(failed(plan, `Unable to reach ${plan.name}`));
  await insertState(
    parts.database,
    {
      id,
      provider: plan.name,
      method: "oauth",
      challenge: asked.challenge,
      referrer: caller.redirectTo,
      inviteToken: asked.inviteToken === "" ? undefined : parts.atRest.seal(asked.inviteToken, id),
      linking: asked.linking && { userId: asked.linking.user.id, sessionId: asked.linking.session?.id },
      emailOptional: plan.emailOptional,
      verifier: parts.atRest.seal(verifier, id),
    },
    new Date(parts.clock.now()),
  );
  return authorizationUrl(plan, configuration, pendingOf(parts, caller, plan, id, verifier), {
    scopes: asked.scopes.split(/[\s,]+/).filter(Boolean),
    extra: asked.extra,
  });
}

function pendingOf(
  { settings }: AuthParts,
  { apiUrl }: AuthCaller,
  plan: ProviderPlan,
  state: string,
  verifier: string,
): Pending {
  const own = Object.hasOwn(settings.providers, plan.name)
    ? settings.providers[plan.name as keyof typeof settings.providers].REDIRECT_URI
    : "";
  // The provider sees the verifier only when its code is exchanged, so it cannot know the nonce of another sign-in.
  const nonce = createHash("sha256").update(`nonce ${verifier}`).digest("base64url");
  return { state, verifier, nonce, redirectUri: own || `${apiUrl}/auth/v1/callback` };
}

/** The state that a browser brings back. Refuses one that is made up, too old or used. */
export async function openState(parts: AuthParts, state: string): Promise<StateRow> {
  if (state === "") throw refuse("bad_oauth_callback", "OAuth state parameter missing");
  if (!isUuid(state)) throw refuse("bad_oauth_state", "OAuth state parameter is invalid");
  const row = await findState(parts.database, state);
  if (!row) throw refuse("bad_oauth_state", "OAuth state not found or expired");
  const seconds = parts.settings.EXTERNAL_FLOW_STATE_EXPIRY_DURATION;
  if (row.created_at.getTime() + seconds * 1000 <= parts.clock.now()) {
    throw refuse("bad_oauth_state", "OAuth state has expired");
  }
  return row;
}

/** Where the browser goes with its session, or with a code that it exchanges for one. */
export async function finishSignIn(
  parts: AuthParts,
  caller: AuthCaller,
  state: StateRow,
  parameters: URLSearchParams,
): Promise<string> {
  const sealed = await takeVerifier(parts.database, state.id);
  const verifier = sealed === undefined ? undefined : parts.atRest.open(sealed, state.id);
  if (verifier === undefined) throw refuse("flow_state_already_used");
  if (!state.is_pkce) await deleteState(parts.database, state.id);
  const denied = parameters.get("error");
  if (denied) throw new OAuthRefusal(denied, parameters.get("error_description") ?? "");
  const code = parameters.get("code");
  if (!code) throw refuse("bad_oauth_callback", "OAuth callback with missing authorization code missing");

  const plan = await planOf(parts, state.provider_type).catch((error: unknown) => {
    throw refuse("oauth_provider_not_supported", (error as Error).message);
  });
  const pending = pendingOf(parts, caller, plan, state.id, verifier);
  const { tokens, user } = await provided(parts, plan, pending, parameters, code);
  if (user.emails.length === 0 && !state.email_optional) {
    throw refuse("unexpected_failure", "Error getting user email from external provider");
  }
  const external = externalOf(plan.name, user, state.email_optional);
  const target = await parts.database.transaction(async (tx) => {
    const account = await accountFor(parts, tx, caller, state, external);
    return comeOut(parts, tx, caller, state, account, {
      method: "oauth",
      tokens: { access: tokens.access_token, refresh: tokens.refresh_token },
    });
  });
  parts.outbox.poke();
  return target;
}

async function provided(
  parts: AuthParts,
  plan: ProviderPlan,
  pending: Pending,
  parameters: URLSearchParams,
  code: string,
): Promise<{ tokens: { access_token: string; refresh_token?: string | undefined }; user: ProvidedUser }> {
  const configuration = await configurations
    .of(plan, parts.clock.now())
    .catch(failed(plan, "Unable to reach provider"));
  const signedIn = await redeemCode(plan, configuration, pending, parameters).catch(
    failed(plan, `Unable to exchange external code: ${code}`),
  );
  const user = await signedIn
    .describe()
    .catch(failed(plan, "Error getting user profile from external provider"));
  if (user.claims.sub === "")
    throw refuse("unexpected_failure", "Error getting user profile from external provider");
  return { tokens: signedIn.tokens, user };
}

/** Not logged here: the refusal's own log line names the provider and the cause. */
const failed =
  ({ name }: ProviderPlan, message: string) =>
  (error: unknown): never => {
    throw refuse("unexpected_failure", message, { cause: new Error(`provider ${name}`, { cause: error }) });
  };

async function accountFor(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  state: StateRow,
  external: External,
): Promise<UserRow> {
  const { linking_target_id: userId, linking_session_id: sessionId } = state;
  if (userId) {
    const user = await linkIdentity(parts, tx, caller, userId, external);
    await requireLinkingSession(tx, user, sessionId);
    return user;
  }
  if (state.invite_token) {
    const token = parts.atRest.open(state.invite_token, state.id) ?? "";
    return acceptInvitation(parts, tx, caller, token, external);
  }
  return externalAccount(parts, tx, caller, external);
}

/** How every sign-in through a third party ends: a code for the browser that began it, or tokens in the fragment. */
export async function comeOut(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  state: Pick<StateRow, "id" | "is_pkce" | "referrer">,
  user: UserRow,
  { method, tokens, notAfter }: { method: AuthMethod; tokens?: ProviderTokens; notAfter?: Date | undefined },
): Promise<string> {
  const target = state.referrer ?? parts.siteUrl;
  if (state.is_pkce) {
    const { code, stored } = newAuthCode(parts.atRest);
    const seal = (token: string | undefined) => (token ? parts.atRest.seal(token, state.id) : null);
    const answer = {
      userId: user.id,
      code: stored,
      accessToken: seal(tokens?.access),
      refreshToken: seal(tokens?.refresh),
      notAfter: notAfter ?? null,
    };
    if (!(await answerState(tx, state.id, answer, new Date(parts.clock.now()))))
      throw refuse("flow_state_already_used");
    return withCode(target, code);
  }
  const session = await issueSession(parts, tx, caller, user, method, { notAfter });
  return withFragment(target, fragmentOf(session, tokens));
}

interface ProviderTokens {
  readonly access: string;
  readonly refresh: string | undefined;
}

/** GoTrue sorts the members by name. */
const fragmentOf = (session: SignedIn, tokens: ProviderTokens | undefined): Record<string, string> => ({
  access_token: session.access_token,
  expires_at: String(session.expires_at),
  expires_in: String(session.expires_in),
  ...(tokens?.refresh && { provider_refresh_token: tokens.refresh }),
  ...(tokens && { provider_token: tokens.access }),
  refresh_token: session.refresh_token,
  token_type: session.token_type,
});
