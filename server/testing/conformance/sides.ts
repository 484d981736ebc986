// The two sides of a comparison: PostgREST and our service, each on its own copy of the fixture, so that both may write.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cloneDatabase, type TestDatabase } from "../database.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { ServiceContext } from "../../src/platform/http/context.ts";
import { createTokens, type Claims } from "../../src/platform/keys/jwt.ts";
import { createLog } from "../../src/platform/log.ts";
import { createRest } from "../../src/rest/index.ts";
import { startOracle } from "./oracle.ts";

export interface Exchange {
  /** GET by default. */
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly as?: keyof typeof CALLERS;
}

export const CALLERS = {
  anon: { role: "anon" },
  alice: { role: "authenticated", sub: "11111111-1111-4111-8111-111111111111" },
  service: { role: "service_role" },
} satisfies Record<string, Claims>;

export interface Sides {
  postgrest(exchange: Exchange): Promise<Response>;
  ours(exchange: Exchange): Promise<Response>;
  /** Every row of the tables that exchanges may write to, in both databases. */
  contents(): Promise<{ postgrest: unknown; ours: unknown }>;
  close(): Promise<void>;
}

const JWT_SECRET = "a secret of thirty-two characters or more";
const WRITTEN = [
  "clients",
  "projects",
  "drafts",
  "languages",
  "pairs",
  "keyless",
  "notes",
  "empty_table",
  "secrets",
];
const MAX_ROWS = 100;

/** Every optional feature is on. */
const SETTINGS = {
  "db-schemas": "public,annex",
  "db-aggregates-enabled": "true",
  "db-plan-enabled": "true",
  "db-tx-end": "commit-allow-override",
  "db-pre-request": "public.before_request",
  "app-settings-greeting": "howdy",
};

export async function openSides(): Promise<Sides> {
  const fixture = readFileSync(join(import.meta.dirname, "fixture.sql"), "utf8");
  const [theirs, own] = await Promise.all([cloneDatabase(), cloneDatabase()]);
  await Promise.all(
    [theirs, own].map(({ database }) => database.asService("tests own the data").query(fixture)),
  );
  const oracle = await startOracle(theirs.url, {
    jwtSecret: JWT_SECRET,
    maxRows: MAX_ROWS,
    settings: SETTINGS,
  });
  const rest = createRest({
    database: own.database,
    databaseUrl: own.url,
    clock: systemClock,
    log: createLog("silent"),
    settings: SETTINGS,
    maxRows: MAX_ROWS,
  });
  const tokens = createTokens(JWT_SECRET, systemClock);

  return {
    async postgrest({ method = "GET", path, headers = {}, body, as = "anon" }) {
      const token = tokens.sign(CALLERS[as]);
      const sent = bodyOf(body);
      const { pathname, search } = new URL(path, "http://localhost"); // escapes what a browser would
      return oracle.fetch({
        method,
        path: pathname + search,
        headers: { ...typeOf(body), ...headers, authorization: `Bearer ${token}` },
        ...(sent === undefined ? {} : { body: sent }),
      });
    },
    ours({ method = "GET", path, headers = {}, body, as = "anon" }) {
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: { ...typeOf(body), ...headers },
        body: bodyOf(body) ?? null,
      });
      return rest.fetch(request, contextOf(CALLERS[as]));
    },
    async contents() {
      const [postgrest, ours] = await Promise.all([theirs, own].map(readAll));
      return { postgrest, ours };
    },
    async close() {
      await Promise.all([oracle.close(), rest.close()]);
      await Promise.all([theirs.close(), own.close()]);
    },
  };
}

export const contextOf = (claims: Claims): ServiceContext => ({
  requestId: "test",
  claims,
  token: undefined,
  ip: "127.0.0.1",
  apiUrl: "http://localhost",
});

const bodyOf = (body: unknown): string | undefined =>
  body === undefined || typeof body === "string" ? body : JSON.stringify(body);

const typeOf = (body: unknown): Record<string, string> =>
  body === undefined ? {} : { "content-type": "application/json" };

async function readAll({ database }: TestDatabase): Promise<unknown> {
  const tables = WRITTEN.map(
    (name) => `'${name}', (select json_agg(t order by t::text) from public.${name} t)`,
  );
  const { rows } = await database
    .asService("tests look at everything")
    .query(`select json_build_object(${tables.join(", ")}) as contents`);
  return rows[0]!.contents;
}
