// Who may visit the waiting room.
import { expect, it } from "vitest";
import type { FunctionDeps } from "../_shared/deps.ts";
import { handler } from "./handler.ts";

it("refuses an account that has ended before its visit joins those of others", async () => {
  let visits = 0;
  const deps = {
    caller: async () => ({ userId: "gone" }),
    sql: async () => [false],
    address: () => "203.0.113.7",
    room: { visit: async () => void visits++ },
  } as unknown as FunctionDeps;
  const request = new Request("http://festival.test/waiting-room", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect((await handler(request, deps)).status).toBe(401);
  expect(visits).toBe(0);
});
