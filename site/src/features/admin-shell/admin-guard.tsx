import { useEffect, useRef, type ReactNode } from "react";
import { Navigate } from "react-router";
import { useSession, type SessionUser } from "#lib/session/session.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Spinner } from "#ui/basics/spinner.tsx";
import { toast } from "#ui/overlays/toast.ts";

/** Shows its content to an administrator and sends everybody else home. The database checks each call again. */
export function AdminGuard({ children }: { children: (admin: SessionUser) => ReactNode }) {
  const { status, user, isAdmin, roleLookup, lookUpRole } = useSession();
  useSayWhenRevoked(user?.id, isAdmin);
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
  if (!user || !isAdmin) return <Navigate to="/" replace />;
  return children(user);
}

/** Says why an administrator is led out of the back office. */
function useSayWhenRevoked(userId: string | undefined, isAdmin: boolean): void {
  const admin = useRef<string>(undefined);
  useEffect(() => {
    if (isAdmin) admin.current = userId;
    else if (userId && admin.current === userId) {
      admin.current = undefined;
      toast.error("Administrator access removed", "Your account no longer has access to the back office.");
    }
  }, [userId, isAdmin]);
}
