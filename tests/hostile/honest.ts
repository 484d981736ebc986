// A visitor who only looks, reads and signs in, from a separate address, during the attacks. In a separate thread, so that it
// measures the server's time and not that of the attack's own event loop.
import { once } from "node:events";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { setTimeout as sleep } from "node:timers/promises";

interface Visitor {
  readonly url: string;
  readonly anonKey: string;
  readonly email: string;
  readonly password: string;
}

export interface Waits {
  /** Milliseconds, worst and median. */
  readonly worst: number;
  readonly median: number;
  readonly asked: number;
  /** Answers that were not as expected. */
  readonly refused: readonly string[];
}

const PAUSE_MS = 50;
const GIVEN_UP_MS = 30_000;

export interface Honest {
  /** The waits since the last call, by purpose. */
  waits(): Promise<Readonly<Record<string, Waits>>>;
  leave(): Promise<void>;
}

export function startHonest(visitor: Visitor): Honest {
  const worker = new Worker(new URL(import.meta.url), { workerData: visitor });
  return {
    async waits() {
      const answer = once(worker, "message");
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, no window
      worker.postMessage("waits");
      return ((await answer) as [Readonly<Record<string, Waits>>])[0];
    },
    leave: async () => void (await worker.terminate()),
  };
}

async function visit({ url, anonKey, email, password }: Visitor): Promise<void> {
  const headers = { apikey: anonKey, "content-type": "application/json", "x-forwarded-for": "203.0.113.77" };
  const wants: Readonly<Record<string, readonly [string, RequestInit]>> = {
    page: ["/tickets", {}],
    read: ["/rest/v1/ticket_types?select=name,price", { headers }],
    "sign in": [
      "/auth/v1/token?grant_type=password",
      { method: "POST", headers, body: JSON.stringify({ email, password }) },
    ],
  };
  let times = new Map<string, number[]>();
  let refused = new Map<string, string[]>();
  parentPort!.on("message", () => {
    const waits = Object.fromEntries(
      [...times].map(([want, all]) => {
        const sorted = all.toSorted((a, b) => a - b);
        return [
          want,
          {
            worst: Math.round(sorted.at(-1)!),
            median: Math.round(sorted[sorted.length >> 1]!),
            asked: all.length,
            refused: refused.get(want) ?? [],
          },
        ];
      }),
    );
    times = new Map();
    refused = new Map();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, no window
    parentPort!.postMessage(waits);
  });
  await Promise.all(
    Object.entries(wants).map(async ([want, [path, init]]) => {
      for (;;) {
        const started = performance.now();
        const answer = await fetch(url + path, { ...init, signal: AbortSignal.timeout(GIVEN_UP_MS) }).then(
          async (one) => (await one.arrayBuffer(), one.status),
          (error: unknown) => String((error as Error).cause ?? error),
        );
        times.set(want, [...(times.get(want) ?? []), performance.now() - started]);
        if (answer !== 200) refused.set(want, [...(refused.get(want) ?? []), String(answer)]);
        await sleep(want === "sign in" ? 20 * PAUSE_MS : PAUSE_MS);
      }
    }),
  );
}

if (parentPort) await visit(workerData as Visitor);
