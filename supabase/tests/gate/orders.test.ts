// How admissions change their order, and how refunds change its codes.
import { describe, expect, it } from "vitest";
import { minutesAgo, openGate } from "./world.ts";

const { gate, phone } = await openGate();

describe("an order", () => {
  it("is completed when everybody is in, even if a vehicle is not", async () => {
    const sold = await gate.sell({ vip: 2, preferred: 1 });
    await phone.scan({ code_id: sold.tickets[0]! });
    expect(await gate.statusOf(sold)).toBe("confirmed");
    await phone.scan({ code_id: sold.tickets[1]! });
    expect(await gate.statusOf(sold)).toBe("completed");
    await phone.scan({ code_id: sold.tickets[1]!, action: "undo", reason: "wrong person" });
    expect(await gate.statusOf(sold)).toBe("confirmed");
  });

  it("is completed when all are in, whichever door each came through", async () => {
    const sold = await gate.sell({ general: 3 });
    await phone.scan({ code_id: sold.tickets[0]! });
    await phone.scan({ code_id: sold.tickets[1]!, decided: "admitted", at: minutesAgo(5) });
    expect(await gate.statusOf(sold)).toBe("confirmed");
    await gate.sql("update public.tickets set checked_in_at = now() where id = $1", sold.tickets[2]);
    expect(await gate.statusOf(sold)).toBe("completed");
    expect(await phone.scan({ code_id: sold.tickets[2]! })).toMatchObject([
      { result: "already_in", first: { device: null } },
    ]);
  });

  it("is completed when those left after a refund are in", async () => {
    const sold = await gate.sell({ general: 2 });
    await phone.scan({ code_id: sold.tickets[0]! });
    await gate.sql("select public.take_back($1, $2, null)", sold.order, [sold.tickets[1]]);
    expect(await gate.statusOf(sold)).toBe("completed");
  });

  it("voids the permits of refunded parking and of refunded VIP", async () => {
    const sold = await gate.sell({ vip: 1, general: 1, preferred: 1 });
    await gate.sql("select public.take_back($1, $2, null)", sold.order, [sold.tickets[0]]);
    const permits = await gate.sql<{ included: boolean; is_void: boolean; issue_number: number }>(
      `select i.included, p.voided_at is not null as is_void, p.issue_number from public.entry_codes p
        join public.order_items i on i.id = p.order_item_id where p.order_id = $1 and p.kind = 'parking' order by i.included`,
      sold.order,
    );
    expect(permits).toEqual([
      { included: false, is_void: false, issue_number: 1 },
      { included: true, is_void: true, issue_number: 2 },
    ]);
    await gate.sql("select public.take_back($1, null, null)", sold.order);
    expect(
      await gate.sql(
        "select from public.entry_codes where kind = 'parking' and order_id = $1 and voided_at is null",
        sold.order,
      ),
    ).toEqual([]);
  });
});
