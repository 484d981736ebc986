import { expect, it } from "vitest";
import { cachedRead } from "./cached-read.ts";

interface Settings {
  readonly timeout: string;
}

/** Reads that the test answers, in the order in which they began. */
function reads() {
  const begun: { found: (settings: Settings) => void; failed: (error: Error) => void }[] = [];
  const read = () => new Promise<Settings>((found, failed) => begun.push({ found, failed }));
  return { begun, read };
}

it("is read once for all who ask, and is then there without a promise", async () => {
  const { begun, read } = reads();
  const settings = cachedRead(read);
  const asked = [settings.current(), settings.current()];
  const found = { timeout: "3s" };
  begun[0]!.found(found);
  expect([await asked[0], await asked[1]]).toEqual([found, found]);
  expect(settings.current()).toBe(found);
  expect(begun).toHaveLength(1);
});

it("is read again after a failure", async () => {
  const { begun, read } = reads();
  const settings = cachedRead(read);
  const failed = settings.current();
  begun[0]!.failed(new Error("no connection"));
  await expect(failed).rejects.toThrow("no connection");
  void settings.current();
  expect(begun).toHaveLength(2);
});

it("does not keep what was being read when it was forgotten", async () => {
  const { begun, read } = reads();
  const settings = cachedRead(read);
  const before = settings.current();
  settings.forget();
  const after = settings.current();
  const [old, fresh] = [{ timeout: "3s" }, { timeout: "8s" }];
  begun[1]!.found(fresh);
  expect(await after).toBe(fresh);
  begun[0]!.found(old);
  expect(await before).toBe(old);
  expect(settings.current()).toBe(fresh);
});
