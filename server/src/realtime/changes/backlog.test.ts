import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { Backlog } from "./backlog.ts";
import type { Change } from "./wal/wal-connection.ts";

const change = {} as Change;

/** How many batches deliver changes that arrive one after the other, if checking a batch takes this long. */
async function batchesOf(arrivals: number, checkMs: number): Promise<number> {
  let delivered = 0;
  let batches = 0;
  const backlog = new Backlog(async ({ length }) => {
    delivered += length;
    batches += 1;
    return checkMs;
  });
  for (let arrived = 0; arrived < arrivals; arrived++) {
    void backlog.add([change]);
    await sleep(60);
  }
  await expect.poll(() => delivered).toBe(arrivals);
  return batches;
}

it("delivers a rush in fewer batches when checks are costly", async () => {
  const [costly, cheap] = await Promise.all([batchesOf(6, 25), batchesOf(6, 0)]);
  expect(costly).toBeLessThan(cheap);
});
