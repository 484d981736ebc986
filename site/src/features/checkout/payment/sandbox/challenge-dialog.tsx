// The bank's 3-D Secure challenge in an iframe. The frame reports nothing, so the provider is polled for the
// result.
import { useEffect } from "react";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { returnAddress } from "../payment-provider.ts";

interface ChallengeDialogProps {
  address: string;
  undecided: () => Promise<boolean>;
  onOver: () => void;
}

const EVERY_MS = 800;

export function ChallengeDialog({ address, undecided, onOver }: ChallengeDialogProps) {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let current = true;
    async function look() {
      const waiting = await undecided().catch(() => true);
      if (!current) return;
      if (waiting) timer = setTimeout(() => void look(), EVERY_MS);
      else onOver();
    }
    timer = setTimeout(() => void look(), EVERY_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
    // One challenge per dialog: it does not change while the dialog is open.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onOver()}
      title="Confirm with Your Bank"
      description="Your bank wants to make sure it's you."
    >
      <iframe
        src={address}
        title="3-D Secure check"
        sandbox="allow-forms allow-scripts"
        className="h-96 w-full border-2 border-ink bg-white"
      />
      <p className="mt-4 text-sm">
        Nothing showing?{" "}
        <a href={inThisWindow(address)} className="font-semibold underline underline-offset-4">
          Open the bank check in this window
        </a>
        . It brings you back here when it is done.
      </p>
    </Dialog>
  );
}

function inThisWindow(address: string): string {
  const url = new URL(address);
  url.searchParams.set("return_url", returnAddress());
  return url.href;
}
