import { expect, it } from "vitest";
import { type AccountReport, onlineStatement } from "./accounts-model.ts";

it("calls payments that bought nothing refunded only once their money has gone back", () => {
  const noteWith = (extra_kept_cents: number) => {
    const report = {
      online: { orders: 0, items_cents: 0, discount_cents: 0, total_cents: 0 },
      fees: [],
      payments: { count: 2, cents: 6000, extra_count: 2, extra_cents: 6000, extra_kept_cents },
    };
    const rows = onlineStatement(report as unknown as AccountReport);
    return rows.find(({ key }) => key === "extra")!.note;
  };
  expect(noteWith(3000)).toBe("2 payments, $30.00 not refunded");
  expect(noteWith(0)).toBe("2 payments, refunded");
});
