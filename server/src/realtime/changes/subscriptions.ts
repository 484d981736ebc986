// Which subscriber wants which changes.
import type { Claims } from "../../platform/keys/jwt.ts";
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
  /** The columns it receives in addition to the key, in alphabetical order; undefined for all. */
  readonly select: readonly string[] | undefined;
  readonly subscriber: Subscriber;
}

export interface ChangePayload {
  readonly ids: readonly number[];
  /** JSON, encoded once for all subscribers. */
  readonly data: string;
}

/** Changes in order, for all subscribers that receive the same ones at one moment. */
export interface ChangeBatch {
  readonly changes: readonly ChangePayload[];
  /** Their serialized frames, by everything in which the frames of channels differ. */
  readonly packets: Map<string, readonly Buffer[]>;
}

export interface Subscriber {
  /** May change during the subscription: a client renews its token. */
  claims(): Claims;
  readonly address: string;
  /** Runs its checks when it is its turn. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  onChanges(batch: ChangeBatch): void;
  /** The stream has resumed after an interruption, in which changes were missed. */
  onResumed(): void;
  /** One of its subscriptions ended, with the reason for the client. */
  onEnded(reason: string): void;
}

/** A subscriber, and which of its subscriptions concern a table. */
export interface Member {
  readonly subscriber: Subscriber;
  readonly wanted: readonly Subscription[];
}

/** Subscribers that may see the same rows. */
export interface ClaimsGroup {
  readonly claims: Claims;
  /** Members of one crowd want the same changes and differ only in the subscriber. */
  readonly crowds: ReadonlyMap<string, readonly [Member, ...Member[]]>;
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

    /** The members for one table, grouped by whom they act for. For `roles`, only the role counts. */
    byClaims(schema: string, table: string, roles: ReadonlySet<string>): ClaimsGroup[] {
      const groups = new Map<string, { claims: Claims; crowds: Map<string, [Member, ...Member[]]> }>();
      for (const [subscriber, subscriptions] of all) {
        const wanted = subscriptions.filter((each) => concerns(each, schema, table));
        if (wanted.length === 0) continue;
        const claims = subscriber.claims();
        const key = roles.has(claims.role) ? claims.role : writtenOut(claims, standingOf);
        const group = groups.get(key) ?? { claims, crowds: new Map() };
        if (issuedAt(claims) > issuedAt(group.claims)) group.claims = claims;
        groups.set(key, group);
        const crowdKey = writtenOut(subscriptions, wantedOf);
        const crowd = group.crowds.get(crowdKey);
        if (crowd) crowd.push({ subscriber, wanted });
        else group.crowds.set(crowdKey, [{ subscriber, wanted }]);
      }
      return [...groups.values()];
    },
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

const concerns = (subscription: Subscription, schema: string, table: string) =>
  (subscription.schema === "*" || subscription.schema === schema) &&
  (subscription.table === "*" || subscription.table === table);

/** A session's tokens count as one: each renewal is another token, and the newest says what its person may do. */
function standingOf({ exp: _exp, iat: _iat, nbf: _nbf, jti: _jti, ...claims }: Claims): unknown {
  const { sub, role, session_id, aal } = claims;
  return session_id === undefined ? claims : [sub, role, session_id, aal];
}

const issuedAt = ({ iat, exp = 0 }: Claims) => (typeof iat === "number" ? iat : exp);

const wantedOf = (subscriptions: readonly Subscription[]) =>
  subscriptions.map(({ subscriber: _subscriber, conditions: _inFilter, ...wanted }) => wanted);

const texts = new WeakMap<object, string>();

/**
 * Verified claims are one object per token, and a subscriber's list is the same object until it changes, so that each is
 * serialized once.
 */
function writtenOut<T extends object>(value: T, content: (value: T) => unknown): string {
  let text = texts.get(value);
  if (text === undefined) texts.set(value, (text = JSON.stringify(content(value))));
  return text;
}
