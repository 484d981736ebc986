// How the database stores secrets. A secret that is only compared is kept as a keyed hash, so that not even six digits can be
// found by trying them on a copy of the table. One that is needed again is sealed. The key is not in the database.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

export interface AtRest {
  /** The stored form of a secret that is only compared. */
  hash(secret: string): string;
  /**
   * The refresh token that follows `token`. A client that lost it can be given it again, although the database never holds
   * it.
   */
  next(token: string): string;
  /** The stored form of a secret that is needed again. `owner`, e.g. the row's id, must be the same to open it. */
  seal(secret: string, owner: string): string;
  /** Undefined when it was sealed with another key or for another owner, or was changed. */
  open(sealed: string, owner: string): string | undefined;
}

const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createAtRest(key: string): AtRest {
  const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", key, "", purpose, 32));
  const [hashing, chaining, sealing] = ["hash", "next refresh token", "seal"].map(derive) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  return {
    hash: (secret) => createHmac("sha256", hashing).update(secret).digest("base64url"),
    next: (token) =>
      createHmac("sha256", chaining).update(token).digest().subarray(0, 18).toString("base64url"),
    seal(secret, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", sealing, nonce).setAAD(Buffer.from(owner));
      const sealed = [nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()];
      return `${VERSION}.${Buffer.concat(sealed).toString("base64url")}`;
    },
    open(sealed, owner) {
      const [version, body = "", ...more] = sealed.split(".");
      const bytes = Buffer.from(body, "base64url");
      if (version !== VERSION || more.length > 0 || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", sealing, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([
          decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
          decipher.final(),
        ]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
