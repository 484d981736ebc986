// A forgotten password: requesting the mail, and setting a new password after its link was opened.
import { zodResolver } from "@hookform/resolvers/zod";
import { useState } from "react";
import { useForm } from "react-hook-form";
import {
  newPasswordSchema,
  passwordResetRequestSchema,
  type NewPassword,
  type PasswordResetRequest,
} from "contract/schemas";
import { useSession } from "#lib/session/session.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Card } from "#ui/page/card.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { useCaptcha } from "../captcha/use-captcha.tsx";
import {
  AuthFailure,
  failureMessage,
  type OneTimeLink,
  passwordProblem,
  openOneTimeLink,
  requestPasswordReset,
  secondsToWait,
  setPassword,
} from "../auth-calls.ts";
import { type AwaitedCode, awaitReset, awaitedReset, keepTypedEmail, typedEmail } from "../auth-entries.ts";
import { CodeInHand } from "../codes/code-in-hand.tsx";
import { forgetDeadLink } from "../links/dead-link.ts";
import { DeadLinkNote } from "../links/dead-link-note.tsx";
import { ElsewhereNote } from "../links/elsewhere-note.tsx";
import { EmailField } from "../email-field.tsx";
import { MailedCode } from "../codes/mailed-code.tsx";
import { ModeLink } from "../sign-in/mode-link.tsx";
import { NewPasswordFields } from "./new-password-fields.tsx";

/** First the address, then the mail's code, unless the user opens its link. */
export function ForgotPassword({ onCode }: Pick<ResetByCodeProps, "onCode">) {
  // After a reload, the form still waits for the same mail.
  const [awaited, setAwaited] = useState<AwaitedCode | undefined>(awaitedReset);
  const remember = (next: AwaitedCode | undefined) => {
    forgetDeadLink();
    awaitReset(next);
    setAwaited(next);
  };
  if (!awaited) return <ResetRequestForm onSent={remember} />;
  return <ResetByCode awaited={awaited} onCode={onCode} onOtherMail={() => remember(undefined)} />;
}

function ResetRequestForm({ onSent }: { onSent: (awaited: AwaitedCode) => void }) {
  const form = useForm<PasswordResetRequest>({
    resolver: zodResolver(passwordResetRequestSchema),
    defaultValues: { email: typedEmail() },
  });
  const { errors, isSubmitting } = form.formState;
  const captcha = useCaptcha();

  async function submit(values: PasswordResetRequest) {
    const { email } = values;
    try {
      await captcha.pass((token) => requestPasswordReset(values, token));
      onSent({ email, sentAt: Date.now() });
    } catch (error) {
      // Requested a moment ago: that mail is on its way and still valid.
      if (secondsToWait(error) !== undefined) onSent({ email, sentAt: 0, earlier: true });
      else toast.error("Email Not Sent", failureMessage(error));
    }
  }

  return (
    <form
      noValidate
      aria-label="Reset password"
      onSubmit={(event) => void form.handleSubmit(submit)(event)}
      className="space-y-5"
    >
      <DeadLinkNote mode="forgot" />
      <ElsewhereNote />
      <p>We will send you a link and a code to set a new password.</p>
      <EmailField
        field={form.register("email", { onChange: keepTypedEmail })}
        error={errors.email?.message}
      />
      {captcha.widget}
      <Button type="submit" size="large" block busy={isSubmitting}>
        Send Reset Link
      </Button>
      <CodeInHand
        reason="recovery"
        onPress={() => void form.handleSubmit(({ email }) => onSent({ email, sentAt: 0, inHand: true }))()}
      />
      <ModeLink mode="sign-in">Back to sign in</ModeLink>
    </form>
  );
}

