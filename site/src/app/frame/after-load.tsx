// Parts of the frame that no page needs to start. They travel together, so that the page that stands in for a broken one is
// there before anything can break.
import { AuthLanding } from "#features/account/auth-landing.tsx";
import { HostRedirect } from "#features/visits/host-redirect.tsx";
import { Arrival } from "./arrival.tsx";

export { BrokenPage } from "./broken-page.tsx";

export function Attendants() {
  return (
    <>
      <Arrival />
      <HostRedirect />
      <AuthLanding />
    </>
  );
}
