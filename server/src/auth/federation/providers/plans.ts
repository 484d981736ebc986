// The providers this server can send people to, from GoTrue's settings for them. Endpoints, scopes and shapes are GoTrue's;
// decision 069 lists what differs.
import { createHmac } from "node:crypto";
import { importPKCS8, SignJWT } from "jose";
import * as oidc from "openid-client";
import type { AuthSettings } from "../../settings/settings.ts";
import { type Offered, appleKeyIn, isOffered } from "../../settings/offered.ts";
import type { ProviderSettings } from "../../settings/providers.ts";
import { reachAnything } from "../outward.ts";
import type { ProviderPlan } from "./provider.ts";
import {
  appleName,
  appleUser,
  azureUser,
  discordUser,
  facebookUser,
  githubUser,
  gitlabUser,
  googleUser,
  keycloakUser,
  linkedinUser,
  slackUser,
} from "./shapes.ts";

export const GOOGLE = "https://accounts.google.com";
export const APPLE = "https://appleid.apple.com";
export const FACEBOOK = "https://www.facebook.com";

type Particulars = Pick<ProviderPlan, "scopes" | "idToken" | "pkce" | "server" | "describe"> &
  Partial<Pick<ProviderPlan, "clientAuth" | "parameters">>;

const withoutSlash = (url: string) => url.replace(/\/+$/, "");

const plainOAuth = (site: string, authorize: string, token: string) => ({
  idToken: false,
  pkce: false,
  server: {
    issuer: site,
    authorization_endpoint: `${site}${authorize}`,
    token_endpoint: `${site}${token}`,
  },
});

