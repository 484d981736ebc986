// `npm start`: builds the site if its sources changed, then becomes the server, in this one process because a warm
// start is measured (docs/OPERATING.md). Statically it imports nothing slow; the rest comes through Node's compile cache.
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { buildSite, SiteBuildError } from "./site-build.ts";

enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/node"));

try {
  buildSite({ announce: (text) => console.log(text) });
} catch (error) {
  if (!(error instanceof SiteBuildError)) throw error;
  console.error(error.message);
  process.exit(1);
}
await import("../server/src/main.ts");
