// Everything a function depends on. platform.ts builds it from the environment, our own server from its parts; a function
// cannot tell the difference.
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Mail } from "contract/mail";
import type { Wallets } from "contract/tickets/wallets";
import type { EntryKey } from "contract/tickets/ticket-token";
import type Stripe from "stripe";
import type { Sql } from "./database.ts";
import type { Print } from "./documents/print.ts";
import type { WaitingRoom } from "./waiting-room/room.ts";

/** The signed-in caller. */
export interface SignedInUser {
  readonly userId: string;
  readonly email: string | undefined;
  /** Undefined for a token that no session issued. */
  readonly sessionId: string | undefined;
  /** "aal2" once the second step was taken. */
  readonly aal: string | undefined;
}

type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export interface FunctionDeps {
  /** Calls a SQL function. Calls that many buyers make at once share a statement on our server. */
  readonly sql: Sql;
  /**
   * For storage, accounts and rare queries of tables. It uses the service key: row-level security does not apply, so every query
   * must say whose rows it wants.
   */
  readonly supabase: SupabaseClient;
  /** Loads the SDK on first use. */
  stripe(): Promise<Stripe>;
  readonly payments: {
    readonly publishableKey: string;
    readonly webhookSecret: string;
    readonly sandbox: boolean;
  };
  /** Our server makes one call for many visits. */
  readonly room: WaitingRoom;
  /** Read from the token, which outlives its session by up to an hour. */
  caller(request: Request): Promise<SignedInUser | null>;
  /** True when the request carries the service key. */
  isService(request: Request): Promise<boolean>;
  /** The client's address, for rate limits. */
  address(request: Request): string;
  /** In hexadecimal. Every purchase needs it, and Node hashes faster than WebCrypto. */
  sha256(text: string): string | Promise<string>;
  /** HMAC-SHA-256 with the service's own secret, in hexadecimal. In a rush, refusals with a signed place are most of the work. */
  hmac(text: string): string | Promise<string>;
  /** Resolves once the mail is accepted; rejects otherwise. */
  sendMail(mail: Mail): Promise<void>;
  /** Draws a document in another thread. Undefined on a host without threads, where the function draws it. */
  readonly print: Print | undefined;
  /** The private Ed25519 key that signs entry codes. */
  signingKey(): Promise<EntryKey>;
  /** The wallets the organizer has keys for. */
  wallets(): Wallets;
  /** Call this after writing to the outbox, to drain it without delay. Pass a lane if that lane still has work. */
  outboxFilled(lane?: OutboxLane): void;
  /** Call this before so many pieces of work that nobody waits for: our server holds them back in a rush. */
  giveWay(pieces: number): Promise<void>;
  /** The site's public URL, without a trailing slash. */
  readonly siteUrl: string;
  /** The public URL of the functions, without a trailing slash. */
  readonly functionsUrl: string;
  /** How long the auth service's mailed links work. */
  readonly mailedLinkMinutes: number;
  /** The address to notify when a paid order cannot be fulfilled; if undefined, the festival's own. */
  readonly alertsTo: string | undefined;
  /** The secret that a mail server sends with a delivery report; if undefined, no report is accepted. */
  readonly bounceSecret: string | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly log: { readonly info: LogLine; readonly warn: LogLine; readonly error: LogLine };
}

/** Drained separately, so that no lane waits for another's servers. */
export type OutboxLane = "money" | "mail" | "bulk";

/** What `index.ts` serves on the platform and our server calls in process. Never rejects. */
export type Handler = (request: Request, deps: FunctionDeps) => Promise<Response>;
