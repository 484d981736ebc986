import { useInstall } from "../use-install.ts";

/** How the gate becomes an app of this phone, where the browser can. */
export function InstallHint({ isForTheDay }: { isForTheDay: boolean }) {
  const { install, isByHand } = useInstall();
  if (install) {
    return (
      <button type="button" className="gate-button" onClick={install}>
        Install the gate
      </button>
    );
  }
  // An app on an iPhone has a storage of its own: an account of the day stays in the browser.
  if (!isByHand || isForTheDay) return null;
  return (
    <p className="gate-hint">To install the gate, tap Share, then “Add to Home Screen”, and sign in there.</p>
  );
}
