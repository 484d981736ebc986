// Within the frame of the back office: a screen that breaks leaves the navigation around it standing.
import { Outlet, useRouteError } from "react-router";
import { ErrorFallback } from "#features/admin-shell/error-fallback.tsx";

export default Outlet;

export function ErrorBoundary() {
  return <ErrorFallback error={useRouteError()} />;
}
