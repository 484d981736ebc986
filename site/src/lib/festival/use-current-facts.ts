// For the pages that open without a network: a kept page shows what was published when it was kept, so it reads what is
// published once there is a network.
import { useEffect } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { readAgain } from "./content.ts";

export function useCurrentFacts(): void {
  useEffect(() => {
    const read = () => {
      if (navigator.onLine) readAgain().catch(logUnlessUnreached);
    };
    read();
    addEventListener("online", read);
    return () => removeEventListener("online", read);
  }, []);
}

/** Browsers say that they are online on a network that leads nowhere. There, a kept page is as it should be. */
function logUnlessUnreached(error: unknown): void {
  if (!(error instanceof TypeError)) logError("read what is published", error);
}
