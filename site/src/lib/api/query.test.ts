import { QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createQueryClient, createRefresh } from "./query.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A visible read that is invalidated every second, however long it takes. */
function followed(read: () => Promise<number>) {
  const queryClient = createQueryClient();
  const observer = new QueryObserver(queryClient, { queryKey: ["figures"], queryFn: read });
  const leave = observer.subscribe(() => {});
  return { observer, leave, refresh: createRefresh(queryClient, ["figures"], 500) };
}

it("lets a slow read finish under a stream of changes, and reads the last one", async () => {
  let sold = 0;
  const { observer, leave, refresh } = followed(async () => {
    const seen = sold;
    await after(3000);
    return seen;
  });
  await vi.advanceTimersByTimeAsync(3000);
  for (sold = 1; sold <= 10; sold++) {
    refresh();
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(observer.getCurrentResult().data, "meanwhile").toBeGreaterThan(5);
  sold = 10;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(observer.getCurrentResult().data).toBe(10);
  leave();
});

it("reports a read that keeps failing under a stream of changes", async () => {
  let isBroken = false;
  const { observer, leave, refresh } = followed(async () => {
    if (isBroken) throw new Error("out of order");
    return 1;
  });
  await vi.advanceTimersByTimeAsync(100);
  isBroken = true;
  for (let n = 0; n < 5; n++) {
    refresh();
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(observer.getCurrentResult()).toMatchObject({ status: "error", data: 1 });
  leave();
});

it("tries a read three times, also when changes begin to arrive meanwhile, and once when it takes too long", async () => {
  let tries = 0;
  let failure = new Error("out of order");
  const { observer, leave, refresh } = followed(async () => {
    tries++;
    await after(300);
    throw failure;
  });
  await vi.advanceTimersByTimeAsync(100);
  refresh();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(observer.getCurrentResult().isError).toBe(true);
  expect(tries).toBe(3);
  failure = new Error("Failed to fetch figures: TimeoutError: no answer within 15 s");
  refresh();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(tries).toBe(4);
  leave();
});
