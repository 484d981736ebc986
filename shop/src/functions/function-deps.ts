// What the functions receive on our own server instead of the platform: clients that call in process, batching, and the caller
// identified by the gateway. Loads the two SDKs on first use.
import { createHash, createHmac } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { importEntryKey, type TicketKeyJwk } from "contract/tickets/ticket-token";
import type { Wallets } from "contract/tickets/wallets";
import type Stripe from "stripe";
import type { Answer, Arguments, Sql, SqlFunction } from "../../../supabase/functions/_shared/database.ts";
import type { FunctionDeps } from "../../../supabase/functions/_shared/deps.ts";
import type { Cart } from "../../../supabase/functions/_shared/reservation.ts";
import { type CallContext, visiting } from "../../../server/src/functions/handlers.ts";
import type { Clock } from "../../../server/src/platform/clock.ts";
import type { Log } from "../../../server/src/platform/log.ts";
import type { Mailer } from "../../../server/src/platform/mail.ts";
import { onFirstUse } from "../../../server/src/platform/on-first-use.ts";
import { batched, onePer } from "../../../server/src/postgres/batched.ts";
import type { Database } from "../../../server/src/postgres/database.ts";
import type { PrintingThreads } from "./documents/printing-threads.ts";
import { connectSql, type SqlConnections } from "./queries.ts";
import { createReservationQueue } from "./reservation-queue.ts";
import { createBatchedRoom } from "./room.ts";
import { createSaleFirst, type SaleFirst } from "./sale-first.ts";

