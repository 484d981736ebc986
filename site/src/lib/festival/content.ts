// What pages say of the festival. A built page carries what it shows in itself, so hydration agrees with it; another page's
// texts are fetched with the first link to it, all at once. Facts never come from the script: a publication changes no file of it.
import { createContext, use, useSyncExternalStore } from "react";
import type { Content, Festival } from "contract/festival";

type Section = Exclude<keyof Content, "festival">;
type Known = Pick<Content, "festival"> & Partial<Content>;

export const CONTENT_ID = "festival-content";
const ALL = "/festival.json";

let known: Known = import.meta.env.SSR ? JSON.parse(import.meta.env.FIRST_CONTENT) : inPage();
/** What the page that is being built has shown. */
let shown = new Set<Section>();
let fetched: Promise<Content> | undefined;
const listeners = new Set<() => void>();

function inPage(): Known {
  return JSON.parse(document.getElementById(CONTENT_ID)!.textContent) as Known;
}

/** Overrides what is published: the back office's preview. */
export const Preview = createContext<Content | undefined>(undefined);

/** For what is no component; a component uses useFestival. */
export const festivalNow = (): Festival => known.festival;

/** Where pages are made, which know all of it. */
export const contentNow = (): Content => known as Content;

/** For search engines. */
export const summaryNow = (id: "schedule" | "map"): string =>
  known[id]?.summary ?? known.festival.description;

export function useFestival(): Festival {
  return useContent().festival;
}

/** Suspends when the page came without this section. */
export function useSection<Id extends Section>(id: Id): Content[Id] {
  const content = useContent();
  if (import.meta.env.SSR) shown.add(id);
  return (content as Partial<Content>)[id] ?? use(all())[id];
}

function useContent(): Known {
  const published = useSyncExternalStore(subscribe, now, now);
  return use(Preview) ?? published;
}

const now = () => known;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows this from now on, on every page. */
export function show(content: Content): void {
  if (JSON.stringify(content) === JSON.stringify(known)) return;
  known = content;
  for (const listener of listeners) listener();
}

/** A failed fetch is tried again by the next page. */
function all(): Promise<Content> {
  fetched ??= fetch(ALL)
    .then(async (answer) => {
      if (!answer.ok) throw new Error(`${ALL}: ${answer.status}`);
      const content = (await answer.json()) as Content;
      show(content);
      return content;
    })
    .catch((error: unknown) => {
      fetched = undefined;
      throw error;
    });
  return fetched;
}

/** While a page is built: renders with this content, and answers what the page has shown of it. One page at a time. */
export async function withContent<T>(
  content: Content | undefined,
  render: () => Promise<T>,
): Promise<[T, Known]> {
  if (content) known = content;
  shown = new Set();
  const rendered = await render();
  const { festival } = known;
  return [rendered, { festival, ...Object.fromEntries([...shown].map((id) => [id, known[id]])) }];
}
