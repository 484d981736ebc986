// Whether React has hydrated the page. The built page does not know history, storage or the user, so anything rendered from
// those must wait for this. Otherwise hydration fails and React renders the whole document again.
import { useSyncExternalStore } from "react";

const never = () => () => {};

export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
