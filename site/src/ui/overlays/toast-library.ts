// The file that shows toasts, with its library. It loads with the first toast, or once a page is idle that has a button whose
// action may fail: without a network, loading it then would be too late.

export const loadToasts = () => import("./toast-holder.tsx");

/** A failed load is retried with the first toast. */
export function expectToasts(): void {
  const load = () => void loadToasts().catch(() => {});
  // Safari has no idle callbacks.
  if ("requestIdleCallback" in globalThis) requestIdleCallback(load);
  else setTimeout(load, 1000);
}
