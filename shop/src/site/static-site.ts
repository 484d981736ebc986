// The built site, served from memory: each file is read and compressed once, at its first request. Owns which path is which
// page, the caching rules, and what the server writes into a file (its address, API key, what is for sale, what is published)
// along with the policy that guards it.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { BUILT_ORIGIN } from "contract/built-origin";
import { meantPath } from "contract/meant-path";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Content } from "contract/festival/facts";
import { createOffers, type Offer, type Offers, showsOffers, withOffers } from "./offers.ts";
import { redirectHost } from "./host-redirect.ts";
import { createPublished, FOLLOWS, type Published, type PublishedSource } from "./published.ts";
import { type Headers, securityHeaders } from "../../../server/src/gateway/security-headers.ts";
import { contentSecurityPolicy } from "./page-policy.ts";
import type { TrustedOrigins } from "./trusted-origins.ts";

export interface StaticSiteOptions {
  /** site/build/client */
  readonly directory: string;
  /** `<meta name=… content=…>` written into every page: what differs between installations. */
  readonly meta: Readonly<Record<string, string>>;
  /** The canonical address, without a trailing slash; known by the time the first file is requested. */
  readonly siteUrl: () => string;
  /** What is for sale now, as everyone may read it. */
  readonly offers: () => Promise<readonly Offer[]>;
  /** The published facts about the festival. */
  readonly published: PublishedSource;
  /** Allowed in addition to our own origin. */
  readonly trustedOrigins: TrustedOrigins;
  /** Whether the address's subdomains are https too. */
  readonly hstsSubdomains?: boolean;
}

type Encoding = "br" | "gzip" | "identity";

interface StoredFile {
  readonly etag: string;
  /** The headers a 304 has to repeat (RFC 9110, section 15.4.5), as `writeHead` takes them. */
  readonly unchanged: string[];
  readonly headers: Headers;
  readonly bodies: Partial<Record<Encoding, Body>>;
  readonly compressible: boolean;
  /** The built page that lists what is for sale, kept so that it can be rewritten without reading the disk. */
  readonly offering: Buffer | undefined;
}

interface Body {
  readonly bytes: Buffer;
  /** All headers of an answer, in the form that costs `writeHead` least. */
  readonly headers: string[];
}

interface Page {
  readonly file: string;
  readonly status: number;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml; charset=utf-8",
  json: "application/json; charset=utf-8",
  webmanifest: "application/manifest+json; charset=utf-8",
  xml: "application/xml; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  ics: "text/calendar; charset=utf-8",
  data: "text/x-script; charset=utf-8",
  png: "image/png",
  webp: "image/webp",
  jpg: "image/jpeg",
  ico: "image/x-icon",
  woff2: "font/woff2",
  wasm: "application/wasm",
};

/** Pages that differ for each visitor; any other path without a file is answered 404. */
const APP_PAGE =
  /^\/(auth|checkout|order-confirmation|dashboard|my-tickets|transfer|unsubscribe|admin(\/.*)?)\/?$/;
const FALLBACK = "/__spa-fallback.html";
const NOT_FOUND = "/404/index.html";
const GATE = "/gate/index.html";
/** Files that contain the site's address. */
const ADDRESSED = /\.(html|xml|txt|ics)$/;

export class StaticSite {
  readonly #options: StaticSiteOptions;
  readonly #files: ReadonlySet<string>;
  readonly #stored = new Map<string, StoredFile>();
  /** Files being compressed to replace a stored one. */
  readonly #coming = new Map<string, StoredFile>();
  readonly #offers: Offers;
  readonly #published: Published | undefined;

