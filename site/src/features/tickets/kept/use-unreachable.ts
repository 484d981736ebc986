import { useEffect, useState, useSyncExternalStore } from "react";
import { useSession } from "#lib/session/session.tsx";
import { useTickets } from "../queries.ts";
import { storedUser } from "./choice.ts";

/** A session or a list that takes longer is waiting for a network that does not respond. */
const PATIENCE_MS = 4000;
/** How often tickets that could not be read are asked for again. */
const AGAIN_MS = 15_000;

/**
 * True while the buyer's tickets cannot be read: there is no network, or the session cannot be renewed over
 * it, or the tickets' request fails or is not answered.
 */
export function useUnreachable(): boolean {
  const isOffline = useSyncExternalStore(
    subscribe,
    () => !navigator.onLine,
    () => false,
  );
  const { status, user } = useSession();
  const { isLoading, isLoadingError, refetch } = useTickets(user?.id ?? "", false);
  const isLate = useLate(status === "loading" || isLoading);
  useEffect(() => {
    if (!isLoadingError) return;
    const timer = setInterval(() => void refetch(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isLoadingError, refetch]);
  // The session is still stored, but an expired token could not be renewed.
  const isCut = status === "signed-out" && storedUser() !== undefined;
  return isOffline || isLate || isCut || isLoadingError;
}

/** True once it has been waiting for too long. */
function useLate(isWaiting: boolean): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => setIsLate(true), PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setIsLate(false);
    };
  }, [isWaiting]);
  return isLate;
}

function subscribe(onChange: () => void): () => void {
  addEventListener("online", onChange);
  addEventListener("offline", onChange);
  return () => {
    removeEventListener("online", onChange);
    removeEventListener("offline", onChange);
  };
}
