// The session, outside React: a change re-renders only the components that use it, so a prerendered page still waiting for
// its script stays as it is. Decides when to load the Supabase client: never for a visitor who has not signed in.
import type { Session, User } from "@supabase/supabase-js";
import { type AuthLanding, notAskedFor, readAuthLanding, withoutLanding } from "./auth-landing.ts";
import { logError } from "../browser/error-log.ts";
import { forgetDrafts } from "../browser/form-draft.ts";
import { readText, writeText } from "../browser/stored-json.ts";
import { getSupabase, hasFlow, onSupabaseLoaded, SESSION_KEY } from "../api/supabase.ts";
import type { StaffLookup } from "./staff-role.ts";

export type SessionUser = Pick<User, "id" | "email" | "created_at" | "new_email" | "email_change_sent_at">;

export interface SessionState extends StaffLookup {
  status: "loading" | "signed-out" | "signed-in";
  user: SessionUser | null;
  /** The account has a second step that this session has not passed, so the database shows it almost nothing. */
  lacksSecondStep: boolean;
  /** The session ended without a log-out in this browser: it was ended elsewhere or has expired. */
  wasEnded: boolean;
  /** State of the lookup of the user's role. */
  roleLookup: "pending" | "done" | "failed";
  /** The outcome of a mailed link, until it is taken. */
  landing: AuthLanding | undefined;
}

/** auth-js drops a session that has ended, but keeps one whose account is blocked or deleted. */
const LOST: ReadonlySet<string> = new Set(["user_banned", "user_not_found"]);
/** Stored from a log-out until the next sign-in, for the other tabs. */
const LOGGED_OUT = "houston-culture-festival:logged-out";
/** Also while the log-out is under way, in every tab. */
export const isLoggedOut = (): boolean => readText("local", LOGGED_OUT) !== undefined;
/** How long signing out waits for what comes before it: a stalled network or storage must not keep a user signed in. */
const PATIENCE_MS = 4000;

const unknown = {
  user: null,
  lacksSecondStep: false,
  wasEnded: false,
  role: null,
  sellsAtDoor: false,
  roleLookup: "pending" as const,
};
export const loadingSession: SessionState = { ...unknown, status: "loading", landing: undefined };

/** Components read its members one by one, so they are bound. */
export class SessionStore {
  readonly #onSignOut: (userId: string) => Promise<void>;
  readonly #listeners = new Set<() => void>();
  #state = loadingSession;
  /** This browser had a session, and the user is not logging out here. */
  #isKept = false;

  /** `onSignOut` runs before the session ends when the user signs out here. It must not throw. */
  constructor(onSignOut: (userId: string) => Promise<void>) {
    this.#onSignOut = onSignOut;
  }

