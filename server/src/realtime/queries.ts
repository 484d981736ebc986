// The realtime service's main SQL: what policies allow on private channels, the shape of published tables, and which rows of a change a
// subscriber may see.
import type { Claims } from "../platform/keys/jwt.ts";
import type { Database } from "../postgres/database.ts";
import type { Executor, Row, ServiceDatabase, Statement } from "../postgres/executor.ts";

export interface ChannelPolicies {
  /** May receive broadcasts. */
  readonly read: boolean;
  /** May see who is present. */
  readonly readPresence: boolean;
  readonly broadcast: boolean;
  readonly presence: boolean;
}

class Rollback extends Error {}

/** Checks the policies of realtime.messages with rows that are never committed. */
export async function channelPolicies(
  database: Database,
  claims: Claims,
  topic: string,
): Promise<ChannelPolicies> {
  const service = database.asService("a private channel's policies are asked about rows nobody has written");
  let policies: ChannelPolicies = { read: false, readPresence: false, broadcast: false, presence: false };
  try {
    await service.transaction(async (tx) => {
      const { rows } = await tx.query<{ id: string }>(
        `insert into realtime.messages (topic, extension) values ($1, 'broadcast'), ($1, 'presence') returning id`,
        [topic],
      );
      await tx.query(
        `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true),
           set_config('realtime.topic', $3, true)`,
        [claims.role, JSON.stringify(claims), topic],
      );
      const seen = await tx.query<{ extension: string }>(
        "select extension from realtime.messages where id = any($1)",
        [rows.map((row) => row.id)],
      );
      const extensions = new Set(seen.rows.map(({ extension }) => extension));
      policies = {
        read: extensions.has("broadcast"),
        readPresence: extensions.has("presence"),
        broadcast: await mayWrite(tx, topic, "broadcast"),
        presence: await mayWrite(tx, topic, "presence"),
      };
      throw new Rollback();
    });
  } catch (error) {
    if (!(error instanceof Rollback)) throw error;
  }
  return policies;
}

async function mayWrite(tx: Executor, topic: string, extension: string): Promise<boolean> {
  await tx.query("savepoint attempt");
  try {
    await tx.query("insert into realtime.messages (topic, extension) values ($1, $2)", [topic, extension]);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== "42501") throw error; // refused by privilege or policy
    return false;
  } finally {
    await tx.query("rollback to savepoint attempt");
  }
}

/** Runs a function that a project may lack; undefined then. */
async function runIfThere<T extends Row>(
  database: ServiceDatabase,
  statement: Statement,
): Promise<T | undefined> {
  try {
    return (await database.run<T>(statement)).rows[0];
  } catch (error) {
    if ((error as { code?: string }).code === "42883") return undefined;
    throw error;
  }
}

/** False for a session that ended, if the project says so. Without its function, channels go on until the token's end. */
export async function mayJoinLive(database: Database, { sub, session_id }: Claims): Promise<boolean> {
  const service = database.asService("whether a session has ended is the service's to know");
  const row = await runIfThere<{ may: boolean }>(service, {
    name: "may_join_live",
    text: "select public.may_join_live($1, $2) as may",
    values: [sub, session_id],
  });
  return row?.may ?? true;
}

export interface SessionOfUser {
  readonly user_id: string;
  readonly session_id?: string;
}

const AT_ONCE = 1000; // sessions in one query

/** Returns those of the sessions that have ended; none without the project's function. */
export async function endedSessions(
  database: Database,
  sessions: readonly SessionOfUser[],
): Promise<SessionOfUser[]> {
  const service = database.asService("whether a session has ended is the service's to know");
  const ended: SessionOfUser[] = [];
  for (let at = 0; at < sessions.length; at += AT_ONCE) {
    const some = sessions.slice(at, at + AT_ONCE);
    const row = await runIfThere<{ live: boolean[] }>(service, {
      name: "live_sessions",
      text: "select public.live_sessions($1::jsonb) as live",
      values: [JSON.stringify(some)],
    });
    ended.push(...some.filter((_, position) => row?.live[position] === false));
  }
  return ended;
}

/** In the order of the payloads, in one query. */
export async function notifyAll(database: Database, payloads: readonly string[]): Promise<void> {
  const service = database.asService("what server processes say to each other is theirs");
  await service.run({
    name: "notify_all",
    text: "select pg_notify('realtime', payload) from unnest($1::text[]) as sent (payload)",
    values: [payloads],
  });
}

export interface TableColumn {
  readonly name: string;
  /** Name in pg_type, which the client's converters know: `int4`, `_text`. */
  readonly type: string;
  /** As SQL writes it, for casts. */
  readonly sqlType: string;
}

