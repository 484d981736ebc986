// The page that leads a visitor from an alternate host to the same address on the canonical one (PRODUCT 2.6), ahead of the
// site's own script. A redirect by status would show nothing on the way, which the specification asks for.
import type { IncomingMessage, ServerResponse } from "node:http";
import { canonicalAddress } from "contract/canonical-address";
import { securityHeaders } from "../../../server/src/gateway/security-headers.ts";
import { contentSecurityPolicy } from "./page-policy.ts";
import type { TrustedOrigins } from "./trusted-origins.ts";

interface Site {
  /** With `canonical-url` and `alternate-hosts`, as in every page. */
  readonly meta: Readonly<Record<string, string>>;
  readonly siteUrl: () => string;
  readonly trustedOrigins: TrustedOrigins;
  readonly hstsSubdomains?: boolean;
}

/** Constant, so that no address can become script. Only the browser knows the fragment. */
const SCRIPT = "location.replace(document.links[0].href+location.hash)";

const STYLE = `body{margin:0;min-height:100vh;display:grid;place-items:center;background:#fff6e6;color:#17130f;font:1.125rem system-ui,sans-serif}
p{display:flex;gap:.75rem;align-items:center;padding:1.5rem}a{color:inherit}
i{width:1.25em;height:1.25em;border:3px solid;border-right-color:#0000;border-radius:50%;animation:turn 1s linear infinite}
@keyframes turn{to{rotate:1turn}}@media(prefers-reduced-motion:reduce){i{animation:none}}`;

/** Answers a request for a page on an alternate host; false on any other host. */
export function redirectHost(options: Site, request: IncomingMessage, response: ServerResponse): boolean {
  const { "canonical-url": canonical = "", "alternate-hosts": alternates = "" } = options.meta;
  const { host } = request.headers;
  if (!alternates || !host || !URL.canParse(canonical)) return false;
  const here = URL.parse(`${new URL(canonical).protocol}//${host}${request.url}`);
  const target = here && canonicalAddress(here, canonical, alternates);
  if (!target) return false;
  const origin = options.siteUrl();
  const html = redirectPage(target);
  response.writeHead(200, {
    ...securityHeaders(origin, options.hstsSubdomains),
    ...contentSecurityPolicy(html, { origin, trustedOrigins: options.trustedOrigins }),
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(request.method === "HEAD" ? undefined : html);
  return true;
}

function redirectPage({ href, host }: URL): string {
  const address = href.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
  const said = `Redirecting to ${host}...`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${said}</title><link rel="canonical" href="${address}"><noscript><meta http-equiv="refresh" content="0;url=${address}"></noscript><style>${STYLE}</style></head><body><p role="status"><i aria-hidden="true"></i><a href="${address}">${said}</a></p><script>${SCRIPT}</script></body></html>`;
}
