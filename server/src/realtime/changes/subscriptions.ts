// Which subscriber wants which changes.
import type { Claims } from "../../platform/jwt.ts";
import type { Condition } from "./filter.ts";

export interface Subscription {
  readonly id: number;
  readonly event: "*" | "INSERT" | "UPDATE" | "DELETE";
  /** "*" means any. */
  readonly schema: string;
  readonly table: string;
  /** As the client wrote it: subscriptions with the same text are evaluated once. */
  readonly filter: string | undefined;
  readonly conditions: readonly Condition[];
  /** The columns it is sent beside the key, in alphabetical order; undefined for all. */
  readonly select: readonly string[] | undefined;
  readonly subscriber: Subscriber;
}

export interface ChangePayload {
  readonly ids: readonly number[];
  /** JSON, encoded once however many subscribers receive it. */
  readonly data: string;
}

export interface Subscriber {
  /** May change while subscribed: a client renews its token. */
  claims(): Claims;
  /** Runs its checks when it is its turn. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  onChange(payload: ChangePayload): void;
  /** Changes were missed while the stream was down; it flows again. */
  onResumed(): void;
  /** One of its subscriptions ended, with the reason for the client. */
  onEnded(reason: string): void;
}

export interface ClaimsGroup {
  readonly claims: Claims;
  readonly subscriptions: Subscription[];
}

export function createSubscriptions() {
  const all = new Map<Subscriber, readonly Subscription[]>();

  return {
    add: (subscriber: Subscriber, subscriptions: readonly Subscription[]) =>
      void all.set(subscriber, subscriptions),
    /** Ends one subscription. Its subscriber stays, even with none left. */
    end(subscription: Subscription, reason: string): void {
      const { subscriber } = subscription;
      const before = all.get(subscriber);
      if (!before?.includes(subscription)) return;
      all.set(
        subscriber,
        before.filter((each) => each !== subscription),
      );
      subscriber.onEnded(reason);
    },
    remove: (subscriber: Subscriber) => all.delete(subscriber),
    has: (subscriber: Subscriber) => all.has(subscriber),
    isEmpty: () => all.size === 0,
    subscribers: () => [...all.keys()],

    wants: (schema: string, table: string) =>
      all.values().some((subscriptions) => subscriptions.some((each) => concerns(each, schema, table))),

    /** For one table, by the set of claims they share; of `roles` the role alone counts. */
    byClaims(schema: string, table: string, roles: ReadonlySet<string>): ClaimsGroup[] {
      const groups = new Map<string, ClaimsGroup>();
      for (const [subscriber, subscriptions] of all) {
        const wanted = subscriptions.filter((each) => concerns(each, schema, table));
        if (wanted.length === 0) continue;
        const claims = subscriber.claims();
        const key = roles.has(claims.role) ? claims.role : claimsKey(claims);
        const group = groups.get(key) ?? { claims, subscriptions: [] };
        group.subscriptions.push(...wanted);
        groups.set(key, group);
      }
      return [...groups.values()];
    },
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

const concerns = (subscription: Subscription, schema: string, table: string) =>
  (subscription.schema === "*" || subscription.schema === schema) &&
  (subscription.table === "*" || subscription.table === table);

const keys = new WeakMap<Claims, string>();

/** Verified claims are one object a token, so that each is written out once. */
function claimsKey(claims: Claims): string {
  let key = keys.get(claims);
  if (key === undefined) keys.set(claims, (key = JSON.stringify(claims)));
  return key;
}
