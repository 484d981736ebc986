// React Router in the browser, as far as this site uses it: links, the history, routes and their files, errors, scrolling. There are no
// loaders, actions or fetchers, and paths begin at the root. React Router itself types, builds and prerenders the pages, and is the
// whole of it in development. A name that is missing here fails the build. Why: docs/decisions/080-a-router-for-the-browser.md.
import {
  Component,
  createContext,
  createElement,
  Fragment,
  startTransition,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
  type ComponentType,
  type MouseEvent,
  type ReactNode,
  type Ref,
} from "react";
import type {
  BlockerFunction,
  LinkProps,
  Location,
  NavigateOptions,
  NavigateProps,
  NavLinkProps,
} from "react-router";
import {
  block,
  complete,
  createPath,
  follow,
  keepPositions,
  navigate,
  resolve,
  shownNow,
  start,
  type Shown,
} from "./navigation.ts";
import { moduleOf } from "./routes.ts";

const ShownContext = createContext<Shown | undefined>(undefined);
const LocationContext = createContext<Location | undefined>(undefined);
const OutletContext = createContext<ReactNode>(null);
const ErrorContext = createContext<unknown>(undefined);

const useShown = () => useContext(ShownContext)!;
export const useLocation = () => useContext(LocationContext)!;
export const useParams = () => useShown().params;
export const useNavigate = () => navigate;
export const useRouteError = () => useContext(ErrorContext);
export const Outlet = () => useContext(OutletContext);

export function useNavigation() {
  const { next } = useShown();
  return { state: next ? "loading" : "idle", location: next };
}

/** What has begun since the last render, too. */
export const UNSAFE_DataRouterContext = createContext({
  router: {
    get state() {
      return { navigation: { state: shownNow().next ? "loading" : "idle" } };
    },
  },
});

export function useSearchParams() {
  const { search } = useLocation();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const setParams = (next: Record<string, string> | URLSearchParams, options?: NavigateOptions) =>
    void navigate(`?${new URLSearchParams(next)}`, options);
  return [params, setParams] as const;
}

export function useBlocker(test: BlockerFunction) {
  useEffect(() => block(test));
  return useShown().blocker;
}

export function Navigate({ to, replace, state }: NavigateProps) {
  useEffect(() => void navigate(to, { replace, state }), [to, replace, state]);
  return null;
}

export function Link({
  to,
  replace,
  state,
  preventScrollReset,
  onClick,
  children,
  ...rest
}: LinkProps & { ref?: Ref<HTMLAnchorElement> }) {
  const location = useLocation();
  const path = createPath(resolve(to, location));
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    const isModified = event.metaKey || event.altKey || event.ctrlKey || event.shiftKey;
    const isElsewhere = rest.target !== undefined && rest.target !== "_self";
    if (event.defaultPrevented || event.button !== 0 || isModified || isElsewhere) return;
    event.preventDefault();
    const isSame = path === createPath(location);
    void navigate(to, { replace: replace ?? isSame, state, preventScrollReset });
  }
  return (
    <a {...rest} href={path} onClick={follow}>
      {children}
    </a>
  );
}

/** Marks the link to the page shown, and without `end` to one below it. */
export function NavLink({ end, className, ...rest }: NavLinkProps & { ref?: Ref<HTMLAnchorElement> }) {
  const location = useLocation();
  const at = location.pathname.toLowerCase();
  const to = resolve(rest.to, location).pathname.toLowerCase();
  const isActive = at === to || (!end && at.startsWith(to.endsWith("/") ? to : `${to}/`));
  const look =
    typeof className === "function"
      ? className({ isActive, isPending: false, isTransitioning: false })
      : [className, isActive && "active"].filter(Boolean).join(" ");
  return <Link {...(rest as LinkProps)} aria-current={isActive ? "page" : undefined} className={look} />;
}

