// All SQL of the sandbox, in the schema payments_sandbox. Calls that create objects are one statement, calls that change some are a
// transaction of two, the first of which takes the locks.
import { batched } from "../../../server/src/postgres/batched.ts";
import type { Database } from "../../../server/src/postgres/database.ts";
import type { Executor, ServiceDatabase } from "../../../server/src/postgres/executor.ts";
import type { Entry, Family, Kind } from "./objects.ts";

export interface KeptAnswer {
  readonly fingerprint: string;
  readonly status: number;
  readonly body: unknown;
}

export interface Opened {
  /** False while another request with the same idempotency key is in progress. */
  readonly open: boolean;
  /** The answer already given under the key. */
  readonly kept: KeptAnswer | undefined;
  /** All objects that share the object's root, locked until the transaction ends; empty when there is no such object. */
  readonly family: Family;
}

/** The outcome of a call: its answer, and everything that changes with it. */
export interface Outcome extends KeptAnswer {
  readonly key: string | undefined;
  readonly entries: readonly Entry[];
}

export interface Saved {
  readonly open: boolean;
  readonly saved: boolean;
}

export interface ListQuery {
  readonly kind: Kind;
  readonly limit: number;
  readonly startingAfter: string | undefined;
  readonly endingBefore: string | undefined;
  /** Bounds of `created`, both inclusive, in seconds. */
  readonly createdFrom: number | undefined;
  readonly createdTo: number | undefined;
  readonly paymentIntent: string | undefined;
  /** Members the body must contain. */
  readonly containing: Readonly<Record<string, unknown>>;
}

export interface Delivery {
  readonly eventId: string;
  readonly attempt: number;
  readonly event: unknown;
}

/**
 * Opens several calls. Taking a key's lock fails at once instead of waiting: Stripe answers 409 to the second of two concurrent
 * requests.
 */
const OPEN = `with asked as materialized (select n, key, id from unnest($1::text[], $2::text[]) with ordinality as a (key, id, n)),
gate as materialized (
  select n, key is null or pg_try_advisory_xact_lock(hashtextextended('payments_sandbox ' || key, 0)) as open from asked
),
family as materialized (
  select root, body, hidden, due_at from payments_sandbox.objects
  where root = any (array(select root from payments_sandbox.objects
    where id = any (array(select id from asked join gate using (n) where open))))
  order by id
  for update
)
select open,
  (select row_to_json(kept) from (
    select fingerprint, status, body from payments_sandbox.idempotency_keys where key = asked.key) as kept) as kept,
  (select jsonb_agg(jsonb_build_object('root', root, 'body', body, 'hidden', hidden, 'dueAt', extract(epoch from due_at) * 1000))
   from family where root = (select root from payments_sandbox.objects where id = asked.id)) as family
from asked join gate using (n) order by n`;

/**
 * Stores several calls' outcomes, each one either with its key or not at all. No key and no object may occur twice in one
 * array.
 */
const SAVE = `with asked as materialized (
  select n, call ->> 'key' as key, call ->> 'fingerprint' as fingerprint, (call ->> 'status')::int as status,
    (call ->> 'body')::json as body, call -> 'entries' as entries
  from jsonb_array_elements($1::jsonb) with ordinality as a (call, n)
),
gate as materialized (
  select n, key is null or pg_try_advisory_xact_lock(hashtextextended('payments_sandbox ' || key, 0)) as open from asked
),
spent as (
  insert into payments_sandbox.idempotency_keys (key, fingerprint, status, body)
  select key, fingerprint, status, body from asked join gate using (n) where open and key is not null
  on conflict do nothing returning key
),
allowed as materialized (
  select n, open, open and (key is null or exists (select from spent where spent.key = asked.key)) as saved, entries
  from asked join gate using (n)
),
entry as materialized (
  select n, o, root, body, hidden, "dueAt"
  from allowed cross join lateral rows from (
    jsonb_to_recordset(entries) as (root text, body jsonb, hidden jsonb, "dueAt" double precision)
  ) with ordinality as e (root, body, hidden, "dueAt", o)
  where saved
),
saved as (
  insert into payments_sandbox.objects as kept (id, kind, root, body, hidden, created, due_at)
  select body ->> 'id', body ->> 'object', root, body, hidden, (body ->> 'created')::bigint, to_timestamp("dueAt" / 1000)
  from entry order by n, o
  on conflict (id) do update set body = excluded.body, hidden = excluded.hidden, due_at = excluded.due_at
),
queued as (
  insert into payments_sandbox.deliveries (event_id) select body ->> 'id' from entry where body ->> 'object' = 'event'
)
select open, saved from allowed order by n`;

const LIST = `select body from payments_sandbox.objects
where kind = $1
  and ($2::text is null or position < (select position from payments_sandbox.objects where id = $2))
  and ($3::text is null or position > (select position from payments_sandbox.objects where id = $3))
  and ($4::bigint is null or created >= $4) and ($5::bigint is null or created <= $5)
  and ($6::text is null or body ->> 'payment_intent' = $6)
  and body @> $7::jsonb
order by case when $3::text is null then -position else position end
limit $8`;

const MOST_READ_TOGETHER = 64;

/** A claim is a lease: if its process dies, the next one takes the delivery 30 seconds later. */
const CLAIM = `with due as (
  select event_id from payments_sandbox.deliveries
  where next_attempt_at <= now() order by next_attempt_at limit $1 for update skip locked
)
update payments_sandbox.deliveries d
set attempts = attempts + 1, next_attempt_at = now() + interval '30 seconds'
from due, payments_sandbox.objects o
where d.event_id = due.event_id and o.id = d.event_id
returning d.event_id as "eventId", d.attempts as attempt, o.body as event`;

