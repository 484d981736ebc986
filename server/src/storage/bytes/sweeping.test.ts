import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLog } from "../../platform/log.ts";
import { startSweeping } from "./sweeping.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("sweeps ten minutes after the first use, then uploads hourly and the rest daily, until it is stopped", async () => {
  const counts = { bytes: 0, pictures: 0, uploads: 0 };
  const stop = startSweeping(
    {
      async bytes() {
        counts.bytes += 1;
        throw new Error("PostgreSQL is away");
      },
      pictures: async () => ++counts.pictures,
      uploads: async () => ++counts.uploads,
    },
    createLog("silent"),
  );
  await vi.advanceTimersByTimeAsync(9 * MINUTE);
  expect(counts).toEqual({ bytes: 0, pictures: 0, uploads: 0 });
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(counts).toEqual({ bytes: 1, pictures: 1, uploads: 1 });
  await vi.advanceTimersByTimeAsync(24 * HOUR);
  expect(counts).toEqual({ bytes: 2, pictures: 2, uploads: 25 });
  stop();
  await vi.advanceTimersByTimeAsync(24 * HOUR);
  expect(counts).toEqual({ bytes: 2, pictures: 2, uploads: 25 });
});