/** Of the page, else of the layout around it. */
export function Meta() {
  const { routes, location } = useShown();
  const meta = routes.map((route) => moduleOf(route).meta).findLast(Boolean);
  return meta?.({ location }).map((tag) => {
    const key = JSON.stringify(tag);
    if (!tag) return null;
    if ("title" in tag) return <title key="title">{String(tag.title)}</title>;
    const { tagName = "meta", ...rest } = tag as { tagName?: string };
    return createElement(tagName, { key, ...rest });
  });
}

export function Links() {
  const { routes } = useShown();
  const links = routes.flatMap((route) => [
    ...route.css.map((href) => ({ rel: "stylesheet", href })),
    ...(moduleOf(route).links?.() ?? []),
  ]);
  return links.map((link) => <link key={JSON.stringify(link)} {...(link as object)} />);
}

/** Only the server writes them. */
export const Scripts = () => null;

export function ScrollRestoration() {
  const { location, scroll } = useShown();
  useEffect(() => {
    const takeOver = () => (history.scrollRestoration = "manual");
    const giveBack = () => {
      keepPositions();
      history.scrollRestoration = "auto";
    };
    takeOver();
    addEventListener("pageshow", takeOver);
    addEventListener("pagehide", giveBack);
    return () => {
      removeEventListener("pageshow", takeOver);
      removeEventListener("pagehide", giveBack);
    };
  }, []);
  useLayoutEffect(() => {
    const target = location.hash && document.getElementById(decoded(location.hash.slice(1)));
    if (typeof scroll === "number") scrollTo(0, scroll);
    // The page as it was built is where the browser put it.
    else if (scroll && target) target.scrollIntoView();
    else if (scroll === "start") scrollTo(0, 0);
  }, [location, scroll]);
  return null;
}

function decoded(hash: string): string {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}

export function HydratedRouter() {
  const [shown, setShown] = useState(start);
  useLayoutEffect(() => {
    const stop = follow((next) => startTransition(() => setShown(next)));
    // A step in the history may have come while the page was hydrated.
    setShown(shownNow());
    complete();
    // See early-press.ts.
    globalThis.isHydrated = true;
    return stop;
  }, []);
  const { routes, location } = shown;
  const page = routes.reduceRight<ReactNode>((outlet, route) => {
    const { default: Screen, ErrorBoundary, Layout = Fragment } = moduleOf(route);
    // The root alone is a page whose files are loading: the server sent an empty frame.
    const screen = routes.length > 1 && (
      <OutletContext value={outlet}>
        <Screen />
      </OutletContext>
    );
    return (
      <Layout>
        {ErrorBoundary ? (
          <Boundary location={location} fallback={<ErrorBoundary />}>
            {screen}
          </Boundary>
        ) : (
          screen
        )}
      </Layout>
    );
  }, null);
  // As many siblings as the server renders: React derives the ids of useId from them.
  return (
    <>
      <>
        <ShownContext value={shown}>
          <LocationContext value={location}>{page}</LocationContext>
        </ShownContext>
        {null}
      </>
      {null}
    </>
  );
}

class Boundary extends Component<
  { location: Location; fallback: ReactNode; children: ReactNode },
  { location?: Location; caught?: { error: unknown } }
> {
  override state: { location?: Location; caught?: { error: unknown } } = {};

  static getDerivedStateFromError(error: unknown) {
    return { caught: { error } };
  }

  /** Another page is tried anew. */
  static getDerivedStateFromProps({ location }: { location: Location }, state: { location?: Location }) {
    return location === state.location ? null : { location, caught: undefined };
  }

  override render() {
    const { caught } = this.state;
    if (!caught) return this.props.children;
    return <ErrorContext value={caught.error}>{this.props.fallback}</ErrorContext>;
  }
}

/** React Router wraps the screens that it builds with these, to pass them what they do not read. */
const asIs = (screen: ComponentType) => screen;
export { asIs as UNSAFE_withComponentProps, asIs as UNSAFE_withErrorBoundaryProps };
