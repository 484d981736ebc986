// The cluster keeper, with fake clusters.
import { expect, test, vi } from "vitest";
import type { Cluster } from "./cluster.ts";
import { keepCluster } from "./cluster-keeper.ts";

function fakeCluster() {
  const { promise: exited, resolve: die } = Promise.withResolvers<void>();
  const stop = vi.fn(async () => die());
  return { cluster: { url: "postgresql://", pid: 1, exited, stop } satisfies Cluster, die, stop };
}

test("a stop during a restart of PostgreSQL ends the new one", async () => {
  const [first, second] = [fakeCluster(), fakeCluster()];
  const comesBack = Promise.withResolvers<Cluster>();
  const start = vi.fn(() => comesBack.promise).mockResolvedValueOnce(first.cluster);
  const kept = await keepCluster(start, () => {});
  first.die();
  await expect.poll(() => start.mock.calls).toHaveLength(2);
  const stopped = kept.stop();
  comesBack.resolve(second.cluster);
  await stopped;
  expect(second.stop).toHaveBeenCalled();
});

test("gives up at the fifth death in five minutes", async () => {
  const clusters = Array.from({ length: 6 }, fakeCluster);
  const start = vi.fn(async () => clusters[start.mock.calls.length - 1]!.cluster);
  const lines: string[] = [];
  const kept = await keepCluster(start, (line) => lines.push(line));
  for (const [n, { die }] of clusters.slice(0, 5).entries()) {
    await expect.poll(() => start.mock.calls).toHaveLength(n + 1);
    die();
  }
  await kept.givenUp;
  expect(start).toHaveBeenCalledTimes(5);
  expect(lines.at(-1)).toContain("stopped 5 times");
});
