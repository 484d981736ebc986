// What the server processes on one database send each other, over NOTIFY. A process that is alone sends nothing: it learns of another when
// that one says hello. A process that is silent for too long counts as gone, and with it everybody present there.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Log } from "../../platform/log.ts";
import type { Database } from "../../postgres/database.ts";
import { listenTo } from "../../postgres/connections/listen.ts";
import { notifyAll } from "../queries.ts";
import { Notifier } from "./notifier.ts";
import { type Assembly, createAssembly } from "./parts.ts";

/** A broadcast that SQL stored; the row holds the rest. */
export interface StoredNotice {
  readonly id: string;
  /** Without the `realtime:` prefix. */
  readonly topic: string;
  readonly private: boolean;
}

export interface PeerEvents {
  /** Another process sent it; the sender defines its shape. */
  onMessage(from: string, message: unknown): void;
  /** This process met another, or messages to this process were lost: it needs the full state again. */
  onMet(): void;
  onGone(process: string): void;
  onStored(notice: StoredNotice): void;
  /** The listener is connected, for the first time or after notifications were missed. */
  onConnected(): void;
}

export interface Peers {
  /** Sends to every other process, in order. Does nothing while there is none. */
  send(message: object): void;
  /** Resolves when broadcasts from SQL reach this process. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

export interface PeersOptions {
  readonly database: Database;
  /** Connection string for the listener. */
  readonly url: string;
  readonly log: Log;
  /** Milliseconds after which a silent process is gone. */
  readonly silence: number;
}

/** Each process announces itself four times within it. */
export const PEER_SILENCE = 8_000;

const notice = z.object({
  kind: z.literal("message"),
  id: z.uuid(),
  topic: z.string(),
  private: z.boolean(),
});
const part = z.object({
  ...{ kind: z.literal("part"), from: z.string(), of: z.number(), data: z.string() },
  ...{ part: z.number(), parts: z.number().max(100_000) },
});
const envelope = z.looseObject({ from: z.string(), kind: z.string() });
const anything = z.union([notice, part, envelope]);

export function createPeers({ database, url, log, silence }: PeersOptions, events: PeerEvents): Peers {
  const process = randomBytes(9).toString("base64url");
  const known = new KnownPeers();
  const assembly = createAssembly();
  const ready = Promise.withResolvers<void>();
  const notifier = new Notifier(process, {
    notify: (payloads) => notifyAll(database, payloads),
    onLost: () => setTimeout(() => known.any && events.onMet(), silence / 4).unref(),
    log,
  });

  const gone = (other: string) => {
    known.forget(other);
    assembly.forget(other);
    events.onGone(other);
  };
  const hear = (said: Said | undefined) => {
    if (said === undefined) return;
    if ("stored" in said) return events.onStored(said.stored);
    const { from, kind, message } = said;
    if (kind === "bye") return gone(from);
    const isNew = known.hear(from);
    if (isNew && kind !== "hello") notifier.send({ kind: "hello" });
    if (isNew || kind === "hello") events.onMet();
    if (kind !== "hello" && kind !== "alive") events.onMessage(from, message);
  };
  const listener = listenTo(
    "realtime",
    url,
    {
      onNotice(payload) {
        try {
          hear(readNotice(payload, assembly, process));
        } catch (error) {
          log.warn({ err: error }, "a notification could not be read");
        }
      },
      onConnected() {
        notifier.send({ kind: "hello" });
        events.onConnected();
        ready.resolve();
      },
    },
    log,
  );

  const beat = setInterval(() => {
    for (const other of known.silentFor(silence)) gone(other);
    if (known.any) notifier.send({ kind: "alive" });
  }, silence / 4);
  beat.unref();

  return {
    send: (message) => void (known.any && notifier.send(message)),
    ready: ready.promise,
    async close() {
      clearInterval(beat);
      if (known.any) notifier.send({ kind: "bye" });
      await notifier.drained();
      await listener.close();
    },
  };
}

/** The other processes, and when each was last heard from. */
class KnownPeers {
  readonly #heardAt = new Map<string, number>();
  #lookedAt = performance.now();

  get any(): boolean {
    return this.#heardAt.size > 0;
  }

  /** Whether this is the first message from it. */
  hear(peer: string): boolean {
    const isNew = !this.#heardAt.has(peer);
    this.#heardAt.set(peer, performance.now());
    return isNew;
  }

  forget(peer: string): void {
    this.#heardAt.delete(peer);
  }

  /**
   * Called four times within that time. Returns none if this process was suspended: the others' messages from meanwhile have not been read
   * yet.
   */
  silentFor(milliseconds: number): string[] {
    const now = performance.now();
    const stoodStill = now - this.#lookedAt > milliseconds / 2;
    this.#lookedAt = now;
    if (stoodStill) return [];
    return [...this.#heardAt].filter(([, at]) => now - at > milliseconds).map(([peer]) => peer);
  }
}

type Said =
  | { readonly stored: StoredNotice }
  | { readonly from: string; readonly kind: string; readonly message: unknown };

/**
 * What another process sent, or SQL stored; undefined for this process's own messages, and for a part of an incomplete one. Throws for
 * anything else.
 */
function readNotice(payload: string, assembly: Assembly, own: string): Said | undefined {
  const parsed = anything.parse(JSON.parse(payload));
  if (!("from" in parsed)) return { stored: notice.parse(parsed) };
  const { from, kind } = envelope.parse(parsed);
  if (from === own) return undefined;
  if (kind !== "part") return { from, kind, message: parsed };
  const whole = assembly.add(part.parse(parsed));
  if (whole === undefined) return undefined;
  const message = envelope.parse(JSON.parse(whole));
  return { from, kind: message.kind, message };
}
