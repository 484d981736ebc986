// Pages for this machine alone, as the mailbox, which holds everyone's sign-in links.
import { isIP } from "node:net";

export interface Page {
  fetch(request: Request, caller: { readonly ip: string }): Promise<Response>;
}

export const refusePage = (status: number, message: string, headers: Record<string, string> = {}) =>
  new Response(message, { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers } });

/**
 * Refuses requests through a proxy or for another host name, because a page elsewhere could point its own name at this
 * machine.
 */
export const forThisMachine = (page: Page): Page => ({
  async fetch(request, caller) {
    const name = new URL(`http://${request.headers.get("host") ?? "localhost"}`).hostname;
    const isOurs = isLoopback(name.replace(/^\[|\]$/g, "")) && isLoopback(caller.ip);
    const forwarded = ["x-forwarded-for", "forwarded", "via"].some((header) => request.headers.has(header));
    if (!isOurs || forwarded) return refusePage(403, "The mailbox opens on the machine it runs on.");
    return page.fetch(request, caller);
  },
});

export const isLoopback = (host: string): boolean =>
  host === "localhost" ||
  host.endsWith(".localhost") ||
  host === "::1" ||
  (isIP(host) === 4 && host.startsWith("127."));
