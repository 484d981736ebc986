import { describe, expect, it } from "vitest";
import type { PaceReport } from "../../../supabase/functions/_shared/waiting-room/pace.ts";
import type { Visit } from "../../../supabase/functions/_shared/waiting-room/room.ts";
import { createBatchedRoom } from "./room.ts";

const visit = (user_id: string): Visit => ({ user_id, address: "192.0.2.1" });

/** A room whose database refuses any batch with a deleted account's token in it, as the foreign key does. */
function roomOf({ deleted, now = () => 0 }: { deleted?: string; now?: () => number } = {}) {
  const calls: { visits: readonly Visit[]; pace: PaceReport }[] = [];
  const reportFailures: unknown[] = [];
  const room = createBatchedRoom(
    async (visits, pace) => {
      calls.push({ visits, pace });
      if (visits.some(({ user_id }) => user_id === deleted)) {
        throw Object.assign(new Error("violates foreign key constraint"), { code: "23503" });
      }
      return { open: true, answers: visits.map(() => ({ no_turn_needed: true })) };
    },
    now,
    (error) => reportFailures.push(error),
  );
  return { room, calls, reportFailures };
}

it("fails only the visit of a deleted account", async () => {
  const { room, calls } = roomOf({ deleted: "gone" });
  const first = room.visit(visit("first")); // in progress while the others gather
  const honest = Array.from({ length: 96 }, (_, n) => room.visit(visit(`u${n}`)));
  const looping = room.visit(visit("gone"));
  await expect(looping).rejects.toMatchObject({ code: "23503" });
  await expect(Promise.all([first, ...honest])).resolves.toHaveLength(97);
  expect(calls.length).toBeLessThan(20);
});

describe("the pace", () => {
  /** Orders that stay in progress until `answer` is called. */
  function openSale() {
    let time = 1000;
    const { room, calls, reportFailures } = roomOf({ now: () => time, deleted: "gone" });
    const { promise, resolve } = Promise.withResolvers<void>();
    const orders: Promise<void>[] = [];
    return {
      room,
      calls,
      reportFailures,
      order: (buyer: string) => void orders.push(room.serve(buyer, () => promise)),
      pass: (ms: number) => void (time += ms),
      async answer() {
        resolve();
        await Promise.all(orders);
      },
    };
  }
  const underWay = ({ calls }: ReturnType<typeof openSale>) => calls.at(-1)?.pace.under_way;

  it("counts buyers: a hundred requests of one buyer are no crowd", async () => {
    const sale = openSale();
    for (let request = 0; request < 100; request++) sale.order("impatient");
    sale.order("another");
    await sale.room.serve("impatient", async () => {});
    await sale.room.visit(visit("visitor"));
    expect(underWay(sale)).toBe(2);
    await sale.answer();
    await sale.room.visit(visit("visitor"));
    expect(underWay(sale)).toBe(0);
  });

  it("is reported without a visit once a crowd's orders are in progress, and not before", async () => {
    const sale = openSale();
    for (let buyer = 0; buyer < 63; buyer++) sale.order(`buyer ${buyer}`);
    expect(sale.calls).toEqual([]);
    sale.order("buyer 63");
    expect(sale.calls).toMatchObject([{ visits: [], pace: { under_way: 64 } }]);
    await sale.answer();
  });

  it("is reported for the only buyer of a process who had to wait", async () => {
    const sale = openSale();
    sale.order("alone");
    sale.pass(1000);
    await sale.answer();
    expect(sale.calls).toMatchObject([{ visits: [], pace: { under_way: 1 } }]);
  });

  it("is still reported when a visit of the same call fails", async () => {
    const sale = openSale();
    const first = sale.room.visit(visit("first"));
    sale.pass(250);
    for (let buyer = 0; buyer < 64; buyer++) sale.order(`buyer ${buyer}`);
    await expect(sale.room.visit(visit("gone"))).rejects.toMatchObject({ code: "23503" });
    await first;
    await sale.answer();
    expect(sale.calls.filter(({ visits }) => visits.length === 0)).toHaveLength(1);
    expect(sale.reportFailures).toEqual([]);
  });
});
