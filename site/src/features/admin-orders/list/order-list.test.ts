import { expect, it, vi } from "vitest";
import { parseOrderPage } from "./order-list.ts";

it("logs a response of another shape, and reads it as no orders", () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  for (const answer of [null, {}, { orders: [{}], total_count: 1, page_size: 10, page_offset: 0 }]) {
    expect(parseOrderPage(answer)).toEqual({ rows: [], total: 0, exact: true, all: 0 });
  }
  expect(log, "once, not at every refresh").toHaveBeenCalledOnce();
  expect(String(log.mock.lastCall![1])).toContain("Failed to fetch orders: unexpected answer");
  log.mockRestore();
});
