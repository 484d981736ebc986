// Signing in through others, where the organiser offers it. Without providers, as by default, it renders nothing.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "#ui/basics/button.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { failureMessage, leaveFor } from "./auth-calls.ts";
import { offeredProviders, type SignInProvider } from "./providers.ts";

/** `from`: where the visitor was going. */
export function ProviderList({ from }: { from: string | undefined }) {
  const { data: providers = [] } = useQuery({
    queryKey: ["sign-in-providers"],
    queryFn: offeredProviders,
    staleTime: Infinity,
    retry: false,
  });
  const [leaving, setLeaving] = useState<SignInProvider["id"]>();
  if (providers.length === 0) return null;

  async function leave(provider: SignInProvider) {
    setLeaving(provider.id);
    try {
      await leaveFor(provider.id, from);
    } catch (error) {
      setLeaving(undefined);
      toast.error("Sign-In Failed", failureMessage(error));
    }
  }

  return (
    <section aria-labelledby="other-ways" className="mt-7 border-t-2 border-ink/20 pt-6">
      <h2 id="other-ways" className="font-semibold">
        Or continue with
      </h2>
      <ul aria-labelledby="other-ways" className="mt-3 flex flex-wrap gap-3">
        {providers.map((provider) => (
          <li key={provider.id} className="grow">
            <Button
              variant="secondary"
              block
              busy={leaving === provider.id}
              onClick={() => void leave(provider)}
            >
              {provider.name}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
