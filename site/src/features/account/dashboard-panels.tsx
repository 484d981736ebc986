// The account's panels on /dashboard: the welcome with its three links, and the account's details.
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { formatDay } from "#lib/format.ts";
import { useSession, type SessionUser } from "#lib/session/session.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { useKeptFocus } from "#ui/overlays/focus-kept.ts";
import { Card, CardTitle } from "#ui/page/card.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { failureMessage, requestPasswordReset } from "./auth-calls.ts";
import { rememberReturnPath } from "./return-path.ts";
import { authAddress } from "./auth-mode.ts";
import { ChangeEmail } from "./email-change/change-email.tsx";
import { useCaptcha } from "./captcha/use-captcha.tsx";
import { MailedCode } from "./codes/mailed-code.tsx";

export function WelcomePanel({ user }: { user: SessionUser }) {
  const { signOut } = useSession();
  async function logOut() {
    await signOut();
    toast.success("Logged Out", "You've been logged out successfully.");
  }
  return (
    <section className="on-ink relative isolate overflow-clip p-6 shadow-[10px_10px_0_0_var(--color-candy)] sm:p-9">
      <div
        aria-hidden="true"
        className="absolute top-1/2 -right-24 -z-10 size-96 -translate-y-1/2 rounded-full bg-slab max-sm:hidden"
      >
        <div className="halftone absolute inset-0 rounded-full text-candy" />
      </div>
      <h1 className="display text-headline">Welcome!</h1>
      <p className="mt-3 text-lead">
        <EmailText>{user.email ?? ""}</EmailText>
      </p>
      <div className="mt-7 flex flex-wrap gap-3 print:hidden">
        <Button asChild variant="highlight">
          <Link to="/my-tickets">My Tickets</Link>
        </Button>
        <Button asChild>
          <Link to="/tickets">Buy Tickets</Link>
        </Button>
        <Button variant="inverse" onClick={() => void logOut()}>
          Logout
        </Button>
      </div>
    </section>
  );
}

export function AccountPanel({ user }: { user: SessionUser }) {
  const kept = useKeptFocus();
  return (
    <Card className="mt-14" {...kept}>
      <CardTitle>Account Information</CardTitle>
      <dl className="mt-4 grid gap-x-10 gap-y-3 sm:grid-cols-2 [&_dt]:text-ink-soft">
        <div className="min-w-0">
          <dt>Email</dt>
          <dd className="font-semibold">
            <EmailText>{user.email || "N/A"}</EmailText>
          </dd>
        </div>
        <div>
          <dt>Account Created</dt>
          <dd className="font-semibold">{formatDay(user.created_at)}</dd>
        </div>
      </dl>
      <div className="mt-5 print:hidden">
        <ChangeEmail user={user} />
      </div>
      {user.email && <ChangePassword email={user.email} />}
    </Card>
  );
}

/**
 * By mail, like a forgotten password. Someone who finds this browser open cannot change it, and a user without a
 * password can set one.
 */
function ChangePassword({ email }: { email: string }) {
  const captcha = useCaptcha({ onlyWhenAsked: true });
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState(false);
  const navigate = useNavigate();
  async function send() {
    setBusy(true);
    try {
      await captcha.pass((token) => requestPasswordReset({ email }, token));
      rememberReturnPath("/dashboard");
      setSent(true);
    } catch (error) {
      toast.error("Email Not Sent", failureMessage(error));
    }
    setBusy(false);
  }
  return (
    <div className="mt-5 space-y-3 print:hidden">
      {captcha.widget}
      <Button variant="secondary" busy={busy} onClick={() => void send()}>
        Change Password
      </Button>
      <p role="status" className="empty:hidden">
        {sent &&
          "Check your email: the link in it lets you set a new password. Open it in this browser, or enter its code here."}
      </p>
      {sent && (
        <MailedCode
          email={email}
          type="recovery"
          submit="Continue"
          onDone={() => void navigate(authAddress("reset"))}
        />
      )}
    </div>
  );
}
