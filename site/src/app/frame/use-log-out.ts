import { useSession } from "#lib/session/session.tsx";
import { toast } from "#ui/overlays/toast.ts";

/** Ends the session and says so. */
export function useLogOut(): () => Promise<void> {
  const { signOut } = useSession();
  return async () => {
    await signOut();
    toast.success("Logged Out", "You've been logged out successfully.");
  };
}
