// Every statement of the server runs through here. Owns connections and the row-level security envelope: one
// transaction with role and claims set locally. Hides pipelining, which makes that envelope one round trip.
import pg from "pg";
import type { Departure } from "../platform/departure.ts";
import { ServiceError } from "../platform/errors.ts";
import type { Claims } from "../platform/jwt.ts";
import { GuardedClient } from "./guard.ts";
import type { Logins } from "./logins.ts";
import { createRoleSettings, type RoleSettings } from "./role-settings.ts";
import { createTurns, cutShort, departed, poolTimeout } from "./turns.ts";

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
  /** Whose turn it takes; left out where it is the server's own. */
  readonly address?: string | undefined;
  /** Its statements are cancelled when the client has gone. */
  readonly departure?: Departure | undefined;
  /** Asked by the server itself, on connections that visitors cannot take. So is all that the service role asks. */
  readonly kept?: boolean | undefined;
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
  /** How long a role's statements may take is read again with the next request. */
  forgetRoleSettings(): void;
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
  /** For the service role's requests (orders confirmed, jobs) and for /health; 4 when left out. */
  readonly kept?: number;
}

export interface DatabaseOptions {
  /** Defaults to 10 and 6. */
  readonly sizes?: PoolSizes;
  /** Requests of one address with the database at once; four tenths of the connections when left out. */
  readonly perAddress?: number | undefined;
  /** The same of one account, wherever it asks from; three tenths when left out. */
  readonly perAccount?: number | undefined;
  /** Milliseconds a request waits for a connection; 10,000 when left out. */
  readonly waitMs?: number | undefined;
  /** Milliseconds after which a request is slow, which at most half of the connections may be while others wait; 1,000 when left out. */
  readonly slowMs?: number | undefined;
}

const WAIT_MS = 10_000;
const SLOW_MS = 1_000;
const WAITING = { perAddress: 5_000, inAll: 10_000 };
/** No batch takes this long unless something holds its rows for good. */
const SALE_TIMEOUT_MS = 30_000;

