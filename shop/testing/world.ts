// A whole shop for tests: real SQL, the real REST and storage services in process, the real Stripe SDK on the
// payments sandbox, and a mailer that keeps what it is given.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { randomUUID } from "node:crypto";
import { importTicketKey, type TicketKey, type TicketKeyJwk } from "contract/tickets/ticket-token";
import Stripe from "stripe";
import { openDatabase } from "../../server/src/postgres/database.ts";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { createPaymentsSandbox, type PaymentsSandbox } from "../../sandbox/src/index.ts";
import { systemClock } from "../../server/src/platform/clock.ts";
import type { ServiceContext } from "../../server/src/platform/http/context.ts";
import type { Claims } from "../../server/src/platform/keys/jwt.ts";
import { createLog, type Log } from "../../server/src/platform/log.ts";
import type { Mail } from "contract/mail";
import type { Wallets } from "contract/tickets/wallets";
import type { Row } from "../../server/src/postgres/executor.ts";
import { createRest } from "../../server/src/rest/index.ts";
import { createDiskStore, createStorage } from "../../server/src/storage/index.ts";
import { createAuth } from "../../server/src/auth/index.ts";
import { parseSettings } from "../../server/src/auth/settings/settings.ts";
import { createAtRest } from "../../server/src/platform/keys/at-rest.ts";
import { createTokens } from "../../server/src/platform/keys/jwt.ts";
import type { FunctionsService } from "../../server/src/functions/index.ts";
import { BRAND } from "../src/brand.ts";
import type { ShopFunctionDeps } from "../src/functions/function-deps.ts";
import { createShopFunctions } from "../src/functions/index.ts";
import { PROJECT } from "../src/project.ts";

const SERVICE_KEY = "the-service-key";
const SITE = "http://shop.test";
const WEBHOOK_SECRET = "whsec_test";

const log = createLog("silent");
const clock = systemClock;
const payments = {
  secretKey: "sk_test_sandbox_functions",
  publishableKey: "pk_test_sandbox_functions",
  webhookSecret: WEBHOOK_SECRET,
};

export interface Answer {
  readonly status: number;
  readonly body: any;
}

interface CallOptions {
  /** A user's id, "service", or undefined for a visitor. */
  readonly as?: string;
  /** The session of the caller's token. Without it, the token is signed by hand. */
  readonly session?: string;
  /** "aal2" once the caller's second step was taken. */
  readonly aal?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly ip?: string;
  readonly method?: string;
  /** Includes its question mark. */
  readonly query?: string;
}

export interface World {
  /** Silent; tests spy on it. */
  readonly log: Log;
  readonly db: TestDatabase;
  readonly functions: FunctionsService;
  readonly sandbox: PaymentsSandbox;
  readonly stripe: Stripe;
  readonly mails: Mail[];
  readonly publicKey: TicketKey;
  /** The organizer's keys; none by default. */
  readonly wallets: { -readonly [Name in keyof Wallets]: Wallets[Name] };
  call(name: string, options?: CallOptions): Promise<Answer>;
  /** For calls that do not answer in JSON. */
  respond(name: string, options?: CallOptions): Promise<Response>;
  sql<T extends Row = Row>(text: string, ...values: unknown[]): Promise<T[]>;
  newUser(): Promise<string>;
  /** Sends the event, signed as the provider signs it. */
  /** `created`: when the provider made the event, in seconds. */
  webhook(type: string, object: object, created?: number): Promise<Answer>;
  /**
   * Makes further mails fail, or those for which the function returns an error, until called with undefined.
   */
  breakMail(error: Error | ((mail: Mail) => Error | undefined) | undefined): void;
  /** Makes further mails wait, or those to one address. */
  holdMail(until: Promise<void> | undefined, to?: string): void;
  fetchStored(url: string): Promise<Response>;
  /** What the picture of an entry code answers at its URL. */
  fetchQrPicture(url: string): Promise<Response>;
  /** What the service itself may do with stored objects. */
  readonly storage: SupabaseClient["storage"];
  /** Signs in with the token of a link. */
  signInByToken(token_hash: string): Promise<Answer>;
  close(): Promise<void>;
}

