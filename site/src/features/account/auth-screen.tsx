// /auth: sign in, create an account, ask for and set a new password.
import { ArrowLeft } from "lucide-react";
import { useEffect } from "react";
import { Link, Navigate, useLocation, useNavigate, useSearchParams } from "react-router";
import { useSession } from "#lib/session.tsx";
import { Card } from "#ui/card.tsx";
import { Skeleton } from "#ui/skeleton.tsx";
import { authAddress, authMode, type AuthMode } from "./auth-mode.ts";
import { ForgotPasswordForm, NewPasswordForm, ResetLinkNeeded } from "./password-forms.tsx";
import { rememberReturnPath, returnPath } from "./return-path.ts";
import { SignInForm } from "./sign-in-form.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

const titles: Readonly<Record<AuthMode, string>> = {
  "sign-in": "Welcome Back",
  "sign-up": "Create Account",
  forgot: "Reset Password",
  reset: "Set a New Password",
};

export function AuthScreen() {
  const { status } = useSession();
  const [search] = useSearchParams();
  const { state } = useLocation();
  const mode = authMode(search);
  const from = returnPath(state);
  if (status === "signed-in" && mode !== "reset") return <Navigate to={from ?? "/dashboard"} replace />;
  return (
    <div className="mx-auto w-full max-w-lg">
      <Link to="/" className="inline-flex min-h-11 items-center gap-2 font-semibold hover:text-candy-deep">
        <ArrowLeft aria-hidden="true" className="size-5" strokeWidth={2.5} />
        Back to Home
      </Link>
      <Card className="mt-3 shadow-[10px_10px_0_0_var(--color-brisket)]">
        <h1 className="display text-title">{titles[mode]}</h1>
        {from === "/checkout" && mode !== "reset" && (
          <p className="mt-3 font-semibold text-bayou-deep">
            Sign in to finish your purchase. Your cart is kept.
          </p>
        )}
        <div className="mt-6">
          {status === "loading" ? <FormSkeleton /> : <Form mode={mode} from={from} />}
        </div>
      </Card>
    </div>
  );
}

function Form({ mode, from }: { mode: AuthMode; from: string | undefined }) {
  const { status } = useSession();
  const { state } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    // The confirmation mail opens a new tab; it should lead on to where this one was going.
    if (mode === "sign-up") rememberReturnPath(from);
  }, [mode, from]);
  switch (mode) {
    case "sign-in":
      return <SignInForm />;
    case "sign-up":
      return (
        <SignUpForm onRegistered={() => void navigate(authAddress("sign-in"), { replace: true, state })} />
      );
    case "forgot":
      return <ForgotPasswordForm />;
    case "reset":
      if (status !== "signed-in") return <ResetLinkNeeded />;
      return <NewPasswordForm onDone={() => void navigate("/dashboard", { replace: true })} />;
  }
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
