// One visit of one page, from arriving to leaving.
import { record, recordBeforeLeaving, type VisitedPage } from "./records.ts";
import { newVisitId } from "./session.ts";

const SAVE_EVERY_MS = 30_000;

/** Recorded once `ready` resolves; returns how to end it. */
export function startVisit(page: VisitedPage, ready: Promise<void>): () => void {
  const id = newVisitId();
  const startedAt = performance.now();
  let savedSeconds: number | undefined;
  let ended = false;

  function save(write: typeof record) {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if (savedSeconds === undefined || seconds === savedSeconds) return;
    savedSeconds = seconds;
    write({ id, ...page, seconds });
  }
  void ready.then(() => {
    savedSeconds = 0;
    record({ id, ...page, seconds: 0 });
    if (ended) save(record);
  });
  const onHidden = () => document.visibilityState === "hidden" && save(recordBeforeLeaving);
  const onLeaving = () => save(recordBeforeLeaving);
  const timer = setInterval(() => save(record), SAVE_EVERY_MS);
  document.addEventListener("visibilitychange", onHidden);
  addEventListener("pagehide", onLeaving);
  return () => {
    ended = true;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", onHidden);
    removeEventListener("pagehide", onLeaving);
    save(record);
  };
}
