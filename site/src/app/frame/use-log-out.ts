import { useSession } from "#lib/session/session.tsx";
import { toast } from "#ui/overlays/toast.ts";

/** Returns a function that ends the session and shows a toast. */
export function useLogOut(): () => Promise<void> {
  const { signOut } = useSession();
  return async () => {
    await signOut();
    toast.success("Logged Out", "You've been logged out successfully.");
  };
}
