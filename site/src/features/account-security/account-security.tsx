// The account's security on /dashboard: the second step, passkeys, linked providers, where it is signed in, one's data, and leaving.
import { useAuthSettings } from "#lib/api/auth-settings.ts";
import type { SessionUser } from "#lib/session/session.tsx";
import { DataPanel } from "./data-panel.tsx";
import { IdentitiesPanel } from "./identities-panel.tsx";
import { PasskeysPanel } from "./passkeys-panel.tsx";
import { SessionsPanel } from "./sessions-panel.tsx";
import { TwoStepPanel } from "./two-step-panel.tsx";

export default function AccountSecurity({ user }: { user: SessionUser }) {
  const hasPasskeys = useAuthSettings()?.passkeys ?? true;
  return (
    <section aria-labelledby="security-title" className="mt-14 print:hidden">
      <h2 id="security-title" className="display mb-6 border-b-4 border-ink pb-3 text-title">
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