/** Shows the account: the link may come from a stranger and open the stranger's account. */
export function NewPasswordForm({ onDone, onLeft }: { onDone: () => void; onLeft: () => void }) {
  const { user, signOut } = useSession();
  const form = useForm<NewPassword>({
    resolver: zodResolver(newPasswordSchema),
    defaultValues: { password: "", confirmPassword: "" },
  });
  const { errors, isSubmitting } = form.formState;

  async function submit(values: NewPassword) {
    try {
      await setPassword(values);
      toast.success("Password Updated", "Your new password is set, and you are signed in.");
      onDone();
    } catch (error) {
      const problem = passwordProblem(error);
      if (problem) form.setError("password", { message: problem }, { shouldFocus: true });
      toast.error("Password Not Updated", failureMessage(error));
    }
  }

  async function leave() {
    await signOut();
    onLeft();
  }

  return (
    <form
      noValidate
      aria-label="New password"
      onSubmit={(event) => void form.handleSubmit(submit)(event)}
      className="space-y-5"
    >
      <p>
        For the account <EmailText className="block font-bold">{user?.email ?? ""}</EmailText>
      </p>
      <NewPasswordFields
        label="New Password"
        password={form.register("password")}
        confirmation={form.register("confirmPassword")}
        errors={errors}
      />
      <Button type="submit" size="large" block busy={isSubmitting}>
        Set New Password
      </Button>
      <Button variant="ghost" size="small" onClick={() => void leave()}>
        This Is Not My Account
      </Button>
    </form>
  );
}

interface OpenAccountProps {
  link: OneTimeLink;
  isOpening: boolean;
  onOpening: (isOpening: boolean) => void;
  onOpened: () => void;
  /** The link was used before or has expired. */
  onDead: () => void;
}

/** Redeems the link only on a press, because mail scanners open links. Only the open account says whose it is. */
export function OpenAccount({ link, isOpening, onOpening, onOpened, onDead }: OpenAccountProps) {
  async function open() {
    onOpening(true);
    try {
      await openOneTimeLink(link);
      onOpened();
    } catch (error) {
      if (error instanceof AuthFailure && error.code === "otp_expired") onDead();
      else toast.error("Account Not Opened", failureMessage(error));
    }
    onOpening(false);
  }

  return (
    <div className="space-y-5">
      <p>
        This link works once. It opens your account, so you can check whose it is before you set a password.
      </p>
      <Button size="large" block busy={isOpening} onClick={() => void open()}>
        Open the Account
      </Button>
    </div>
  );
}

/** Shown for a one-time link while somebody is signed in here: whose it is, only the opened account says. */
export function SignOutFirst() {
  return <p>You are already signed in here. Sign out, then open the link again.</p>;
}

/** Shown when no new password can be set because the link had expired or was opened in another browser. */
export function ResetLinkNeeded() {
  return (
    <div className="space-y-5">
      <p>
        To set a new password, follow the link in the email we send you. Each link works once, for a limited
        time.
      </p>
      <ModeLink mode="forgot">Send me a new link</ModeLink>
    </div>
  );
}

interface ResetByCodeProps {
  awaited: AwaitedCode;
  /** `redeem` signs in, which would otherwise redirect. */
  onCode: (redeem: () => Promise<unknown>) => Promise<void>;
  onOtherMail: () => void;
}

function ResetByCode({ awaited: { email, earlier, inHand }, onCode, onOtherMail }: ResetByCodeProps) {
  return (
    <div className="space-y-5">
      <Card tone="warning" padding="small" role="status">
        {inHand ? (
          <>
            Enter the code from the email to <EmailText className="font-bold">{email}</EmailText>.
          </>
        ) : (
          <>
            If there is an account for <EmailText className="font-bold">{email}</EmailText>, a link and a code
            to set a new password{" "}
            {earlier ? "were sent a moment ago, so we didn't send new ones" : "are on their way"}. Please
            check your email, and check your spam folder too.
          </>
        )}
      </Card>
      <MailedCode email={email} type="recovery" submit="Continue" takesFocus around={onCode} />
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <Button variant="ghost" size="small" onClick={onOtherMail}>
          Send Another Email
        </Button>
        <ModeLink mode="sign-in">Back to sign in</ModeLink>
      </div>
    </div>
  );
}
