// Whether React has taken the built page over. A built page knows nothing of history, storage or the person: what is drawn from
// these waits for this, or React throws the whole document away and draws it anew.
import { useSyncExternalStore } from "react";

const never = () => () => {};

export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
