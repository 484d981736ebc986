// The keys that access tokens are signed with: the current one, and earlier ones whose tokens stay valid. They are JWKs (RFC
// 7517) as in GoTrue's GOTRUE_JWT_KEYS, or created by this server and kept with its secrets.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
} from "node:crypto";
import { StartError } from "../start-error.ts";

export const ALGORITHMS = ["ES256", "RS256", "EdDSA"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** The algorithm that each type and curve of key is used for. */
const ALGORITHM_OF: Readonly<Record<string, Algorithm>> = {
  "EC P-256": "ES256",
  "RSA ": "RS256",
  "OKP Ed25519": "EdDSA",
};

interface VerifyingKey {
  readonly algorithm: Algorithm;
  readonly key: KeyObject;
}

export interface SigningKeys {
  /** Undefined: tokens are signed with the JWT secret. */
  readonly current: (VerifyingKey & { readonly kid: string }) | undefined;
  readonly byKid: ReadonlyMap<string, VerifyingKey>;
  /** The public halves, for everyone. */
  readonly published: readonly JsonWebKey[];
}

export const NO_KEYS: SigningKeys = { current: undefined, byKid: new Map(), published: [] };

/**
 * The key with `key_ops` `["sign"]` signs, as in GoTrue; if no key has it, the first private one signs. A symmetric key is
 * skipped, because the JWT secret is given separately. Throws StartError.
 */
export function readSigningKeys(jwks: readonly JsonWebKey[]): SigningKeys {
  const byKid = new Map<string, VerifyingKey>();
  const published: JsonWebKey[] = [];
  let current: SigningKeys["current"];
  const asymmetric = jwks.filter(({ kty }) => kty !== "oct");
  const signing =
    asymmetric.find((jwk) => isPrivate(jwk) && operations(jwk).includes("sign")) ??
    asymmetric.find(isPrivate);
  for (const jwk of asymmetric) {
    const kid = jwk["kid"];
    const algorithm = algorithmOf(jwk);
    if (typeof kid !== "string" || kid === "") throw new StartError("a signing key must have a kid");
    if (algorithm === undefined || (jwk["alg"] !== undefined && jwk["alg"] !== algorithm)) {
      throw new StartError(`signing key ${kid}: must be for ${ALGORITHMS.join(", ")}`);
    }
    if (byKid.has(kid)) throw new StartError(`signing key ${kid}: is there twice`);
    const key = keyOf(jwk, kid);
    byKid.set(kid, { algorithm, key: key.type === "private" ? createPublicKey(key) : key });
    published.push(publicHalf(jwk, kid, algorithm));
    if (jwk === signing) current = { algorithm, kid, key };
  }
  return { current, byKid, published };
}

/** GOTRUE_JWT_KEYS: a JSON list of JWKs. */
export function parseSigningKeys(json: string): SigningKeys {
  let jwks: unknown;
  try {
    jwks = JSON.parse(json);
  } catch {
    throw new StartError("GOTRUE_JWT_KEYS: must be a JSON list of keys");
  }
  if (!Array.isArray(jwks)) throw new StartError("GOTRUE_JWT_KEYS: must be a JSON list of keys");
  try {
    return readSigningKeys(jwks as JsonWebKey[]);
  } catch (error) {
    throw error instanceof StartError ? new StartError(`GOTRUE_JWT_KEYS: ${error.message}`) : error;
  }
}

/** Creates a private key. */
export function newSigningKey(algorithm: Algorithm): JsonWebKey {
  const { privateKey } =
    algorithm === "ES256"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : algorithm === "RS256"
        ? generateKeyPairSync("rsa", { modulusLength: 3072 })
        : generateKeyPairSync("ed25519");
  return {
    ...privateKey.export({ format: "jwk" }),
    kid: randomUUID(),
    alg: algorithm,
    use: "sig",
    key_ops: ["sign"],
  };
}

/** What is kept of a key that no longer signs: its public half, or a symmetric key as it is. */
export function retired(jwk: JsonWebKey): JsonWebKey {
  const algorithm = algorithmOf(jwk);
  if (algorithm === undefined) return jwk;
  return publicHalf(jwk, String(jwk["kid"]), algorithm);
}

const algorithmOf = ({ kty, crv }: JsonWebKey): Algorithm | undefined =>
  ALGORITHM_OF[`${String(kty)} ${crv ?? ""}`];

const isPrivate = ({ d }: JsonWebKey) => typeof d === "string";

const operations = (jwk: JsonWebKey): readonly unknown[] =>
  Array.isArray(jwk["key_ops"]) ? (jwk["key_ops"] as unknown[]) : [];

function keyOf(jwk: JsonWebKey, kid: string): KeyObject {
  try {
    const input = { key: jwk, format: "jwk" } as const;
    const key = isPrivate(jwk) ? createPrivateKey(input) : createPublicKey(input);
    if (key.asymmetricKeyType === "rsa" && (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) {
      throw new Error("too short");
    }
    return key;
  } catch (error) {
    throw new StartError(`signing key ${kid}: is no usable key (${(error as Error).message})`);
  }
}

const publicHalf = (jwk: JsonWebKey, kid: string, alg: Algorithm): JsonWebKey => ({
  ...createPublicKey({ key: jwk, format: "jwk" }).export({ format: "jwk" }),
  ...{ kid, alg, use: "sig", key_ops: ["verify"], ext: true },
});
