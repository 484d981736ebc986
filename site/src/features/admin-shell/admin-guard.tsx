import type { ReactNode } from "react";
import { Navigate } from "react-router";
import { useSession, type SessionUser } from "#lib/session.tsx";
import { Spinner } from "#ui/spinner.tsx";

/** Shows its content to an administrator and sends everybody else home. The database asks again at each call. */
export function AdminGuard({ children }: { children: (admin: SessionUser) => ReactNode }) {
  const { status, user, isAdmin, adminKnown } = useSession();
  if (status === "loading" || (user && !adminKnown)) {
    return (
      <main className="grid min-h-dvh place-items-center p-6">
        <p role="status" className="flex items-center gap-3 text-lg">
          <Spinner label={null} className="text-2xl" />
          Checking admin access...
        </p>
      </main>
    );
  }
  if (!user || !isAdmin) return <Navigate to="/" replace />;
  return children(user);
}
