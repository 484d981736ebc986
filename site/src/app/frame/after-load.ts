// Parts of the frame that no page needs to start. They travel together, so that the page that stands in for a broken one is
// there before anything can break.
export { HostRedirect } from "#features/visits/host-redirect.tsx";
export { Arrival } from "./arrival.tsx";
export { BrokenPage } from "./broken-page.tsx";
