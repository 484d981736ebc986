// The service worker of /my-tickets: without a network, the page opens as it was last loaded. The users' codes are not here but in
// IndexedDB (store.ts).
import { keepPage } from "#lib/browser/kept-page.ts";

/** When the network does not respond, the kept page is served after this time. */
const PATIENCE_MS = 4000;

keepPage({
  path: "/my-tickets",
  prefix: "my-tickets-",
  isFile: (pathname) => pathname.startsWith("/assets/") || pathname.endsWith(".webmanifest"),
  /** The network's page, or the kept one when the network fails. */
  async open(event, kept, renew) {
    const fresh = fetch(event.request);
    if (!kept) return fresh;
    event.waitUntil(fresh.then((answer) => renew(answer.clone())).catch(() => undefined));
    const late = new Promise<Response>((done) => setTimeout(() => done(kept.clone()), PATIENCE_MS));
    return Promise.race([fresh.catch(() => kept.clone()), late]);
  },
});
