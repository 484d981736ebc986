import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { json } from "node:stream/consumers";
import { join, resolve } from "node:path";
import Stripe from "stripe";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { cloneDatabase } from "../../../server/testing/database.ts";
import { openSmtpSink } from "../../../server/testing/smtp-sink.ts";
import { systemClock } from "../../../server/src/platform/clock.ts";
import { createTokens } from "../../../server/src/platform/keys/jwt.ts";

// The functions as the platform runs them: under Deno, each in isolation, with nothing but the environment.

const root = resolve(import.meta.dirname, "../../..");
const folder = join(root, "supabase/functions");
let cache: string;
let running: ChildProcess | undefined;

beforeAll(() => {
  cache = mkdtempSync(join(tmpdir(), "deno-run-"));
});
afterAll(() => rmSync(cache, { recursive: true, force: true }));
afterEach(stop);

async function stop(): Promise<void> {
  if (!running || running.exitCode !== null || running.signalCode !== null) return;
  running.kill("SIGKILL");
  await once(running, "exit");
}

/** The function's address, once it listens. By default nothing answers at SUPABASE_URL. */
async function serve(
  name: string,
  supabaseUrl = "http://127.0.0.1:9",
  more: Record<string, string> = {},
): Promise<string> {
  const deno = spawn(
    join(root, "node_modules/.bin/deno"),
    ["run", "-A", "--no-check", "--node-modules-dir=manual", `${name}/index.ts`],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: cache,
        DENO_DIR: cache,
        DENO_NO_UPDATE_CHECK: "1",
        DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0",
        SUPABASE_URL: supabaseUrl,
        SUPABASE_SERVICE_ROLE_KEY: "service",
        STRIPE_SECRET_KEY: "sk_test_x",
        STRIPE_PUBLISHABLE_KEY: "pk_test_x",
        STRIPE_WEBHOOK_SECRET: "whsec_x",
        SITE_URL: "https://festival.example/",
        ...more,
      },
    },
  );
  running = deno;
  let said = "";
  const origin = await new Promise<string>((listening, failed) => {
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      const at = /Listening on (http:\/\/127\.0\.0\.1:\d+)\//.exec(said);
      if (at) listening(at[1]!);
    };
    deno.stdout.on("data", hear);
    deno.stderr.on("data", hear);
    deno.once("exit", (code) => failed(new Error(`deno ended with ${code}: ${said}`)));
  });
  return `${origin}/${name}`;
}

it("do not start with a secret key in the publishable key's place", async () => {
  const started = serve("payment-config", undefined, { STRIPE_PUBLISHABLE_KEY: "sk_test_x" });
  await expect(started).rejects.toThrow("STRIPE_PUBLISHABLE_KEY: must be like pk_live_");
});

it("have an import map with everything they import, since no package.json is deployed with them", () => {
  const { imports } = JSON.parse(readFileSync(join(folder, "deno.json"), "utf8")) as {
    imports: Record<string, string>;
  };
  const modules = globSync("**/*.ts", { cwd: folder }).filter((file) => !file.endsWith(".test.ts"));
  const imported = modules.flatMap((file) =>
    Array.from(
      readFileSync(join(folder, file), "utf8").matchAll(/(?:from|import\() ?"([^".][^"]*)"/g),
      ([, name]) => name!,
    ),
  );
  expect(imported).toContain("zod");
  expect(imported.filter((name) => !name.startsWith("node:") && !Object.hasOwn(imports, name))).toEqual([]);
});

it("payment-config answers a browser of another origin", async () => {
  const url = await serve("payment-config");
  const preflight = await fetch(url, { method: "OPTIONS" });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  const answer = await fetch(url, { method: "POST" });
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(await answer.json()).toEqual({ publishableKey: "pk_test_x", sandbox: false });
});

it("stripe-webhook accepts signed events and refuses forged ones", async () => {
  const url = await serve("stripe-webhook");
  const payload = JSON.stringify({
    id: "evt_1",
    object: "event",
    type: "customer.created",
    data: { object: {} },
  });
  const post = async (secret: string) => {
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
    return (await fetch(url, { method: "POST", body: payload, headers: { "stripe-signature": signature } }))
      .status;
  };
  expect(await post("whsec_x")).toBe(200);
  expect(await post("whsec_y")).toBe(400);
});

it("drain-outbox needs the service key, and gives no details about a database it cannot reach", async () => {
  const url = await serve("drain-outbox");
  const post = async (key: string) =>
    fetch(url, { method: "POST", headers: { authorization: `Bearer ${key}` } });
  expect((await post("anon")).status).toBe(403);
  const failed = await post("service");
  expect(failed.status).toBe(500);
  expect(await failed.json()).toEqual({
    error: { code: "internal_error", message: "Something went wrong on our side. Please try again." },
  });
});

it("drain-outbox sends a mail to its one address, whatever else the text contains", async () => {
  const db = await cloneDatabase();
  const service = db.database.asService("the test reads what the published API would");
  const facts = await service.query("select public.festival_facts() as content");
  await db.close();
  const addresses = ["1,victim@people.test", "ada@people.test"];
  const answers: Record<string, unknown> = {
    "/rest/v1/rpc/claim_outbox": addresses.map((email, id) => ({
      id,
      kind: "second_steps_mail",
      payload: { email },
      attempts: 1,
    })),
    "/rest/v1/rpc/festival_facts": facts.rows[0]!.content,
  };
  const api = createHttpServer((request, response) => {
    const { pathname } = new URL(request.url!, "http://api");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(answers[pathname] ?? null));
  }).listen(0, "127.0.0.1");
  await once(api, "listening");
  const sink = await openSmtpSink({ refused: "nobody@people.test" });
  const url = await serve("drain-outbox", `http://127.0.0.1:${(api.address() as AddressInfo).port}`, {
    SMTP_URL: sink.url,
    MAIL_FROM: "Festival <tickets@festival.example>",
  });
  const drained = await fetch(`${url}?lane=mail`, {
    method: "POST",
    headers: { authorization: "Bearer service" },
  });
  expect(await drained.json()).toEqual({ done: 2, failed: 0 });
  expect(sink.recipients.toSorted()).toEqual(['"1,victim"@people.test', "ada@people.test"]);
  for (const source of sink.sources) {
    expect(source).toMatch(/^Reply-To: \S+@\S+\r?$/m);
    expect(source).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
  }
  await stop();
  api.close();
  await sink.close();
});

