// A channel's subscriptions to database changes, from its start to its end.
import type { Claims } from "../platform/jwt.ts";
import type { Log } from "../platform/log.ts";
import { AccessError } from "./access.ts";
import { type ChangePayload, type Changes, type Subscriber, SubscriptionError } from "./changes/index.ts";
import type { RequestedChange } from "./join.ts";
import type { ChannelOutlet } from "./outlet.ts";

export interface ChangeFeedOptions {
  readonly requested: readonly RequestedChange[];
  readonly outlet: ChannelOutlet;
  /** Of the token the channel holds now. */
  readonly claims: () => Claims;
  readonly inTurn: <T>(check: () => Promise<T>) => Promise<T>;
  readonly log: Log;
}

export class ChangeFeed implements Subscriber {
  readonly #changes: Changes;
  readonly #options: ChangeFeedOptions;
  #stopped = false;

  constructor(changes: Changes, options: ChangeFeedOptions) {
    this.#changes = changes;
    this.#options = options;
  }

  /** Resolves with whether changes flow. Either way the client receives a system message about it. */
  async start(): Promise<boolean> {
    try {
      await this.#changes.subscribe(this, this.#options.requested);
      this.#announce("ok", "Subscribed to PostgreSQL");
      return true;
    } catch (error) {
      if (error instanceof SubscriptionError || error instanceof AccessError) {
        this.#announce("error", error.message);
      } else if (!this.#stopped) {
        this.#options.log.error({ err: error }, "subscription failed");
        this.#announce("error", "Unable to subscribe to changes");
      }
      return false;
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#changes.unsubscribe(this);
  }

  claims(): Claims {
    return this.#options.claims();
  }

  inTurn<T>(check: () => Promise<T>): Promise<T> {
    return this.#options.inTurn(check);
  }

  onChange(change: ChangePayload): void {
    this.#options.outlet.pushChange(change);
  }

  onResumed(): void {
    this.#announce("ok", "Subscribed to PostgreSQL");
  }

  onEnded(reason: string): void {
    this.#announce("error", reason);
  }

  #announce(status: "ok" | "error", message: string): void {
    if (!this.#stopped) this.#options.outlet.pushSystem("postgres_changes", status, message);
  }
}
