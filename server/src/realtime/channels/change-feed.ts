// A channel's subscriptions to database changes, from its start to its end.
import type { Claims } from "../../platform/keys/jwt.ts";
import type { Log } from "../../platform/log.ts";
import { AccessError } from "../access.ts";
import { type ChangeBatch, type Changes, type Subscriber, SubscriptionError } from "../changes/index.ts";
import type { RequestedChange } from "./join.ts";
import type { ChannelOutlet } from "../sockets/outlet.ts";

export interface ChangeFeedOptions {
  readonly requested: readonly RequestedChange[];
  readonly outlet: ChannelOutlet;
  readonly address: string;
  /** Claims of the channel's current token. */
  readonly claims: () => Claims;
  readonly inTurn: <T>(check: () => Promise<T>) => Promise<T>;
  readonly log: Log;
}

/** Milliseconds after which a failed subscription is tried again, as on the platform: not all at the same moment. */
const RETRY = { first: 5_000, spread: 5_000 };

export class ChangeFeed implements Subscriber {
  readonly #changes: Changes;
  readonly #options: ChangeFeedOptions;
  #stopped = false;
  readonly #end = Promise.withResolvers<void>();

  constructor(changes: Changes, options: ChangeFeedOptions) {
    this.#changes = changes;
    this.#options = options;
  }

  /**
   * Resolves when changes flow, with nothing, or with the reason why they do not. The client receives a system message about
   * it. A client that waits finds the reason in the reply to its join instead. What only fails for now is tried again.
   */
  async start({ waits }: { readonly waits: boolean }): Promise<string | undefined> {
    for (let isFirst = true; !this.#stopped; isFirst = false) {
      try {
        await this.#changes.subscribe(this, this.#options.requested);
        this.#announce("ok", "Subscribed to PostgreSQL");
        return undefined;
      } catch (error) {
        const isPublic = error instanceof SubscriptionError || error instanceof AccessError;
        const reason = isPublic ? error.message : "Unable to subscribe to changes";
        if (!isPublic && !this.#stopped && isFirst) {
          this.#options.log.error({ err: error }, "subscription failed");
        }
        if (!waits) this.#announce("error", reason);
        if (error instanceof SubscriptionError) return `RealtimeDisabledForConfiguration: ${reason}`;
      }
      const pause = RETRY.first + Math.random() * RETRY.spread;
      await Promise.race([this.#end.promise, new Promise((done) => void setTimeout(done, pause).unref())]);
    }
    return undefined;
  }

  stop(): void {
    this.#stopped = true;
    this.#end.resolve();
    this.#changes.unsubscribe(this);
  }

  claims(): Claims {
    return this.#options.claims();
  }

  get address(): string {
    return this.#options.address;
  }

  inTurn<T>(check: () => Promise<T>): Promise<T> {
    return this.#options.inTurn(check);
  }

  onChanges(batch: ChangeBatch): void {
    if (!this.#stopped) this.#options.outlet.pushChanges(batch);
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
