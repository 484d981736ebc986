// /auth: sign in, create an account, request and set a new password.
import { ArrowLeft } from "lucide-react";
import { Suspense, useEffect, useRef, useState } from "react";
import { Link, Navigate, useLocation, useNavigate, useSearchParams } from "react-router";
import type { SignIn } from "contract/schemas";
import { useFestival } from "#lib/festival/content.ts";
import { useHydrated } from "#lib/browser/hydrated.ts";
import { useSession, useSessionCheck } from "#lib/session/session.tsx";
import { Boots } from "#ui/art/boots.tsx";
import { lazily } from "#ui/basics/lazily.ts";
import { Card } from "#ui/page/card.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { oneTimeLinkIn, type OneTimeLink } from "./auth-calls.ts";
import { awaitConfirmation, forgetAuthEntries, openedElsewhere, openedEmailChange } from "./auth-entries.ts";
import { authAddress, authMode, type AuthMode } from "./auth-mode.ts";
import { CodeForm } from "./codes/code-form.tsx";
import { modeAfter, noteDeadLink } from "./links/dead-link.ts";
import { EmailChangeNote } from "./email-change/email-change-note.tsx";
import {
  ForgotPassword,
  NewPasswordForm,
  OpenAccount,
  ResetLinkNeeded,
  SignOutFirst,
} from "./passwords/password-forms.tsx";
import { ProviderList } from "./sign-in/provider-list.tsx";
import { rememberReturnPath, returnPath, takeReturnPath } from "./return-path.ts";
import { SignInForm } from "./sign-in/sign-in-form.tsx";
import { SignUpForm } from "./sign-in/sign-up-form.tsx";

const SecondStep = lazily(() => import("./second-step/second-step.tsx"));

const titles: Readonly<Record<AuthMode, string>> = {
  "sign-in": "Welcome Back",
  code: "Sign In by Email",
  "sign-up": "Create Account",
  forgot: "Reset Password",
  reset: "Set a New Password",
};

function titleOf(mode: AuthMode, isInvited: boolean, isNew: boolean, isConfirmed: boolean): string {
  if (isInvited) return "Choose a Password";
  if (mode === "forgot" && isConfirmed) return "Set Your Password";
  return mode === "sign-in" && isNew ? "Almost There" : titles[mode];
}

/** For visitors sent here from checkout with a filled cart. */
const purchaseLines: Readonly<Record<Exclude<AuthMode, "reset">, string>> = {
  "sign-in": "Sign in to finish your purchase. Your cart is saved.",
  code: "We'll email you a code so you can finish your purchase. Your cart is saved.",
  "sign-up": "Create an account to finish your purchase. Your cart is saved.",
  forgot: "Reset your password to finish your purchase. Your cart is saved.",
};

export function AuthScreen({ hasCart }: { hasCart: boolean }) {
  const { status, lacksSecondStep, wasEnded } = useSession();
  const [search] = useSearchParams();
  const { state, hash } = useLocation();
  const mode = authMode(search);
  const hydrated = useHydrated();
  const from = hydrated ? returnPath(state) : undefined;
  const change = hydrated ? openedEmailChange() : undefined;
  const isConfirmed = hydrated && openedElsewhere() === "signup";
  const [registered, setRegistered] = useState<SignIn>();
  const link = oneTimeLinkIn(hash);
  const heading = useFocusOnChange(link ? "link" : mode);
  useEffect(() => {
    if (status === "signed-in") forgetAuthEntries();
  }, [status]);
  const isAsked = status === "signed-in" && lacksSecondStep;
  const [isRedeeming, redeemFirst] = useRedeeming();
  if (status === "signed-in" && mode !== "reset" && !isAsked && !isRedeeming)
    return <Navigate to={from ?? "/dashboard"} replace />;
  return (
    <div className="mx-auto w-full max-w-lg lg:max-w-5xl">
      <Link to="/" className="inline-flex min-h-11 items-center gap-2 font-semibold hover:text-candy-deep">
        <ArrowLeft aria-hidden="true" className="size-5" strokeWidth={2.5} />
        Back to Home
      </Link>
      <div
        data-needs-script=""
        className="mt-3 border-4 border-ink shadow-[10px_10px_0_0_var(--color-candy)] lg:grid lg:grid-cols-2"
      >
        <Poster />
        <div className="bg-sheet p-5 sm:p-9">
          {!isAsked && (
            <h1 ref={heading} tabIndex={-1} className="display text-title outline-none">
              {titleOf(mode, link?.type === "invite", registered !== undefined, isConfirmed)}
            </h1>
          )}
          {change && !isAsked && mode !== "reset" && <EmailChangeNote change={change} />}
          {wasEnded && mode !== "reset" && <WasEnded from={from} />}
          {from === "/checkout" && hasCart && mode !== "reset" && (
            <p className="mt-3 font-semibold text-bayou-deep">{purchaseLines[mode]}</p>
          )}
          {isAsked ? (
            <SecondStepHere />
          ) : (
            <div className="mt-6">
              {status === "loading" ? (
                <FormSkeleton />
              ) : (
                <Form {...{ mode, from, registered }} onCode={redeemFirst} onRegistered={setRegistered} />
              )}
              {status === "signed-out" && (mode === "sign-in" || mode === "sign-up" || mode === "code") && (
                <ProviderList from={from} />
              )}
            </div>
          )}
        </div>
      </div>
    </div>
  );
}

