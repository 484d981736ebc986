// Stopping goes on when a part cannot be closed.
import { expect, it, vi } from "vitest";
import { closeAll } from "./close-all.ts";

it("closes every part, the last first, although some throw or reject, and logs those", async () => {
  const closed: string[] = [];
  const error = vi.fn();
  await closeAll(
    [
      () => closed.push("postgres"),
      async () => Promise.reject(new Error("pool")),
      () => {
        throw new Error("mailer");
      },
      async () => closed.push("server"),
    ],
    { error },
  );
  expect(closed).toEqual(["server", "postgres"]);
  expect(error.mock.calls.map(([fields]) => (fields as { err: Error }).err.message)).toEqual([
    "mailer",
    "pool",
  ]);
});
