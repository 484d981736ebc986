import { useRef, useState } from "react";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Card } from "#ui/page/card.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { waitMessage } from "#lib/api/rate-limit.ts";
import { AuthFailure, failureMessage, setPassword, signUp } from "../auth-calls.ts";
import { awaitConfirmation, awaitedConfirmation } from "../auth-entries.ts";
import type { Captcha } from "../captcha/use-captcha.tsx";
import { MailedCode } from "../codes/mailed-code.tsx";

/** The server sends at most one mail per minute to an address. */
const INTERVAL_MS = 60_000;

interface ConfirmationNoteProps {
  email: string;
  /** The password chosen here a moment ago; lost on reload. */
  chosen: string | undefined;
  /** The new account's password; undefined when the user must type it first. */
  password: () => Promise<string | undefined>;
  /** The captcha of the form below. */
  captcha: Captcha;
}

/** Stays until the address is confirmed, with a button that resends the mail. */
export function ConfirmationNote({ email, chosen, password, captcha }: ConfirmationNoteProps) {
  const [sending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<string>();
  const signedUpWith = useRef(chosen);

  async function resend() {
    const waitMs = (awaitedConfirmation()?.sentAt ?? 0) + INTERVAL_MS - Date.now();
    if (waitMs > 0) return setOutcome(`An email is on its way. ${waitMessage(waitMs)}`);
    const typed = await password();
    if (typed === undefined) return;
    setSending(true);
    setOutcome(undefined);
    try {
      // Signs up again. A resent mail alone would confirm the address without the password.
      await captcha.pass((token) => signUp({ email, password: typed }, token));
      signedUpWith.current = typed;
      awaitConfirmation({ email, sentAt: Date.now() });
      setOutcome("The email was sent again. The earlier ones still work.");
      toast.success("Email Sent", "Please check your email to confirm your account.");
    } catch (error) {
      setOutcome(failureMessage(error));
      toast.error("Email Not Sent", failureMessage(error));
    }
    setSending(false);
  }

  async function welcome() {
    toast.success("Email Confirmed", "Your account is ready, and you are signed in.");
    if (signedUpWith.current !== undefined) await keepPassword(signedUpWith.current);
  }

  return (
    <>
      <Card tone="warning" padding="small">
        <p role="status" className="display text-heading">
          Check your email at{" "}
          <EmailText className="font-text text-lg leading-snug font-bold tracking-normal normal-case">
            {email}
          </EmailText>
        </p>
        <p className="mt-2">
          Open the link in it, or enter its code here, to confirm your account. It may take a minute. Check
          your spam folder, too.
        </p>
        <Button
          variant="secondary"
          size="small"
          className="mt-3"
          busy={sending}
          onClick={() => void resend()}
        >
          Resend Confirmation Email
        </Button>
        <p role="status" className="mt-2 text-sm">
          {outcome ?? "You can resend it once a minute."}
        </p>
      </Card>
      <MailedCode email={email} type="signup" submit="Confirm My Email" onDone={() => void welcome()} />
    </>
  );
}

/**
 * The server stored no password if the address was signed up twice, or if its link was opened in another
 * browser.
 */
async function keepPassword(password: string): Promise<void> {
  try {
    await setPassword({ password });
  } catch (error) {
    const isKept = error instanceof AuthFailure && error.code === "same_password";
    if (!isKept) toast.error("Password Not Set", failureMessage(error));
  }
}
