import { expect, it } from "vitest";
import { detourOf, groupsOf, screensOf } from "./navigation.ts";

it("shows an administrator every screen, and leads nowhere else", () => {
  const screens = screensOf("admin").map(({ to }) => to);
  expect(screens).toContain("/admin");
  for (const screen of screens) expect(detourOf("admin", screen)).toBeUndefined();
});

it.each([
  ["finance", ["/admin/orders", "/admin/money", "/admin/tills"], ["/admin/orders/0c5a9f0e"]],
  ["seller", ["/admin/door"], []],
] as const)("shows %s its own screens, and leads to the first from every other", (role, own, below) => {
  expect(screensOf(role).map(({ to }) => to)).toEqual(own);
  for (const path of [...own, ...below]) expect(detourOf(role, path)).toBeUndefined();
  const others = screensOf("admin").filter(({ to }) => !own.some((path) => path === to));
  for (const { to } of others) expect(detourOf(role, to), to).toBe(own[0]);
});

it("groups the screens, and never shows an empty group", () => {
  expect(groupsOf("admin").map(({ label }) => label)).toEqual([
    "Today",
    "Sales",
    "Money",
    "People",
    "Festival",
  ]);
  expect(groupsOf("seller").map(({ label }) => label)).toEqual(["Today"]);
});
