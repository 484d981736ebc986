// What a visitor sees while the page of a link cannot be loaded: see load-page.ts. No page needs it to start.
import { toast } from "#ui/overlays/toast.ts";

declare global {
  /** See import-again.ts. */
  var importAgain: (file: string) => Promise<unknown>;
  /** Says that a page is missing, and waits until it is wanted again. */
  var askAgain: () => Promise<void>;
  /** Called by the router, see trim-router.ts. */
  var loadPage: (address: string) => Promise<unknown>;
}

/** The link pressed last: the router does not say which one asks for a file. */
let pressed: string | undefined;
// Pages are prerendered without a window.
if (!import.meta.env.SSR)
  addEventListener("click", (event) => void (pressed = linkOf(event) ?? pressed), { capture: true });

/** Says that the page is missing, until the network is back, or the same link or Try Again is pressed. */
globalThis.askAgain = async () => {
  const link = pressed;
  const { promise, resolve } = Promise.withResolvers<void>();
  const settled = new AbortController();
  const again = { label: "Try Again", run: resolve };
  const takeBack = toast.error("Page Not Loaded", "Please check your connection and try again.", again);
  addEventListener("online", () => resolve(), settled);
  // The router keeps waiting for the first press when the link is pressed again.
  addEventListener("click", (event) => linkOf(event) === link && link !== undefined && resolve(), settled);
  await promise;
  settled.abort();
  takeBack();
};

const linkOf = ({ target }: Event): string | undefined =>
  (target instanceof Element ? target.closest("a") : null)?.href;
