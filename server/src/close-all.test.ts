// Stopping continues when a part fails to close, or never ends.
import { expect, it, vi } from "vitest";
import { closeAll } from "./close-all.ts";

const never = () => new Promise(() => {});

it("closes every part in reverse order, although some throw or reject, and logs those", async () => {
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

it("leaves behind a part that does not end, and logs its name", async () => {
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

it("gives no part its full time once all together have used theirs", async () => {
  const error = vi.fn();
  const parts = ["a", "b", "c"].map((part) => ({ part, close: never }));
  await closeAll(parts, { error }, { eachMs: 60_000, allMs: 5, leastMs: 1 });
  expect(error.mock.calls.map(([fields]) => fields)).toEqual([{ part: "c" }, { part: "b" }, { part: "a" }]);
});
