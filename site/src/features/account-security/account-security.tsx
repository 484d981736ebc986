// The account's security on /dashboard: the second step, passkeys, linked providers, open sessions, the user's data, and deleting
// the account.
import { useEffect, useRef } from "react";
import { useAuthSettings } from "#lib/api/auth-settings.ts";
import type { SessionUser } from "#lib/session/session.tsx";
import { DataPanel } from "./data-panel.tsx";
import { IdentitiesPanel } from "./identities-panel.tsx";
import { PasskeysPanel } from "./passkeys-panel.tsx";
import { SessionsPanel } from "./sessions-panel.tsx";
import { TwoStepPanel } from "./two-step-panel.tsx";

export default function AccountSecurity({ user }: { user: SessionUser }) {
  const hasPasskeys = useAuthSettings()?.passkeys ?? false;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The browser looked for the hash's target before this file arrived.
    if (location.hash !== "#security-title") return;
    title.current!.scrollIntoView();
    title.current!.focus({ preventScroll: true });
  }, []);
  return (
    <section aria-labelledby="security-title" className="mt-14 print:hidden">
      <h2
        ref={title}
        id="security-title"
        tabIndex={-1}
        className="display mb-6 border-b-4 border-ink pb-3 text-title outline-none"
      >
        Account Security
      </h2>
      <div className="grid gap-8">
        <TwoStepPanel userId={user.id} />
        {hasPasskeys && <PasskeysPanel userId={user.id} />}
        <IdentitiesPanel userId={user.id} />
        <SessionsPanel userId={user.id} />
        <DataPanel user={user} />
      </div>
    </section>
  );
}
