import { useInstall } from "../use-install.ts";

/** How to install the gate as an app on this device, where the browser supports it. */
export function InstallHint({ isForTheDay }: { isForTheDay: boolean }) {
  const { install, isByHand } = useInstall();
  if (install) {
    return (
      <button type="button" className="gate-button" onClick={install}>
        Install the gate
      </button>
    );
  }
  // An app on an iPhone has separate storage, so a one-day account stays in the browser.
  if (!isByHand || isForTheDay) return null;
  return (
    <p className="gate-hint">To install the gate, tap Share, then “Add to Home Screen”, and sign in there.</p>
  );
}
