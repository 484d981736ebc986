// What the provider does by itself: sends events to the shop by signed webhook until it answers 2xx, and updates objects
// whose time has come. Durable and shared: any process takes over what another left.
import { createHmac } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { Kind } from "../store/objects.ts";
import type { Delivery, Queries } from "../store/queries.ts";

export interface Deliveries {
  start(): void;
  /** Something may be due now. */
  wake(): void;
  close(): Promise<void>;
}

export interface DeliveryDeps {
  readonly queries: Queries;
  readonly clock: Clock;
  readonly log: Log;
  readonly webhook: { readonly url: string; readonly secret: string };
  /** Moves one object whose time has come. */
  readonly moveOn: (due: { id: string; kind: Kind }) => Promise<void>;
}

const AT_ONCE = 16;
const ANSWER_WITHIN_MS = 10_000;
/** How long a delivery left by another process may lie before this one looks. */
const LOOK_AGAIN_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Pauses double up to the longest: about three hours in all. */
const MOST_ATTEMPTS = 48;
const FORGET_EVERY_MS = 60 * 60_000;

export function createDeliveries(deps: DeliveryDeps): Deliveries {
  const { queries, clock, log } = deps;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  let running: Promise<void> | undefined;
  let woken = false;
  let wakeUp = () => {};
  let forgetAt = 0;

  async function round(): Promise<number> {
    const now = clock.now();
    if (now >= forgetAt) {
      forgetAt = now + FORGET_EVERY_MS;
      await queries.forgetOldKeys();
    }
    const stuck = await moveDueOn(now);
    const free = AT_ONCE - underWay.size;
    const claimed = free > 0 ? await queries.claim(free) : [];
    for (const delivery of claimed) {
      const sending = deliver(delivery).finally(() => {
        underWay.delete(sending);
        if (free === claimed.length) wake();
      });
      underWay.add(sending);
    }
    if (stuck || free <= 0 || claimed.length === free) return LOOK_AGAIN_MS;
    return Math.min(LOOK_AGAIN_MS, Math.max(10, (await queries.upcoming(clock.now())) ?? LOOK_AGAIN_MS));
  }

  /** True when an object could not be moved: it stays due, and the rest goes on. */
  async function moveDueOn(now: number): Promise<boolean> {
    let stuck = false;
    for (const due of await queries.due(now)) {
      await deps.moveOn(due).catch((error: unknown) => {
        stuck = true;
        log.error({ ...due, err: error }, "payments sandbox: object not moved on");
      });
    }
    return stuck;
  }

  async function deliver({ eventId, attempt, event }: Delivery): Promise<void> {
    try {
      await post(deps.webhook, event, clock, stopping.signal);
      await queries.delivered(eventId);
    } catch (error) {
      // Closing: the lease runs out and the next process delivers.
      if (stopping.signal.aborted) return;
      const retryIn = attempt < MOST_ATTEMPTS ? Math.min(LONGEST_PAUSE_MS, 250 * 2 ** attempt) : undefined;
      log.warn({ eventId, attempt, err: error }, "payments sandbox: webhook not delivered");
      await queries
        .undelivered(eventId, (error as Error).message, retryIn)
        .catch((failure: unknown) =>
          log.error({ eventId, err: failure }, "payments sandbox: delivery not recorded"),
        );
      wake();
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = false;
      const pause = await round().catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ err: error }, "payments sandbox: deliveries interrupted");
        return LOOK_AGAIN_MS;
      });
      if (woken || stopping.signal.aborted) continue;
      await new Promise<void>((done) => {
        const timer = setTimeout(done, pause);
        wakeUp = () => {
          clearTimeout(timer);
          done();
        };
      });
    }
  }

  function wake(): void {
    woken = true;
    wakeUp();
  }

  return {
    wake,
    start() {
      running ??= run();
    },
    async close() {
      stopping.abort();
      wake();
      await running;
      await Promise.all(underWay);
    },
  };
}

async function post(
  webhook: DeliveryDeps["webhook"],
  event: unknown,
  clock: Clock,
  stopping: AbortSignal,
): Promise<void> {
  const payload = JSON.stringify(event);
  const answer = await fetch(webhook.url, {
    method: "POST",
    headers: {
      "content-type": "application/json; charset=utf-8",
      "user-agent": "payments-sandbox/1.0",
      "stripe-signature": sign(payload, webhook.secret, Math.floor(clock.now() / 1000)),
    },
    body: payload,
    redirect: "manual",
    signal: AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`The webhook answered ${answer.status}`);
}

/** Stripe's signature header, scheme v1: HMAC-SHA256 of "timestamp.payload". */
function sign(payload: string, secret: string, at: number): string {
  return `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${payload}`).digest("hex")}`;
}
