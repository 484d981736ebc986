import { expect, it } from "vitest";
import { detourOf, screensOf } from "./navigation.ts";

it("shows an administrator every screen, and leads nowhere else", () => {
  const screens = screensOf("admin").map(({ to }) => to);
  expect(screens).toContain("/admin");
  for (const screen of screens) expect(detourOf("admin", screen)).toBeUndefined();
});

it("shows finance the orders alone, and leads there from every other screen", () => {
  expect(screensOf("finance").map(({ to }) => to)).toEqual(["/admin/orders"]);
  for (const own of ["/admin/orders", "/admin/orders/0c5a9f0e"])
    expect(detourOf("finance", own)).toBeUndefined();
  const others = screensOf("admin").filter(({ to }) => to !== "/admin/orders");
  for (const { to } of others) expect(detourOf("finance", to), to).toBe("/admin/orders");
});
