// Stopping goes on when a part cannot be closed, or never ends.
import { expect, it, vi } from "vitest";
import { closeAll } from "./close-all.ts";

const never = () => new Promise(() => {});

it("closes every part, the last first, although some throw or reject, and logs those", async () => {
  const closed: string[] = [];
  const error = vi.fn();
  await closeAll(
    [
      { part: "postgres", close: () => closed.push("postgres") },
      { part: "pool", close: async () => Promise.reject(new Error("pool")) },
      {
        part: "mailer",
        close() {
          throw new Error("mailer");
        },
      },
      { part: "server", close: async () => closed.push("server") },
    ],
    { error },
  );
  expect(closed).toEqual(["server", "postgres"]);
  expect(error.mock.calls.map(([fields]) => fields)).toEqual([
    { part: "mailer", err: new Error("mailer") },
    { part: "pool", err: new Error("pool") },
  ]);
});

it("leaves behind what does not end, and says what that was", async () => {
  const closed: string[] = [];
  const error = vi.fn();
  await closeAll(
    [
      { part: "postgres", close: () => closed.push("postgres") },
      { part: "mail", close: never },
    ],
    { error },
    { eachMs: 5, allMs: 60_000, leastMs: 5 },
  );
  expect(closed).toEqual(["postgres"]);
  expect(error.mock.calls.map(([fields]) => fields)).toEqual([{ part: "mail" }]);
});

it("gives no part its whole time once all of them have taken theirs", async () => {
  const error = vi.fn();
  const parts = ["a", "b", "c"].map((part) => ({ part, close: never }));
  await closeAll(parts, { error }, { eachMs: 60_000, allMs: 5, leastMs: 1 });
  expect(error.mock.calls.map(([fields]) => fields)).toEqual([{ part: "c" }, { part: "b" }, { part: "a" }]);
});
