// Announces that a control works on what was pressed, which only its spinner shows.
import { announce } from "./announce.ts";

/** A shorter wait needs no words. */
const SAID_AFTER_MS = 500;

/** For every control of the document, until the returned function is called. */
export function sayBusyControls(): () => void {
  const observer = new MutationObserver((changes) => {
    for (const { target } of changes) if (isBusy(target)) setTimeout(say, SAID_AFTER_MS, target);
  });
  observer.observe(document.body, { subtree: true, attributeFilter: ["aria-busy"] });
  return () => observer.disconnect();
}

const isBusy = (target: Node): target is HTMLElement =>
  target instanceof HTMLElement && target.ariaBusy === "true" && target.matches("button, select");

function say(control: HTMLElement): void {
  if (!control.isConnected || !isBusy(control)) return;
  const name = control.ariaLabel ?? (control instanceof HTMLSelectElement ? undefined : control.textContent);
  announce(name ? `Working on it: ${name}` : "Working on it");
}
