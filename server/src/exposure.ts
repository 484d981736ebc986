// Whether strangers can reach this server. What is only for a developer's own machine, as the open mailbox, depends on it.
import type { ServerConfig } from "./platform/config.ts";
import { isLoopback } from "./private-pages.ts";

/** Why other machines can reach it; undefined when only this one can. */
export function exposedBy({ host, siteUrl, production, trustedProxies }: Exposed): string | undefined {
  if (production) return "NODE_ENV is production";
  if (!isLoopback(host)) return `HOST is ${host}`;
  if (siteUrl !== undefined && isPublicAddress(siteUrl)) return `SITE_URL is ${siteUrl}`;
  return trustedProxies.length > 0 ? "TRUSTED_PROXIES names a proxy" : undefined;
}

/** Whether the URL leads to a machine other than the reader's own. */
export const isPublicAddress = (url: string): boolean =>
  !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ""));

export type Exposed = Pick<ServerConfig, "host" | "siteUrl" | "production" | "trustedProxies">;
