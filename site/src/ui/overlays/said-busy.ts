// Announces that a control works on what was pressed, which only its spinner shows. The words go when it has ended.
import { announce, ANNOUNCER } from "./announce.ts";

/** A shorter wait needs no words. */
const SAID_AFTER_MS = 500;
const BUSY = "body :is(button, select)[aria-busy=true]";
const WORDS = "Working on it";

/** For every control of the document, until the returned function is called. */
export function sayBusyControls(): () => void {
  const observer = new MutationObserver((changes) => {
    for (const { target } of changes) follow(target as HTMLElement);
  });
  observer.observe(document.body, { subtree: true, attributeFilter: ["aria-busy"] });
  return () => observer.disconnect();
}

function follow(control: HTMLElement, isSaid?: boolean): void {
  if (control.matches(BUSY)) setTimeout(say, SAID_AFTER_MS, control, isSaid);
  else if (isSaid && document.getElementById(ANNOUNCER)?.textContent.startsWith(WORDS)) announce("");
}

function say(control: HTMLElement, isSaid: boolean): void {
  if (!isSaid && control.matches(BUSY)) {
    const name = control.ariaLabel ?? (control.matches("select") ? "" : control.textContent);
    announce(name ? `${WORDS}: ${name}` : WORDS);
  }
  follow(control, true);
}
