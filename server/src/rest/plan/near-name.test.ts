import { expect, test } from "vitest";
import { NEAR, nearestName, SIMILAR } from "./near-name.ts";

test("finds a slip of the pen, and nothing that is only a little alike", () => {
  const tables = ["clients", "projects", "users_tasks", "tasks"];
  expect(nearestName("client", tables, NEAR)).toMatchObject({ name: "clients" });
  expect(nearestName("Projetcs", tables, SIMILAR)).toMatchObject({ name: "projects" });
  expect(nearestName("user", tables, NEAR)).toBeUndefined();
  expect(nearestName("zzz", tables, SIMILAR)).toBeUndefined();
  expect(nearestName("tasks", tables, NEAR)).toEqual({ name: "tasks", score: 1 });
  expect(nearestName("x", [], SIMILAR)).toBeUndefined();
});

test("keeps names' own letters, and looks at none that is far longer than a name can be", () => {
  expect(nearestName("تسط", ["تست"], SIMILAR)).toMatchObject({ name: "تست" });
  expect(nearestName("clients".repeat(100), ["clients"], SIMILAR)).toBeUndefined();
});
