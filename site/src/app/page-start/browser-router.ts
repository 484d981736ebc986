// Replaces React Router in the browser's script with the part of it that the site uses: see router/index.tsx.
import { join } from "node:path";
import type { Plugin } from "vite";

const ROUTE_DATA =
  /site\/src\/app\/(root|routes|layouts).*\bexport\s+(const|(async\s+)?function)\s+(clientLoader|clientAction|loader|action)\b/s;

export function browserRouter(): Plugin {
  return {
    name: "browser-router",
    apply: "build",
    enforce: "pre",
    applyToEnvironment: (environment) => environment.name === "client",
    resolveId: {
      filter: { id: /^react-router(\/dom)?$/ },
      handler: () => join(import.meta.dirname, "router/index.tsx"),
    },
    transform(code, id) {
      if (ROUTE_DATA.test(`${id}\n${code}`))
        this.error(`${id} exports a loader or an action, which the browser's router does not call`);
    },
  };
}
