// What the service workers of the pages that open without a network do alike: each keeps one whole version of its page, page and
// files together. A new version is fetched separately and takes over the next time the page is opened. API calls pass by. The
// build puts a copy into each worker (site/page-workers.ts).

/** Filled in by the build. */
const FILES = "__PAGE_FILES__" as unknown as readonly string[];

// The worker's own globals are not in the DOM's types.
interface WorkerEvent extends Event {
  waitUntil: (work: Promise<unknown>) => void;
}
interface FetchEvent extends WorkerEvent {
  readonly request: Request;
  respondWith: (answer: Promise<Response>) => void;
}
declare const clients: { readonly claim: () => Promise<void> };

interface KeptPage {
  readonly path: string;
  /** Begins the names of its caches. */
  readonly prefix: string;
  /** Kept besides the files that the page refers to. */
  readonly extra?: readonly string[];
  readonly isFile: (pathname: string) => boolean;
  /** Answers a request for the page. */
  readonly open: (event: FetchEvent, kept: Response | undefined, renew: Renew) => Promise<Response>;
}

/** Keeps this answer instead, if it is the page with the same files but other facts. Other files come with a version of their own. */
type Renew = (answer: Response) => Promise<void>;

export function keepPage({ path, prefix, extra = [], isFile, open }: KeptPage): void {
  /** A name per version, so that two versions never mix. */
  const version = prefix + hash(FILES.join());

  const keepVersion = async () => {
    const cache = await caches.open(version);
    const answer = await fetchFresh(path);
    const html = await answer.clone().text();
    await cache.addAll([...new Set([...FILES, ...filesOf(html), ...extra])]);
    await cache.put(path, answer);
  };

  const dropOthers = async () => {
    for (const name of await caches.keys())
      if (name.startsWith(prefix) && name !== version) await caches.delete(name);
  };

  const renew: Renew = async (answer) => {
    const cache = await caches.open(version);
    const kept = await cache.match(path);
    const [old = "", html] = await Promise.all([kept?.text(), answer.clone().text()]);
    if (answer.ok && old !== html && filesOf(old).join() === filesOf(html).join())
      await cache.put(path, answer);
  };

  const page = async (event: FetchEvent) =>
    open(event, await (await caches.open(version)).match(path), renew);

  // A file that failed is requested again with a number appended.
  const file = async (request: Request) =>
    (await (await caches.open(version)).match(request, { ignoreSearch: true })) ?? fetch(request);

  addEventListener("install", (event) => {
    (event as WorkerEvent).waitUntil(keepVersion());
  });

  addEventListener("activate", (event) => {
    // It serves the page that registered it from now on. While that page is open, no newer version takes over.
    (event as WorkerEvent).waitUntil(dropOthers().then(() => clients.claim()));
  });

  addEventListener("fetch", (given) => {
    const event = given as FetchEvent;
    const { request } = event;
    const { origin, pathname } = new URL(request.url);
    if (request.method !== "GET" || origin !== location.origin) return;
    if (request.mode === "navigate") {
      if (pathname.replace(/\/$/, "") === path) event.respondWith(page(event));
    } else if (isFile(pathname)) {
      event.respondWith(file(request));
    }
  });
}

export async function fetchFresh(path: string): Promise<Response> {
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
