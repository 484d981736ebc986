// The festival's content for pages. A built page contains the content it shows, so hydration matches it. The texts of other pages
// are fetched with the first link to one, all at once. Facts are never part of the script, so a publication changes no script
// file.
import { createContext, use, useSyncExternalStore } from "react";
import type { Content, Festival } from "contract/festival/facts";

type Section = Exclude<keyof Content, "festival">;
type Known = Pick<Content, "festival"> & Partial<Content>;

export const CONTENT_ID = "festival-content";
const ALL = "/festival.json";

let known: Known = import.meta.env.SSR ? JSON.parse(import.meta.env.FIRST_CONTENT) : inPage();
/** The sections that the page being built has shown. */
let shown = new Set<Section>();
let fetched: Promise<Content> | undefined;
const listeners = new Set<() => void>();

function inPage(): Known {
  return JSON.parse(document.getElementById(CONTENT_ID)!.textContent) as Known;
}

/** Overrides the published content for the back office's preview. */
export const Preview = createContext<Content | undefined>(undefined);

/** For code outside components; a component uses useFestival. */
export const festivalNow = (): Festival => known.festival;

/** For the server and the build, which have all of the content. */
export const contentNow = (): Content => known as Content;

/** For search engines. */
export const summaryNow = (id: "schedule" | "map"): string =>
  known[id]?.summary ?? known.festival.description;

export function useFestival(): Festival {
  return useContent().festival;
}

/** Suspends when the page's HTML does not contain this section. */
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

/** Shows this content on every page from now on. */
export function show(content: Content): void {
  if (JSON.stringify(content) === JSON.stringify(known)) return;
  known = content;
  for (const listener of listeners) listener();
}

/** Shows these facts, and every text as it is. */
export const showFacts = (festival: Festival): void => show({ ...contentNow(), festival });

/** For a page that may be older than what is published: a service worker had kept it. */
export function readAgain(): Promise<Content> {
  fetched = undefined;
  return all();
}

/** The next page retries a failed fetch. */
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

/** While a page is built: renders with this content, and returns which of it the page has shown. One page at a time. */
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
