// What the server processes on one database say to each other, over NOTIFY. A process that is alone sends nothing: it learns of
// another when that says hello. Whoever is silent for long is gone, and with it whoever was present there.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Log } from "../../platform/log.ts";
import type { Database } from "../../postgres/database.ts";
import { listenTo } from "../../postgres/listen.ts";
import { notifyAll } from "../queries.ts";
import { Outbox } from "./outbox.ts";
import { createAssembly } from "./parts.ts";

/** A broadcast that SQL stored; the row holds the rest. */
export interface StoredNotice {
  readonly id: string;
  /** Without the `realtime:` prefix. */
  readonly topic: string;
  readonly private: boolean;
}

export interface RelayEar {
  /** Another process sent it; its shape is the sender's. */
  onMessage(from: string, message: unknown): void;
  /** This process and another met, or messages to it were lost: it needs to know everything anew. */
  onMet(): void;
  onGone(process: string): void;
  onStored(notice: StoredNotice): void;
  /** Listening, after what was notified in between was missed; also the first time. */
  onConnected(): void;
}

export interface Relay {
  /** To every other process, in order. Nothing happens while there is none. */
  send(message: object): void;
  /** Resolves when this process hears of what SQL broadcasts. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

export interface RelayOptions {
  readonly database: Database;
  /** Connection string for the listener. */
  readonly url: string;
  readonly log: Log;
  /** Milliseconds after which a silent process is gone. */
  readonly silence: number;
}

/** Others hear of a process four times within it. */
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

export function createRelay({ database, url, log, silence }: RelayOptions, ear: RelayEar): Relay {
  const process = randomBytes(9).toString("base64url");
  const heardAt = new Map<string, number>();
  const assembly = createAssembly();
  const ready = Promise.withResolvers<void>();
  const outbox = new Outbox(process, {
    notify: (payloads) => notifyAll(database, payloads),
    onLost: () => setTimeout(() => heardAt.size > 0 && ear.onMet(), silence / 4).unref(),
    log,
  });

  const gone = (other: string) => {
    heardAt.delete(other);
    assembly.forget(other);
    ear.onGone(other);
  };
  const receive = (from: string, kind: string, message: unknown) => {
    if (from === process) return;
    if (kind === "bye") return gone(from);
    const isNew = !heardAt.has(from);
    heardAt.set(from, performance.now());
    if (isNew && kind !== "hello") outbox.send({ kind: "hello" });
    if (isNew || kind === "hello") ear.onMet();
    if (kind !== "hello" && kind !== "alive") ear.onMessage(from, message);
  };
  const onNotice = (payload: string) => {
    const parsed = anything.parse(JSON.parse(payload));
    if (!("from" in parsed)) return ear.onStored(notice.parse(parsed));
    const { from, kind } = envelope.parse(parsed);
    if (kind !== "part") return receive(from, kind, parsed);
    if (from === process) return;
    const whole = assembly.add(part.parse(parsed));
    if (whole === undefined) return;
    const message = envelope.parse(JSON.parse(whole));
    receive(from, message.kind, message);
  };

  const listener = listenTo(
    "realtime",
    url,
    {
      onNotice(payload) {
        try {
          onNotice(payload);
        } catch (error) {
          log.warn({ err: error }, "a notification could not be read");
        }
      },
      onConnected() {
        outbox.send({ kind: "hello" });
        ear.onConnected();
        ready.resolve();
      },
    },
    log,
  );

  const beat = setInterval(() => {
    const now = performance.now();
    for (const [other, at] of heardAt) if (now - at > silence) gone(other);
    if (heardAt.size > 0) outbox.send({ kind: "alive" });
  }, silence / 4);
  beat.unref();

  return {
    send: (message) => void (heardAt.size > 0 && outbox.send(message)),
    ready: ready.promise,
    async close() {
      clearInterval(beat);
      if (heardAt.size > 0) outbox.send({ kind: "bye" });
      await outbox.drained();
      await listener.close();
    },
  };
}