  constructor(options: StaticSiteOptions) {
    this.#options = options;
    this.#files = new Set(listFiles(options.directory));
    this.#offers = createOffers({
      read: options.offers,
      onChange: () => {
        for (const [name, stored] of this.#stored) {
          const { offering } = this.#coming.get(name) ?? stored;
          if (offering) this.#renew(name, stored, offering);
        }
      },
      onFailure: (err) =>
        options.published.log.warn(
          { err },
          "what is for sale could not be read: pages say what was known before",
        ),
      now: () => performance.now(),
    });
    const built = builtContent(options.directory);
    this.#published = built && createPublished(options.published, built, () => this.#follow());
  }

  /**
   * Answers GET and HEAD; false when the path belongs to no file or page. Throws when the file cannot be read. Right after
   * the start, pages wait until it is known what is published.
   */
  serve(request: IncomingMessage, response: ServerResponse, path: string): boolean | Promise<boolean> {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    const page = pageAt(this.#files, path, request.url!.includes("?"));
    if (!page) return false;
    // The gate is a staff app with scans kept in its own host's storage: like the back office, it works on either host.
    if (page.file.endsWith(".html") && page.file !== GATE && redirectHost(this.#options, request, response))
      return true;
    const elsewhere = page.status === 404 ? this.#meantBy(path) : addressOf(path);
    if (elsewhere !== undefined) {
      const location = encodeURI(elsewhere) + (/\?.*/.exec(request.url!)?.[0] ?? "");
      const { siteUrl, hstsSubdomains } = this.#options;
      response
        .writeHead(301, {
          ...securityHeaders(siteUrl(), hstsSubdomains),
          location,
          "cache-control": "no-cache",
        })
        .end();
      return true;
    }
    const awaited = FOLLOWS.test(page.file) ? this.#published?.awaited() : undefined;
    return awaited
      ? awaited.then(() => this.#answer(request, response, page))
      : this.#answer(request, response, page);
  }

  /** The page for which this path is another spelling. */
  #meantBy(path: string): string | undefined {
    const meant = meantPath(path);
    return meant !== path && pageAt(this.#files, meant, false)?.status === 200 ? meant : undefined;
  }

  #answer(request: IncomingMessage, response: ServerResponse, page: Page): boolean {
    const file = this.#load(page.file);
    if (!file) return false;
    const wanted = file.compressible ? encodingOf(request.headers["accept-encoding"]) : "identity";
    const encoding: Encoding = file.bodies[wanted] ? wanted : "identity";
    if (wanted !== encoding) void compress(file, wanted);
    const { bytes, headers } = file.bodies[encoding]!;
    if (page.status === 200 && request.headers["if-none-match"] === file.etag) {
      response.writeHead(304, file.unchanged).end();
      return true;
    }
    response.writeHead(page.status, headers).end(request.method === "HEAD" ? undefined : bytes);
    return true;
  }

  #follow(): void {
    for (const [name, file] of this.#stored)
      if (FOLLOWS.test(name)) this.#renew(name, file, this.#read(name));
  }

  #read(file: string): Buffer {
    return this.#published?.file(file) ?? readFileSync(join(this.#options.directory, file));
  }

  /** Serves the old page until the new one exists in every requested encoding, at first compressed quickly. */
  #renew(name: string, old: StoredFile, built: Buffer): void {
    const made = store(this.#options, name, built, this.#offers.current());
    this.#coming.set(name, made);
    const encodings = [...(requested.get(old) ?? [])];
    void Promise.all(encodings.map((encoding) => compressInHurry(made, encoding))).then(() => {
      if (this.#coming.get(name) !== made) return; // a newer one was compressed sooner, or will follow
      this.#coming.delete(name);
      this.#stored.set(name, made);
      for (const encoding of encodings) void compress(made, encoding);
    });
  }

  /**
   * Undefined when the file has been deleted since the start because someone is rebuilding the site. Throws when it cannot be
   * read.
   */
  #load(file: string): StoredFile | undefined {
    const found = this.#stored.get(file);
    if (found) {
      if (found.offering) this.#offers.current();
      return found;
    }
    try {
      const made = store(this.#options, file, this.#read(file), this.#offers.current());
      this.#stored.set(file, made);
      return made;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }
}

/** The address of a page requested by its file: a browser's router knows pages by their addresses only. */
function addressOf(path: string): string | undefined {
  return path.endsWith("/index.html") ? path.slice(0, -"/index.html".length) || "/" : undefined;
}

function pageAt(files: ReadonlySet<string>, path: string, query: boolean): Page | undefined {
  // The page was prerendered without a query, and may be a different one with it: a new password instead of a sign-in.
  if (query && APP_PAGE.test(path) && files.has(FALLBACK)) return { file: FALLBACK, status: 200 };
  if (files.has(path) && path !== FALLBACK && path !== NOT_FOUND) return { file: path, status: 200 };
  const page = `${withoutLastSlashes(path)}/index.html`;
  if (files.has(page) && page !== NOT_FOUND) return { file: page, status: 200 };
  if (!files.has(FALLBACK) || /\.\w+$/.test(path)) return undefined;
  if (APP_PAGE.test(path)) return { file: FALLBACK, status: 200 };
  return { file: files.has(NOT_FOUND) ? NOT_FOUND : FALLBACK, status: 404 };
}

/** Not by a pattern, which would be tried at each slash of a path full of them. */
function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

/** Undefined without a site, or for one without festival content. */
function builtContent(directory: string): Content | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, "festival.json"), "utf8")) as Content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function store(options: StaticSiteOptions, file: string, raw: Buffer, offers: readonly Offer[]): StoredFile {
  const extension = file.slice(file.lastIndexOf(".") + 1);
  const origin = options.siteUrl();
  const text = ADDRESSED.test(file) ? raw.toString("utf8").replaceAll(BUILT_ORIGIN, () => origin) : undefined;
  const offering = extension === "html" && showsOffers(text!);
  const html =
    extension === "html"
      ? withMeta(offering ? withOffers(text!, offers, origin) : text!, options.meta)
      : undefined;
  const written = html ?? text;
  const body = written === undefined ? raw : Buffer.from(written);
  const compressible = /text|javascript|json|xml|svg|manifest|wasm/.test(TYPES[extension] ?? "");
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const unchanged: Headers = {
    etag,
    // Vite puts a content hash into these names.
    "cache-control": file.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    ...(compressible ? { vary: "accept-encoding" } : {}),
  };
  const headers: Headers = {
    ...unchanged,
    "content-type": TYPES[extension] ?? "application/octet-stream",
    ...securityHeaders(origin, options.hstsSubdomains),
    ...(html === undefined
      ? {}
      : contentSecurityPolicy(html, {
          origin,
          trustedOrigins: options.trustedOrigins,
          readsCodes: file === GATE,
        })),
  };
  return {
    etag,
    unchanged: Object.entries(unchanged).flat(),
    headers,
    bodies: { identity: bodyOf(headers, "identity", body) },
    compressible,
    offering: offering ? raw : undefined,
  };
}

