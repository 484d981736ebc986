// `npm run build`: builds the site if its sources changed, for a server whose user may not write to the program.
import { commandLine } from "./command-line.ts";
import { buildSite, SiteBuildError } from "./site-build.ts";

commandLine("npm run build", {});
try {
  if (!buildSite({ announce: (text) => console.log(text) })) console.log("The site is built already.");
} catch (error) {
  if (!(error instanceof SiteBuildError)) throw error;
  console.error(error.message);
  process.exit(1);
}
