import { useEffect } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { enterCheckout } from "./presence.ts";

/** While mounted, this tab is in checkout; leaving it for another page of the site releases the hold. */
export function useHoldRelease(userId: string, onReleased: () => void): void {
  useEffect(() => {
    const leave = enterCheckout();
    // Loaded early, so that leaving does not wait for it. Signing out loads the same file.
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
