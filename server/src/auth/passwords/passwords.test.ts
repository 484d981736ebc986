import { expect, it } from "vitest";
import type { HashingThreads } from "./hashing-threads.ts";
import { createPasswords } from "./passwords.ts";

it("still compares for an unknown address after another was refused under load", async () => {
  let full = true;
  const threads: HashingThreads = {
    run: (work) => {
      if (full) return Promise.reject(new Error("too many are waiting"));
      return Promise.resolve("hash" in work ? { equal: false } : { hash: "a decoy" });
    },
    close: () => Promise.resolve(),
  };
  const passwords = createPasswords(4, threads);
  await expect(
    passwords.matches("a password", undefined, { ip: "192.0.2.1", account: "a" }),
  ).rejects.toThrow();
  full = false;
  expect(await passwords.matches("a password", undefined, { ip: "192.0.2.2", account: "b" })).toBe(false);
});
