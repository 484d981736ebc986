// Delivers changes from the log to those who may see them. A change is checked once for each session or set of claims, all changes
// of a batch in one query for each table and set, under that role: policies and column grants decide.
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { Claims } from "../../platform/keys/jwt.ts";
import type { Log } from "../../platform/log.ts";
import type { Database } from "../../postgres/database.ts";
import * as queries from "../queries.ts";
import type { FilterTime } from "./filter-time.ts";
import { type Filter, type Matches, matchRows, TOO_LONG } from "./filtering.ts";
import type { ChangePayload, ClaimsGroup, Subscriber, Subscription, Subscriptions } from "./subscriptions.ts";
import { toJson } from "./wal/wal-value.ts";
import type { Change, Tuple } from "./wal/wal-connection.ts";

type Shape = queries.TableShape;

/** One change for a crowd, with its position in the batch. */
interface Delivery extends ChangePayload {
  readonly position: number;
}

/** What a crowd receives of one table's changes. */
interface Share {
  readonly subscribers: readonly Subscriber[];
  readonly deliveries: readonly Delivery[];
}

const AT_ONCE = 2; // checks in flight; people's requests use the same connections
const TOGETHER = 250; // changes; each is held once per crowd, and there may be as many crowds as subscribers
const PORTION = 500; // changes handed out in one go
const UNSEEN_MS = 2000; // a commit that takes longer to become visible, for example because of a standby, is not waited for

interface Candidate {
  readonly position: number;
  readonly change: Change;
  readonly row: Tuple;
}

export class ChangeDelivery {
  readonly #database: Database;
  readonly #subscriptions: Subscriptions;
  readonly #time: FilterTime;
  readonly #log: Log;
  readonly #shapes = new WeakMap<Change["relation"], Promise<Shape | undefined>>();

  constructor(database: Database, subscriptions: Subscriptions, time: FilterTime, log: Log) {
    this.#database = database;
    this.#subscriptions = subscriptions;
    this.#time = time;
    this.#log = log;
  }

  /**
   * Resolves when every change of the batch was handed to its subscribers, with the milliseconds that checking them took. Never
   * rejects: failures are logged.
   */
  async deliver(changes: readonly Change[]): Promise<number> {
    let checkMs = 0;
    for (let at = 0; at < changes.length; at += TOGETHER) {
      const startedAt = performance.now();
      const shares = await this.#sharesOf(changes.slice(at, at + TOGETHER));
      checkMs += performance.now() - startedAt;
      await this.#handOut(shares);
    }
    return checkMs;
  }

  async #sharesOf(changes: readonly Change[]): Promise<Share[]> {
    const tables = Map.groupBy([...changes.entries()], ([, change]) => change.relation);
    const shares: Share[][] = [];
    for (const group of tables.values()) {
      try {
        shares.push(await this.#sharesOfTable(group));
      } catch (error) {
        this.#log.error({ err: error, table: group[0]![1].relation.name }, "changes could not be delivered");
      }
    }
    return shares.flat();
  }

