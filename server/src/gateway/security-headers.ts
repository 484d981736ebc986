// What every answer tells the browser it may do.
import { createHash } from "node:crypto";

export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "x-frame-options": "SAMEORIGIN",
} as const;

/** Inline scripts of a page run because their hash is listed; nothing else inline does. */
export function contentSecurityPolicy(
  html: string,
  trustedOrigins: readonly string[],
): Record<string, string> {
  const hashes = [...html.matchAll(/<script(?![^>]*\bsrc=)([^>]*)>([\s\S]*?)<\/script>/g)]
    .filter(([, attributes]) => !/type="application\/(ld\+)?json"/.test(attributes!))
    .map(([, , script]) => `'sha256-${createHash("sha256").update(script!).digest("base64")}'`);
  const trusted = trustedOrigins.join(" ");
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${[...new Set(hashes)].join(" ")} ${trusted}`,
    // Components position themselves with style attributes; styles cannot run anything.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self' ws: wss: ${trusted}`,
    `frame-src 'self' ${trusted}`,
    "frame-ancestors 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "object-src 'none'",
  ];
  return {
    ...SECURITY_HEADERS,
    "content-security-policy": policy.map((line) => line.replace(/ +/g, " ").trim()).join("; "),
    "permissions-policy": "camera=(self), microphone=(), geolocation=(), payment=(self)",
    "cross-origin-opener-policy": "same-origin-allow-popups",
  };
}