it("order-documents draws the document itself, since the platform has no threads", async () => {
  const db = await cloneDatabase();
  const service = db.database.asService("the test reads what the published API would");
  const festival = await service.query("select public.get_festival() as content");
  await db.close();
  const user = { id: randomUUID(), email: "ada@people.test" };
  const order = {
    ...{ id: randomUUID(), user_id: user.id, created_at: "2025-05-01T12:00:00Z", status: "confirmed" },
    ...{ confirmed_at: "2025-05-01T12:00:00Z", buyer_full_name: "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ", buyer_email: user.email },
    ...{ total_amount: 45, discount_amount: 0, promo_code: null, fee_amount: 0, fee_name: null },
    ...{ order_items: [], payments: [], refunds: [] },
  };
  const answers: Record<string, unknown> = {
    "/auth/v1/user": user,
    "/rest/v1/rpc/usable_sessions": [true],
    "/rest/v1/rpc/consume_rate_limit": true,
    "/rest/v1/rpc/read_order": order,
    "/rest/v1/rpc/get_festival": festival.rows[0]!.content,
  };
  const api = createHttpServer((request, response) => {
    const { pathname } = new URL(request.url!, "http://api");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(answers[pathname] ?? null));
  }).listen(0, "127.0.0.1");
  await once(api, "listening");
  const url = await serve("order-documents", `http://127.0.0.1:${(api.address() as AddressInfo).port}`);
  const tokens = createTokens("a secret of at least thirty-two characters", systemClock);
  const token = tokens.signWithSecret({ role: "authenticated", sub: user.id, exp: 4_000_000_000 });
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ orderId: order.id, document: "receipt" }),
  });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  expect(Buffer.from(await answer.arrayBuffer()).toString("latin1")).toMatch(/^%PDF-1\.7/);
  await stop();
  api.close();
});

it("a form counts for the address set by the platform's proxy", async () => {
  const counted: string[] = [];
  const database = createHttpServer(async (request, response) => {
    const { p_key: key } = (await json(request)) as { p_key: string };
    counted.push(key);
    response.writeHead(200, { "content-type": "application/json" }).end("false");
  }).listen(0, "127.0.0.1");
  await once(database, "listening");
  const url = await serve(
    "submit-sponsor-inquiry",
    `http://127.0.0.1:${(database.address() as AddressInfo).port}`,
  );
  const form = {
    companyName: "Slab Culture",
    contactName: "Dee",
    email: "dee@sponsor.test",
    phone: "713-555-0100",
  };
  const send = (headers: Record<string, string>) =>
    fetch(url, {
      method: "POST",
      body: JSON.stringify(form),
      headers: { "content-type": "application/json", ...headers },
    });
  const claimed = "6.6.6.6, 198.51.100.7";
  expect((await send({ "cf-connecting-ip": "203.0.113.5", "x-forwarded-for": claimed })).status).toBe(429);
  expect((await send({ "x-forwarded-for": claimed })).status).toBe(429);
  expect((await send({ "cf-connecting-ip": "2001:db8:1:2:a:b:c:d" })).status).toBe(429);
  database.close();
  const addresses = ["203.0.113.5", "198.51.100.7", "2001:db8:1:2::"];
  expect(counted).toEqual(addresses.map((address) => `sponsor-inquiry:${address}`));
});
