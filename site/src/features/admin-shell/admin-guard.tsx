import { useEffect, useRef, useState, type ReactNode } from "react";
import { Link, Navigate, useLocation } from "react-router";
import { z } from "zod";
import { withRetries } from "#lib/api/with-retries.ts";
import { logError } from "#lib/browser/error-log.ts";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { useSession, useSessionCheck, type SessionUser, type StaffRole } from "#lib/session/session.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Spinner } from "#ui/basics/spinner.tsx";
import { Button } from "#ui/basics/button.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { detourOf, type OfficeRole } from "./navigation.ts";

interface AdminGuardProps {
  /** The form for the second step. */
  secondStep: ReactNode;
  children: (user: SessionUser, role: OfficeRole) => ReactNode;
}

/**
 * Renders its content for administrators, finance and door sellers. Redirects finance and sellers to their own screens, gate staff
 * to the gate, and everyone else home. A user with a second step passes it first, and a user whose role requires one sets it up.
 * The database checks each call again.
 */
export function AdminGuard({ secondStep, children }: AdminGuardProps) {
  const { status, user, lacksSecondStep, wasEnded, role, sellsAtDoor, roleLookup, lookUpRole } = useSession();
  const { mustSetUp, readAgain } = useMustSetUp(user?.id);
  const { pathname } = useLocation();
  useSessionCheck();
  useSayWhenRevoked(user?.id, role);
  if (user && lacksSecondStep) {
    return <main className="mx-auto max-w-xl p-6 pt-16">{secondStep}</main>;
  }
  if (status === "loading" || (user && (roleLookup === "pending" || mustSetUp === undefined))) {
    return (
      <main className="grid min-h-dvh place-items-center p-6">
        <p role="status" className="flex items-center gap-3 text-lg">
          <Spinner label={null} className="text-2xl" />
          Checking admin access...
        </p>
      </main>
    );
  }
  if (user && (roleLookup === "failed" || mustSetUp === "failed")) {
    const lookAgain = () => {
      if (roleLookup === "failed") void lookUpRole();
      if (mustSetUp === "failed") readAgain();
    };
    return (
      <main className="mx-auto max-w-2xl p-6 pt-20">
        <ErrorState title="Your admin access could not be checked" onRetry={lookAgain}>
          <p>The server didn't respond. You're still signed in. Please try again in a moment.</p>
        </ErrorState>
      </main>
    );
  }
  if (wasEnded) return <Navigate to="/auth" replace state={{ from: pathname }} />;
  if (!user || role === null) return <Navigate to="/" replace />;
  const own = role !== "gate" ? role : sellsAtDoor ? "seller" : undefined;
  const detour = own && detourOf(own, pathname);
  // Gate staff let people in. Those who may also sell open the door screen by its address or its link.
  if (!own || (own === "seller" && detour)) return <ToTheGate />;
  if (mustSetUp) return <SetUpFirst back={pathname} />;
  return detour ? <Navigate to={detour} replace /> : children(user, own);
}

const secondStepState = z.object({ is_required: z.boolean(), is_set_up: z.boolean() });

/** Whether the role requires a second step that the account has not set up; undefined until known. */
function useMustSetUp(userId: string | undefined) {
  const [answer, setAnswer] = useState<{ question: string; mustSetUp: boolean | "failed" }>();
  const [tries, setTries] = useState(0);
  const question = `${userId} ${tries}`;
  useEffect(() => {
    if (userId === undefined) return;
    let isShown = true;
    void withRetries(readMustSetUp)
      .catch((error: unknown) => {
        // Leaving or losing the network may cut off the response.
        if (isShown && navigator.onLine) logError("look up the second step", error);
        return "failed" as const;
      })
      .then((mustSetUp) => isShown && setAnswer({ question, mustSetUp }));
    return () => {
      isShown = false;
    };
  }, [userId, question]);
  return {
    mustSetUp: answer?.question === question ? answer.mustSetUp : undefined,
    readAgain: () => setTries(tries + 1),
  };
}

/** @throws Error when there is no answer, or one in another shape */
async function readMustSetUp(): Promise<boolean> {
  const answer = await read("two-step verification", (supabase) => supabase.rpc("second_step"));
  const { is_required, is_set_up } = parseAnswer("two-step verification", secondStepState, answer);
  return is_required && !is_set_up;
}

function SetUpFirst({ back }: { back: string }) {
  return (
    <main className="mx-auto max-w-2xl p-6 pt-16">
      <h1 className="display text-title">One Thing First</h1>
      <p className="mt-4">
        The back office requires two-step verification: a code from an app on your phone, after your password.
        Set it up in your account, then come back.
      </p>
      <Button asChild className="mt-6">
        <Link to={`/dashboard?back=${encodeURIComponent(back)}#security-title`}>Set It Up</Link>
      </Button>
    </main>
  );
}

/** The gate is a separate document, with its own content policy and a service worker. */
function ToTheGate() {
  useEffect(() => location.replace("/gate"), []);
  return null;
}

/** Explains why a user is redirected out of the back office, or to another of its screens. */
function useSayWhenRevoked(userId: string | undefined, role: StaffRole | null): void {
  const before = useRef<{ userId: string; role: StaffRole }>(undefined);
  useEffect(() => {
    const had = before.current?.userId === userId ? before.current?.role : undefined;
    before.current = userId && role ? { userId, role } : undefined;
    if (had === "admin" && role === "finance") {
      toast.error("Administrator access removed", "Your account can now see only orders, tills and money.");
    } else if (had === "admin" && role !== "admin") {
      toast.error("Administrator access removed", "Your account no longer has access to the back office.");
    } else if (had === "finance" && role !== "finance" && role !== "admin") {
      toast.error("Access removed", "Your account no longer has access to the back office.");
    }
  }, [userId, role]);
}
