import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { concurrently } from "./concurrently.ts";

it("rejects with the first failure after every item has settled", async () => {
  const done: number[] = [];
  const all = concurrently([1, 2, 3, 4], 2, async (item) => {
    if (item % 2 === 1) throw new Error(`number ${item}`);
    for (let wait = 0; wait < 10; wait++) await turn();
    done.push(item);
  });
  await expect(all).rejects.toThrow("number 1");
  expect(done).toEqual([2, 4]);
});

it("keeps the items' order", async () => {
  const answers = await concurrently([3, 1, 2], 3, async (waits) => {
    for (let wait = 0; wait < waits; wait++) await turn();
    return waits;
  });
  expect(answers).toEqual([3, 1, 2]);
});
