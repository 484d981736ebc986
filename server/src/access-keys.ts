// What opens the API: the signing keys of the tokens, and the two API keys that clients are built with.
import { systemClock } from "./platform/clock.ts";
import type { ServerConfig } from "./platform/config.ts";
import { type Claims, createTokens, type Tokens } from "./platform/keys/jwt.ts";
import type { Secrets } from "./platform/keys/secrets.ts";
import {
  NO_KEYS,
  parseSigningKeys,
  readSigningKeys,
  type SigningKeys,
} from "./platform/keys/signing-keys.ts";
import { StartError } from "./platform/start-error.ts";

export interface AccessKeys {
  readonly tokens: Tokens;
  readonly keys: { readonly anon: string; readonly service: string };
}

/** Refuses a given API key that is for another role, or that the JWT secret did not sign. */
export async function openAccess(
  config: ServerConfig,
  secrets: Secrets,
  jwtSecret: string,
): Promise<AccessKeys> {
  const given = [
    { name: "ANON_KEY", key: config.anonKey, role: "anon" },
    { name: "SERVICE_ROLE_KEY", key: config.serviceKey, role: "service_role" },
  ];
  const names = new Map<string, Claims>(
    given.flatMap(({ key, role }) => (key === undefined || isToken(key) ? [] : [[key, { role }]])),
  );
  const audience = config.authVariables["GOTRUE_JWT_AUD"] || undefined;
  const tokens = createTokens(jwtSecret, systemClock, signingKeysOf(config, secrets), names, audience);
  for (const { name, key, role } of given) {
    const claims = key === undefined ? { role } : await tokens.verify(key);
    if (typeof claims === "string") throw new StartError(`${name}: is ${claims} for this JWT_SECRET`);
    if (claims.role !== role) throw new StartError(`${name}: is a key for ${claims.role}, not for ${role}`);
  }
  return {
    tokens,
    keys: {
      anon: config.anonKey ?? tokens.signWithSecret({ iss: "supabase", role: "anon" }),
      service: config.serviceKey ?? tokens.signWithSecret({ iss: "supabase", role: "service_role" }),
    },
  };
}

/** The platform's newer keys (`sb_publishable_…`, `sb_secret_…`) are not tokens. */
const isToken = (key: string) => key.split(".").length === 3;

/** An operator who sets the JWT secret uses it elsewhere too, where a key from this data folder is unknown. */
function signingKeysOf(config: ServerConfig, secrets: Secrets): SigningKeys {
  const given = config.authVariables["GOTRUE_JWT_KEYS"];
  if (given !== undefined) return parseSigningKeys(given);
  if (config.jwtSecret !== undefined) return NO_KEYS;
  return readSigningKeys(secrets.signingKeys.map(({ jwk }) => jwk));
}
