// Tells people what the link in a mail did, on whichever page it brought them to, and leads on.
import { useEffect } from "react";
import { useNavigate } from "react-router";
import { useSession } from "#lib/session.tsx";
import { toast } from "#ui/toast.ts";
import { authAddress } from "./auth-mode.ts";
import { takeReturnPath } from "./return-path.ts";

/** Renders nothing. Belongs in the frame, inside the SessionProvider. */
export function AuthLanding() {
  const { landing, takeLanding, status } = useSession();
  const navigate = useNavigate();
  useEffect(() => {
    if (!landing || status === "loading") return;
    takeLanding();
    if (landing.kind === "failed") {
      toast.error("Link Not Accepted", landing.message);
      void navigate(status === "signed-in" ? "/dashboard" : "/auth", { replace: true });
    } else if (status === "signed-out") {
      toast.error("Link Not Accepted", "This link could not sign you in. Please sign in with your password.");
      void navigate("/auth", { replace: true });
    } else if (landing.reason === "recovery") {
      void navigate(authAddress("reset"), { replace: true });
    } else if (landing.reason === "signup") {
      toast.success("Email Confirmed", "Your account is ready, and you are signed in.");
      const next = takeReturnPath();
      if (next) void navigate(next, { replace: true });
    } else {
      toast.success("Welcome back!", "You've been logged in successfully.");
    }
  }, [landing, takeLanding, status, navigate]);
  return null;
}