  /** One batch for each subscriber, in the order of the log. Subscribers with the same shares get the same batch object. */
  async #handOut(shares: readonly Share[]): Promise<void> {
    const sharesOf = new Map<Subscriber, number[]>();
    for (const [at, { subscribers }] of shares.entries()) {
      for (const subscriber of subscribers)
        sharesOf.set(subscriber, [...(sharesOf.get(subscriber) ?? []), at]);
    }
    let handed = 0;
    for (const alike of Map.groupBy(sharesOf, ([, own]) => own.join()).values()) {
      const deliveries = alike[0]![1].flatMap((at) => shares[at]!.deliveries);
      const changes = deliveries.sort((one, other) => one.position - other.position);
      const batch = { changes, packets: new Map() };
      for (const [subscriber] of alike) {
        // Sockets need a moment to send: a burst all at once would turn everybody into a slow reader.
        if (handed >= PORTION) {
          await setImmediate();
          handed = 0;
        }
        handed += changes.length;
        try {
          subscriber.onChanges(batch);
        } catch (error) {
          this.#log.error({ err: error }, "changes could not be sent");
        }
      }
    }
  }

  async #sharesOfTable(changes: readonly [position: number, change: Change][]): Promise<Share[]> {
    const { relation } = changes[0]![1];
    if (!this.#subscriptions.wants(relation.schema, relation.name)) return [];
    const shape = await this.#shapeOf(relation);
    if (!shape) return [];
    const alike = await queries.rolesSeeingAll(this.#database, shape.oid);
    const groups = this.#subscriptions.byClaims(relation.schema, relation.name, alike);
    if (shape.primaryKey.length === 0) return this.#sharesWithoutKey(shape, changes, groups);
    const candidates = await Promise.all(
      changes.map(async ([position, change]) => ({
        position,
        change,
        row: await this.#completeRow(shape, change),
      })),
    );
    const shares: Share[][] = [];
    await inParallel(AT_ONCE, groups, async (group) => {
      try {
        shares.push(await this.#sharesOfGroup(shape, candidates, group));
      } catch (error) {
        this.#log.error({ err: error, table: relation.name }, "changes could not be delivered to some");
        for (const { subscriber } of [...group.crowds.values()].flat()) subscriber.onResumed();
      }
    });
    return shares.flat();
  }

  /** A caller who may select no column does not even learn that the table changed. */
  async #sharesWithoutKey(
    shape: Shape,
    changes: readonly [position: number, change: Change][],
    groups: readonly ClaimsGroup[],
  ): Promise<Share[]> {
    const shares: Share[][] = [];
    await inParallel(AT_ONCE, groups, async (group) => {
      const readable = await queries.readableColumns(this.#database, group.claims, shape.oid);
      if (readable.size > 0) shares.push(refusals(group, changes, "Error 400: Bad Request, no primary key"));
    });
    return shares.flat();
  }

  /** Visibility comes first: a filter never runs on a row its subscriber may not see, so not even its timing reveals anything. */
  async #sharesOfGroup(
    shape: Shape,
    candidates: readonly Candidate[],
    { claims, crowds }: ClaimsGroup,
  ): Promise<Share[]> {
    const subscriptions = Array.from(crowds.values(), ([{ wanted }]) => wanted).flat();
    const asked = candidates.filter(({ change }) => subscriptions.some((each) => wantsEvent(each, change)));
    if (asked.length === 0) return [];
    const visible = await this.#visibleRows(claims, shape, asked);
    if (visible === "hidden") {
      const changes = asked.map(({ position, change }) => [position, change] as const);
      const written = changes.filter(([, { type }]) => type !== "DELETE");
      return refusals({ claims, crowds }, written, "Error 401: Unauthorized");
    }
    // A deleted row cannot be queried. Its key alone is sent, to those who may read the key.
    const seen = asked.filter(({ change }, at) =>
      change.type === "DELETE" ? visible.columns.size > 0 : visible.rows.has(at),
    );
    const matches = await this.#matches(claims, shape, visible.columns, seen, crowds);
    const describerFor = describer(shape, visible.columns);
    const shares: Share[] = [];
    for (const members of crowds.values()) {
      const selections = Map.groupBy(members[0].wanted, ({ select }) => JSON.stringify(select));
      const deliveries = seen.flatMap(({ position, change, row }, at) =>
        [...selections.values()].flatMap((alike) => {
          const takes = (each: Subscription) =>
            wantsEvent(each, change) && passesFilter(each, change, at, shape, matches);
          const ids = alike.filter(takes).map(({ id }) => id);
          const { select } = alike[0]!;
          return ids.length === 0 ? [] : [{ position, ids, data: describerFor(select)(change, row) }];
        }),
      );
      if (deliveries.length === 0) continue;
      shares.push({ subscribers: members.map(({ subscriber }) => subscriber), deliveries });
      await setImmediate(); // a crowd may be one subscriber with columns of its own, and there may be thousands
    }
    return shares;
  }

  /** PostgreSQL sends a new relation when the table changes, so one relation object identifies one shape. */
  #shapeOf(relation: Change["relation"]): Promise<Shape | undefined> {
    let shape = this.#shapes.get(relation);
    if (!shape) {
      shape = queries.tableShape(this.#database, relation.relationOid);
      shape.catch(() => this.#shapes.delete(relation));
      this.#shapes.set(relation, shape);
    }
    return shape;
  }

  async #completeRow(shape: Shape, change: Change): Promise<Tuple> {
    const missing = shape.columns.map(({ name }) => name).filter((name) => change.row[name] === undefined);
    if (change.type === "DELETE" || missing.length === 0) return change.row;
    return {
      ...change.row,
      ...(await queries.currentValues(this.#database, shape, keyOf(shape, change.row), missing)),
    };
  }

  /** A commit reaches the log a moment before its rows are visible, so this queries until they are. */
  async #visibleRows(
    claims: Claims,
    shape: Shape,
    candidates: readonly Candidate[],
  ): Promise<queries.Visibility | "hidden"> {
    const keys = candidates.map(({ row }) => keyOf(shape, row));
    const transactions = new Set(candidates.map(({ change }) => change.transaction));
    for (const deadline = Date.now() + UNSEEN_MS; ; await sleep(1)) {
      const visible = await queries.visibleRows(this.#database, claims, shape, keys);
      if (visible === "hidden") return visible;
      if (Date.now() > deadline || ![...transactions].some(visible.isUnderWay)) return visible;
    }
  }

  /**
   * The candidates that each filter matches. A filter on a column that the subscriber may not select matches nothing. A
   * subscription whose filter fails, or takes too long again and again, ends with an error. A subscriber whose filter was not
   * evaluated missed changes.
   */
  async #matches(
    claims: Claims,
    shape: Shape,
    readable: ReadonlySet<string>,
    candidates: readonly Candidate[],
    crowds: ClaimsGroup["crowds"],
  ): Promise<Matches["rows"]> {
    const wanted = [...crowds.values()].flat().flatMap((member) => member.wanted);
    const filters = new Map<string, Filter>();
    for (const [filter, subscriptions] of Map.groupBy(wanted, (each) => each.filter)) {
      const { conditions } = subscriptions[0]!;
      const mayAsk = conditions.every(({ column }) => readable.has(column));
      if (filter !== undefined && mayAsk) filters.set(filter, { conditions, subscriptions });
    }
    const tuples = candidates.map(({ row }) => row);
    const matches = await matchRows(this.#database, claims, shape, filters, tuples, this.#time);
    const missing = new Set<Subscriber>();
    for (const subscription of wanted) {
      if (subscription.filter === undefined) continue;
      const missed = matches.missed.get(subscription.filter);
      const isTooSlow = missed !== undefined && this.#time.wasMissed(subscription, missed);
      const reason = isTooSlow ? TOO_LONG : matches.failed.get(subscription.filter);
      if (reason !== undefined) this.#subscriptions.end(subscription, `${reason}: ${subscription.filter}`);
      else if (missed !== undefined) missing.add(subscription.subscriber);
    }
    for (const subscriber of missing) subscriber.onResumed();
    return matches.rows;
  }
}

const wantsEvent = ({ event }: Subscription, { type }: Change) => event === "*" || event === type;

/** The log holds only the key of a deleted row, so a filter on another column does not match it. */
function passesFilter(
  { filter, conditions }: Subscription,
  change: Change,
  at: number,
  shape: Shape,
  matches: Matches["rows"],
): boolean {
  if (filter === undefined) return true;
  if (change.type === "DELETE") {
    const isKey = (column: string) => shape.primaryKey.some(({ name }) => name === column);
    if (!conditions.every(({ column }) => isKey(column))) return false;
  }
  return matches.get(filter)?.has(at) ?? false;
}

const keyOf = (shape: Shape, row: Tuple) => shape.primaryKey.map(({ name }) => row[name]!);

/**
 * Sent instead of rows that have no key, or whose key the caller may not see: the event and the reason, whatever the filter, like
 * realtime.apply_rls (supabase/walrus).
 */
function refusals(
  { crowds }: ClaimsGroup,
  changes: readonly (readonly [position: number, change: Change])[],
  error: string,
): Share[] {
  return Array.from(crowds.values(), (members) => ({
    subscribers: members.map(({ subscriber }) => subscriber),
    deliveries: changes.flatMap(([position, change]) => {
      const ids = members[0].wanted.filter((each) => wantsEvent(each, change)).map(({ id }) => id);
      return ids.length === 0 ? [] : [{ position, ids, data: withoutRow(change, error) }];
    }),
  })).filter(({ deliveries }) => deliveries.length > 0);
}

const withoutRow = ({ relation, committedAt, type }: Change, error: string): string =>
  JSON.stringify({
    schema: relation.schema,
    table: relation.name,
    commit_timestamp: committedAt,
    type,
    ...(type === "DELETE" ? {} : { record: {} }),
    ...(type === "INSERT" ? {} : { old_record: {} }),
    errors: [error],
    columns: [],
  });

type Describe = (change: Change, row: Tuple) => string;

/** Supabase's payload, reduced to the requested columns that the subscriber may select. */
function describer(
  shape: Shape,
  readable: ReadonlySet<string>,
): (select: Subscription["select"]) => Describe {
  const known = new Map<string, Describe>();
  return (select) => {
    const key = JSON.stringify(select ?? null);
    const describe = known.get(key) ?? describerOf(shape, selected(shape, readable, select));
    known.set(key, describe);
    return describe;
  };
}

/** Serializes each change once for all requests. Only the key of the old row is sent. */
function describerOf(shape: Shape, sent: ReadonlySet<string>): Describe {
  const columns = shape.columns.filter(({ name }) => sent.has(name));
  const key = shape.primaryKey.filter(({ name }) => sent.has(name));
  // A third of the payload, and the same for every row.
  const columnsJson = JSON.stringify(columns.map(({ name, type }) => ({ name, type })));
  const toRecord = (tuple: Tuple, among: readonly queries.TableColumn[]) =>
    Object.fromEntries(among.map(({ name, type }) => [name, toJson(type, tuple[name] ?? null)]));
  const texts = new Map<Change, string>();
  return (change, row) => {
    const written = texts.get(change);
    if (written !== undefined) return written;
    const changeJson = JSON.stringify({
      schema: change.relation.schema,
      table: change.relation.name,
      commit_timestamp: change.committedAt,
      type: change.type,
      ...(change.type === "DELETE" ? {} : { record: toRecord(row, columns) }),
      ...(change.type === "INSERT" ? {} : { old_record: toRecord(change.formerKey ?? row, key) }),
      errors: null,
    });
    const text = `${changeJson.slice(0, -1)},"columns":${columnsJson}}`;
    texts.set(change, text);
    return text;
  };
}

/** The requested columns that the subscriber may read, and the key. */
function selected(
  shape: Shape,
  readable: ReadonlySet<string>,
  select: Subscription["select"],
): ReadonlySet<string> {
  if (select === undefined) return readable;
  const wanted = new Set([...select, ...shape.primaryKey.map(({ name }) => name)]);
  return wanted.intersection(readable);
}

async function inParallel<T>(
  width: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
