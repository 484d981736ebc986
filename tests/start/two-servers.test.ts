// Two server processes on one external PostgreSQL, as an owner who may create no roles: what happens through one is visible
// through the other. The PostgreSQL is one of ours, unless OUTSIDE_DATABASE_URL gives another one's superuser address.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Cluster, startCluster } from "../../server/src/postgres/cluster/cluster.ts";
import { quickFolder } from "../../server/testing/quick-folder.ts";
import { cartOf, type CatalogItem, GENERAL_ADMISSION } from "../../shop/testing/cart.ts";
import { createApi } from "../crash/api.ts";
import { visitorClient } from "../support/server/clients.ts";
import {
  type Festival,
  removeFolder,
  runFestivalToItsEnd,
  startFestival,
} from "../support/server/festival.ts";

const folder = quickFolder("festival-");
let cluster: Cluster | undefined;
let url: string;
let refused: { code: number | null; output: string };
let first: Festival;
let second: Festival;
let database: Client;

beforeAll(async () => {
  const superuser = await outsideDatabase();
  url = await ownedDatabase(superuser);
  const env = { DATABASE_URL: url };
  const start = (name: string) => startFestival({ dataDir: join(folder, name), env });

  refused = await runFestivalToItsEnd({ dataDir: join(folder, "first"), env });
  database = await connect(superuser, "shop");
  await database.query(statementsIn(refused.output).join("\n"));
  first = await start("first");
  mkdirSync(join(folder, "second"));
  copyFileSync(join(folder, "first/secrets.json"), join(folder, "second/secrets.json"));
  second = await start("second");
});
afterAll(async () => {
  await database?.end();
  await Promise.all([first?.stop(), second?.stop()]);
  await cluster?.stop();
  removeFolder(folder);
});

/** The superuser's address. */
async function outsideDatabase(): Promise<string> {
  if (process.env.OUTSIDE_DATABASE_URL) return process.env.OUTSIDE_DATABASE_URL;
  cluster = await startCluster(join(folder, "postgres"));
  const access = [
    "local all postgres trust",
    "local all all scram-sha-256",
    "local replication all scram-sha-256",
  ];
  writeFileSync(join(folder, "postgres/pg_hba.conf"), access.join("\n"));
  return cluster.url;
}

async function ownedDatabase(superuser: string): Promise<string> {
  const server = await connect(superuser);
  await server.query("select pg_reload_conf()");
  await server.query("create role shop_owner login replication password 'swangas'");
  await server.query("create database shop owner shop_owner");
  await server.end();
  return Object.assign(new URL(superuser), { username: "shop_owner", password: "swangas", pathname: "/shop" })
    .href;
}

async function connect(address: string, name?: string): Promise<Client> {
  const to = new URL(address);
  if (name) to.pathname = `/${name}`;
  const client = new Client({ connectionString: to.href });
  await client.connect();
  return client;
}

const statementsIn = (output: string): string[] =>
  output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(create|alter|grant) .*;$/.test(line));

