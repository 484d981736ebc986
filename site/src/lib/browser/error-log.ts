// The newest 50 errors in this browser, kept in local storage for the back office's health strip.
import { unlessLeft } from "./leaving.ts";
import { readJson, writeJson } from "./stored-json.ts";

const KEY = "houston-culture-festival:errors";
const LIMIT = 50;

const watchers = new Set<() => void>();

export interface LoggedError {
  at: string;
  /** Calls refused by the client's own rate limit are counted separately. */
  kind: "error" | "rate_limit";
  /** The operation that failed, e.g. "load ticket types". */
  operation: string;
  message: string;
  path: string;
}

/** A call that is cut off because the user leaves the page is not an error. */
export function logError(operation: string, error: unknown): void {
  unlessLeft(() => {
    // oxlint-disable-next-line no-console -- errors belong in the browser's console too
    console.error(`${operation}:`, error);
    record("error", operation, error instanceof Error ? error.message : String(error));
  });
}

export function logRateLimit(operation: string): void {
  record("rate_limit", operation, "Refused by the client's rate limit");
}

/** Newest first. */
export function readErrorLog(): LoggedError[] {
  try {
    const stored = readJson("local", KEY);
    return Array.isArray(stored) ? stored.filter(isLoggedError).slice(0, LIMIT) : [];
  } catch {
    return [];
  }
}

export function clearErrorLog(): void {
  writeJson("local", KEY, undefined);
  notify();
}

/** Calls back when the log changes, in this tab or another. Returns a function that stops. */
export function watchErrorLog(watcher: () => void): () => void {
  const onStorage = (event: StorageEvent) => (event.key === KEY || event.key === null) && watcher();
  watchers.add(watcher);
  addEventListener("storage", onStorage);
  return () => {
    watchers.delete(watcher);
    removeEventListener("storage", onStorage);
  };
}

function notify(): void {
  for (const watcher of watchers) watcher();
}

function record(kind: LoggedError["kind"], operation: string, message: string): void {
  const entry: LoggedError = {
    at: new Date().toISOString(),
    kind,
    operation,
    message: message.slice(0, 500),
    path: typeof location === "undefined" ? "" : location.pathname,
  };
  writeJson("local", KEY, [entry, ...readErrorLog()].slice(0, LIMIT));
  notify();
}

function isLoggedError(value: unknown): value is LoggedError {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Partial<LoggedError>;
  return (
    typeof entry.at === "string" && typeof entry.message === "string" && typeof entry.operation === "string"
  );
}
