// For the pages that open without a network: a kept page shows what was published when it was kept, so it reads what is
// published once there is a network.
import { useEffect } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { readAgain } from "./content.ts";

export function useCurrentFacts(): void {
  useEffect(() => {
    const read = () => {
      if (navigator.onLine) readAgain().catch((error: unknown) => logError("read what is published", error));
    };
    read();
    addEventListener("online", read);
    return () => removeEventListener("online", read);
  }, []);
}
