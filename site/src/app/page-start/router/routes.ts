// Which routes an address has, and their files. Reads the list of routes that React Router writes into every page.
import type { ComponentType, ReactNode } from "react";
import type { LinkDescriptor, Location, MetaDescriptor } from "react-router";

export interface RouteModule {
  default: ComponentType;
  ErrorBoundary?: ComponentType;
  /** Only the root has one. */
  Layout?: ComponentType<{ children: ReactNode }>;
  links?: () => LinkDescriptor[];
  meta?: (page: { location: Location }) => MetaDescriptor[];
}

interface Route {
  readonly id: string;
  readonly parentId?: string;
  readonly path?: string;
  readonly module: string;
  readonly css: readonly string[];
}

export interface Place {
  /** From the root to the page. */
  readonly routes: readonly Route[];
  readonly params: Readonly<Record<string, string>>;
}

/** All routes of the site. */
const all = () =>
  (Reflect.get(globalThis, "__reactRouterManifest") as { routes: Record<string, Route> }).routes;
/** The page's own modules come with it; those of links are added. */
const modules = () => Reflect.get(globalThis, "__reactRouterRouteModules") as Record<string, RouteModule>;

export const moduleOf = ({ id }: Route): RouteModule => modules()[id]!;

export const isLoaded = ({ id }: Route): boolean => id in modules();

const loading = new Map<string, Promise<void>>();

/** Never rejects: see load-page.ts. A link that is pressed again while its page loads waits with the first press. */
export function loadRoute({ id, module }: Route): Promise<void> {
  const known = loading.get(id);
  if (known) return known;
  const promise = loadPage(module).then((loaded) => void (modules()[id] = loaded as RouteModule));
  loading.set(id, promise);
  return promise;
}

const split = (path: string) => path.split("/").filter(Boolean);
const isSplat = (part: string | undefined) => part === "*";
const isParam = (part: string) => part.startsWith(":");

interface Branch {
  readonly routes: readonly Route[];
  readonly parts: readonly string[];
}

let branches: readonly Branch[] | undefined;

/** One per page: what is most exact first, so that "/admin/orders" goes before "/admin/*". */
function readBranches(): readonly Branch[] {
  const routes = all();
  const branchTo = (route: Route): Route[] => [
    ...(route.parentId ? branchTo(routes[route.parentId]!) : []),
    route,
  ];
  const isLeaf = ({ id }: Route) => !Object.values(routes).some(({ parentId }) => parentId === id);
  // "1" for what takes all that follows, which is less than an end, "2".
  const rank = ({ parts }: Branch) =>
    parts.map((part) => (isSplat(part) ? "1" : isParam(part) ? "3" : "4")).join("") + "2";
  return Object.values(routes)
    .filter(isLeaf)
    .map((leaf) => {
      const branch = branchTo(leaf);
      return { routes: branch, parts: branch.flatMap(({ path = "" }) => split(path)) };
    })
    .toSorted((a, b) => (rank(a) < rank(b) ? 1 : -1));
}

/** Every address has a place: the last route takes what no other does. */
export function placeAt(pathname: string): Place {
  branches ??= readBranches();
  const path = split(pathname).map(decoded);
  for (const { routes, parts } of branches) {
    const fits =
      (parts.length === path.length || isSplat(parts.at(-1))) &&
      parts.every((part, at) => isSplat(part) || (path[at] && (isParam(part) || same(part, path[at]))));
    if (!fits) continue;
    const params = parts.flatMap((part, at) => (isParam(part) ? [[part.slice(1), path[at]!]] : []));
    return { routes, params: Object.fromEntries(params) };
  }
  throw new Error(`No route for ${pathname}`);
}

const same = (part: string, typed: string) => part.toLowerCase() === typed.toLowerCase();

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
