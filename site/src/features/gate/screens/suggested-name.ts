import { appleTouch } from "../apple-touch.ts";

/** A name to start from: people at the gate tell phones apart by what they are. */
export function suggestedName(): string {
  return appleTouch() ?? (/Android/.test(navigator.userAgent) ? "Android phone" : "Gate computer");
}
