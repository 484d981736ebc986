// Secrets that nobody had to choose: created at the first start, kept in DATA_DIR/secrets.json, readable by the owner only.
import { randomBytes } from "node:crypto";
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
}

export const secretToken = (bytes: number): string => randomBytes(bytes).toString("base64url");

export const loadSecrets = (dataDir: string): Secrets =>
  keepSecrets<Secrets>(dataDir, {
    jwtSecret: () => secretToken(48),
    authKey: () => secretToken(48),
    signingKeys: () => [{ jwk: newSigningKey("ES256") }],
  });

/** The folder's secrets of these names; creates those it lacks. A crash leaves the file as it was or complete. */
export function keepSecrets<Kept extends object>(
  dataDir: string,
  create: { readonly [Name in keyof Kept]: () => Kept[Name] },
): Kept {
  const kept = read(dataDir);
  const missing = Object.entries<() => unknown>(create).filter(([name]) => !Object.hasOwn(kept, name));
  const secrets = { ...kept, ...Object.fromEntries(missing.map(([name, make]) => [name, make()])) };
  if (missing.length > 0) write(dataDir, secrets);
  return secrets as Kept;
}

/** Takes effect at the next start. */
export function replaceSecrets(dataDir: string, replacements: Readonly<Record<string, unknown>>): void {
  write(dataDir, { ...read(dataDir), ...replacements });
}

/** How long a retired key is kept: far longer than a token lives. */
const RETIRED_KEY_MS = 30 * 86_400_000;

/** Takes effect at the next start. Tokens signed with earlier keys stay valid. */
export function rotateSigningKey(dataDir: string, algorithm: Algorithm, now: number): void {
  const before = loadSecrets(dataDir)
    .signingKeys.filter(({ retiredAt }) => retiredAt === undefined || retiredAt > now - RETIRED_KEY_MS)
    .map(({ jwk, retiredAt }) => ({ jwk: retired(jwk), retiredAt: retiredAt ?? now }));
  replaceSecrets(dataDir, { signingKeys: [{ jwk: newSigningKey(algorithm) }, ...before] });
}

const fileIn = (dataDir: string) => join(dataDir, "secrets.json");

function read(dataDir: string): Record<string, unknown> {
  const file = fileIn(dataDir);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>) : {};
}

function write(dataDir: string, secrets: object): void {
  const file = fileIn(dataDir);
  const unfinished = `${file}.unfinished`;
  writeFileSync(unfinished, JSON.stringify(secrets, null, 2), { mode: 0o600, flush: true });
  renameSync(unfinished, file);
}
