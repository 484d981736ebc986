import { beforeEach, describe, expect, it } from "vitest";
import { createRateLimiter, waitMessage } from "./rate-limit.ts";

describe("the client's rate limit", () => {
  let time = 0;
  const limiterAt = () => createRateLimiter(() => time);
  beforeEach(() => {
    time = 1_000_000;
  });

  it.each([
    ["payment", 3],
    ["order_creation", 5],
    ["qr_generation", 10],
  ] as const)("allows %s %d times a minute", (operation, limit) => {
    const limiter = limiterAt();
    for (let call = 0; call < limit; call++)
      expect(limiter.take(operation, "ana")).toEqual({ allowed: true });
    expect(limiter.take(operation, "ana")).toEqual({ allowed: false, retryAfterMs: 60_000 });
  });

  it("frees each call again after 60 s", () => {
    const limiter = limiterAt();
    limiter.take("payment", "ana");
    time += 30_000;
    limiter.take("payment", "ana");
    limiter.take("payment", "ana");
    time += 29_999;
    expect(limiter.take("payment", "ana")).toEqual({ allowed: false, retryAfterMs: 1 });
    time += 1;
    expect(limiter.take("payment", "ana").allowed).toBe(true);
    expect(limiter.take("payment", "ana").allowed).toBe(false);
  });

  it("does not count refused calls", () => {
    const limiter = limiterAt();
    for (let call = 0; call < 20; call++) limiter.take("payment", "ana");
    time += 60_000;
    expect(limiter.take("payment", "ana").allowed).toBe(true);
  });

  it("counts each operation and each user separately", () => {
    const limiter = limiterAt();
    for (let call = 0; call < 3; call++) limiter.take("payment", "ana");
    expect(limiter.take("payment", "ben").allowed).toBe(true);
    expect(limiter.take("order_creation", "ana").allowed).toBe(true);
  });

  it("keeps its counts across a cleanup", () => {
    const limiter = limiterAt();
    for (let call = 0; call < 3; call++) limiter.take("payment", "ana");
    limiter.cleanup();
    expect(limiter.take("payment", "ana").allowed).toBe(false);
    time += 3_600_001;
    limiter.cleanup();
    expect(limiter.take("payment", "ana").allowed).toBe(true);
  });

  it("returns the wait in whole seconds", () => {
    expect(waitMessage(11_001)).toBe("Please wait 12 seconds and try again.");
    expect(waitMessage(3)).toBe("Please wait 1 second and try again.");
  });
});
