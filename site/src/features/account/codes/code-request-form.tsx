import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { codeRequestSchema, type CodeRequest } from "contract/schemas";
import { Button } from "#ui/basics/button.tsx";
import { TermsNote } from "#ui/forms/terms-note.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { useCaptcha } from "../captcha/use-captcha.tsx";
import { failureMessage, requestCode, secondsToWait } from "../auth-calls.ts";
import { type AwaitedCode, CODE_INTERVAL_MS, keepTypedEmail, typedEmail } from "../auth-entries.ts";
import { CodeInHand } from "./code-in-hand.tsx";
import { DeadLinkNote } from "../links/dead-link-note.tsx";
import { ElsewhereNote } from "../links/elsewhere-note.tsx";
import { EmailField } from "../email-field.tsx";
import { ModeLink } from "../sign-in/mode-link.tsx";

export function CodeRequestForm({ onSent }: { onSent: (awaited: AwaitedCode) => void }) {
  const form = useForm<CodeRequest>({
    resolver: zodResolver(codeRequestSchema),
    defaultValues: { email: typedEmail() },
  });
  const { errors, isSubmitting } = form.formState;
  const captcha = useCaptcha();

  async function submit({ email }: CodeRequest) {
    try {
      await captcha.pass((token) => requestCode(email, token));
      onSent({ email, sentAt: Date.now() });
    } catch (error) {
      const seconds = secondsToWait(error);
      // Requested a moment ago, perhaps in another tab. That code is on its way.
      if (seconds !== undefined)
        onSent({ email, sentAt: Date.now() - CODE_INTERVAL_MS + seconds * 1000, earlier: true });
      else toast.error("Code Not Sent", failureMessage(error));
    }
  }

  return (
    <form
      noValidate
      aria-label="Email me a code"
      onSubmit={(event) => void form.handleSubmit(submit)(event)}
      className="space-y-5"
    >
      <DeadLinkNote mode="code" />
      <ElsewhereNote />
      <EmailField
        field={form.register("email", { onChange: keepTypedEmail })}
        error={errors.email?.message}
        hint="We'll send a code to it, so you don't need a password. If you're new here, the code creates your account."
      />
      {captcha.widget}
      <Button type="submit" size="large" block busy={isSubmitting}>
        Email Me a Code
      </Button>
      <CodeInHand
        reason="code"
        onPress={() => void form.handleSubmit(({ email }) => onSent({ email, sentAt: 0, inHand: true }))()}
      />
      <TermsNote doing="continuing" className="text-sm" />
      <div className="flex flex-wrap justify-between gap-x-6 gap-y-2">
        <ModeLink mode="sign-in">Sign in with a password</ModeLink>
        <ModeLink mode="sign-up">Don&apos;t have an account? Sign up</ModeLink>
      </div>
    </form>
  );
}
