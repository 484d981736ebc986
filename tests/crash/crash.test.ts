import { expect, it } from "vitest";
import { createRandom } from "../simulator/random.ts";
import { killAndReckon } from "./run.ts";
import { temporaryFolder } from "../support/server/festival.ts";
import { prepareFolder } from "../support/server/prepared-data.ts";
import { startVictim } from "./server.ts";

/** On a disk, where a write takes as long as on a real server. */
function preparedFolder(): string {
  const dataDir = temporaryFolder();
  prepareFolder(dataDir);
  return dataDir;
}

it(
  "kills of Node and PostgreSQL lose no order, orphan no hold and keep no money",
  { timeout: 300_000 },
  async () => {
    const { faults, held, tickets, kills } = await killAndReckon({
      kills: 4,
      seed: 1,
      dataDir: preparedFolder(),
    });
    expect(faults).toEqual([]);
    expect(Object.values(kills).reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(4);
    expect(held).toBeGreaterThan(0);
    expect(tickets).toBeGreaterThan(0);
  },
);

it(
  "Ctrl-C ends everything, even while PostgreSQL recovers from the death of a process",
  { timeout: 120_000 },
  async () => {
    const victim = await startVictim(preparedFolder());
    try {
      // The chosen backend may be ending just now.
      await expect.poll(() => victim.strike("backend", createRandom(1))).toBe(true);
      await victim.recovering();
      expect(await victim.stop()).toEqual([]);
    } finally {
      victim.remove();
    }
  },
);
