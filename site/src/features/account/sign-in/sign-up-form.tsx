import { zodResolver } from "@hookform/resolvers/zod";
import { useRef } from "react";
import { useForm } from "react-hook-form";
import { signUpSchema, type SignIn, type SignUp } from "contract/schemas";
import { Button } from "#ui/basics/button.tsx";
import { TermsNote } from "#ui/forms/terms-note.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { useCaptcha } from "../captcha/use-captcha.tsx";
import { failureMessage, passwordProblem, signUp } from "../auth-calls.ts";
import { keepTypedEmail, typedEmail } from "../auth-entries.ts";
import { EmailField } from "../email-field.tsx";
import { ModeLink } from "./mode-link.tsx";
import { NewPasswordFields } from "../passwords/new-password-fields.tsx";

/** `onRegistered` is called when the confirmation mail is on its way. */
export function SignUpForm({ onRegistered }: { onRegistered: (account: SignIn) => void }) {
  const form = useForm<SignUp>({
    resolver: zodResolver(signUpSchema),
    defaultValues: { email: typedEmail(), password: "", confirmPassword: "" },
  });
  const { errors, isSubmitting } = form.formState;
  const captcha = useCaptcha();
  const takeBackFailure = useRef<() => void>(undefined);

  async function submit(values: SignUp) {
    // Hides the error of an earlier attempt.
    takeBackFailure.current?.();
    try {
      const ready = await captcha.pass((token) => signUp(values, token));
      toast.success("Registration Successful!", "Please check your email to confirm your account.");
      if (!ready) onRegistered({ email: values.email, password: values.password });
    } catch (error) {
      const problem = passwordProblem(error);
      if (problem) form.setError("password", { message: problem }, { shouldFocus: true });
      takeBackFailure.current = toast.error("Registration Failed", failureMessage(error));
    }
  }

  return (
    <form
      noValidate
      aria-label="Create account"
      onSubmit={(event) => void form.handleSubmit(submit)(event)}
      className="space-y-5"
    >
      <EmailField
        field={form.register("email", { onChange: keepTypedEmail })}
        error={errors.email?.message}
      />
      <NewPasswordFields
        label="Password"
        password={form.register("password")}
        confirmation={form.register("confirmPassword")}
        errors={errors}
      />
      {captcha.widget}
      <Button type="submit" size="large" block busy={isSubmitting}>
        Create Account
      </Button>
      <TermsNote doing="creating an account" className="text-sm" />
      <ModeLink mode="sign-in">Already have an account? Sign in</ModeLink>
    </form>
  );
}
