// Changes the account's address: requested here, and confirmed by the links in its mails or by their codes, typed here.
import { zodResolver } from "@hookform/resolvers/zod";
import { codeRequestSchema, type CodeRequest } from "contract/schemas";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import { useAuthSettings } from "#lib/api/auth-settings.ts";
import type { SessionUser } from "#lib/session/session.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { CodeEntry } from "#ui/forms/code-entry.tsx";
import { useIsShown } from "#ui/forms/use-is-shown.ts";
import { toast } from "#ui/overlays/toast.ts";
import { Card } from "#ui/page/card.tsx";
import { failureMessage } from "../auth-calls.ts";
import { useCaptcha } from "../captcha/use-captcha.tsx";
import { codeProblem } from "../codes/code-problem.ts";
import { EmailField } from "../email-field.tsx";
import {
  askForAddress,
  callOffChange,
  confirmAddress,
  lookForChange,
  mailChangeAgain,
} from "./email-change-calls.ts";

/** No link or code is valid for longer. */
const DAY_MS = 86_400_000;

export function ChangeEmail({ user }: { user: SessionUser }) {
  const [isTyping, setIsTyping] = useState(false);
  const [openedAt] = useState(() => Date.now());
  const { new_email: wanted, email_change_sent_at: sentAt } = user;
  const isAwaited = wanted && sentAt && openedAt - Date.parse(sentAt) < DAY_MS;
  if (isTyping) return <NewAddressForm user={user} onClose={() => setIsTyping(false)} />;
  if (isAwaited)
    return <AwaitedChange key={wanted} user={user} wanted={wanted} onOther={() => setIsTyping(true)} />;
  return (
    <Button variant="secondary" onClick={() => setIsTyping(true)}>
      Change Email
    </Button>
  );
}

function NewAddressForm({ user, onClose }: { user: SessionUser; onClose: () => void }) {
  const form = useForm<CodeRequest>({
    resolver: zodResolver(codeRequestSchema),
    defaultValues: { email: "" },
  });
  const { errors, isSubmitting } = form.formState;
  const { setFocus } = form;
  useEffect(() => setFocus("email"), [setFocus]);

  const isShown = useIsShown();
  const refuse = (message: string) => form.setError("email", { message }, { shouldFocus: true });

  async function submit({ email }: CodeRequest) {
    if (email.toLowerCase() === user.email) return refuse("This is already your address.");
    try {
      await askForAddress(email);
      if (isShown.current) onClose();
    } catch (error) {
      refuse(failureMessage(error));
    }
  }

  return (
    <form
      noValidate
      aria-label="Change email"
      className="max-w-md space-y-5"
      onSubmit={(event) => void form.handleSubmit(submit)(event)}
    >
      <EmailField
        label="New Email"
        field={form.register("email")}
        error={errors.email?.message}
        hint="Your tickets and orders stay yours."
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={isSubmitting}>
          Send Confirmation
        </Button>
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

interface AwaitedChangeProps {
  user: SessionUser;
  wanted: string;
  onOther: () => void;
}

function AwaitedChange({ user, wanted, onOther }: AwaitedChangeProps) {
  const needsBoth = (useAuthSettings()?.secureEmailChange ?? true) && Boolean(user.email);
  const [confirmed, setConfirmed] = useState<string>();
  const current = user.email ?? "";
  useEffect(() => {
    // A link may be opened on another device.
    const look = () =>
      void lookForChange(current).then((half) => {
        if (half) setConfirmed(half === "current" ? current : wanted);
      });
    look();
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [current, wanted]);

  async function confirm(address: string, code: string): Promise<string | undefined> {
    try {
      if ((await confirmAddress(address, code)) === "half") setConfirmed(address);
      else toast.success("Email Changed", `Your account's address is now ${wanted}.`);
      return undefined;
    } catch (error) {
      return codeProblem(error);
    }
  }

  return (
    <div className="max-w-md space-y-5">
      <Card tone="warning" padding="small" role="status">
        Your address becomes <EmailText className="font-bold">{wanted}</EmailText> once{" "}
        {needsBoth ? "both addresses have" : "it has"} confirmed. We sent {needsBoth ? "each" : "it"} an
        email. Open its link or enter its code here.
      </Card>
      {[...(needsBoth ? [current] : []), wanted].map((address) =>
        confirmed === address ? (
          <p key={address} role="status" className="font-semibold">
            <EmailText>{address}</EmailText> is confirmed.
          </p>
        ) : (
          <CodeEntry
            key={address}
            name={`Type the code sent to ${address}`}
            label={
              <>
                Code sent to <EmailText>{address}</EmailText>
              </>
            }
            hint="Use this instead of the link."
            submit="Confirm"
            isNumber
            verify={(code) => confirm(address, code)}
          />
        ),
      )}
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        {user.email && <MailAgain email={user.email} />}
        <Button variant="ghost" size="small" onClick={onOther}>
          Use Another Email
        </Button>
        {current && <KeepAddress />}
      </div>
    </div>
  );
}

function KeepAddress() {
  const [busy, setBusy] = useState(false);
  async function keep() {
    setBusy(true);
    try {
      await callOffChange();
      toast.success("Address Unchanged", "Your address stays the same. The emails we sent no longer work.");
    } catch (error) {
      toast.error("Your change was not canceled", failureMessage(error));
      setBusy(false);
    }
  }
  return (
    <Button variant="ghost" size="small" busy={busy} onClick={() => void keep()}>
      Keep My Address
    </Button>
  );
}

/** Resends the mail to the addresses that have not confirmed yet. */
function MailAgain({ email }: { email: string }) {
  const [sending, setSending] = useState(false);
  const [outcome, setOutcome] = useState("");
  const captcha = useCaptcha({ onlyWhenAsked: true });
  async function send() {
    setSending(true);
    setOutcome("");
    try {
      await captcha.pass((token) => mailChangeAgain(email, token));
      setOutcome("Sent again. The earlier emails still work.");
    } catch (error) {
      setOutcome(failureMessage(error));
    }
    setSending(false);
  }
  return (
    <>
      <Button variant="secondary" size="small" busy={sending} onClick={() => void send()}>
        Send Again
      </Button>
      <div className="w-full empty:hidden">{captcha.widget}</div>
      <p role="status" className="w-full text-sm empty:hidden">
        {outcome}
      </p>
    </>
  );
}
