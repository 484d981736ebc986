/** Longer than a page lives once it is reloaded or left. */
const LEAVING_MS = 10_000;

let left = Number.NEGATIVE_INFINITY;
if (typeof addEventListener === "function")
  addEventListener("beforeunload", () => (left = performance.now()));

/** Whether the page is being reloaded or left: what it still asks for is cut off, and the next page asks again. */
export const isLeaving = (): boolean => performance.now() - left < LEAVING_MS;

/** Runs it now. While the page is being left: later, and only if it stays after all, as after a download or "Stay". */
export function unlessLeft(run: () => void): void {
  if (isLeaving()) setTimeout(run, LEAVING_MS);
  else run();
}
