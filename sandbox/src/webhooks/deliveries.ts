// The provider's background work: sends events to the shop by signed webhook until it answers 2xx, and updates objects
// that are due. Durable and shared: any process continues what another left.
import type { Clock } from "../../../server/src/platform/clock.ts";
import type { Log } from "../../../server/src/platform/log.ts";
import { batched } from "../../../server/src/postgres/batched.ts";
import type { Kind } from "../store/objects.ts";
import type { Delivery, Queries } from "../store/queries.ts";
import { createRounds, type Rounds } from "./rounds.ts";
import { postEvent, type Webhook } from "./webhook.ts";

export interface DeliveryDeps {
  readonly queries: Queries;
  readonly clock: Clock;
  readonly log: Log;
  readonly webhook: Webhook;
  /** Updates one object that is due. */
  readonly moveOn: (due: { id: string; kind: Kind }) => Promise<void>;
}

const AT_ONCE = 64;
/** How long a delivery left by another process may wait before this one looks for it. */
const LOOK_AGAIN_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Pauses double up to the longest: about three hours in all. */
const MOST_ATTEMPTS = 48;
const FORGET_EVERY_MS = 60 * 60_000;

export class Deliveries {
  readonly #deps: DeliveryDeps;
  readonly #rounds: Rounds;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #delivered: (eventId: string) => Promise<void>;
  #forgetAt = 0;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#delivered = batched({
      run: async (eventIds: readonly string[]) => {
        await deps.queries.delivered(eventIds);
        return eventIds.map(() => undefined);
      },
      most: AT_ONCE,
    });
    this.#rounds = createRounds(
      () => this.#round(),
      LOOK_AGAIN_MS,
      (error) => deps.log.error({ err: error }, "payments sandbox: deliveries interrupted"),
    );
  }

  start(): void {
    this.#rounds.start();
  }

  /** Called when something may be due. */
  wake(): void {
    this.#rounds.wake();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds.stop();
    await Promise.all(this.#underWay);
  }

  /** Resolves with the milliseconds until the next round. */
  async #round(): Promise<number> {
    const { queries, clock } = this.#deps;
    const now = clock.now();
    if (now >= this.#forgetAt) {
      this.#forgetAt = now + FORGET_EVERY_MS;
      await queries.forgetOldKeys();
    }
    const stuck = await this.#moveDueOn(now);
    const free = AT_ONCE - this.#underWay.size;
    const claimed = free > 0 ? await queries.claim(free) : [];
    for (const delivery of claimed) {
      const sending = this.#deliver(delivery).finally(() => {
        this.#underWay.delete(sending);
        if (free === claimed.length) this.#rounds.wake();
      });
      this.#underWay.add(sending);
    }
    if (stuck || free <= 0 || claimed.length === free) return LOOK_AGAIN_MS;
    return Math.min(LOOK_AGAIN_MS, Math.max(10, (await queries.upcoming(clock.now())) ?? LOOK_AGAIN_MS));
  }

  /** Returns true when an object could not be updated: it stays due, and the others are updated. */
  async #moveDueOn(now: number): Promise<boolean> {
    const { queries, log, moveOn } = this.#deps;
    let stuck = false;
    for (const due of await queries.due(now)) {
      await moveOn(due).catch((error: unknown) => {
        stuck = true;
        log.error({ ...due, err: error }, "payments sandbox: object not moved on");
      });
    }
    return stuck;
  }

  async #deliver({ eventId, attempt, event }: Delivery): Promise<void> {
    const { queries, webhook, clock, log } = this.#deps;
    try {
      await postEvent(webhook, event, clock, this.#stopping.signal);
      await this.#delivered(eventId);
    } catch (error) {
      // Closing: the lease expires and the next process delivers.
      if (this.#stopping.signal.aborted) return;
      const retryIn = attempt < MOST_ATTEMPTS ? Math.min(LONGEST_PAUSE_MS, 250 * 2 ** attempt) : undefined;
      log.warn({ eventId, attempt, err: error }, "payments sandbox: webhook not delivered");
      await queries
        .undelivered(eventId, (error as Error).message, retryIn)
        .catch((failure: unknown) =>
          log.error({ eventId, err: failure }, "payments sandbox: delivery not recorded"),
        );
      this.#rounds.wake();
    }
  }
}
