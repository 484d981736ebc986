// A pool of connections, and what runs on each of them. Hides how pg reports a broken connection.
import type { Writable } from "node:stream";
import pg from "pg";
import { ServiceError } from "../../platform/errors.ts";
import type { Executor, Result, Row, ServiceDatabase, Statement } from "../executor.ts";
import { GuardedClient } from "./guard.ts";
import { departed, poolTimeout } from "./turns.ts";

/** Connections are opened when first needed. */
export function createPool(url: string, max: number, settings: pg.ClientConfig = {}): pg.Pool {
  const pool = new pg.Pool({
    Client: GuardedClient,
    connectionString: url,
    max,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 10_000,
    application_name: "server",
    pipeline: true,
    ...settings,
  });
  // An idle connection that breaks is replaced by the next request; without a listener it would end the process.
  pool.on("error", () => {});
  return pool;
}

/** Statements of the pool's own role, outside row-level security. */
export function unrestricted(pool: pg.Pool, why: string): ServiceDatabase {
  if (why.trim() === "") throw new Error("bypassing row-level security needs a reason");
  return {
    query: (text, values) => withClient(pool, (client) => execute(client, { text, values: values ?? [] })),
    run: (statement) => withClient(pool, (client) => execute(client, statement)),
    transaction: (work) => withClient(pool, (client) => inTransaction(client, "begin", work)),
  };
}

/**
 * `giveUp` takes the promise that ends the connection's work. The connection is then closed, so that the cancellation cannot
 * hit its next user.
 */
export async function withClient<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, giveUp: (ending: Promise<unknown>) => void) => Promise<T>,
): Promise<T> {
  const client = await connected(pool);
  let ending: Promise<unknown> | undefined;
  try {
    return await work(client, (end) => {
      ending = end;
    });
  } catch (error) {
    throw client.failure ? lost(error) : error;
  } finally {
    await ending?.catch(() => {});
    client.release(client.failure ?? (ending && departed()));
  }
}

async function connected(pool: pg.Pool): Promise<pg.PoolClient & GuardedClient> {
  try {
    return (await pool.connect()) as pg.PoolClient & GuardedClient;
  } catch (cause) {
    const isFull = (cause as Error).message === "timeout exceeded when trying to connect";
    throw isFull ? poolTimeout() : lost(cause);
  }
}

/** PostgREST's answer when the database cannot be reached. */
const lost = (cause: unknown) =>
  new ServiceError(503, "PGRST001", "Database client error. Retrying the connection.", { cause });

/** Sends all statements before the first answer arrives, and returns the answers. The first failure is thrown. */
export const pipelined = (
  client: pg.PoolClient,
  statements: readonly (string | pg.QueryConfig)[],
): Promise<pg.QueryResult[]> => {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  // One write to the socket for all of them.
  stream.cork();
  try {
    return settleAll(statements.map((statement) => client.query(statement)));
  } finally {
    stream.uncork();
  }
};

/**
 * `opening` is sent together with `begin` and must have succeeded before `work` begins. BEGIN alone fails only with its
 * connection: the first statements of `work` are sent behind it without waiting for its answer.
 */
export async function inTransaction<T>(
  client: pg.PoolClient,
  begin: string,
  work: (tx: Executor) => Promise<T>,
  {
    opening: first = [],
    end = "commit",
  }: { opening?: readonly (string | pg.QueryConfig)[]; end?: string } = {},
): Promise<T> {
  const opening = pipelined(client, [begin, ...first]);
  const tx: Executor = {
    query: (text, values) => execute(client, { text, values: values ?? [] }),
    run: (statement) => execute(client, statement),
  };
  try {
    if (first.length > 0) await opening;
    const [, result] = await Promise.all([opening, work(tx)]);
    await client.query(end);
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

async function execute<T extends Row>(client: pg.PoolClient, statement: Statement): Promise<Result<T>> {
  for (const dropping of outdated(client, statement)) await client.query(dropping);
  return client.query<T>(toQuery(statement));
}

/** pg's record of the statements that a connection has prepared. */
interface Prepared {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
}

const epochs = new WeakMap<pg.PoolClient, number>();

/** Drops what the connection prepared in an earlier epoch, because a name may now mean another statement. */
export function outdated(client: pg.PoolClient, { name, epoch = 0 }: Statement): string[] {
  if (name === undefined || epoch <= (epochs.get(client) ?? 0)) return [];
  epochs.set(client, epoch);
  const { connection } = client as unknown as { connection: Prepared };
  connection.parsedStatements = {};
  connection.submittedNamedStatements = {};
  return ["deallocate all"];
}

export const toQuery = (statement: Statement): pg.QueryConfig => ({
  text: statement.text,
  values: statement.values as unknown[] | undefined,
  ...(statement.name === undefined ? {} : { name: statement.name }),
});

/** Like Promise.all, but waits for every answer before it fails, so that the connection is idle again. */
async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  const failed = settled.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
  return settled.map((outcome) => (outcome as PromiseFulfilledResult<T>).value);
}
