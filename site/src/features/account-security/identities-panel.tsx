// The ways to sign in to the account: the address with its password or code, and the providers linked to it.
import { useQuery } from "@tanstack/react-query";
import type { UserIdentity } from "@supabase/supabase-js";
import { useState } from "react";
import { z } from "zod";
import { providerName, type SignInProvider, useAuthSettings } from "#lib/api/auth-settings.ts";
import { readAnswer, rowsWith } from "#lib/api/read-answer.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { formatDay } from "#lib/format.ts";
import { THROUGH_PROVIDER } from "#lib/session/auth-landing.ts";
import { LINKED } from "#lib/session/linking.ts";
import { refusalWords } from "#lib/session/refusal-words.ts";
import { Button } from "#ui/basics/button.tsx";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { Panel, Row, WhenRead } from "./panel.tsx";
import { securityKey, useChange } from "./queries.ts";

/** Renders nothing where users may not link providers themselves. */
export function IdentitiesPanel({ userId }: { userId: string }) {
  const settings = useAuthSettings();
  if (!settings?.manualLinking) return null;
  return <Identities userId={userId} providers={settings.providers} />;
}

interface IdentitiesProps {
  userId: string;
  providers: readonly SignInProvider[];
}

const answer = z.object({ identities: z.unknown() });
const identitiesOf = rowsWith<UserIdentity>("id", "identity_id", "provider");

function Identities({ userId, providers }: IdentitiesProps) {
  const read = useQuery({
    queryKey: securityKey(userId, "identities"),
    queryFn: async () =>
      readAnswer("load identities", await (await getSupabase()).auth.getUserIdentities(), (data) =>
        identitiesOf(answer.parse(data).identities),
      ),
  });
  return (
    <Panel title="Ways to Sign In" lead="Connect accounts you have elsewhere, and sign in with any of them.">
      <WhenRead read={read} what="ways to sign in">
        {(identities) => (
          <>
            <ul>
              {identities.map((identity) => (
                <IdentityRow
                  key={identity.identity_id}
                  userId={userId}
                  identity={identity}
                  name={nameOf(identity.provider, providers)}
                  isOnly={identities.length === 1}
                />
              ))}
            </ul>
            <div className="mt-4 flex flex-wrap gap-3">
              {providers
                .filter(({ id }) => identities.every(({ provider }) => provider !== id))
                .map((provider) => (
                  <LinkButton key={provider.id} provider={provider} />
                ))}
            </div>
          </>
        )}
      </WhenRead>
    </Panel>
  );
}

const OWN: Readonly<Record<string, string>> = { email: "Email", phone: "Phone" };
const nameOf = (id: string, providers: readonly SignInProvider[]) =>
  OWN[id] ?? providerName(id, { providers });

interface IdentityRowProps {
  userId: string;
  identity: UserIdentity;
  name: string;
  isOnly: boolean;
}

function IdentityRow({ userId, identity, name, isOnly }: IdentityRowProps) {
  const [asking, setAsking] = useState(false);
  const unlink = useChange(
    userId,
    { done: `${name} no longer signs you in`, failed: `${name} was not removed` },
    async () => (await getSupabase()).auth.unlinkIdentity(identity),
  );
  const address: unknown = identity.identity_data?.["email"] ?? identity.identity_data?.["phone"];
  const since = identity.created_at ? [`since ${formatDay(identity.created_at)}`] : [];
  const isOwn = identity.provider in OWN;
  return (
    <Row title={name} detail={[...(typeof address === "string" ? [address] : []), ...since].join(" · ")}>
      {isOnly ? (
        <p className="text-sm text-ink-soft">You can't remove your only sign-in method.</p>
      ) : (
        !isOwn && (
          <Button
            size="small"
            variant="danger"
            busy={unlink.isPending}
            onClick={() => setAsking(true)}
            aria-label={`Remove: ${name}`}
          >
            Remove
          </Button>
        )
      )}
      <AlertDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Remove ${name}?`}
        confirmLabel="Remove"
        cancelLabel="Keep"
        destructive
        onConfirm={() => unlink.mutate()}
      >
        {name} will no longer sign you in to this account. You can connect it again.
      </AlertDialog>
    </Row>
  );
}

/** Sends the browser to the provider, which redirects back here. */
function LinkButton({ provider }: { provider: SignInProvider }) {
  const [busy, setBusy] = useState(false);
  async function link() {
    setBusy(true);
    const { auth } = await getSupabase();
    const redirectTo = `${location.origin}/dashboard?${THROUGH_PROVIDER}=provider&${LINKED}=${provider.id}`;
    const { error } = await auth.linkIdentity({ provider: provider.id, options: { redirectTo } });
    if (!error) return;
    setBusy(false);
    toast.error(`${provider.name} was not connected`, refusalWords(error));
  }
  return (
    <Button variant="secondary" busy={busy} onClick={() => void link()}>
      Connect {provider.name}
    </Button>
  );
}
