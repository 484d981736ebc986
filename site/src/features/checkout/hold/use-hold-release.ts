import { useEffect } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { enterCheckout } from "./presence.ts";

/** While mounted, this tab is in checkout; leaving it for another page of the site gives the hold back. */
export function useHoldRelease(userId: string, onReleased: () => void): void {
  useEffect(() => {
    const leave = enterCheckout();
    // In a file of its own, which signing out loads as well; here already, so that leaving need not wait for it.
    const loaded = import("./release-hold.ts").then(
      ({ releaseHold }) => releaseHold,
      (error: unknown) => logError("load what gives held tickets back", error),
    );
    return () => {
      leave();
      void loaded
        .then((releaseHold) => releaseHold?.(userId))
        .then((released) => {
          if (released) onReleased();
        });
    };
  }, [userId, onReleased]);
}