export interface TableShape {
  readonly oid: number;
  /** Quoted and qualified. */
  readonly sqlName: string;
  readonly columns: readonly TableColumn[];
  readonly primaryKey: readonly TableColumn[];
}

const SHAPE = `
  select c.oid, format('%I.%I', n.nspname, c.relname) as "sqlName",
    (select coalesce(json_agg(json_build_object('name', a.attname, 'type', t.typname,
              'sqlType', format_type(a.atttypid, null)) order by a.attnum), '[]')
       from pg_attribute a join pg_type t on t.oid = a.atttypid
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select coalesce(json_agg(a.attname order by k.position), '[]')
       from pg_index i, unnest(i.indkey) with ordinality as k(attnum, position)
       join pg_attribute a on a.attnum = k.attnum
       where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid) as key
  from pg_class c join pg_namespace n on n.oid = c.relnamespace`;

interface ShapeRow {
  readonly oid: number;
  readonly sqlName: string;
  readonly columns: TableColumn[];
  /** Names, in the key's order. */
  readonly key: string[];
}

const shapeOf = (row: ShapeRow | undefined): TableShape | undefined =>
  row && {
    oid: row.oid,
    sqlName: row.sqlName,
    columns: row.columns,
    primaryKey: row.key.map((name) => row.columns.find((each) => each.name === name)!),
  };

const catalog = (database: Database) => database.asService("the shape of tables is the same for everybody");

export const tableShape = async (database: Database, oid: number) =>
  shapeOf((await catalog(database).query<ShapeRow>(`${SHAPE} where c.oid = $1`, [oid])).rows[0]);

/** The published tables a subscription may match; null means all of a schema, or all schemas. */
export const publishedTables = async (database: Database, schema: string | null, table: string | null) => {
  const { rows } = await catalog(database).query<ShapeRow>(
    `${SHAPE} join pg_publication_tables p
       on p.schemaname = n.nspname and p.tablename = c.relname and p.pubname = 'supabase_realtime'
     where ($1::text is null or n.nspname = $1) and ($2::text is null or c.relname = $2)`,
    [schema, table],
  );
  return rows.map((row) => shapeOf(row)!);
};

/**
 * The roles that may see every row of a table whatever their other claims, so that one query answers for all who hold the role. Queried
 * for each batch, because policies may change at any time.
 */
export const rolesSeeingAll = async (database: Database, oid: number): Promise<ReadonlySet<string>> => {
  const { rows } = await catalog(database).run<{ role: string }>({
    name: "roles_seeing_all",
    text: `with reading as (
       select polpermissive, polroles, pg_get_expr(polqual, polrelid) as condition from pg_policy
       where polrelid = $1 and polcmd in ('r', '*')
     )
     select r.rolname as role from pg_roles r, pg_class c
     where r.rolname in ('anon', 'authenticated', 'service_role') and c.oid = $1 and (
       r.rolbypassrls or not c.relrowsecurity or (
         exists (select from reading where polpermissive and condition = 'true'
           and (polroles = '{0}' or r.oid = any (polroles)))
         and not exists (select from reading where not polpermissive)))`,
    values: [oid],
  });
  return new Set(rows.map((row) => row.role));
};

export interface Visibility {
  /** Positions, in the order given, of the rows that the caller may see. */
  readonly rows: ReadonlySet<number>;
  /** Columns the caller may select. */
  readonly columns: ReadonlySet<string>;
  /** Whether a transaction, by the low 32 bits of its number that the log holds, was not yet visible. */
  isUnderWay(transaction: number): boolean;
}

const READABLE = `array(select a.attname::text from pg_attribute a where a.attrelid = $1 and a.attnum > 0
  and not a.attisdropped and has_column_privilege(a.attrelid, a.attnum, 'select'))`;

/** The columns of a table that the caller may select. */
export async function readableColumns(
  database: Database,
  claims: Claims,
  oid: number,
): Promise<ReadonlySet<string>> {
  const scope = { claims, readOnly: true };
  const { rows } = await database.run(scope, { text: `select ${READABLE} as columns`, values: [oid] });
  return new Set<string>(rows[0]!.columns);
}

const NOTHING: Visibility = { rows: new Set(), columns: new Set(), isUnderWay: () => false };

