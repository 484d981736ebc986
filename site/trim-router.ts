// Leaves two parts of React Router out of the browser's script, 2 kB of the home page's 100: instrumentation, which
// nothing here registers, and lazy route discovery, which `ssr: false` turns off. The stand-ins do what those parts do
// in that case. The build fails when a new version of the router no longer has them in these places.
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
];

export function trimRouter(): Plugin {
  const left = new Set(standIns.map(({ file }) => file));
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
    buildEnd(error) {
      if (!error && left.size > 0)
        this.error(`React Router no longer has ${[...left].join(", ")}: see trim-router.ts`);
    },
  };
}
