// Where the visitor is, and how they get elsewhere: the history of this tab, the files of the next page, where it is scrolled to, and
// the question before unsaved edits are lost.
import type { Blocker, BlockerFunction, Location, NavigateOptions, Path, To } from "react-router";
import { isLoaded, loadRoute, placeAt, type Place } from "./routes.ts";

export interface Shown extends Place {
  readonly location: Location;
  /** Where to scroll to: pixels from the top, or what the hash names. Without either to the start, or not at all. */
  readonly scroll?: number | "start" | "keep";
  /** The page whose files are loading. */
  readonly next?: Location;
  readonly blocker: Blocker;
}

const UNBLOCKED: Blocker = { state: "unblocked", location: undefined, proceed: undefined, reset: undefined };
/** Read by a script that React Router writes into the pages too. */
const POSITIONS = "react-router-scroll-positions";

let shown: Shown;
/** The position of the entry in the history, to undo a step of an unknown length. */
let index: number;
/** A newer navigation takes the place of one that still loads. */
let turn = 0;
let positions: Record<string, number> = {};
let shouldBlock: BlockerFunction | undefined;
/** Set while a step in the history is undone, because it was blocked. */
let onUndone: (() => void) | undefined;
const listeners = new Set<(shown: Shown) => void>();

export const shownNow = (): Shown => shown;

/** Calls back with every change. Returns a function that stops. */
export function follow(listener: (shown: Shown) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function show(changes: Partial<Shown>): void {
  shown = { ...shown, ...changes };
  for (const listener of listeners) listener(shown);
}

const entryIndex = () => (history.state as { idx?: number } | null)?.idx;

function here(): Location {
  const { pathname, search, hash } = location;
  const { usr = null, key = "default" } = (history.state ?? {}) as { usr?: unknown; key?: string };
  return { pathname, search, hash, state: usr, key, mask: undefined };
}

/** Begins with the page as it was built, or with an empty frame if the server sent none for this address. */
export function start(): Shown {
  index = entryIndex() ?? 0;
  history.replaceState({ ...history.state, idx: index }, "");
  const place = placeAt(location.pathname);
  const isBuilt = place.routes.every(isLoaded);
  const routes = isBuilt ? place.routes : place.routes.slice(0, 1);
  shown = { location: here(), ...place, routes, blocker: UNBLOCKED };
  try {
    positions = JSON.parse(sessionStorage.getItem(POSITIONS) ?? "{}") as typeof positions;
  } catch {
    // Whoever stored something else there loses the positions.
  }
  addEventListener("popstate", onStep);
  return shown;
}

/** Loads what {@link start} could not show. */
export function complete(): void {
  const location = here();
  if (!placeAt(location.pathname).routes.every((route) => shown.routes.includes(route)))
    void go(location, () => {});
}

/** What has no path, such as "?page=2", is on the same page. Paths begin at the root, and never lead to another site. */
export function resolve(to: To, from: Path): Path {
  const given: Partial<Path> = typeof to === "string" ? parsed(to) : to;
  return {
    pathname: given.pathname?.replaceAll(/\/{2,}/g, "/") || from.pathname,
    search: marked("?", given.search),
    hash: marked("#", given.hash),
  };
}

function parsed(path: string): Path {
  const [, pathname = "", search = "", hash = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(path) ?? [];
  return { pathname, search, hash };
}

const marked = (sign: string, text = "") =>
  text === "" || text === sign ? "" : text.startsWith(sign) ? text : sign + text;

export const createPath = ({ pathname, search, hash }: Path): string => pathname + search + hash;

/** Returns once the page is shown, another navigation took its place, or it was blocked. */
export async function navigate(to: To | number, options: NavigateOptions = {}): Promise<void> {
  if (typeof to === "number") return history.go(to);
  const { pathname, search, hash } = new URL(location.origin + createPath(resolve(to, shown.location)));
  const key = Math.random().toString(36).slice(2, 10);
  const next = { pathname, search, hash, state: options.state ?? null, key, mask: undefined };
  if (isBlocked(next, options.replace ? "REPLACE" : "PUSH", () => void navigate(to, options))) return;
  await go(next, () => enter(next, options.replace), options.preventScrollReset);
}

function enter(next: Location, replace = false): void {
  if (!replace) index += 1;
  const entry = [{ usr: next.state, key: next.key, idx: index }, "", createPath(next)] as const;
  if (replace) history.replaceState(...entry);
  else history.pushState(...entry);
}

async function go(next: Location, commit: () => void, preventScrollReset = false): Promise<void> {
  const own = ++turn;
  if (next.key !== shown.location.key) positions[shown.location.key] = scrollY;
  const place = placeAt(next.pathname);
  const missing = place.routes.filter((route) => !isLoaded(route));
  if (missing.length > 0) {
    show({ next });
    await Promise.all(missing.map(loadRoute));
    if (own !== turn) return;
  }
  commit();
  const scroll = positions[next.key] ?? (preventScrollReset ? "keep" : "start");
  show({ location: next, ...place, scroll, next: undefined, blocker: UNBLOCKED });
}

/** The browser's own step in the history: Back, Forward, or a link within the page. */
function onStep(): void {
  const to = entryIndex();
  const delta = to === undefined ? 0 : to - index;
  index = to ?? index;
  if (onUndone) return onUndone();
  const next = here();
  const undone = Promise.withResolvers<void>();
  const again = () => void undone.promise.then(() => history.go(delta));
  if (delta === 0 || !isBlocked(next, "POP", again)) return void go(next, () => {});
  onUndone = () => {
    onUndone = undefined;
    undone.resolve();
  };
  history.go(-delta);
}

function isBlocked(next: Location, historyAction: "PUSH" | "REPLACE" | "POP", proceed: () => void): boolean {
  if (shown.blocker.state === "proceeding") return false;
  if (!shouldBlock?.({ currentLocation: shown.location, nextLocation: next, historyAction } as never))
    return false;
  const unset = { proceed: undefined, reset: undefined };
  show({
    blocker: {
      state: "blocked",
      location: next,
      proceed: () => {
        show({ blocker: { state: "proceeding", location: next, ...unset } });
        proceed();
      },
      reset: () => show({ blocker: UNBLOCKED }),
    },
  });
  return true;
}

/** One at a time. Returns a function that removes it. */
export function block(test: BlockerFunction): () => void {
  shouldBlock = test;
  return () => {
    if (shouldBlock === test) shouldBlock = undefined;
  };
}

/** Keeps the positions for a reload, and for coming back from another site. */
export function keepPositions(): void {
  if (!shown.next) positions[shown.location.key] = scrollY;
  try {
    sessionStorage.setItem(POSITIONS, JSON.stringify(positions));
  } catch {
    // A full store costs the visitor their place, no more.
  }
}
