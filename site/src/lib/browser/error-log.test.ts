import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { clearErrorLog, logError, logRateLimit, readErrorLog } from "./error-log.ts";

const entries = new Map<string, string>();

beforeEach(() => {
  entries.clear();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (key: string) => entries.get(key) ?? null,
      setItem: (key: string, value: string) => entries.set(key, value),
      removeItem: (key: string) => entries.delete(key),
    },
  });
});

// For the test files after this one: a mock of a mock would count what was logged here.
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("keeps the newest 50, newest first", () => {
  for (let number = 1; number <= 60; number++) logError("load", new Error(`failure ${number}`));
  const log = readErrorLog();
  expect(log).toHaveLength(50);
  expect([log[0]?.message, log[49]?.message]).toEqual(["failure 60", "failure 11"]);
});

it("counts refused requests separately from errors, and can be cleared", () => {
  logError("pay", "offline");
  logRateLimit("payment");
  expect(readErrorLog().map(({ kind, operation }) => [kind, operation])).toEqual([
    ["rate_limit", "payment"],
    ["error", "pay"],
  ]);
  clearErrorLog();
  expect(readErrorLog()).toEqual([]);
});

describe("while the page is being left", () => {
  const leaving = new EventTarget();
  beforeEach(() => {
    vi.useFakeTimers();
    vi.resetModules();
    vi.stubGlobal("addEventListener", leaving.addEventListener.bind(leaving));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.resetModules(); // the next file's page is not being left
  });

  it("logs nothing that was cut off, and all of it if the page stays", async () => {
    const log = await import("./error-log.ts");
    leaving.dispatchEvent(new Event("beforeunload"));
    log.logError("load the till", new TypeError("Failed to fetch"));
    expect(readErrorLog()).toEqual([]);
    vi.advanceTimersByTime(10_000);
    expect(readErrorLog().map(({ operation }) => operation)).toEqual(["load the till"]);
    log.logError("load the sales", new TypeError("Failed to fetch"));
    expect(readErrorLog()).toHaveLength(2);
  });
});

it("starts over when the stored data is not a log", () => {
  logError("pay", "offline");
  for (const key of entries.keys()) entries.set(key, "{");
  expect(readErrorLog()).toEqual([]);
  logError("pay", "again");
  expect(readErrorLog()).toHaveLength(1);
});
