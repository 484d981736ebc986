import { AuthScreen } from "#features/account/auth-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    title: "Sign In",
    description: "Sign in or create an account to buy and see your festival tickets.",
    personal: true,
  });

export default AuthScreen;