const bodyOf = (headers: Headers, encoding: Encoding, bytes: Buffer): Body => ({
  bytes,
  headers: Object.entries({
    ...headers,
    "content-length": String(bytes.length),
    ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
  }).flat(),
});

function withMeta(html: string, meta: Readonly<Record<string, string>>): string {
  const escape = (text: string) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
  const tags = Object.entries(meta)
    .map(([name, content]) => `<meta name="${name}" content="${escape(content)}"/>`)
    .join("");
  return html.replace("</head>", `${tags}</head>`);
}

const compressors = {
  br: (body: Buffer, quality: number) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
  gzip: (body: Buffer, level: number) => promisify(gzip)(body, { level }),
};
const BEST = { br: 11, gzip: 9 };
const QUICK = { br: 4, gzip: 4 };
/** The encodings requested for a file, compressed or in progress. */
const requested = new WeakMap<StoredFile, Set<Encoding>>();

/** The first caller gets the plain bytes at once, later ones the compressed bytes, or the plain ones if compression fails. */
async function compress(file: StoredFile, encoding: Encoding): Promise<void> {
  if (encoding === "identity") return;
  const busy = requested.get(file) ?? new Set<Encoding>();
  requested.set(file, busy);
  if (busy.has(encoding)) return;
  busy.add(encoding);
  try {
    const bytes = await compressors[encoding](file.bodies.identity!.bytes, BEST[encoding]);
    file.bodies[encoding] = bodyOf(file.headers, encoding, bytes);
  } catch {
    busy.delete(encoding);
  }
}

/**
 * For a changed page: compressing all pages in both encodings takes 0.1 s of CPU time, and 3.5 s at the best level, during
 * which visitors would read the old ones.
 */
async function compressInHurry(file: StoredFile, encoding: Encoding): Promise<void> {
  if (encoding === "identity") return;
  // If this fails, the page is sent plain until the best compression is done.
  const { bytes } = file.bodies.identity!;
  const quick = await compressors[encoding](bytes, QUICK[encoding]).catch(() => undefined);
  if (quick) file.bodies[encoding] = bodyOf(file.headers, encoding, quick);
}

function encodingOf(accepted: string | string[] | undefined): Encoding {
  const text = String(accepted ?? "");
  if (/\bbr\b/.test(text)) return "br";
  return /\bgzip\b/.test(text) ? "gzip" : "identity";
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `/${relative(directory, join(entry.parentPath, entry.name)).split(sep).join("/")}`);
  } catch {
    return []; // the site is not built, but the API works
  }
}
