// The REST service on a cloned database, for the tests of one file: `const { rest, sql } = await openRest(…)` at the top.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { systemClock } from "../src/platform/clock.ts";
import { createLog } from "../src/platform/log.ts";
import type { DatabaseOptions } from "../src/postgres/database.ts";
import { createRest, type RestDeps } from "../src/rest/index.ts";
import { cloneDatabase } from "./database.ts";

/** The tables that the service and PostgREST are compared on. */
export const CONFORMANCE_TABLES = readFileSync(
  join(import.meta.dirname, "./conformance/fixture.sql"),
  "utf8",
);

/** Runs `setUp`, SQL, before the service reads the schema. Closed after the file's last test. */
export async function openRest(
  setUp: string,
  deps: Partial<RestDeps> = {},
  connections: DatabaseOptions = {},
) {
  const db = await cloneDatabase(connections);
  const sql = (text: string) => db.database.asService("tests own the data").query(text);
  await sql(setUp);
  const rest = createRest({
    ...{ database: db.database, databaseUrl: db.url, clock: systemClock, log: createLog("silent") },
    ...deps,
  });
  afterAll(async () => {
    await rest.close();
    await db.close();
  });
  return { db, rest, sql };
}
