// Around every screen of the back office: who may come in, the query cache, the frame with the bell, and what stands in
// when a screen breaks.
import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Outlet, useRouteError } from "react-router";
import { Bell } from "#features/admin-notifications/bell.tsx";
import { AdminGuard } from "#features/admin-shell/admin-guard.tsx";
import { ErrorFallback } from "#features/admin-shell/error-fallback.tsx";
import { Frame } from "#features/admin-shell/frame.tsx";
import { useLiveReads } from "#features/admin-shell/use-live-reads.ts";
import { reportFailures } from "#lib/back-office-reads.ts";
import { createQueryClient } from "#lib/query.ts";
import type { SessionUser } from "#lib/session.tsx";
import { useLogOut } from "../frame/use-log-out.ts";

export default function AdminLayout() {
  return <AdminGuard>{(admin) => <BackOffice key={admin.id} admin={admin} />}</AdminGuard>;
}

function BackOffice({ admin }: { admin: SessionUser }) {
  const [queryClient] = useState(createQueryClient);
  const logOut = useLogOut();
  return (
    <QueryClientProvider client={queryClient}>
      <Listening />
      <Frame email={admin.email} bell={<Bell userId={admin.id} />} onLogOut={() => void logOut()}>
        <Outlet />
      </Frame>
    </QueryClientProvider>
  );
}

function Listening() {
  const queryClient = useQueryClient();
  useLiveReads();
  useEffect(() => reportFailures(queryClient), [queryClient]);
  return null;
}

export function ErrorBoundary() {
  return <ErrorFallback error={useRouteError()} />;
}
