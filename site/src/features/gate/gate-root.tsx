// The root of the gate: light or dark, and the service worker that opens it without a network.
import { useEffect, type ReactNode } from "react";
import { useCurrentFacts } from "#lib/festival/use-current-facts.ts";
import { useTheme } from "./preferences.ts";
import { wakeSoundWithTouches } from "./signals.ts";
import { awaitInstallOffer } from "./use-install.ts";

export function GateRoot({ children }: { children: ReactNode }) {
  const [theme] = useTheme();
  useEffect(() => {
    if (import.meta.env.DEV || !("serviceWorker" in navigator)) return;
    // Shows no storage prompt: browsers grant it silently to sites that are used or installed.
    void navigator.storage?.persist?.().catch(() => {});
    navigator.serviceWorker.register("/gate-worker.js", { scope: "/gate" }).catch(() => {
      // A private window may refuse it. The gate then needs the network to open, but not to scan.
    });
  }, []);
  useCurrentFacts();
  useEffect(awaitInstallOffer, []);
  useEffect(wakeSoundWithTouches, []);
  return (
    <div className="gate" data-theme={theme}>
      {children}
    </div>
  );
}
