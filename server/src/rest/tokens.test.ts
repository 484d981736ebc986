// Which tokens are accepted, and under which role they act, through the gateway and a real PostgreSQL.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../testing/database.ts";
import { createClientAddress } from "../gateway/requests/client-address.ts";
import { createGateway, type SocketService } from "../gateway/index.ts";
import { systemClock } from "../platform/clock.ts";
import { createTokens } from "../platform/keys/jwt.ts";
import { createLog } from "../platform/log.ts";
import { type Database, openDatabase } from "../postgres/database.ts";
import { loginsOf } from "../postgres/setup/logins.ts";
import { createRest, type Rest } from "./index.ts";

const SECRET = "a secret of at least thirty-two characters";
const tokens = createTokens(SECRET, systemClock);
/** Separate, so that the gateway has not cached its tokens. */
const issuer = createTokens(SECRET, systemClock);
const log = createLog("silent");
const hour = 3600;
const now = Math.floor(Date.now() / 1000);
const keys = { anon: tokens.sign({ role: "anon" }), service: tokens.sign({ role: "service_role" }) };
/** Unique, since other tests share the cluster and its roles. */
const GRANTED = `box_office_${process.pid}_${now}`;

let db: TestDatabase;
let database: Database;
let rest: Rest;
let gateway: ReturnType<typeof createGateway>;

const sql = (text: string) => db.database.asService("tests own the data").query(text);

beforeAll(async () => {
  db = await cloneDatabase();
  await sql(`
    create table public.tills (id int primary key);
    create function public.whoami() returns text language sql stable as 'select current_user::text';
    create role ${GRANTED} nologin;
    grant usage on schema public to ${GRANTED};
    grant select on public.tills to ${GRANTED};
    grant ${GRANTED} to authenticator;
  `);
  database = openDatabase(loginsOf(db.url), { sizes: { requests: 2, service: 2 } });
  rest = createRest({ database, databaseUrl: db.url, clock: systemClock, log });
  const none = {} as SocketService;
  gateway = createGateway({
    services: { rest, auth: none, storage: none, functions: none, realtime: none },
    ...{ pages: {}, tokens, keys, apiUrl: "http://localhost", clientAddress: createClientAddress([]), log },
  });
});
afterAll(async () => {
  await rest?.close();
  await database?.close();
  await sql(`drop owned by ${GRANTED}; drop role ${GRANTED}`);
  await db?.close();
});

async function ask(authorization: string, path = "/rest/v1/rpc/whoami") {
  const headers = { apikey: keys.anon, authorization };
  const answer = await gateway.fetch(new Request(`http://localhost${path}`, { headers }), "192.0.2.1");
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}
const bearer = (claims: object) => `Bearer ${issuer.sign({ exp: now + hour, ...claims } as never)}`;
const other = createTokens("another secret of thirty-two characters", systemClock);

describe("a token that is refused", () => {
  it.each([
    ["Bearer ", "PGRST301", "Empty JWT is sent in Authorization header"],
    ["Bearer nonsense", "PGRST301", "Expected 3 parts in JWT; got 1"],
    [
      `Bearer ${other.sign({ role: "anon", exp: now + hour })}`,
      "PGRST301",
      "No suitable key or wrong key type",
    ],
    [bearer({ role: "authenticated", exp: now - 1 }), "PGRST303", "JWT expired"],
    [bearer({ role: "authenticated", nbf: now + hour }), "PGRST303", "JWT not yet valid"],
    [bearer({ role: "authenticated", aud: "somebody else" }), "PGRST303", "JWT not in audience"],
  ])("%s: %s %s", async (authorization, code, message) => {
    const answer = await ask(authorization);
    expect([answer.status, answer.body]).toMatchObject([401, { code, message, hint: null }]);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer error="invalid_token", error_description=${JSON.stringify(message)}`,
    );
    expect(answer.headers.get("proxy-status")).toBe(`PostgREST; error=${code}`);
  });
});

describe("a valid token", () => {
  it.each(["anon", "authenticated", "service_role"])("acts as %s", async (role) => {
    expect(await ask(bearer({ role }))).toMatchObject({ status: 200, body: role });
  });

  it("acts as any other role that the database granted to authenticator, with that role's rights", async () => {
    expect(await ask(bearer({ role: GRANTED }))).toMatchObject({ status: 200, body: GRANTED });
    expect(await ask(bearer({ role: GRANTED }), "/rest/v1/tills")).toMatchObject({ status: 200, body: [] });
    expect(await ask(bearer({ role: GRANTED }), "/rest/v1/orders")).toMatchObject({
      status: 403,
      body: { code: "42501", message: "permission denied for table orders" },
    });
  });

  it.each(["postgres", "api_server", "supabase_auth_admin", "pg_read_all_data"])(
    "does not act as %s, which it was not granted",
    async (role) => {
      const answer = await ask(bearer({ role }));
      expect(answer).toMatchObject({
        status: 403,
        body: { code: "42501", message: `permission denied to set role "${role}"` },
      });
    },
  );

  it("does not act as a role that does not exist", async () => {
    expect(await ask(bearer({ role: "nobody_at_all" }))).toMatchObject({
      status: 401,
      body: { code: "22023", message: 'role "nobody_at_all" does not exist' },
    });
  });
});
