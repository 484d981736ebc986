// The gate's service worker: keeps one whole version of the gate, page and files together, and serves it with or without a
// network. A new version is fetched separately and takes over the next time the gate is opened, never during scanning. It does
// not touch API calls.

/** Filled in by the build (site/page-workers.ts). */
const FILES = "__PAGE_FILES__" as unknown as readonly string[];
const PAGE = "/gate";
const ICONS = ["/gate.webmanifest", "/gate-icon.svg", "/gate-192.png", "/gate-512.png", "/favicon.svg"];
const PREFIX = "gate-";

// The worker's own globals are not in the DOM's types.
interface WorkerEvent extends Event {
  waitUntil: (work: Promise<unknown>) => void;
}
declare const clients: { readonly claim: () => Promise<void> };
interface FetchEvent extends WorkerEvent {
  readonly request: Request;
  respondWith: (answer: Promise<Response>) => void;
}

/** A name per version, so that two versions never mix. */
const version = PREFIX + hash(FILES.join());

addEventListener("install", (event) => {
  (event as WorkerEvent).waitUntil(keepVersion());
});

addEventListener("activate", (event) => {
  // It serves the page that registered it from now on. While that page is open, no newer version takes over.
  (event as WorkerEvent).waitUntil(dropOthers().then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request, respondWith } = event as FetchEvent;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") {
    if (pathname.replace(/\/$/, "") !== PAGE) return;
    respondWith.call(event, page());
    (event as FetchEvent).waitUntil(renewPage());
  } else if (/^\/(assets\/|gate-decode-)/.test(pathname) || ICONS.includes(pathname)) {
    respondWith.call(event, file(request));
  }
});

async function keepVersion(): Promise<void> {
  const cache = await caches.open(version);
  const answer = await fetchFresh(PAGE);
  const html = await answer.clone().text();
  await cache.addAll([...new Set([...FILES, ...filesOf(html), ...ICONS])]);
  await cache.put(PAGE, answer);
}

async function dropOthers(): Promise<void> {
  for (const name of await caches.keys())
    if (name.startsWith(PREFIX) && name !== version) await caches.delete(name);
}

async function page(): Promise<Response> {
  return (await (await caches.open(version)).match(PAGE)) ?? fetch(PAGE);
}

/** The server writes its address and key into the page. The same build with another key is adopted; another build waits. */
async function renewPage(): Promise<void> {
  try {
    const cache = await caches.open(version);
    const answer = await fetchFresh(PAGE);
    const [old, fresh] = await Promise.all([
      cache.match(PAGE).then((kept) => kept?.text()),
      answer.clone().text(),
    ]);
    if (old !== fresh && filesOf(old ?? "").join() === filesOf(fresh).join()) await cache.put(PAGE, answer);
  } catch {
    // offline: the next opening retries
  }
}

async function file(request: Request): Promise<Response> {
  // A file that failed is requested again with a number appended.
  return (await (await caches.open(version)).match(request, { ignoreSearch: true })) ?? fetch(request);
}

async function fetchFresh(path: string): Promise<Response> {
  const answer = await fetch(path, { cache: "no-cache", credentials: "omit" });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
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