export interface ShopFunctionDeps {
  readonly database: Database;
  /**
   * Our own API without the network: handles the requests that a client would send to the gateway. `visitor` is the address of
   * the visitor for whom a request is made.
   */
  readonly apiFetch: (request: Request, visitor?: string) => Promise<Response>;
  readonly serviceKey: string;
  readonly payments: {
    readonly secretKey: string;
    readonly publishableKey: string;
    readonly webhookSecret: string;
    /** Answers Stripe's API in process; without it, the SDK calls Stripe. */
    readonly sandbox?: (request: Request) => Promise<Response>;
  };
  readonly mailer: Pick<Mailer, "send">;
  /** Asked for each cart. The shop that a copy was made from may be selling the same tickets. */
  readonly isCopy: () => boolean;
  /** The private Ed25519 key that signs entry codes. */
  readonly ticketKey: TicketKeyJwk;
  readonly wallets: Wallets;
  /** The address of site and API, without a trailing slash. Called on first use, when the port is open. */
  readonly siteUrl: () => string;
  /** How long the auth service's mailed links work. */
  readonly mailedLinkMinutes: number;
  /** The address that is notified when a paid order could not be fulfilled. */
  readonly alertsTo: string;
  /** BOUNCE_SECRET. */
  readonly bounceSecret: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Every order checks its session. In a rush, buyers share a few queries instead of each taking a connection. */
const MOST_SESSIONS = 1000;
/** Fewer, because each is locked until the last one is counted. */
const MOST_LIMITS = 64;

/** `confirm_orders` accepts no more in one call. */
const MOST_PAYMENTS = 64;

/** One element of its `payments`. */
interface Payment {
  readonly order_id: string;
}

const COPY_SELLS_NOTHING = {
  ok: false,
  code: "sales_closed",
  message: "This is a copy of our shop and takes no orders.",
} as const;

/** The deps of every call, except those that identify the caller. */
export type SharedDeps = Omit<FunctionDeps, "caller" | "isService" | "address" | "print" | "log">;

/** Runs on the first call of any function. `outboxFilled` is called when the outbox has new work. */
export async function sharedDeps(
  deps: ShopFunctionDeps,
  outboxFilled: SharedDeps["outboxFilled"],
): Promise<SharedDeps> {
  const { payments, mailer, clock } = deps;
  const siteUrl = deps.siteUrl();
  const stripe = onFirstUse(() => openStripe(payments));
  const key = onFirstUse(() => importEntryKey(deps.ticketKey));
  const sql = connectSql(deps.database);
  const saleFirst = createSaleFirst();
  return {
    sql: sharingCalls(sql, saleFirst, deps),
    supabase: await connect(siteUrl, deps),
    stripe: () => stripe.get(),
    payments: {
      publishableKey: payments.publishableKey,
      webhookSecret: payments.webhookSecret,
      sandbox: payments.sandbox !== undefined,
    },
    room: createBatchedRoom(
      (visits, pace) => sql.urgent("visit_waiting_room", { visits, pace }),
      () => clock.now(),
      (error) => deps.log.warn({ err: error }, "the sale's pace was not reported"),
    ),
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
    hmac: (text) => createHmac("sha256", deps.serviceKey).update(text).digest("hex"),
    sendMail: (mail) => mailer.send(mail),
    signingKey: () => key.get(),
    wallets: () => deps.wallets,
    outboxFilled,
    giveWay: (pieces) => saleFirst.giveWay(pieces),
    siteUrl,
    functionsUrl: `${siteUrl}/functions/v1`,
    mailedLinkMinutes: deps.mailedLinkMinutes,
    alertsTo: deps.alertsTo,
    bounceSecret: deps.bounceSecret,
    now: () => clock.now(),
  };
}

/** In a rush, many buyers call these at once: their calls share a statement. */
function sharingCalls(
  { inTurn, forAll, urgent }: SqlConnections,
  saleFirst: SaleFirst,
  { isCopy }: ShopFunctionDeps,
): Sql {
  const queue = createReservationQueue((carts) => urgent("reserve_in_turn", { carts }));
  const reserve = async (cart: Cart) => (isCopy() ? COPY_SELLS_NOTHING : queue(cart));
  const confirm = batched({
    run: (payments: readonly Payment[]) => urgent("confirm_orders", { payments }),
    most: MOST_PAYMENTS,
    // The provider and the buyer report the same payment: the second report finds it confirmed.
    admission: onePer(({ order_id }) => order_id),
  });
  const isUsable = batched({
    run: (sessions: readonly unknown[]) => forAll("usable_sessions", { p_sessions: sessions }),
    most: MOST_SESSIONS,
  });
  const isWithinLimit = batched({
    run: (asked: readonly unknown[]) => forAll("consume_subject_limits", { p_asked: asked }),
    most: MOST_LIMITS,
  });
  const shared: { [Name in SqlFunction]?: (args: Arguments<Name>) => Promise<Answer<Name>> } = {
    reserve_in_turn: async ({ carts }) => Promise.all((carts as Cart[]).map(reserve)),
    confirm_orders: async ({ payments }) => Promise.all((payments as Payment[]).map(confirm)),
    consume_subject_limits: async ({ p_asked }) => Promise.all((p_asked as unknown[]).map(isWithinLimit)),
    usable_sessions: async ({ p_sessions }) => Promise.all((p_sessions as unknown[]).map(isUsable)),
  };
  return (name, args) => {
    const share = shared[name];
    return share ? saleFirst.serve(() => share(args)) : inTurn(name, args);
  };
}

/** Adds the caller identified by the gateway. */
export function depsOfCall(
  shared: SharedDeps,
  log: Log,
  printing: PrintingThreads,
  { claims, ip, requestId }: CallContext,
): FunctionDeps {
  const { role, sub, email, session_id: sessionId } = claims;
  const known = { requestId, caller: { role, id: sub } };
  const aal = typeof claims["aal"] === "string" ? claims["aal"] : undefined;
  return {
    ...shared,
    caller: async () =>
      role === "authenticated" && sub !== undefined ? { userId: sub, email, sessionId, aal } : null,
    isService: async () => role === "service_role",
    address: () => ip,
    print: (job) => printing.print(job, { ip, account: sub ?? "" }),
    log: {
      info: (fields, message) => log.info({ ...known, ...fields }, message),
      warn: (fields, message) => log.warn({ ...known, ...fields }, message),
      error: (fields, message) => log.error({ ...known, ...fields }, message),
    },
  };
}

async function connect(siteUrl: string, { apiFetch, serviceKey }: ShopFunctionDeps): Promise<SupabaseClient> {
  const { createClient } = await import("@supabase/supabase-js");
  return createClient(siteUrl, serviceKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: (input, init) => apiFetch(new Request(input, init), visiting.getStore()) },
  });
}

async function openStripe({ secretKey, sandbox }: ShopFunctionDeps["payments"]): Promise<Stripe> {
  const { default: StripeClient } = await import("stripe");
  return new StripeClient(secretKey, {
    maxNetworkRetries: 2,
    timeout: 10_000,
    ...(sandbox && {
      httpClient: StripeClient.createFetchHttpClient((input, init) => sandbox(new Request(input, init))),
      telemetry: false,
    }),
  });
}
