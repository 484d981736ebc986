import { expect, test } from "vitest";
import { NEAR, nearestName, SIMILAR } from "./near-name.ts";

test("finds a typo, and nothing that is only vaguely similar", () => {
  const tables = ["clients", "projects", "users_tasks", "tasks"];
  expect(nearestName("client", tables, NEAR)).toMatchObject({ name: "clients" });
  expect(nearestName("Projetcs", tables, SIMILAR)).toMatchObject({ name: "projects" });
  expect(nearestName("user", tables, NEAR)).toBeUndefined();
  expect(nearestName("zzz", tables, SIMILAR)).toBeUndefined();
  expect(nearestName("tasks", tables, NEAR)).toEqual({ name: "tasks", score: 1 });
  expect(nearestName("x", [], SIMILAR)).toBeUndefined();
});

test("keeps a name's own letters, and skips names far longer than any name can be", () => {
  expect(nearestName("تسط", ["تست"], SIMILAR)).toMatchObject({ name: "تست" });
  expect(nearestName("clients".repeat(100), ["clients"], SIMILAR)).toBeUndefined();
});