/** Connections are opened when first needed. One address instead of two logins is for scripts and tests, which own the database. */
export function openDatabase(url: string | Logins, options: DatabaseOptions = {}): Database {
  const logins = typeof url === "string" ? { requests: url, services: url } : url;
  const sizes = options.sizes ?? { requests: 10, service: 6 };
  const requests = createPool(logins.requests, sizes.requests);
  const service = createPool(logins.services, sizes.service);
  const sale = createPool(logins.services, sizes.sale ?? 2, { statement_timeout: SALE_TIMEOUT_MS });
  const kept = createPool(logins.requests, sizes.kept ?? 4);
  const turns = createTurns({
    connections: sizes.requests,
    perAddress: options.perAddress ?? Math.ceil(sizes.requests * 0.4),
    waitMs: options.waitMs ?? WAIT_MS,
    slowMs: options.slowMs ?? SLOW_MS,
    waiting: WAITING,
  });
  const accounts = createTurns({
    connections: Infinity, // theirs are bounded one by one; all together wait for a connection below
    perAddress: options.perAccount ?? Math.ceil(sizes.requests * 0.3),
    waitMs: options.waitMs ?? WAIT_MS,
    waiting: WAITING,
  });
  const roles = createRoleSettings(() =>
    unrestricted(service, "what a role may take is the operator's word"),
  );

  /** The connection of a request, when its turn has come. What still runs there when the client goes is cancelled. */
  async function inScope<T>(
    scope: RequestScope,
    work: (client: pg.PoolClient, settings: RoleSettings) => Promise<T>,
  ): Promise<T> {
    const settings = await roles.of(scope.claims.role);
    if (scope.kept || scope.claims.role === "service_role") {
      return withClient(kept, (client) => work(client, settings));
    }
    const { departure } = scope;
    let wasCut = false;
    let stop = () => {};
    const endTurn = await bothTurns(scope, () => {
      wasCut = true;
      stop();
    });
    try {
      if (departure?.gone) throw departed();
      return await withClient(requests, (client, giveUp) => {
        stop = () => giveUp(cancel(client));
        const stopListening = departure?.onGone(stop);
        return work(client, settings).finally(() => {
          stopListening?.();
          stop = () => {};
        });
      });
    } catch (error) {
      throw wasCut && (error as { code?: string }).code === "57014" ? cutShort() : error;
    } finally {
      endTurn();
    }
  }

  /** The account's first, so that what waits for it keeps nobody of the same address waiting. */
  async function bothTurns(
    { claims, address, departure }: RequestScope,
    onCutShort: () => void,
  ): Promise<() => void> {
    if (address === undefined || !claims.sub) return turns.take(address, departure, onCutShort);
    const endOfAccount = await accounts.take(claims.sub, departure);
    try {
      const endOfAddress = await turns.take(address, departure, onCutShort);
      return () => {
        endOfAddress();
        endOfAccount();
      };
    } catch (error) {
      endOfAccount();
      throw error;
    }
  }

  const cancel = (client: pg.PoolClient) =>
    withClient(service, (other) =>
      other.query("select pg_cancel_backend($1)", [(client as unknown as { processID: number }).processID]),
    );

  return {
    run: (scope, statement) =>
      inScope(scope, async (client, settings) => {
        // All four are on the wire before the first answer comes. A failed statement turns COMMIT into ROLLBACK.
        const begin = client.query(scope.readOnly ? "begin read only" : "begin");
        const envelope = client.query(scopeStatement(scope, settings));
        const answer = client.query(toQuery(statement));
        const commit = client.query("commit");
        const [, , result] = await settleAll([begin, envelope, answer, commit]);
        return result as unknown as Result<never>;
      }),

    transaction: (scope, work) =>
      inScope(scope, (client, settings) =>
        inTransaction(
          client,
          scope.readOnly ? "begin read only" : "begin",
          work,
          scopeStatement(scope, settings),
        ),
      ),

    asService: (why) => unrestricted(service, why),
    asSale: (why) => unrestricted(sale, why),
    forgetRoleSettings: () => roles.forget(),

    async close() {
      await Promise.all([requests, service, sale, kept].map((pool) => pool.end()));
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

const scopeStatement = (scope: RequestScope, { statementTimeout, lockTimeout }: RoleSettings) => ({
  name: "request_scope",
  text: `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true),
    set_config('request.method', $3, true), set_config('request.path', $4, true),
    set_config('request.headers', $5, true), set_config('search_path', 'public, extensions', true),
    set_config('statement_timeout', coalesce($6, current_setting('statement_timeout')), true),
    set_config('lock_timeout', coalesce($7, current_setting('lock_timeout')), true)`,
  values: [
    scope.claims.role,
    JSON.stringify(scope.claims),
    scope.method ?? "",
    scope.path ?? "",
    JSON.stringify(scope.headers ?? {}),
    statementTimeout,
    lockTimeout,
  ],
});

function createPool(url: string, max: number, settings: pg.ClientConfig = {}): pg.Pool {
  const pool = new pg.Pool({
    Client: GuardedClient,
    connectionString: url,
    max,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 10_000,
    application_name: "thats-so-houston",
    pipeline: true,
    ...settings,
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

/** `giveUp` is called with what ends the connection's work; it is not used again then, lest that end another's. */
async function withClient<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, giveUp: (ending: Promise<unknown>) => void) => Promise<T>,
): Promise<T> {
  const client = await connected(pool);
  let broken: Error | undefined;
  let ending: Promise<unknown> | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on("error", onError);
  try {
    return await work(client, (end) => {
      ending = end;
    });
  } catch (error) {
    throw broken ? lost(error) : error;
  } finally {
    await ending?.catch(() => {});
    client.off("error", onError);
    client.release(broken ?? (ending && departed()));
  }
}

async function connected(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    const isFull = (cause as Error).message === "timeout exceeded when trying to connect";
    throw isFull ? poolTimeout() : lost(cause);
  }
}

/** PostgREST's word for a database that is away. */
const lost = (cause: unknown) =>
  new ServiceError(503, "PGRST001", "Database client error. Retrying the connection.", { cause });