/** `keys`: one primary key per row, as text. Runs under the caller's role, so policies and grants decide; "hidden" if it may select no key. */
export async function visibleRows(
  database: Database,
  claims: Claims,
  table: TableShape,
  keys: readonly (readonly string[])[],
): Promise<Visibility | "hidden"> {
  const { primaryKey } = table;
  const arrays = primaryKey.map((column, at) => `$${at + 2}::${column.sqlType}[]`).join(", ");
  const names = primaryKey.map((_, at) => `k${at}`).join(", ");
  const matches = primaryKey.map((column, at) => `t.${quote(column.name)} = k${at}`).join(" and ");
  try {
    const { rows } = await database.run(
      { claims, readOnly: true },
      {
        text: `select
            ${READABLE} as columns,
            array(select position::int4 from unnest(${arrays}) with ordinality as keys(${names}, position)
              where exists (select from ${table.sqlName} t where ${matches})) as rows,
            pg_current_snapshot()::text as snapshot`,
        values: [table.oid, ...primaryKey.map((_, at) => keys.map((key) => key[at]))],
      },
    );
    const [found] = rows;
    return {
      columns: new Set<string>(found!.columns),
      rows: new Set(found!.rows.map((position: number) => position - 1)),
      isUnderWay: underWayIn(found!.snapshot),
    };
  } catch (error) {
    const { code = "" } = error as { code?: string };
    // 42501: no privilege on the key, or on any column.
    if (code === "42501")
      return (await readableColumns(database, claims, table.oid)).size > 0 ? "hidden" : NOTHING;
    if (["42P01", "42703"].includes(code)) return NOTHING; // the table was changed or dropped since
    throw error;
  }
}

/** Parses a pg_snapshot: `xmin:xmax:` and the transactions in progress between them. Each has 32 more bits that count the wraparounds. */
function underWayIn(snapshot: string): Visibility["isUnderWay"] {
  const [, end = "", between = ""] = snapshot.split(":");
  const number = (text: string) => Number(BigInt.asUintN(32, BigInt(text)));
  const next = number(end);
  const underWay = new Set(between.split(",").filter(Boolean).map(number));
  return (transaction) => underWay.has(transaction) || ((transaction - next) | 0) >= 0;
}

/**
 * Values that the WAL leaves out because they are stored out of line (TOAST) and did not change, as text; looked up once for all
 * subscribers.
 */
export async function currentValues(
  database: Database,
  table: TableShape,
  key: readonly string[],
  columns: readonly string[],
): Promise<Record<string, string | null>> {
  const service = database.asService(
    "unchanged large values are completed before anybody is asked about the row",
  );
  const conditions = table.primaryKey.map(
    (column, at) => `${quote(column.name)} = $${at + 1}::${column.sqlType}`,
  );
  const { rows } = await service.query<Record<string, string | null>>(
    `select ${columns.map((name) => `${quote(name)}::text`).join(", ")} from ${table.sqlName}
     where ${conditions.join(" and ")}`,
    key,
  );
  return rows[0] ?? {};
}

export interface ValueColumn {
  readonly sqlType: string;
  /** One text per row. */
  readonly values: readonly (string | null)[];
}

export interface FilterResult {
  /** Positions of the rows that satisfy it; undefined if it was not begun. */
  readonly rows: ReadonlySet<number> | undefined;
  readonly ms: number;
}

/**
 * Evaluates expressions one after the other, as the subscriber: each over all rows, because PostgreSQL keeps no more than 32 compiled
 * patterns (200 patterns over 250 rows took 170 ms row by row, and 22 ms so). Expressions refer to the columns as c0, c1 … and use
 * parameters that come after the columns' own. Once half the time has passed, no other than the first is begun.
 */
export async function evaluate(
  database: Pick<Database, "transaction">,
  claims: Claims,
  columns: readonly ValueColumn[],
  expressions: readonly string[],
  parameters: readonly unknown[],
  withinMs: number,
): Promise<FilterResult[]> {
  const arrays = columns.map((column, at) => `$${at + 1}::text[]::${column.sqlType}[]`).join(", ");
  const names = columns.map((_, at) => `c${at}`).join(", ");
  const elapsed = "extract(epoch from clock_timestamp() - statement_timestamp()) * 1000";
  const results = expressions.map((expression, at) => {
    const found = `array(select position::int4 from changed where ${expression})`;
    const inTime = at === 0 ? found : `case when ${elapsed} < ${withinMs / 2} then ${found} end`;
    return `${inTime} as "rows ${at}", (${elapsed})::float8 as "ms ${at}"`;
  });
  const { rows } = await database.transaction({ claims, readOnly: true }, async (tx) => {
    await tx.query("select set_config('statement_timeout', $1, true)", [`${withinMs}ms`]);
    return tx.query<Record<string, unknown>>(
      `with changed as materialized (
         select * from unnest(${arrays}) with ordinality as changed(${names}, position))
       select ${results.join(", ")}`,
      [...columns.map((column) => column.values), ...parameters],
    );
  });
  const row = rows[0]!;
  const ended = expressions.map((_, at) => row[`ms ${at}`] as number);
  return ended.map((ms, at) => {
    const positions = row[`rows ${at}`] as readonly number[] | null;
    return {
      rows: positions === null ? undefined : new Set(positions.map((position) => position - 1)),
      ms: ms - (ended[at - 1] ?? 0),
    };
  });
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
