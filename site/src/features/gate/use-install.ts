// Whether this browser offers to install the gate. The offer comes once, soon after the page has loaded, and is kept.
import { useSyncExternalStore } from "react";
import { appleTouch } from "./apple-touch.ts";

interface InstallOffer extends Event {
  prompt: () => Promise<unknown>;
}

let offer: InstallOffer | undefined;
const listeners = new Set<() => void>();

function keep(next: InstallOffer | undefined): void {
  offer = next;
  for (const listener of listeners) listener();
}

/** Returns a function that stops. */
export function awaitInstallOffer(): () => void {
  const onOffer = (event: Event) => {
    event.preventDefault(); // our own button asks
    keep(event as InstallOffer);
  };
  const onInstalled = () => keep(undefined);
  addEventListener("beforeinstallprompt", onOffer);
  addEventListener("appinstalled", onInstalled);
  return () => {
    removeEventListener("beforeinstallprompt", onOffer);
    removeEventListener("appinstalled", onInstalled);
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

interface Install {
  /** Undefined when the browser offers none. */
  readonly install: (() => void) | undefined;
  /** An iPhone or iPad, where the user installs it from the browser's menu. */
  readonly isByHand: boolean;
}

export function useInstall(): Install {
  const kept = useSyncExternalStore(
    subscribe,
    () => offer,
    () => undefined,
  );
  const isInstalled = matchMedia("(display-mode: standalone)").matches;
  return {
    install: kept && (() => void kept.prompt().finally(() => keep(undefined))),
    isByHand: appleTouch() !== undefined && !isInstalled,
  };
}
