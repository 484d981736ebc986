// Secrets that nobody had to choose: created at the first start, kept in DATA_DIR/secrets.json, readable by the owner only.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonWebKey } from "node:crypto";
import { type Algorithm, newSigningKey, retired } from "./signing-keys.ts";

interface StoredKey {
  readonly jwk: JsonWebKey;
  /** Milliseconds since the epoch; undefined while it signs. */
  readonly retiredAt?: number;
}

export interface Secrets {
  readonly jwtSecret: string;
  /**
   * The key that auth hashes and seals secrets with. Not the JWT secret, because replacing that must not make second factors
   * unreadable.
   */
  readonly authKey: string;
  /** The private key that signs access tokens, then the public halves of earlier ones. Unused where JWT_SECRET is given. */
  readonly signingKeys: readonly StoredKey[];
  /** Ed25519 private key that signs entry codes. */
  readonly ticketKey: JsonWebKey;
  readonly sandbox: {
    readonly secretKey: string;
    readonly publishableKey: string;
    readonly webhookSecret: string;
  };
  /** The first administrator's, as long as it may be read; see forgetAdminPassword. */
  readonly adminPassword?: string;
}

const token = (bytes: number) => randomBytes(bytes).toString("base64url");

/** Reads the folder's secrets, or creates them. A crash leaves either no file or a complete one. */
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

/** Adds the keys that a folder from an older version lacks. */
function completed(file: string): Secrets {
  const kept = JSON.parse(readFileSync(file, "utf8")) as Partial<Secrets>;
  const secrets = { authKey: token(48), signingKeys: [], ...kept } as Secrets;
  if (kept.authKey === undefined || kept.signingKeys === undefined) write(file, secrets);
  return secrets;
}

/** Once it has been changed, or the shop sells for real, the generated password is kept nowhere. */
export function forgetAdminPassword(dataDir: string): void {
  const { adminPassword, ...secrets } = loadSecrets(dataDir);
  if (adminPassword !== undefined) write(join(dataDir, "secrets.json"), secrets);
}

/** Takes effect at the next start. The old public half is in `entry_keys`, so sold codes stay valid. */
export function rotateTicketKey(dataDir: string): void {
  write(join(dataDir, "secrets.json"), { ...loadSecrets(dataDir), ticketKey: newTicketKey() });
}

/** How long a retired key is kept: far longer than a token lives. */
const RETIRED_KEY_MS = 30 * 86_400_000;

/** Takes effect at the next start. Tokens signed with earlier keys stay valid. */
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
