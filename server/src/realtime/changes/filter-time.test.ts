// Who pays for slow filters, and which subscriptions end.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FilterTime } from "./filter-time.ts";
import { parseFilter } from "./filter.ts";
import type { Subscriber, Subscription } from "./subscriptions.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const subscriber = (address: string, sub: string): Subscriber => ({
  inTurn: (work) => work(),
  address,
  claims: () => ({ role: "authenticated", sub }),
  onChanges() {},
  onResumed() {},
  onEnded() {},
});
const subscription = (filter = "id=eq.1"): Subscription => ({
  ...{ id: 1, event: "*", schema: "public", table: "notes", select: undefined },
  filter,
  conditions: parseFilter(filter),
  subscriber: subscriber("192.0.2.1", "alice"),
});

it("is paid by a person on whatever network, and by a network for all its people", () => {
  const time = new FilterTime();
  time.spend([subscriber("192.0.2.1", "alice")], 400);
  expect(time.left([subscriber("192.0.2.2", "alice")])).toBe(0);
  expect(time.left([subscriber("192.0.2.1", "bob")])).toBe(0);
  expect(time.left([subscriber("192.0.2.2", "bob")])).toBe(100);
});

it("is half of each second for all together", () => {
  const time = new FilterTime();
  time.spend([subscriber("192.0.2.1", "alice")], 300);
  time.spend([subscriber("192.0.2.2", "bob")], 300);
  const carol = [subscriber("192.0.2.3", "carol")];
  expect(time.left(carol)).toBeLessThan(0);
  vi.advanceTimersByTime(1_000);
  expect(time.left(carol)).toBe(400);
});

it("ends a slow filter that was not tried again and again, and never a quick one", () => {
  const time = new FilterTime();
  const [slow, quick] = [subscription(), subscription()];
  time.wasTried(slow, 3);
  time.wasTried(quick, 2);
  const missed = (one: Subscription) => Array.from({ length: 30 }, () => time.wasMissed(one, "notTried"));
  expect(missed(slow)).toEqual([...Array.from({ length: 29 }, () => false), true]);
  expect(missed(quick)).not.toContain(true);
});

it("forgives a filter that timed out only while it is quick", () => {
  const time = new FilterTime();
  const [slow, quick] = [subscription(), subscription()];
  for (const [one, ms] of [
    [slow, 3],
    [quick, 2],
  ] as const) {
    for (let n = 0; n < 2; n++) time.wasMissed(one, "timedOut");
    time.wasTried(one, ms);
  }
  expect(time.wasMissed(slow, "timedOut")).toBe(true);
  expect(time.wasMissed(quick, "timedOut")).toBe(false);
});
