// The service worker of /my-tickets: without a network, the page opens as it was last loaded. The users' codes are not here but in
// IndexedDB (store.ts). A single classic file: a module shared with the gate's worker would become a file that it cannot load.

/** Filled in by the build (site/page-workers.ts). */
const FILES = "__PAGE_FILES__" as unknown as readonly string[];
const PAGE = "/my-tickets";
/** This type makes the file a module, so its names do not clash with the other worker's. It leaves nothing in the script. */
export type Page = typeof PAGE;
const PREFIX = "my-tickets-";
/** When the network does not respond, the kept page is served after this time. */
const PATIENCE_MS = 4000;

// The worker's own globals are not in the DOM's types.
interface WorkerEvent extends Event {
  waitUntil: (work: Promise<unknown>) => void;
}
interface FetchEvent extends WorkerEvent {
  readonly request: Request;
  respondWith: (answer: Promise<Response>) => void;
}
declare const clients: { readonly claim: () => Promise<void> };

const version = PREFIX + hash(FILES.join());

addEventListener("install", (event) => {
  (event as WorkerEvent).waitUntil(keepVersion());
});

addEventListener("activate", (event) => {
  (event as WorkerEvent).waitUntil(dropOthers().then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request, respondWith } = event as FetchEvent;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") {
    if (pathname.replace(/\/$/, "") === PAGE) respondWith.call(event, page(event as FetchEvent));
  } else if (pathname.startsWith("/assets/") || pathname.endsWith(".webmanifest")) {
    respondWith.call(event, file(request));
  }
});

async function keepVersion(): Promise<void> {
  const cache = await caches.open(version);
  const answer = await fetchFresh();
  const html = await answer.clone().text();
  await cache.addAll([...new Set([...FILES, ...filesOf(html)])]);
  await cache.put(PAGE, answer);
}

async function dropOthers(): Promise<void> {
  for (const name of await caches.keys())
    if (name.startsWith(PREFIX) && name !== version) await caches.delete(name);
}

/** Serves the network's page, or the kept one when the network fails. */
async function page(event: FetchEvent): Promise<Response> {
  const kept = await (await caches.open(version)).match(PAGE);
  const fresh = fetch(event.request);
  if (!kept) return fresh;
  event.waitUntil(fresh.then((answer) => renew(kept, answer.clone())).catch(() => undefined));
  const late = new Promise<Response>((done) => setTimeout(() => done(kept.clone()), PATIENCE_MS));
  return Promise.race([fresh.catch(() => kept.clone()), late]);
}

/** If the page has the same files but other facts, keep it instead. Other files come with their own version of this worker. */
async function renew(kept: Response, answer: Response): Promise<void> {
  const [old, html] = await Promise.all([kept.clone().text(), answer.clone().text()]);
  if (answer.ok && old !== html && filesOf(old).join() === filesOf(html).join())
    await (await caches.open(version)).put(PAGE, answer);
}

async function file(request: Request): Promise<Response> {
  return (await (await caches.open(version)).match(request, { ignoreSearch: true })) ?? fetch(request);
}

async function fetchFresh(): Promise<Response> {
  const answer = await fetch(PAGE, { cache: "no-cache", credentials: "omit" });
  if (!answer.ok) throw new Error(`${PAGE} answered ${answer.status}`);
  return answer;
}

function filesOf(html: string): string[] {
  return [...new Set([...html.matchAll(/\/assets\/[\w.-]+\.\w+/g)].map(([text]) => text))].sort();
}

function hash(text: string): string {
  let sum = 5381;
  for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 33) ^ text.charCodeAt(at)) >>> 0;
  return sum.toString(36);
}
