// The functions on Supabase's platform: deps from the environment, and what our own gateway does elsewhere (CORS, the
// caller's token). Everything that costs time to load is loaded when it is first needed.
import { createClient } from "@supabase/supabase-js";
import { festival } from "contract/festival";
import { importTicketKey } from "contract/ticket-token";
import type { FunctionDeps, Handler, Mail } from "./deps.ts";
import { createPace, type PaceReport } from "./pace.ts";
import { placeKeyFrom } from "./place.ts";
import type { Reservation } from "./reservation.ts";
import { rpc } from "./rpc.ts";
import type { RoomState, Visit } from "./waiting-room.ts";

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

/** Serves one function for ever. */
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
  const supabase = createClient(required("SUPABASE_URL"), serviceKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const line = (level: "info" | "warn" | "error") => (fields: object, message: string) =>
    console[level](message, fields);
  let roomOpen = false;
  const visit = async (visits: readonly Visit[], report: PaceReport) => {
    const room = await rpc<RoomState>(supabase, "visit_waiting_room", { visits, pace: report });
    roomOpen = room.open;
    return room.answers;
  };
  const pace = createPace(Date.now, (report) => {
    visit([], report).catch((error: unknown) => line("warn")({ err: error }, "pace not reported"));
  });
  return {
    supabase,
    stripe: once(async () => {
      const { default: StripeClient } = await import("stripe");
      return new StripeClient(required("STRIPE_SECRET_KEY"), {
        maxNetworkRetries: 2,
        timeout: 10_000,
      });
    }),
    payments: {
      publishableKey: Deno.env.get("STRIPE_PUBLISHABLE_KEY") ?? "",
      webhookSecret: Deno.env.get("STRIPE_WEBHOOK_SECRET") ?? "",
      sandbox: false,
    },
    async reserve(cart) {
      const [reservation] = await rpc<Reservation[]>(supabase, "reserve_in_turn", { carts: [cart] });
      if (!reservation) throw new Error("reserve_in_turn gave no answer");
      return reservation;
    },
    pace,
    room: {
      visit: async (visitor) => (await visit([visitor], pace.report()))[0],
      get open() {
        return roomOpen;
      },
    },
    placeKey: once(() => placeKeyFrom(serviceKey)),
    async caller(request) {
      const token = bearer(request);
      if (token === undefined || token === serviceKey) return null;
      const { data } = await supabase.auth.getClaims(token);
      if (!data || data.claims.role !== "authenticated") return null;
      return { userId: data.claims.sub, email: data.claims.email };
    },
    isService: async (request) => sameText(bearer(request) ?? "", serviceKey),
    address: (request) => request.headers.get("x-forwarded-for")?.split(",")[0]?.trim() ?? "unknown",
    sha256,
    sendMail,
    signingKey: once(() => importTicketKey(JSON.parse(required("TICKET_SIGNING_KEY")))),
    // pg_cron calls drain-outbox every few seconds.
    outboxFilled: () => {},
    siteUrl: required("SITE_URL").replace(/\/+$/, ""),
    alertsTo: Deno.env.get("ALERT_EMAIL") ?? festival.contact.email,
    now: () => Date.now(),
    log: { info: line("info"), warn: line("warn"), error: line("error") },
  };
}

async function sendMail(mail: Mail): Promise<void> {
  const { createTransport } = await import("nodemailer");
  await createTransport(required("SMTP_URL")).sendMail({
    from: required("MAIL_FROM"),
    to: mail.to,
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    attachments: mail.attachments?.map((part) => ({
      ...part,
      content: base64(part.content),
      encoding: "base64",
    })),
  });
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function required(name: string): string {
  const value = Deno.env.get(name);
  if (value === undefined || value === "") throw new Error(`The secret ${name} is not set`);
  return value;
}

function bearer(request: Request): string | undefined {
  return request.headers.get("authorization")?.match(/^Bearer (.+)$/i)?.[1];
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Takes the same time wherever the texts differ. */
function sameText(one: string, other: string): boolean {
  const [a, b] = [new TextEncoder().encode(one), new TextEncoder().encode(other)];
  let difference = a.length ^ b.length;
  for (let index = 0; index < b.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
  return difference === 0;
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
