// Who wants to hear of which changes.
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
  readonly subscriber: Subscriber;
}

export interface ChangePayload {
  readonly ids: readonly number[];
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Subscriber {
  /** May change while subscribed: a client renews its token. */
  claims(): Claims;
  onChange(payload: ChangePayload): void;
  /** Changes were missed while the stream was down; it flows again. */
  onResumed(): void;
}

export function createSubscriptions() {
  const all = new Map<Subscriber, readonly Subscription[]>();

  return {
    add: (subscriber: Subscriber, subscriptions: readonly Subscription[]) =>
      void all.set(subscriber, subscriptions),
    remove: (subscriber: Subscriber) => all.delete(subscriber),
    isEmpty: () => all.size === 0,
    subscribers: () => [...all.keys()],

    /** For one table, by the set of claims they share. */
    byClaims(schema: string, table: string): { claims: Claims; subscriptions: Subscription[] }[] {
      const groups = new Map<string, { claims: Claims; subscriptions: Subscription[] }>();
      for (const [subscriber, subscriptions] of all) {
        const wanted = subscriptions.filter(
          (each) => ["*", schema].includes(each.schema) && ["*", table].includes(each.table),
        );
        if (wanted.length === 0) continue;
        const claims = subscriber.claims();
        const key = claimsKey(claims);
        const group = groups.get(key) ?? { claims, subscriptions: [] };
        group.subscriptions.push(...wanted);
        groups.set(key, group);
      }
      return [...groups.values()];
    },
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

const keys = new WeakMap<Claims, string>();

/** Verified claims are one object a token, so that each is written out once. */
function claimsKey(claims: Claims): string {
  let key = keys.get(claims);
  if (key === undefined) keys.set(claims, (key = JSON.stringify(claims)));
  return key;
}
