// One visit to one page, from arriving to leaving.
import { record, sendBeforeLeaving, type VisitedPage } from "./records.ts";
import { newVisitId } from "./session.ts";

const SAVE_EVERY_MS = 30_000;

/**
 * Records the visit at once when its user is known. Before that, it is recorded only when the visitor leaves, as
 * anonymous. Returns a function that ends it.
 */
export function startVisit(page: VisitedPage, isKnown: boolean): () => void {
  const id = newVisitId();
  const startedAt = performance.now();
  let savedSeconds: number | undefined;

  function save() {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if (seconds === savedSeconds) return;
    savedSeconds = seconds;
    record({ id, ...page, seconds });
  }
  const saveKnown = () => savedSeconds !== undefined && save();
  if (isKnown) save();
  const onLeaving = () => {
    save();
    sendBeforeLeaving();
  };
  const onHidden = () => document.visibilityState === "hidden" && onLeaving();
  const timer = setInterval(saveKnown, SAVE_EVERY_MS);
  document.addEventListener("visibilitychange", onHidden);
  addEventListener("pagehide", onLeaving);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", onHidden);
    removeEventListener("pagehide", onLeaving);
    saveKnown();
  };
}
