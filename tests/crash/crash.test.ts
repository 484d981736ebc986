import { expect, it } from "vitest";
import { killAndReckon } from "./run.ts";

it(
  "kills of Node and PostgreSQL lose no order, orphan no hold and keep no money",
  { timeout: 300_000 },
  async () => {
    const { faults, held, tickets, kills } = await killAndReckon({ kills: 4, seed: 1 });
    expect(faults).toEqual([]);
    expect(Object.values(kills).reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(4);
    expect(held).toBeGreaterThan(0);
    expect(tickets).toBeGreaterThan(0);
  },
);
