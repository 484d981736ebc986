import { afterEach, describe, expect, it, vi } from "vitest";
import { readJson, readText, writeJson } from "./stored-json.ts";

afterEach(() => vi.unstubAllGlobals());

const refuse = () => {
  throw new DOMException("The operation is insecure.", "SecurityError");
};
const refused = {
  "at the first look": Object.defineProperty({}, "localStorage", { get: refuse }),
  "at every call": { localStorage: { getItem: refuse, setItem: refuse, removeItem: refuse } },
};

describe.each(Object.entries(refused))("storage that the browser blocks %s", (_when, window) => {
  it("keeps nothing and throws nothing", () => {
    vi.stubGlobal("window", window);
    writeJson("local", "key", { a: 1 });
    expect(readJson("local", "key")).toBeUndefined();
    writeJson("local", "key", undefined);
    expect(readText("local", "key")).toBeUndefined();
  });
});

it("keeps JSON, and removes it", () => {
  const entries = new Map<string, string>();
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (key: string) => entries.get(key) ?? null,
      setItem: (key: string, text: string) => entries.set(key, text),
      removeItem: (key: string) => entries.delete(key),
    },
  });
  writeJson("local", "key", [1]);
  expect(readJson("local", "key")).toEqual([1]);
  writeJson("local", "key", undefined);
  expect(entries.size).toBe(0);
});
