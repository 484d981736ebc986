// What runs SQL: one statement, or a transaction of several.

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Names a prepared statement; the text must be the same each time within an epoch. */
  readonly name?: string;
  /** Incremented when names are reused: a connection then drops every statement it has prepared. */
  readonly epoch?: number;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a row's shape comes from the query, which the compiler does not know
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

export interface ServiceDatabase extends Executor {
  transaction<T>(work: (tx: Executor) => Promise<T>): Promise<T>;
}
