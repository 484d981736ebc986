// PKCE for flows that start with a mail (RFC 7636): the browser that requests the mail keeps a secret and sends its hash. The
// mail's link then returns a code that works only with the secret, so a link that a stranger sends signs nobody in.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import {
  type ChallengeMethod,
  deleteFlow,
  deleteOneTimeTokens,
  findOneTimeTokens,
  type FlowRow,
  insertFlow,
  lockFlow,
  stampFlow,
} from "./queries.ts";
import type { AuthCaller, AuthParts } from "../parts.ts";
import { findUserById, updateUser, type UserRow } from "../account/queries.ts";
import { isBanned, issueSession, type SignedIn } from "../sessions/sessions.ts";
import { takeWaitingClaim } from "../sign-up/claims.ts";
import { identityData } from "../account/user-view.ts";

export interface Challenge {
  readonly challenge: string;
  readonly method: ChallengeMethod;
}

/** Undefined when the client did not request the flow. */
export function challengeOf(body: {
  code_challenge: string;
  code_challenge_method: string;
}): Challenge | undefined {
  const { code_challenge: challenge } = body;
  const method = body.code_challenge_method.toLowerCase();
  if (challenge === "" && method === "") return undefined;
  if (challenge === "" || method === "") {
    throw refuse("validation_failed", "PKCE flow requires code_challenge_method and code_challenge");
  }
  if (challenge.length < 43 || challenge.length > 128) {
    throw refuse("validation_failed", "code challenge has to be between 43 and 128 characters");
  }
  if (!/^[A-Za-z0-9._~-]+$/.test(challenge)) {
    throw refuse(
      "validation_failed",
      "code challenge can only contain alphanumeric characters, -, ., _ and ~",
    );
  }
  if (method !== "s256" && method !== "plain") {
    throw refuse("validation_failed", "invalid code_challenge_method");
  }
  return { challenge, method };
}

const PREFIX = "pkce_";

/** The token of a link, with a prefix if the link starts a flow. */
export const linkToken = (hash: string, challenge: Challenge | undefined) =>
  challenge ? PREFIX + hash : hash;
export const startsFlow = (token: string) => token.startsWith(PREFIX);

/** A link has one flow, found by the stored form of the link's token. */
const flowId = (token: string) =>
  createHash("sha256")
    .update(token)
    .digest("hex")
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");

export async function openFlow(
  tx: Executor,
  token: string,
  userId: string,
  { challenge, method }: Challenge,
  now: Date,
): Promise<void> {
  await insertFlow(tx, { id: flowId(token), userId, challenge, method }, now);
}

/** The code to append to the address that the opened link leads to. */
export async function authCodeFor(
  { atRest }: AuthParts,
  tx: Executor,
  token: string,
  now: Date,
): Promise<string> {
  const { code, stored } = newAuthCode(atRest);
  if (!(await stampFlow(tx, flowId(token), stored, now))) throw refuse("flow_state_not_found");
  return code;
}

/** A code for the browser, and its stored form. */
export function newAuthCode(atRest: AuthParts["atRest"]): { readonly code: string; readonly stored: string } {
  const code = randomBytes(24).toString("base64url");
  return { code, stored: atRest.hash(code) };
}

/** Exchanges the code of an opened link and the browser's secret for a session. */
export async function exchangeCode(
  parts: AuthParts,
  caller: AuthCaller,
  given: { auth_code: string; code_verifier: string },
): Promise<SignedIn> {
  if (given.auth_code === "" || given.code_verifier === "") {
    throw refuse(
      "validation_failed",
      "invalid request: both auth code and code verifier should be non-empty",
    );
  }
  const now = new Date(parts.clock.now());
  return parts.database.transaction(async (tx) => {
    const flow = await lockFlow(tx, parts.atRest.hash(given.auth_code));
    if (!flow) throw refuse("flow_state_not_found");
    if (
      flow.auth_code_issued_at.getTime() + parts.settings.EXTERNAL_FLOW_STATE_EXPIRY_DURATION * 1000 <=
      now.getTime()
    ) {
      throw refuse("flow_state_expired");
    }
    if (!isAnswered(flow, given.code_verifier)) throw refuse("bad_code_verifier");
    const user = await findUserById(tx, flow.user_id, "no lock");
    if (!user || user.deleted_at) throw refuse("flow_state_not_found");
    if (isBanned(user, now)) throw refuse("user_banned");
    await deleteFlow(tx, flow.id);
    await audit(parts, tx, caller, "login", user, { provider_type: flow.provider_type });
    const isMailed = flow.authentication_method === "otp";
    if (isMailed) await endLinks(tx, flow);
    const owner = isMailed ? await takeUpSignUp(tx, user, flow, now) : user;
    const session = await issueSession(parts, tx, caller, owner, flow.authentication_method, {
      notAfter: flow.session_not_after ?? undefined,
    });
    return { ...session, ...providerTokens(parts, flow) };
  });
}

/** The tokens the provider issued for its own API; kept as long as the flow. */
function providerTokens({ atRest }: AuthParts, flow: FlowRow) {
  const open = (sealed: string | null) => (sealed === null ? undefined : atRest.open(sealed, flow.id));
  const access = open(flow.provider_access_token);
  const refresh = open(flow.provider_refresh_token);
  return {
    ...(access !== undefined && { provider_token: access }),
    ...(refresh !== undefined && { provider_refresh_token: refresh }),
  };
}

/** Invalidates the flow's link, its code and others of their kind, which now count as used. */
async function endLinks(tx: Executor, flow: FlowRow): Promise<void> {
  const tokens = await findOneTimeTokens(tx, flow.user_id);
  const own = tokens.find(({ token_hash }) => flowId(token_hash) === flow.id);
  if (own) await deleteOneTimeTokens(tx, flow.user_id, [own.token_type]);
}

/** The browser that opened the link is the one that signed up, so the password it chose now counts. */
async function takeUpSignUp(tx: Executor, user: UserRow, flow: FlowRow, now: Date): Promise<UserRow> {
  const claim = await takeWaitingClaim(tx, user, (token) => flowId(token) === flow.id);
  if (!claim) return user;
  const identity = identityData(user.id, user.email!, true);
  await updateUser(
    tx,
    user.id,
    { encrypted_password: claim.encryptedPassword, raw_user_meta_data: { ...claim.metadata, ...identity } },
    now,
  );
  return (await findUserById(tx, user.id, "no lock"))!;
}

function isAnswered(flow: FlowRow, verifier: string): boolean {
  const answer =
    flow.code_challenge_method === "s256"
      ? createHash("sha256").update(verifier).digest("base64url")
      : verifier;
  const [given, wanted] = [Buffer.from(answer), Buffer.from(flow.code_challenge)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
