// Shortens the route list that every page fetches. It drops the imports of each route's file: only a prefetching link would read
// them, and no link prefetches. It also drops false flags, because React Router's script reads a missing flag as false, and the
// flag of a default export, which it never reads. Figure, and when to drop this: docs/decisions/030-page-start.md.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const IMPORTS = /,"imports":\[[^\]]*\](?=,"css":)/g;
const UNREAD = /"has\w+":false,|"hasDefaultExport":true,/g;

/** @throws Error when the format of React Router's list changes */
export function shortenRouteList(clientFolder: string): void {
  const [file, ...more] = globSync(join(clientFolder, "assets/manifest-*.js"));
  const list = file ? readFileSync(file, "utf8") : "";
  const routes = list.indexOf('"routes":');
  if (!file || more.length > 0 || routes < 0 || list.search(IMPORTS) < 0 || list.search(UNREAD) < 0)
    throw new Error("React Router's list of routes has changed: see route-list.ts");
  writeFileSync(file, list.slice(0, routes) + list.slice(routes).replace(IMPORTS, "").replace(UNREAD, ""));
}
