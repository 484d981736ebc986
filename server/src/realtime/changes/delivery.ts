// Takes changes from the log to those who may see them. A change is checked once for each distinct set of claims, all
// changes of a batch in one query for each table and set, under that role: policies and column grants decide.
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { Claims } from "../../platform/jwt.ts";
import type { Log } from "../../platform/log.ts";
import type { Database } from "../../postgres/database.ts";
import * as queries from "../queries.ts";
import { type Matches, matchRows } from "./filtering.ts";
import type { ClaimsGroup, Subscriber, Subscription, Subscriptions } from "./subscriptions.ts";
import { toJson } from "./wal-value.ts";
import type { Change, Tuple } from "./wal-connection.ts";

type Shape = queries.TableShape;

interface Delivery {
  readonly position: number;
  readonly subscriber: Subscriber;
  readonly ids: number[];
  readonly data: string;
}

const AT_ONCE = 2; // checks in flight; requests of buyers use the same connections
const TOGETHER = 250; // changes; each is held once a subscriber while they are handed out
const PORTION = 500; // deliveries in one go
const UNSEEN_MS = 2000; // a commit that waits longer, for a standby say, is not waited for

interface Candidate {
  readonly position: number;
  readonly change: Change;
  readonly row: Tuple;
}

export class ChangeDelivery {
  readonly #database: Database;
  readonly #subscriptions: Subscriptions;
  readonly #log: Log;
  readonly #shapes = new WeakMap<Change["relation"], Promise<Shape | undefined>>();

  constructor(database: Database, subscriptions: Subscriptions, log: Log) {
    this.#database = database;
    this.#subscriptions = subscriptions;
    this.#log = log;
  }

  /** Resolves when every change of the batch was handed to its subscribers. Never rejects: what fails is logged. */
  async deliver(changes: readonly Change[]): Promise<void> {
    for (let at = 0; at < changes.length; at += TOGETHER) {
      await this.#handOut(await this.#deliveriesOf(changes.slice(at, at + TOGETHER)));
    }
  }

  async #deliveriesOf(changes: readonly Change[]): Promise<Delivery[]> {
    const tables = Map.groupBy([...changes.entries()], ([, change]) => change.relation);
    const deliveries: Delivery[][] = [];
    for (const group of tables.values()) {
      try {
        deliveries.push(await this.#deliveriesOfTable(group));
      } catch (error) {
        this.#log.error({ err: error, table: group[0]![1].relation.name }, "changes could not be delivered");
      }
    }
    return deliveries.flat().sort((one, other) => one.position - other.position);
  }

