// Every statement of the server runs through here. Owns connections and the row-level security envelope: one
// transaction with role and claims set locally. Hides pipelining, which makes that envelope one round trip.
import pg from "pg";
import type { Claims } from "../platform/jwt.ts";
import { GuardedClient } from "./guard.ts";

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Names a prepared statement; the text must be the same each time. */
  readonly name?: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- what a row holds is the query's word, not the compiler's
export type Row = Record<string, any>;

export interface Result<T extends Row = Row> {
  readonly rows: T[];
  readonly rowCount: number | null;
}

/** Runs one statement. Rejects with pg's DatabaseError, whose `code` is the SQLSTATE. */
export interface Executor {
  query<T extends Row = Row>(text: string, values?: readonly unknown[]): Promise<Result<T>>;
  run<T extends Row = Row>(statement: Statement): Promise<Result<T>>;
}

/** Who asks, and what SQL may know of the request (readable with current_setting('request.headers') and so on). */
export interface RequestScope {
  readonly claims: Claims;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly readOnly?: boolean;
}

export interface Database {
  /** One statement under the caller's role and claims, in one transaction and one round trip. */
  run<T extends Row = Row>(scope: RequestScope, statement: Statement): Promise<Result<T>>;
  /** Several statements under the caller's role and claims; an exception rolls all of them back. */
  transaction<T>(scope: RequestScope, work: (tx: Executor) => Promise<T>): Promise<T>;
  /** The only way around row-level security. `why` is for the reader and is checked to be there. */
  asService(why: string): ServiceDatabase;
  /** The same, on connections of its own: the sale must not wait behind other work of the service. */
  asSale(why: string): ServiceDatabase;
  close(): Promise<void>;
}

export interface ServiceDatabase extends Executor {
  transaction<T>(work: (tx: Executor) => Promise<T>): Promise<T>;
}

export interface PoolSizes {
  /** Connections for requests, and apart from them for the service itself, so that neither starves the other. */
  readonly requests: number;
  readonly service: number;
  /** One for each lane of the reservation queue; 2 when left out. */
  readonly sale?: number;
}

/** `options.sizes` defaults to 10 and 6. Connections are opened when first needed. */
export function openDatabase(url: string, options: { sizes?: PoolSizes } = {}): Database {
  const sizes = options.sizes ?? { requests: 10, service: 6 };
  const requests = createPool(url, sizes.requests);
  const service = createPool(url, sizes.service);
  const sale = createPool(url, sizes.sale ?? 2);

  return {
    run: (scope, statement) =>
      withClient(requests, async (client) => {
        // All four are on the wire before the first answer comes. A failed statement turns COMMIT into ROLLBACK.
        const begin = client.query(scope.readOnly ? "begin read only" : "begin");
        const envelope = client.query(scopeStatement(scope));
        const answer = client.query(toQuery(statement));
        const commit = client.query("commit");
        const [, , result] = await settleAll([begin, envelope, answer, commit]);
        return result as unknown as Result<never>;
      }),

    transaction: (scope, work) =>
      withClient(requests, (client) =>
        inTransaction(client, scope.readOnly ? "begin read only" : "begin", work, scopeStatement(scope)),
      ),

    asService: (why) => unrestricted(service, why),
    asSale: (why) => unrestricted(sale, why),

    async close() {
      await Promise.all([requests.end(), service.end(), sale.end()]);
    },
  };
}

function unrestricted(pool: pg.Pool, why: string): ServiceDatabase {
  if (why.trim() === "") throw new Error("going around row-level security needs a reason");
  return {
    query: (text, values) => withClient(pool, (client) => execute(client, { text, values: values ?? [] })),
    run: (statement) => withClient(pool, (client) => execute(client, statement)),
    transaction: (work) => withClient(pool, (client) => inTransaction(client, "begin", work)),
  };
}

const scopeStatement = (scope: RequestScope) => ({
  name: "request_scope",
  text: `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true),
    set_config('request.method', $3, true), set_config('request.path', $4, true),
    set_config('request.headers', $5, true), set_config('search_path', 'public, extensions', true)`,
  values: [
    scope.claims.role,
    JSON.stringify(scope.claims),
    scope.method ?? "",
    scope.path ?? "",
    JSON.stringify(scope.headers ?? {}),
  ],
});

function createPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    Client: GuardedClient,
    connectionString: url,
    max,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 10_000,
    application_name: "thats-so-houston",
    pipeline: true,
  });
  // An idle connection that breaks is replaced by the next request; without a listener it would end the process.
  pool.on("error", () => {});
  return pool;
}

const toQuery = (statement: Statement) => ({
  text: statement.text,
  values: statement.values as unknown[] | undefined,
  ...(statement.name === undefined ? {} : { name: statement.name }),
});

async function execute<T extends Row>(client: pg.PoolClient, statement: Statement): Promise<Result<T>> {
  return client.query<T>(toQuery(statement));
}

async function inTransaction<T>(
  client: pg.PoolClient,
  begin: string,
  work: (tx: Executor) => Promise<T>,
  envelope?: pg.QueryConfig,
): Promise<T> {
  const opening = [client.query(begin), ...(envelope ? [client.query(envelope)] : [])];
  const tx: Executor = {
    query: (text, values) => execute(client, { text, values: values ?? [] }),
    run: (statement) => execute(client, statement),
  };
  try {
    await settleAll(opening);
    const result = await work(tx);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** Like Promise.all, but waits for every answer before it fails, so that the connection is idle again. */
async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  const failed = settled.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
  return settled.map((outcome) => (outcome as PromiseFulfilledResult<T>).value);
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on("error", onError);
  try {
    return await work(client);
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}
