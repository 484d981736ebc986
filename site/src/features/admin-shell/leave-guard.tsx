import { useEffect } from "react";
import { useBlocker } from "react-router";
import { hasUnsaved, useHasUnsaved } from "#lib/browser/unsaved.ts";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";

/** Asks before unsaved edits are lost, by leaving the screen or closing the tab. Stands once: the router keeps one blocker. */
export function LeaveGuard() {
  const isUnsaved = useHasUnsaved();
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => hasUnsaved() && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isUnsaved]);
  return (
    <AlertDialog
      open={blocker.state === "blocked"}
      onOpenChange={(open) => !open && blocker.reset?.()}
      title="Leave without saving?"
      confirmLabel="Leave"
      cancelLabel="Stay"
      destructive
      onConfirm={() => blocker.proceed?.()}
    >
      Your changes since you last saved are lost if you leave.
    </AlertDialog>
  );
}
