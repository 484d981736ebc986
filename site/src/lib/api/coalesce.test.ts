import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { coalesce } from "./coalesce.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("turns a thousand calls a second into two runs, including the last call", () => {
  const runs: number[] = [];
  let latest = 0;
  const call = coalesce(() => runs.push(latest), 1000);
  for (let n = 1; n <= 1000; n++) {
    latest = n;
    call();
    vi.advanceTimersByTime(0.5);
  }
  vi.advanceTimersByTime(5000);
  expect(runs).toEqual([1, 1000]);
});

it("runs at once again after a quiet period", () => {
  let runs = 0;
  const call = coalesce(() => runs++, 1000);
  call();
  vi.advanceTimersByTime(2000);
  call();
  expect(runs).toBe(2);
});

it("does not run again once cancelled", () => {
  let runs = 0;
  const call = coalesce(() => runs++, 1000);
  call();
  call();
  call.cancel();
  vi.advanceTimersByTime(5000);
  expect(runs).toBe(1);
});
