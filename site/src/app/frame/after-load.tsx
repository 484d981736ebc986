// Parts of the frame that no page needs to start. They share one file, so the error page has already loaded when
// something breaks.
import { useEffect } from "react";
import { LinkOutcome } from "#features/account/links/link-outcome.tsx";
import { HostRedirect } from "#features/visits/host-redirect.tsx";
import { expectToasts } from "#ui/overlays/toast-library.ts";
import "../page-start/ask-again.ts";
import { Arrival } from "./arrival.tsx";
import { CurrentContent } from "./current-content.tsx";

export { BrokenPage } from "./broken-page.tsx";

export function Attendants() {
  // Without a network they could not be loaded to say so.
  useEffect(expectToasts, []);
  return (
    <>
      <Arrival />
      <HostRedirect />
      <LinkOutcome />
      {import.meta.env.VITE_SUPABASE_URL && <CurrentContent />}
    </>
  );
}
