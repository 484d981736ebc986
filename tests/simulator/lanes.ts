// Several connections with open transactions, stepped one at a time: start a transaction's work on one, commit or lose it
// later. A statement that waits for a lock is left waiting, so that real lock queues form, and goes on when they clear.
import { Client, type QueryResult } from "pg";

interface Work {
  readonly statements: readonly { text: string; values: readonly unknown[] }[];
  /** The transaction is known to have happened; gets the result of the last statement. */
  readonly done: (rows: QueryResult["rows"]) => void;
}

interface Lane {
  readonly client: Client;
  readonly pid: number;
  work: Work | undefined;
  settled: boolean;
  outcome: { rows: QueryResult["rows"] } | { error: unknown } | undefined;
}

export interface Lanes {
  readonly count: number;
  busy(lane: number): boolean;
  begin(lane: number, work: Work): Promise<void>;
  /** Commits; "lost" commits without the caller hearing of it; "aborted" is a crash before the commit. */
  end(lane: number, how: "told" | "lost" | "aborted"): Promise<void>;
  close(): Promise<void>;
}

export async function openLanes(url: string, count: number, monitor: Client): Promise<Lanes> {
  const lanes: Lane[] = [];
  for (let index = 0; index < count; index++) {
    const client = new Client({ connectionString: url });
    // A connection that ends while idle is told by its next statement.
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    lanes.push({ client, pid: rows[0]!.pid, work: undefined, settled: true, outcome: undefined });
  }

  /** Every lane has its answer or waits for another's lock. */
  async function untilQuiet(): Promise<void> {
    for (;;) {
      await new Promise((turn) => setImmediate(turn));
      const open = lanes.filter((lane) => !lane.settled);
      if (open.length === 0) return;
      const { rows } = await monitor.query<{ blocked: boolean }>(
        "select cardinality(pg_blocking_pids(pid)) > 0 as blocked from unnest($1::integer[]) as pid",
        [open.map((lane) => lane.pid)],
      );
      if (rows.every(({ blocked }) => blocked) && open.every((lane) => !lane.settled)) return;
    }
  }

  return {
    count,
    busy: (index) => lanes[index]!.work !== undefined,
    async begin(index, work) {
      const lane = lanes[index]!;
      Object.assign(lane, { work, settled: false, outcome: undefined });
      void (async () => {
        try {
          await lane.client.query("begin");
          let rows: QueryResult["rows"] = [];
          for (const { text, values } of work.statements) {
            ({ rows } = await lane.client.query(text, [...values]));
          }
          lane.outcome = { rows };
        } catch (error) {
          lane.outcome = { error };
        }
        lane.settled = true;
      })();
      await untilQuiet();
    },
    async end(index, how) {
      const lane = lanes[index]!;
      if (!lane.settled) await untilQuiet();
      if (!lane.work || !lane.settled) return;
      const { work, outcome } = lane;
      const failed = outcome === undefined || "error" in outcome;
      await lane.client.query(failed || how === "aborted" ? "rollback" : "commit");
      lane.work = undefined;
      await untilQuiet();
      // A deadlock would be a fault of the lock order, so it is no outcome to be tolerated.
      if (failed) throw outcome?.error;
      if (how === "told") work.done(outcome.rows);
    },
    async close() {
      for (const lane of lanes) await lane.client.end();
    },
  };
}
