// Headers that limit what a page may do in the browser.
import { createHash } from "node:crypto";
import type { Headers } from "../../../server/src/gateway/security-headers.ts";
import type { TrustedOrigins } from "./trusted-origins.ts";

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
