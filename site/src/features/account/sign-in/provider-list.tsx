// Signing in through providers, where the organizer enables them. Renders nothing without providers, which is the
// default.
import { plainEmail } from "contract/people";
import { useState, type SubmitEvent } from "react";
import { type SignInProvider, useAuthSettings } from "#lib/api/auth-settings.ts";
import { typed } from "#lib/browser/typed.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { AuthFailure, failureMessage, leaveFor, leaveForOrganization } from "../auth-calls.ts";
import { useCaptcha } from "../captcha/use-captcha.tsx";

/** `from`: the visitor's destination. */
export function ProviderList({ from }: { from: string | undefined }) {
  const settings = useAuthSettings();
  const [leaving, setLeaving] = useState<SignInProvider["id"]>();
  const [isOrganization, setIsOrganization] = useState(false);
  if (!settings || (settings.providers.length === 0 && !settings.singleSignOn)) return null;

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
        {settings.providers.map((provider) => (
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
        {settings.singleSignOn && (
          <li className="grow">
            <Button
              variant="secondary"
              block
              aria-expanded={isOrganization}
              onClick={() => setIsOrganization(!isOrganization)}
            >
              Single Sign-On
            </Button>
          </li>
        )}
      </ul>
      {isOrganization && <OrganizationForm from={from} />}
    </section>
  );
}

function OrganizationForm({ from }: { from: string | undefined }) {
  const captcha = useCaptcha({ onlyWhenAsked: true });
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const domain = plainEmail(typed(event.currentTarget, "email")).split("@").pop()!.toLowerCase();
    if (!domain.includes(".")) return setProblem("Enter the address your organization gave you.");
    setProblem(undefined);
    setBusy(true);
    try {
      await captcha.pass((token) => leaveForOrganization(domain, from, token));
    } catch (error) {
      setBusy(false);
      const isUnknown = error instanceof AuthFailure && error.code === "sso_provider_not_found";
      setProblem(
        isUnknown ? "Single sign-on is not set up here for this organization." : failureMessage(error),
      );
    }
  }
  return (
    <form
      noValidate
      aria-label="Single sign-on"
      className="mt-5 space-y-5"
      onSubmit={(event) => void submit(event)}
    >
      <Field label="Work email" required error={problem}>
        <Input name="email" type="email" autoComplete="email" />
      </Field>
      {captcha.widget}
      <Button type="submit" block busy={busy}>
        Continue
      </Button>
    </form>
  );
}