it("refuses an owner who may not create the roles, with what a superuser must run so that it can start", () => {
  expect(refused.code).toBe(1);
  expect(refused.output).toContain("DATABASE_URL's user shop_owner may not set up the database shop.");
  const statements = statementsIn(refused.output);
  expect(statements).toContain("create role service_role nologin noinherit bypassrls;");
  expect(statements).toContain("grant authenticator to api_server;");
  // The secret itself stays with the server.
  expect(refused.output).toMatch(/create role authenticator login noinherit password 'SCRAM-SHA-256\$/);
});

it("accepts the address that status prints, and owns nothing there while it serves", async () => {
  expect(first.status.DB_URL).toBe(url);
  expect(second.status.ANON_KEY).toBe(first.status.ANON_KEY);
  const users = async () => {
    const { rows } = await database.query<{ usename: string }>(
      "select distinct usename from pg_stat_activity where application_name = 'server' order by 1",
    );
    return rows.map(({ usename }) => usename);
  };
  // The connections that set the database up may still be closing.
  await expect.poll(users).toEqual(["api_server", "authenticator"]);
});

it("sells through one what the other confirms, and shows every change on both", async () => {
  const account = { email: "crossing@people.test", password: "swangas and vogues" };
  const here = createApi(() => first.status, { reached() {} });
  const there = createApi(() => second.status, { reached() {} });
  expect((await here.addAccount(account)).status).toBe(200);
  const [buyer, sameBuyer] = [here.person(account), there.person(account)];

  const watcher = visitorClient(second.status);
  const seen: number[] = [];
  const channel = watcher
    .channel("stock")
    .on(
      "postgres_changes",
      { event: "UPDATE", schema: "public", table: "products" },
      (change: { new: { sold: number } }) => seen.push(change.new.sold),
    );
  const flowing = new Promise<void>((resolve) => {
    channel.on("system", {}, () => resolve());
  });
  channel.subscribe();
  await flowing;

  const { rows: items } = await database.query<CatalogItem>(GENERAL_ADMISSION);
  const placed = await buyer.call("create-payment-intent", cartOf([items[0]!, 2]), "crossing-key-1");
  expect(placed.status).toBe(200);
  const { paymentIntentId, clientSecret, orderId } = placed.body;
  const form = { client_secret: clientSecret, payment_method: "pm_card_visa" };
  expect((await sameBuyer.provider(`payment_intents/${paymentIntentId}/confirm`, form)).status).toBe(200);
  expect((await sameBuyer.call("process-payment", { paymentIntentId })).status).toBe(200);
  const { rows: orders } = await database.query("select status from public.orders where id = $1", [orderId]);
  expect(orders).toEqual([{ status: "confirmed" }]);
  await vi.waitFor(() => expect(seen).toContain(2), { timeout: 20_000 });
  await watcher.removeAllChannels();
});

it("lets a session of one be refreshed and ended at the other", async () => {
  const options = { auth: { persistSession: false, autoRefreshToken: false } };
  const here = createClient(first.url, first.status.ANON_KEY!, options);
  const there = createClient(second.url, second.status.ANON_KEY!, options);
  const { data } = await here.auth.signInWithPassword({
    email: "crossing@people.test",
    password: "swangas and vogues",
  });
  const refreshed = await there.auth.refreshSession({ refresh_token: data.session!.refresh_token });
  expect(refreshed.error).toBeNull();
  expect((await there.auth.signOut()).error).toBeNull();
  expect((await here.auth.getUser()).error?.name).toBe("AuthSessionMissingError");
});

it("passes broadcasts and presence from one to the other, and SQL's messages to both, once", async () => {
  const options = { auth: { persistSession: false, autoRefreshToken: false } };
  const heard: string[] = [];
  const join = async (server: Festival, name: string) => {
    const client = createClient(server.url, server.status.ANON_KEY!, options);
    await client.auth.signInWithPassword({ email: "crossing@people.test", password: "swangas and vogues" });
    const channel = client
      .channel("crossing", { config: { presence: { key: name }, broadcast: { replication_ready: true } } })
      .on("presence", { event: "sync" }, () => {})
      .on("broadcast", { event: "*" }, ({ event }) => heard.push(`${name} ${event}`));
    const ready = new Promise<void>((resolve) => {
      channel.on("system", {}, () => resolve());
    });
    channel.subscribe();
    await ready;
    await channel.track({});
    return { client, channel, present: () => Object.keys(channel.presenceState()).toSorted() };
  };
  const [here, there] = [await join(first, "here"), await join(second, "there")];
  await vi.waitFor(() => {
    for (const { present } of [here, there]) expect(present()).toEqual(["here", "there"]);
  }, 20_000);
  await here.channel.send({ type: "broadcast", event: "sent", payload: {} });
  await database.query("select realtime.send('{}', 'stored', 'crossing', false)");
  await there.channel.send({ type: "broadcast", event: "answered", payload: {} });
  await vi.waitFor(
    () => expect(heard.toSorted()).toEqual(["here answered", "here stored", "there sent", "there stored"]),
    20_000,
  );
  expect(await second.stop("SIGKILL")).toBeNull();
  await vi.waitFor(() => expect(here.present()).toEqual(["here"]), 20_000); // the other's presence is gone
  for (const { client } of [here, there]) {
    await client.removeAllChannels();
    await client.realtime.disconnect();
  }
});