  async #handOut(deliveries: readonly Delivery[]): Promise<void> {
    for (const [at, { subscriber, ids, data }] of deliveries.entries()) {
      // Sockets need a moment to send: a burst all at once would make a slow reader of everybody.
      if (at > 0 && at % PORTION === 0) await setImmediate();
      try {
        subscriber.onChange({ ids, data });
      } catch (error) {
        this.#log.error({ err: error }, "a change could not be sent");
      }
    }
  }

  async #deliveriesOfTable(changes: readonly [position: number, change: Change][]): Promise<Delivery[]> {
    const { relation } = changes[0]![1];
    if (!this.#subscriptions.wants(relation.schema, relation.name)) return [];
    const shape = await this.#shapeOf(relation);
    if (!shape || shape.primaryKey.length === 0) return [];
    const alike = await queries.rolesSeeingAll(this.#database, shape.oid);
    const groups = this.#subscriptions.byClaims(relation.schema, relation.name, alike);
    const candidates = await Promise.all(
      changes.map(async ([position, change]) => ({
        position,
        change,
        row: await this.#completeRow(shape, change),
      })),
    );
    const deliveries: Delivery[][] = [];
    await inParallel(AT_ONCE, groups, async (group) => {
      try {
        deliveries.push(await this.#deliveriesOfGroup(shape, candidates, group));
      } catch (error) {
        this.#log.error({ err: error, table: relation.name }, "changes could not be delivered to some");
        for (const subscriber of new Set(group.subscriptions.map((each) => each.subscriber)))
          subscriber.onResumed();
      }
    });
    return deliveries.flat();
  }

  /** Visibility comes first: a filter never runs on a row its subscriber may not see, so not even its timing reveals anything. */
  async #deliveriesOfGroup(
    shape: Shape,
    candidates: readonly Candidate[],
    { claims, subscriptions: wanted }: ClaimsGroup,
  ): Promise<Delivery[]> {
    const asked = candidates.filter(({ change }) => wanted.some((each) => wantsEvent(each, change)));
    if (asked.length === 0) return [];
    const visible = await this.#visibleRows(claims, shape, asked);
    // A deleted row cannot be queried. Its key alone is sent, to those who may read the key.
    const seen = asked.filter(({ change }, at) =>
      change.type === "DELETE" ? visible.columns.size > 0 : visible.rows.has(at),
    );
    const matches = await this.#matches(claims, shape, visible.columns, seen, wanted);
    const describers = new Map<string, ReturnType<typeof describer>>();
    const describerOf = (select: Subscription["select"]) => {
      const key = JSON.stringify(select);
      const describe = describers.get(key) ?? describer(shape, selected(shape, visible.columns, select));
      describers.set(key, describe);
      return describe;
    };
    return seen.flatMap(({ position, change, row }, at) => {
      const takers = wanted.filter(
        (each) => wantsEvent(each, change) && passesFilter(each, change, at, shape, matches),
      );
      if (takers.length === 0) return [];
      const selections = Map.groupBy(takers, ({ select }) => JSON.stringify(select));
      return Array.from(selections.values()).flatMap((alike) => {
        const data = describerOf(alike[0]!.select)(change, row);
        return [...idsBySubscriber(alike)].map(([subscriber, ids]) => ({ position, subscriber, ids, data }));
      });
    });
  }

  /** PostgreSQL sends the relation anew when the table changes, so an object stands for one shape. */
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

  /** A commit reaches the log a moment before its rows are visible: queries until they are. */
  async #visibleRows(
    claims: Claims,
    shape: Shape,
    candidates: readonly Candidate[],
  ): Promise<queries.Visibility> {
    const keys = candidates.map(({ row }) => keyOf(shape, row));
    const transactions = new Set(candidates.map(({ change }) => change.transaction));
    for (const deadline = Date.now() + UNSEEN_MS; ; await sleep(1)) {
      const visible = await queries.visibleRows(this.#database, claims, shape, keys);
      if (Date.now() > deadline || ![...transactions].some(visible.isUnderWay)) return visible;
    }
  }

  /**
   * The candidates that each filter matches. A filter on a column that the subscriber may not select matches nothing; a
   * subscription whose filter fails ends with an error.
   */
  async #matches(
    claims: Claims,
    shape: Shape,
    readable: ReadonlySet<string>,
    candidates: readonly Candidate[],
    wanted: readonly Subscription[],
  ): Promise<Matches["rows"]> {
    const filters = new Map<string, Subscription["conditions"]>();
    for (const { filter, conditions } of wanted) {
      const mayAsk = conditions.every(({ column }) => readable.has(column));
      if (filter !== undefined && mayAsk) filters.set(filter, conditions);
    }
    const tuples = candidates.map(({ row }) => row);
    const matches = await matchRows(this.#database, claims, shape, filters, tuples);
    for (const subscription of wanted) {
      const reason = subscription.filter === undefined ? undefined : matches.failed.get(subscription.filter);
      if (reason !== undefined) this.#subscriptions.end(subscription, `${reason}: ${subscription.filter}`);
    }
    return matches.rows;
  }
}

const wantsEvent = ({ event }: Subscription, { type }: Change) => event === "*" || event === type;

/** The log holds only the key of a deleted row: a filter on another column does not match it. */
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

/** Writes Supabase's payload, reduced to the columns the subscriber may select. Of the former row only the key is sent. */
function describer(shape: Shape, readable: ReadonlySet<string>): (change: Change, row: Tuple) => string {
  const columns = shape.columns.filter(({ name }) => readable.has(name));
  const key = shape.primaryKey.filter(({ name }) => readable.has(name));
  // A third of the payload, and the same for every row.
  const columnsJson = JSON.stringify(columns.map(({ name, type }) => ({ name, type })));
  const toRecord = (tuple: Tuple, among: readonly queries.TableColumn[]) =>
    Object.fromEntries(among.map(({ name, type }) => [name, toJson(type, tuple[name] ?? null)]));
  return (change, row) => {
    const changeJson = JSON.stringify({
      schema: change.relation.schema,
      table: change.relation.name,
      commit_timestamp: change.committedAt,
      type: change.type,
      ...(change.type === "DELETE" ? {} : { record: toRecord(row, columns) }),
      ...(change.type === "INSERT" ? {} : { old_record: toRecord(change.formerKey ?? row, key) }),
      errors: null,
    });
    return `${changeJson.slice(0, -1)},"columns":${columnsJson}}`;
  };
}

/** Of the columns the subscriber may read those it asked for, and the key. */
function selected(
  shape: Shape,
  readable: ReadonlySet<string>,
  select: Subscription["select"],
): ReadonlySet<string> {
  if (select === undefined) return readable;
  const wanted = new Set([...select, ...shape.primaryKey.map(({ name }) => name)]);
  return wanted.intersection(readable);
}

function idsBySubscriber(takers: readonly Subscription[]): Map<Subscriber, number[]> {
  const ids = new Map<Subscriber, number[]>();
  for (const { subscriber, id } of takers) ids.set(subscriber, [...(ids.get(subscriber) ?? []), id]);
  return ids;
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
