import { describe, expect, it } from "vitest";
import {
  clientHealth,
  healthAlerts,
  parseSalesOverview,
  parseSystemHealth,
  parseVisitStats,
} from "./model.ts";

describe("answers of the wrong shape", () => {
  it("makes an empty sales overview of anything else", () => {
    const empty = { total_revenue: 0, total_tickets: 0, total_parking: 0, ticket_breakdown: [] };
    for (const answer of [null, "x", [], {}, { total_revenue: "1" }]) {
      expect(parseSalesOverview(answer)).toEqual(empty);
    }
  });

  it("keeps a right one", () => {
    const answer = {
      total_revenue: 45.5,
      total_tickets: 1,
      total_parking: 0,
      ticket_breakdown: [{ ticket_type: "VIP", sold: 1, revenue: 45.5 }],
    };
    expect(parseSalesOverview(answer)).toEqual(answer);
  });

  it("refuses health and visits that are no objects", () => {
    for (const answer of [null, "x", 3, []]) {
      expect(() => parseSystemHealth(answer)).toThrow("Invalid system health data received");
      expect(() => parseVisitStats(answer)).toThrow("Invalid response format from visit stats API");
    }
    expect(parseVisitStats({}).popular_pages).toEqual([]);
  });
});

it("says what needs attention", () => {
  const quiet = parseSystemHealth({});
  expect(healthAlerts(quiet)).toEqual([]);
  expect(healthAlerts({ ...quiet, low_inventory_alerts: 2, failed_orders: 1, recent_errors: 3 })).toEqual([
    "2 items low in stock",
    "1 failed orders need attention",
    "3 recent system errors",
  ]);
});

it("rates the session by errors and rate limit hits", () => {
  expect([clientHealth(5, 10), clientHealth(6, 0), clientHealth(0, 11)]).toEqual([
    "healthy",
    "warning",
    "warning",
  ]);
  expect([clientHealth(11, 0), clientHealth(0, 21)]).toEqual(["critical", "critical"]);
});
