// JSON in the browser's storage. Storage may be absent (prerendering), full, or refused (private windows): then
// nothing is kept, and the page works on.

type Area = "local" | "session";

function area(kind: Area): Storage | undefined {
  if (typeof window === "undefined") return undefined;
  try {
    return kind === "local" ? window.localStorage : window.sessionStorage;
  } catch {
    return undefined;
  }
}

/** @throws SyntaxError when what is stored is not JSON. */
export function readJson(kind: Area, key: string): unknown {
  const text = area(kind)?.getItem(key);
  return text == null ? undefined : JSON.parse(text);
}

/** undefined removes the entry. */
export function writeJson(kind: Area, key: string, value: unknown): void {
  try {
    if (value === undefined) area(kind)?.removeItem(key);
    else area(kind)?.setItem(key, JSON.stringify(value));
  } catch {
    // Full or refused: see above.
  }
}
