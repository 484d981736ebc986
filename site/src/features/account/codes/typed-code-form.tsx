import { zodResolver } from "@hookform/resolvers/zod";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import { typedCodeSchema, type TypedCode } from "contract/schemas";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Card } from "#ui/page/card.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { useCaptcha } from "../captcha/use-captcha.tsx";
import { failureMessage, redeemCode, requestCode, secondsToWait } from "../auth-calls.ts";
import { type AwaitedCode, CODE_INTERVAL_MS } from "../auth-entries.ts";
import { codeProblem } from "./code-problem.ts";

interface TypedCodeFormProps {
  awaited: AwaitedCode;
  onSentAgain: (awaited: AwaitedCode) => void;
  onOtherAddress: () => void;
}

export function TypedCodeForm({ awaited, onSentAgain, onOtherAddress }: TypedCodeFormProps) {
  const { email } = awaited;
  const form = useForm<TypedCode>({ resolver: zodResolver(typedCodeSchema), defaultValues: { code: "" } });
  const { errors, isSubmitting } = form.formState;
  const { setFocus } = form;
  // The pressed button is gone, so focus the field it led to.
  useEffect(() => setFocus("code"), [setFocus]);

  function sentAgain(next: AwaitedCode) {
    if (!next.earlier) form.clearErrors("code");
    onSentAgain(next);
  }

  async function submit({ code }: TypedCode) {
    try {
      if (await redeemCode(email, code, "email")) toast.success("Welcome!", "You are signed in.");
    } catch (error) {
      form.setError("code", { message: codeProblem(error) }, { shouldFocus: true });
    }
  }

  return (
    <form
      noValidate
      aria-label="Type your code"
      onSubmit={(event) => void form.handleSubmit(submit)(event)}
      className="space-y-5"
    >
      <Card tone="warning" padding="small" role="status">
        {introductionOf(awaited)}
        <EmailText className="font-bold">{email}</EmailText>
        {awaited.earlier && ", so we didn't send another"}.
        {!awaited.inHand && " It may take a minute. Check your spam folder, too."}
      </Card>
      <Field label="Code from the email" required error={errors.code?.message}>
        <Input
          inputMode="numeric"
          autoComplete="one-time-code"
          spellCheck={false}
          className="text-2xl tracking-[0.2em]"
          {...form.register("code")}
        />
      </Field>
      <Button type="submit" size="large" block busy={isSubmitting}>
        Sign In
      </Button>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <SendAgain awaited={awaited} onSentAgain={sentAgain} />
        <Button variant="ghost" size="small" onClick={onOtherAddress}>
          Use Another Email
        </Button>
      </div>
    </form>
  );
}

function introductionOf({ earlier, inHand }: AwaitedCode): string {
  if (inHand) return "Enter the code from the email to ";
  return earlier ? "A code was sent a moment ago to " : "We sent a code to ";
}

/** Once per minute, the server's limit. */
function SendAgain({ awaited, onSentAgain }: Pick<TypedCodeFormProps, "awaited" | "onSentAgain">) {
  const { email, sentAt } = awaited;
  const [sending, setSending] = useState(false);
  const [outcome, setOutcome] = useState("");
  const captcha = useCaptcha({ onlyWhenAsked: true });
  const left = useSecondsUntil(sentAt + CODE_INTERVAL_MS);

  async function send() {
    if (left > 0) return;
    setSending(true);
    setOutcome("");
    try {
      await captcha.pass((token) => requestCode(email, token));
      onSentAgain({ email, sentAt: Date.now() });
      setOutcome("We sent another code. The earlier ones still work.");
    } catch (error) {
      const seconds = secondsToWait(error);
      if (seconds !== undefined)
        onSentAgain({ email, sentAt: Date.now() - CODE_INTERVAL_MS + seconds * 1000, earlier: true });
      setOutcome(failureMessage(error));
    }
    setSending(false);
  }

  return (
    <>
      {/* Not disabled: that would take the focus from a user who has just pressed it. */}
      <Button
        variant="secondary"
        size="small"
        aria-disabled={left > 0 || undefined}
        busy={sending}
        onClick={() => void send()}
      >
        {left > 0 ? `Send Another Code in ${left} s` : "Send Another Code"}
      </Button>
      <div className="w-full empty:hidden">{captcha.widget}</div>
      <p role="status" className="w-full text-sm empty:hidden">
        {outcome}
      </p>
    </>
  );
}

/** 0 once the moment has passed. */
function useSecondsUntil(moment: number): number {
  const secondsLeft = () => Math.max(0, Math.ceil((moment - Date.now()) / 1000));
  const [shown, setShown] = useState(secondsLeft);
  useEffect(() => {
    const show = () => setShown(Math.max(0, Math.ceil((moment - Date.now()) / 1000)));
    show();
    const timer = setInterval(() => {
      show();
      if (Date.now() >= moment) clearInterval(timer);
    }, 1000);
    return () => clearInterval(timer);
  }, [moment]);
  return shown;
}
