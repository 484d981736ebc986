// Headers that limit what a page or an answer may do in the browser.
import { createHash } from "node:crypto";
import type { TrustedOrigins } from "../../../shop/src/site/trusted-origins.ts";

const A_YEAR = 31_536_000;

export type Headers = Readonly<Record<string, string>>;

/**
 * `origin`: the site's address. With https, browsers that have seen it never request it unencrypted again, nor its subdomains where
 * the operator says so.
 */
export const securityHeaders = (origin: string, withSubdomains = false): Headers => ({
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "x-frame-options": "SAMEORIGIN",
  // Pages, data and stored objects replace it with their own policies.
  "content-security-policy": "base-uri 'none'; frame-ancestors 'self'",
  ...(origin.startsWith("https:")
    ? { "strict-transport-security": `max-age=${A_YEAR}${withSubdomains ? "; includeSubDomains" : ""}` }
    : {}),
});

/** For an API's answer, which is data: if a browser shows it as a page, it loads and frames nothing. */
export const DATA_POLICY: Headers = {
  "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
};

/** For an answer that only its caller may read. */
export const PRIVATE: Headers = { "cache-control": "no-store" };

/** Allows the page's own inline scripts by their hashes, and nothing else inline. */
export function contentSecurityPolicy(
  html: string,
  {
    origin,
    trustedOrigins,
    readsCodes = false,
  }: {
    readonly origin: string;
    readonly trustedOrigins: TrustedOrigins;
    /** For the gate: its code reader is WebAssembly, and older Safari applies the page's policy to its worker. */
    readonly readsCodes?: boolean;
  },
): Headers {
  const hashes = [...html.matchAll(/<script(?![^>]*\bsrc=)([^>]*)>([\s\S]*?)<\/script>/g)]
    .filter(([, attributes]) => !/type="application\/(ld\+)?json"/.test(attributes!))
    .map(([, , script]) => `'sha256-${createHash("sha256").update(script!).digest("base64")}'`);
  const trusted = (what: keyof TrustedOrigins) => trustedOrigins[what].join(" ");
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${readsCodes ? "'wasm-unsafe-eval'" : ""} ${[...new Set(hashes)].join(" ")} ${trusted("script")}`,
    // Components position themselves with style attributes; styles cannot run code.
    `style-src 'self' 'unsafe-inline' ${trusted("style")}`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    // Older Safari does not treat a WebSocket to the page's own host as 'self'.
    `connect-src 'self' ${origin.replace(/^http/, "ws")} ${trusted("connect")}`,
    `frame-src 'self' ${trusted("frame")}`,
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "object-src 'none'",
  ];
  return {
    "content-security-policy": policy.map((line) => line.replace(/ +/g, " ").trim()).join("; "),
    "permissions-policy": "camera=(self), microphone=(), geolocation=(), payment=(self)",
    "cross-origin-opener-policy": "same-origin-allow-popups",
  };
}
