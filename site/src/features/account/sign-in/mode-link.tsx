import type { ReactNode } from "react";
import { Link, useLocation } from "react-router";
import { authAddress, type AuthMode } from "../auth-mode.ts";

/** Switches what /auth shows and keeps the visitor's destination. */
export function ModeLink({ mode, children }: { mode: AuthMode; children: ReactNode }) {
  const { state } = useLocation();
  return (
    <Link
      to={authAddress(mode)}
      state={state}
      replace
      className="inline-flex min-h-11 items-center font-semibold underline decoration-2 underline-offset-4 hover:text-candy-deep"
    >
      {children}
    </Link>
  );
}
