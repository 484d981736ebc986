// Identifies the caller: the API key opens the door, the bearer token says who comes in. As in Supabase's own gateway, some doors
// need no key because their callers cannot send one: links in mails, pictures, a payment provider's webhooks.
import { ServiceError } from "../platform/errors.ts";
import { whyRefused } from "../platform/token-refusal.ts";
import type { Claims, Tokens } from "../platform/jwt.ts";

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

/** Whatever token comes along: nobody looks at it, as on Supabase. Links in pages and mails carry none, and old ones carry old ones. */
const OPEN =
  /^(GET|HEAD) \/storage\/v1\/(status$|version$|object\/(info\/)?public\/|object\/sign\/|render\/image\/(public|sign)\/)/;

export interface Identity {
  readonly claims: Claims;
  /** The raw bearer token of a user. */
  readonly token: string | undefined;
}

/** Throws ServiceError 401: no_api_key, invalid_api_key, token_expired or invalid_token. */
export async function identify(
  keys: ApiKeys,
  tokens: Tokens,
  request: {
    readonly method?: string | undefined;
    readonly path: string;
    readonly key: string | undefined;
    readonly authorization: string | undefined;
  },
): Promise<Identity> {
  const { key } = request;
  if (OPEN.test(`${request.method} ${request.path}`)) return { claims: { role: "anon" }, token: undefined };
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.authorization ?? "")?.[1];
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
  // Without its token PostgREST refuses the header; elsewhere the key stands in for it.
  const isEmpty = request.path.startsWith("/rest/v1") && /^Bearer\s*$/i.test(request.authorization ?? "");
  const presented = isEmpty ? "" : (bearer ?? key ?? keys.anon);
  const claims = await tokens.verify(presented);
  if (claims === "expired") throw new ServiceError(401, "token_expired", "JWT expired");
  if (claims === "invalid") {
    const cause = whyRefused(presented, Date.now());
    throw new ServiceError(401, "invalid_token", "invalid JWT", { cause });
  }
  // As PostgREST and storage-api do with a token that names no role.
  const role = claims.role || "anon";
  // A token may name no other role, such as the database's owner.
  if (!ROLES.has(role)) throw new ServiceError(401, "invalid_token", "invalid JWT");
  return {
    claims: role === claims.role ? claims : { ...claims, role },
    token: presented === keys.anon || presented === keys.service ? undefined : presented,
  };
}
