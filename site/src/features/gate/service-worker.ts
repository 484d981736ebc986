// The gate's service worker: serves the kept gate with or without a network, so that nothing changes during scanning.
import { fetchFresh, keepPage } from "#lib/browser/kept-page.ts";

const PAGE = "/gate";
const ICONS = ["/gate.webmanifest", "/gate-icon.svg", "/gate-192.png", "/gate-512.png", "/favicon.svg"];

keepPage({
  path: PAGE,
  prefix: "gate-",
  extra: ICONS,
  isFile: (pathname) => /^\/(assets\/|gate-decode-)/.test(pathname) || ICONS.includes(pathname),
  async open(event, kept, renew) {
    // The server writes its address and key into the page. Offline, the next opening retries.
    event.waitUntil(
      fetchFresh(PAGE)
        .then(renew)
        .catch(() => undefined),
    );
    return kept ?? fetch(PAGE);
  },
});
