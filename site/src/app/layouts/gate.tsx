// Around the gate: its background, style sheet and manifest. No other page has them.
import { Outlet, useRouteError } from "react-router";
import { GateRoot } from "#features/gate/gate-root.tsx";
import { Page } from "#features/gate/screens/page.tsx";
import "#features/gate/gate.css";

export const links = () => [{ rel: "manifest", href: "/gate.webmanifest" }];

export default function GateLayout() {
  return (
    <GateRoot>
      <Outlet />
    </GateRoot>
  );
}

export function ErrorBoundary() {
  const error = useRouteError();
  return (
    <GateRoot>
      <Page title="Something went wrong" lead="Your scans are kept on this phone." alert>
        <p>{error instanceof Error ? error.message : String(error)}</p>
        <a className="gate-button" data-main href="/gate">
          Open the gate again
        </a>
      </Page>
    </GateRoot>
  );
}
