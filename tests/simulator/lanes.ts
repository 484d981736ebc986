// Several connections with open transactions, stepped one at a time: start a transaction's work on one, commit or lose it
// later. A statement that waits for a lock is left waiting, so that real lock queues form, and continues when they clear.
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type QueryResult } from "pg";

type Rows = QueryResult["rows"];

export interface Work {
  /** For the reader of the steps. */
  readonly name: string;
  readonly statements: readonly { readonly text: string; readonly values: readonly unknown[] }[];
  /** Called once the transaction is known to have committed, with the rows of the last statement. */
  readonly done?: (rows: Rows) => void;
  /** The refusals SQL may answer instead, because another lane was faster. */
  readonly refusal?: RegExp;
}

/** "lost" commits without the caller receiving the answer; "aborted" is a crash before the commit. */
export type Ending = "answered" | "lost" | "aborted";

interface Lane {
  readonly client: Client;
  readonly pid: number;
  work: Work | undefined;
  running: Promise<unknown> | undefined;
  outcome: { rows: Rows } | { error: Error } | undefined;
}

export interface Lanes {
  readonly count: number;
  /** Whether a transaction is open, waiting or not. */
  busy(lane: number): boolean;
  begin(lane: number, work: Work): Promise<void>;
  /** Ends the transaction, unless it still waits for a lock. Rejects when SQL failed in a way its work does not allow. */
  end(lane: number, how: Ending): Promise<Ending | "refused" | "waiting">;
  /** After a failure: aborts whatever is open, so that nothing keeps a lock. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const isRunning = (lane: Lane): boolean => lane.running !== undefined;

const allOf = (lanes: readonly Lane[]): Promise<unknown> =>
  Promise.all(lanes.map(async (lane) => lane.running));

/** When a statement takes longer than this, check whether it waits for a lock. */
const PATIENCE_MS = 2;

export async function openLanes(url: string, count: number, monitor: Client): Promise<Lanes> {
  const names = new Map<string, string>();
  const lanes: Lane[] = [];
  for (let index = 0; index < count; index++) {
    // Reports a deadlock at once, and not after PostgreSQL's usual second.
    const client = new Client({
      connectionString: url,
      pipeline: true,
      options: "-c deadlock_timeout=20ms",
    });
    // A connection that ends while idle shows with its next statement.
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    lanes.push({ client, pid: rows[0]!.pid, work: undefined, running: undefined, outcome: undefined });
  }

  const prepared = (text: string): string => {
    const name = names.get(text) ?? `work_${names.size}`;
    names.set(text, name);
    return name;
  };

  async function run(lane: Lane, { statements }: Work): Promise<void> {
    const answers = await Promise.allSettled([
      lane.client.query("begin"),
      ...statements.map(({ text, values }) =>
        lane.client.query({ name: prepared(text), text, values: [...values] }),
      ),
    ]);
    const failed = answers.find((answer) => answer.status === "rejected");
    const last = answers.at(-1);
    lane.outcome = failed
      ? { error: explain(lane, failed.reason) }
      : { rows: (last as PromiseFulfilledResult<QueryResult>).value.rows };
    lane.running = undefined;
  }

  /** Resolves when each lane has its answer or waits for another's lock. */
  async function untilQuiet(among: readonly Lane[]): Promise<void> {
    for (;;) {
      const open = among.filter(isRunning);
      if (open.length === 0) return;
      await Promise.race([allOf(open), sleep(PATIENCE_MS)]);
      const waiting = open.filter(isRunning);
      if (waiting.length === 0) return;
      const { rows } = await monitor.query<{ blocked: boolean }>({
        name: "blocked",
        text: "select cardinality(pg_blocking_pids(pid)) > 0 as blocked from unnest($1::integer[]) as pid",
        values: [waiting.map((lane) => lane.pid)],
      });
      if (rows.every(({ blocked }) => blocked) && waiting.every(isRunning)) return;
    }
  }

  /** Translates PostgreSQL's process numbers into works, while all of them still exist. */
  function explain(lane: Lane, error: Error & { code?: string; detail?: string; where?: string }): Error {
    const { code, message, detail, where } = error;
    const open = lanes
      .filter((one) => one.work)
      .map((one) => `process ${one.pid}: ${one.work!.name}${one.running ? " (waits)" : ""}`);
    const parts = [`${lane.work?.name}: ${code} ${message}`, detail, where, ...open];
    return new Error(parts.filter(Boolean).join("\n    "), { cause: error });
  }

  return {
    count,
    busy: (index) => lanes[index]!.work !== undefined,
    async begin(index, work) {
      const lane = lanes[index]!;
      Object.assign(lane, { work, outcome: undefined });
      lane.running = run(lane, work);
      await untilQuiet([lane]);
    },
    async end(index, how) {
      const lane = lanes[index]!;
      // PostgreSQL soon aborts one of several deadlocked lanes.
      if (lane.running) await untilQuiet(lanes);
      const { work, outcome } = lane;
      if (!work || lane.running || !outcome) return "waiting";
      const failed = "error" in outcome;
      const ending = failed ? "aborted" : how;
      await lane.client.query(ending === "aborted" ? "rollback" : "commit");
      await untilQuiet(lanes);
      if (failed && !work.refusal?.test(outcome.error.message)) throw outcome.error;
      lane.work = undefined;
      if (failed) return "refused";
      if (ending === "answered") work.done?.(outcome.rows);
      return ending;
    },
    async clear() {
      for (const lane of lanes) {
        if (lane.running) await monitor.query("select pg_cancel_backend($1)", [lane.pid]);
        await lane.running;
        await lane.client.query("rollback");
        lane.work = undefined;
      }
    },
    async close() {
      for (const lane of lanes) await lane.client.end();
    },
  };
}
