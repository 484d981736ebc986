// Secrets nobody had to choose: made at the first start, kept in DATA_DIR/secrets.json, readable by the owner only.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonWebKey } from "node:crypto";
import { type Algorithm, newSigningKey, retired } from "./signing-keys.ts";

export interface StoredKey {
  readonly jwk: JsonWebKey;
  /** Milliseconds since the epoch; undefined while it signs. */
  readonly retiredAt?: number;
}

export interface Secrets {
  readonly jwtSecret: string;
  /** What auth hashes and seals secrets with. Not the JWT secret: replacing that must not make second factors unreadable. */
  readonly authKey: string;
  /** The private one that signs access tokens, then the public halves of those before. Of no use where JWT_SECRET is given. */
  readonly signingKeys: readonly StoredKey[];
  /** Ed25519 private key that signs entry codes. */
  readonly ticketKey: JsonWebKey;
  readonly sandbox: {
    readonly secretKey: string;
    readonly publishableKey: string;
    readonly webhookSecret: string;
  };
  /** The first administrator's, for as long as it may be read: see forgetAdminPassword. */
  readonly adminPassword?: string;
}

const token = (bytes: number) => randomBytes(bytes).toString("base64url");

/** Reads the folder's secrets, or makes them. A crash leaves either no file or a whole one. */
export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, "secrets.json");
  if (existsSync(file)) return completed(file);
  const secrets: Secrets = {
    jwtSecret: token(48),
    authKey: token(48),
    signingKeys: [{ jwk: newSigningKey("ES256") }],
    ticketKey: newTicketKey(),
    sandbox: {
      secretKey: `sk_test_sandbox_${token(24)}`,
      publishableKey: `pk_test_sandbox_${token(24)}`,
      webhookSecret: `whsec_${token(24)}`,
    },
    adminPassword: token(12),
  };
  write(file, secrets);
  return secrets;
}

/** A folder from before there were such keys gets them. */
function completed(file: string): Secrets {
  const kept = JSON.parse(readFileSync(file, "utf8")) as Partial<Secrets>;
  const secrets = { authKey: token(48), signingKeys: [], ...kept } as Secrets;
  if (kept.authKey === undefined || kept.signingKeys === undefined) write(file, secrets);
  return secrets;
}

/** Once it was changed, or the shop sells for real, the generated password stands nowhere any more. */
export function forgetAdminPassword(dataDir: string): void {
  const { adminPassword, ...secrets } = loadSecrets(dataDir);
  if (adminPassword !== undefined) write(join(dataDir, "secrets.json"), secrets);
}

/** Signs every code from the next start on. The old public half is in `entry_keys`, so sold codes stay good. */
export function rotateTicketKey(dataDir: string): void {
  write(join(dataDir, "secrets.json"), { ...loadSecrets(dataDir), ticketKey: newTicketKey() });
}

/** A key that signed before stays this long, far longer than a token lives. */
const RETIRED_KEY_MS = 30 * 86_400_000;

/** Signs every access token from the next start on. Tokens of the keys before stay good. */
export function rotateSigningKey(dataDir: string, algorithm: Algorithm, now: number): void {
  const secrets = loadSecrets(dataDir);
  const before = secrets.signingKeys
    .filter(({ retiredAt }) => retiredAt === undefined || retiredAt > now - RETIRED_KEY_MS)
    .map(({ jwk, retiredAt }) => ({ jwk: retired(jwk), retiredAt: retiredAt ?? now }));
  const signingKeys = [{ jwk: newSigningKey(algorithm) }, ...before];
  write(join(dataDir, "secrets.json"), { ...secrets, signingKeys });
}

function newTicketKey(): JsonWebKey {
  return generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
}

function write(file: string, secrets: Secrets): void {
  const unfinished = `${file}.unfinished`;
  writeFileSync(unfinished, JSON.stringify(secrets, null, 2), { mode: 0o600, flush: true });
  renameSync(unfinished, file);
}
