import { SignInForm } from "#features/account/sign-in-form.tsx";
import { GateScreen } from "#features/gate/screens/gate-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({ title: "Gate", description: "Let people in: for those who work at the gate." });

export default function GateRoute() {
  return <GateScreen signIn={<SignInForm />} />;
}
