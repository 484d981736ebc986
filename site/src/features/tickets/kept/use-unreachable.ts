import { useEffect, useState, useSyncExternalStore } from "react";
import { useSession } from "#lib/session/session.tsx";
import { storedUser } from "./choice.ts";

/** A session that takes longer to go on waits for a network that does not answer. */
const PATIENCE_MS = 4000;

/** True while the buyer's tickets cannot be read: no network, or one that does not let the session go on. */
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
  // The session is still stored, but a token that ran out could not be renewed.
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