interface WorldOptions {
  /** Another server process on the same database, with the same keys. */
  readonly beside?: World;
  /** By default, mails are kept in `mails`. */
  readonly mailer?: ShopFunctionDeps["mailer"];
}

export async function openWorld({ beside, mailer }: WorldOptions = {}): Promise<World> {
  const db = beside ? sharedDatabase(beside.db.url) : await cloneDatabase();
  const services = openServices(db);
  const { sandbox } = services;
  const post = new Post();
  const keys = await newKeys();
  const wallets: World["wallets"] = {};
  const functions = openFunctions(db, services, mailer ?? post, keys.privateJwk, wallets);
  const stripe = new Stripe(payments.secretKey, {
    httpClient: Stripe.createFetchHttpClient((input, init) => sandbox.fetch(new Request(input, init))),
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const respond: World["respond"] = (name, options) => callFunction(functions, name, options);
  const call: World["call"] = async (name, options) => {
    const answer = await respond(name, options);
    return { status: answer.status, body: await answer.json() };
  };

  return {
    log,
    db,
    functions,
    sandbox,
    stripe,
    mails: post.mails,
    publicKey: keys.publicKey,
    wallets,
    call,
    respond,
    async sql<T extends Row>(text: string, ...values: unknown[]) {
      return (await db.database.asService("tests look at everything").query<T>(text, values)).rows;
    },
    async newUser() {
      const id = randomUUID();
      await db.database
        .asService("tests make users")
        .query("insert into auth.users (id, email) values ($1, $2)", [id, `${id}@people.test`]);
      return id;
    },
    async webhook(type, object, created = Math.floor(Date.now() / 1000)) {
      const event = { id: `evt_${randomUUID()}`, object: "event", created, type, data: { object } };
      const payload = JSON.stringify(event);
      const signature = await stripe.webhooks.generateTestHeaderStringAsync({
        payload,
        secret: WEBHOOK_SECRET,
      });
      return call("stripe-webhook", { body: payload, headers: { "stripe-signature": signature } });
    },
    breakMail: (error) => post.break(error),
    holdMail: (until, to) => post.hold(until, to),
    fetchStored: (url) => apiFetch(services, new Request(url)),
    fetchQrPicture(url) {
      const { pathname, search } = new URL(url);
      return respond(pathname.replace("/functions/v1/", ""), { method: "GET", query: search });
    },
    storage: createClient(SITE, SERVICE_KEY, {
      global: { fetch: (input, init) => apiFetch(services, new Request(input, init)) },
      auth: { persistSession: false, autoRefreshToken: false },
    }).storage,
    async signInByToken(token_hash) {
      const body = JSON.stringify({ type: "magiclink", token_hash });
      const answer = await apiFetch(
        services,
        new Request(`${SITE}/auth/v1/verify`, { method: "POST", body }),
      );
      return { status: answer.status, body: await answer.json() };
    },
    async close() {
      await functions.close();
      await services.close();
      await db.close();
    },
  };
}

type Services = ReturnType<typeof openServices>;

function openServices(db: TestDatabase) {
  const { database } = db;
  const directory = mkdtempSync(join(tmpdir(), "functions-test-"));
  const sandbox = createPaymentsSandbox({
    database,
    log,
    clock,
    ...payments,
    webhook: { url: `${SITE}/functions/v1/stripe-webhook`, secret: WEBHOOK_SECRET },
    publicUrl: SITE,
  });
  const rest = createRest({ database, databaseUrl: db.url, clock, log });
  const objectStore = createDiskStore(directory);
  const renders = join(directory, "renders");
  const uploads = join(directory, "uploads");
  const storage = createStorage({
    database,
    objectStore,
    renders,
    uploads,
    secret: "s".repeat(32),
    clock,
    log,
  });
  const auth = createAuth({
    database,
    tokens: createTokens("a secret for tests that is long enough", clock),
    mailer: { send: async () => {} },
    clock,
    log,
    siteUrl: SITE,
    settings: parseSettings({}),
    brand: BRAND,
    atRest: createAtRest("a key for tests that is long enough"),
    policy: { passwordCost: 4, evenAnswerMs: 0 },
  });
  return {
    sandbox,
    rest,
    storage,
    auth,
    async close() {
      await auth.close();
      await sandbox.close();
      await rest.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What the gateway does for the functions' own client. */
async function apiFetch(
  { auth, rest, storage }: Services,
  request: Request,
  visitor?: string,
): Promise<Response> {
  const address = new URL(request.url);
  const [, prefix = ""] = /^\/(auth|rest|storage)\/v1\//.exec(address.pathname) ?? [];
  const service = { auth, rest, storage }[prefix];
  if (!service) throw new Error(`the test's gateway has no ${address.pathname}`);
  address.pathname = address.pathname.replace(/^\/\w+\/v1/, "");
  const isService = request.headers.get("authorization") === `Bearer ${SERVICE_KEY}`;
  return service.fetch(new Request(address, request), {
    ...contextOf({ role: isService ? "service_role" : "anon" }, visitor),
    reserved: visitor === undefined,
  });
}

function openFunctions(
  db: TestDatabase,
  services: Services,
  mailer: ShopFunctionDeps["mailer"],
  ticketKey: TicketKeyJwk,
  wallets: Wallets,
) {
  return createShopFunctions({
    project: PROJECT.supabase,
    database: db.database,
    apiFetch: (request, visitor) => apiFetch(services, request, visitor),
    serviceKey: SERVICE_KEY,
    anonKey: "the-anon-key",
    workers: { folder: join(tmpdir(), "no-workers-here"), apiUrl: SITE },
    payments: { ...payments, sandbox: (request) => services.sandbox.fetch(request) },
    mailer,
    isCopy: () => false,
    ticketKey,
    wallets,
    siteUrl: () => SITE,
    mailedLinkMinutes: 60,
    alertsTo: "organizers@shop.test",
    bounceSecret: "a-secret-of-the-mail-server",
    clock,
    log,
  });
}

function callFunction(
  functions: FunctionsService,
  name: string,
  { as, session, aal, body, headers, ip, method = "POST", query = "" }: CallOptions = {},
): Promise<Response> {
  const payload = typeof body === "string" ? body : JSON.stringify(body ?? {});
  const request = new Request(`${SITE}/${name}${query}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(method === "POST" && { body: payload }),
  });
  return functions.fetch(request, contextOf(claimsOf(as, session, aal), ip));
}

/** Keeps the mails it is given, fails or waits, as a test decides. */
class Post {
  readonly mails: Mail[] = [];
  #error: Parameters<World["breakMail"]>[0];
  #held: Promise<void> | undefined;
  #heldTo: string | undefined;

  async send(mail: Mail): Promise<void> {
    if (mail.to === (this.#heldTo ?? mail.to)) await this.#held;
    const error = typeof this.#error === "function" ? this.#error(mail) : this.#error;
    if (error) throw error;
    this.mails.push(mail);
  }

  break(error: Parameters<World["breakMail"]>[0]): void {
    this.#error = error;
  }

  hold(until: Promise<void> | undefined, to?: string): void {
    this.#held = until;
    this.#heldTo = to;
  }
}

function sharedDatabase(url: string): TestDatabase {
  const database = openDatabase(url);
  return { url, database, close: () => database.close() };
}

function claimsOf(as: string | undefined, session: string | undefined, aal: string | undefined): Claims {
  if (as === undefined) return { role: "anon" };
  return as === "service"
    ? { role: "service_role" }
    : { role: "authenticated", sub: as, ...(session && { session_id: session }), ...(aal && { aal }) };
}

function contextOf(claims: Claims, ip = "192.0.2.1"): ServiceContext {
  return { requestId: "test", claims, token: undefined, ip, apiUrl: SITE };
}

async function newKeys(): Promise<{ privateJwk: TicketKeyJwk; publicKey: TicketKey }> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("Ed25519 keys come in pairs");
  return {
    privateJwk: await crypto.subtle.exportKey("jwk", pair.privateKey),
    publicKey: await importTicketKey(await crypto.subtle.exportKey("jwk", pair.publicKey)),
  };
}
