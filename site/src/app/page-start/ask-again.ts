// What a visitor sees while the page of a link cannot be loaded: see load-page.ts. No page needs it to start.
import { toast } from "#ui/overlays/toast.ts";

declare global {
  /** See import-again.ts. */
  var importAgain: (file: string) => Promise<unknown>;
  /** Says that a page is missing, and waits until it is wanted again. */
  var askAgain: () => Promise<void>;
  /** Called by the router: see router/routes.ts. */
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
  // It stays: where no link led to the page, nothing else tries again.
  const again = { label: "Try Again", run: resolve, stays: true };
  const takeBack = toast.error("Page Not Loaded", "Please check your connection and try again.", again);
  addEventListener("online", () => resolve(), settled);
  addEventListener(
    "click",
    (event) => {
      const next = linkOf(event);
      // The router keeps waiting for the first press when the link is pressed again. Another link means another page.
      if (next !== undefined && next === link) resolve();
      else if (next !== undefined) takeBack();
    },
    settled,
  );
  await promise;
  settled.abort();
  takeBack();
};

const linkOf = ({ target }: Event): string | undefined =>
  (target instanceof Element ? target.closest("a") : null)?.href;
