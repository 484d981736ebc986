// Who is looking at the page. Restored from storage at start; follows sign-in, sign-out, refresh and other tabs.
// Owns when the Supabase client is worth loading: not for a visitor who never signed in.
import type { User } from "@supabase/supabase-js";
import { createContext, use, useCallback, useEffect, useMemo, useState, type ReactNode } from "react";
import { readAuthLanding, type AuthLanding } from "./auth-landing.ts";
import { logError } from "./error-log.ts";
import { getSupabase, onSupabaseLoaded, SESSION_KEY, type Supabase } from "./supabase.ts";

export type SessionUser = Pick<User, "id" | "email" | "created_at">;

interface Account {
  user: SessionUser | null;
  isAdmin: boolean;
  /** False until the role of a signed-in user has been looked up. */
  adminKnown: boolean;
}

export type Session = Account & {
  status: "loading" | "signed-out" | "signed-in";
  /** What a mail's link brought to this page, until it is taken. */
  landing: AuthLanding | undefined;
  takeLanding: () => void;
  /** Ends the session here even when the server cannot be told. */
  signOut: () => Promise<void>;
};

type State = { status: "loading" } | { status: "signed-out" } | { status: "signed-in"; user: SessionUser };

const SessionContext = createContext<Session | undefined>(undefined);

/** @throws Error outside a SessionProvider */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error("useSession must be used within a SessionProvider");
  return session;
}

/** Free of the query cache, which the home page does not load: query.ts forgets what was read for one user. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<State>({ status: "loading" });
  const [landing, setLanding] = useState<AuthLanding>();
  const userId = state.status === "signed-in" ? state.user.id : undefined;
  const isAdmin = useAdminFlag(userId);

  useEffect(() => {
    const arrived = readAuthLanding(location.hash);
    if (arrived) setLanding(arrived);
    const stopFollowing = followSession((user) =>
      setState(user ? { status: "signed-in", user } : { status: "signed-out" }),
    );
    if (arrived || localStorage.getItem(SESSION_KEY)) {
      getSupabase().catch((error: unknown) => {
        logError("restore the session", error);
        setState({ status: "signed-out" });
      });
    } else {
      setState({ status: "signed-out" });
    }
    // auth-js leaves a refused link's fragment in the address: a reload would tell of it again.
    if (arrived?.kind === "failed")
      history.replaceState(history.state, "", location.pathname + location.search);
    return stopFollowing;
  }, []);

  // Another tab signed in while this one had no client that would notice.
  useEffect(() => {
    const onStorage = (event: StorageEvent) => {
      if (event.key === SESSION_KEY && event.newValue) void getSupabase();
    };
    addEventListener("storage", onStorage);
    return () => removeEventListener("storage", onStorage);
  }, []);

  const takeLanding = useCallback(() => setLanding(undefined), []);
  const signOut = useCallback(async () => {
    await endSession();
    setState({ status: "signed-out" });
  }, []);

  const session = useMemo<Session>(
    () => ({
      status: state.status,
      user: state.status === "signed-in" ? state.user : null,
      isAdmin: isAdmin === true,
      adminKnown: isAdmin !== undefined,
      landing,
      takeLanding,
      signOut,
    }),
    [state, isAdmin, landing, takeLanding, signOut],
  );
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** Tells of the user now and at each change, from when the client is loaded. */
function followSession(tell: (user: SessionUser | null) => void): () => void {
  let unsubscribe: (() => void) | undefined;
  const stopWaiting = onSupabaseLoaded((supabase) => {
    const { data } = supabase.auth.onAuthStateChange((_event, session) => tell(session?.user ?? null));
    unsubscribe = () => data.subscription.unsubscribe();
  });
  return () => {
    stopWaiting();
    unsubscribe?.();
  };
}

async function endSession(): Promise<void> {
  const { error } = await getSupabase()
    .then((supabase) => supabase.auth.signOut())
    .catch((error: unknown) => ({ error }));
  // auth-js forgives 401, 403 and 404 by itself; on anything else it keeps the session, and a shared computer must not.
  if (error) {
    logError("sign out", error);
    localStorage.removeItem(SESSION_KEY);
  }
}

/** undefined while it is not known. */
function useAdminFlag(userId: string | undefined): boolean | undefined {
  const [known, setKnown] = useState<{ userId: string; isAdmin: boolean }>();
  useEffect(() => {
    if (!userId) return;
    let current = true;
    void getSupabase()
      .then((supabase) => lookUpAdmin(supabase, userId))
      .catch((error: unknown) => {
        logError("look up the admin role", error);
        return false;
      })
      .then((isAdmin) => current && setKnown({ userId, isAdmin }));
    return () => {
      current = false;
    };
  }, [userId]);
  return known && known.userId === userId ? known.isAdmin : undefined;
}

async function lookUpAdmin(supabase: Supabase, userId: string): Promise<boolean> {
  // maybeSingle: "no row" (PGRST116) is not an error here, and does not show as a failed request in the console.
  const { data, error } = await supabase
    .from("user_roles")
    .select("role")
    .eq("user_id", userId)
    .eq("role", "admin")
    .maybeSingle();
  if (error && error.code !== "PGRST116") throw new Error(error.message, { cause: error });
  return data?.role === "admin";
}
