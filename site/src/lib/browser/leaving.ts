/** Longer than a page lives after a reload or navigation has begun. */
const LEAVING_MS = 10_000;

let left = Number.NEGATIVE_INFINITY;
if (typeof addEventListener === "function")
  addEventListener("beforeunload", () => (left = performance.now()));

/** Whether the page is being reloaded or left. Its requests in flight are cut off, and the next page repeats them. */
const isLeaving = (): boolean => performance.now() - left < LEAVING_MS;

/**
 * Runs it now. While the page is being left, runs it later, and only if the page stays after all, as after a download
 * or "Stay".
 */
export function unlessLeft(run: () => void): void {
  if (isLeaving()) setTimeout(run, LEAVING_MS);
  else run();
}