const makers = {
  google: ({ URL: issuer }) => ({
    scopes: ["openid", "email", "profile"],
    idToken: true,
    pkce: true,
    server: { issuer: issuer || GOOGLE },
    describe: async ({ tokens }) => googleUser(tokens.claims()!),
  }),

  apple: ({ URL: issuer, SECRET: secret, CLIENT_ID: [clientId = ""] }) => ({
    scopes: ["openid", "email", "name"],
    idToken: true,
    // Apple documents no PKCE; the nonce binds its answer to the request.
    pkce: false,
    server: { issuer: issuer || APPLE },
    parameters: { response_mode: "form_post" },
    clientAuth: appleAuth(clientId, secret, issuer || APPLE),
    describe: async ({ tokens, parameters }) =>
      appleUser(tokens.claims()!, appleName(parameters.get("user"))),
  }),

  github: ({ URL: host, API_URL: api }) => {
    const site = withoutSlash(host) || "https://github.com";
    const apiUrl = withoutSlash(api) || (host ? `${site}/api/v3` : "https://api.github.com");
    return {
      scopes: ["user:email"],
      idToken: false,
      pkce: true,
      server: {
        issuer: site,
        authorization_endpoint: `${site}/login/oauth/authorize`,
        token_endpoint: `${site}/login/oauth/access_token`,
      },
      describe: async ({ read }) => {
        const [user, emails] = await Promise.all([read(`${apiUrl}/user`), read(`${apiUrl}/user/emails`)]);
        return githubUser(user, emails, apiUrl);
      },
    };
  },

  facebook: ({ URL: host, API_URL: api, SECRET: secret }) => {
    const site = withoutSlash(host) || FACEBOOK;
    const graph = withoutSlash(api) || withoutSlash(host) || "https://graph.facebook.com";
    const profile = `${graph}/me?fields=email,first_name,last_name,name,picture`;
    return {
      scopes: ["email"],
      idToken: false,
      pkce: false,
      server: {
        issuer: site,
        authorization_endpoint: `${site}/dialog/oauth`,
        token_endpoint: `${graph}/oauth/access_token`,
      },
      describe: async ({ tokens, read }) => {
        const proof = createHmac("sha256", secret).update(tokens.access_token).digest("hex");
        return facebookUser(await read(`${profile}&appsecret_proof=${proof}`), profile);
      },
    };
  },

  // Their answers bring an id token that no nonce binds, so userinfo is queried instead.
  linkedin_oidc: ({ URL: host, API_URL: api }) => {
    const site = withoutSlash(host) || "https://www.linkedin.com";
    const userInfo = `${withoutSlash(api) || withoutSlash(host) || "https://api.linkedin.com"}/v2/userinfo`;
    return {
      ...plainOAuth(site, "/oauth/v2/authorization", "/oauth/v2/accessToken"),
      scopes: ["openid", "email", "profile"],
      describe: async ({ read }) => linkedinUser(await read(userInfo), site),
    };
  },

  slack_oidc: ({ URL: host }) => {
    const site = withoutSlash(host) || "https://slack.com";
    return {
      ...plainOAuth(site, "/openid/connect/authorize", "/api/openid.connect.token"),
      scopes: ["profile", "email", "openid"],
      describe: async ({ read }) =>
        slackUser(await read(`${site}/api/openid.connect.userInfo`), `${site}/api`),
    };
  },

  discord: ({ URL: host }) => {
    const api = `${withoutSlash(host) || "https://discord.com"}/api`;
    return {
      ...plainOAuth(api, "/oauth2/authorize", "/oauth2/token"),
      scopes: ["email", "identify"],
      describe: async ({ read }) => discordUser(await read(`${api}/users/@me`), api),
    };
  },

  gitlab: ({ URL: host }) => {
    const site = withoutSlash(host) || "https://gitlab.com";
    return {
      ...plainOAuth(site, "/oauth/authorize", "/oauth/token"),
      scopes: ["read_user"],
      pkce: true,
      describe: async ({ read }) => gitlabUser(await read(`${site}/api/v4/user`), site),
    };
  },

  // One tenant, whose administrators decide which addresses belong to whom: the endpoint for all tenants has no issuer to
  // check.
  azure: ({ URL: tenant }) => ({
    scopes: ["openid", "profile", "email"],
    idToken: true,
    pkce: true,
    server: { issuer: `${withoutSlash(tenant)}/v2.0` },
    describe: async ({ tokens }) => azureUser(tokens.claims()!),
  }),

  keycloak: ({ URL: realm }) => {
    const issuer = withoutSlash(realm);
    return {
      scopes: ["openid", "profile", "email"],
      idToken: true,
      pkce: true,
      server: { issuer },
      describe: async ({ tokens, configuration }) =>
        keycloakUser(
          await oidc.fetchUserInfo(configuration, tokens.access_token, tokens.claims()!.sub),
          issuer,
        ),
    };
  },
} satisfies Record<Offered, (settings: ProviderSettings) => Particulars>;

/** Undefined for a disabled provider, or one that this server does not know. */
export function planFor(settings: AuthSettings, name: string): ProviderPlan | undefined {
  if (!isOffered(name)) return undefined;
  const own = settings.providers[name];
  if (!own.ENABLED) return undefined;
  return {
    name,
    clientId: own.CLIENT_ID[0] ?? "",
    clientAuth: oidc.ClientSecretPost(own.SECRET),
    emailOptional: own.EMAIL_OPTIONAL,
    reach: reachAnything,
    ...(makers[name] as (settings: ProviderSettings) => Particulars)(own),
  };
}

const SECRET_SECONDS = 300;

/**
 * Apple's client secret is a token signed with the operator's key, valid for six months at most. If the key itself is given,
 * as JSON, the server signs a new one for each exchange, so that sign-in does not stop working one day.
 */
function appleAuth(clientId: string, secret: string, audience: string): oidc.ClientAuth {
  const key = appleKeyIn(secret);
  if (!key) return oidc.ClientSecretPost(secret);
  const { team_id, key_id, private_key } = key;
  return async (_server, _client, body) => {
    const token = await new SignJWT()
      .setProtectedHeader({ alg: "ES256", kid: key_id })
      .setIssuer(team_id)
      .setIssuedAt()
      .setExpirationTime(`${SECRET_SECONDS}s`)
      .setAudience(audience)
      .setSubject(clientId)
      .sign(await importPKCS8(private_key, "ES256"));
    body.set("client_id", clientId);
    body.set("client_secret", token);
  };
}
