// A screen that breaks leaves the back office's navigation intact.
import { Outlet, useRouteError } from "react-router";
import { ErrorFallback } from "#features/admin-shell/error-fallback.tsx";

export default Outlet;

export function ErrorBoundary() {
  return <ErrorFallback error={useRouteError()} />;
}
