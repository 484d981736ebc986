// Around every screen of the back office: the access check, the query cache, the frame with the bell, the notice about
// stale figures, and the fallback when the frame itself breaks.
import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { Suspense, useCallback, useEffect, useState } from "react";
import { Outlet, useLocation, useRouteError } from "react-router";
import { Bell } from "#features/admin-notifications/bell.tsx";
import { AdminGuard } from "#features/admin-shell/admin-guard.tsx";
import { ErrorFallback } from "#features/admin-shell/error-fallback.tsx";
import { LeaveGuard } from "#features/admin-shell/leave-guard.tsx";
import { Frame } from "#features/admin-shell/frame.tsx";
import type { OfficeRole } from "#features/admin-shell/navigation.ts";
import { StaleNotice } from "#features/admin-shell/stale-notice.tsx";
import { useLiveReads, useLiveRole } from "#features/admin-shell/use-live-reads.ts";
import { reportFailures } from "#lib/lists/back-office-reads.ts";
import { lazily } from "#ui/basics/lazily.ts";
import { Spinner } from "#ui/basics/spinner.tsx";
import { expectToasts } from "#ui/overlays/toast-library.ts";
import { createQueryClient, useReadsAfterRenewal } from "#lib/api/query.ts";
import { useSession, type SessionUser } from "#lib/session/session.tsx";
import "../page-start/ask-again.ts";
import { Arrival } from "../frame/arrival.tsx";
import { useLogOut } from "../frame/use-log-out.ts";

export { manifest as links } from "../head.ts";

const VisitTracker = lazily(() => import("#features/visits/visit-tracker.tsx"));
const SecondStep = lazily(() => import("#features/account/second-step/second-step.tsx"));

export default function AdminLayout() {
  const secondStep = (
    <Suspense fallback={<Spinner label="Loading" />}>
      <SecondStep heading="h1" />
    </Suspense>
  );
  return (
    <AdminGuard secondStep={secondStep}>
      {/* A new role starts over, so nothing that only the old role may read stays in the cache. */}
      {(user, role) => <BackOffice key={`${user.id} ${role}`} user={user} role={role} />}
    </AdminGuard>
  );
}

function BackOffice({ user, role }: { user: SessionUser; role: OfficeRole }) {
  const [queryClient] = useState(createQueryClient);
  const logOut = useLogOut();
  const onDashboard = useLocation().pathname.replace(/\/$/, "") === "/admin";
  return (
    <QueryClientProvider client={queryClient}>
      <Listening userId={user.id} role={role} />
      <Frame
        email={user.email}
        role={role}
        // Sellers at the door cannot read orders, so there is nothing to announce.
        bell={role !== "seller" && <Bell userId={user.id} readsAll={role === "admin"} />}
        onLogOut={() => void logOut()}
      >
        {/* The dashboard marks each stale figure. */}
        {!onDashboard && <StaleNotice />}
        <Arrival />
        <LeaveGuard />
        <Suspense>
          <VisitTracker />
        </Suspense>
        <Outlet />
      </Frame>
    </QueryClientProvider>
  );
}

function Listening({ userId, role }: { userId: string; role: OfficeRole }) {
  const queryClient = useQueryClient();
  const { lookUpRole, checkSession } = useSession();
  const onEnded = useCallback(() => {
    void lookUpRole();
    void checkSession();
  }, [lookUpRole, checkSession]);
  // Without a network they could not be loaded to say so.
  useEffect(expectToasts, []);
  useReadsAfterRenewal();
  useLiveReads(role);
  useLiveRole(userId, lookUpRole, onEnded);
  useEffect(
    // A refused user may have lost the role while no realtime connection was open to report it.
    () =>
      reportFailures(queryClient, {
        forAdministrators: role === "admin",
        onFailure: () => void lookUpRole(),
      }),
    [queryClient, role, lookUpRole],
  );
  return null;
}

export function ErrorBoundary() {
  return (
    <main className="p-6">
      <ErrorFallback error={useRouteError()} />
    </main>
  );
}
