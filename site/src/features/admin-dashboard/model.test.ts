import { describe, expect, it, vi } from "vitest";
import {
  clientHealth,
  healthAlerts,
  offlineSince,
  parseSalesOverview,
  parseSystemHealth,
  parseVisitStats,
  shownHours,
  soldTypes,
} from "./model.ts";

const health = {
  system_status: "healthy",
  last_updated: "2025-06-27T12:00:00Z",
  orders_today: 3,
  pending_orders: 1,
  failed_orders: 0,
  unusual_declines: 0,
  low_inventory_alerts: 0,
  recent_errors: 0,
};
const visits = {
  current_online: 1,
  visits_today: 2,
  unique_visitors_today: 1,
  popular_pages: [{ page: "/map", visits: 2 }],
  hourly_traffic: [{ hour: "2025-06-27T12:00", visits: 2 }],
};

const words = { label: "", plural: "", admits: "", has_code: true, is_vehicle: false, one_per_order: false };
const kinds = [
  { ...words, kind: "ticket", position: 1, title: "Tickets", needs_attendee: true },
  { ...words, kind: "parking", position: 2, title: "Parking", needs_attendee: false },
  { ...words, kind: "camping", position: 3, title: "Camping", needs_attendee: false },
];

describe("an answer", () => {
  it("of another shape is logged and read as no sales", () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const empty = { total_revenue: 0, kinds: [], products: [], by_channel: [] };
    for (const answer of [null, "x", [], {}, { total_revenue: "1" }]) {
      expect(parseSalesOverview(answer)).toEqual(empty);
    }
    expect(log).toHaveBeenCalledOnce();
    log.mockRestore();
  });

  it("of the right shape is kept as it is", () => {
    const answer = {
      total_revenue: 45.5,
      kinds,
      products: [{ kind: "ticket", name: "VIP", sold: 1, comps: 2, revenue: 45.5 }],
      by_channel: [{ channel: "online", sold: { ticket: 1 }, revenue: 45.5 }],
    };
    expect(parseSalesOverview(answer)).toEqual(answer);
  });

  it("lists the sales so that each sum is that of a card above", () => {
    const rows = soldTypes({
      total_revenue: 115.3,
      kinds,
      by_channel: [],
      products: [
        { kind: "ticket", name: "GA", sold: 2, comps: 0, revenue: 0.1 },
        { kind: "parking", name: "Preferred", sold: 2, comps: 1, revenue: 115 },
        { kind: "ticket", name: "VIP", sold: 1, comps: 4, revenue: 0.2 },
      ],
    });
    expect(rows.map(({ name, sold, comps, revenue }) => [name, sold, comps, revenue])).toEqual([
      ["GA", 2, 0, 0.1],
      ["VIP", 1, 4, 0.2],
      ["All tickets", 3, 4, 0.3],
      ["Preferred", 2, 1, 115],
      ["Tickets and parking", 5, 5, 115.3],
    ]);
  });

  it("of another shape is an error for health and visits: a missing figure is not zero", () => {
    expect(parseSystemHealth(health)).toEqual(health);
    expect(parseVisitStats(visits)).toEqual(visits);
    const { failed_orders: _failed, ...lessHealth } = health;
    for (const answer of [null, "x", 3, [], lessHealth]) {
      expect(() => parseSystemHealth(answer)).toThrow("Invalid system health data received");
    }
    for (const answer of [null, "x", 3, [], { ...visits, popular_pages: undefined }]) {
      expect(() => parseVisitStats(answer)).toThrow("Invalid response format from visit stats API");
    }
  });
});

it("lists what needs attention, and links to where something can be done", () => {
  const quiet = parseSystemHealth(health);
  expect(healthAlerts(quiet)).toEqual([]);
  const alerts = (low: number, failed: number, errors: number) =>
    healthAlerts({ ...quiet, low_inventory_alerts: low, failed_orders: failed, recent_errors: errors });
  expect(alerts(2, 2, 3).map(({ text }) => text)).toEqual([
    "2 items low in stock",
    "2 failed orders need attention",
    "3 recent system errors",
  ]);
  expect(alerts(1, 1, 1)).toEqual([
    { text: "1 item low in stock", to: "/admin/inventory" },
    { text: "1 failed order needs attention", to: "/admin/orders?status=attention" },
    { text: "1 recent system error", to: "/admin/audit-logs?kind=Errors" },
  ]);
});

it("sends unusual declines to the failed orders, where they are listed", () => {
  expect(healthAlerts({ ...parseSystemHealth(health), unusual_declines: 14 })).toEqual([
    { text: "14 payments declined in the last hour", to: "/admin/orders?status=failed" },
  ]);
});

it("shows the latest hours from left to right", () => {
  const hours = Array.from({ length: 24 }, (_, ago) => ({
    hour: `2025-06-27T${23 - ago}:00`,
    visits: ago % 2,
  }));
  const shown = shownHours(parseVisitStats({ ...visits, hourly_traffic: hours }));
  expect(shown.map(({ hour }) => hour)).toEqual(
    [16, 17, 18, 19, 20, 21, 22, 23].map((hour) => `2025-06-27T${hour}:00`),
  );
});

it("is offline since the first failure, and live again when nothing fails", () => {
  const good = { isError: false, dataUpdatedAt: 1000, errorUpdatedAt: 900 };
  expect(offlineSince([good], undefined)).toBeUndefined();
  expect(offlineSince([good], 5000)).toBe(5000);
  expect(offlineSince([good, { ...good, isError: true, dataUpdatedAt: 3000 }], 5000)).toBe(3000);
  expect(offlineSince([{ isError: true, dataUpdatedAt: 0, errorUpdatedAt: 7000 }], undefined)).toBe(7000);
});

it("rates the session by errors and rate limit hits", () => {
  expect([clientHealth(5, 10), clientHealth(6, 0), clientHealth(0, 11)]).toEqual([
    "healthy",
    "warning",
    "warning",
  ]);
  expect([clientHealth(11, 0), clientHealth(0, 21)]).toEqual(["critical", "critical"]);
});
