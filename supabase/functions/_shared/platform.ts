// The functions on Supabase's platform: builds deps from the environment and does what our gateway does on our own server (CORS,
// the caller's token). Anything slow to load is loaded on first use.
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { smtpMail, smtpOptions } from "contract/mail";
import { networkAddress, plainAddress } from "contract/network-address";
import { stripeKeyProblems } from "contract/shop/stripe-keys";
import { importEntryKey } from "contract/tickets/ticket-token";
import { walletsOf } from "contract/tickets/wallets";
import { sqlThrough } from "./database.ts";
import type { FunctionDeps, Handler } from "./deps.ts";
import { sameText } from "./same-text.ts";
import { createWaitingRoom } from "./waiting-room/room.ts";

declare const Deno: {
  env: { get(name: string): string | undefined };
  serve(handler: (request: Request) => Promise<Response>): unknown;
};

const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers":
    "authorization, x-client-info, apikey, content-type, idempotency-key, x-region",
  "access-control-allow-methods": "GET, POST, OPTIONS",
};

/** Serves one function until the process ends. */
export function serve(handler: Handler): void {
  const deps = platformDeps();
  Deno.serve(async (request) => {
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: corsHeaders });
    const answer = await handler(request, deps);
    for (const [name, value] of Object.entries(corsHeaders)) answer.headers.set(name, value);
    return answer;
  });
}

function platformDeps(): FunctionDeps {
  const serviceKey = required("SUPABASE_SERVICE_ROLE_KEY");
  const apiUrl = required("SUPABASE_URL");
  const supabase = createClient(apiUrl, serviceKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const line = (level: "info" | "warn" | "error") => (fields: object, message: string) =>
    console[level](message, fields);
  const hmacKey = once(() =>
    crypto.subtle.importKey("raw", bytes(serviceKey), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]),
  );
  const sql = sqlThrough(supabase);
  return {
    sql,
    supabase,
    stripe: once(async () => {
      const { default: StripeClient } = await import("stripe");
      return new StripeClient(required("STRIPE_SECRET_KEY"), {
        maxNetworkRetries: 2,
        timeout: 10_000,
      });
    }),
    payments: paymentKeys(),
    room: createWaitingRoom({
      call: (visits, pace) => sql("visit_waiting_room", { visits, pace }),
      now: Date.now,
      onReportFailure: (error) => line("warn")({ err: error }, "pace not reported"),
    }),
    caller: (request) => callerOf(supabase, serviceKey, bearer(request)),
    isService: async (request) => sameText(bearer(request) ?? "", serviceKey),
    address: ({ headers }) => {
      const said = headers.get("cf-connecting-ip") ?? headers.get("x-forwarded-for")?.split(",").at(-1);
      const address = plainAddress(said?.trim() ?? "");
      return address === undefined ? "unknown" : networkAddress(address);
    },
    sha256: async (text) => hex(await crypto.subtle.digest("SHA-256", bytes(text))),
    hmac: async (text) => hex(await crypto.subtle.sign("HMAC", await hmacKey(), bytes(text))),
    sendMail: smtpSender(),
    print: undefined,
    signingKey: once(() => importEntryKey(JSON.parse(required("TICKET_SIGNING_KEY")))),
    wallets: () => walletsOf((name) => Deno.env.get(name)),
    // pg_cron calls drain-outbox every few seconds.
    outboxFilled: () => {},
    giveWay: async () => {},
    siteUrl: required("SITE_URL").replace(/\/+$/, ""),
    functionsUrl: `${apiUrl}/functions/v1`,
    mailedLinkMinutes: Number(Deno.env.get("MAILER_OTP_EXP") ?? 3600) / 60, // the platform's default
    alertsTo: Deno.env.get("ALERT_EMAIL"),
    bounceSecret: Deno.env.get("BOUNCE_SECRET"),
    now: () => Date.now(),
    log: { info: line("info"), warn: line("warn"), error: line("error") },
  };
}

/** Throws, so that no function starts, if a key is in another's place. */
function paymentKeys(): FunctionDeps["payments"] {
  const publishableKey = Deno.env.get("STRIPE_PUBLISHABLE_KEY");
  const webhookSecret = Deno.env.get("STRIPE_WEBHOOK_SECRET");
  const secretKey = Deno.env.get("STRIPE_SECRET_KEY");
  const [problem] = stripeKeyProblems({ secretKey, publishableKey, webhookSecret });
  if (problem !== undefined) throw new Error(problem);
  return { publishableKey: publishableKey ?? "", webhookSecret: webhookSecret ?? "", sandbox: false };
}

/** One pool of connections for as long as the worker lives. */
function smtpSender(): FunctionDeps["sendMail"] {
  const transport = once(async () => {
    const { createTransport } = await import("nodemailer");
    return createTransport({ url: required("SMTP_URL"), ...smtpOptions });
  });
  return async (mail) => void (await (await transport()).sendMail(smtpMail(mail, required("MAIL_FROM"))));
}

async function callerOf(
  supabase: SupabaseClient,
  serviceKey: string,
  token: string | undefined,
): ReturnType<FunctionDeps["caller"]> {
  if (token === undefined || token === serviceKey) return null;
  const { data } = await supabase.auth.getClaims(token);
  if (!data || data.claims.role !== "authenticated") return null;
  const { sub, email, session_id, aal } = data.claims;
  return { userId: sub, email, sessionId: session_id, aal };
}

const bytes = (text: string) => new TextEncoder().encode(text);

function hex(buffer: ArrayBuffer): string {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function required(name: string): string {
  const value = Deno.env.get(name);
  if (value === undefined || value === "") throw new Error(`The secret ${name} is not set`);
  return value;
}

function bearer(request: Request): string | undefined {
  return request.headers.get("authorization")?.match(/^Bearer (.+)$/i)?.[1];
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
