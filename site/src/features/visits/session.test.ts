import { expect, it } from "vitest";
import { newVisitId, visitSession } from "./session.ts";

it("gives every visit a new UUID of version 4", () => {
  const ids = Array.from({ length: 100 }, newVisitId);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  expect(new Set(ids).size).toBe(100);
});

it("keeps one session while the page is open where storage is blocked", () => {
  expect(visitSession()).toBe(visitSession());
});
