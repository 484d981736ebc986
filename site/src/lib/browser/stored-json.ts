// JSON in the browser's storage. No other module accesses storage. It may be absent (prerendering), full, or blocked by
// the browser at any call: then nothing is kept, and the page still works.

type Area = "local" | "session";

/** The stored text; undefined when there is none or the browser blocks it. */
export function readText(kind: Area, key: string): string | undefined {
  return guarded(kind, (storage) => storage.getItem(key)) ?? undefined;
}

/** undefined removes the entry. */
export function writeText(kind: Area, key: string, text: string | undefined): void {
  guarded(kind, (storage) => (text === undefined ? storage.removeItem(key) : storage.setItem(key, text)));
}

/** @throws SyntaxError when the stored text is not JSON. */
export function readJson(kind: Area, key: string): unknown {
  const text = readText(kind, key);
  return text === undefined ? undefined : JSON.parse(text);
}

/** undefined removes the entry. */
export function writeJson(kind: Area, key: string, value: unknown): void {
  writeText(kind, key, value === undefined ? undefined : JSON.stringify(value));
}

/** Removes every entry whose key begins so. */
export function removeAll(kind: Area, prefix: string): void {
  guarded(kind, (storage) => {
    for (const key of Object.keys(storage)) if (key.startsWith(prefix)) storage.removeItem(key);
  });
}

function guarded<Result>(kind: Area, use: (storage: Storage) => Result): Result | undefined {
  if (typeof window === "undefined") return undefined;
  try {
    return use(kind === "local" ? window.localStorage : window.sessionStorage);
  } catch {
    return undefined;
  }
}
