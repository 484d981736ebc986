import type { ReactNode } from "react";
import { Navigate, useLocation } from "react-router";
import { useSession, type SessionUser } from "#lib/session/session.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";

/** Shows its content to a signed-in user; sends others to /auth, and back here once they have signed in. */
export function RequireUser({ children }: { children: (user: SessionUser) => ReactNode }) {
  const { status, user } = useSession();
  const { pathname, search } = useLocation();
  if (status === "loading") {
    return (
      <div role="status">
        <span className="sr-only">Loading your account</span>
        <Skeleton className="h-20 max-w-xl" />
        <Skeleton className="mt-10 h-80" />
      </div>
    );
  }
  if (!user) return <Navigate to="/auth" replace state={{ from: pathname + search }} />;
  return children(user);
}
