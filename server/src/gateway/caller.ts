// Identifies the caller: the API key opens the door, the bearer token says who it is. As in Supabase's own gateway, some
// doors need no key because their callers cannot send one: links in mails, pictures, a payment provider's webhooks.
import { ServiceError } from "../platform/errors.ts";
import { whyRefused } from "../platform/keys/token-refusal.ts";
import type { Claims, Tokens } from "../platform/keys/jwt.ts";

export interface ApiKeys {
  readonly anon: string;
  readonly service: string;
}

const ROLES: ReadonlySet<string> = new Set(["anon", "authenticated", "service_role"]);

const KEYLESS = [
  /^\/auth\/v1\/(verify|callback|authorize|health|sso\/saml\/(acs|metadata)|\.well-known\/(jwks\.json|openid-configuration))$/,
  /^\/storage\/v1\//,
  /^\/functions\/v1\//,
];

/**
 * Tokens are ignored here, as on Supabase. Links in pages and mails carry none, and old links carry expired ones. The signature of a
 * signed address is what permits an upload to it.
 */
const OPEN = new RegExp(
  [
    "^(GET|HEAD) /storage/v1/(status$|version$|object/(info/)?public/|object/sign/|render/image/(public|sign)/)",
    "^PUT /storage/v1/object/upload/sign/[^/]+/.",
    "^[A-Z]+ /storage/v1/upload/resumable/sign(/|$)",
  ].join("|"),
);

/** In storage-api a key alone is not enough, except where the token is ignored and for asking what is offered. */
const NEEDS_AUTHORIZATION = /^(?!OPTIONS )[A-Z]+ \/storage\/v1\//;

/**
 * Auth accepts tokens of any role, but never acts under it: GOTRUE_JWT_ADMIN_ROLES names the administrative ones. REST acts under any
 * role that the database granted to authenticator.
 */
const ANY_ROLE = /^\/(auth|rest)\/v1(\/|$)/;

/** Each function's own setting decides whether it needs a token, so these callers are identified but not refused. */
const UNDECIDED = /^\/functions\/v1\//;

export interface Caller {
  readonly claims: Claims;
  /** The raw bearer token of a user. */
  readonly token: string | undefined;
  readonly refused?: ServiceError;
}

interface Credentials {
  readonly method?: string | undefined;
  readonly path: string;
  readonly key: string | undefined;
  readonly authorization: string | undefined;
}

/** Throws ServiceError 401: no_api_key, invalid_api_key, token_expired or invalid_token. */
export async function identify(keys: ApiKeys, tokens: Tokens, request: Credentials): Promise<Caller> {
  return UNDECIDED.test(request.path)
    ? identifyUndecided(keys, tokens, request)
    : identifyOrRefuse(keys, tokens, request);
}

/** As in the platform's relay: a caller with a bearer token needs no key, and unknown roles count as visitors. */
async function identifyUndecided(keys: ApiKeys, tokens: Tokens, request: Credentials): Promise<Caller> {
  const { authorization } = request;
  const visitor = { claims: { role: "anon" }, token: undefined };
  try {
    if (authorization === undefined) {
      if (request.key !== undefined) return await identifyOrRefuse(keys, tokens, request);
      const refused = new ServiceError(401, "no_authorization", "Missing authorization header");
      return { ...visitor, refused };
    }
    if (!BEARER.test(authorization)) {
      const refused = new ServiceError(401, "no_bearer", "Auth header is not 'Bearer {token}'");
      return { ...visitor, refused };
    }
    return await identifyOrRefuse(keys, tokens, { ...request, key: undefined });
  } catch (refused) {
    if (!(refused instanceof ServiceError)) throw refused;
    return { ...visitor, refused };
  }
}

/** In storage-api's words: the protocol for uploads in parts reads no token as a malformed one. */
const lacksAuthorization = (path: string): ServiceError =>
  /^\/storage\/v1\/upload\/resumable(\/|$)/.test(path)
    ? new ServiceError(401, "invalid_token", "Invalid Compact JWS")
    : new ServiceError(400, "InvalidRequest", "headers must have required property 'authorization'", {
        extra: { error: "Error" },
      });

const BEARER = /^Bearer\s+(\S+)$/i;

async function identifyOrRefuse(keys: ApiKeys, tokens: Tokens, request: Credentials): Promise<Caller> {
  const { key } = request;
  if (OPEN.test(`${request.method} ${request.path}`)) return { claims: { role: "anon" }, token: undefined };
  if (request.authorization === undefined && NEEDS_AUTHORIZATION.test(`${request.method} ${request.path}`)) {
    throw lacksAuthorization(request.path);
  }
  const bearer = BEARER.exec(request.authorization ?? "")?.[1];
  if (key === undefined) {
    if (!KEYLESS.some((open) => open.test(request.path))) {
      throw new ServiceError(401, "no_api_key", "No API key found in request", {
        extra: { hint: "No `apikey` request header or url param was found." },
      });
    }
  } else if (key !== keys.anon && key !== keys.service) {
    throw new ServiceError(401, "invalid_api_key", "Invalid API key", {
      extra: { hint: "Double check your API key." },
    });
  }
  // PostgREST refuses an empty bearer token; elsewhere the key stands in for it.
  const isEmpty = request.path.startsWith("/rest/v1") && /^Bearer\s*$/i.test(request.authorization ?? "");
  const presented = isEmpty ? "" : (bearer ?? key ?? keys.anon);
  const claims = await tokens.verify(presented);
  if (claims === "expired") throw new ServiceError(401, "token_expired", "JWT expired");
  if (claims === "invalid") {
    const cause = whyRefused(presented, tokens.audience, Date.now());
    throw new ServiceError(401, "invalid_token", "invalid JWT", { cause });
  }
  // As in PostgREST and storage-api for a token without a role.
  const role = claims.role || "anon";
  if (!ROLES.has(role) && !ANY_ROLE.test(request.path)) {
    if (UNDECIDED.test(request.path)) return { claims: { ...claims, role: "anon" }, token: presented };
    // The other services take roles on connections that may take more, such as the database owner.
    throw new ServiceError(401, "invalid_token", "invalid JWT");
  }
  return {
    claims: role === claims.role ? claims : { ...claims, role },
    token: presented === keys.anon || presented === keys.service ? undefined : presented,
  };
}
