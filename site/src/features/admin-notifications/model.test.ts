import { describe, expect, it } from "vitest";
import {
  added,
  alertNotification,
  badgeText,
  createMemory,
  createStockWatch,
  KEPT,
  markRead,
  orderNotification,
  placeOf,
  relativeTime,
  unreadCount,
  type Notification,
} from "./model.ts";

const at = "2025-06-01T12:00:00Z";
const order = (id: string): Notification =>
  orderNotification({ id, buyer_full_name: "Ana Reyes", total_amount: 115, created_at: at });

it("announces an order by its buyer and total", () => {
  expect(order("o1")).toMatchObject({
    type: "new_order",
    title: "New Order Received",
    message: "Order from Ana Reyes - $115.00",
    read: false,
  });
});

it("isolates a right-to-left name so that the sentence keeps its order", () => {
  const { message } = orderNotification({
    id: "o1",
    buyer_full_name: "محمد الحوستوني",
    total_amount: 145,
    created_at: at,
  });
  expect(message).toBe("Order from \u2068محمد الحوستوني\u2069 - $145.00");
});

it("announces only audit entries that are errors", () => {
  const entry = (action_type: string) => ({ id: "a", action_type, table_name: "orders", created_at: at });
  expect(alertNotification(entry("UPDATE"))).toBeUndefined();
  expect(alertNotification(entry("FETCH_ERROR_ORDERS"))).toBeUndefined();
  expect(alertNotification(entry("ERROR_REFUND_FAILED"))).toMatchObject({
    title: "System Alert",
    message: "ERROR_REFUND_FAILED in orders",
  });
  expect(alertNotification(entry("CRITICAL_OUTBOX_DEAD"))).toBeDefined();
});

it("links to its subject, even when an older version stored no data", () => {
  const notification = (type: Notification["type"], data: Notification["data"]) =>
    placeOf({ ...order("o1"), type, data });
  expect(placeOf(order("o1"))).toBe("/admin/orders/o1");
  expect(notification("new_order", {})).toBe("/admin/orders");
  expect(notification("vendor_application", { vendor_application_id: "v1" })).toBe(
    "/admin/vendors?application=v1",
  );
  expect(notification("vendor_application", {})).toBe("/admin/vendors");
  expect(notification("low_inventory", { item_id: "t1" })).toBe("/admin/inventory");
  expect(notification("system_alert", { audit_log_id: "a1" })).toBe("/admin/audit-logs?kind=Errors");
});

describe("low stock", () => {
  const level = (current_inventory: number) => ({
    id: "t",
    name: "VIP",
    current_inventory,
    total_inventory: 100,
    is_hidden: false,
  });

  it("is silent about hidden items, and notifies when one is unhidden while low", () => {
    const watch = createStockWatch();
    watch.learn({ ...level(30), is_hidden: true }, at);
    expect(watch.see({ ...level(5), is_hidden: true }, at)).toBeUndefined();
    expect(watch.see(level(5), at)?.message).toBe("VIP: 5 left of 100");
  });

  it("notifies when the label gets worse, not at each sale", () => {
    const watch = createStockWatch();
    watch.learn(level(30), at);
    const said = [26, 25, 24, 11, 10, 9].map((left) => watch.see(level(left), at)?.message);
    expect(said).toEqual([
      undefined,
      "VIP: 25 left of 100",
      undefined,
      undefined,
      "VIP: 10 left of 100",
      undefined,
    ]);
  });

  it("ignores a response older than what it knows", () => {
    const watch = createStockWatch();
    watch.learn(level(30), at);
    expect(watch.see(level(20), "2025-06-01T12:00:01Z")).toBeDefined();
    expect(watch.see(level(30), at)).toBeUndefined();
    expect(watch.see(level(19), "2025-06-01T12:00:02Z")).toBeUndefined();
  });

  it("is silent about an item seen for the first time", () => {
    const watch = createStockWatch();
    expect(watch.see(level(5), at)).toBeUndefined();
    expect(watch.see(level(80), at)).toBeUndefined();
    expect(watch.see(level(5), at)).toBeDefined();
  });

  it("notifies again after stock has come back", () => {
    const watch = createStockWatch();
    watch.learn(level(5), at);
    expect(watch.see(level(80), at)).toBeUndefined();
    expect(watch.see(level(20), at)).toBeDefined();
  });
});

it("lists the newest first, each event once, up to a limit", () => {
  let list: readonly Notification[] = [];
  for (let n = 0; n <= KEPT; n++) list = added(list, order(`o${n}`));
  expect(list).toHaveLength(KEPT);
  expect(list[0]?.id).toBe(`new_order:o${KEPT}`);
  expect(added(list, order("o5"))).toBe(list);
});

describe("the memory", () => {
  it("counts each event as news once, even after the list was cleared", () => {
    const memory = createMemory();
    expect([memory.isNews(order("1")), memory.isNews(order("1")), memory.isNews(order("2"))]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("skips what was there before, unless it arrives as a change", () => {
    const memory = createMemory();
    memory.learn(order("1"));
    expect([memory.isKnown(order("1")), memory.isKnown(order("2"))]).toEqual([true, false]);
    expect(memory.since("new_order", 0)).toBe(new Date(at).toISOString());
    expect([memory.isNews(order("1")), memory.isNews(order("1"))]).toEqual([true, false]);
  });

  it("knows from when on something may have been missed", () => {
    const memory = createMemory();
    expect(memory.since("new_order", 0)).toBeUndefined();
    memory.isNews({ ...order("1"), created_at: "2025-06-01T12:05:00Z" });
    memory.isNews(order("2"));
    expect(memory.since("new_order", 0)).toBe("2025-06-01T12:05:00.000Z");
    expect(memory.since("new_order", 60_000)).toBe("2025-06-01T12:04:00.000Z");
    expect(memory.since("system_alert", 0)).toBeUndefined();
  });

  it("forgets the oldest", () => {
    const memory = createMemory();
    for (let n = 0; n <= 2000; n++) memory.isNews(order(String(n)));
    expect(memory.isNews(order("2000"))).toBe(false);
    expect(memory.isNews(order("0"))).toBe(true);
  });
});

it("marks one or all as read", () => {
  const list = added(added([], order("1")), order("2"));
  expect(unreadCount(list)).toBe(2);
  expect(unreadCount(markRead(list, "new_order:1"))).toBe(1);
  expect(unreadCount(markRead(list))).toBe(0);
});

it("caps the badge at 99+", () => {
  expect([badgeText(1), badgeText(99), badgeText(100)]).toEqual(["1", "99", "99+"]);
});

it("shows how long ago it was", () => {
  const now = Date.parse(at);
  const ago = (minutes: number) => relativeTime(at, now + minutes * 60_000);
  expect([ago(0), ago(0.9), ago(1), ago(59), ago(60), ago(60 * 23), ago(60 * 24 * 3)]).toEqual([
    "Just now",
    "Just now",
    "1m ago",
    "59m ago",
    "1h ago",
    "23h ago",
    "3d ago",
  ]);
  expect(relativeTime(at, now - 60_000)).toBe("Just now");
});
