// `npm start`: builds the site if its sources changed, then becomes the server. It all happens in one process
// because the time of a warm start is measured (`npm run bench -- P12`).
import { buildSite, SiteBuildError } from "./site-build.ts";

try {
  buildSite({ announce: (text) => console.log(text) });
} catch (error) {
  if (!(error instanceof SiteBuildError)) throw error;
  console.error(error.message);
  process.exit(1);
}
await import("../shop/src/main.ts");