  readonly get = (): SessionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Restores the session from storage and follows sign-in, sign-out, refresh and other tabs. Returns a function that
   * stops.
   */
  readonly start = (): (() => void) => {
    const landing = readAuthLanding(location, hasFlow);
    // auth-js removes an exchanged code from the address, and nothing else.
    if (landing && landing.kind !== "signed-in") {
      this.#change({ landing });
      history.replaceState(history.state, "", withoutLanding(location));
    }
    this.#isKept = readText("local", SESSION_KEY) !== undefined;
    const stopFollowing = follow((session) => this.#notify(session));
    addEventListener("storage", onStorage);
    if (landing || readText("local", SESSION_KEY)) void this.#restore(landing);
    else this.#signedOut();
    return () => {
      stopFollowing();
      removeEventListener("storage", onStorage);
    };
  };

  readonly takeLanding = (): void => this.#change({ landing: undefined });

  /** Looks the role up again. Until there is a response, the last role remains. */
  readonly lookUpRole = async (): Promise<void> => {
    const { user } = this.#state;
    if (!user) return;
    if (this.#state.roleLookup === "failed") this.#change({ roleLookup: "pending" });
    const found = await lookUp(user.id).catch((error: unknown) => {
      // Signing out or losing the network may cut off the response.
      if (this.#state.user?.id === user.id && navigator.onLine) logError("look up the role", error);
    });
    if (this.#state.user?.id !== user.id) return;
    if (found) this.#change({ ...found, roleLookup: "done" });
    else if (this.#state.roleLookup === "pending") this.#change({ roleLookup: "failed" });
  };

  /** Ends the session in this browser even when the server cannot be reached. */
  readonly signOut = async (): Promise<void> => {
    this.#isKept = false;
    // Before the session is removed: a tab that finds no session finds this then.
    writeText("local", LOGGED_OUT, "yes");
    // Leaving the page in the meantime signs out all the same.
    addEventListener("pagehide", forgetSession);
    const user = this.#state.user;
    if (user)
      await Promise.race([this.#onSignOut(user.id), new Promise((done) => setTimeout(done, PATIENCE_MS))]);
    const isGone = await endSession();
    removeEventListener("pagehide", forgetSession);
    // auth-js drops the session before it calls the server. By the time of the response, a user may have signed in again.
    if (this.#isKept) return;
    if (!isGone) forgetSession();
    this.#signedOut();
  };

  /** Checks whether the session was ended elsewhere. auth-js then drops it, which is handled like any sign-out. */
  readonly checkSession = async (): Promise<void> => {
    try {
      const { auth } = await getSupabase();
      const { error } = await auth.getUser();
      if (error && LOST.has(error.code ?? "")) await auth.signOut({ scope: "local" });
    } catch (error) {
      logError("check the session", error);
    }
  };

  #change(next: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...next };
    for (const listener of this.#listeners) listener();
  }

  #signedOut(): void {
    this.#change({ ...unknown, status: "signed-out" });
  }

  #notify(session: Session | null): void {
    if (!session) {
      // Without a network, a session that is due for renewal reads as none, and stays in storage.
      const isGone = readText("local", SESSION_KEY) === undefined;
      if (isGone) removeEventListener("pagehide", forgetSession);
      const wasEnded = this.#isKept && isGone && !isLoggedOut();
      return this.#change({ ...unknown, status: "signed-out", wasEnded });
    }
    this.#isKept = true;
    const { user } = session;
    const known = user.id === this.#state.user?.id;
    const lacksSecondStep = lacksStep(session);
    this.#change({ ...(known ? {} : unknown), status: "signed-in", wasEnded: false, user, lacksSecondStep });
    if (known) return;
    writeText("local", LOGGED_OUT, undefined);
    void this.lookUpRole();
  }

  async #restore(landing: AuthLanding | undefined): Promise<void> {
    try {
      const supabase = await getSupabase();
      if (landing?.kind !== "signed-in") return;
      const { error } = await supabase.auth.initialize();
      if (error) history.replaceState(history.state, "", withoutLanding(location));
      this.#change({ landing: error ? notAskedFor : landing });
    } catch (error) {
      logError("restore the session", error);
      this.#signedOut();
    }
  }
}

/** Another tab signed in while this one had no client to notice, or logged out: drafts are kept by tab. */
function onStorage(event: StorageEvent): void {
  if (event.key === LOGGED_OUT && event.newValue) forgetDrafts();
  if (event.key === SESSION_KEY && event.newValue) void getSupabase();
}

/** Uses the factors as of the last refresh, and the token's own claim. */
export function lacksStep({ user, access_token }: Session): boolean {
  if (!user.factors?.some(({ status }) => status === "verified")) return false;
  const payload = access_token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
  return (JSON.parse(atob(payload)) as { aal?: unknown }).aal !== "aal2";
}

/** Once the client is loaded, reports the session now and on every change. */
function follow(notify: (session: Session | null) => void): () => void {
  let unsubscribe: (() => void) | undefined;
  const stopWaiting = onSupabaseLoaded((supabase) => {
    const { data } = supabase.auth.onAuthStateChange((_event, session) => notify(session));
    unsubscribe = () => data.subscription.unsubscribe();
  });
  return () => {
    stopWaiting();
    unsubscribe?.();
  };
}

/** False when the session may still be in storage. */
async function endSession(): Promise<boolean> {
  const { error } = await getSupabase()
    .then((supabase) => supabase.auth.signOut({ scope: "local" }))
    .catch((error: unknown) => ({ error }));
  // auth-js ignores 401, 403 and 404. After any other error, what remains is unsafe on a shared computer.
  if (error) logError("sign out", error);
  return !error;
}

function forgetSession(): void {
  writeText("local", SESSION_KEY, undefined);
}

/** @throws Error when there is no response */
async function lookUp(userId: string): Promise<StaffLookup> {
  const { staffRoleOf } = await import("./staff-role.ts");
  return staffRoleOf(await getSupabase(), userId);
}
