import { useLocation } from "react-router";
import { useIsShown } from "./use-is-shown.ts";

/**
 * Whether the user is still on the page that asked, for an answer that would lead them elsewhere. The address changes a moment before
 * the page does.
 */
export function useIsHere(): () => boolean {
  const { pathname } = useLocation();
  const isShown = useIsShown();
  return () => isShown.current && location.pathname === pathname;
}
