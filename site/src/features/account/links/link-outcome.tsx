// Shows what the link in a mail did, on whichever page it opened, and continues from there.
import { useEffect } from "react";
import { type NavigateFunction, useLocation, useNavigate } from "react-router";
import { type AuthLanding, notAskedFor, withoutLanding } from "#lib/session/auth-landing.ts";
import { LINKED } from "#lib/session/linking.ts";
import type { SessionUser } from "#lib/session/session-store.ts";
import { useSession } from "#lib/session/session.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { forgetAuthEntries, noteEmailChange, noteOpenedElsewhere } from "../auth-entries.ts";
import { authAddress } from "../auth-mode.ts";
import type { DeadLink } from "./dead-link.ts";
import { takeReturnPath } from "../return-path.ts";

/** Renders nothing. Belongs in the frame, inside the SessionProvider. */
export function LinkOutcome() {
  const { landing, takeLanding, status, user } = useSession();
  const navigate = useNavigate();
  const { state: held } = useLocation();
  useEffect(() => {
    if (!landing || status === "loading") return;
    takeLanding();
    if (status === "signed-in") forgetAuthEntries();
    const dead = deadLinkIn(landing);
    if (dead && (status === "signed-out" || dead !== "recovery")) {
      void explain(dead, user, navigate);
    } else if (landing.kind === "failed") {
      const isProvider = landing.reason === "provider";
      const isLinking = new URLSearchParams(location.search).has(LINKED);
      const title = isLinking ? "Not Connected" : isProvider ? "Sign-In Failed" : "Link Not Accepted";
      void sayWhy(title, landing);
      // A page that needs an account may already have redirected to /auth, whose history state then holds the origin.
      const from = location.pathname === "/auth" ? held : { from: location.pathname };
      // Taken, so that a form opened next can store it again.
      const state: unknown = isProvider ? from : { from: takeReturnPath() };
      void navigate(status === "signed-in" ? "/dashboard" : "/auth", { replace: true, state });
    } else if (landing.reason === "email" && landing.kind !== "signed-in" && status === "signed-out") {
      // In storage: a page that needs an account may redirect to /auth after this, with its own history entry.
      noteEmailChange(landing.kind === "half" ? (landing.half ?? "half") : "done");
      void navigate("/auth", { replace: true, state: { from: "/dashboard" } });
    } else if (landing.kind === "half" || landing.reason === "email") {
      void sayChange(landing.kind, user?.email);
    } else if (landing.kind === "elsewhere" && status === "signed-in") {
      void sayWhy("Link Not Accepted", notAskedFor);
      void navigate("/dashboard", { replace: true });
    } else if (landing.kind === "elsewhere") {
      // A lasting note on the page that helps here explains it.
      noteOpenedElsewhere(landing.reason, landing.email);
      void navigate(authAddress(landing.reason === "code" ? "code" : "forgot"), { replace: true });
    } else if (landing.reason === "code") {
      toast.success("Welcome!", "You are signed in.");
      void navigate(takeReturnPath() ?? "/dashboard", { replace: true });
    } else if (landing.reason === "provider") {
      if (status !== "signed-in") return;
      const address = new URL(withoutLanding(location), location.origin);
      if (address.searchParams.has(LINKED)) toast.success("Connected", "You can now sign in with it.");
      else toast.success("Welcome!", "You've been logged in successfully.");
      address.searchParams.delete(LINKED);
      // /auth redirects the visitor by itself. Navigating to it again would replace that destination.
      const isForm = address.pathname === "/auth";
      void navigate(isForm ? "/dashboard" : address.pathname + address.search, { replace: true });
    } else if (landing.reason === "signup") {
      toast.success("Email Confirmed", "Your account is ready, and you are signed in.");
      const next = takeReturnPath();
      if (next) void navigate(next, { replace: true });
    }
    // A recovery has already opened the form for a new password through its address. This file may arrive after that
    // form was sent.
  }, [landing, takeLanding, status, user, navigate, held]);
  return null;
}

/** Why the mail was sent whose link was used before or has expired. */
function deadLinkIn(landing: AuthLanding): DeadLink | undefined {
  if (landing.kind !== "failed" || landing.code !== "otp_expired" || landing.reason === "provider")
    return undefined;
  return landing.reason ?? "signup";
}

/** By a lasting note on the form that helps; to a user who is signed in, by the notice that they need no link any more. */
async function explain(link: DeadLink, user: SessionUser | null, navigate: NavigateFunction): Promise<void> {
  const { modeAfter, noteDeadLink, sayNotNeeded } = await import("./dead-link.ts");
  if (user) {
    sayNotNeeded(user.email);
    void navigate(takeReturnPath() ?? "/dashboard", { replace: true });
  } else {
    noteDeadLink(link);
    void navigate(authAddress(modeAfter[link]), { replace: true, state: { from: takeReturnPath() } });
  }
}

async function sayChange(kind: AuthLanding["kind"], email: string | undefined): Promise<void> {
  const { sayEmailChange } = await import("../email-change/email-change-outcome.ts");
  sayEmailChange(kind, email);
}

/** Every page has this file, so the messages load only when one is shown. */
async function sayWhy(
  title: string,
  { code, reason }: Extract<AuthLanding, { kind: "failed" }>,
): Promise<void> {
  const words = await import("#lib/session/refusal-words.ts").catch(() => undefined);
  const otherwise =
    reason === "provider"
      ? "The provider did not sign you in. Please try again."
      : "This link could not be used. Please request another one.";
  toast.error(title, words?.plainWords(code) ?? otherwise);
}
