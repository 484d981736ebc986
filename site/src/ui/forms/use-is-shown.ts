import { useEffect, useRef } from "react";

/** For the answer to a slow save: once its form is gone, closing the form could close another one, opened since. */
export function useIsShown() {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
