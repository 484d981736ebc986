// Takes changes from the log to those who may see them. A change is checked once for each distinct set of claims, all
// changes of a batch in one query for each table and set, under that role: policies and column grants decide.
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { Claims } from "../../platform/jwt.ts";
import type { Log } from "../../platform/log.ts";
import type { Database } from "../../postgres/database.ts";
import * as queries from "../queries.ts";
import { matchRows } from "./filtering.ts";
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
const PORTION = 500; // deliveries in one go
const UNSEEN_MS = 2000; // a commit that waits longer, for a standby say, is not waited for

/** Resolves when every change of the batch was handed to its subscribers. Never rejects: what fails is logged. */
export function createDelivery(database: Database, subscriptions: Subscriptions, log: Log) {
  const shapes = new WeakMap<Change["relation"], Promise<Shape | undefined>>();

  /** PostgreSQL sends the relation anew when the table changes, so an object stands for one shape. */
  const shapeOf = (relation: Change["relation"]) => {
    let shape = shapes.get(relation);
    if (!shape) {
      shape = queries.tableShape(database, relation.relationOid);
      shape.catch(() => shapes.delete(relation));
      shapes.set(relation, shape);
    }
    return shape;
  };

  async function deliverTable(changes: readonly [position: number, change: Change][]): Promise<Delivery[]> {
    const { relation } = changes[0]![1];
    if (!subscriptions.wants(relation.schema, relation.name)) return [];
    const shape = await shapeOf(relation);
    if (!shape || shape.primaryKey.length === 0) return [];
    const alike = await queries.rolesSeeingAll(database, shape.oid);
    const groups = subscriptions.byClaims(relation.schema, relation.name, alike);
    const complete = await Promise.all(
      changes.map(async ([position, change]) => ({
        position,
        change,
        row: await completeRow(shape, change),
      })),
    );
    const deliveries: Delivery[] = [];
    await inParallel(AT_ONCE, groups, async (group) => {
      try {
        deliveries.push(...(await deliverGroup(shape, complete, group)));
      } catch (error) {
        log.error({ err: error, table: relation.name }, "changes could not be delivered to some");
        for (const subscriber of new Set(group.subscriptions.map((each) => each.subscriber)))
          subscriber.onResumed();
      }
    });
    return deliveries;
  }

  /** Visibility comes first: a filter never runs on a row its subscriber may not see, so not even its timing reveals anything. */
  async function deliverGroup(
    shape: Shape,
    candidates: readonly Candidate[],
    { claims, subscriptions: wanted }: ClaimsGroup,
  ): Promise<Delivery[]> {
    const asked = candidates.filter(({ change }) => wanted.some((each) => wantsEvent(each, change)));
    if (asked.length === 0) return [];
    const keys = asked.map(({ row }) => keyOf(shape, row));
    const transactions = new Set(asked.map(({ change }) => change.transaction));
    const visible = await visibleRows(claims, shape, keys, transactions);
    // A deleted row cannot be queried. Its key alone is sent, to those who may read the key.
    const seen = asked.filter(({ change }, at) =>
      change.type === "DELETE" ? visible.columns.size > 0 : visible.rows.has(at),
    );
    const passes = await evaluateFilters(claims, shape, visible.columns, seen, wanted);
    const describe = describer(shape, visible.columns);
    return seen.flatMap(({ position, change, row }, at) => {
      const takers = wanted.filter((subscription) => passes(subscription, at));
      if (takers.length === 0) return [];
      const data = describe(change, row);
      return [...idsBySubscriber(takers)].map(([subscriber, ids]) => ({ position, subscriber, ids, data }));
    });
  }

  /** A commit reaches the log a moment before its rows are visible: queries until they are. */
  async function visibleRows(
    claims: Claims,
    shape: Shape,
    keys: readonly (readonly string[])[],
    transactions: ReadonlySet<number>,
  ): Promise<queries.Visibility> {
    for (const deadline = Date.now() + UNSEEN_MS; ; await sleep(1)) {
      const visible = await queries.visibleRows(database, claims, shape, keys);
      if (Date.now() > deadline || ![...transactions].some(visible.isUnderWay)) return visible;
    }
  }

  async function completeRow(shape: Shape, change: Change): Promise<Tuple> {
    const missing = shape.columns.map(({ name }) => name).filter((name) => change.row[name] === undefined);
    if (change.type === "DELETE" || missing.length === 0) return change.row;
    return {
      ...change.row,
      ...(await queries.currentValues(database, shape, keyOf(shape, change.row), missing)),
    };
  }

  /**
   * Whether a subscription wants a change. The log holds only the key of a deleted row: other columns match nothing, nor do
   * columns that the subscriber may not select. A subscription whose filter fails ends with an error.
   */
  async function evaluateFilters(
    claims: Claims,
    shape: Shape,
    readable: ReadonlySet<string>,
    rows: readonly Candidate[],
    wanted: readonly Subscription[],
  ) {
    const filters = new Map<string, Subscription["conditions"]>();
    for (const { filter, conditions } of wanted) {
      const mayAsk = conditions.every(({ column }) => readable.has(column));
      if (filter !== undefined && mayAsk) filters.set(filter, conditions);
    }
    const tuples = rows.map(({ row }) => row);
    const matches = await matchRows(database, claims, shape, filters, tuples);
    for (const subscription of wanted) {
      const reason = subscription.filter === undefined ? undefined : matches.failed.get(subscription.filter);
      if (reason !== undefined) subscriptions.end(subscription, `${reason}: ${subscription.filter}`);
    }
    const isKey = (name: string) => shape.primaryKey.some((column) => column.name === name);
    return (subscription: Subscription, at: number) => {
      const { filter, conditions } = subscription;
      const { change } = rows[at]!;
      if (!wantsEvent(subscription, change)) return false;
      if (filter === undefined) return true;
      if (change.type === "DELETE" && !conditions.every(({ column }) => isKey(column))) return false;
      return matches.rows.get(filter)?.has(at) ?? false;
    };
  }

  return async function deliver(changes: readonly Change[]): Promise<void> {
    const tables = Map.groupBy([...changes.entries()], ([, change]) => change.relation);
    const deliveries: Delivery[] = [];
    for (const group of tables.values()) {
      try {
        deliveries.push(...(await deliverTable(group)));
      } catch (error) {
        log.error({ err: error, table: group[0]![1].relation.name }, "changes could not be delivered");
      }
    }
    deliveries.sort((one, other) => one.position - other.position);
    for (const [at, { subscriber, ids, data }] of deliveries.entries()) {
      // Sockets need a moment to send: a burst all at once would make a slow reader of everybody.
      if (at > 0 && at % PORTION === 0) await setImmediate();
      try {
        subscriber.onChange({ ids, data });
      } catch (error) {
        log.error({ err: error }, "a change could not be sent");
      }
    }
  };
}

interface Candidate {
  readonly position: number;
  readonly change: Change;
  readonly row: Tuple;
}

const wantsEvent = ({ event }: Subscription, { type }: Change) => event === "*" || event === type;

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
    const told = JSON.stringify({
      schema: change.relation.schema,
      table: change.relation.name,
      commit_timestamp: change.committedAt,
      type: change.type,
      ...(change.type === "DELETE" ? {} : { record: toRecord(row, columns) }),
      ...(change.type === "INSERT" ? {} : { old_record: toRecord(change.formerKey ?? row, key) }),
      errors: null,
    });
    return `${told.slice(0, -1)},"columns":${columnsJson}}`;
  };
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