/** A user who lost the second step may be let in by other means while waiting here, which ends this session. */
function SecondStepHere() {
  useSessionCheck();
  return (
    <Suspense fallback={<FormSkeleton />}>
      <SecondStep heading="h1" />
    </Suspense>
  );
}

function WasEnded({ from }: { from: string | undefined }) {
  return (
    <Card tone="warning" padding="small" role="status" className="mt-3">
      <strong>You were signed out.</strong>{" "}
      {from ? "Sign in again to continue where you left off." : "Please sign in again."}
    </Card>
  );
}

/**
 * The code of a forgotten password signs in. It leads to the form for the new password instead of the visitor's
 * destination.
 */
function useRedeeming() {
  const navigate = useNavigate();
  const { state } = useLocation();
  const [isRedeeming, setIsRedeeming] = useState(false);
  async function redeemFirst(redeem: () => Promise<unknown>) {
    setIsRedeeming(true);
    try {
      await redeem();
    } catch (error) {
      setIsRedeeming(false);
      throw error;
    }
    // Stays set: the new address may render after this function returns.
    void navigate(authAddress("reset"), { replace: true, state });
  }
  return [isRedeeming, redeemFirst] as const;
}

/** The control that was pressed is gone, so focus moves to the heading of what it opened. */
function useFocusOnChange(form: AuthMode | "link") {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(form);
  useEffect(() => {
    if (shown.current === form) return;
    shown.current = form;
    heading.current?.focus();
  }, [form]);
  return heading;
}

/** Next to the form where there is room. */
function Poster() {
  const { tagline } = useFestival();
  return (
    <div
      aria-hidden="true"
      className="relative isolate flex flex-col overflow-hidden bg-brisket max-lg:hidden"
    >
      <div className="absolute top-1/3 left-1/2 -z-10 aspect-square w-[130%] -translate-x-1/2 rounded-full bg-bayou">
        <div className="halftone absolute inset-0 rounded-full text-brisket opacity-50" />
      </div>
      <p className="display p-9 text-headline text-ink">{tagline}</p>
      <div className="mt-auto flex justify-center px-6 pb-6">
        <Boots className="h-auto w-4/5" />
      </div>
    </div>
  );
}

interface FormProps {
  mode: AuthMode;
  from: string | undefined;
  /** The account created here a moment ago. */
  registered: SignIn | undefined;
  onRegistered: (account: SignIn) => void;
  onCode: (redeem: () => Promise<unknown>) => Promise<void>;
}

function Form({ mode, from, registered, onRegistered, onCode }: FormProps) {
  const { status } = useSession();
  const { state, hash } = useLocation();
  const navigate = useNavigate();
  const link = oneTimeLinkIn(hash);
  useEffect(() => {
    // The link in the mail opens a new tab, which continues to this tab's destination.
    if (mode === "sign-up" || mode === "code" || mode === "forgot") rememberReturnPath(from);
  }, [mode, from]);
  switch (mode) {
    case "sign-in":
      return <SignInForm registered={registered} />;
    case "code":
      return <CodeForm />;
    case "sign-up":
      return (
        <SignUpForm
          onRegistered={(account) => {
            onRegistered(account);
            awaitConfirmation({ email: account.email, sentAt: Date.now() });
            void navigate(authAddress("sign-in"), { replace: true, state });
          }}
        />
      );
    case "forgot":
      return <ForgotPassword onCode={onCode} />;
    case "reset":
      if (link) return <ByLink link={link} />;
      if (status !== "signed-in") return <ResetLinkNeeded />;
      return (
        <NewPasswordForm
          onDone={() => {
            const remembered = takeReturnPath();
            void navigate(from ?? remembered ?? "/dashboard", { replace: true });
          }}
          onLeft={() => void navigate("/", { replace: true })}
        />
      );
  }
}

/** Opens the account, then removes the link from the address, so that a reload does not use it again. */
function ByLink({ link }: { link: OneTimeLink }) {
  const { status } = useSession();
  const navigate = useNavigate();
  const [isOpening, setIsOpening] = useState(false);
  const isInvited = link.type === "invite";
  if (status === "signed-in" && !isOpening) return <SignOutFirst />;
  return (
    <OpenAccount
      link={link}
      isOpening={isOpening}
      onOpening={setIsOpening}
      onOpened={() => {
        // The back office redirects every staff member to their own screen.
        const state = isInvited ? { from: "/admin" } : null;
        void navigate(authAddress("reset"), { replace: true, state });
      }}
      onDead={() => {
        noteDeadLink(link.type);
        void navigate(authAddress(modeAfter[link.type]), { replace: true });
      }}
    />
  );
}

function FormSkeleton() {
  return (
    <div role="status" className="space-y-5">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-20" />
      <Skeleton className="h-20" />
      <Skeleton className="h-15" />
    </div>
  );
}
