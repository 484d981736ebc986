// One visit of one page, from arriving to leaving. Failures are warnings only: the visitor sees nothing of them.
import { insertVisit, saveDuration, type VisitedPage } from "./records.ts";

const SAVE_EVERY_MS = 30_000;

/** Begins once `ready` resolves, with duration 0; returns how to end it. */
export function startVisit(page: VisitedPage, ready: Promise<void>): () => void {
  const startedAt = performance.now();
  let savedSeconds = 0;
  const record = ready.then(() => insertVisit(page));
  record.catch((error: unknown) => warn("record the visit", error));
  let id: string | undefined;
  void record.then(
    (inserted) => (id = inserted),
    () => {},
  );

  function save() {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if (!id || seconds === savedSeconds) return;
    savedSeconds = seconds;
    saveDuration(id, seconds).catch((error: unknown) => warn("save the visit", error));
  }
  const onHidden = () => document.visibilityState === "hidden" && save();
  const timer = setInterval(save, SAVE_EVERY_MS);
  document.addEventListener("visibilitychange", onHidden);
  addEventListener("pagehide", save);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", onHidden);
    removeEventListener("pagehide", save);
    save();
  };
}

function warn(what: string, error: unknown): void {
  // oxlint-disable-next-line no-console -- the specification wants a warning there and nowhere else
  console.warn(`Could not ${what}:`, error);
}
