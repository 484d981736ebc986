// For tests of realtime: the service on a real HTTP server with its own database, and official clients to use it.
import { getRequestListener } from "@hono/node-server";
import {
  createClient,
  REALTIME_SUBSCRIBE_STATES,
  type RealtimeChannel,
  type SupabaseClient,
} from "@supabase/supabase-js";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, afterEach, expect, vi } from "vitest";
import { cloneDatabase, type TestDatabase } from "./database.ts";
import type { SilentLink } from "./silent-link.ts";
import { systemClock } from "../src/platform/clock.ts";
import { type Claims, createTokens } from "../src/platform/keys/jwt.ts";
import { createLog } from "../src/platform/log.ts";
import { createRealtime, type Realtime, type RealtimeDeps } from "../src/realtime/index.ts";

export const alice = "00000000-0000-4000-8000-00000000000a";
export const bob = "00000000-0000-4000-8000-00000000000b";
export const person = (sub: string): Claims => ({ role: "authenticated", sub });

const tokens = createTokens("a-test-secret-of-at-least-32-characters", systemClock);
const later = () => Math.floor(Date.now() / 1000) + 3600;
export const sign = (claims: Claims) => tokens.sign({ exp: later(), ...claims });

export type TestServer = Awaited<ReturnType<typeof startRealtime>>;

/** A server for all tests of a file, without sockets after each: `const server = await useRealtime()` at the top. */
export async function useRealtime(...options: Parameters<typeof startRealtime>): Promise<TestServer> {
  const server = await startRealtime(...options);
  afterEach(() => server.disconnectAll());
  afterAll(() => server.close());
  return server;
}

export async function startRealtime(
  limits: RealtimeDeps["limits"] = {},
  {
    link,
    database,
    ...options
  }: Partial<Pick<RealtimeDeps, "anonymousBroadcast" | "replicationSilence" | "peerSilence" | "log">> & {
    /** The link that replication uses instead of a direct connection. */
    link?: SilentLink;
    /** Another server's database, which that server closes; its own by default. */
    database?: TestDatabase;
  } = {},
) {
  const db = database ?? (await cloneDatabase());
  const anonKey = sign({ role: "anon" });
  const realtime = createRealtime({
    database: db.database,
    replicationUrl: link?.url(db.url) ?? db.url,
    tokens,
    clock: systemClock,
    log: createLog("silent"),
    limits,
    ...options,
  });
  const server = serve(realtime, anonKey);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const clients: SupabaseClient[] = [];
  const open = async (accessToken: (() => Promise<string>) | undefined, version?: string, through = url) => {
    const client = createClient(through, anonKey, {
      ...(accessToken ? { accessToken } : {}),
      auth: { persistSession: false, autoRefreshToken: false },
      ...(version ? { realtime: { vsn: version } } : {}),
    });
    clients.push(client);
    await client.realtime.setAuth(); // a join before the client has fetched its token would carry none
    return client;
  };

  return {
    url,
    /** For a second server process on it. */
    database: db,
    socketUrl: `${url.replace("http", "ws")}/realtime/v1/websocket`,
    anonKey,
    sql: (text: string, values?: unknown[]) =>
      db.database.asService("the test changes rows").query(text, values),
    transaction: db.database.asService("the test rolls back").transaction,

    /** A visitor's client, or one with these claims. */
    async connect(claims?: Claims, version?: string, through = url): Promise<SupabaseClient> {
      const token = claims && sign(claims);
      return open(token === undefined ? undefined : async () => token, version, through);
    },

    /**
     * A client whose token is replaced, as a sign-in does. A token given to `setAuth` directly lasts only until the next
     * heartbeat, when the client fetches its own again.
     */
    async connectRenewing(first: string) {
      let token = first;
      const client = await open(async () => token);
      const renew = (next: string) => {
        token = next;
        return client.realtime.setAuth();
      };
      return { client, renew };
    },

    async disconnectAll() {
      for (const client of clients.splice(0)) {
        await client.removeAllChannels();
        await client.realtime.disconnect();
      }
    },

    async close() {
      await realtime.close();
      server.close();
      link?.close();
      if (!database) await db.close();
    },
  };
}

/** What the gateway does: checks the token and removes the prefix. */
function serve(realtime: Realtime, anonKey: string): Server {
  const server = createServer(
    getRequestListener(async (request) => {
      const address = new URL(request.url);
      const token = request.headers.get("authorization")?.slice("Bearer ".length) ?? anonKey;
      const claims = await tokens.verify(token);
      if (typeof claims === "string") throw new Error(claims);
      address.pathname = address.pathname.replace(/^\/realtime\/v1/, "");
      const context = { requestId: "test", claims, token, ip: "127.0.0.1", apiUrl: address.origin };
      return realtime.fetch(new Request(address, request), context);
    }),
  );
  server.on("upgrade", (request, socket, head) =>
    realtime.handleUpgrade(request, socket, head, { ip: "127.0.0.1" }),
  );
  return server;
}

/** Resolves once subscribed, or rejects with the reason. */
export const subscribed = (channel: RealtimeChannel) =>
  new Promise<RealtimeChannel>((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED) resolve(channel);
      else reject(error ?? new Error(status));
    });
  });

/** Simulates what a busy machine does to a process: it is suspended for a while. */
export const standStill = (milliseconds: number) =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

export const waitFor = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 20_000, interval: 10 });

export interface Feed {
  readonly events: any[];
  readonly system: any[];
  readonly channel: RealtimeChannel;
}

/** Subscribes to changes and waits until they flow, or are refused in a system message. */
export async function follow(
  client: SupabaseClient,
  filter: { table?: string; event?: "*" | "INSERT" | "UPDATE" | "DELETE"; filter?: string },
  topic = "feed",
): Promise<Feed> {
  const feed: Feed = { events: [], system: [], channel: client.channel(topic) };
  const { event = "*", ...rest } = filter;
  feed.channel
    .on("postgres_changes", { event: event as "*", schema: "public", ...rest }, (change) =>
      feed.events.push(change),
    )
    .on("system", {}, (message) => feed.system.push(message));
  await subscribed(feed.channel);
  await waitFor(() => expect(feed.system.length).toBeGreaterThan(0));
  return feed;
}
