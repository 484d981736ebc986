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
  /** Claims of the channel's current token. */
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

  /**
   * Resolves when changes flow, with nothing, or with the reason why they do not. The client receives a system message about
   * it. A client that waits finds the reason in the reply to its join instead.
   */
  async start({ waits }: { readonly waits: boolean }): Promise<string | undefined> {
    try {
      await this.#changes.subscribe(this, this.#options.requested);
      this.#announce("ok", "Subscribed to PostgreSQL");
      return undefined;
    } catch (error) {
      const isRefused = error instanceof SubscriptionError || error instanceof AccessError;
      const reason = isRefused ? error.message : "Unable to subscribe to changes";
      if (!isRefused && !this.#stopped) this.#options.log.error({ err: error }, "subscription failed");
      if (!waits) this.#announce("error", reason);
      return `RealtimeDisabledForConfiguration: ${reason}`;
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
