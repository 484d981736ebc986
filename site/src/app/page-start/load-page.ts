// Loads the file of a route that a link leads to. The page stays while that fails, says so, and opens the other once there is a network.
import { toast } from "#ui/overlays/toast.ts";

declare global {
  /** See import-again.ts. */
  var importAgain: (file: string) => Promise<unknown>;
  /** Called by the router, see trim-router.ts. */
  var loadPage: (address: string) => Promise<unknown>;
}

globalThis.loadPage = async (address) => {
  for (;;) {
    try {
      return await importAgain(address.slice("/assets/".length));
    } catch {
      // Where the server answers, the file went with an older build: a reload brings the new one.
      if ((await fetch("", { method: "HEAD" }).catch(() => {}))?.ok) {
        location.reload();
        return new Promise(() => {});
      }
      toast.error("Page Not Loaded", "Please check your connection and try again.");
      // The router keeps waiting for this promise when the link is pressed again.
      await new Promise((done) => {
        for (const event of ["online", "click"]) addEventListener(event, done, { once: true });
      });
    }
  }
};
