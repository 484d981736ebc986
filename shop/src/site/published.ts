// Keeps the site's pages in step with what organizers have published. A fresh installation serves the built files. Once
// something else is published, all pages are rendered again and replace them together. Owns when that happens, in each
// process that serves pages; nothing is kept on disk (docs/decisions/050-facts-are-data.md).
import { isDeepStrictEqual } from "node:util";
import { type Content, contentOf, type PublishedSections } from "contract/festival/facts";
import type { Log } from "../../../server/src/platform/log.ts";

/** Matches the pages, and the files with the same facts for machines. */
export const FOLLOWS = /^\/([^.]*\.html|festival\.(json|ics)|[a-z]+\.webmanifest|robots\.txt|sitemap\.xml)$/;

export interface PublishedSource {
  /** Reads what everyone may read now. */
  readonly read: () => Promise<PublishedSections>;
  /** Calls back after each publication, and whenever one may have been missed. Called once, with the first page. */
  readonly listen: (onPublication: () => void) => void;
  /** Renders the site's files that follow a publication, by name. */
  readonly render: (content: Content) => Promise<ReadonlyMap<string, string>>;
  readonly log: Log;
}

export interface Published {
  /** Resolves once it is known what is published, or when that takes too long; undefined from then on. */
  awaited(): Promise<void> | undefined;
  /** The current version of the file; undefined if it is as built. */
  file(name: string): Buffer | undefined;
}

/** Reads through the API, so only what everyone may read. */
export async function readPublished(ask: (path: string) => Promise<Response>): Promise<PublishedSections> {
  const answer = await ask("/rest/v1/rpc/get_festival");
  if (!answer.ok) throw new Error(`What is published could not be read: ${answer.status}`);
  return (await answer.json()) as PublishedSections;
}

/** How long a page waits for an unreachable database. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 5_000;

/** `built`: the content the files were built with. `onChange` is called when `file` returns something else. */
export function createPublished(source: PublishedSource, built: Content, onChange: () => void): Published {
  let shown = built;
  let files: ReadonlyMap<string, Buffer> = new Map();
  let isKnown = false;
  let first: Promise<void> | undefined;
  let running: Promise<void> | undefined;
  let isStale = false;

  /** One run at a time; a publication during a run starts another. */
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
      // The old pages remain.
      source.log.error({ err: error }, "could not render the published content; retrying");
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
