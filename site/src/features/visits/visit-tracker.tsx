import { useEffect } from "react";
import { useLocation } from "react-router";
import { useSession } from "#lib/session/session.tsx";
import { startVisit } from "./visit.ts";

/** Starts a new record for each path and each user. */
export default function VisitTracker() {
  const { pathname } = useLocation();
  const { status, user } = useSession();
  const userId = user?.id ?? null;
  const isKnown = status !== "loading";
  useEffect(
    () => startVisit({ path: pathname, referrer: document.referrer, userId }, isKnown),
    [isKnown, pathname, userId],
  );
  return null;
}
