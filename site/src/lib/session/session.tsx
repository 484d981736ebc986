// The session for components. The context holds the store and never changes: see session-store.ts.
import { createContext, use, useEffect, useState, useSyncExternalStore, type ReactNode } from "react";
import { loadingSession, SessionStore, type SessionState } from "./session-store.ts";

export type { SessionUser } from "./session-store.ts";
export type { StaffRole } from "./staff-role.ts";

const SessionContext = createContext<SessionStore | undefined>(undefined);

type Session = SessionState & Pick<SessionStore, "takeLanding" | "lookUpRole" | "signOut" | "checkSession">;

/** @throws Error outside a SessionProvider */
export function useSession(): Session {
  const store = use(SessionContext);
  if (!store) throw new Error("useSession must be used within a SessionProvider");
  const state = useSyncExternalStore(store.subscribe, store.get, () => loadingSession);
  const { takeLanding, lookUpRole, signOut, checkSession } = store;
  return { ...state, takeLanding, lookUpRole, signOut, checkSession };
}

/**
 * For a user's own pages: detects a session that was ended elsewhere when such a page opens or becomes visible again, instead of
 * only when its access token expires, which takes up to an hour.
 */
export function useSessionCheck(): void {
  const { user, checkSession } = useSession();
  const userId = user?.id;
  useEffect(() => {
    if (userId === undefined) return;
    const check = () => document.visibilityState === "visible" && void checkSession();
    check();
    document.addEventListener("visibilitychange", check);
    return () => document.removeEventListener("visibilitychange", check);
  }, [userId, checkSession]);
}

interface SessionProviderProps {
  /** Runs before the session ends when the user signs out here. Must not throw. Read only once. */
  onSignOut: (userId: string) => Promise<void>;
  children: ReactNode;
}

/** Does not touch the query cache, which the home page does not load: query.ts clears that itself. */
export function SessionProvider({ onSignOut, children }: SessionProviderProps) {
  const [store] = useState(() => new SessionStore(onSignOut));
  useEffect(() => store.start(), [store]);
  return <SessionContext value={store}>{children}</SessionContext>;
}
