// For tests of the payments sandbox: sandboxes over real HTTP on loopback, driven by the official SDK and by a browser's fetch, and
// a shop that receives webhooks.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve, type ServerType } from "@hono/node-server";
import Stripe from "stripe";
import { afterAll } from "vitest";
import { cloneDatabase } from "../../server/testing/database.ts";
import { systemClock } from "../../server/src/platform/clock.ts";
import { createLog } from "../../server/src/platform/log.ts";
import type { Database } from "../../server/src/postgres/database.ts";
import { createPaymentsSandbox, type PaymentsSandbox } from "../src/index.ts";

export const SECRET_KEY = "sk_test_sandbox_1";
export const PUBLISHABLE_KEY = "pk_test_sandbox_1";
const WEBHOOK_SECRET = "whsec_test";

export const CARD = {
  success: "4242424242424242",
  declined: "4000000000000002",
  insufficientFunds: "4000000000009995",
  expired: "4000000000000069",
  wrongCvc: "4000000000000127",
  challenge: "4000002760003184",
  challengeThenDeclined: "4000008400001629",
  late: "4000000000000077",
  lateThenDeclined: "4000000000000259",
} as const;

export interface WebhookReceiver {
  readonly url: string;
  /** Verified events in the order they arrived. */
  readonly events: Stripe.Event[];
  /** What to answer next; 200 when the list is empty. */
  readonly answers: number[];
  close(): Promise<void>;
}

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const events: Stripe.Event[] = [];
  const answers: number[] = [];
  const stripe = new Stripe("sk_test_sandbox_unused");
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const status = answers.shift() ?? 200;
      try {
        const signature = request.headers["stripe-signature"] as string;
        const event = await stripe.webhooks.constructEventAsync(
          Buffer.concat(chunks),
          signature,
          WEBHOOK_SECRET,
        );
        if (status === 200) events.push(event);
        response.writeHead(status).end();
      } catch {
        response.writeHead(400).end();
      }
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: origin(server), events, answers, close: () => closed(server) };
}

export interface RunningSandbox {
  readonly sandbox: PaymentsSandbox;
  readonly origin: string;
  readonly stripe: Stripe;
  /** As a page does: publishable key, form encoding. */
  browser(
    method: string,
    path: string,
    form?: Record<string, string>,
  ): Promise<{ status: number; body: any }>;
  close(): Promise<void>;
}

export async function openSandbox(
  database: Database,
  webhookUrl: string,
  options: { start?: boolean; lateSeconds?: number } = {},
): Promise<RunningSandbox> {
  const sandbox = createPaymentsSandbox({
    database,
    log: createLog("silent"),
    clock: systemClock,
    webhook: { url: webhookUrl, secret: WEBHOOK_SECRET },
    secretKey: SECRET_KEY,
    publishableKey: PUBLISHABLE_KEY,
    lateSeconds: options.lateSeconds ?? 0.2,
  });
  if (options.start ?? true) sandbox.start();
  const server = await new Promise<ServerType>((ready) => {
    const opened: ServerType = serve({ fetch: sandbox.fetch, hostname: "127.0.0.1", port: 0 }, () =>
      ready(opened),
    );
  });
  const base = origin(server as Server);
  return {
    sandbox,
    origin: base,
    stripe: connect(base),
    async browser(method, path, form = {}) {
      const text = new URLSearchParams(form).toString();
      const response = await fetch(`${base}${path}${method === "GET" ? `?${text}` : ""}`, {
        method,
        headers: { authorization: `Bearer ${PUBLISHABLE_KEY}` },
        ...(method === "GET" ? {} : { body: new URLSearchParams(form) }),
      });
      return { status: response.status, body: await response.json() };
    },
    async close() {
      await sandbox.close();
      await closed(server as Server);
    },
  };
}

/** A shop and a sandbox on their own database, for all tests of a file: `const { shop, running } = await useSandbox()` at the top. */
export async function useSandbox() {
  const db = await cloneDatabase();
  const shop = await openWebhookReceiver();
  const running = await openSandbox(db.database, shop.url);
  afterAll(async () => {
    await running.close();
    await shop.close();
    await db.close();
  });
  return { db, shop, running };
}

/** The SDK as the server uses it, without retries by default. */
export function connect(base: string, options: { key?: string; retries?: number } = {}): Stripe {
  const { hostname, port } = new URL(base);
  return new Stripe(options.key ?? SECRET_KEY, {
    host: hostname,
    port: Number(port),
    protocol: "http",
    maxNetworkRetries: options.retries ?? 0,
    telemetry: false,
  });
}

/** The fields of a card form. */
export const cardForm = (number: string): Record<string, string> => ({
  "payment_method_data[type]": "card",
  "payment_method_data[card][number]": number,
  "payment_method_data[card][exp_month]": "12",
  "payment_method_data[card][exp_year]": String(new Date().getUTCFullYear() + 2),
  "payment_method_data[card][cvc]": "123",
});

export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const giveUp = Date.now() + 15_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > giveUp) throw new Error("It did not happen within 15 seconds");
    await new Promise((done) => setTimeout(done, 20));
  }
}

const origin = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
}
