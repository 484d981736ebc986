// What a link of an address change did, for whoever is signed in when it opens.
import type { AuthLanding } from "#lib/session/auth-landing.ts";
import { toast } from "#ui/overlays/toast.ts";

export function sayEmailChange(kind: AuthLanding["kind"], email: string | undefined): void {
  if (kind === "half") {
    toast.success("One More to Go", "This address is confirmed. Now open the email to the other one, too.");
    return;
  }
  toast.success(
    "Email Changed",
    kind === "elsewhere"
      ? "Your account has its new address. Sign in with it from now on."
      : `Your account's address is now ${email}.`,
  );
}
