import { appleTouch } from "../apple-touch.ts";

/** A default name: people at the gate tell phones apart by their kind. */
export function suggestedName(): string {
  return appleTouch() ?? (/Android/.test(navigator.userAgent) ? "Android phone" : "Gate computer");
}
