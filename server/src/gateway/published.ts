// Keeps the site's pages saying what organisers have published. A fresh installation serves the built files; once something
// else is published, the pages are rendered again, all at once, and take their place. Owns when that happens, in each process
// that serves pages; nothing is kept on disk (docs/decisions/050-facts-are-data.md).
import { isDeepStrictEqual } from "node:util";
import { type Content, contentOf, type PublishedSections } from "contract/festival";
import type { Log } from "../platform/log.ts";

/** Names these pages, and the files that say the same for machines. */
export const FOLLOWS = /^\/([^.]*\.html|festival\.(json|ics)|[a-z]+\.webmanifest|robots\.txt|sitemap\.xml)$/;

export interface PublishedSource {
  /** What everybody may read now. */
  readonly read: () => Promise<PublishedSections>;
  /** Calls back after each publication, and whenever one may have been missed. Asked once, with the first page. */
  readonly listen: (onPublication: () => void) => void;
  /** The site's files that follow, by name. */
  readonly render: (content: Content) => Promise<ReadonlyMap<string, string>>;
  readonly log: Log;
}

export interface Published {
  /** Resolves once it is known what is published, or when that takes too long; undefined from then on. */
  awaited(): Promise<void> | undefined;
  /** The file as it is now; undefined: as it was built. */
  file(name: string): Buffer | undefined;
}

/** Reads through the API: what everybody reads. */
export async function readPublished(ask: (path: string) => Promise<Response>): Promise<PublishedSections> {
  const answer = await ask("/rest/v1/rpc/get_festival");
  if (!answer.ok) throw new Error(`What is published could not be read: ${answer.status}`);
  return (await answer.json()) as PublishedSections;
}

/** A page does not wait longer for a database that is away. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 5_000;

/** `built` is what the files were built with. `onChange` is called when `file` answers something else. */
export function createPublished(source: PublishedSource, built: Content, onChange: () => void): Published {
  let shown = built;
  let files: ReadonlyMap<string, Buffer> = new Map();
  let isKnown = false;
  let first: Promise<void> | undefined;
  let running: Promise<void> | undefined;
  let isStale = false;

  /** One at a time; a publication during a run begins another. */
  function follow(): Promise<void> {
    isStale = true;
    running ??= (async () => {
      while (isStale) {
        isStale = false;
        await update();
      }
    })().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function update(): Promise<void> {
    try {
      const content = contentOf(await source.read());
      if (isDeepStrictEqual(content, shown)) return;
      const rendered = isDeepStrictEqual(content, built) ? [] : await source.render(content);
      files = new Map([...rendered].map(([name, text]) => [name, Buffer.from(text)]));
      shown = content;
      onChange();
    } catch (error) {
      // The old pages stay.
      source.log.error({ err: error }, "what is published could not be put into the pages; retrying");
      setTimeout(() => void follow(), RETRY_MS).unref();
    }
  }

  function begin(): Promise<void> {
    const patience = new Promise<void>((done) => setTimeout(done, PATIENCE_MS).unref());
    const known = Promise.race([follow(), patience]).then(() => {
      isKnown = true;
    });
    source.listen(() => void follow());
    return known;
  }

  return {
    awaited() {
      if (isKnown) return undefined;
      first ??= begin();
      return first;
    },
    file: (name) => files.get(name),
  };
}
