// Every statement of the server runs through here. Owns the pools and the row-level security envelope: one transaction with
// role and claims set locally. Hides pipelining, which makes that envelope one round trip.
import type pg from "pg";
import type { Executor, Result, Row, ServiceDatabase, Statement } from "./executor.ts";
import type { Logins } from "./setup/logins.ts";
import {
  createPool,
  inTransaction,
  outdated,
  pipelined,
  toQuery,
  unrestricted,
  withClient,
} from "./connections/pool.ts";
import { begin, end, isPlain, type RequestScope, scopeStatement } from "./scope/request-scope.ts";
import { createRoleSettings, type RoleSettings } from "./scope/role-settings.ts";
import { canScope, scoped } from "./scope/scoped-query.ts";
import { createVisitorConnections, type TurnLimits } from "./connections/visitor-connections.ts";

export interface Database {
  /** One statement under the caller's role and claims, in one transaction and one round trip. */
  run<T extends Row = Row>(scope: RequestScope, statement: Statement): Promise<Result<T>>;
  /** Several statements under the caller's role and claims; an exception rolls all of them back. */
  transaction<T>(scope: RequestScope, work: (tx: Executor) => Promise<T>): Promise<T>;
  /** Bypasses row-level security, like `asUrgent`; nothing else does. `why` is for the reader and may not be empty. */
  asService(why: string): ServiceDatabase;
  /** Like asService, on connections of its own, for what must not wait behind other work of the service. */
  asUrgent(why: string): ServiceDatabase;
  /** The next request reads the roles' time limits again. */
  forgetRoleSettings(): void;
  close(): Promise<void>;
}

interface PoolSizes {
  /** Connections for requests, and separate ones for the service itself, so that neither starves the other. */
  readonly requests: number;
  readonly service: number;
  /** For urgent work; 2 by default, which is enough where calls are batched. */
  readonly urgent?: number;
  /** For the service role's requests, as those of jobs, and for /health, but not those made for strangers; 4 by default. */
  readonly reserved?: number;
}

export interface DatabaseOptions extends Omit<TurnLimits, "connections"> {
  /** Defaults to 10 and 6. */
  readonly sizes?: PoolSizes;
}

/** Longer than any batch takes, unless something locks its rows forever. */
const URGENT_TIMEOUT_MS = 30_000;

/** Scripts and tests, which own the database, pass one address instead of two logins. */
export function openDatabase(url: string | Logins, options: DatabaseOptions = {}): Database {
  const logins = typeof url === "string" ? { requests: url, services: url } : url;
  const sizes = options.sizes ?? { requests: 10, service: 6 };
  const requests = createPool(logins.requests, sizes.requests);
  const service = createPool(logins.services, sizes.service);
  const urgent = createPool(logins.services, sizes.urgent ?? 2, { statement_timeout: URGENT_TIMEOUT_MS });
  const reserved = createPool(logins.requests, sizes.reserved ?? 4);
  const onVisitorConnection = createVisitorConnections(requests, service, {
    ...options,
    connections: sizes.requests,
  });
  const roles = createRoleSettings(() => unrestricted(service, "the operator sets what a role may take"));

  async function inScope<T>(
    scope: RequestScope,
    work: (client: pg.PoolClient, settings: RoleSettings) => Promise<T>,
  ): Promise<T> {
    const settings = await roles.of(scope.claims.role);
    const onClient = (client: pg.PoolClient) => work(client, settings);
    const isReserved = scope.reserved ?? scope.claims.role === "service_role";
    return isReserved ? withClient(reserved, onClient) : onVisitorConnection(scope, onClient);
  }

  return {
    run: <T extends Row>(scope: RequestScope, statement: Statement) =>
      inScope(scope, async (client, settings) => {
        const envelope = scopeStatement(scope, settings);
        const dropping = outdated(client, statement);
        if (isPlain(scope, settings) && canScope(client, envelope)) {
          return await scoped<T>(client, envelope, toQuery(statement));
        }
        const opening = [
          ...dropping,
          begin(scope, settings),
          envelope,
          ...(scope.before === undefined ? [] : [scope.before]),
        ];
        const results = await pipelined(client, [...opening, toQuery(statement), end(scope)]);
        return results[opening.length] as unknown as Result<T>;
      }),

    transaction: (scope, work) =>
      inScope(scope, (client, settings) =>
        inTransaction(client, begin(scope, settings), work, {
          opening: [scopeStatement(scope, settings), ...(scope.before === undefined ? [] : [scope.before])],
          end: end(scope),
        }),
      ),

    asService: (why) => unrestricted(service, why),
    asUrgent: (why) => unrestricted(urgent, why),
    forgetRoleSettings: () => roles.forget(),

    async close() {
      await Promise.all([requests, service, urgent, reserved].map((pool) => pool.end()));
    },
  };
}
