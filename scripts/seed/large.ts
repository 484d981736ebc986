// The history of a large festival in a few set-based statements, spread over the last 60 days. Triggers are off during the
// inserts: row by row they would take hours.
import type { Database } from "../../server/src/postgres/database.ts";
import type { Executor } from "../../server/src/postgres/executor.ts";
import { seedGate } from "./gate.ts";
import { seedOrders } from "./orders.ts";
import { seedVisits } from "./visits.ts";

export interface LargeAmounts {
  readonly tickets: number;
  readonly visits: number;
  /** How many of all tickets and permits are in. */
  readonly scans: number;
}

/** Orders and visits are written in parallel, which needs two service connections. */
export async function seedLarge(
  database: Database,
  { tickets, visits, scans }: LargeAmounts,
  onStep: (step: string, seconds: number) => void = () => {},
): Promise<void> {
  const service = database.asService("the seed writes the past, which no door would let anybody write");
  const step = async (name: string, work: (tx: Executor) => Promise<void>) => {
    const started = performance.now();
    await service.transaction(async (tx) => {
      await tx.query("set local session_replication_role = replica");
      await tx.query("set local synchronous_commit = off");
      await tx.query("set local work_mem = '256MB'");
      await work(tx);
    });
    onStep(name, (performance.now() - started) / 1000);
  };
  await Promise.all([
    step("orders", async (tx) => {
      await seedOrders(tx, tickets, scans);
      if (scans > 0) await seedGate(tx);
    }),
    step("visits", (tx) => seedVisits(tx, visits)),
  ]);
  const started = performance.now();
  await service.query("vacuum (analyze)");
  onStep("statistics", (performance.now() - started) / 1000);
}
