/** Longer than a page lives once it is reloaded or left. */
const LEAVING_MS = 10_000;

let left = Number.NEGATIVE_INFINITY;
if (typeof addEventListener === "function")
  addEventListener("beforeunload", () => (left = performance.now()));

/** Whether the page is being reloaded or left: what it still asks for is cut off, and the next page asks again. */
export const isLeaving = (): boolean => performance.now() - left < LEAVING_MS;
