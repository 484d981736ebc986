// Shortens the list of routes that every page fetches. What each route's file imports is left out: only a link that prefetches
// its page would read it, and no link does. So is what a route does not have: React Router's script reads a flag that is missing
// as one that is false. Figure, and when to drop this: docs/decisions/030-page-start.md.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const IMPORTS = /,"imports":\[[^\]]*\](?=,"css":)/g;
const ABSENT = /"has\w+":false,/g;

/** @throws Error when React Router writes its list another way */
export function shortenRouteList(clientFolder: string): void {
  const [file, ...more] = globSync(join(clientFolder, "assets/manifest-*.js"));
  const list = file ? readFileSync(file, "utf8") : "";
  const routes = list.indexOf('"routes":');
  if (!file || more.length > 0 || routes < 0 || list.search(IMPORTS) < 0 || list.search(ABSENT) < 0)
    throw new Error("React Router's list of routes has changed: see route-list.ts");
  writeFileSync(file, list.slice(0, routes) + list.slice(routes).replace(IMPORTS, "").replace(ABSENT, ""));
}
