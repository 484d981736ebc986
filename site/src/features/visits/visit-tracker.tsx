import { useEffect } from "react";
import { useLocation } from "react-router";
import { useSession } from "#lib/session.tsx";
import { startVisit } from "./visit.ts";

/** How long after the page has loaded nobody is kept waiting by the first record and the script it needs. */
const SETTLED_MS = 3000;

let settled: Promise<void> | undefined;

/** A new record for each path and each user. Nothing of it runs before the page has loaded and is idle. */
export default function VisitTracker() {
  const { pathname } = useLocation();
  const { status, user } = useSession();
  const userId = user?.id ?? null;
  useEffect(() => {
    if (status === "loading") return;
    settled ??= whenSettled();
    return startVisit({ path: pathname, referrer: document.referrer, userId }, settled);
  }, [status, pathname, userId]);
  return null;
}

async function whenSettled(): Promise<void> {
  if (document.readyState !== "complete") {
    await new Promise((resolve) => addEventListener("load", resolve, { once: true }));
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  // Safari has no idle callback.
  if ("requestIdleCallback" in window)
    await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 2000 }));
}
