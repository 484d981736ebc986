// Honest people during the attacks, from addresses of their own: a visitor who looks, reads, signs in and asks for a place in line,
// and a buyer. In a separate thread, so that it measures the server's time and not that of the attack's own event loop.
import { once } from "node:events";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { setTimeout as sleep } from "node:timers/promises";
import type { CatalogItem } from "../../shop/testing/cart.ts";
import { signInBuyers } from "./honest-buyer.ts";

interface Honest {
  readonly status: Readonly<Record<string, string>>;
  readonly email: string;
  readonly password: string;
  /** What the buyer buys, over and over; nobody buys by default. */
  readonly buys?: CatalogItem;
}

interface Waits {
  /** Milliseconds, worst and median. */
  readonly worst: number;
  readonly median: number;
  readonly asked: number;
  /** Answers that were not as expected. */
  readonly refused: readonly string[];
}

/** By what they waited for; "buy" is one step of order, payment and tickets. */
export type WaitsByPurpose = Readonly<Record<string, Waits>>;

export interface HonestPeople {
  /** The waits since the last call, with those that have not ended. */
  waits(): Promise<WaitsByPurpose>;
  leave(): Promise<void>;
}

const PAUSE_MS = 50;
/** As often as limits on one person allow. */
const LONG_PAUSE_MS = { "sign in": 1_000, buy: 1_000 };
const GIVEN_UP_MS = 30_000;

/** Resolves when they are ready to begin. */
export async function startHonest(honest: Honest): Promise<HonestPeople> {
  const worker = new Worker(new URL(import.meta.url), { workerData: honest });
  await once(worker, "message");
  return {
    async waits() {
      const answer = once(worker, "message");
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, no window
      worker.postMessage("waits");
      return ((await answer) as [WaitsByPurpose])[0];
    },
    leave: async () => void (await worker.terminate()),
  };
}

/** What was waited for since the last report. */
class Log {
  #times = new Map<string, number[]>();
  #refused = new Map<string, string[]>();
  readonly #started = new Map<string, number>();

  /** Counts how long it takes until it is answered. */
  async time<T>(
    want: string,
    ask: () => Promise<T>,
    refusalIn: (answer: T) => string | undefined,
  ): Promise<T> {
    const started = performance.now();
    this.#started.set(want, started);
    const answer = await ask();
    this.#started.delete(want);
    this.#times.set(want, [...(this.#times.get(want) ?? []), performance.now() - started]);
    const refusal = refusalIn(answer);
    if (refusal !== undefined) this.#refused.set(want, [...(this.#refused.get(want) ?? []), refusal]);
    return answer;
  }

  report(): WaitsByPurpose {
    const now = performance.now();
    const waits = Object.fromEntries(
      [...new Set([...this.#times.keys(), ...this.#started.keys()])].map((want) => {
        const times = this.#times.get(want) ?? [];
        const started = this.#started.get(want);
        const sorted = [...times, ...(started === undefined ? [] : [now - started])].toSorted(
          (a, b) => a - b,
        );
        return [
          want,
          {
            worst: Math.round(sorted.at(-1)!),
            median: Math.round(sorted[sorted.length >> 1]!),
            asked: times.length,
            refused: this.#refused.get(want) ?? [],
          },
        ];
      }),
    );
    this.#times = new Map();
    this.#refused = new Map();
    return waits;
  }
}

async function live({ status, email, password, buys }: Honest): Promise<void> {
  const buy = buys && (await signInBuyers(status, buys));
  const log = new Log();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, no window
  const report = () => parentPort!.postMessage(log.report());
  parentPort!.on("message", report);
  report();
  const wants = Object.entries(visitorsWants(status.ANON_KEY!, email, password));
  await Promise.all([
    ...wants.map(async ([want, [path, init]]) => {
      for (;;) {
        await log.time(want, () => statusOf(status.API_URL! + path, init), refusal);
        await sleep(want === "sign in" ? LONG_PAUSE_MS[want] : PAUSE_MS);
      }
    }),
    buy && buyOn(buy, log),
  ]);
}

async function buyOn(buy: Awaited<ReturnType<typeof signInBuyers>>, log: Log): Promise<void> {
  for (;;) {
    await buy((step) =>
      log.time("buy", step, ({ status, body }) =>
        status === 200 ? undefined : `${status} ${JSON.stringify(body)}`.slice(0, 200),
      ),
    );
    await sleep(LONG_PAUSE_MS.buy);
  }
}

function visitorsWants(
  anonKey: string,
  email: string,
  password: string,
): Readonly<Record<string, readonly [path: string, RequestInit]>> {
  const headers = { apikey: anonKey, "content-type": "application/json", "x-forwarded-for": "203.0.113.77" };
  const post = (body: object) => ({ method: "POST", headers, body: JSON.stringify(body) });
  return {
    page: ["/tickets", {}],
    read: ["/rest/v1/ticket_types?select=name,price", { headers }],
    "sign in": ["/auth/v1/token?grant_type=password", post({ email, password })],
    "place in line": ["/functions/v1/waiting-room", post({ visitor: "v".repeat(32) })],
  };
}

const statusOf = (url: string, init: RequestInit): Promise<number | string> =>
  fetch(url, { ...init, signal: AbortSignal.timeout(GIVEN_UP_MS) }).then(
    async (answer) => (await answer.arrayBuffer(), answer.status),
    (error: unknown) => String((error as Error).cause ?? error),
  );

const refusal = (answer: number | string): string | undefined =>
  answer === 200 ? undefined : String(answer);

if (parentPort) await live(workerData as Honest);
