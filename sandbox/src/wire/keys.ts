// API keys. The sandbox has one pair, and both are marked as sandbox keys: a real key never gets past this file.
import { timingSafeEqual } from "node:crypto";
import { ProviderError } from "./provider-error.ts";

const SECRET_PREFIX = "sk_test_sandbox";
const PUBLISHABLE_PREFIX = "pk_test_sandbox";

export type Authority = "secret" | "publishable";

export interface KeyPair {
  readonly secretKey: string;
  readonly publishableKey: string;
}

/** Throws for keys that are not marked as sandbox keys. */
export function checkKeyPair({ secretKey, publishableKey }: KeyPair): void {
  if (!secretKey.startsWith(SECRET_PREFIX) || !publishableKey.startsWith(PUBLISHABLE_PREFIX)) {
    throw new Error(
      `The payments sandbox takes only keys that start with ${SECRET_PREFIX} and ${PUBLISHABLE_PREFIX}.`,
    );
  }
}

/** `sent` is a key from the Authorization header (bearer, or basic without a password), or from the `key` parameter. */
export function authorityOf(sent: string | undefined, pair: KeyPair): Authority {
  if (sent === undefined) {
    throw refused(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer " +
        "auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    );
  }
  if (same(sent, pair.secretKey)) return "secret";
  if (same(sent, pair.publishableKey)) return "publishable";
  throw refused(`Invalid API Key provided: ${redacted(sent)}`);
}

export function keyFromHeader(authorization: string | undefined): string | undefined {
  const [scheme, credentials] = authorization?.split(" ") ?? [];
  if (!credentials) return undefined;
  if (/^bearer$/i.test(scheme!)) return credentials;
  if (/^basic$/i.test(scheme!)) return Buffer.from(credentials, "base64").toString("utf8").split(":")[0];
  return undefined;
}

export const secretKeyRequired = () =>
  refused(
    "This API call cannot be made with a publishable API key. Please use a secret API key.",
    "secret_key_required",
  );

const refused = (message: string, code?: string) =>
  new ProviderError(401, { type: "invalid_request_error", message, ...(code === undefined ? {} : { code }) });

function same(sent: string, key: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(key)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function redacted(key: string): string {
  const shown = key.length > 12 ? key.slice(0, 8) : "";
  return `${shown}${"*".repeat(Math.min(20, key.length - shown.length))}${shown === "" ? "" : key.slice(-4)}`;
}
