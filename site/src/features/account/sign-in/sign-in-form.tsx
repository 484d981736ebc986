import { zodResolver } from "@hookform/resolvers/zod";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { type FieldErrors, useForm, type UseFormRegister } from "react-hook-form";
import { signInSchema, type SignIn } from "contract/schemas";
import { useAuthSettings } from "#lib/api/auth-settings.ts";
import { plainWords } from "#lib/session/refusal-words.ts";
import { Button } from "#ui/basics/button.tsx";
import { Card } from "#ui/page/card.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { useCaptcha } from "../captcha/use-captcha.tsx";
import { AuthFailure, failureMessage, signIn, signInWithPasskey } from "../auth-calls.ts";
import { awaitConfirmation, awaitedConfirmation, keepTypedEmail, typedEmail } from "../auth-entries.ts";
import { ConfirmationNote } from "./confirmation-note.tsx";
import { DeadLinkNote } from "../links/dead-link-note.tsx";
import { EmailField } from "../email-field.tsx";
import { ModeLink } from "./mode-link.tsx";

const welcome = () => toast.success("Welcome back!", "You've been logged in successfully.");

const passkeyRefusals: Readonly<Record<string, string>> = {
  webauthn_verification_failed: "That passkey does not belong to an account here. You may have removed it.",
  webauthn_challenge_expired: "That took too long. Please try again.",
  passkey_disabled: "Passkeys are turned off. Please sign in with your password.",
};

/** The server's own message, whatever it is. */
const refusalOf = (error: unknown) =>
  error instanceof AuthFailure && error.code === "over_request_rate_limit"
    ? error.message
    : failureMessage(error);

/** `registered`: the account just created here, which must still be confirmed by mail. */
export function SignInForm({ registered }: { registered?: SignIn | undefined }) {
  const form = useForm<SignIn>({
    resolver: zodResolver(signInSchema),
    defaultValues: { email: typedEmail(), password: "" },
  });
  const { errors, isSubmitting } = form.formState;
  const captcha = useCaptcha();
  const [unconfirmed, setUnconfirmed] = useState(() => awaitedConfirmation()?.email);
  const [refusedFor, setRefusedFor] = useState<string>();

  async function submit(values: SignIn) {
    setRefusedFor(undefined);
    try {
      if (await captcha.pass((token) => signIn(values, token))) welcome();
    } catch (error) {
      const code = error instanceof AuthFailure ? error.code : undefined;
      if (code === "invalid_credentials") setRefusedFor(values.email);
      if (code === "email_not_confirmed") {
        if (awaitedConfirmation()?.email !== values.email)
          awaitConfirmation({ email: values.email, sentAt: 0 });
        setUnconfirmed(values.email);
      }
      toast.error("Login Failed", refusalOf(error));
    }
  }

  /** The password of the account to confirm, chosen here a moment ago or typed below. */
  async function passwordOf(email: string): Promise<string | undefined> {
    if (registered?.email === email) return registered.password;
    if (await form.trigger("password", { shouldFocus: true })) return form.getValues("password");
    form.setError("password", { message: "Enter your password to resend the email" });
    return undefined;
  }

  return (
    <div className="space-y-6">
      <DeadLinkNote mode="sign-in" />
      {unconfirmed && (
        <ConfirmationNote
          email={unconfirmed}
          chosen={registered?.email === unconfirmed ? registered.password : undefined}
          password={() => passwordOf(unconfirmed)}
          captcha={captcha}
        />
      )}
      {unconfirmed !== undefined && refusedFor === unconfirmed && <PerhapsConfirmedElsewhere />}
      <form
        noValidate
        aria-label="Sign in"
        onSubmit={(event) => void form.handleSubmit(submit)(event)}
        className="space-y-5"
      >
        <Credentials register={form.register} errors={errors} />
        {captcha.widget}
        <Button type="submit" size="large" block busy={isSubmitting}>
          Sign In
        </Button>
        <PasskeyButton />
        <OtherWays />
      </form>
    </div>
  );
}

function Credentials({
  register,
  errors,
}: {
  register: UseFormRegister<SignIn>;
  errors: FieldErrors<SignIn>;
}) {
  return (
    <>
      <EmailField field={register("email", { onChange: keepTypedEmail })} error={errors.email?.message} />
      <Field label="Password" required error={errors.password?.message}>
        <Input type="password" autoComplete="current-password" {...register("password")} />
      </Field>
    </>
  );
}

/** The answer to a wrong password and to a lost one is the same, so this shows whether or not there is an account. */
function PerhapsConfirmedElsewhere() {
  return (
    <Card tone="warning" padding="small" role="status">
      <p>
        Did you open the link in another browser or on another device? Your address is confirmed, but the
        password you chose here isn't active yet. Enter the code from that email above, or set a password.
      </p>
      <ModeLink mode="forgot">Set a password</ModeLink>
    </Card>
  );
}

function OtherWays() {
  return (
    <div className="flex flex-wrap justify-between gap-x-6 gap-y-2">
      <ModeLink mode="code">Email me a code</ModeLink>
      <ModeLink mode="sign-up">Don&apos;t have an account? Sign up</ModeLink>
      <ModeLink mode="forgot">Forgot your password?</ModeLink>
    </div>
  );
}

function PasskeyButton() {
  const settings = useAuthSettings();
  const [busy, setBusy] = useState(false);
  async function submit() {
    setBusy(true);
    try {
      if (await signInWithPasskey()) welcome();
    } catch (error) {
      const code = error instanceof AuthFailure ? error.code : undefined;
      const message = passkeyRefusals[code ?? ""] ?? plainWords(code);
      toast.error("Login Failed", message ?? "No passkey was used. You can sign in with your password.");
    }
    setBusy(false);
  }
  if (settings?.passkeys === false) return null;
  return (
    <Button variant="secondary" block busy={busy} onClick={() => void submit()}>
      <KeyRound aria-hidden="true" className="size-5" strokeWidth={2.5} />
      Sign in with a passkey
    </Button>
  );
}
