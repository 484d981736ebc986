import { Suspense } from "react";
import { SignInForm } from "#features/account/sign-in/sign-in-form.tsx";
import { GateScreen } from "#features/gate/screens/gate-screen.tsx";
import { lazily } from "#ui/basics/lazily.ts";
import { Spinner } from "#ui/basics/spinner.tsx";
import { NeedsScript } from "../frame/needs-script.tsx";
import { pageHead } from "../head.ts";

const SecondStep = lazily(() => import("#features/account/second-step/second-step.tsx"));

export const meta = () => pageHead({ title: "Gate", description: "Scan guests in. For gate staff." });

export default function GateRoute() {
  const secondStep = (
    <Suspense fallback={<Spinner label="Loading" />}>
      <SecondStep heading="h1" />
    </Suspense>
  );
  return (
    <>
      <NeedsScript title="Gate" purpose="scan codes" />
      <GateScreen signIn={<SignInForm />} secondStep={secondStep} />
    </>
  );
}
