// Tests of two connections that meet at one lock.
import { expect } from "vitest";
import type { Executor } from "../src/postgres/executor.ts";

/** Waits until this many connections wait for a lock that another one holds. */
export const untilWaitingOn = (service: Executor) => (count: number) =>
  expect
    .poll(async () => {
      const { rows } = await service.query<{ waiting: number }>(
        `select count(*)::integer as waiting from pg_stat_activity
          where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
      );
      return rows[0]!.waiting;
    })
    .toBe(count);
