// The time that filters may take. Every subscriber waits until those of a batch are evaluated, so what one address or one person
// requests, however many tokens and sockets they use, takes a share of each second only, and so do all filters together.
import { createRate, createRates, type Rate } from "../../platform/rates.ts";
import { isPattern } from "./filter.ts";
import type { Subscriber, Subscription } from "./subscriptions.ts";

/** Milliseconds a second. */
const OF_EACH_PAYER = 400;
const OF_ALL = 500;

/** A subscription ends at MOST marks: after three timeouts, or a second and a half during which it is too slow for what is left. */
const MARKS = { timedOut: 10, notTried: 1, most: 30 };
/** Only a filter that took longer gets marks because it was not tried; a quick one may just share its address with a slow one. */
const SLOW_MS = 2;
/** What a pattern is expected to take. */
const PATTERN_MS = 10;

interface History {
  /** Of the last evaluation. */
  lastMs: number;
  marks: number;
}

export class FilterTime {
  readonly #all = createRate(OF_ALL);
  readonly #payer = createRates(OF_EACH_PAYER);
  readonly #histories = new WeakMap<Subscription, History>();

  /** What one of the subscribers may still spend, in whole milliseconds. Zero or less: nothing. */
  left(subscribers: Iterable<Subscriber>): number {
    let most = -Infinity;
    for (const subscriber of subscribers) {
      const own = Math.min(...this.#payersOf(subscriber).map((payer) => payer.left()));
      most = Math.max(most, own);
    }
    return Math.ceil(Math.min(most, this.#all.left()));
  }

  /** Shared equally by the subscribers. */
  spend(subscribers: readonly Subscriber[], ms: number): void {
    this.#all.spend(ms);
    for (const subscriber of subscribers) {
      for (const payer of this.#payersOf(subscriber)) payer.spend(ms / subscribers.length);
    }
  }

  lastMs(subscription: Subscription): number {
    return this.#of(subscription).lastMs;
  }

  wasTried(subscription: Subscription, ms: number): void {
    const history = this.#of(subscription);
    history.lastMs = ms;
    if (ms <= SLOW_MS) history.marks = Math.max(0, history.marks - 1);
  }

  /** Returns whether the subscription ends: it was too slow again and again. */
  wasMissed(subscription: Subscription, how: "timedOut" | "notTried"): boolean {
    const history = this.#of(subscription);
    if (how === "timedOut") history.lastMs = Infinity;
    if (history.lastMs > SLOW_MS) history.marks += MARKS[how];
    return history.marks >= MARKS.most;
  }

  #payersOf(subscriber: Subscriber): Rate[] {
    const { sub } = subscriber.claims();
    const address = this.#payer(`address ${subscriber.address}`);
    return sub === undefined ? [address] : [address, this.#payer(`person ${sub}`)];
  }

  #of(subscription: Subscription): History {
    const expectedMs = subscription.conditions.some(isPattern) ? PATTERN_MS : 0;
    const known = this.#histories.get(subscription) ?? { lastMs: expectedMs, marks: 0 };
    this.#histories.set(subscription, known);
    return known;
  }
}
