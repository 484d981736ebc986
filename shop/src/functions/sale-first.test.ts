import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { createSaleFirst } from "./sale-first.ts";

function openSale() {
  const sale = createSaleFirst();
  let answer = () => {};
  const answered = new Promise<void>((done) => (answer = done));
  return {
    rush: (buyers: number) => Promise.all(Array.from({ length: buyers }, () => sale.serve(() => answered))),
    answer,
    async work(pieces: number) {
      const done = { yet: false };
      const working = sale.giveWay(pieces).then(() => (done.yet = true));
      await sleep(50);
      return { done, working };
    },
  };
}

it("holds work back while many buyers wait, and no longer", async () => {
  const sale = openSale();
  const buyers = sale.rush(32);
  const { done, working } = await sale.work(1_000_000);
  expect(done.yet).toBe(false);
  sale.answer();
  await Promise.all([buyers, working]);
});

it("does not hold it back for a few", async () => {
  const sale = openSale();
  void sale.rush(2);
  expect((await sale.work(1_000_000)).done.yet).toBe(true);
});

it("lets it go on slowly in a rush that does not end", async () => {
  const sale = openSale();
  void sale.rush(32);
  await (
    await sale.work(1)
  ).working;
});
