import { useEffect, useRef, type ReactNode } from "react";
import { Navigate, useLocation } from "react-router";
import { useSession, type SessionUser, type StaffRole } from "#lib/session/session.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Spinner } from "#ui/basics/spinner.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { detourOf, type OfficeRole } from "./navigation.ts";

/**
 * Shows its content to administrators and finance, leads finance to the screens that are theirs and the gate's people to the
 * gate, and sends everybody else home. The database checks each call again.
 */
export function AdminGuard({ children }: { children: (user: SessionUser, role: OfficeRole) => ReactNode }) {
  const { status, user, role, sellsAtDoor, roleLookup, lookUpRole } = useSession();
  const { pathname } = useLocation();
  useSayWhenRevoked(user?.id, role);
  if (status === "loading" || (user && roleLookup === "pending")) {
    return (
      <main className="grid min-h-dvh place-items-center p-6">
        <p role="status" className="flex items-center gap-3 text-lg">
          <Spinner label={null} className="text-2xl" />
          Checking admin access...
        </p>
      </main>
    );
  }
  if (user && roleLookup === "failed") {
    return (
      <main className="mx-auto max-w-2xl p-6 pt-20">
        <ErrorState title="Your admin access could not be checked" onRetry={() => void lookUpRole()}>
          <p>The server did not answer. You are still signed in; please try again in a moment.</p>
        </ErrorState>
      </main>
    );
  }
  if (!user || role === null) return <Navigate to="/" replace />;
  const own = role !== "gate" ? role : sellsAtDoor ? "seller" : undefined;
  const detour = own && detourOf(own, pathname);
  // At the gate people let in; who may sell as well asks for the door by its address or its link.
  if (!own || (own === "seller" && detour)) return <ToTheGate />;
  return detour ? <Navigate to={detour} replace /> : children(user, own);
}

/** The gate is a document of its own: it has another content policy and a service worker. */
function ToTheGate() {
  useEffect(() => location.replace("/gate"), []);
  return null;
}

/** Says why somebody is led out of the back office, or to other screens of it. */
function useSayWhenRevoked(userId: string | undefined, role: StaffRole | null): void {
  const before = useRef<{ userId: string; role: StaffRole }>(undefined);
  useEffect(() => {
    const had = before.current?.userId === userId ? before.current?.role : undefined;
    before.current = userId && role ? { userId, role } : undefined;
    if (had === "admin" && role === "finance") {
      toast.error(
        "Administrator access removed",
        "Your account now sees orders, tills and their money only.",
      );
    } else if (had === "admin" && role !== "admin") {
      toast.error("Administrator access removed", "Your account no longer has access to the back office.");
    } else if (had === "finance" && role !== "finance" && role !== "admin") {
      toast.error("Access removed", "Your account no longer has access to the back office.");
    }
  }, [userId, role]);
}
