// One statement with its caller's settings, sent together: PostgreSQL treats everything before a Sync as one transaction, so
// that BEGIN and COMMIT need not be sent and answered (decision 066).
import pg from "pg";
import type { QueryConfig } from "pg";
import type { Result, Row } from "../executor.ts";

/** What pg does not declare on a connection. */
interface Wire {
  readonly parsedStatements: Readonly<Record<string, string>>;
  bind(config: { portal: string; statement: string; values: readonly unknown[] }): void;
  execute(config: { portal: string; rows: number }): void;
}

const wireOf = (client: pg.ClientBase) => (client as unknown as { connection: Wire }).connection;

/** The settings' statement must already be prepared, because it is not parsed here. */
export const canScope = (client: pg.ClientBase, { name }: QueryConfig): boolean =>
  name !== undefined && wireOf(client).parsedStatements[name] !== undefined;

export const scoped = <T extends Row>(
  client: pg.ClientBase,
  scope: QueryConfig,
  statement: QueryConfig,
): Promise<Result<T>> =>
  new Promise((resolve, reject) => {
    const answered: Answered = (error, result) => (error ? reject(error) : resolve(result as Result<T>));
    client.query(new ScopedQuery(scope, statement, answered));
  });

type Answered = (error: Error | null, result: Result) => void;

/** Methods of pg's own query that are not declared, but not private either. */
interface Internals {
  prepare(connection: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
}

const Base = pg.Query as unknown as new (
  config: QueryConfig,
  callback: Answered,
) => Internals & pg.Submittable;

class ScopedQuery extends Base {
  readonly #scope: QueryConfig;
  #inScope = false;

  constructor(scope: QueryConfig, statement: QueryConfig, answered: Answered) {
    // Without values pg would send the text as a simple query, which ends the transaction before it.
    super({ ...statement, values: statement.values ?? [], queryMode: "extended" } as QueryConfig, answered);
    this.#scope = scope;
  }

  override prepare(connection: Wire): void {
    connection.bind({ portal: "", statement: this.#scope.name!, values: this.#scope.values ?? [] });
    connection.execute({ portal: "", rows: 0 });
    super.prepare(connection);
  }

  override handleDataRow(message: unknown): void {
    if (this.#inScope) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#inScope) super.handleCommandComplete(message, connection);
    this.#inScope = true;
  }
}
