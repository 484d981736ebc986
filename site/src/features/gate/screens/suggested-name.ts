import { appleTouch } from "../apple-touch.ts";

/** A default name: people at the gate tell devices apart by their kind. */
export function suggestedName(): string {
  return appleTouch() ?? (/Android/.test(navigator.userAgent) ? "Android phone" : "Gate computer");
}
