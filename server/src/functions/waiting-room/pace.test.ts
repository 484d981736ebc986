import { describe, expect, it } from "vitest";
import { createPace } from "../../../../supabase/functions/_shared/waiting-room/pace.ts";

/** Orders that stay under way until `answer` is called. */
function openSale() {
  const pace = createPace(
    () => 0,
    () => {},
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  const orders: Promise<void>[] = [];
  return {
    order: (buyer: string) => void orders.push(pace.serve(buyer, () => promise)),
    underWay: () => pace.report().under_way,
    async answer() {
      resolve();
      await Promise.all(orders);
    },
  };
}

describe("how many are under way", () => {
  it("is told in buyers: a hundred requests of one hand are no crowd", async () => {
    const sale = openSale();
    for (let request = 0; request < 100; request++) sale.order("impatient");
    expect(sale.underWay()).toBe(1);
    sale.order("another");
    expect(sale.underWay()).toBe(2);
    await sale.answer();
    expect(sale.underWay()).toBe(0);
  });
});
