// Leaves four parts of React Router out of the browser's script: instrumentation, which we do not register; lazy route
// discovery, which `ssr: false` turns off; the fetching of loader data, because no route has a loader (TanStack Query
// reads data); and the loading of routes' files, which load-page.ts does. The other stand-ins behave as those parts do when unused.
// Components that we do not use go too. The build fails if a route exports a loader or an action, or if a new version of the router
// has moved these files. Figures, and when to drop this: docs/decisions/030-page-start.md.
import type { Plugin } from "vite";

const standIns: readonly { file: string; code: string }[] = [
  {
    file: "react-router/dist/production/lib/router/instrumentation.js",
    code: `
      const nothing = () => undefined;
      export const instrumentationResultMetaContext = undefined;
      export const getRouteInstrumentationUpdates = () => ({});
      export const instrumentClientSideRouter = (router) => router;
      export const instrumentHandler = (handler) => handler;
      export { nothing as createInstrumentationResultMetaReceiver, nothing as consumeInstrumentationClientResultMetaReceiver };`,
  },
  {
    file: "react-router/dist/production/lib/dom/ssr/fog-of-war.js",
    code: `
      const nothing = () => undefined;
      export const URL_LIMIT = 7680;
      export const isFogOfWarEnabled = () => false;
      export { nothing as getPatchRoutesOnNavigationFunction, nothing as useFogOFWarDiscovery };
      export { nothing as getManifestPath, nothing as getPartialManifest, nothing as getPathsWithAncestors };
      export { nothing as handleClientVersionMismatch };`,
  },
  {
    file: "react-router/dist/production/lib/dom/ssr/single-fetch.js",
    code: `
      const nothing = () => undefined;
      const strategy = async ({ matches }) => {
        const loaded = matches.filter((match) => match.shouldCallHandler());
        const results = await Promise.all(loaded.map((match) => match.resolve((handler) => handler())));
        return Object.fromEntries(loaded.map((match, at) => [match.route.id, results[at]]));
      };
      export const NO_BODY_STATUS_CODES = new Set();
      export const SingleFetchRedirectSymbol = Symbol("SingleFetchRedirect");
      export const StreamTransfer = () => null;
      export const decodeViaTurboStream = async () => ({ value: { loaderData: {}, actionData: null, errors: null } });
      export const getTurboStreamSingleFetchDataStrategy = () => (args) => args.runClientMiddleware(strategy);
      export { nothing as getSingleFetchDataStrategyImpl, nothing as singleFetchUrl, nothing as stripIndexParam };`,
  },
  {
    // Its own reloads the page when a route's file cannot be loaded: without a network, that ends in the browser's error page.
    file: "react-router/dist/production/lib/dom/ssr/routeModules.js",
    code: `
      export const loadRouteModule = async (route, known) =>
        (known[route.id] ??= await globalThis.loadPage(route.module));`,
  },
];

const COMPONENTS = "react-router/dist/production/lib/dom/lib.js";

const ROUTE_DATA =
  /site\/src\/app\/(root|routes|layouts).*\bexport\s+(const|(async\s+)?function)\s+(clientLoader|clientAction|loader|action)\b/s;

export function trimRouter(): Plugin {
  const left = new Set([...standIns.map(({ file }) => file), COMPONENTS]);
  return {
    name: "trim-router",
    apply: "build",
    enforce: "pre",
    applyToEnvironment: (environment) => environment.name === "client",
    load(id) {
      const standIn = standIns.find(({ file }) => id.endsWith(file));
      if (!standIn) return undefined;
      left.delete(standIn.file);
      return standIn.code;
    },
    transform(code, id) {
      if (ROUTE_DATA.test(`${id}\n${code}`))
        this.error(`${id} exports a loader or an action: see trim-router.ts`);
      if (!id.endsWith(COMPONENTS)) return undefined;
      left.delete(COMPONENTS);
      // The bundler keeps an unused component whose creation or naming may have an effect: Form, with useSubmit and what it needs.
      return code
        .replaceAll("= React$1.forwardRef(", "= /* @__PURE__ */ React$1.forwardRef(")
        .replaceAll(/^\w+\.displayName = .*$/gm, "");
    },
    buildEnd(error) {
      if (!error && left.size > 0)
        this.error(`React Router no longer has ${[...left].join(", ")}: see trim-router.ts`);
    },
  };
}
