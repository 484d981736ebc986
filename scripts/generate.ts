// `npm run generate`: migrates an empty, temporary PostgreSQL and writes out its schema: contract/src/database.ts for the
// compiler and supabase/schema.sql for the reviewer, and the shapes of sections for the form. It also writes supabase/seed.sql from
// supabase/festival.json. With --check it writes nothing and fails if one of them is stale.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startCluster } from "../server/src/postgres/cluster/cluster.ts";
import { openDatabase } from "../server/src/postgres/database.ts";
import { migrate } from "../server/src/postgres/setup/migrate.ts";
import { PROJECT } from "../shop/src/project.ts";
import firstContent from "../supabase/festival.json" with { type: "json" };
import { commandLine } from "./command-line.ts";
import { type Catalog, readCatalog } from "./generate/catalog.ts";
import { renderSchema } from "./generate/schema.ts";
import { renderSeed } from "./generate/seed.ts";
import { renderShapes } from "./generate/shapes.ts";
import { renderTypes } from "./generate/types.ts";

const root = resolve(import.meta.dirname, "..");

const { values } = commandLine("npm run generate [-- --check]", {
  options: { check: { type: "boolean", default: false } },
});
const catalog = await migratedCatalog();
const files = {
  "contract/src/database.ts": renderTypes(catalog),
  "contract/src/festival/section-shapes.ts": renderShapes(catalog.shapes),
  "supabase/schema.sql": renderSchema(catalog),
  "supabase/seed.sql": renderSeed(firstContent),
};
const stale = Object.entries(files).filter(([path, text]) => readIfThere(join(root, path)) !== text);

if (values.check) {
  for (const [path] of stale) console.error(`${path} is stale. Run: npm run generate`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [path, text] of stale) {
    writeFileSync(join(root, path), text);
    console.log(`Wrote ${path}`);
  }
  if (stale.length === 0) console.log("Nothing changed.");
}

async function migratedCatalog(): Promise<Catalog> {
  const directory = mkdtempSync(join(tmpdir(), "festival-generate-"));
  const cluster = await startCluster(join(directory, "postgres"), { fsync: "off", full_page_writes: "off" });
  const database = openDatabase(cluster.url, { sizes: { requests: 1, service: 1 } });
  try {
    const service = database.asService("the schema is read as its owner");
    await migrate(service, PROJECT);
    return await readCatalog(service);
  } finally {
    await database.close();
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