export class Queries {
  readonly #provider: ServiceDatabase;

  constructor(database: Database) {
    this.#provider = database.asService("the sandbox plays the payment provider's own database");
  }

  transaction<T>(work: (tx: Executor) => Promise<T>): Promise<T> {
    return this.#provider.transaction(work);
  }

  /** Inside a transaction: locks each call's key and its object with the family. Answers in the calls' order. */
  async open(
    tx: Executor,
    calls: readonly { readonly key: string | undefined; readonly id: string }[],
  ): Promise<readonly Opened[]> {
    const values = [calls.map(({ key }) => key ?? null), calls.map(({ id }) => id)];
    const { rows } = await tx.run({ name: "payments_sandbox_open", text: OPEN, values });
    return rows.map(({ open, kept, family }) => ({
      open,
      kept: kept ?? undefined,
      family: toFamily(family ?? []),
    }));
  }

  /**
   * Stores entries, queues their events and stores each answer under its key: all of it, or nothing with `saved` false.
   */
  async save(outcomes: readonly Outcome[], tx: Executor = this.#provider): Promise<readonly Saved[]> {
    const calls = outcomes.map(({ body, ...outcome }) => ({ ...outcome, body: JSON.stringify(body) }));
    const { rows } = await tx.run({
      name: "payments_sandbox_save",
      text: SAVE,
      values: [JSON.stringify(calls)],
    });
    return rows as Saved[];
  }

  async kept(key: string): Promise<KeptAnswer | undefined> {
    const text = "select fingerprint, status, body from payments_sandbox.idempotency_keys where key = $1";
    return (await this.#provider.query<KeptAnswer>(text, [key])).rows[0];
  }

  /** The object's family, without a lock. Many buyers' reads at once share a query. */
  readonly family = batched<string, Family>({
    run: async (ids) => {
      const all = await this.families(ids);
      const byRoot = Map.groupBy(all, ([, { root }]) => root);
      return ids.map((id) => new Map(byRoot.get(all.get(id)?.root ?? "")));
    },
    most: MOST_READ_TOGETHER,
  });

  /** The families of these objects, without locks. */
  async families(ids: readonly string[]): Promise<Family> {
    const text = `select root, body, hidden, extract(epoch from due_at)::float8 * 1000 as "dueAt"
        from payments_sandbox.objects
        where root in (select root from payments_sandbox.objects where id = any($1))`;
    return toFamily(
      (await this.#provider.run<Entry>({ name: "payments_sandbox_families", text, values: [ids] })).rows,
    );
  }

  /** Newest first; one more than the limit if there are more. */
  async list(query: ListQuery): Promise<Entry["body"][]> {
    const values = [
      query.kind,
      query.startingAfter ?? null,
      query.endingBefore ?? null,
      query.createdFrom ?? null,
      query.createdTo ?? null,
      query.paymentIntent ?? null,
      JSON.stringify(query.containing),
      query.limit + 1,
    ];
    return (await this.#provider.query(LIST, values)).rows.map((row) => row.body);
  }

  /** The account's balances by currency: the sums of its balance transactions. */
  async balances(): Promise<{ currency: string; amount: number }[]> {
    const text = `select body ->> 'currency' as currency, sum((body ->> 'net')::bigint)::float8 as amount
        from payments_sandbox.objects where kind = 'balance_transaction' group by 1 order by 1`;
    return (await this.#provider.query<{ currency: string; amount: number }>(text)).rows;
  }

  /** Objects that are due. */
  async due(now: number): Promise<{ id: string; kind: Kind }[]> {
    const text = `select id, kind from payments_sandbox.objects
        where due_at <= to_timestamp($1::float8 / 1000) order by due_at limit 50`;
    return (await this.#provider.query<{ id: string; kind: Kind }>(text, [now])).rows;
  }

  async claim(limit: number): Promise<Delivery[]> {
    return (await this.#provider.query<Delivery>(CLAIM, [limit])).rows;
  }

  async delivered(eventIds: readonly string[]): Promise<void> {
    await this.#provider.query(
      `update payments_sandbox.deliveries set next_attempt_at = null, delivered_at = now(), last_error = null
         where event_id = any ($1)`,
      [eventIds],
    );
  }

  /** `retryIn` in milliseconds; undefined gives up. */
  async undelivered(eventId: string, error: string, retryIn: number | undefined): Promise<void> {
    await this.#provider.query(
      `update payments_sandbox.deliveries
         set next_attempt_at = now() + $3 * interval '1 millisecond', last_error = $2 where event_id = $1`,
      [eventId, error, retryIn ?? null],
    );
  }

  /** Milliseconds until the next delivery and the next object are due; null when there is none. */
  async upcoming(now: number): Promise<number | null> {
    const { rows } = await this.#provider.query(
      `select least(
          (select extract(epoch from min(next_attempt_at) - now()) * 1000 from payments_sandbox.deliveries
           where next_attempt_at is not null),
          (select extract(epoch from min(due_at)) * 1000 - $1::float8 from payments_sandbox.objects
           where due_at is not null))::float8 as wait`,
      [now],
    );
    return rows[0]!.wait;
  }

  /** Stripe keeps a key for at least a day. */
  async forgetOldKeys(): Promise<void> {
    await this.#provider.query(
      "delete from payments_sandbox.idempotency_keys where created_at < now() - interval '24 hours'",
    );
  }
}

function toFamily(rows: readonly Entry[]): Family {
  return new Map(
    rows.map(({ root, body, hidden, dueAt }) => [body.id, { root, body, hidden, dueAt: dueAt ?? undefined }]),
  );
}
