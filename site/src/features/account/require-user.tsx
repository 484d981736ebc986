import { Fragment, Suspense, useState, type ReactNode } from "react";
import { Navigate, useLocation } from "react-router";
import { useSession, useSessionCheck, type SessionUser } from "#lib/session/session.tsx";
import { lazily } from "#ui/basics/lazily.ts";
import { Card } from "#ui/page/card.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { authAddress, type AuthMode } from "./auth-mode.ts";
import { pathBackTo } from "./return-path.ts";

interface RequireUserProps {
  /** The mode that visitors who are not signed in see first. */
  way?: AuthMode;
  children: (user: SessionUser) => ReactNode;
}

const SecondStep = lazily(() => import("./second-step/second-step.tsx"));

/**
 * Renders its content for a signed-in user, after the second step if the account has one. Redirects others to /auth, and back
 * here once they have signed in. A user who replaces another, as a sign-in in another tab does, starts afresh.
 */
export function RequireUser({ way = "sign-in", children }: RequireUserProps) {
  const { status, user, lacksSecondStep, wasEnded } = useSession();
  const location = useLocation();
  const [first, setFirst] = useState<string>();
  if (user && first === undefined) setFirst(user.id);
  useSessionCheck();
  if (status === "loading") {
    return (
      <div role="status">
        <span className="sr-only">Loading your account</span>
        <Skeleton className="h-20 max-w-xl" />
        <Skeleton className="mt-10 h-80" />
      </div>
    );
  }
  if (!user) {
    const from = pathBackTo(location, { userLeft: first !== undefined && !wasEnded });
    return <Navigate to={authAddress(way)} replace state={{ from }} />;
  }
  if (lacksSecondStep) {
    return (
      <Suspense fallback={<Skeleton className="h-80 max-w-xl" />}>
        <Card className="max-w-xl">
          <SecondStep heading="h1" />
        </Card>
      </Suspense>
    );
  }
  const own = pathBackTo(location, { userLeft: first !== user.id });
  if (own !== location.pathname + location.search) return <Navigate to={own} replace />;
  return <Fragment key={user.id}>{children(user)}</Fragment>;
}
