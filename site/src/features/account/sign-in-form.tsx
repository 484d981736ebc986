import { zodResolver } from "@hookform/resolvers/zod";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { maxLengths, signInSchema, type SignIn } from "contract/schemas";
import { Button } from "#ui/basics/button.tsx";
import { Card } from "#ui/page/card.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { AuthFailure, failureMessage, signIn, signUp } from "./auth-calls.ts";
import { ModeLink } from "./mode-link.tsx";

export function SignInForm() {
  const form = useForm<SignIn>({
    resolver: zodResolver(signInSchema),
    defaultValues: { email: "", password: "" },
  });
  const { errors, isSubmitting } = form.formState;
  const [unconfirmed, setUnconfirmed] = useState<SignIn>();

  async function submit(values: SignIn) {
    setUnconfirmed(undefined);
    try {
      await signIn(values);
      toast.success("Welcome back!", "You've been logged in successfully.");
    } catch (error) {
      if (error instanceof AuthFailure && error.code === "email_not_confirmed") setUnconfirmed(values);
      toast.error("Login Failed", failureMessage(error));
    }
  }

  return (
    <form
      noValidate
      aria-label="Sign in"
      onSubmit={(event) => void form.handleSubmit(submit)(event)}
      className="space-y-5"
    >
      {unconfirmed && <Unconfirmed account={unconfirmed} />}
      <Field label="Email" required error={errors.email?.message}>
        <Input type="email" autoComplete="email" maxLength={maxLengths.email} {...form.register("email")} />
      </Field>
      <Field label="Password" required error={errors.password?.message}>
        <Input type="password" autoComplete="current-password" {...form.register("password")} />
      </Field>
      <Button type="submit" size="large" block busy={isSubmitting}>
        Sign In
      </Button>
      <div className="flex flex-wrap justify-between gap-x-6 gap-y-2">
        <ModeLink mode="sign-up">Don&apos;t have an account? Sign up</ModeLink>
        <ModeLink mode="forgot">Forgot your password?</ModeLink>
      </div>
    </form>
  );
}

function Unconfirmed({ account }: { account: SignIn }) {
  const [sending, setSending] = useState(false);
  async function resend() {
    setSending(true);
    try {
      // Signs up again: a mail that is only sent again would confirm the address without the password.
      await signUp(account);
      toast.success("Email Sent", "Please check your email to confirm your account.");
    } catch (error) {
      toast.error("Email Not Sent", failureMessage(error));
    }
    setSending(false);
  }
  return (
    <Card tone="warning" padding="small" role="status">
      <p>
        Your account is waiting for you to confirm <strong className="break-words">{account.email}</strong>.
      </p>
      <Button variant="secondary" size="small" className="mt-3" busy={sending} onClick={() => void resend()}>
        Resend Confirmation Email
      </Button>
    </Card>
  );
}
