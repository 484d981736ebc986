import { useEffect, useState, useSyncExternalStore } from "react";
import { useSession } from "#lib/session/session.tsx";
import { storedUser } from "./choice.ts";

/** A session that takes longer to restore is waiting for a network that does not respond. */
const PATIENCE_MS = 4000;

/**
 * True while the buyer's tickets cannot be read: there is no network, or the session cannot be renewed over
 * it.
 */
export function useUnreachable(): boolean {
  const isOffline = useSyncExternalStore(
    subscribe,
    () => !navigator.onLine,
    () => false,
  );
  const { status } = useSession();
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    if (status !== "loading") return;
    const timer = setTimeout(() => setIsLate(true), PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setIsLate(false);
    };
  }, [status]);
  // The session is still stored, but an expired token could not be renewed.
  const isCut = status === "signed-out" && storedUser() !== undefined;
  return isOffline || isLate || isCut;
}

function subscribe(onChange: () => void): () => void {
  addEventListener("online", onChange);
  addEventListener("offline", onChange);
  return () => {
    removeEventListener("online", onChange);
    removeEventListener("offline", onChange);
  };
}
